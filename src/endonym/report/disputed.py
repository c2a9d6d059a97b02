"""Replies to open questions that one scorer takes for right and another does not: counted by pairs of scorers, and listed.

In: a workspace. Out: for each series and pair of scorers how often only the one, only the other, both or neither found the answer,
and the replies themselves. The one thing to know: a scorer that said nothing of a reply (a judge who could not be read, a failed
call) takes no side; and a mark above 0 is a yes, as accuracy has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import polars as pl

from ..metrics import MARK
from .sample import said
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
    rows = [row for series, part in named for row in _rows(space, series, part, scorers)]
    return Disputed(scorers=scorers, pairs=pairs, rows=rows)


def _pair(part: pl.DataFrame, a: str, b: str) -> dict[str, Any]:
    one, other = pl.col(MARK + a) > 0, pl.col(MARK + b) > 0
    read = part.filter(pl.col(MARK + a).is_not_null() & pl.col(MARK + b).is_not_null())
    ways = {"both": one & other, "only_a": one & ~other, "only_b": ~one & other, "neither": ~one & ~other}
    return {"a": a, "b": b, "n": read.height, **{name: read.filter(way).height for name, way in ways.items()}}


def _rows(space: Workspace, series: Mapping[str, str], part: pl.DataFrame, scorers: Sequence[str]) -> Iterator[dict[str, Any]]:
    marks = [pl.col(MARK + name) > 0 for name in scorers]
    apart = part.filter(pl.any_horizontal(marks) & pl.any_horizontal([~mark for mark in marks]))
    path = space.answers.get(series["model"])
    replies = said(path, set(apart["prompt"])) if path and apart.height else {}
    for row in apart.iter_rows(named=True):
        item, reply = space.items[row["item"]], replies.get(row["prompt"])
        words = {name: "" if (mark := row[MARK + name]) is None else "right" if mark > 0 else "wrong" for name in scorers}
        accepted = "; ".join(answer.text for answer in item.accept)
        text = reply.text if reply else ""
        yield {**series, "item": item.id, "lang": item.lang, "question": item.stem, "accepted": accepted, "reply": text, **words}
