"""What hf/… writes, against transformers' own generate, one prompt at a time."""

from pathlib import Path
from typing import Any

import pytest
from hf_models import CHATML, answers, hf, parts, raw, save

from endonym.records import Message, Prompt

pytest.importorskip("transformers")

TEXTS = ["The capital of Portugal is", "A river", "Question: Which town?\nAnswer:", "Spain is Madrid; a river, a town, the sea"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Any:
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = save(tmp_path_factory.mktemp(kind), kind, CHATML)
        return made[kind]

    return folder


def alone(folder: Path, text: str, tokens: int) -> tuple[str, str]:
    """Text and reason to end, by transformers' generate for this prompt alone."""
    model, tok = parts(folder)
    ids = tok(text, return_tensors="pt").input_ids
    out = model.generate(ids, do_sample=False, max_new_tokens=tokens, eos_token_id=[3, 5], pad_token_id=1)[0]
    new = out[1:] if model.config.is_encoder_decoder else out[ids.shape[1] :]
    ended = [at for at, token in enumerate(new.tolist()) if token in (3, 5)]
    return tok.decode(new[: ended[0]] if ended else new, skip_special_tokens=True), "stop" if ended else "length"


@pytest.mark.parametrize("kind", ["llama", "gemma3", "gpt2", "mamba", "t5"])
def test_greedy_answers_are_those_of_generate_one_by_one(folders: Any, kind: str):
    expected = [alone(folders(kind), text, 8) for text in TEXTS]
    for batch_tokens in (4096, 1):
        found = answers(hf(folders(kind), batch_tokens=batch_tokens), [raw(text, max_tokens=8) for text in TEXTS])
        assert [(r.text, r.finish_reason) for r in found] == expected
    assert len({text for text, _ in expected}) > 1


def test_an_answer_ends_at_eos_or_at_the_end_of_a_turn(folders: Any):
    import torch

    def always(token: int) -> Any:
        def forced(module: Any, inputs: Any, out: Any) -> Any:
            return torch.full_like(out, -9.0).index_fill(-1, torch.tensor([token]), 9.0)

        return forced

    for token, reason, tokens in ((3, "stop", 1), (5, "stop", 1), (60, "length", 7)):
        who = hf(folders("llama"))
        who.loaded.lm_head.register_forward_hook(always(token))
        (found,) = answers(who, [raw("The", max_tokens=7)])
        assert (found.finish_reason, found.tokens_out) == (reason, tokens)
        assert bool(found.text) == (reason == "length")


def test_64_tokens_where_nobody_says_and_never_beyond_what_the_model_takes(folders: Any):
    who = hf(folders("llama"))
    (found,) = answers(who, [raw("The capital")])
    assert found.finish_reason == "stop" or found.tokens_out == 64
    long = "A river. " * 60
    size = len(who.text.encode([long])[0])
    room, none = hf(folders("llama"), max_length=size + 4), hf(folders("llama"), max_length=size)
    assert answers(room, [raw(long)])[0].tokens_out <= 4
    assert "nothing was cut" in answers(none, [raw(long)])[0].error


def test_draws_differ_and_do_not_depend_on_the_batch(folders: Any):
    params = {"temperature": 1.0, "top_p": 0.9}
    prompts = [raw(text, max_tokens=8, draw=draw) for text in TEXTS for draw in range(3)]
    first = [r.text for r in answers(hf(folders("llama"), **params), prompts)]
    assert [r.text for r in answers(hf(folders("llama"), batch_tokens=1, **params), prompts[::-1])][::-1] == first
    assert [r.text for r in answers(hf(folders("llama"), seed=1, **params), prompts)] != first
    assert len(set(first[:3])) > 1


def test_what_is_drawn_follows_the_probabilities():
    import torch

    from endonym.models.hf_generate import Drawn, Sampling

    scores = torch.tensor([[0.5, 0.3, 0.2]]).log().repeat(4000, 1)
    prompts = [raw("x", draw=n) for n in range(4000)]
    drawn = Drawn(prompts, Sampling(1.0, 1.0, 0))(None, scores).argmax(-1)
    shares = torch.bincount(drawn, minlength=3) / 4000
    assert torch.allclose(shares, torch.tensor([0.5, 0.3, 0.2]), atol=0.03)
    kept = Drawn(prompts, Sampling(1.0, 0.6, 0))(None, scores).argmax(-1)
    assert torch.allclose(torch.bincount(kept, minlength=3) / 4000, torch.tensor([0.625, 0.375, 0.0]), atol=0.03)
    cold = Drawn(prompts, Sampling(0.01, 1.0, 0))(None, scores).argmax(-1)
    assert set(cold.tolist()) == {0}


def test_a_models_own_habits_of_sampling_are_laid_aside(folders: Any, tmp_path: Path):
    import json
    import shutil

    shutil.copytree(folders("llama"), tmp_path / "m")
    path = tmp_path / "m" / "generation_config.json"
    path.write_text(json.dumps({"do_sample": True, "temperature": 5.0, "repetition_penalty": 3.0, "eos_token_id": [3]}))
    prompts = [raw(text, max_tokens=8) for text in TEXTS]
    assert [r.text for r in answers(hf(tmp_path / "m"), prompts)] == [r.text for r in answers(hf(folders("llama")), prompts)]


def test_chats_and_raw_texts_and_letters_in_one_go(folders: Any):
    talk = Prompt(item="i", messages=(Message(role="user", content="Which?"),), chat=True, max_tokens=4)
    found = answers(hf(folders("llama")), [talk, raw("The", max_tokens=4), raw("The", ["A", "B"]), raw("The", max_tokens=5)])
    assert [bool(r.loglikelihoods) for r in found] == [False, False, True, False]
    header = answers(hf(folders("llama")), [raw("<|im_start|>user\nWhich?<|im_end|>\n<|im_start|>assistant\n", max_tokens=4)])[0]
    assert (header.text, header.tokens_in) == (found[0].text, found[0].tokens_in)


def test_out_of_memory_while_writing_halves_the_batch(folders: Any):
    import torch

    who, prompts = hf(folders("llama")), [raw(text, max_tokens=6) for text in TEXTS]
    expected = [r.text for r in answers(hf(folders("llama")), prompts)]

    def full(module: Any, inputs: Any, kw: Any) -> None:
        if kw["input_ids"].shape[0] > 1:
            raise torch.cuda.OutOfMemoryError("no more")

    who.loaded.register_forward_pre_hook(full, with_kwargs=True)
    assert [r.text for r in answers(who, prompts)] == expected
    assert who.budget.halved > 0
