"""A workspace in, a folder to give away out: the benchmark, its card, and what guards it.

In: the tables of a workspace and the terms. Out: ``benchmark.jsonl`` (a header with a canary, then the items), ``card.md`` and
``release.json``; gated also ``gate.md``; sealed ``questions.jsonl`` (nothing that tells an answer) and ``benchmark.jsonl.age`` in the
benchmark's place. The one thing to know: what is held out, and keys, are written beside the folder and never into it; and an item's id
is made of its answer too, so that a sealed question has a number and no id.

Papers: CARTE, section 3; the contamination of open test sets is why there is a held-out part and a seal.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..canonical import canonical
from ..errors import InputError
from ..records import Item
from ..store import guarded, replacing
from . import seal
from .card import card
from .held_out import held_out
from .native import Header
from .provenance import Step, Workspace, funnel
from .terms import Released, Terms, canary

FILES = {
    "public": ("benchmark.jsonl", "card.md", "release.json"),
    "gated": ("benchmark.jsonl", "card.md", "release.json", "gate.md"),
    "sealed": ("questions.jsonl", "benchmark.jsonl.age", "card.md", "release.json"),
}
_OPEN = ("kind", "stem", "options", "abstain", "lang", "place", "topic", "subset")
_OPEN_META = ("difficulty", "difficulty_share", "difficulty_n", "difficulty_panel")


def release(tables: Path, out: Path, terms: Terms, names: Sequence[str] = ()) -> Released:
    """Write a release of the tables of items ``names`` (the last of the workspace if none) into the folder ``out``.

    Raises InputError where there is nothing to release or the folder holds other files, UnknownName for a table, IntegrityError for
    a table that was changed, Unavailable without the library that seals.
    """
    workspace = Workspace(tables)
    chosen = workspace.chosen(names)
    items = workspace.items(chosen)
    if not items:
        raise InputError(f"{', '.join(chosen)}: holds no items to release")
    _free(out, terms)
    terms = msgspec.structs.replace(terms, canary=terms.canary or canary(terms.name, items))
    shown, hidden = held_out(items, share=terms.held_out, seed=terms.seed) if terms.held_out else (items, [])
    files = _files(shown, terms)
    aside = _benchmark(hidden, msgspec.structs.replace(terms, name=f"{terms.name} held-out")) if hidden else b""
    done = Released(
        canary=terms.canary, hashes={name: hashlib.sha256(data).hexdigest() for name, data in files.items()}, items=len(shown),
        held_out=len(hidden), held_out_sha256=hashlib.sha256(aside).hexdigest() if aside else "",
    )  # fmt: skip
    steps = [*funnel(workspace, chosen), *_last(items, hidden)]
    files["card.md"] = card(shown, workspace, steps, terms, done).encode()
    files["release.json"] = canonical(_told(terms, done)) + b"\n"
    for name, data in files.items():
        _put(out / name, data)
    if aside:
        _put(beside(out, "held-out") / "held-out.jsonl", aside)
    return done


def _last(items: Sequence[Item], hidden: Sequence[Item]) -> list[Step]:
    after = len(items) - len(hidden)
    step = Step(table="release", stage="release", noun="items", before=len(items), after=after, left={"held out": len(hidden)})
    return [step] if hidden else []


def beside(out: Path, what: str) -> Path:
    """The place of what belongs to a release and must not be given away with it."""
    return out.with_name(f"{out.resolve().name}.{what}")


def _free(out: Path, terms: Terms) -> None:
    """Hold a folder to be empty, or to hold a release of the same kind: an open file must not be left in a sealed folder."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; a release is a folder")
    strange = sorted(p.name for p in out.iterdir() if p.name not in FILES[terms.mode]) if out.is_dir() else []
    if strange:
        raise InputError(f"{out}: holds {strange[0]}, which is no part of a {terms.mode} release; take it away or give another --out")


def _files(items: Sequence[Item], terms: Terms) -> dict[str, bytes]:
    whole = _benchmark(items, terms)
    if terms.mode == "sealed":
        return {"questions.jsonl": _questions(items, terms), "benchmark.jsonl.age": seal.seal(whole, terms.recipients)}
    return {"benchmark.jsonl": whole, **({"gate.md": _gate(terms).encode()} if terms.mode == "gated" else {})}


def _header(items: Sequence[Item], terms: Terms) -> Header:
    langs = tuple(sorted({i.lang for i in items if i.lang}))
    made = sorted({i.maker for i in items if i.maker})
    return Header(
        name=terms.name, version=terms.version, canary=terms.canary, licence=terms.licence, languages=langs, title=terms.title,
        description=terms.description, origin=f"made by {', '.join(made)}" if made else "",
    )  # fmt: skip


def _benchmark(items: Sequence[Item], terms: Terms) -> bytes:
    return b"".join(canonical(row) + b"\n" for row in (_header(items, terms), *items))


def _questions(items: Sequence[Item], terms: Terms) -> bytes:
    """The questions by their numbers. Fields are named one by one: evidence, parents and ids would tell answers."""
    rows: list[Any] = [{**msgspec.to_builtins(_header(items, terms)), "sealed": True}]
    for n, item in enumerate(items, 1):
        told = {name: getattr(item, name) for name in _OPEN}
        meta = {key: item.meta[key] for key in _OPEN_META if key in item.meta}
        rows.append({"n": n, **{k: v for k, v in told.items() if v or v == 0}, **({"meta": meta} if meta else {})})
    return b"".join(canonical(row) + b"\n" for row in rows)


def _gate(terms: Terms) -> str:
    words = (
        f"I will use {terms.name} to evaluate models. I will not train on it, will not publish its answers, "
        "and will not pass its files on."
    )
    front = ["---", f"extra_gated_prompt: {canonical(words).decode()}", "extra_gated_fields:", "  Name: text", "  Institution: text"]
    front += ["  I agree to the conditions: checkbox", "---"]
    note = [
        f"# The gate of {terms.name}", "",
        "Put the lines between the dashes at the head of the data set's card on the hub, before anything is uploaded, and set the data",
        "set to ask for approval. Upload `benchmark.jsonl` and `card.md`; nothing else of the workspace.", "", f"`{terms.canary}`",
    ]  # fmt: skip
    return "\n".join([*front, "", *note]) + "\n"


def _told(terms: Terms, done: Released) -> dict[str, Any]:
    kept = {"items": done.held_out, "sha256": done.held_out_sha256} if done.held_out else None
    said = {name: getattr(terms, name) for name in ("name", "version", "mode", "canary", "licence")}
    return {**said, "items": done.items, "sha256": done.hashes, "held_out": kept}


def _put(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


def opened(folder: Path, key: Path, out: Path) -> Path:
    """Open a sealed release with a key: write its ``benchmark.jsonl`` into ``out`` and return the path.

    Raises InputError where the folder is no sealed release, the key does not open it, or ``out`` is the folder itself.
    """
    sealed = folder / "benchmark.jsonl.age"
    if not sealed.is_file():
        raise InputError(f"{folder}: holds no benchmark.jsonl.age; only a sealed release is opened")
    if out.resolve() == folder.resolve():
        raise InputError(f"{out}: is the sealed folder itself, which is given away; give another --out")
    with guarded(sealed):
        data = sealed.read_bytes()
    _put(out / "benchmark.jsonl", seal.unseal(data, key))
    return out / "benchmark.jsonl"
