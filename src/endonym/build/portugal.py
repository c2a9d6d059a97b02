"""Open questions written in TOML in, a benchmark out: ``python -m endonym.build.portugal portugal-inside portugal-blend``.

In: a folder with ``questions.toml`` (the header's fields and the place, then ``[[question]]`` tables with stem, accepted answers, topic,
entity and what an adjudicator should check) and ``card.md``. Out: items, ``benchmark.jsonl``, and the counts and the list for adjudicators
in the card. The one thing to know: nothing is drawn or shuffled; the items stand in the order of the file, and the bytes repeat.

Paper: Tuguesice, sections 3 (guidelines) and 4 (the contrast with BLEnD). Nothing here knows of Portugal but the two names.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import TableError
from ..records import Accept, Item, Record
from . import shipping
from .native import Header

NAMES = ("portugal-inside", "portugal-blend")


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
    found = shipping.read(path, Sheet)
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
    return shipping.card(text, {"counts": counts(items), "review": review(items)})


def whole(folder: Path) -> bytes:
    """The bytes of ``benchmark.jsonl``."""
    return shipping.whole(sheet(folder).header, portugal(folder))


def main(names: Sequence[str]) -> None:
    """Write ``benchmark.jsonl`` of each shipped folder named, and the parts of its ``card.md`` that are counted."""
    shipping.main(names, whole, lambda text, folder: card(text, list(portugal(folder))))


if __name__ == "__main__":
    main(sys.argv[1:] or NAMES)
