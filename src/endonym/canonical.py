"""The one way in which this package writes a value down, and the name that a value has by its content."""

import hashlib
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
