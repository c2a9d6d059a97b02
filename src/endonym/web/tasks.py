"""Queues of rows put to people under one guideline: rating of translations, review of documents, override of a judge, or any other.

In: a table of the workspace (prompts, items or sources) and a guideline. Out: judgments, as a table. The one thing to know: a task is
one guideline over one table; what it is about, the guideline says.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .. import store
from ..errors import InputError
from ..records import Guideline, Item, Judgment, Prompt, Source
from .models import Mark, Person, Row, Task
from .site import Site


def tables(workspace: Path) -> list[str]:
    """The tables whose rows can be put to people, by name."""
    folder = workspace / "tables"
    return [store.table_name(folder, path) for path in store.tables(folder) if _record(path)] if folder.exists() else []


def _record(path: Path) -> type[Prompt] | type[Item] | type[Source] | None:
    """What the rows of a table are, by its first one."""
    with store.guarded(path), path.open("rb") as file:
        first = file.readline()
    for record in (Prompt, Item, Source):
        try:
            msgspec.json.decode(first, type=record)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        return record
    return None


def read(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Rows of a table as they are shown: item, prompt, language, text. Raises InputError where the table holds something else."""
    record = _record(path)
    if record is None:
        raise InputError(f"{path}: holds neither prompts nor items nor sources")
    for row in store.read(path, record):
        if isinstance(row, Prompt):
            yield row.item, row.shaped(chat=True).id, "", "\n\n".join(m.content for m in row.messages)
        elif isinstance(row, Item):
            answers = [o + (" ✓" if n == row.gold else "") for n, o in enumerate(row.options)] or [a.text for a in row.accept]
            yield row.id, "", row.lang, "\n".join([row.stem, *(f"– {a}" for a in answers)])
        else:
            yield row.id, "", row.lang, "\n\n".join(filter(None, [row.title, row.text]))


def guidelines(workspace: Path) -> dict[str, Guideline]:
    """The guidelines that a task can be under: of the workspace's own files and of those that are shipped, by ``FILE: ID``."""
    from ..validate.guidelines import FOLDER

    own = sorted({*workspace.glob("guideline*.toml"), *workspace.glob("guidelines/*.toml")})
    found = {f"{path.stem}: {g.id}": g for path in own for g in _read(path)}
    return found | {f"{path.stem}: {g.id}": g for path in sorted(FOLDER.glob("*.toml")) for g in _read(path)}


def _read(path: Path) -> Sequence[Guideline]:
    from ..errors import TableError
    from ..validate.guidelines import read as read_guidelines

    try:
        return [g for g in read_guidelines(path).guidelines if g.answers or g.scale]
    except TableError:  # another kind of file under a like name
        return []


def create(s: Session, site: Site, name: str, table: str, guideline: Guideline) -> Task:
    """Open a task over all rows of a table."""
    path, sha = _vouched(site.workspace, table)
    task = Task(project_id=site.project, name=name, table=table, sha256=sha, guideline=msgspec.to_builtins(guideline), created=time.time())
    s.add(task)
    s.flush()
    s.add_all(
        Row(task_id=task.id, place=n, item=item, prompt=prompt, lang=lang, shown=shown)
        for n, (item, prompt, lang, shown) in enumerate(read(path))
    )
    s.flush()
    return task


def _vouched(workspace: Path, table: str) -> tuple[Path, str]:
    """The file of a table and its hash."""
    if table not in tables(workspace):
        raise InputError(f"{table}: no such table")
    path = workspace / "tables" / f"{table}.jsonl"
    return path, store.vouched(path).sha256


def remade(workspace: Path, task: Task) -> bool:
    """Whether the table of a task was made anew since its rows were read."""
    found = store.manifest(workspace / "tables" / f"{task.table}.jsonl")
    return found is not None and found.sha256 != task.sha256


def reopen(s: Session, site: Site, task: Task) -> None:
    """Open a task again, over the table as it stands now.

    A row that is still there keeps what was said of it; a new one waits for a judgment; one that is there no more leaves the queue and
    the export, and is kept. Raises InputError where the table is gone.
    """
    path, sha = _vouched(site.workspace, task.table)
    known: dict[tuple[str, str, str], list[Row]] = {}
    for row in s.scalars(select(Row).where(Row.task_id == task.id).order_by(Row.id)).all():
        known.setdefault((row.item, row.prompt, row.shown), []).append(row)
        row.place = None
    s.flush()  # all places are free before they are given anew
    for n, (item, prompt, lang, shown) in enumerate(read(path)):
        if same := known.get((item, prompt, shown)):
            same.pop(0).place = n
        else:
            s.add(Row(task_id=task.id, place=n, item=item, prompt=prompt, lang=lang, shown=shown))
    task.sha256, task.open = sha, True
    s.flush()


def guideline(task: Task) -> Guideline:
    return msgspec.convert(task.guideline, Guideline)


def choices(told: Guideline) -> list[str]:
    """The values that a judgment under a guideline may have."""
    return [str(n) for n in range(told.scale[0], told.scale[1] + 1)] if told.scale else list(told.answers)


def of_project(s: Session, site: Site) -> list[tuple[Task, int]]:
    """The tasks with their numbers of rows."""
    counted = select(Task, func.count(Row.id)).outerjoin(Row, (Row.task_id == Task.id) & Row.place.is_not(None))
    chosen = counted.where(Task.project_id == site.project).group_by(Task.id).order_by(Task.id)
    return [(task, n) for task, n in s.execute(chosen)]


def done_by(s: Session, task: Task, person: Person) -> int:
    """How many rows a person has judged."""
    chosen = select(func.count(Mark.row_id.distinct())).join(Row, Row.id == Mark.row_id)
    return s.scalar(chosen.where(Row.task_id == task.id, Row.place.is_not(None), Mark.person_id == person.id)) or 0


def next_row(s: Session, task: Task, person: Person) -> Row | None:
    """The first row that a person has not judged."""
    judged = select(Mark.row_id).where(Mark.person_id == person.id)
    waiting = select(Row).where(Row.task_id == task.id, Row.place.is_not(None), Row.id.not_in(judged))
    return s.scalar(waiting.order_by(Row.place).limit(1))


def mark(s: Session, row: Row, person: Person, value: str, note: str, seconds: float) -> Mark:
    """Keep a judgment; the latest of a person counts."""
    made = Mark(row_id=row.id, person_id=person.id, value=value, note=note, seconds=seconds, at=time.time())
    s.add(made)
    s.flush()
    return made


def marks(s: Session, task: Task) -> list[tuple[Row, Mark, str]]:
    """The latest judgment of each person on each row, with their pseudonyms, in the rows' order."""
    here = (Row.task_id == task.id, Row.place.is_not(None))
    last = select(func.max(Mark.id)).join(Row, Row.id == Mark.row_id).where(*here).group_by(Mark.row_id, Mark.person_id)
    chosen = select(Row, Mark, Person.pseudonym).join(Mark, Mark.row_id == Row.id).join(Person, Person.id == Mark.person_id)
    return [(r, m, name) for r, m, name in s.execute(chosen.where(Mark.id.in_(last)).order_by(Row.place, Person.pseudonym))]


def judgments(s: Session, task: Task) -> list[Judgment]:
    """A task's judgments as rows of a table."""
    told = guideline(task)
    return [
        Judgment(item=r.item, judge=f"people/{name}", criterion=told.criterion, value=m.value, guideline=told.id, note=m.note)
        for r, m, name in marks(s, task)
    ]
