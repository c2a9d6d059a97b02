"""Where adjudicators decide: the queue, and the page that shows a question beside what was found of it.

In: verdicts. Out: decisions, versions, exceptions. The one thing to know: each form names the version that it was opened on, and a
decision on a text that changed meanwhile is not taken.
"""

from sqlalchemy.orm import Session, selectinload
from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import decisions, questions, security
from ..decisions import Refused
from ..models import Question, Version
from ..near import near
from ..questions import Stale
from ..texts import Text, latest, written
from ..visit import Visit
from .write import stale_page


def queue(v: Visit) -> Response:
    with v.reading() as s:
        rows = decisions.queue(s, v.site, v.person)
    return v.render("queue.html", rows=[r for r, said in rows if not said or r.question.status == "discussion"],
                    waiting=[r for r, said in rows if said and r.question.status != "discussion"])  # fmt: skip


def _found(v: Visit, s: Session, *, lock: bool = False) -> Question:
    question = questions.judged(s, v.site, v.number("id"), lock=lock)
    if question is None:
        raise HTTPException(404)
    return question


def adjudicate_page(v: Visit) -> Response:
    return _page(v)


def _page(v: Visit, problem: str = "", status: int = 200) -> Response:
    with v.reading() as s:
        question = _found(v, s)
        told = questions.history(s, v.site, question)
        current = told.versions[-1]
        open_errors = {f.criterion for f in questions.blocking(s, current)}
        close = near(current.stem, _others(v, s, question))
    findings = v.site.told(current, v.lang)
    mine = [d for d in told.decisions if d.person_id == v.person.id and d.version_id == current.id]
    others = [d for d in told.decisions if d.person_id != v.person.id and d.version_id == current.id]
    domains = tuple(dict.fromkeys((*v.site.config.domains, *([current.domain] if current.domain else []))))
    return v.render(
        "adjudicate.html", status, question=question, told=told, current=current, findings=findings, open_errors=open_errors, near=close,
        mine=mine, others=others if mine or question.status == "discussion" else [], hidden=len(others), domains=domains, problem=problem,
        own=question.author_id == v.person.id, guidelines=v.site.guidelines(v.lang), opened=security.stamp(v.site.secret),
        said=v.form, probing=bool(v.site.probes) and not current.probed,
    )  # fmt: skip


def _others(v: Visit, s: Session, question: Question) -> list[tuple[int, str, str]]:
    chosen = latest().where(Question.project_id == v.site.project, Question.status != "draft", Question.id != question.id)
    found = s.execute(chosen.with_only_columns(Question.id, Version.stem, Question.status))
    return [(key, stem, status) for key, stem, status in found]


def decide(v: Visit) -> Response:
    """Take a verdict."""
    said = (v.form.get("verdict", ""), v.form.get("guideline", ""), v.text("reason"))
    return _taken(v, lambda s, q: decisions.decide(s, v.site, v.person, q, v.number("base"), said), "decided")


def override(v: Visit) -> Response:
    """Let a hard rule pass, with a reason."""
    criterion, reason = v.text("criterion", most=100), v.text("reason")
    return _taken(v, lambda s, q: decisions.override(s, v.person, q, v.number("base"), criterion, reason), "passed")


def _taken(v: Visit, act, done: str) -> Response:
    try:
        with v.writing() as s:
            question = _found(v, s, lock=True)
            act(s, question)
            status = question.status
    except Stale:
        return _page(v, v.t("refused.stale"), 409)
    except Refused as problem:
        return _page(v, v.t(problem.key), 422)
    onward = done == "decided" and status != "discussion"
    return v.go(_next(v) if onward else f"/adjudicate/{question.id}", done=done)


def _next(v: Visit) -> str:
    """The next question that waits for this adjudicator, so that the work goes on."""
    with v.reading() as s:
        waiting = [r.question_id for r, said in decisions.queue(s, v.site, v.person) if not said]
    return f"/adjudicate/{waiting[0]}" if waiting else "/adjudicate"


def edit(v: Visit) -> Response:
    """Write another version of somebody's question; it has to be decided anew."""
    text = Text.read(v.form)
    with v.reading() as s:
        question = _found(v, s)
        kept = questions.version(s, question).domain
    if question.author_id == v.person.id:
        return _page(v, v.t("refused.own"), 422)
    if problems := text.problems((*v.site.config.domains, kept), whole=True):
        return _page(v, v.t(next(iter(problems.values())), field=v.t(f"field.{next(iter(problems))}")), 422)
    findings = v.site.findings(written(text, v.site.config), besides=question.id, lang=v.lang)
    seconds = security.since(v.site.secret, v.form.get("opened", ""))
    try:
        with v.writing() as s:
            question = _found(v, s, lock=True)
            before = question.latest
            questions.revise(s, question, v.number("base"), text, by=v.person.id, seconds=seconds, findings=findings)
            if question.latest != before:
                questions.set_status(question, "submitted")
    except Stale as stale:
        return stale_page(v, stale.question, text, f"/adjudicate/{question.id}/edit")
    v.site.wake()
    return v.go(f"/adjudicate/{question.id}", done="edited")


def everything(v: Visit) -> Response:
    """All questions that adjudicators may see, by status."""
    wanted = v.query("status")
    chosen = latest().where(Question.project_id == v.site.project, Question.status != "draft")
    if wanted in ("submitted", "discussion", "accepted", "rejected"):
        chosen = chosen.where(Question.status == wanted)
    with v.reading() as s:
        rows = s.scalars(chosen.options(selectinload(Version.question)).order_by(Question.updated.desc()).limit(500)).all()
        names = questions.names(s, v.site)
    return v.render("everything.html", rows=rows, names=names, wanted=wanted)
