"""GGUF files: a path goes in; metadata and float32 tensors come out.

The header is read here, because a vocabulary of 262,144 words must not take seconds; the quantised blocks are
unpacked by the ``gguf`` package of llama.cpp. A file that is cut short or is no GGUF is found when it is opened,
not in the middle of a run.

Source: the GGUF specification in the ggml repository (docs/gguf.md), versions 2 and 3.
"""

import hashlib
import json
import mmap
import os
import struct
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, StorageError, Unavailable

if TYPE_CHECKING:
    import numpy as np

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST = 1 << 28
"""No count in a sound header is larger: a larger one is a damaged file, not a reason to take all memory."""


class _Damaged(ValueError):
    """The bytes are not what the specification says."""


class TensorInfo(NamedTuple):
    """Where a tensor lies in the file. ``shape`` is in the order of numpy: rows (outputs) first."""

    shape: tuple[int, ...]
    kind: int
    start: int
    size: int


class _Cursor:
    """Reads little-endian values one after the other from a buffer."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def take(self, code: str) -> Any:
        size = struct.calcsize("<" + code)
        if self.at + size > len(self.data):
            raise _Damaged("the file ends inside its header")
        value = struct.unpack_from("<" + code, self.data, self.at)[0]
        self.at += size
        return value

    def count(self) -> int:
        n = self.take("Q")
        if n > _MOST:
            raise _Damaged(f"a count of {n} at byte {self.at - 8}")
        return n

    def string(self) -> str:
        n = self.count()
        end = self.at + n
        if end > len(self.data):
            raise _Damaged("the file ends inside its header")
        text = self.data[self.at : end].decode("utf-8", "replace")
        self.at = end
        return text

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            return self.array(self.take("I"), self.count())
        if kind not in _SCALARS:
            raise _Damaged(f"value type {kind} at byte {self.at}")
        return self.take(_SCALARS[kind])

    def array(self, kind: int, n: int) -> list[Any]:
        if kind not in _SCALARS:
            return [self.value(kind) for _ in range(n)]
        code = f"<{n}{_SCALARS[kind]}"
        size = struct.calcsize(code)
        if self.at + size > len(self.data):
            raise _Damaged("the file ends inside its header")
        values = list(struct.unpack_from(code, self.data, self.at))
        self.at += size
        return values


class GGUF:
    """One GGUF file, open for reading.

    ``meta`` maps keys to plain values. Raises :class:`Unavailable` where there is no file, :class:`InputError` where
    it is no GGUF or is cut short, :class:`StorageError` where it may not be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.meta: dict[str, Any] = {}
        self.tensors: dict[str, TensorInfo] = {}
        try:
            with path.open("rb") as file:
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise Unavailable(f"there is no model file {path}") from error
        except ValueError as error:  # an empty file cannot be mapped
            raise InputError(f"{path}: is empty, not a GGUF file") from error
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror}") from error
        try:
            self._read_header()
        except (_Damaged, struct.error) as error:
            raise InputError(f"{path}: not a sound GGUF file ({error}); get the file again") from error

    def _read_header(self) -> None:
        cursor = _Cursor(self.data)
        if self.data[:4] != b"GGUF":
            raise _Damaged(f"it begins with {bytes(self.data[:4])!r}")
        cursor.at = 4
        version = cursor.take("I")
        if version not in (2, 3):
            raise _Damaged(f"version {version}; 2 and 3 are read")
        tensors, pairs = cursor.count(), cursor.count()
        for _ in range(pairs):
            key = cursor.string()
            self.meta[key] = cursor.value(cursor.take("I"))
        self._read_tensors(cursor, tensors)

    def _read_tensors(self, cursor: _Cursor, n: int) -> None:
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        found = []
        for _ in range(n):
            name = cursor.string()
            shape = tuple(cursor.take("Q") for _ in range(cursor.take("I")))
            found.append((name, shape[::-1], cursor.take("I"), cursor.take("Q")))
        alignment = int(self.meta.get("general.alignment", 32))
        base = -(-cursor.at // alignment) * alignment
        for name, shape, kind, offset in found:
            if kind not in GGMLQuantizationType._value2member_map_:
                raise _Damaged(f"tensor {name} has the unknown type {kind}; a newer gguf package may know it")
            block, width = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
            size = width * (_product(shape) // block)
            self.tensors[name] = TensorInfo(shape, kind, base + offset, size)
            if base + offset + size > len(self.data):
                raise _Damaged(f"it ends inside tensor {name}: {len(self.data):,} of at least {base + offset + size:,} bytes")

    def tensor(self, name: str) -> "np.ndarray":
        """Unpack a tensor to float32, outputs first; InputError where the file has none of that name."""
        import numpy as np
        from gguf.constants import GGMLQuantizationType
        from gguf.quants import dequantize

        if name not in self.tensors:
            raise InputError(f"{self.path}: has no tensor {name}")
        info = self.tensors[name]
        raw = np.frombuffer(self.data, np.uint8, info.size, info.start)
        if len(info.shape) > 1:
            raw = raw.reshape(*info.shape[:-1], -1)
        kind = GGMLQuantizationType(info.kind)
        if kind is GGMLQuantizationType.F32:
            return raw.view(np.float32).reshape(info.shape).copy()
        if kind is GGMLQuantizationType.F16:
            return raw.view(np.float16).reshape(info.shape).astype(np.float32)
        try:
            return dequantize(raw, kind).reshape(info.shape).astype(np.float32, copy=False)
        except NotImplementedError as error:
            raise Unavailable(f"{self.path}: tensors of type {kind.name} cannot be unpacked by the gguf package") from error

    @property
    def architecture(self) -> str:
        return str(self.meta.get("general.architecture", ""))

    @property
    def quantisation(self) -> str:
        """The type in which most of the weights are stored, such as ``Q4_1``."""
        from gguf.constants import GGMLQuantizationType

        weights: Counter[int] = Counter()
        for name, info in self.tensors.items():
            if name.startswith("blk.") and len(info.shape) > 1:
                weights[info.kind] += _product(info.shape)
        return GGMLQuantizationType(weights.most_common(1)[0][0]).name if weights else ""

    def key(self, name: str, default: Any = None) -> Any:
        """A value of the architecture: ``key("block_count")`` reads ``llama.block_count``; InputError where it is needed and missing."""
        value = self.meta.get(f"{self.architecture}.{name}", default)
        if value is None:
            raise InputError(f"{self.path}: has no key {self.architecture}.{name}")
        return value


def _product(shape: tuple[int, ...]) -> int:
    n = 1
    for size in shape:
        n *= size
    return n


def cache_dir() -> Path:
    """Where this package keeps what can be made again: ``$XDG_CACHE_HOME/endonym``, else ``~/.cache/endonym``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "endonym"


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, remembered by path, size and time of change, so that a start does not read it all again."""
    stat = path.stat()
    key = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}"
    memory = cache_dir() / "sha256" / hashlib.sha256(key.encode()).hexdigest()[:32]
    try:
        known = json.loads(memory.read_text("utf-8"))
        if known["key"] == key:
            return known["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # never seen, or damaged: computed again
    with path.open("rb") as file:
        value = hashlib.file_digest(file, "sha256").hexdigest()
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        write_whole(memory, json.dumps({"key": key, "sha256": value}).encode())
    except OSError:
        pass  # a cache that cannot be written costs time, nothing else
    return value


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees a half of it."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(path)
