"""Which library computes, and in which precision: settings go in; an engine comes out.

Measured (docs/engine.md): in float32 numpy's BLAS is as fast as torch, and loads in a tenth of the time. So torch is
used where it gains something: on processors that multiply bfloat16 themselves, and where a user asks for it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, Unavailable, UnknownName

if TYPE_CHECKING:
    from .engine import Engine
    from .gguf_file import GGUF

ENGINES = ("auto", "numpy", "torch")
PRECISIONS = ("auto", "float32", "bfloat16", "int8")
_BUDGETS = {"numpy": 512, "torch": 1024}
_MOST_THREADS = 16


class Choice(NamedTuple):
    """What computes. ``engine`` names the library with its version, for the manifest."""

    library: str
    precision: str
    threads: int
    budget: int

    @property
    def engine(self) -> str:
        return f"{self.library} {version(self.library)}"


def choose(settings: dict[str, Any]) -> Choice:
    """Read the settings of the provider; UnknownName for a word that is none, Unavailable for torch where it is missing."""
    engine, precision = settings["engine"], settings["precision"]
    if engine not in ENGINES:
        raise UnknownName("engine", str(engine), ENGINES)
    if precision not in PRECISIONS:
        raise UnknownName("precision", str(precision), PRECISIONS)
    if engine == "numpy" and precision not in ("auto", "float32"):
        raise InputError(f"the numpy engine computes in float32, not {precision}: use engine=torch")
    if engine == "auto":
        gains = precision in ("bfloat16", "int8") or (precision == "auto" and multiplies_bfloat16() and find_spec("torch"))
        engine = "torch" if gains else "numpy"
    if engine == "torch" and find_spec("torch") is None:
        raise Unavailable(f"precision {precision} needs torch: pip install 'endonym[hf]', or leave engine and precision at auto")
    if precision == "auto":
        precision = "bfloat16" if engine == "torch" and multiplies_bfloat16() else "float32"
    threads = _whole_number(settings, "threads") or min(processors(), _MOST_THREADS)
    return Choice(engine, precision, threads, _whole_number(settings, "batch_tokens") or _BUDGETS[engine])


def _whole_number(settings: dict[str, Any], name: str) -> int:
    value = settings[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{name}: {value!r} is not a whole number of at least 0")
    return value


def processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def multiplies_bfloat16() -> bool:
    """Whether the processor has instructions that multiply bfloat16 (AVX512-BF16 or AMX)."""
    return bool({"avx512_bf16", "amx_bf16"} & _flags())


def _flags() -> set[str]:
    """What the processor can do, in the words of Linux; nothing where they are not to be read."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return set()
    return next((set(line.split()) for line in text.splitlines() if line.startswith("flags")), set())


def start(choice: Choice, file: "GGUF") -> "Engine":
    """Load the weights and make the engine ready."""
    from .decoder import Decoder
    from .engine import Engine

    if choice.library == "torch":
        from .arrays_torch import TorchArrays

        arrays = TorchArrays(choice.precision, choice.threads, narrow="avx512_vnni" not in _flags())
        return Engine(Decoder(file, arrays), budget=choice.budget, workers=1, session=arrays.session)
    from .arrays_numpy import NumpyArrays

    decoder = Decoder(file, NumpyArrays())
    if find_spec("threadpoolctl") is None:  # then BLAS alone spreads over the processors
        return Engine(decoder, budget=choice.budget, workers=1, session=nullcontext)
    return Engine(decoder, budget=choice.budget, workers=choice.threads, session=nullcontext, around=_blas_threads)


@contextmanager
def _blas_threads(each: int) -> Iterator[None]:
    """Each worker has a batch of its own and ``each`` processors for BLAS: nothing then waits for the element-wise steps."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(each, "blas"):
        yield
