"""The words of a question: as a form holds them, as the checks are given them, as an item.

In: a form, or a version of the database. Out: a :class:`Text`, a :class:`Written`, an item. The one thing to know: texts are cleaned
where they come in, so what is kept is what is shown and what goes out.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select

from ..records import Accept, Item
from .config import Config
from .models import Question, Version
from .seams import Written
from .security import LONGEST, clean, line, lines

LIMITS = {"stem": 1000, "answer": 400, "note": LONGEST}
"""Characters of each field."""
_CARRIED = ("subset", "entity", "template", "parallel", "source", "maker", "meta")


def latest():
    """Choose the latest versions, joined with their questions."""
    return select(Version).join(Question, (Question.id == Version.question_id) & (Question.latest == Version.number))


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What a form holds."""

    stem: str = ""
    answer: str = ""
    variants: tuple[str, ...] = ()
    domain: str = ""
    note: str = ""

    @classmethod
    def read(cls, form: dict[str, str]) -> "Text":
        """Take a form's fields, cleaned."""
        variants = tuple(v for v in lines(form.get("variants", "")) if v != line(form.get("answer", "")))
        return cls(
            stem=line(form.get("stem", "")), answer=line(form.get("answer", "")), variants=variants, domain=line(form.get("domain", "")),
            note=clean(form.get("note", "")),
        )  # fmt: skip

    @classmethod
    def of(cls, version: Version) -> "Text":
        return cls(
            stem=version.stem, answer=version.answer, variants=tuple(version.variants), domain=version.domain, note=version.note,
        )  # fmt: skip

    def problems(self, domains: Sequence[str], *, whole: bool) -> dict[str, str]:
        """Field → key of the catalogue: what cannot be saved; and where the question has to be whole, what is missing."""
        found = {name: "error.field.long" for name, most in LIMITS.items() if len(getattr(self, name)) > most}
        if len(self.variants) > 40 or any(len(v) > 400 for v in self.variants):
            found["variants"] = "error.field.long"
        if self.domain and self.domain not in domains:
            found["domain"] = "error.field.unknown"
        if whole:
            found |= {name: "error.field.empty" for name in ("stem", "answer", "domain") if not getattr(self, name)}
        return found


def written(text: Text, config: Config) -> Written:
    """What the checks are given."""
    accept = tuple(Accept(text=a) for a in (text.answer, *text.variants) if a)
    return Written(stem=text.stem, accept=accept, lang=config.lang, place=config.place, topic=text.domain)


def item(version: Version, config: Config, *, maker: str) -> Item:
    """A version as an item. What came from a table keeps its maker, source and weights; another text names it as its parent."""
    carried = dict(version.carried)
    weights, was = carried.get("weights", {}), carried.get("id", "")
    accept = tuple(Accept(text=a, weight=weights.get(a, 1.0)) for a in (version.answer, *version.variants))
    kept: dict[str, Any] = {name: carried[name] for name in _CARRIED if name in carried}
    place, lang = carried.get("place", config.place), carried.get("lang", config.lang)
    found = Item(
        stem=version.stem, kind="open", accept=accept, lang=lang, place=place, topic=version.domain, **{"maker": maker, **kept}
    )  # fmt: skip
    return msgspec.structs.replace(found, parent=was) if was and was != found.id else found
