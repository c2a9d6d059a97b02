"""Open questions written in TOML in, a benchmark out: ``python -m endonym.build.portugal portugal-inside portugal-blend``.

In: a folder with ``questions.toml`` (the header's fields and the place, then ``[[question]]`` tables with stem, accepted answers, topic,
entity and what an adjudicator should check) and ``card.md``. Out: items, ``benchmark.jsonl``, and the counts and the list for adjudicators
in the card. The one thing to know: nothing is drawn or shuffled; the items stand in the order of the file, and the bytes repeat.

Paper: Tuguesice, sections 3 (guidelines) and 4 (the contrast with BLEnD). Nothing here knows of Portugal but the two names.
"""

import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from ..canonical import canonical
from ..errors import EndonymError, InputError, StorageError, TableError
from ..records import Accept, Item, Record
from .native import Header

NAMES = ("portugal-inside", "portugal-blend")
_MARKS = {"counts": ("<!-- counts -->", "<!-- /counts -->"), "review": ("<!-- review -->", "<!-- /review -->")}


class Question(Record, frozen=True):
    """One question as it is written and edited.

    ``accept``: a text alone weighs 1; a table has ``text`` and ``weight``. ``entity`` is a slug that does not tell the answer.
    """

    entity: str
    topic: str
    stem: str
    accept: tuple[str | Accept, ...]
    check: str = ""
    """What an adjudicator should look at, in the language of the question."""


class Sheet(Record, frozen=True):
    """``questions.toml``: the fields of the benchmark's header, what all items share, and the questions."""

    name: str
    version: str
    canary: str
    licence: str
    languages: tuple[str, ...]
    title: str
    origin: str
    maker: str
    place: str
    subset: str
    question: tuple[Question, ...]

    @property
    def header(self) -> Header:
        return Header(**{name: getattr(self, name) for name in Header.__struct_fields__ if name in Sheet.__struct_fields__})


def sheet(folder: Path) -> Sheet:
    """Read ``questions.toml``. Raises ``TableError`` ("FILE: entity: what") and ``StorageError``."""
    path = folder / "questions.toml"
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Sheet)
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise TableError(f"{path}: {error}") from error
    for field in ("entity", "stem"):
        often = Counter(getattr(question, field) for question in found.question)
        if twice := [value for value, n in often.items() if n > 1]:
            raise TableError(f"{path}: {field}: {twice[0]!r} stands twice")
    return found


def portugal(folder: Path) -> Iterator[Item]:
    """Make the items of a folder, in the order of its file; ``meta["review"]`` is the note for adjudicators.

    Raises ``TableError`` naming file and question, ``StorageError`` for the file.
    """
    found = sheet(folder)
    for question in found.question:
        accept = tuple(Accept(text=each) if isinstance(each, str) else each for each in question.accept)
        try:
            yield Item(
                kind="open", stem=question.stem, accept=accept, lang=found.languages[0], place=found.place, topic=question.topic,
                subset=found.subset, entity=question.entity, maker=found.maker, meta={"review": question.check} if question.check else {},
            )  # fmt: skip
        except ValueError as error:
            raise TableError(f"{folder / 'questions.toml'}: {question.entity}: {error}") from error


def counts(items: Sequence[Item]) -> str:
    """Questions by domain, then all, in Markdown, in the order of the file."""
    often = Counter(item.topic for item in items)
    rows = [*often.items(), ("all", len(items))]
    return "| domain | questions |\n|---|--:|\n" + "".join(f"| {name} | {n} |\n" for name, n in rows)


def review(items: Sequence[Item]) -> str:
    """The questions on which their author left a note, by their entities alone: a note may tell the answer."""
    named = [f"`{item.entity}`" for item in items if "review" in item.meta]
    return (", ".join(named) or "none") + "\n"


def card(text: str, items: Sequence[Item]) -> str:
    """The card's text with its counts and its list for adjudicators made anew. Raises ``InputError`` where a mark is missing."""
    for name, make in (("counts", counts), ("review", review)):
        begin, end = _MARKS[name]
        if begin not in text or end not in text:
            raise InputError(f"card.md: the marks {begin} and {end} are missing; what stands between them is made by this builder")
        before, after = text.split(begin)[0], text.split(end)[1]
        text = f"{before}{begin}\n\n{make(items)}\n{end}{after}"
    return text


def whole(folder: Path) -> bytes:
    """The bytes of ``benchmark.jsonl``: the header, then the items, each in canonical JSON."""
    return b"".join(line + b"\n" for line in (canonical(sheet(folder).header), *map(canonical, portugal(folder))))


def main(names: Sequence[str]) -> None:
    """Write ``benchmark.jsonl`` of each shipped folder named, and the parts of its ``card.md`` that are counted."""
    for name in names:
        folder = Path(str(files("endonym") / "data")) / name
        (folder / "benchmark.jsonl").write_bytes(whole(folder))
        page = folder / "card.md"
        page.write_text(card(page.read_text(encoding="utf-8"), list(portugal(folder))), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:] or NAMES)
    except EndonymError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: {error.filename}: {error.strerror}")
