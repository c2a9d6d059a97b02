"""Tasks as pages: the list, one row at a time under its guideline, and the owner's form that opens a task.

In: values and notes. Out: pages, sheets. The one thing to know: a row is shown with the guideline's question and its answers or scale,
whatever the task is. A closed task takes no judgment; opened again, it reads its table anew.
"""

import re

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ...errors import EndonymError, InputError
from .. import security, tasks
from ..models import Person, Row, Task
from ..visit import Visit


def tasks_page(v: Visit) -> Response:
    return _page(v)


def _page(v: Visit, problem: str = "", status: int = 200) -> Response:
    with v.reading() as s:
        rows = [(task, n, tasks.done_by(s, task, v.person)) for task, n in tasks.of_project(s, v.site)]
        people = s.scalars(select(Person.pseudonym).where(Person.project_id == v.site.project).order_by(Person.pseudonym)).all()
    owner = v.may("owner")
    remade = {task.id for task, _, _ in rows if owner and tasks.remade(v.site.workspace, task)}
    return v.render("tasks.html", status, rows=rows, problem=problem, people=people, said=v.form, remade=remade,
                    tables=tasks.tables(v.site.workspace) if owner else [],
                    guidelines=list(tasks.guidelines(v.site.workspace)) if owner else [])  # fmt: skip


def create(v: Visit) -> Response:
    """Open a task."""
    name, table = v.text("name", most=60), v.text("table", most=200)
    told = tasks.guidelines(v.site.workspace).get(v.form.get("guideline", ""))
    if not re.fullmatch(r"\w[\w.-]*", name) or told is None or table not in tasks.tables(v.site.workspace):
        return _page(v, v.t("tasks.bad"), 422)
    try:
        with v.writing() as s:
            tasks.create(s, v.site, name, table, told)
    except IntegrityError:
        return _page(v, v.t("tasks.taken"), 422)
    except EndonymError as problem:  # the table is not what its manifest says
        return _page(v, str(problem), 409)
    return v.go("/tasks", done="opened")


def close(v: Visit) -> Response:
    """Take no more judgments; those that are there stay."""
    with v.writing() as s:
        _task(v, s, lock=True).open = False
    return v.go("/tasks", done="closed")


def reopen(v: Visit) -> Response:
    """Go on, with the rows that the table has now."""
    try:
        with v.writing() as s:
            tasks.reopen(s, v.site, _task(v, s, lock=True))
    except InputError:
        return _page(v, v.t("tasks.gone"), 422)
    except EndonymError as problem:
        return _page(v, str(problem), 409)
    return v.go("/tasks", done="opened")


def _task(v: Visit, s, *, lock: bool = False) -> Task:
    chosen = select(Task).where(Task.id == v.number("id"), Task.project_id == v.site.project)
    found = s.scalar(chosen.with_for_update() if lock else chosen)
    if found is None:
        raise HTTPException(404)
    return found


def task_page(v: Visit) -> Response:
    return _row(v)


def _row(v: Visit, problem: str = "", status: int = 200) -> Response:
    with v.reading() as s:
        task = _task(v, s)
        row = tasks.next_row(s, task, v.person)
        done = tasks.done_by(s, task, v.person)
        total = next(n for t, n in tasks.of_project(s, v.site) if t.id == task.id)
    told = tasks.guideline(task)
    return v.render("task.html", status, task=task, row=row, done=done, total=total, told=told, choices=tasks.choices(told),
                    problem=problem, opened=security.stamp(v.site.secret))  # fmt: skip


def judge(v: Visit) -> Response:
    """Take a judgment and show the next row."""
    value, note = v.text("value", most=200), v.text("note")
    with v.reading() as s:
        task = _task(v, s)
        row = s.scalar(select(Row).where(Row.id == v.number("row"), Row.task_id == task.id))
    if row is None:
        raise HTTPException(404)
    if not task.open:
        return _row(v, status=409)
    if value not in tasks.choices(tasks.guideline(task)):
        return _row(v, v.t("tasks.choose"), 422)
    seconds = security.since(v.site.secret, v.form.get("opened", ""))
    with v.writing() as s:
        tasks.mark(s, row, v.person, value, note, seconds)
    return v.go(f"/tasks/{task.id}", done="judged")


def sheet(v: Visit) -> Response:
    """What one person answered, as the sheet that the provider ``people`` reads."""
    name = str(v.request.path_params["pseudonym"])
    with v.reading() as s:
        task = _task(v, s)
        rows = [(r.prompt or r.item, r.shown, m.value) for r, m, who in tasks.marks(s, task) if who == name]
    headers = {"content-disposition": f'attachment; filename="{task.id}.csv"'}
    return Response(security.sheet([("prompt", "question", "answer"), *rows]), media_type="text/csv; charset=utf-8", headers=headers)
