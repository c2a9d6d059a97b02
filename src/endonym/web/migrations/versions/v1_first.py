"""The first schema: people, questions with versions, what was said of them, tasks.

In: an empty database. Out: its tables. The one thing to know: this is how the tables were at that time; it does not follow ``models``.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None

_TEXT, _INT, _FLOAT, _BOOL, _JSON = sa.Text(), sa.Integer(), sa.Float(), sa.Boolean(), sa.JSON()


def _table(name: str, /, *, of: str = "", unique: tuple[str, ...] = (), empty: tuple[str, ...] = (), **columns: Any) -> None:
    """A table with an integer key; ``of`` names the columns that lead to other tables, as ``person_id:people?`` (may be empty)."""
    made: list[Any] = [sa.Column("id", _INT, nullable=False), sa.PrimaryKeyConstraint("id")]
    keys = [(column, table.rstrip("?"), table.endswith("?")) for column, _, table in (k.partition(":") for k in of.split())]
    for column, table, free in keys:
        made += [sa.Column(column, _INT, nullable=free), sa.ForeignKeyConstraint([column], [f"{table}.id"])]
    made += [sa.Column(column, kind, nullable=column in empty) for column, kind in columns.items()]
    made += [sa.UniqueConstraint(*each.split()) for each in unique]
    op.create_table(name, *made)
    for column, _, _ in keys:
        op.create_index(f"ix_{name}_{column}", name, [column])


def _short(length: int) -> sa.String:
    return sa.String(length)


def upgrade() -> None:
    _people()
    _questions()
    _said()
    _tasks()


def _people() -> None:
    _table("projects", unique=("name",), name=_short(200), secret=_TEXT, created=_FLOAT)
    _table(
        "people", of="project_id:projects", unique=("project_id pseudonym",), pseudonym=_short(60), email=_TEXT, password=_TEXT,
        role=_short(20), lang=_short(10), active=_BOOL, trained=_FLOAT, created=_FLOAT,
    )  # fmt: skip
    _table(
        "invitations", of="project_id:projects person_id:people? created_by:people?", unique=("token",), token=_short(64),
        role=_short(20), note=_TEXT, created=_FLOAT, expires=_FLOAT, used=_FLOAT,
    )  # fmt: skip
    op.create_table(
        "sittings", sa.Column("token", _short(64), nullable=False), sa.Column("person_id", _INT, nullable=False),
        sa.Column("created", _FLOAT, nullable=False), sa.Column("expires", _FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("token"), sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
    )  # fmt: skip
    op.create_index("ix_sittings_person_id", "sittings", ["person_id"])
    _table("attempts", key=_short(64), at=_FLOAT)
    op.create_index("ix_attempts_key_at", "attempts", ["key", "at"])
    _table("practice", of="person_id:people", key=_short(60), said=_TEXT, right=_BOOL, at=_FLOAT)


def _questions() -> None:
    _table(
        "questions", of="project_id:projects author_id:people?", unique=("project_id key",), key=_short(80), status=_short(20),
        latest=_INT, created=_FLOAT, updated=_FLOAT,
    )  # fmt: skip
    op.create_index("ix_questions_status", "questions", ["project_id", "status"])
    _table(
        "versions", of="question_id:questions person_id:people?", unique=("question_id number",), number=_INT, stem=_TEXT, answer=_TEXT,
        variants=_JSON, domain=_TEXT, note=_TEXT, carried=_JSON, seconds=_FLOAT, probed=_FLOAT, created=_FLOAT,
    )  # fmt: skip


def _said() -> None:
    _table("findings", of="version_id:versions", judge=_TEXT, criterion=_TEXT, value=_TEXT, guideline=_TEXT, note=_TEXT)
    _table("probes", of="version_id:versions", model=_TEXT, style=_short(40), text=_TEXT, status=_short(20), right=_BOOL)
    of = "question_id:questions version_id:versions person_id:people"
    _table("decisions", of=of, verdict=_short(20), guideline=_TEXT, reason=_TEXT, at=_FLOAT)
    _table("overrides", of="version_id:versions person_id:people", criterion=_TEXT, reason=_TEXT, at=_FLOAT)
    _table("comments", of="question_id:questions person_id:people", number=_INT, text=_TEXT, at=_FLOAT)


def _tasks() -> None:
    columns: dict[str, Any] = {"name": _short(80), "table": _TEXT, "sha256": _short(64), "guideline": _JSON, "open": _BOOL}
    _table("tasks", of="project_id:projects", unique=("project_id name",), **columns, created=_FLOAT)
    _table(
        "rows", of="task_id:tasks", unique=("task_id place",), empty=("place",), place=_INT, item=_TEXT, prompt=_TEXT, lang=_short(35),
        shown=_TEXT,
    )  # fmt: skip
    _table("marks", of="row_id:rows person_id:people", value=_TEXT, note=_TEXT, seconds=_FLOAT, at=_FLOAT)
