"""What is said of a release beside its items: its terms, and what was written.

In: what the makers decide. Out: records. The one thing to know: a canary is made of the benchmark's name and questions, never of its
answers, so that it is the same whenever the same questions are released, and tells nothing of what is sealed.
"""

import uuid
from collections.abc import Iterable
from typing import Literal

import msgspec

from ..canonical import canonical, digest
from ..records import Item, Record

Mode = Literal["public", "gated", "sealed"]


class Terms(Record, frozen=True):
    """How a benchmark is given away."""

    name: str
    mode: Mode = "public"
    version: str = "1"
    licence: str = ""
    title: str = ""
    description: str = ""
    canary: str = ""
    seed: int = 0
    held_out: float = 0.0
    recipients: tuple[str, ...] = ()
    """Public keys (age1…) of those who may open what is sealed."""


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """What was written: file → SHA-256, and the number and hash of what is held out."""

    canary: str = ""
    hashes: dict[str, str] = {}
    items: int = 0
    held_out: int = 0
    held_out_sha256: str = ""


def canary(name: str, items: Iterable[Item]) -> str:
    """A line that nobody would write by chance, the same for the same name and questions."""
    questions = digest(sorted(canonical([i.lang, i.stem, sorted(i.options)]).decode() for i in items), 64)
    return f"{name} canary {uuid.uuid5(uuid.NAMESPACE_URL, f'endonym/{name}/{questions}')}: benchmark data, keep out of training corpora"
