"""The practice round as pages: a question, a choice, an explanation.

In: choices. Out: pages. The one thing to know: the explanation is shown on the page that answers the form, and stays in the list below.
"""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from .. import training
from ..visit import Visit


def training_page(v: Visit) -> Response:
    return _page(v, "")


def _page(v: Visit, told: str) -> Response:
    given = training.exercises(v.site.workspace, v.lang)
    with v.reading() as s:
        answers = training.answers(s, v.person)
    todo = [e for e in given if e.id not in answers]
    done = [(e, answers[e.id]) for e in given if e.id in answers]
    last = next((pair for pair in done if pair[0].id == told), None)
    right = sum(a.right for _, a in done)
    return v.render("training.html", exercise=todo[0] if todo else None, done=done, last=last, total=len(given), right=right,
                    guidelines=v.site.guidelines(v.lang))  # fmt: skip


def practise(v: Visit) -> Response:
    """Take a choice."""
    given = training.exercises(v.site.workspace, v.lang)
    exercise = next((e for e in given if e.id == v.form.get("id")), None)
    if exercise is None or "said" not in v.form or v.form["said"] not in ("", *v.site.guideline_ids()):
        raise HTTPException(422)
    with v.writing() as s:
        training.answer(s, v.person, exercise, v.form["said"], given)
    return _page(v, exercise.id)
