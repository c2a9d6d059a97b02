"""How the work stands: what each person wrote and what became of it, which guidelines were broken, domains, agreement, probes.

In: the database. Out: rows of numbers. The one thing to know: agreement is of the first word of each adjudicator on each version, before
they could see what the others said.

Paper: Tuguesice, sections 3 and 4.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..errors import EndonymError
from ..records import Estimate, Judgment
from .models import STATUSES, Decision, Mark, Person, Probe, Question, Row, Task, Version
from .site import Site
from .texts import latest


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """One person's questions. ``minutes`` is the mean time spent on one; nothing where no time is known."""

    name: str
    counts: dict[str, int]
    acceptance: float | None
    minutes: float | None
    guidelines: dict[str, int]


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """How a domain is covered."""

    name: str
    accepted: int
    waiting: int


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """How a model fares on the accepted questions in one style; failed calls are counted apart and are no wrong answers."""

    model: str
    style: str
    right: int
    answered: int
    failed: int


def statuses(s: Session, site: Site) -> dict[str, int]:
    """Questions by status, all statuses."""
    chosen = select(Question.status, func.count()).where(Question.project_id == site.project).group_by(Question.status)
    found = dict(s.execute(chosen).all())
    return {status: found.get(status, 0) for status in STATUSES}


def authors(s: Session, site: Site, only: Person | None = None) -> list[Author]:
    """Each person who wrote something, by pseudonym; ``only`` for one."""
    people = select(Person).where(Person.project_id == site.project).order_by(Person.pseudonym)
    chosen = people.where(Person.id == only.id) if only else people
    rows = s.execute(select(Question.author_id, Question.status, func.count()).where(Question.project_id == site.project)
                     .group_by(Question.author_id, Question.status)).all()  # fmt: skip
    times = s.execute(select(Question.author_id, func.sum(Version.seconds), func.count(Question.id.distinct()))
                      .join(Version, (Version.question_id == Question.id) & (Version.person_id == Question.author_id))
                      .where(Question.project_id == site.project, Version.seconds > 0).group_by(Question.author_id)).all()  # fmt: skip
    spent = {who: seconds / n / 60 for who, seconds, n in times}
    broken = _broken(s, site)
    found = []
    for person in s.scalars(chosen):
        counts = {status: sum(n for who, st, n in rows if who == person.id and st == status) for status in STATUSES}
        if any(counts.values()):
            found.append(Author(
                name=person.pseudonym, counts=counts, acceptance=_share(counts["accepted"], counts["rejected"]),
                minutes=spent.get(person.id), guidelines=broken.get(person.id, {}),
            ))  # fmt: skip
    return found


def _share(accepted: int, rejected: int) -> float | None:
    return accepted / (accepted + rejected) if accepted + rejected else None


def _broken(s: Session, site: Site) -> dict[int | None, dict[str, int]]:
    """Author → guideline → versions that were rejected under it, each once."""
    chosen = (
        select(Question.author_id, Decision.guideline, func.count(Decision.version_id.distinct()))
        .join(Question, Question.id == Decision.question_id)
        .where(Question.project_id == site.project, Decision.verdict == "reject")
        .group_by(Question.author_id, Decision.guideline)
    )
    found: dict[int | None, dict[str, int]] = {}
    for who, guideline, n in s.execute(chosen):
        found.setdefault(who, {})[guideline] = n
    return found


def guidelines(authors_: Sequence[Author]) -> list[tuple[str, int]]:
    """Rejections by guideline, the most frequent first."""
    total: Counter[str] = Counter()
    for author in authors_:
        total.update(author.guidelines)
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))


def domains(s: Session, site: Site) -> list[Domain]:
    """Every domain of the project, also those with nothing; then others that questions came with."""
    chosen = latest().where(Question.project_id == site.project, Question.status.in_(("accepted", "submitted", "discussion")))
    rows = [(domain, status) for domain, status in s.execute(chosen.with_only_columns(Version.domain, Question.status))]
    counted = Counter(rows)
    names = dict.fromkeys((*site.config.domains, *sorted({domain for domain, _ in rows})))
    return [
        Domain(name=name, accepted=counted[name, "accepted"], waiting=counted[name, "submitted"] + counted[name, "discussion"])
        for name in names
    ]


def probes(s: Session, site: Site) -> list[Probed]:
    """What the models made of the accepted questions."""
    chosen = (
        select(Probe.model, Probe.style, Probe.status, Probe.right, func.count())
        .join(Version, Version.id == Probe.version_id)
        .join(Question, (Question.id == Version.question_id) & (Question.latest == Version.number))
        .where(Question.project_id == site.project, Question.status == "accepted")
        .group_by(Probe.model, Probe.style, Probe.status, Probe.right)
    )
    rows = s.execute(chosen).all()
    pairs = sorted({(model, style) for model, style, *_ in rows})
    return [
        Probed(
            model=model, style=style, right=sum(n for m, st, _, right, n in rows if (m, st) == (model, style) and right),
            answered=sum(n for m, st, status, _, n in rows if (m, st) == (model, style) and status != "failed"),
            failed=sum(n for m, st, status, _, n in rows if (m, st) == (model, style) and status == "failed"),
        )
        for model, style in pairs
    ]  # fmt: skip


def first_words(s: Session, site: Site) -> list[Judgment]:
    """The first verdict of each adjudicator on each version."""
    firsts = select(func.min(Decision.id)).group_by(Decision.version_id, Decision.person_id)
    chosen = (
        select(Decision.version_id, Person.pseudonym, Decision.verdict).join(Person, Person.id == Decision.person_id)
        .where(Person.project_id == site.project, Decision.id.in_(firsts)).order_by(Decision.id)
    )  # fmt: skip
    return [Judgment(item=str(v), judge=f"people/{who}", criterion="accept", value=said) for v, who, said in s.execute(chosen)]


def agreement(judgments: Sequence[Judgment]) -> tuple[list[Estimate], str]:
    """α and κ with their intervals, or why there are none."""
    if len({j.judge for j in judgments}) < 2:
        return [], "agreement.alone"
    try:
        from ..validate.agreement import agreement as measured

        return list(measured(judgments, draws=100)), ""
    except (EndonymError, ImportError):
        return [], "agreement.missing"


def task_words(s: Session, site: Site) -> list[tuple[str, list[Judgment]]]:
    """The latest judgments of each task: name, rows."""
    last = select(func.max(Mark.id)).group_by(Mark.row_id, Mark.person_id)
    chosen = (
        select(Task.name, Row.item, Person.pseudonym, Mark.value).join(Row, Row.task_id == Task.id).join(Mark, Mark.row_id == Row.id)
        .join(Person, Person.id == Mark.person_id)
        .where(Task.project_id == site.project, Row.place.is_not(None), Mark.id.in_(last)).order_by(Mark.id)
    )  # fmt: skip
    found: dict[str, list[Judgment]] = {}
    for name, item, who, value in s.execute(chosen):
        found.setdefault(name, []).append(Judgment(item=item, judge=f"people/{who}", criterion=name, value=value))
    return list(found.items())
