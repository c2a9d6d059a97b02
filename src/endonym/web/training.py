"""The practice round: questions whose faults are known, one after the other, each explained once it was answered.

In: ``training.toml`` of the workspace, or the shipped file of a language. Out: answers, and the time at which somebody was through. The
one thing to know: the first answer to each question is the one that is kept.

Paper: Tuguesice, section 4 (an experimental round, discussed with the annotators).
"""

import time
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import InputError
from ..store import guarded
from .models import Person, Practice

FOLDER = Path(__file__).parent / "training"


class Exercise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question; ``breaks`` are the guidelines that it breaks, none for a good one; ``why`` is what is learned."""

    id: str
    stem: str
    answer: str
    breaks: tuple[str, ...] = ()
    why: str


def exercises(workspace: Path, lang: str) -> Sequence[Exercise]:
    """The practice questions of a workspace, or the shipped ones in a language of the pages. Raises InputError."""
    own = workspace / "training.toml"
    return _read(own if own.exists() else FOLDER / f"{lang}.toml")


@lru_cache(maxsize=16)
def _read(path: Path) -> Sequence[Exercise]:
    with guarded(path):
        text = path.read_bytes()
    try:
        found = msgspec.convert(tomllib.loads(text.decode("utf-8-sig")), dict[str, tuple[Exercise, ...]])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as problem:
        raise InputError(f"{path}: {problem}") from problem
    made = found.get("exercise", ())
    if not made or len({e.id for e in made}) < len(made):
        raise InputError(f"{path}: exercise: needs one or more [[exercise]], each with an id of its own")
    return made


def answers(s: Session, person: Person) -> dict[str, Practice]:
    """The first answer of a person to each exercise."""
    found = s.scalars(select(Practice).where(Practice.person_id == person.id).order_by(Practice.id.desc()))
    return {p.key: p for p in found}


def answer(s: Session, person: Person, exercise: Exercise, said: str, given: Sequence[Exercise]) -> bool:
    """Keep an answer (a guideline's id, or empty for "a good question") and say whether it is right; note when the round is over."""
    right = said in exercise.breaks if exercise.breaks else said == ""
    s.add(Practice(person_id=person.id, key=exercise.id, said=said, right=right, at=time.time()))
    s.flush()
    if {e.id for e in given} <= answers(s, person).keys():
        s.get_one(Person, person.id).trained = time.time()
    return right
