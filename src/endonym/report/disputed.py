"""Replies to open questions that one scorer takes for right and another does not: counted by pairs of scorers, and listed.

In: a workspace. Out: for each series and pair of scorers how often only the one, only the other, both or neither found the answer,
and the replies themselves. The one thing to know: a scorer that said nothing of a reply (a judge who could not be read, a failed
call) takes no side; and a mark above 0 is a yes, as accuracy has it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import polars as pl

from ..metrics import MARK
from .sample import Said, said
from .workspace import Workspace

SHOWN = 200
"""Rows that the page shows; the file holds all."""


class Disputed(msgspec.Struct, kw_only=True, frozen=True):
    """What two scorers made of the same replies, and the replies on which any two differ, word for word."""

    scorers: list[str]
    pairs: list[dict[str, Any]]
    """Series, scorers ``a`` and ``b``, replies that both read (``n``), ``both``, ``only_a``, ``only_b``, ``neither``."""
    rows: list[dict[str, Any]]
    """Series, item, language, question, accepted answers, reply, then scorer → "right", "wrong" or ""."""


def disputed(space: Workspace) -> Disputed:
    """Compare the scorers of open answers; both lists are empty where there are fewer than two."""
    scorers = [name.removeprefix(MARK) for name in space.scores.columns if name.startswith(MARK)]
    if len(scorers) < 2:
        return Disputed(scorers=scorers, pairs=[], rows=[])
    parts = space.scores.partition_by(space.series, as_dict=True, maintain_order=True)
    named = [(dict(zip(space.series, map(str, key), strict=True)), parts[key]) for key in sorted(parts, key=str)]
    pairs = [{**series, **_pair(part, a, b)} for series, part in named for a, b in combinations(scorers, 2)]
    rows = list(_rows(space, named, scorers))
    return Disputed(scorers=scorers, pairs=pairs, rows=rows)


def _pair(part: pl.DataFrame, a: str, b: str) -> dict[str, Any]:
    one, other = pl.col(MARK + a) > 0, pl.col(MARK + b) > 0
    read = part.filter(pl.col(MARK + a).is_not_null() & pl.col(MARK + b).is_not_null())
    ways = {"both": one & other, "only_a": one & ~other, "only_b": ~one & other, "neither": ~one & ~other}
    return {"a": a, "b": b, "n": read.height, **{name: read.filter(way).height for name, way in ways.items()}}


def _rows(space: Workspace, named: Sequence[tuple[dict[str, str], pl.DataFrame]], scorers: Sequence[str]) -> Iterator[dict[str, Any]]:
    apart = [(series, _apart(part, scorers)) for series, part in named]
    wanted: dict[str, set[str]] = defaultdict(set)
    for series, part in apart:
        wanted[series["model"]].update(part["prompt"])
    # A model's table of replies is read once, however many series it has.
    replies = {model: said(space.answers[model], prompts) for model, prompts in wanted.items() if prompts and model in space.answers}
    for series, part in apart:
        yield from (_row(space, series, row, replies.get(series["model"], {}), scorers) for row in part.iter_rows(named=True))


def _apart(part: pl.DataFrame, scorers: Sequence[str]) -> pl.DataFrame:
    marks = [pl.col(MARK + name) > 0 for name in scorers]
    return part.filter(pl.any_horizontal(marks) & pl.any_horizontal([~mark for mark in marks]))


def _row(
    space: Workspace, series: Mapping[str, str], row: Mapping[str, Any], replies: Mapping[str, Said], scorers: Sequence[str]
) -> dict[str, Any]:
    item, reply = space.items[row["item"]], replies.get(row["prompt"])
    words = {name: "" if (mark := row[MARK + name]) is None else "right" if mark > 0 else "wrong" for name in scorers}
    accepted = "; ".join(answer.text for answer in item.accept)
    text = reply.text if reply else ""
    return {**series, "item": item.id, "lang": item.lang, "question": item.stem, "accepted": accepted, "reply": text, **words}
