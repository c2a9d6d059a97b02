"""Questions that are there already, opened for adjudication: a shipped benchmark, a table, what a model wrote.

In: open items. Out: submitted questions, each once. The one thing to know: what the pages do not show of an item (its maker, source,
weights) is carried along and comes out again.
"""

import time
from collections.abc import Iterable

import msgspec
from sqlalchemy import select

from ..records import Item
from .models import Question
from .questions import add_version, set_status
from .site import Site
from .texts import Text, written

_KEPT = ("lang", "place", "subset", "entity", "template", "parallel", "source", "maker", "meta")


def take(site: Site, items: Iterable[Item]) -> tuple[int, int]:
    """Open items as submitted questions; return how many were new, and how many are no open questions and were left out."""
    with site.database.reading() as s:
        known = set(s.scalars(select(Question.key).where(Question.project_id == site.project)))
    new, other = [], 0
    for each in items:
        if each.kind != "open":
            other += 1
        elif (key := f"item:{each.id}") not in known:
            known.add(key)
            text = _text(each)
            new.append((key, each, text, site.findings(written(text, site.config))))
    with site.database.writing() as s:
        for key, each, text, findings in new:
            now = time.time()
            question = Question(project_id=site.project, key=key, status="submitted", latest=0, created=now, updated=now)
            s.add(question)
            s.flush()
            add_version(s, question, text, by=None, findings=findings, carried=_carried(each))
            set_status(question, "submitted")
    return len(new), other


def _text(each: Item) -> Text:
    first, *others = [a.text for a in each.accept]
    return Text(stem=each.stem, answer=first, variants=tuple(others), domain=each.topic, note="")


def _carried(each: Item) -> dict[str, object]:
    weights = {a.text: a.weight for a in each.accept if a.weight != 1.0}
    kept = {name: msgspec.to_builtins(value) for name in _KEPT if (value := getattr(each, name))}
    return {**kept, "id": each.id, **({"weights": weights} if weights else {})}
