"""The tables of the database: projects, people, questions with their versions, and everything that was said of them.

In: nothing. Out: mapped classes. The one thing to know: a row of Version, Finding, Decision, Override, Comment, Probe or Mark is
written once and never changed; only a question's ``status`` and ``latest``, a person's settings and a session's times are.
Times are seconds since 1970, UTC.
"""

from typing import Any

from sqlalchemy import JSON, Boolean, Float, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

ROLES = ("annotator", "adjudicator", "owner")
STATUSES = ("draft", "submitted", "discussion", "accepted", "rejected")


class Base(DeclarativeBase):
    type_annotation_map = {str: Text, float: Float, dict[str, Any]: JSON, list[str]: JSON}


def _key() -> Mapped[int]:
    return mapped_column(Integer, primary_key=True)


def _of(table: str, **more: Any) -> Any:
    return mapped_column(Integer, ForeignKey(f"{table}.id"), index=True, **more)


class Project(Base):
    """A workspace. ``secret`` signs what is sent to browsers and comes back."""

    __tablename__ = "projects"
    id: Mapped[int] = _key()
    name: Mapped[str] = mapped_column(String(200), unique=True)
    secret: Mapped[str]
    created: Mapped[float]


class Person(Base):
    """Somebody, under a pseudonym; the e-mail address is theirs and leaves in no table."""

    __tablename__ = "people"
    __table_args__ = (UniqueConstraint("project_id", "pseudonym"),)
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects")
    pseudonym: Mapped[str] = mapped_column(String(60))
    email: Mapped[str] = mapped_column(Text, default="")
    password: Mapped[str]
    role: Mapped[str] = mapped_column(String(20))
    lang: Mapped[str] = mapped_column(String(10), default="")
    active: Mapped[bool] = mapped_column(Boolean, default=True)
    trained: Mapped[float] = mapped_column(Float, default=0.0)
    created: Mapped[float]


class Invitation(Base):
    """A link that works once. With ``person_id`` it sets a new password of somebody who is here already."""

    __tablename__ = "invitations"
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects")
    token: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the link's secret: the link cannot be read from here."""
    role: Mapped[str] = mapped_column(String(20))
    note: Mapped[str] = mapped_column(Text, default="")
    person_id: Mapped[int | None] = _of("people", nullable=True)
    created_by: Mapped[int | None] = _of("people", nullable=True)
    created: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float] = mapped_column(Float, default=0.0)


class Sitting(Base):
    """A browser that is signed in; the cookie's secret is kept as its SHA-256."""

    __tablename__ = "sittings"
    token: Mapped[str] = mapped_column(String(64), primary_key=True)
    person_id: Mapped[int] = _of("people")
    created: Mapped[float]
    expires: Mapped[float]


class Attempt(Base):
    """A sign-in that failed; ``key`` is a hash of who tried from where."""

    __tablename__ = "attempts"
    __table_args__ = (Index("ix_attempts_key_at", "key", "at"),)
    id: Mapped[int] = _key()
    key: Mapped[str] = mapped_column(String(64))
    at: Mapped[float]


class Question(Base):
    """What is written and decided about; its words are in its versions."""

    __tablename__ = "questions"
    __table_args__ = (UniqueConstraint("project_id", "key"), Index("ix_questions_status", "project_id", "status"))
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects")
    author_id: Mapped[int | None] = _of("people", nullable=True)
    key: Mapped[str] = mapped_column(String(80))
    """Given by the form, so that a form that is sent twice makes one question."""
    status: Mapped[str] = mapped_column(String(20), default="draft")
    latest: Mapped[int] = mapped_column(Integer, default=1)
    created: Mapped[float]
    updated: Mapped[float]
    versions: Mapped[list["Version"]] = relationship(order_by="Version.number", back_populates="question")


class Version(Base):
    """One state of a question's words. ``carried`` holds the fields of an item that came from a table."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("question_id", "number"),)
    id: Mapped[int] = _key()
    question_id: Mapped[int] = _of("questions")
    number: Mapped[int] = mapped_column(Integer)
    person_id: Mapped[int | None] = _of("people", nullable=True)
    stem: Mapped[str]
    answer: Mapped[str]
    variants: Mapped[list[str]]
    domain: Mapped[str]
    note: Mapped[str]
    carried: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    seconds: Mapped[float] = mapped_column(Float, default=0.0)
    probed: Mapped[float] = mapped_column(Float, default=0.0)
    created: Mapped[float]
    question: Mapped[Question] = relationship(back_populates="versions")
    findings: Mapped[list["Finding"]] = relationship(order_by="Finding.id")
    probes: Mapped[list["Probe"]] = relationship(order_by="Probe.id")


class Finding(Base):
    """What a check said of a version."""

    __tablename__ = "findings"
    id: Mapped[int] = _key()
    version_id: Mapped[int] = _of("versions")
    judge: Mapped[str]
    criterion: Mapped[str]
    value: Mapped[str]
    guideline: Mapped[str]
    note: Mapped[str]


class Probe(Base):
    """What a model answered to a version."""

    __tablename__ = "probes"
    id: Mapped[int] = _key()
    version_id: Mapped[int] = _of("versions")
    model: Mapped[str]
    style: Mapped[str] = mapped_column(String(40))
    text: Mapped[str]
    status: Mapped[str] = mapped_column(String(20))
    right: Mapped[bool] = mapped_column(Boolean)


class Decision(Base):
    """What an adjudicator said of a version: accept, reject (with the guideline that it breaks) or discuss."""

    __tablename__ = "decisions"
    id: Mapped[int] = _key()
    question_id: Mapped[int] = _of("questions")
    version_id: Mapped[int] = _of("versions")
    person_id: Mapped[int] = _of("people")
    verdict: Mapped[str] = mapped_column(String(20))
    guideline: Mapped[str]
    reason: Mapped[str]
    at: Mapped[float]


class Override(Base):
    """An adjudicator lets a version stand although it breaks a hard rule, and says why."""

    __tablename__ = "overrides"
    id: Mapped[int] = _key()
    version_id: Mapped[int] = _of("versions")
    person_id: Mapped[int] = _of("people")
    criterion: Mapped[str]
    reason: Mapped[str]
    at: Mapped[float]


class Comment(Base):
    __tablename__ = "comments"
    id: Mapped[int] = _key()
    question_id: Mapped[int] = _of("questions")
    person_id: Mapped[int] = _of("people")
    number: Mapped[int] = mapped_column(Integer)
    text: Mapped[str]
    at: Mapped[float]


class Practice(Base):
    """What somebody answered in the training round; the first answer to each question is the one that counts."""

    __tablename__ = "practice"
    id: Mapped[int] = _key()
    person_id: Mapped[int] = _of("people")
    key: Mapped[str] = mapped_column(String(60))
    said: Mapped[str]
    right: Mapped[bool] = mapped_column(Boolean)
    at: Mapped[float]


class Task(Base):
    """A queue: the rows of a table, put to people under one guideline."""

    __tablename__ = "tasks"
    __table_args__ = (UniqueConstraint("project_id", "name"),)
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects")
    name: Mapped[str] = mapped_column(String(80))
    table: Mapped[str]
    sha256: Mapped[str] = mapped_column(String(64))
    guideline: Mapped[dict[str, Any]]
    open: Mapped[bool] = mapped_column(Boolean, default=True)
    created: Mapped[float]


class Row(Base):
    """One row of a task: the item that is judged, and what is shown of it."""

    __tablename__ = "rows"
    __table_args__ = (UniqueConstraint("task_id", "place"),)
    id: Mapped[int] = _key()
    task_id: Mapped[int] = _of("tasks")
    place: Mapped[int | None] = mapped_column(Integer)
    """Where it stands in the table; nothing for a row that the table, made anew since, holds no more. What was said of it is kept."""
    item: Mapped[str]
    prompt: Mapped[str]
    lang: Mapped[str] = mapped_column(String(35))
    shown: Mapped[str]


class Mark(Base):
    """What somebody said of a row; the latest of a person counts."""

    __tablename__ = "marks"
    id: Mapped[int] = _key()
    row_id: Mapped[int] = _of("rows")
    person_id: Mapped[int] = _of("people")
    value: Mapped[str]
    note: Mapped[str]
    seconds: Mapped[float]
    at: Mapped[float]
