"""What an annotation tool's export says of one task: the data that was shown, and what each annotator said under each question.

In: nothing. Out: :class:`Entry` and :class:`Said`. The one thing to know: a fault is told from the inside outwards: each level puts
its own name before it, so that the sentence reads ``task 17: annotations[0]: result[1]: value: rating: expected a number``.
"""

import contextlib
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..records import Status
from .lines import Fault, found


class Said(NamedTuple):
    """What one annotator said under one question. ``question`` is "" where the whole task was skipped."""

    person: str
    question: str
    values: tuple[str, ...]
    status: Status
    note: str


class Entry(NamedTuple):
    """One task or record. ``where`` names it in messages, ``key`` is the tool's own id, ``data`` what was shown, and more about it."""

    where: str
    key: str
    data: dict[str, Any]
    said: tuple[Said, ...]


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Put a name before what is wrong within."""
    try:
        yield
    except Fault as fault:
        raise Fault(f"{name}: {fault}") from None


def listed(value: Any, kind: type = dict) -> list[Any]:
    """The members of a list that are of one kind; nothing where it is no list."""
    return [one for one in value if isinstance(one, kind)] if isinstance(value, list) else []


def texts(value: Any, field: str) -> tuple[str, ...]:
    """A text, or a list of texts and numbers; empty ones are none. Raises ``Fault``."""
    every = value if isinstance(value, list) else [value]
    return tuple(text for n, one in enumerate(every) if (text := scalar(one, f"{field}[{n}]" if isinstance(value, list) else field)))


def scalar(value: Any, field: str) -> str:
    """A text or a number, as text. Raises ``Fault``."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Fault(f"{field}: expected text or a number, found {found(value)}")
    return unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else f"{value:.12g}"
