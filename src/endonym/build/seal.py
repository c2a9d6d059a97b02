"""Seal bytes for the holders of keys, and open them again: age, by the library ``pyrage``.

In: bytes and public keys (``age1…``), or a file with a secret key. Out: bytes. The one thing to know: what is sealed is authenticated,
so that what opens is what was sealed; and whoever has lost the key has lost the answers.
"""

import os
from pathlib import Path
from typing import Any

from ..errors import InputError, Unavailable
from ..store import guarded


def _age() -> Any:
    try:
        import pyrage
    except ImportError as problem:
        raise Unavailable("pyrage is not installed, and answers are sealed by it: pip install 'endonym[seal]'") from problem
    return pyrage


def new_key(path: Path) -> str:
    """Write a new secret key to a file that only its owner may read; return the public key. Raises InputError where the file is there."""
    identity = _age().x25519.Identity.generate()
    public = str(identity.to_public())
    with guarded(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as problem:
            raise InputError(f"{path}: is there, and a key is never written over; move it, or seal for it with --recipient") from problem
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"# public key: {public}\n{identity}\n")
    return public


def seal(data: bytes, recipients: tuple[str, ...]) -> bytes:
    """Encrypt for every public key. Raises InputError for one that is none, Unavailable without the library."""
    age = _age()
    keys = []
    for text in recipients:
        try:
            keys.append(age.x25519.Recipient.from_str(text.strip()))
        except age.RecipientError as problem:
            raise InputError(f"recipient {text!r}: is no public key of age (age1…)") from problem
    if not keys:
        raise InputError("recipient: nobody could open it; at least one public key is needed")
    return age.encrypt(data, keys)


def unseal(data: bytes, key: Path) -> bytes:
    """Decrypt with the secret keys of a file. Raises InputError where none of them opens it."""
    age = _age()
    with guarded(key):
        lines = [line.strip() for line in key.read_text(encoding="utf-8").splitlines() if line.strip() and not line.startswith("#")]
    try:
        return age.decrypt(data, [age.x25519.Identity.from_str(line) for line in lines])
    except age.IdentityError as problem:
        raise InputError(f"{key}: holds no secret key of age (AGE-SECRET-KEY-1…)") from problem
    except age.DecryptError as problem:
        raise InputError(f"{key}: this key does not open the benchmark: {problem}") from problem
