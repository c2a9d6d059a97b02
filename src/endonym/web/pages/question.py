"""One question with all that was written and said of it, and the talk about it.

In: a question's number. Out: its history. The one thing to know: a draft is its author's alone; adjudicators see a question from its
submission on, and another adjudicator's verdict only when they have given theirs.
"""

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import decisions, questions
from ..models import Question
from ..visit import Visit


def seen(v: Visit, s: Session, *, lock: bool = False) -> Question:
    """The question of the path, if this visitor may see it; else 404, as if it were not there."""
    key = v.number("id")
    found = questions.own(s, v.site, v.person, key, lock=lock)
    if found is None and v.may("adjudicator"):
        found = questions.judged(s, v.site, key, lock=lock)
    if found is None:
        raise HTTPException(404)
    return found


def question_page(v: Visit) -> Response:
    with v.reading() as s:
        question = seen(v, s)
        told = questions.history(s, v.site, question)
    mine = question.author_id == v.person.id
    said = {d.version_id for d in told.decisions if d.person_id == v.person.id}
    settled = question.status in ("accepted", "rejected", "discussion")
    shown = [d for d in told.decisions if settled or mine or d.version_id in said or d.person_id == v.person.id]
    findings = v.site.told(told.versions[-1], v.lang)
    return v.render("question.html", question=question, told=told, decisions=shown, mine=mine, findings=findings,
                    can_edit=mine and question.status in questions.EDITABLE)  # fmt: skip


def comment(v: Visit) -> Response:
    text = v.text("text")
    with v.writing() as s:
        question = seen(v, s)
        if text:
            decisions.comment(s, v.person, question, text)
    return v.go(f"/questions/{question.id}", done="said" if text else "")
