"""What adjudicators decide: accept, reject under a guideline, discuss; let a hard rule pass; and what becomes of the question.

In: a verdict on a version. Out: a decision, and the question's status. The one thing to know: the status follows from the latest word
of each adjudicator on the latest version: all agree and are enough, or it is discussed. Words on earlier versions stay in the history.

Paper: Tuguesice, section 4 (a separate team of adjudicators).
"""

import time
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from .models import Comment, Decision, Override, Person, Question, Version
from .questions import Stale, blocking, set_status, version
from .site import Site
from .texts import latest

VERDICTS = ("accept", "reject", "discuss")


class Refused(Exception):
    """A decision that cannot be taken; ``key`` is a sentence of the catalogue."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def decide(s: Session, site: Site, person: Person, question: Question, number: int, said: tuple[str, str, str]) -> Decision:
    """Write down a verdict, guideline and reason on the latest version. Raises Stale or Refused."""
    verdict, guideline, reason = said
    if question.latest != number:
        raise Stale(question.id, number)
    if question.author_id == person.id:
        raise Refused("refused.own")
    if verdict not in VERDICTS:
        raise Refused("refused.verdict")
    if verdict == "reject" and guideline not in site.guideline_ids():
        raise Refused("refused.guideline")
    current = version(s, question)
    if verdict == "accept":
        _acceptable(s, current)
    made = Decision(
        question_id=question.id, version_id=current.id, person_id=person.id, verdict=verdict,
        guideline=guideline if verdict == "reject" else "", reason=reason, at=time.time(),
    )  # fmt: skip
    s.add(made)
    s.flush()
    set_status(question, outcome(verdicts(s, current.id).values(), site.config.opinions))
    return made


def _acceptable(s: Session, current: Version) -> None:
    if not (current.stem and current.answer and current.domain):
        raise Refused("refused.unfinished")
    if blocking(s, current):
        raise Refused("refused.blocked")


def verdicts(s: Session, version_id: int) -> dict[int, str]:
    """The latest word of each adjudicator on a version."""
    found = s.execute(select(Decision.person_id, Decision.verdict).where(Decision.version_id == version_id).order_by(Decision.id))
    return dict(found.all())


def outcome(said: Iterable[str], enough: int) -> str:
    """The status that follows from the words of the adjudicators."""
    words = list(said)
    if len(set(words)) > 1 or "discuss" in words:
        return "discussion"
    if len(words) < enough:
        return "submitted"
    return "accepted" if words[0] == "accept" else "rejected"


def override(s: Session, person: Person, question: Question, number: int, criterion: str, reason: str) -> Override:
    """Let a version stand although it breaks a hard rule. Raises Stale or Refused."""
    if question.latest != number:
        raise Stale(question.id, number)
    if question.author_id == person.id:
        raise Refused("refused.own")
    if not reason:
        raise Refused("refused.reason")
    current = version(s, question)
    if criterion not in {f.criterion for f in blocking(s, current)}:
        raise Refused("refused.nothing")
    made = Override(version_id=current.id, person_id=person.id, criterion=criterion, reason=reason, at=time.time())
    s.add(made)
    s.flush()
    return made


def comment(s: Session, person: Person, question: Question, text: str) -> Comment:
    """Say something of a question; every word is kept."""
    made = Comment(question_id=question.id, person_id=person.id, number=question.latest, text=text, at=time.time())
    s.add(made)
    s.flush()
    return made


def queue(s: Session, site: Site, person: Person) -> list[tuple[Version, bool]]:
    """The latest versions that wait for adjudicators, oldest first, and whether this one has had their say on it."""
    waits = (Question.project_id == site.project, Question.status.in_(("submitted", "discussion")))
    other = (Question.author_id != person.id) | Question.author_id.is_(None)
    chosen = latest().where(*waits, other).options(selectinload(Version.question), selectinload(Version.findings))
    found = s.scalars(chosen.order_by(Question.updated, Question.id)).all()
    said = set(s.scalars(select(Decision.version_id).where(Decision.person_id == person.id)))
    return [(v, v.id in said) for v in found]
