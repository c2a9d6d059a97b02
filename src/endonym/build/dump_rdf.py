"""An RDF file in, the lines of N-Triples that are to be kept out, one pass, in the memory of one line.

The one thing to know: N-Triples is sorted out by splitting bytes, and nothing is parsed but what is kept; Turtle has to be parsed whole.
"""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..errors import StorageError, TableError
from .dump_filter import Kept


@contextmanager
def opened(file: Path) -> Iterator[IO[bytes]]:
    """A file of bytes, unpacked on the way. Raises ``StorageError`` where it cannot be read or ends too early."""
    how: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(file.suffix, open)
    try:
        with how(file, "rb") as stream:
            yield stream
    except EOFError as error:
        raise StorageError(f"{file}: ends too early; was it cut off on the way?") from error
    except (OSError, zlib.error) as error:
        raise StorageError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def quads_of_ntriples(file: Path, kept: Kept) -> Iterator[bytes]:
    """The lines that are to be kept. Raises ``TableError`` naming the line that is none."""
    tokens, wanted = kept.tokens, kept.line
    with opened(file) as stream:
        for number, line in enumerate(stream, 1):
            parts = line.split(None, 2)
            if len(parts) < 3:
                if parts and not parts[0].startswith(b"#"):
                    raise TableError(f"{file}:{number}: is no N-Triples: {line[:60].decode('utf-8', 'replace').strip()!r}")
            elif parts[1] in tokens and wanted(*parts):
                yield line if line.endswith(b"\n") else line + b"\n"


def quads_of_turtle(file: Path, kept: Kept) -> Iterator[bytes]:
    """The triples that are to be kept. Raises ``TableError`` with the parser's own words, which name the line."""
    import pyoxigraph

    named, wanted = kept.predicates, kept.line
    with opened(file) as stream:
        try:
            for quad in pyoxigraph.parse(stream, pyoxigraph.RdfFormat.TURTLE, lenient=True):
                if quad.predicate.value in named:
                    parts = [str(part).encode() for part in (quad.subject, quad.predicate, quad.object)]
                    if wanted(*parts):
                        yield b" ".join(parts) + b" .\n"
        except SyntaxError as error:
            raise TableError(f"{file}:{error.lineno or '?'}: is no Turtle: {error.msg}") from error
