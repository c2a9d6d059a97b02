"""Questions as they are written: forms, versions, and the rule that nobody overwrites anybody.

In: what a form says and the version that it was opened on. Out: versions. The one thing to know: a save names the version that it
builds on, and is refused as :class:`Stale` where another stands there by now; both texts are then shown.
"""

import time
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from ..records import Judgment
from .models import Comment, Decision, Finding, Override, Person, Question, Version
from .site import Site
from .texts import Text, latest

EDITABLE = ("draft", "submitted", "discussion", "rejected")
"""Statuses in which an author may write another version."""


class Stale(Exception):
    """Another version was written since the form was opened."""

    def __init__(self, question: int, number: int) -> None:
        super().__init__(question, number)
        self.question, self.number = question, number


def create(s: Session, site: Site, author: Person, key: str, text: Text, *, seconds: float, findings: Sequence[Judgment]) -> Question:
    """Write a first version; a form that is sent twice gives the question that it made. Raises Stale where it says something else now."""
    known = s.scalar(select(Question).where(Question.project_id == site.project, Question.key == f"{author.id}:{key}"))
    if known and Text.of(version(s, known)) != text:
        raise Stale(known.id, 0)
    if known:
        return known
    now = time.time()
    question = Question(
        project_id=site.project, author_id=author.id, key=f"{author.id}:{key}", status="draft", latest=0, created=now, updated=now
    )  # fmt: skip
    s.add(question)
    s.flush()
    add_version(s, question, text, by=author.id, seconds=seconds, findings=findings)
    return question


def revise(s: Session, question: Question, base: int, text: Text, *, by: int, seconds: float, findings: Sequence[Judgment]) -> Version:
    """Write the next version on top of ``base``; the same words make none. Raises Stale."""
    if question.latest != base:
        raise Stale(question.id, base)
    current = version(s, question)
    if Text.of(current) == text:
        told = {(f.criterion, f.note) for f in current.findings}
        s.add_all(_finding(current.id, j) for j in findings if (j.criterion, j.note) not in told)
        s.flush()
        s.expire(current, ["findings"])
        return current
    return add_version(s, question, text, by=by, seconds=seconds, findings=findings, carried=current.carried)


def add_version(s: Session, question: Question, text: Text, *, by: int | None, seconds: float = 0.0, findings: Sequence[Judgment] = (),
                carried: dict[str, Any] | None = None) -> Version:  # fmt: skip
    question.latest += 1
    question.updated = time.time()
    made = Version(
        question_id=question.id, number=question.latest, person_id=by, stem=text.stem, answer=text.answer, variants=list(text.variants),
        domain=text.domain, note=text.note, carried=carried or {}, seconds=seconds, created=question.updated,
    )  # fmt: skip
    s.add(made)
    s.flush()
    s.add_all(_finding(made.id, judgment) for judgment in findings)
    s.flush()
    return made


def _finding(version_id: int, j: Judgment) -> Finding:
    return Finding(version_id=version_id, judge=j.judge, criterion=j.criterion, value=j.value, guideline=j.guideline, note=j.note)


def set_status(question: Question, status: str) -> None:
    question.status = status
    question.updated = time.time()


def own(s: Session, site: Site, person: Person, key: int, *, lock: bool = False) -> Question | None:
    """A question that this person wrote."""
    chosen = select(Question).where(Question.id == key, Question.project_id == site.project, Question.author_id == person.id)
    return s.scalar(chosen.with_for_update() if lock else chosen)


def judged(s: Session, site: Site, key: int, *, lock: bool = False) -> Question | None:
    """A question that an adjudicator may see: whoever wrote it, but never a draft."""
    chosen = select(Question).where(Question.id == key, Question.project_id == site.project, Question.status != "draft")
    return s.scalar(chosen.with_for_update() if lock else chosen)


def version(s: Session, question: Question, number: int = 0) -> Version:
    """A version of a question with its findings and probes, the latest if no number is given."""
    chosen = select(Version).where(Version.question_id == question.id, Version.number == (number or question.latest))
    return s.scalars(chosen.options(selectinload(Version.findings), selectinload(Version.probes))).one()


def blocking(s: Session, current: Version) -> list[Finding]:
    """The hard rules that a version breaks and that no adjudicator has let pass."""
    passed = set(s.scalars(select(Override.criterion).where(Override.version_id == current.id)))
    return [f for f in current.findings if f.value == "error" and f.criterion not in passed]


def mine(s: Session, site: Site, person: Person) -> list[Version]:
    """The latest versions of what a person wrote, the last one first."""
    chosen = latest().where(Question.project_id == site.project, Question.author_id == person.id)
    return list(s.scalars(chosen.options(selectinload(Version.question)).order_by(Question.updated.desc(), Question.id.desc())))


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was written and said of a question, and who did."""

    versions: list[Version]
    decisions: list[Decision]
    overrides: list[Override]
    comments: list[Comment]
    names: dict[int, str]


def history(s: Session, site: Site, question: Question) -> History:
    """All of a question, each kind in its order."""
    versions = s.scalars(
        select(Version).where(Version.question_id == question.id).order_by(Version.number)
        .options(selectinload(Version.findings), selectinload(Version.probes))
    ).all()  # fmt: skip
    decisions = s.scalars(select(Decision).where(Decision.question_id == question.id).order_by(Decision.id)).all()
    overrides = s.scalars(select(Override).where(Override.version_id.in_([v.id for v in versions])).order_by(Override.id)).all()
    comments = s.scalars(select(Comment).where(Comment.question_id == question.id).order_by(Comment.id)).all()
    return History(
        versions=list(versions), decisions=list(decisions), overrides=list(overrides), comments=list(comments), names=names(s, site)
    )  # fmt: skip


def names(s: Session, site: Site) -> dict[int, str]:
    """The pseudonyms of a project."""
    return dict(s.execute(select(Person.id, Person.pseudonym).where(Person.project_id == site.project)).all())
