"""Questions written in TOML in, a benchmark of regions out: ``python -m endonym.build.regions france-regions``.

In: a folder with ``about.toml`` (header, seed, the text of "don't know", references by key) and ``questions/*.toml``, one file a region
(``place``, then ``[[question]]`` tables). Out: items, ``benchmark.jsonl``, and the counts and the list for reviewers in ``card.md``.
The one thing to know: within a region the right answer stands at each of the four positions as often as at any other, to within one,
and positions and order depend on the seed, the region and the questions alone, so that the bytes repeat.

Paper: CARTE, section 3.2 and table 1; the 14 topics are those of appendix C.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from ..errors import InputError, TableError, UnknownName
from ..records import Item, Record
from . import shipping
from .carte import REGIONS
from .native import Header

TOPICS = (
    "Agriculture & terroirs", "Culture, traditions & société", "Droit & politiques publiques", "Démographie",
    "Environnement & biodiversité",
    "Histoire & patrimoine", "Infrastructure & réseaux", "Institutions & gouvernance", "Langue & sciences du langage",
    "Société & réalités sociales", "Territoire & aménagement", "Transport & mobilité", "Économie & industrie", "Éducation & savoir",
)  # fmt: skip
"""The topics of CARTE, as its tables name them."""
WRONG = 3


class Reference(Record, frozen=True):
    """A public reference in which facts can be checked; ``url`` is its main page, where it has one."""

    title: str
    url: str = ""


class About(Record, frozen=True):
    """``about.toml``: the fields of the benchmark's header, and what all questions share."""

    name: str
    version: str
    canary: str
    licence: str
    languages: tuple[str, ...]
    title: str
    origin: str
    maker: str
    seed: int
    abstain: str
    sources: dict[str, Reference]

    @property
    def header(self) -> Header:
        return Header(**{name: getattr(self, name) for name in Header.__struct_fields__ if name in About.__struct_fields__})


class Question(Record, frozen=True):
    """One question as it is written and edited. ``entity`` is a slug of the fact: siblings share it. ``check`` is for a native reviewer."""

    entity: str
    topic: str
    stem: str
    right: str
    wrong: tuple[str, ...]
    source: str
    skill: Literal["recall", "comparison", "cause", "consequence", "space"]
    level: Literal["easy", "medium", "hard"]
    """The author's guess, not a measured difficulty."""
    subset: Literal["", "LV"] = ""
    where: str = ""
    """The place within the reference."""
    check: str = ""


class Sheet(Record, frozen=True):
    """One file of questions, all on one region (ISO 3166-2)."""

    place: str
    question: tuple[Question, ...]


def about(folder: Path) -> About:
    """Read ``about.toml``. Raises ``TableError`` ("FILE: field: what") and ``StorageError``."""
    return shipping.read(folder / "about.toml", About)


def sheets(folder: Path) -> Iterator[Sheet]:
    """Read the files of questions in the order of their names. Raises as ``regions`` does."""
    paths = sorted((folder / "questions").glob("*.toml"))
    if not paths:
        raise InputError(f"{folder / 'questions'}: holds no .toml file of questions")
    head, seen = about(folder), dict[str, Path]()
    for path in paths:
        sheet = shipping.read(path, Sheet)
        if sheet.place not in REGIONS:
            raise UnknownName("region", sheet.place, REGIONS)
        for question in sheet.question:
            if problem := _problem(question, head):
                raise TableError(f"{path}: {question.entity}: {problem}")
            if question.stem in seen:
                raise TableError(f"{path}: {question.entity}: stem: stands also in {seen[question.stem].name}")
            seen[question.stem] = path
        yield sheet


def _problem(question: Question, head: About) -> str:
    """What is wrong with a question beyond the types of its fields; empty where nothing is."""
    if question.topic not in TOPICS:
        return f"topic: {question.topic!r} is none of the {len(TOPICS)} topics"
    if question.source not in head.sources:
        return f"source: {question.source!r} is no reference of about.toml"
    if len(question.wrong) != WRONG:
        return f"wrong: has {len(question.wrong)} answers, expected {WRONG}"
    options = [question.right, *question.wrong, head.abstain]
    if "" in (bare := [option.strip().casefold() for option in options]) or len(set(bare)) < len(bare):
        return "right, wrong: an answer is empty or stands twice"
    return ""


def regions(folder: Path) -> Iterator[Item]:
    """Make the items of a folder, region by region, in the order of the files and of the questions in them.

    ``options`` are four answers and "don't know", which is always last (``abstain`` 4). ``meta`` has the region's name, the reference
    (``origin``, ``url``), the author's guess of difficulty, the kind of thinking asked for, and what a native speaker should check.
    Raises ``TableError`` naming file and question, ``UnknownName`` for a region, ``InputError`` and ``StorageError`` for files.
    """
    head = about(folder)
    for sheet in sheets(folder):
        places = positions(len(sheet.question), f"{head.seed}/{sheet.place}")
        for question, gold in zip(sheet.question, places, strict=True):
            yield _item(question, gold, sheet.place, head)


def positions(n: int, seed: str) -> list[int]:
    """``n`` positions of the right answer, each of the four as often as any other to within one, in an order drawn with ``seed``."""
    draw, four = random.Random(seed), list(range(WRONG + 1))
    spare = draw.sample(four, n % len(four))
    places = four * (n // len(four)) + spare
    draw.shuffle(places)
    return places


def _item(question: Question, gold: int, place: str, head: About) -> Item:
    options = list(question.wrong)
    random.Random(f"{head.seed}/{question.stem}").shuffle(options)
    options.insert(gold, question.right)
    return Item(
        stem=question.stem, options=(*options, head.abstain), gold=gold, abstain=len(options), lang=head.languages[0], place=place,
        topic=question.topic, subset=question.subset, entity=question.entity, source=question.source, maker=head.maker,
        meta=_meta(question, place, head),
    )  # fmt: skip


def _meta(question: Question, place: str, head: About) -> dict[str, str]:
    reference = head.sources[question.source]
    origin = f"{reference.title} : {question.where}" if question.where else reference.title
    meta = {"region": REGIONS[place][0], "origin": origin, "url": reference.url, "level": question.level, "skill": question.skill}
    return {key: value for key, value in {**meta, "review": question.check}.items() if value}


def counts(items: Sequence[Item]) -> str:
    """Table 1 of the paper for these items, in Markdown: topic × region, then all and the subset on linguistic variation."""
    codes = [code for code in REGIONS if any(item.place == code for item in items)]
    cells = Counter((item.topic, item.place) for item in items)
    varied = Counter(item.place for item in items if item.subset == "LV")
    rows = [(topic, [cells[topic, code] for code in codes]) for topic in TOPICS]
    rows.append(("all", [sum(item.place == code for item in items) for code in codes]))
    rows.append(("of these, LV", [varied[code] for code in codes]))
    head = f"| topic | {' | '.join(REGIONS[code][1] for code in codes)} | all |\n|---|{'--:|' * (len(codes) + 1)}\n"
    return head + "".join(f"| {name} | {' | '.join(map(str, numbers))} | {sum(numbers)} |\n" for name, numbers in rows)


def review(items: Iterable[Item]) -> str:
    """The questions on which their author left a note for native speakers, in Markdown."""
    lines = (f"- `{item.entity}` ({item.meta['region']}): {item.meta['review']}\n" for item in items if "review" in item.meta)
    return "".join(lines) or "- none\n"


def card(text: str, items: Sequence[Item]) -> str:
    """The card's text with its counts and its list for reviewers made anew. Raises ``InputError`` where a mark is missing."""
    return shipping.card(text, {"counts": counts(items), "review": review(items)})


def whole(folder: Path) -> bytes:
    """The bytes of ``benchmark.jsonl``."""
    return shipping.whole(about(folder).header, regions(folder))


def main(names: Sequence[str]) -> None:
    """Write ``benchmark.jsonl`` of each shipped folder named, and the parts of its ``card.md`` that are counted."""
    shipping.main(names, whole, lambda text, folder: card(text, list(regions(folder))))


if __name__ == "__main__":
    main(sys.argv[1:] or ["france-regions"])
