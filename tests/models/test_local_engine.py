"""The embedded engine at work on a tiny model: what is computed once, what a batch may not change, and what is said of faults."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiny_gguf import logits, peer, write

from endonym.errors import InputError, Unavailable, UnknownName
from endonym.models.batching import Task, batches, boundary, shared_prefix
from endonym.models.local import Local
from endonym.records import Message, Model, Prompt, Response

LETTERS = (" A", " B")
QUESTIONS = [f"Question {n}: which of the two is it?\nA. {'x' * (n % 5)}\nB. y\nAnswer:" for n in range(12)]


def prompt(text: str, continuations: tuple[str, ...] = LETTERS, **more: Any) -> Prompt:
    return Prompt(item="i", messages=(Message(role="user", content=text),), continuations=continuations, **more)


def asked(local: Local, prompts: list[Prompt]) -> list[Response]:
    found = {response.prompt: response for response in local.answer(prompts)}
    return [found[each.id] for each in prompts]


@pytest.fixture(scope="module")
def model() -> Any:
    return peer("llama")


@pytest.fixture(scope="module")
def path(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("gguf") / "tiny.gguf", "llama", model)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(params=["numpy", "torch"])
def local(request: pytest.FixtureRequest, path: Path) -> Iterator[Local]:
    made = Local(Model(name=f"local/{path}", params={"engine": request.param, "precision": "float32", "threads": 2}))
    yield made
    made.close()


def expected(local: Local, model: Any, text: str, continuation: str) -> float:
    """ln p of a continuation, from transformers' logits of the whole."""
    head, whole = local.vocabulary.encode([text, text + continuation])
    scores = logits(model, tuple(whole)).astype(np.float64)
    total = np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1)) + scores.max(-1)
    return sum(scores[at - 1, whole[at]] - total[at - 1] for at in range(len(head), len(whole)))


def test_letters_and_texts_are_scored_as_transformers_scores_them(local: Local, model: Any):
    options = (" A", " the inn", " B, he said")
    for text, response in zip(QUESTIONS, asked(local, [prompt(text, options) for text in QUESTIONS]), strict=True):
        assert response.error == ""
        assert response.loglikelihoods == pytest.approx([expected(local, model, text, option) for option in options], abs=1e-3)
        assert response.lengths == (1, 4, 9)  # ĠA · Ġthe, Ġ, in, n · ĠB, comma, Ġ, he, Ġ, s, a, i, d


def test_letters_take_one_pass_over_the_distinct_tokens(local: Local):
    """As many tokens are run as the tree of the questions has nodes; the letters themselves are not run."""
    asked(local, [prompt(text) for text in QUESTIONS])
    rows = local.vocabulary.encode(QUESTIONS)
    nodes = {tuple(row[:length]) for row in rows for length in range(1, len(row) + 1)}
    assert local._engine.forwarded == len(nodes) < sum(map(len, rows))


def test_equal_questions_are_run_once_in_one_window_and_across_windows(local: Local, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endonym.models.local._WINDOW", 4)
    prompts = [prompt(QUESTIONS[n % 3], style=f"s{n}") for n in range(11)]
    responses = asked(local, prompts)
    assert [response.prompt for response in responses] == [each.id for each in prompts]
    assert len({response.loglikelihoods for response in responses}) == 3
    rows = local.vocabulary.encode(QUESTIONS[:3])
    assert local._engine.forwarded <= sum(map(len, rows))


@pytest.mark.parametrize("bound, value, first", [("_WINDOW", 4, 4), ("_SIGNS", len(QUESTIONS[0]) + 1, 2)])
def test_prompts_are_taken_lazily(local: Local, monkeypatch: pytest.MonkeyPatch, bound: str, value: int, first: int):
    monkeypatch.setattr(f"endonym.models.local.{bound}", value)
    taken = []

    def source() -> Iterator[Prompt]:
        for text in QUESTIONS:
            taken.append(text)
            yield prompt(text)

    answers = local.answer(source())
    next(answers)
    assert len(taken) == first
    assert len(list(answers)) == 11


def test_responses_come_before_all_is_done(path: Path):
    local = Local(Model(name=f"local/{path}", params={"engine": "numpy", "threads": 1, "batch_tokens": 64}))
    answers = local.answer([prompt(f"{n} {'z' * n}:") for n in range(40)])
    next(answers)
    total = sum(len(row) for row in local.vocabulary.encode([f"{n} {'z' * n}:" for n in range(40)]))
    assert local._engine.forwarded < total / 2
    answers.close()
    local.close()


@pytest.mark.parametrize("tokens", [16, 64, 4096])
def test_the_size_of_batches_changes_nothing(path: Path, model: Any, tokens: int):
    local = Local(Model(name=f"local/{path}", params={"precision": "float32", "batch_tokens": tokens}))
    texts = [*QUESTIONS, "x" * 300 + "\nAnswer:", "y"]
    for text, response in zip(texts, asked(local, [prompt(text) for text in texts]), strict=True):
        assert response.loglikelihoods == pytest.approx([expected(local, model, text, letter) for letter in LETTERS], abs=1e-3)
    local.close()


def test_a_prefix_that_all_share_is_run_once_and_kept(local: Local, model: Any):
    shots = "Question: is it he or the inn? Answer: A\n\n" * 3
    size = len(local.vocabulary.encode([shots])[0])
    texts = [shots + text for text in QUESTIONS]
    for _ in range(2):
        for text, response in zip(texts, asked(local, [prompt(text) for text in texts]), strict=True):
            assert response.loglikelihoods == pytest.approx([expected(local, model, text, letter) for letter in LETTERS], abs=1e-3)
    assert size <= local._engine.prefixes.computed < size + 32
    local.forget()
    asked(local, [prompt(text) for text in texts])
    assert local._engine.prefixes.computed >= 2 * size


def test_two_sets_of_shots_are_two_prefixes(local: Local):
    sets = ["Question: is it he or the inn? Answer: A\n\n" * 3, "Frage: ist es dies oder das? Antwort: B\n\n" * 3]
    sizes = [len(row) for row in local.vocabulary.encode(sets)]
    asked(local, [prompt(shots + text) for text in QUESTIONS for shots in sets])
    assert sum(sizes) <= local._engine.prefixes.computed < sum(sizes) + 64
    assert len(local._engine.prefixes.kept) == 2


def greedy(model: Any, row: list[int], ends: frozenset[int], limit: int) -> list[int]:
    """The likeliest token after the likeliest token, each from a whole new pass of transformers."""
    said: list[int] = []
    while len(said) < limit:
        token = int(logits(model, tuple(row + said))[-1].argmax())
        if token in ends:
            break
        said.append(token)
    return said


def test_generated_text_is_that_of_transformers(local: Local, model: Any):
    texts = [*QUESTIONS[:5], "he", "x" * 60]
    prompts = [prompt(text, (), max_tokens=5 + n) for n, text in enumerate(texts)]
    for n, (text, response) in enumerate(zip(texts, asked(local, prompts), strict=True)):
        said = greedy(model, local.vocabulary.encode([text])[0], local.vocabulary.ends, 5 + n)
        assert response.text == local.vocabulary.decode(said)
        assert response.finish_reason == ("length" if len(said) == 5 + n else "stop")


def test_generation_ends_at_an_end_token(tmp_path: Path, model: Any):
    """The token that the model says third is declared to be the end."""
    first = Local(Model(name=f"local/{write(tmp_path / 'a.gguf', 'llama', model)}"))
    row = first.vocabulary.encode(["he"])[0]
    said = greedy(model, row, frozenset(), 8)
    third = next(token for token in said if token > 4)
    again = write(tmp_path / "b.gguf", "llama", model, **{"tokenizer.ggml.eot_token_id": third})
    response = asked(Local(Model(name=f"local/{again}")), [prompt("he", (), max_tokens=8)])[0]
    assert response.finish_reason == "stop"
    assert response.text == first.vocabulary.decode(said[: said.index(third)])


def test_generation_behind_shared_turns(local: Local, model: Any):
    shots = "Question: is it he or the inn? Answer: A\n\n" * 3
    prompts = [prompt(shots + text, (), max_tokens=6) for text in QUESTIONS[:4]]
    for text, response in zip(QUESTIONS, asked(local, prompts), strict=False):
        row = local.vocabulary.encode([shots + text])[0]
        assert response.text == local.vocabulary.decode(greedy(model, row, local.vocabulary.ends, 6))
    assert local._engine.prefixes.computed > 0


def test_a_prompt_that_is_too_long_is_a_response_with_an_error(local: Local):
    good, long = asked(local, [prompt("he"), prompt("x" * 600)])
    assert good.loglikelihoods
    assert long.loglikelihoods == ()
    assert "602 tokens" in long.error  # <s>, 600 times x, one letter
    assert "512" in long.error


def test_an_empty_continuation_is_a_response_with_an_error(local: Local):
    assert "continuation 2 is empty" in asked(local, [prompt("he", (" A", ""))])[0].error


@pytest.mark.parametrize("add", [True, False, None])
def test_exactly_one_beginning(tmp_path: Path, model: Any, add: bool | None):
    """Whether the file asks for a BOS, the template writes one, or both; the byte-level default is none."""
    local = Local(Model(name=f"local/{write(tmp_path / 'm.gguf', 'llama', model, **{'tokenizer.ggml.add_bos_token': add})}"))
    chat = local.vocabulary.render([Message(role="user", content="he")])
    assert chat.startswith("<s>")
    for text, wanted in ((chat, 1), ("<s>" + chat, 1), ("he", 1 if add else 0)):
        assert local.vocabulary.encode([text])[0].count(1) == wanted


def test_a_template_that_refuses_makes_an_error_of_its_prompt_alone(tmp_path: Path, model: Any):
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}{{ messages[0].content }}"
    local = Local(Model(name=f"local/{write(tmp_path / 'm.gguf', 'llama', model, **{'tokenizer.chat_template': template})}"))
    turns = (Message(role="system", content="s"), Message(role="user", content="u"))
    system = Prompt(item="i", messages=turns, continuations=LETTERS, chat=True)
    refused, fine = asked(local, [system, prompt("he", chat=True)])
    assert "no system role" in refused.error
    assert fine.loglikelihoods


def test_a_template_cannot_reach_the_machine(tmp_path: Path, model: Any):
    template = "{{ messages.__class__.__mro__[1].__subclasses__() }}"
    local = Local(Model(name=f"local/{write(tmp_path / 'm.gguf', 'llama', model, **{'tokenizer.chat_template': template})}"))
    assert "template refuses" in asked(local, [prompt("he", chat=True)])[0].error


def test_a_token_that_crosses_the_boundary_is_scored_whole():
    """Prompt [1 2 3]; one continuation melts with 3 into 9: both are scored from after 2, on equal ground."""
    context, wholes = boundary([1, 2, 3], [[1, 2, 9], [1, 2, 3, 4]], first=0)
    assert (context, wholes) == ((1, 2), ((1, 2, 9), (1, 2, 3, 4)))


def test_a_prompt_of_no_tokens_stands_behind_the_first_token():
    assert boundary([], [[5], [6, 7]], first=1) == ((1,), ((1, 5), (1, 6, 7)))


def test_batches_hold_every_task_once_and_keep_to_the_budget():
    random = np.random.default_rng(1)
    tasks = [Task(n, tuple(random.integers(5, 9, size)), ((*([5] * size), 6),)) for n, size in enumerate(random.integers(3, 40, 200))]
    tasks = [Task(t.key, t.context, ((*t.context, 6), (*t.context, 7))) for t in tasks]
    parts = list(batches(tasks, budget=100, limit=16))
    assert sorted(task.key for part in parts for task in part) == list(range(200))
    for part in parts:
        nodes = {row[:length] for task in part for row in task.rows for length in range(1, len(row) + 1)}
        assert len(part) == 1 or (len(nodes) <= 100 and len(part) <= 16)


def test_a_prefix_that_a_batch_shares_is_not_counted():
    """300 tokens of shots before 20 of each question: of a budget of 100, five questions; and the next shots begin a batch of their own."""
    shots = [(9,) * 300, (8,) * 300]
    tasks = [Task((s, n), (*shots[s], n, *[5] * 19), ((*shots[s], n, *[5] * 19, 6),)) for s in (0, 1) for n in range(10)]
    assert [[task.key[0] for task in part] for part in batches(tasks, budget=100, limit=64)] == [[1] * 5, [1] * 5, [0] * 5, [0] * 5]


def test_a_shared_prefix_stops_before_the_last_token():
    """The last token of a context must be run, for it is where the answer is read."""
    assert shared_prefix([Task(0, (1, 2, 3)), Task(1, (1, 2, 3))]) == (1, 2)
    assert shared_prefix([Task(0, (1, 2, 3)), Task(1, (1, 5))]) == (1,)


@pytest.mark.parametrize(
    "params, error, what",
    [
        ({"engine": "numpi"}, UnknownName, "numpy"),
        ({"engine": "numpy", "precision": "bfloat16"}, InputError, "engine=torch"),
        ({"threads": -1}, InputError, "threads"),
        ({"batch_tokens": "many"}, InputError, "batch_tokens"),
    ],
)
def test_wrong_settings(path: Path, params: dict[str, Any], error: type[Exception], what: str):
    with pytest.raises(error, match=what):
        Local(Model(name=f"local/{path}", params=params))


def test_torch_is_used_where_it_gains_and_never_needed(path: Path, monkeypatch: pytest.MonkeyPatch):
    from endonym.models import choose_engine

    def chosen(flags: set[str], torch: bool, **params: Any) -> tuple[str, str]:
        monkeypatch.setattr(choose_engine, "_flags", lambda: flags)
        monkeypatch.setattr(choose_engine, "find_spec", lambda name: object() if torch or name != "torch" else None)
        choice = Local(Model(name=f"local/{path}", params=params)).choice
        return choice.library, choice.precision

    assert chosen({"avx2"}, True) == ("numpy", "float32")
    assert chosen({"avx512_bf16"}, True) == ("torch", "bfloat16")
    assert chosen({"amx_bf16"}, True, precision="float32") == ("numpy", "float32")
    assert chosen({"avx512_bf16"}, False) == ("numpy", "float32")
    assert chosen({"avx2"}, True, precision="int8") == ("torch", "int8")
    with pytest.raises(Unavailable, match="torch"):
        chosen({"avx2"}, False, precision="int8")
