"""``endonym release``: a workspace's benchmark as a folder to give away, open, behind a gate, or sealed; and a seal opened again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from .. import recipe, store
from ..build import release as releases
from ..build import seal
from ..build.terms import Released, Terms
from ..errors import EndonymError, InputError
from . import common

_SAID = (
    click.option("--public", "mode", flag_value="public", default="public", help="Open to all, with a canary in every file (default)."),
    click.option("--gated", "mode", flag_value="gated", help="With the words for a hub's gate."),
    click.option("--sealed", "mode", flag_value="sealed", help="Questions open, answers encrypted (age)."),
    click.option("--out", metavar="FOLDER", type=click.Path(path_type=Path), help="Where to; DIR/release if not given."),
    click.option("--table", "tables", multiple=True, metavar="NAME", help="The table of items; may be repeated. The last if not given."),
    click.option("--held-out", default=0.0, metavar="SHARE", help="Hold back this share, by entity and source."),
    click.option("--seed", default=0, show_default=True),
    click.option("--name", default="", help="What the benchmark is called; what its recipe says if not given."),
    click.option("--edition", default="1", show_default=True, help="The version of the benchmark."),
    click.option("--licence", default="", metavar="SPDX", help="As CC-BY-4.0."),
    click.option("--title", default=""),
    click.option("--description", default=""),
    click.option("--canary", default="", metavar="TEXT", help="Keep an earlier version's canary."),
    click.option("--recipient", "recipients", multiple=True, metavar="AGE1…", help="Seal for this public key; may be repeated."),
    click.option("--open", "opening", is_flag=True, help="Open the sealed release DIR with --key."),
    click.option("--key", metavar="FILE", type=click.Path(path_type=Path), help="The secret key to open with; sealing, where to write it."),
)  # fmt: skip


@click.command()
@common.folder_argument
@common.options(_SAID)
@common.json_option
def release(folder: Path, out: Path | None, opening: bool, key: Path | None, as_json: bool, **said: Any) -> None:
    """Write the benchmark of the workspace DIR as a folder to give away: items, card with counts, difficulty and funnel.

    With --open and --key, write the benchmark of the sealed release DIR beside it.
    """
    if opening:
        return _open(folder, out, key, as_json)
    target = out or folder / "release"
    names, recipients = said.pop("tables"), said.pop("recipients")
    mode = said["mode"] or "public"
    if mode != "sealed" and (recipients or key):
        raise InputError("--recipient, --key: are for --sealed, or for --open")
    found = store.verify(folder / "tables")
    with _key(key or releases.beside(target, "key"), wanted=mode == "sealed" and not recipients) as made:
        terms = _terms(folder, said, recipients or made)
        done = releases.release(folder / "tables", target, terms, names)
    return _tell(target, terms, done, found, as_json)


@contextmanager
def _key(path: Path, *, wanted: bool) -> Iterator[tuple[str, ...]]:
    """A new key where one is wanted; it is taken away again where the release fails."""
    if not wanted:
        yield ()
        return
    public = seal.new_key(path)
    try:
        yield (public,)
    except EndonymError:
        path.unlink(missing_ok=True)
        raise
    common.say(f"  the secret key is {path}: keep it, and do not give it away with the folder")


def _terms(folder: Path, said: dict[str, Any], recipients: tuple[str, ...]) -> Terms:
    called = recipe.load(folder).name if (folder / "recipe.toml").exists() else folder.resolve().name
    texts = {key: said[key] for key in ("licence", "title", "description", "canary", "seed")}
    held = {"held_out": said["held_out"], "recipients": recipients, "version": said["edition"], "mode": said["mode"] or "public"}
    return Terms(name=said["name"] or called, **held, **texts)


def _tell(target: Path, terms: Terms, done: Released, tables: int, as_json: bool) -> None:
    aside = str(releases.beside(target, "held-out")) if done.held_out else ""
    if as_json:
        told = {"items": done.items, "held_out": done.held_out, "sha256": done.hashes, "canary": done.canary, "out": str(target)}
        return common.put(told)
    if not terms.licence:
        common.say("  no licence is stated: give --licence before anybody is to use it")
    if aside:
        common.say(f"  held out: {done.held_out} items, in {aside}; keep that folder to yourself")
    return click.echo(f"{terms.mode}: {done.items} items of {tables} tables → {target}")


def _open(folder: Path, out: Path | None, key: Path | None, as_json: bool) -> None:
    if key is None:
        raise InputError("--open: needs --key FILE, the secret key")
    path = releases.opened(folder, key, out or releases.beside(folder, "opened"))
    return common.put({"out": str(path)}) if as_json else click.echo(f"opened: {path}")
