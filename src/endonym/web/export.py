"""What people wrote and decided, as tables like any other: ``items``, ``judgments``, and one of judgments for each task.

In: the database and a workspace. Out: tables with manifests. The one thing to know: pseudonyms go out, addresses never; the order is
that of the questions, so the same state makes the same bytes. A table that another stage made is never written over.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from .. import store
from ..errors import InputError
from ..records import Item, Judgment, Manifest, digest
from . import tasks
from .models import Decision, Override, Question, Version
from .questions import names
from .security import sheet
from .site import Site
from .texts import item, latest

VERSION = "1"
STAGE = "web.export"
HEAD = ("question", "status", "version", "author", "domain", "stem", "answer", "variants", "note", "guideline", "reason")


def items(s: Session, site: Site) -> list[Item]:
    """The accepted questions, by number."""
    who = names(s, site)
    return [item(v, site.config, maker=_maker(v, who)) for v in _versions(s, site, "accepted")]


def _versions(s: Session, site: Site, *statuses: str) -> list[Version]:
    chosen = latest().where(Question.project_id == site.project, Question.status.in_(statuses)).order_by(Question.id)
    return list(s.scalars(chosen.options(selectinload(Version.question), selectinload(Version.findings), selectinload(Version.probes))))


def _maker(version: Version, who: dict[int, str]) -> str:
    return f"people/{who[version.question.author_id]}" if version.question.author_id else ""


def judgments(s: Session, site: Site) -> Iterator[Judgment]:
    """Every decision on every whole version, what the checks say of the accepted ones, and which hard rules were let pass.

    Criterion ``accept``: accept, reject or discuss. A judgment of a version that is not in ``items`` names the item that it would be.
    """
    who = names(s, site)
    chosen = select(Version).join(Question, Question.id == Version.question_id)
    chosen = chosen.where(Question.project_id == site.project, Question.status != "draft").order_by(Version.question_id, Version.number)
    decided, passed = _by_version(s, Decision), _by_version(s, Override)
    for v in s.scalars(chosen.options(selectinload(Version.question), selectinload(Version.findings))):
        if not (v.stem.strip() and v.answer.strip()):
            continue
        about = item(v, site.config, maker="").id
        for d in decided.get(v.id, []):
            yield _said(about, f"people/{who[d.person_id]}", "accept", d.verdict, d.guideline, d.reason)
        for o in passed.get(v.id, []):
            yield _said(about, f"people/{who[o.person_id]}", f"override:{o.criterion}", "override", "", o.reason)
        if v.question.status == "accepted" and v.number == v.question.latest:
            yield from (_said(about, f.judge, f.criterion, f.value, f.guideline, f.note) for f in v.findings)


def _said(about: str, judge: str, criterion: str, *said: str) -> Judgment:
    value, guideline, note = said
    return Judgment(item=about, judge=judge, criterion=criterion, value=value, guideline=guideline, note=note)


def _by_version(s: Session, record: Any) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for row in s.scalars(select(record).order_by(record.id)):
        found.setdefault(row.version_id, []).append(row)
    return found


def export(site: Site, *, items_table: str = "items", judgments_table: str = "judgments", wait: float = 10.0) -> dict[str, Manifest]:
    """Write the tables of a project; return their manifests by name.

    Raises InputError where a table of that name was made by another stage, Busy where another process holds the workspace.
    """
    with site.database.reading() as s:
        made: dict[str, tuple[list[Any], dict[str, str]]] = {items_table: (items(s, site), {})}
        made[judgments_table] = (list(judgments(s, site)), {})
        for task, _ in tasks.of_project(s, site):
            made[f"judged/{task.name}"] = (tasks.judgments(s, task), {f"rows:{task.table}": task.sha256})
    folder = site.workspace / "tables"
    with store.lock(site.workspace, timeout=wait):
        for name in made:
            _hold(folder / f"{name}.jsonl")
        return {name: _write(folder / f"{name}.jsonl", rows, inputs) for name, (rows, inputs) in made.items()}


def _hold(path: Path) -> None:
    found = store.manifest(path)
    if (found and found.stage != STAGE) or (found is None and path.exists()):
        raise InputError(f"{path}: is of {found.stage if found else 'another hand'}; name another table, or move it away")


def _write(path: Path, rows: Iterable[Any], inputs: dict[str, str]) -> Manifest:
    """The database is no file that could be hashed: what was read of it is."""
    listed = list(rows)
    return store.write(path, listed, Manifest(stage=STAGE, inputs={**inputs, "file:database": digest(listed, 64)}, version=VERSION))


def listing(s: Session, site: Site) -> bytes:
    """All questions but drafts as a sheet (CSV) that is safe to open."""
    who = names(s, site)
    decided = _by_version(s, Decision)
    rows: list[tuple[object, ...]] = [HEAD]
    for v in _versions(s, site, "submitted", "discussion", "accepted", "rejected"):
        last = decided.get(v.id, [None])[-1]
        author = who.get(v.question.author_id or 0, "") or str(v.carried.get("maker", ""))
        rows.append((
            v.question_id, v.question.status, v.number, author, v.domain, v.stem, v.answer, " | ".join(v.variants), v.note,
            last.guideline if last else "", last.reason if last else "",
        ))  # fmt: skip
    return sheet(rows)
