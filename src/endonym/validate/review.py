"""Documents are read by people before questions are made of them: language, facts, region; accept, reject, a note.

In: sources, and what checks found in them. Out: a page for each, and of the answers judgments (``accept`` or ``reject``, whatever the
words of the guideline's language are); with ``reviewed`` the sources that stay. The one thing to know: what is not accepted is listed
with its reason, and an answer that begins with neither word is unparsed: it accepts nothing.
Paper: CARTE, section 3.2 (documents are reviewed for linguistic quality, factual consistency and regional relevance).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from ..errors import InputError, TableError
from ..records import Guideline, Judgment, Message, Prompt, Response, Source
from . import guidelines as shelf

VERSION = "1"
ACCEPT, REJECT = "accept", "reject"
LONGEST = 25_000
"""Characters of a document on a page: a cell of a spreadsheet holds some 32,000. What is longer is said to be."""
_MARKS = re.compile(r"<{3,}|>{3,}")


def write(sources: Iterable[Source], findings: Iterable[Judgment] = (), *, file: Path | None = None,
          shipped: str = "document") -> Iterator[Prompt]:  # fmt: skip
    """Put every document to the reviewers with what checks found in it. ``file``: a guideline of one's own, else the ``shipped`` one."""
    told = _told(file, shipped)
    found: dict[str, list[Judgment]] = defaultdict(list)
    for each in findings:
        found[each.item].append(each)
    for source in sources:
        turns = (Message(role="user", content=page(told, source, found[source.id])),)
        yield Prompt(item=source.id, messages=turns, method=f"review:{told.guidelines[0].id}", max_tokens=128)


def _told(file: Path | None, shipped: str) -> shelf.Guidelines:
    told = shelf.find(file, shipped)
    if len(told.guidelines) != 1 or len(told.guidelines[0].answers) != 2:
        raise TableError(f"{file or shelf.shipped(shipped)}: answers: the guideline for documents has two, the first accepts")
    return told


def page(told: shelf.Guidelines, source: Source, findings: Iterable[Judgment]) -> str:
    """What a reviewer sees."""
    each = told.guidelines[0]
    examples = [*(f"{told.form.good}: {g}" for g in each.good), *(f"{told.form.bad}: {b}" for b in each.bad)]
    about = [source.id, source.title, source.place, source.topic, source.lang, *(f"{k}: {v}" for k, v in sorted(source.origin.items()))]
    noticed = [f"! {f.criterion}: {f.note}" for f in findings]
    parts = [each.question, each.advice.strip(), *examples, "", " · ".join(filter(None, about)), *noticed, told.form.material]
    return "\n".join([*parts, "<<<", _shown(source), ">>>", each.question])


def _shown(source: Source) -> str:
    text = _MARKS.sub(lambda m: ("‹" if m[0][0] == "<" else "›") * len(m[0]), source.text)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[… {len(text) - LONGEST:,} further characters do not fit a sheet: read them in {source.id}]"


def read(responses: Iterable[Response], prompts: Iterable[Prompt], *, file: Path | None = None,
         shipped: str = "document") -> Iterator[Judgment]:  # fmt: skip
    """Take every answer for a judgment; its value is ``accept`` or ``reject``, its note what follows the word."""
    told, subject = _told(file, shipped).guidelines[0], {p.id: p.item for p in prompts}
    for response in responses:
        value, note = ("", response.error) if response.error else verdict(response.text, told)
        status = "failed" if response.error else "answered" if value else "unparsed"
        yield Judgment(
            item=subject[response.prompt], judge=response.model, criterion=told.criterion, value=value, status=status, guideline=told.id,
            note=note,
        )  # fmt: skip


def verdict(text: str, told: Guideline) -> tuple[str, str]:
    """``accept`` or ``reject`` and the note; ``""`` and the whole text where it begins with neither of the guideline's words."""
    for answer, value in zip(told.answers, (ACCEPT, REJECT), strict=True):
        if found := re.match(rf"\W*{re.escape(answer)}(?![\w/|?])\W*(.*)", text, re.S | re.I):
            return value, " ".join(found[1].split())
    return "", " ".join(text.split())


def reviewed(sources: Iterable[Source], judgments: Iterable[Judgment], *, rule: Literal["all", "majority"] = "all", least: int = 1,
             skipped: list[str] | None = None) -> Iterator[Source]:  # fmt: skip
    """Keep the sources in which no check found an error and that the reviewers accept; the others are listed in ``skipped``.

    ``rule``: nobody rejects, or more accept than reject. ``least``: how many have to accept; 0 where only checks are asked.
    Raises ``InputError`` where no source is left.
    """
    said: dict[str, list[Judgment]] = defaultdict(list)
    for each in judgments:
        said[each.item].append(each)
    kept, out = 0, [] if skipped is None else skipped
    for source in sources:
        if reason := _against(said[source.id], rule, least):
            out.append(f"{source.id}: {reason}")
            continue
        kept += 1
        yield source
    if not kept:
        raise InputError(f"sources: not one document was accepted; the first: {out[0] if out else 'there was none'}")


def _against(said: list[Judgment], rule: str, least: int) -> str:
    """Why a source does not stay; empty where it does."""
    errors = [j for j in said if j.judge.startswith("check/") and j.value == "error"]
    if errors:
        return f"{errors[0].judge}: {errors[0].note}"
    votes = [j for j in said if not j.judge.startswith("check/")]
    accept, reject = ([j for j in votes if j.value == value] for value in (ACCEPT, REJECT))
    if reject and (rule == "all" or len(reject) >= len(accept)):
        return f"rejected by {', '.join(j.judge for j in reject)}: {'; '.join(j.note or 'no reason given' for j in reject)}"
    if len(accept) < least:
        unread = [f"{j.judge} wrote {j.note[:60]!r}" for j in votes if j.status == "unparsed"]
        return f"accepted by {len(accept)}, {least} needed" + (f"; {', '.join(unread)}" if unread else "")
    return ""
