"""Where annotators write: the form, findings as they write, save, submit, and the list of what they wrote.

In: a form. Out: versions. The one thing to know: the text is saved before anything is said of it; a hard rule blocks the submission,
never the draft.
"""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ...records import Judgment
from .. import decisions, questions, security
from ..models import STATUSES, Question
from ..questions import Stale
from ..seams import FIELDS
from ..site import Told
from ..texts import Text, written
from ..visit import Visit


def write_page(v: Visit) -> Response:
    if gate := _untrained(v):
        return gate
    return _form(v, Text(), {"action": "/write", "key": security.token(), "base": 0, "status": "draft"})


def _untrained(v: Visit) -> Response | None:
    """Practice comes first, for annotators."""
    needed = v.site.config.training and v.person.role == "annotator" and not v.person.trained
    return v.go("/training", done="first") if needed else None


def write(v: Visit) -> Response:
    """Save a first version, and submit it where that was asked for."""
    if gate := _untrained(v):
        return gate
    text, key = Text.read(v.form), v.text("key", most=60)
    if not key:
        raise HTTPException(422)
    return _save(v, text, {"action": "/write", "key": key, "base": 0, "status": "draft"})


def edit_page(v: Visit) -> Response:
    with v.reading() as s:
        question = questions.own(s, v.site, v.person, v.number("id"))
        if question is None or question.status not in questions.EDITABLE:
            raise HTTPException(404)
        current = questions.version(s, question)
        blocked = bool(v.query("blocked")) and bool(questions.blocking(s, current))
    told = v.site.told(current, v.lang)
    place = {
        "action": f"/questions/{question.id}/edit", "key": "", "base": question.latest, "status": question.status, "id": question.id,
    }  # fmt: skip
    return _form(v, Text.of(current), place, findings=told, blocked=blocked)


def edit(v: Visit) -> Response:
    """Save the next version of one's own question."""
    key = v.number("id")
    with v.reading() as s:
        question = questions.own(s, v.site, v.person, key)
    if question is None or question.status not in questions.EDITABLE:
        raise HTTPException(404)
    place = {"action": f"/questions/{key}/edit", "key": "", "base": v.number("base"), "status": question.status, "id": key}
    return _save(v, Text.read(v.form), place)


def _save(v: Visit, text: Text, place: dict[str, Any]) -> Response:
    doing = v.form.get("do", "save")
    domains = (*v.site.config.domains, *_kept_domain(v, place))
    if problems := text.problems(domains, whole=doing != "save"):
        return _form(v, text, place, problems=problems, status=422)
    findings = _found(v, text, place.get("id", 0))
    seconds = security.since(v.site.secret, v.form.get("opened", ""))
    try:
        with v.writing() as s:
            question = _stored(v, s, text, place, seconds, findings)
            done = _moved(v, s, question, doing, again=not place["base"] and question.status != "draft")
    except Stale as stale:
        return stale_page(v, stale.question, text, f"/questions/{stale.question}/edit")
    if done == "submitted":
        v.site.wake()
    if done in ("blocked", "reason"):
        return v.go(f"/questions/{question.id}/edit?blocked=1", done=done)
    return v.go(f"/questions/{question.id}" if done != "saved" else f"/questions/{question.id}/edit", done=done)


def _kept_domain(v: Visit, place: dict[str, Any]) -> tuple[str, ...]:
    """The domain that a question came with, although the project has no such."""
    if "id" not in place:
        return ()
    with v.reading() as s:
        question = questions.own(s, v.site, v.person, place["id"]) or questions.judged(s, v.site, place["id"])
        return (questions.version(s, question).domain,) if question else ()


def _stored(v: Visit, s: Any, text: Text, place: dict[str, Any], seconds: float, findings: Any) -> Question:
    if "id" not in place:
        return questions.create(s, v.site, v.person, place["key"], text, seconds=seconds, findings=findings)
    question = questions.own(s, v.site, v.person, place["id"], lock=True)
    if question is None or question.status not in questions.EDITABLE:
        raise HTTPException(404)
    questions.revise(s, question, place["base"], text, by=v.person.id, seconds=seconds, findings=findings)
    return question


def _moved(v: Visit, s: Any, question: Question, doing: str, *, again: bool) -> str:
    """Bring a question to the status that was asked for, unless the form was sent before; say what was done."""
    if again:
        return "submitted"
    if doing == "save":
        questions.set_status(question, "draft")
        return "saved"
    blocked = questions.blocking(s, questions.version(s, question))
    if doing == "ask":
        if not (reason := v.text("reason")):
            return "reason"
        decisions.comment(s, v.person, question, reason)
        questions.set_status(question, "discussion")
        return "asked"
    if blocked:
        questions.set_status(question, "draft")
        return "blocked"
    questions.set_status(question, "submitted")
    return "submitted"


def stale_page(v: Visit, key: int, text: Text, action: str) -> Response:
    """Two people wrote at the same time: show both texts, and let this one be saved on top of the other by hand."""
    with v.reading() as s:
        question = questions.own(s, v.site, v.person, key) or questions.judged(s, v.site, key)
        if question is None or (question.author_id != v.person.id and not v.may("adjudicator")):
            raise HTTPException(404)
        theirs = questions.version(s, question)
        names = questions.names(s, v.site)
    who = names.get(theirs.person_id or 0, "")
    domains = tuple(dict.fromkeys((*v.site.config.domains, *([text.domain] if text.domain else []))))
    return v.render("stale.html", 409, mine=text, theirs=theirs, who=who, action=action, base=question.latest, domains=domains,
                    opened=security.stamp(v.site.secret))  # fmt: skip


def _found(v: Visit, text: Text, key: int) -> list[Judgment]:
    """What the checks say of a text that has been begun."""
    return v.site.findings(written(text, v.site.config), besides=key, lang=v.lang) if text.stem or text.answer else []


def _form(v: Visit, text: Text, place: dict[str, Any], *, findings: Any = (), problems: dict[str, str] | None = None, blocked: bool = False,
          status: int = 200) -> Response:  # fmt: skip
    domains = tuple(dict.fromkeys((*v.site.config.domains, *([text.domain] if text.domain else []))))
    by_field = {name: [f for f in findings if f.field == name] for name in FIELDS}
    return v.render("write.html", status, text=text, place=place, findings=by_field, problems=problems or {}, blocked=blocked,
                    domains=domains, opened=security.stamp(v.site.secret), guidelines=v.site.guidelines(v.lang))  # fmt: skip


def check(v: Visit) -> Response:
    """What the checks say of the form as it stands: a part of a page, for htmx."""
    text = Text.read(v.form)
    too_long = text.problems((*v.site.config.domains, text.domain), whole=False)
    key = v.number("id") if v.form.get("id") else 0
    shown = [] if too_long else [Told.of(j) for j in _found(v, text, key)]
    return v.render("findings.html", by_field={name: [f for f in shown if f.field == name] for name in FIELDS}, problems=too_long)


def mine(v: Visit) -> Response:
    with v.reading() as s:
        rows = questions.mine(s, v.site, v.person)
    counts = {status: sum(r.question.status == status for r in rows) for status in STATUSES}
    return v.render("mine.html", rows=rows, counts=counts)


def guidelines(v: Visit) -> Response:
    return v.render("guidelines.html", guidelines=v.site.guidelines(v.lang))
