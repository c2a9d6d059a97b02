"""Find texts that are nearly the same: documents, and questions.

In: texts. Out: pairs of them with their likeness, the Jaccard index of their sets of shingles (Broder 1997). The one thing to know: the
search leaves out no pair and has no seed: all likenesses come from one product of sparse matrices, some rows at a time.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import InputError
from ..records import Judgment, Source
from .check_text import split

VERSION = "1"
JUDGE = "check/near-duplicate"
_ROWS = 512
"""Rows of the matrix multiplied at once: bounds the memory, whatever the number of texts."""


def shingles(text: str, *, size: int = 4) -> Any:
    """Checksums (an array of uint32, sorted) of all runs of ``size`` characters of the text's words."""
    said = " ".join(split(text)).encode()
    return _checksums(said[n : n + size] for n in range(max(1, len(said) - size + 1)) if said)


def word_shingles(text: str, *, size: int = 3) -> Any:
    """Checksums (an array of uint32, sorted) of all runs of ``size`` words: for documents, where runs of characters say little."""
    said = split(text)
    return _checksums(" ".join(said[n : n + size]).encode() for n in range(max(1, len(said) - size + 1)) if said)


def _checksums(runs: Iterable[bytes]) -> Any:
    import numpy as np

    return np.unique(np.fromiter(map(zlib.crc32, runs), dtype=np.uint32))


def pairs(sets: Sequence[Any], *, threshold: float) -> Iterator[tuple[int, int, float]]:
    """Pairs (earlier, later) of sets, arrays of unique uint32, whose Jaccard index is at least ``threshold``, in the order of the later.

    Raises InputError for a threshold that is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"threshold: {threshold} is not above 0 and at most 1")
    if len(sets) < 2:
        return
    import numpy as np

    matrix, sizes = _matrix(sets)
    turned = matrix.T.tocsr()
    for start in range(0, len(sets), _ROWS):
        shared = (matrix[start : start + _ROWS] @ turned[:, : start + _ROWS]).tocoo()
        later, earlier = shared.row + start, shared.col
        keep = earlier < later
        later, earlier, both = later[keep], earlier[keep], shared.data[keep]
        index = both / (sizes[later] + sizes[earlier] - both)
        found = np.flatnonzero(index >= threshold)
        for n in found[np.lexsort((earlier[found], later[found]))]:
            yield int(earlier[n]), int(later[n]), float(index[n])


def _matrix(sets: Sequence[Any]) -> tuple[Any, Any]:
    """A row for each set, a column for each shingle that stands in two sets or more."""
    import numpy as np
    from scipy.sparse import csr_array

    sizes = np.array([len(s) for s in sets], dtype=np.float64)
    flat = np.concatenate([np.asarray(s, dtype=np.uint32) for s in sets])
    _, columns, counts = np.unique(flat, return_inverse=True, return_counts=True)
    shared = counts[columns] > 1
    rows = np.repeat(np.arange(len(sets)), sizes.astype(np.int64))[shared]
    data = np.ones(len(rows), dtype=np.float32)
    shape = (len(sets), max(1, len(counts)))
    return csr_array((data, (rows, columns[shared])), shape=shape), np.maximum(sizes, 1)


def near(sources: Iterable[Source], *, threshold: float = 0.6) -> Iterator[Judgment]:
    """A warning for each document that is nearly an earlier one of the same language; the item of a judgment is the source's id.

    ``threshold``: the least Jaccard index of runs of three words, above 0 and at most 1, where only equal texts are found.
    Raises InputError for another.
    """
    held = [(s.id, s.lang, word_shingles(s.text)) for s in sources if s.text.strip()]
    best: dict[int, tuple[float, int]] = {}
    for earlier, later, index in pairs([found for _, _, found in held], threshold=threshold):
        if held[earlier][1] == held[later][1] and index > best.get(later, (0.0, 0))[0]:
            best[later] = (index, earlier)
    for later, (index, earlier) in sorted(best.items()):
        note = f"{index:.0%} of its runs of three words are those of {held[earlier][0]}: keep one of the two"
        yield Judgment(item=held[later][0], judge=JUDGE, criterion="near-duplicate", value="warning", note=note)
