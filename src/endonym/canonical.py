"""The one way in which this package writes a value down, and the name that a value has by its content."""

import hashlib
from functools import cache
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Write a value as JSON in the one way this package ever writes it: sorted keys, UTF-8, no blanks."""
    return _encoder.encode(value)


def digest(value: Any, length: int = 16) -> str:
    """Name a value by its content: the first ``length`` hexadecimal digits of the SHA-256 of its canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()[:length]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the nouns. Default values are not written, so that a table stays small and a new field moves no hash."""

    def __post_init__(self) -> None:
        settle(self)


def settle(record: Record) -> None:
    """Put the very default in the place of a value that equals it.

    msgspec leaves out a default by identity, not by equality: without this, the same record would be written in two ways, and
    have two names, as it was typed or read from a file.
    """
    for name, default in _spoken(type(record)):
        value = getattr(record, name)
        if value is not default and value == default:
            msgspec.structs.force_setattr(record, name, default)


@cache
def _spoken(record: type[Record]) -> tuple[tuple[str, Any], ...]:
    """The fields whose default is no singleton: a text that says something, or a float."""
    pairs = ((field.name, field.default) for field in msgspec.structs.fields(record))
    return tuple((name, default) for name, default in pairs if isinstance(default, float) or (isinstance(default, str) and default))
