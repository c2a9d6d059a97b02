"""Log-likelihoods of hf/… against a bare reading with transformers, and against themselves under other batches."""

from pathlib import Path
from typing import Any

import pytest
from hf_models import answers, bare, hf, raw, save

from endonym.records import Prompt

pytest.importorskip("transformers")

CAUSAL = ["llama", "qwen2", "gemma3", "gemma2", "gpt2", "bloom", "mamba"]
PLACES = ["Portugal", "Spain", "the sea", "a river", "the town of Lisbon", "Madrid and that of Spain", "A", "Spain; a river, a town",
          "Portugal is"]  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = save(tmp_path_factory.mktemp(kind), kind)
        return made[kind]

    return folder


def letters(shots: str = "") -> list[Prompt]:
    return [raw(f"{shots}Question: Which capital of {place}?\nAnswer:", [" A", " B", " C", " D"]) for place in PLACES]


def texts(shots: str = "") -> list[Prompt]:
    options = [" Lisbon", " the town and the sea", " 12"]
    return [raw(f"{shots}Question: Which capital of {place}?\nAnswer:", options) for place in PLACES[:4]]


SHOTS = "Question: The capital of Spain?\nAnswer: Madrid\n\nQuestion: The town, a river?\nAnswer: Lisbon\n\n"


def close(one: list, other: list, within: float = 1e-4) -> bool:
    return all(abs(a - b) < within for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


def values(who: Any, prompts: list[Prompt]) -> list[tuple[float, ...]]:
    found = answers(who, prompts)
    assert not any(response.error for response in found), found[0].error
    return [response.loglikelihoods for response in found]


@pytest.mark.parametrize("kind", CAUSAL)
def test_it_reads_what_a_bare_reading_reads(folders: Any, kind: str):
    folder, prompts = folders(kind), letters(SHOTS) + texts(SHOTS)
    who = hf(folder)
    assert close(values(who, prompts), bare(folder, prompts))
    shared = who.facts()["prefix_sharing"]
    assert shared == "on" if kind != "mamba" else shared.startswith("off: layers keep their past as LinearAttention")


@pytest.mark.parametrize("kind", ["llama", "gemma3", "gpt2"])
@pytest.mark.parametrize("shots", ["", SHOTS])
def test_neither_batches_nor_shared_beginnings_change_a_result(folders: Any, kind: str, shots: str):
    prompts = letters(shots) + texts(shots)
    reference = values(hf(folders(kind)), prompts)
    for params in ({"batch_tokens": 1}, {"batch_tokens": 150}, {"share_prefix": False}, {"share_prefix": False, "batch_tokens": 150}):
        other = values(hf(folders(kind), **params), prompts)
        assert close(other, reference)
        assert [o.index(max(o)) for o in other] == [r.index(max(r)) for r in reference]


def test_a_beginning_goes_through_the_model_once(folders: Any):
    who = hf(folders("llama"))
    sizes: list[int] = []
    who.loaded.register_forward_pre_hook(lambda module, inputs, kw: sizes.append(kw["input_ids"].numel()), with_kwargs=True)
    prompts = letters(SHOTS)
    list(who.answer(prompts))
    first = sum(sizes)
    whole = sum(len(q.stem) for q in who.text.questions(prompts, [p.messages[0].content for p in prompts]))
    sizes.clear()
    list(who.answer(prompts))
    assert sum(sizes) < first < whole  # in the next window, the beginning is not computed again
    assert sum(sizes) < whole / 3


def test_logits_are_made_for_the_wanted_places_only(folders: Any):
    who = hf(folders("llama"))
    shapes: list[tuple[int, ...]] = []
    who.loaded.lm_head.register_forward_hook(lambda module, inputs, out: shapes.append(tuple(out.shape)))
    list(who.answer(letters()))
    assert max(shape[0] * shape[1] for shape in shapes) <= 24  # 9 questions, and one sequence that is tried both ways


def test_a_model_that_reads_otherwise_behind_a_beginning_is_read_whole(folders: Any, monkeypatch: pytest.MonkeyPatch):
    from endonym.models import hf_cache

    def wrong(forward: Any, tokens: Any, layers: int) -> Any:
        return [(k * 0, v + 1) for k, v in right(forward, tokens, layers)]

    right = hf_cache.prefix
    monkeypatch.setattr(hf_cache, "prefix", wrong)
    who, prompts = hf(folders("llama")), letters(SHOTS)
    assert close(values(who, prompts), bare(folders("llama"), prompts))
    assert who.facts()["prefix_sharing"] == "off: LlamaForCausalLM reads otherwise behind a shared beginning"


def test_lengths_are_tokens_and_are_in_the_order_of_the_continuations(folders: Any):
    who = hf(folders("llama"))
    found, empty = answers(who, [raw("Answer:", [" A", " the town and the sea"]), raw("Answer:", ["A", ""])])
    own = [len(who.text.tokenizer(c, add_special_tokens=False).input_ids) for c in (" A", " the town and the sea")]
    assert found.lengths == tuple(own)
    assert own[1] > 1 and empty.error == "continuation 2 is empty: it has no tokens to score"
    assert found.tokens_in == len(who.text.tokenizer("Answer:").input_ids)


def test_continuations_that_begin_alike_are_read_together(folders: Any):
    prompts = [raw("Answer:\n", ["\n A", "\n B"]), raw("Answer:", [" the town", " the sea", " the"]), raw("Which?", ["  1", "  2"])]
    assert close(values(hf(folders("llama")), prompts), bare(folders("llama"), prompts))


def test_more_questions_than_a_window(folders: Any, monkeypatch: pytest.MonkeyPatch):
    from endonym.models import hf as module

    reference = values(hf(folders("llama")), letters(SHOTS))
    monkeypatch.setattr(module, "WINDOW", 5)
    assert close(values(hf(folders("llama")), letters(SHOTS)), reference)


def test_out_of_memory_halves_the_batch_and_is_told(folders: Any):
    import torch

    who, prompts = hf(folders("llama")), letters() + texts()
    reference = values(hf(folders("llama")), prompts)

    def full(module: Any, inputs: Any, kw: Any) -> None:
        if kw["input_ids"].shape[0] > 3:
            raise torch.cuda.OutOfMemoryError("no more")

    handle = who.loaded.register_forward_pre_hook(full, with_kwargs=True)
    assert close(values(who, prompts), reference)
    assert "halved" in who.facts()["batch_tokens"]
    handle.remove()

    def never(module: Any, inputs: Any) -> None:
        raise torch.cuda.OutOfMemoryError("no more")

    who.loaded.register_forward_pre_hook(never)
    assert all(r.error.startswith("out of memory for a single prompt") and not r.loglikelihoods for r in answers(who, prompts))


def test_what_is_too_long_fails_and_is_not_cut(folders: Any):
    who = hf(folders("llama"), max_length=20)
    short, long = answers(who, [raw("Answer:", [" A"]), raw("Answer: " * 30, ["A"])])
    assert short.loglikelihoods and not short.error
    assert "the model takes 20; nothing was cut off it" in long.error and not long.loglikelihoods
    assert hf(folders("llama")).limit == 256


def test_a_value_that_is_not_a_number_is_a_failure(folders: Any):
    import torch

    who = hf(folders("llama"))
    with torch.no_grad():
        who.loaded.lm_head.weight[5] = torch.nan
    (found,) = answers(who, [raw("Answer:", [" A"])])
    assert found.loglikelihoods == () and "not a number" in found.error


def bare_targets(folder: Path, prompts: list[Prompt]) -> list[list[float]]:
    import torch
    from hf_models import parts

    model, tok = parts(folder)
    found = []
    with torch.no_grad():
        for prompt in prompts:
            ids = tok(prompt.messages[0].content, return_tensors="pt").input_ids
            row = []
            for continuation in prompt.continuations:
                labels = torch.tensor([tok(continuation.lstrip(), add_special_tokens=False).input_ids])
                start = torch.tensor([[model.config.decoder_start_token_id]])
                logs = model(input_ids=ids, decoder_input_ids=torch.cat([start, labels[:, :-1]], 1)).logits[0].log_softmax(-1)
                row.append(float(logs.gather(-1, labels[0][:, None]).sum()))
            found.append(row)
    return found


@pytest.mark.parametrize("kind", ["t5", "mt5"])
@pytest.mark.parametrize("batch_tokens", [1, 4096])
def test_encoder_decoders_read_continuations_as_targets(folders: Any, kind: str, batch_tokens: int):
    prompts = letters()[:4] + texts()[:3]
    who = hf(folders(kind), batch_tokens=batch_tokens)
    assert close(values(who, prompts), bare_targets(folders(kind), prompts))
    assert answers(who, prompts[:1])[0].lengths == (1, 1, 1, 1)
