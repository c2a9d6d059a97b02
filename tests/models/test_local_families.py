"""The decoder against transformers, family by family: same random weights, same logits, in trees and behind a past."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_gguf import logits, peer, write

from endonym.errors import Unavailable
from endonym.models.arrays_numpy import NumpyArrays
from endonym.models.attention import TreeAttention, lay
from endonym.models.decoder import Config, Decoder
from endonym.models.engine import Prefixes
from endonym.models.gguf_file import GGUF

ROWS = [tuple(range(10, 30)), (*range(10, 22), 40, 41, 42), tuple(range(50, 57)), (*range(10, 30), 60)]
"""Three rows that begin alike, one of them the beginning of another, and one apart; longer than the tiny Gemma's window of 8."""
FAMILIES = ["llama", "qwen2", "qwen3", "gemma3"]


def arrays(library: str) -> Any:
    if library == "numpy":
        return NumpyArrays()
    from endonym.models.arrays_torch import TorchArrays

    return TorchArrays("float32", 1)


def run(decoder: Decoder, rows: list[tuple[int, ...]], past: Any = None) -> dict[tuple[int, ...], np.ndarray]:
    """The logits of the last position of each row, all rows in one batch."""
    plan = lay(rows, len(past.tokens) if past else 0, decoder.config.window)
    want = np.array([plan.paths[row][-1] for row in rows])
    hidden = decoder.forward(plan.tokens, plan.positions, TreeAttention(decoder.arrays, decoder.config, plan, past), want)
    return dict(zip(rows, decoder.logits(hidden), strict=True))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_of_a_tree_are_those_of_transformers(tmp_path: Path, family: str, library: str):
    model = peer(family)
    decoder = Decoder(GGUF(write(tmp_path / "m.gguf", family, model)), arrays(library))
    for row, found in run(decoder, ROWS).items():
        np.testing.assert_allclose(found, logits(model, row)[-1], atol=2e-4)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_behind_a_past_are_those_of_transformers(tmp_path: Path, family: str, library: str):
    model = peer(family)
    decoder = Decoder(GGUF(write(tmp_path / "m.gguf", family, model)), arrays(library))
    past = Prefixes(decoder, budget=7).extend(None, tuple(range(10, 24))).cut(12)  # computed in parts of 7, then used in part
    rows = [row for row in ROWS if row[:12] == past.tokens]
    assert len(rows) == 3
    for row, found in run(decoder, rows, past).items():
        np.testing.assert_allclose(found, logits(model, row)[-1], atol=2e-4)


def test_untied_output_and_llama3_frequencies(tmp_path: Path):
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 32, "rope_theta": 10000.0}  # fmt: skip
    model = peer("llama", rope_parameters=scaling, tie_word_embeddings=False)
    plain = 10000.0 ** -(np.arange(0, 8, 2) / 8)
    factors = (plain / model.model.rotary_emb.inv_freq.numpy()).astype(np.float32)
    assert factors.max() > 2  # the scaling does something
    path = write(tmp_path / "m.gguf", "llama", model)
    file = GGUF(path)
    assert "output.weight" in file.tensors
    decoder = Decoder(file, NumpyArrays())
    decoder.speeds = decoder.speeds / factors  # what the tensor rope_freqs.weight of such files does
    for row, found in run(decoder, ROWS).items():
        np.testing.assert_allclose(found, logits(model, row)[-1], atol=2e-4)


def test_bfloat16_is_near(tmp_path: Path):
    from endonym.models.arrays_torch import TorchArrays

    model = peer("llama", initializer_range=0.1)
    decoder = Decoder(GGUF(write(tmp_path / "m.gguf", "llama", model)), TorchArrays("bfloat16", 1))
    for row, found in run(decoder, ROWS).items():
        expected = logits(model, row)[-1]
        assert 0 < np.abs(found - expected).max() < 0.06 * np.abs(expected).max()


def test_int8_errs_by_rounding_alone():
    """Against the rounding done by hand in float64; an overflow of 16-bit sums would show as errors of half a deviation."""
    import torch

    from endonym.models.arrays_torch import TorchArrays

    random = np.random.default_rng(0)
    weight, x = random.normal(0, 0.05, (48, 64)), random.normal(0, 1, (20, 64))
    library = TorchArrays("int8", 1, narrow=True)
    found = library.linear(torch.tensor(x, dtype=torch.float32), library.weight(weight.astype(np.float32))).numpy()
    largest, scale = np.abs(x).max(1, keepdims=True), np.abs(weight).max(1, keepdims=True) / 127
    by_hand = (np.round(x / largest * 63) / 63 * largest) @ (np.round(weight / scale) * scale).T
    exact = x @ weight.T
    assert np.std(found - exact) < 1.3 * np.std(by_hand - exact)
    assert np.abs(found - exact).max() < 0.1 * np.std(exact)


def test_int8_does_not_depend_on_the_batch(tmp_path: Path):
    """One token of huge values would change the rounding of all others, were the scale one for the batch."""
    import torch

    from endonym.models.arrays_torch import TorchArrays

    library = TorchArrays("int8", 1)
    generator = torch.Generator().manual_seed(0)
    weight = library.weight(torch.randn(24, 16, generator=generator).numpy())
    x = torch.randn(3, 16, generator=generator)
    alone = library.linear(x[:1], weight)
    together = library.linear(torch.cat([x[:1], 1000 * x[1:]]), weight)
    assert torch.equal(alone, together[:1])


@pytest.mark.parametrize(
    "meta, what",
    [
        ({"llama.expert_count": 8}, "experts"),
        ({"llama.rope.scaling.type": "yarn"}, "yarn"),
        ({"llama.rope.dimension_count": 4}, "part of a head"),
    ],
)
def test_what_is_not_built_is_named(tmp_path: Path, meta: dict[str, Any], what: str):
    file = GGUF(write(tmp_path / "m.gguf", "llama", peer("llama"), **meta))
    with pytest.raises(Unavailable, match=what):
        Config.of(file)


def test_another_family_is_named_with_those_that_can_be_run(tmp_path: Path):
    path = write(tmp_path / "m.gguf", "llama", peer("llama"))
    path.write_bytes(path.read_bytes().replace(b"llama", b"mamba"))
    with pytest.raises(Unavailable, match="'mamba'.*llama, gemma3, qwen2, qwen3"):
        Config.of(GGUF(path))
