"""Who is there: invitations, passwords, sittings, and a limit for those who guess.

In: secrets that a browser sends. Out: people. The one thing to know: every sign-in makes a new sitting, so a cookie that somebody
planted before is worth nothing; links and cookies are kept as hashes.
"""

import secrets
import threading
import time
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from .models import Attempt, Invitation, Person, Sitting
from .security import hashed, token
from .words import catalogue

DAY = 86400.0
SITTING = 14 * DAY
INVITED = 7 * DAY
WINDOW = 900.0
"""Seconds within which failed sign-ins are counted."""
TRIES = {"both": 5, "address": 40}
SHORTEST, LONGEST = 10, 200
"""Characters of a password."""
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)  # OWASP's second choice for Argon2id: 19 MiB, two rounds
_turns = threading.BoundedSemaphore(4)  # so that many sign-ins at once do not take the memory of the machine


def password_hash(password: str) -> str:
    with _turns:
        return _hasher.hash(password)


def password_fits(kept: str, password: str) -> bool:
    """Whether a password is the one; as slow for a person who is not there."""
    try:
        with _turns:
            return _hasher.verify(kept or _nobody(), password) and bool(kept)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    return _hasher.hash(secrets.token_hex())


def invite(s: Session, project: int, role: str, *, note: str = "", by: int | None = None, person: int | None = None) -> str:
    """Make an invitation and return its secret, which is kept nowhere."""
    secret, now = token(), time.time()
    s.add(
        Invitation(
            project_id=project, token=hashed(secret), role=role, note=note, created_by=by, person_id=person, created=now,
            expires=now + INVITED,
        )
    )  # fmt: skip
    return secret


def invitation(s: Session, project: int, secret: str, *, lock: bool = False) -> Invitation | None:
    """An invitation that may still be used."""
    chosen = select(Invitation).where(Invitation.project_id == project, Invitation.token == hashed(secret))
    found = s.scalar(chosen.with_for_update() if lock else chosen)
    return found if found and not found.used and found.expires > time.time() else None


def join(s: Session, found: Invitation, password: str, *, lang: str, email: str = "") -> Person:
    """Use an invitation up: make a person under a new pseudonym, or give somebody who is here a new password."""
    found.used = time.time()
    kept = password_hash(password)
    if found.person_id:
        person = s.get_one(Person, found.person_id)
        person.password = kept
        sign_out_everywhere(s, person.id)
        return person
    person = Person(
        project_id=found.project_id, pseudonym=pseudonym(s, found.project_id, lang), email=email, password=kept, role=found.role,
        lang=lang, created=time.time(),
    )  # fmt: skip
    s.add(person)
    s.flush()
    return person


def pseudonym(s: Session, project: int, lang: str) -> str:
    """A word and a number that nobody has in this project: ``amarela-07``."""
    taken = set(s.scalars(select(Person.pseudonym).where(Person.project_id == project)))
    words = catalogue(lang)["pseudonyms"].split()
    free = [name for word in words for n in range(1, 100) if (name := f"{word}-{n:02}") not in taken]
    return secrets.choice(free) if free else f"{secrets.choice(words)}-{secrets.token_hex(4)}"


def sign_in(s: Session, person: Person) -> str:
    """Open a sitting and return the secret of its cookie."""
    secret, now = token(), time.time()
    s.execute(delete(Sitting).where(Sitting.expires < now))
    s.add(Sitting(token=hashed(secret), person_id=person.id, created=now, expires=now + SITTING))
    return secret


def sitting(s: Session, project: int, secret: str) -> Person | None:
    """Who sits there, if the sitting has not ended and the person is still with the project."""
    chosen = select(Person).join(Sitting, Sitting.person_id == Person.id)
    fits = (Sitting.token == hashed(secret), Sitting.expires > time.time(), Person.active, Person.project_id == project)
    return s.scalar(chosen.where(*fits))


def sign_out(s: Session, secret: str) -> None:
    s.execute(delete(Sitting).where(Sitting.token == hashed(secret)))


def sign_out_everywhere(s: Session, person: int) -> None:
    s.execute(delete(Sitting).where(Sitting.person_id == person))


def _keys(project: int, name: str, address: str) -> dict[str, str]:
    return {"both": hashed(f"{project}\n{name.casefold()}\n{address}"), "address": hashed(f"{project}\n{address}")}


def locked(s: Session, project: int, name: str, address: str) -> bool:
    """Whether too many sign-ins failed of late: under this name from there, or under any name from there."""
    late = Attempt.at > time.time() - WINDOW
    counts = {k: s.scalar(select(func.count()).where(Attempt.key == v, late)) or 0 for k, v in _keys(project, name, address).items()}
    return any(counts[kind] >= most for kind, most in TRIES.items())


def failed(s: Session, project: int, name: str, address: str) -> None:
    """Count a sign-in that failed."""
    now = time.time()
    s.execute(delete(Attempt).where(Attempt.at < now - WINDOW))
    s.add_all(Attempt(key=key, at=now) for key in _keys(project, name, address).values())


def forgive(s: Session, project: int, name: str, address: str) -> None:
    """Forget what failed under a name, once it has signed in."""
    s.execute(delete(Attempt).where(Attempt.key == _keys(project, name, address)["both"]))
