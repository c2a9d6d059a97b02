"""One project being served: its configuration, database, guidelines, checks and words; what every page is given.

In: a workspace and what is plugged in. Out: a :class:`Site`. The one thing to know: there is one for a process, shared by its threads,
and nothing in it changes after the start but the list of accepted questions that the checks compare with.
"""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ..records import Guideline, Item, Judgment
from . import guides
from .config import Config, inside, load
from .database import Database
from .guides import Guidelines
from .models import Finding, Person, Project, Question, Version
from .seams import Checks, Probes, Written, field, plain_checks
from .security import token
from .texts import Text, item, latest, written

GRAVITY = {"error": 0, "warning": 1, "note": 2}


class Told(NamedTuple):
    """A finding as a page shows it."""

    value: str
    guideline: str
    note: str
    criterion: str
    field: str

    @classmethod
    def of(cls, found: Finding | Judgment, note: str = "") -> "Told":
        """Beside its field, in other words where they are given."""
        return cls(found.value, found.guideline, note or found.note, found.criterion, field(found.criterion))


class Site:
    """What the pages share."""

    def __init__(self, workspace: Path, *, checks: Checks | None = None, probes: Probes | None = None, database: str = "",
                 guidelines: Guidelines | None = None) -> None:  # fmt: skip
        self.workspace, self.config = workspace, load(workspace)
        self.checks, self.probes = checks or plain_checks, probes
        self._culture = _culture(workspace, self.config)
        self.database = Database(database or f"sqlite:///{(workspace / 'web.db').resolve().as_posix()}")
        self.database.open()
        self.project, self.secret = self._project()
        self._guidelines = guidelines or guides.guidelines(workspace, self.config)
        self._accepted: tuple[object, list[tuple[int, Item]]] = (None, [])
        self._held = threading.Lock()
        self.wake: Callable[[], None] = lambda: None
        """Called when a question was submitted: the probes have something to ask."""

    def _project(self) -> tuple[int, str]:
        name = self.workspace.resolve().name
        with self.database.writing() as s:
            found = s.scalar(select(Project).where(Project.name == name))
            if found is None:
                found = Project(name=name, secret=token(), created=time.time())
                s.add(found)
                s.flush()
            return found.id, found.secret

    def guidelines(self, lang: str) -> Sequence[Guideline]:
        """The guidelines of questions in a language of the pages."""
        return self._guidelines(lang)

    def guideline_ids(self) -> list[str]:
        return [g.id for g in self.guidelines("en")]

    def findings(self, question: Written, *, besides: int = 0, lang: str = "") -> list[Judgment]:
        """What the checks say of a question in a language of the pages, errors first.

        ``besides`` is its number, so that it is not held to be a copy of itself.
        """
        others = [item for key, item in self.accepted() if key != besides]
        told = self.checks(question, lang=self.config.lang, culture=self._culture, accepted=others, notes=lang)
        return sorted(told, key=lambda j: GRAVITY.get(j.value, 1))

    def told(self, version: Version, lang: str) -> list[Told]:
        """What was found of a version, in a language of the pages: what the checks say the same of today is said in its words.

        What was found stays found, and what is not found again keeps the words in which it was written down.
        """
        told: dict[tuple[str, str], list[str]] = {}
        if version.findings:
            again = self.findings(written(Text.of(version), self.config), besides=version.question_id, lang=lang)
            for j in again:
                told.setdefault((j.criterion, j.value), []).append(j.note)
        words = [told.get((f.criterion, f.value), []) for f in version.findings]
        return [Told.of(f, same.pop(0) if same else "") for f, same in zip(version.findings, words, strict=True)]

    def accepted(self) -> list[tuple[int, Item]]:
        """The accepted questions by number, as items; read again only when one was decided since."""
        with self.database.reading() as s:
            mine = (Question.project_id == self.project, Question.status == "accepted")
            mark = tuple(s.execute(select(func.count(), func.max(Question.updated)).where(*mine)).one())
            with self._held:
                known, items = self._accepted
            if known == mark:
                return items
            items = [(v.question_id, item(v, self.config, maker="")) for v in s.scalars(latest().where(*mine))]
        with self._held:
            self._accepted = (mark, items)
        return items

    def has_owner(self) -> bool:
        with self.database.reading() as s:
            return bool(s.scalar(select(Person.id).where(Person.project_id == self.project, Person.role == "owner", Person.active)))

    def person(self, s: Session, key: int) -> Person | None:
        """Somebody of this project."""
        return s.scalar(select(Person).where(Person.id == key, Person.project_id == self.project))


def _culture(workspace: Path, config: Config) -> str:
    """What the checks are told of the culture: a place, or a file of the workspace. Raises InputError."""
    name = config.culture or config.place
    return str(inside(workspace, "culture", name)) if name.endswith(".toml") else name
