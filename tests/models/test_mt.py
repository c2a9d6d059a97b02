"""Translation models with random weights, held to what transformers writes for each text alone; codes of languages by hand."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from endonym.ask import ask
from endonym.errors import InputError, ModelError, Unavailable, UnknownName, Unsupported
from endonym.models import translating
from endonym.models.base import Need
from endonym.models.mt import MT
from endonym.models.mt_codes import Marks, marks
from endonym.models.translating import Pair
from endonym.records import Message, Model, Prompt, Response

pytest.importorskip("torch")
WORDS = [
    "in", "which", "year", "was", "the", "war", "born", "where", "is", "park", "a", "of", "king", "and", "state", "der", "die", "das", "wo",
    "wer", "wann",
]  # fmt: skip
SIZE, SEED = len(WORDS) + 5, 2
TEXTS = ["where is the park", "king", "in which year was the king of the state born and where", "war and war and war", "the park"]


def tokenizer(*marked: str) -> Any:
    """A tokenizer of whole words that ends each text with </s>; <pad> is its last word, as Marian's is."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: n for n, word in enumerate(["</s>", "<unk>", *marked, *WORDS, "<pad>"])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 0)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", additional_special_tokens=list(marked)
    )


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of a tiny model only wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Marian model of two layers, with beams and a forbidden <pad>, as OPUS-MT's are."""
    import torch
    from transformers import MarianConfig, MarianMTModel

    where = tmp_path_factory.mktemp("marian")
    config = MarianConfig(
        vocab_size=SIZE, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=24, pad_token_id=SIZE - 1, eos_token_id=0,
        decoder_start_token_id=SIZE - 1, forced_eos_token_id=0, init_std=0.3, tie_word_embeddings=False,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        model = MarianMTModel(config)
        model.final_logits_bias.normal_(0, 0.5)  # else it says one word and no other
    model.generation_config.num_beams, model.generation_config.bad_words_ids = 3, [[SIZE - 1]]
    model.save_pretrained(where)
    made = tokenizer(">>deu<<", ">>hin<<")
    made.save_pretrained(where)
    return where


def prompt(text: str, target: str = "de", **more: Any) -> Prompt:
    return Prompt(item=text, messages=translating.turns(text, "en", target), chat=True, **more)


def answers(prompts: list[Prompt], where: Path, **params: Any) -> dict[str, Response]:
    who = MT(Model(name=f"mt/{where}", params=params))
    return {r.prompt: r for r in who.answer(prompts)}


@lru_cache(1)
def loaded(where: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    return AutoModelForSeq2SeqLM.from_pretrained(where).eval(), AutoTokenizer.from_pretrained(where)


def alone(text: str, where: Path, most: int = 12) -> str:
    """What transformers writes for one text, prefix and all, without any batch."""
    model, words = loaded(where)
    model.generation_config.forced_eos_token_id = None
    out = model.generate(**words(text, return_tensors="pt", return_token_type_ids=False), max_length=None, max_new_tokens=most)
    return words.decode(out[0], skip_special_tokens=True)


def test_batches_say_what_each_text_says_alone(folder: Path):
    prompts = [prompt(text, lang, max_tokens=12) for text in TEXTS for lang in ("de", "hi")]
    found = answers(prompts, folder, batch=3)
    expected = {p.id: alone(f">>{'deu' if n % 2 == 0 else 'hin'}<< {TEXTS[n // 2]}", folder) for n, p in enumerate(prompts)}
    assert {key: r.text for key, r in found.items()} == expected
    assert len(set(expected.values())) > 3 and all(r.error == "" and r.tokens_in and r.tokens_out for r in found.values())
    assert found == answers(prompts, folder, batch=1)


def test_a_cut_translation_says_so_and_a_long_text_is_not_cut(folder: Path):
    found = answers([prompt("where is the park", max_tokens=2), prompt("war " * 40)], folder)
    short, long = found.values() if next(iter(found.values())).error == "" else reversed(found.values())
    assert (short.finish_reason, short.tokens_out) == ("length", 2)
    assert long.error == "the text has 42 tokens, the model takes 24; nothing was cut off it"


def test_it_is_a_provider_like_any_other(folder: Path, tmp_path: Path):
    model = Model(name=f"mt/{folder}", params={"beams": 1})
    bare = [Prompt(item="a", messages=translating.turns(text, "en", "de")) for text in (*TEXTS, TEXTS[0])]
    first = list(ask(bare, model=model, cache=tmp_path / "c.db"))
    assert [r.text for r in first] == [r.text for r in ask(bare, model=model, cache=tmp_path / "c.db")]
    assert first[0].text == first[5].text and first[0].model == model.id
    facts = MT(model).facts()
    assert facts["engine"].startswith("transformers 5") and len(facts["weights"]) == 16


def test_one_text_into_two_languages_is_two_questions(folder: Path, tmp_path: Path):
    """The cache knows a question by its messages: so the languages have to be there."""
    bare = [Prompt(item="a", messages=translating.turns(TEXTS[2], "en", lang)) for lang in ("de", "hi")]
    said = list(ask(bare, model=Model(name=f"mt/{folder}"), cache=tmp_path / "c.db"))
    assert [said[0].text, said[1].text] == [alone(f">>{code}<< {TEXTS[2]}", folder, 23) for code in ("deu", "hin")]


def test_what_no_engine_can_do_is_refused_or_is_an_error(folder: Path):
    who = MT(Model(name=f"mt/{folder}"))
    with pytest.raises(Unsupported, match="no log-likelihoods"):
        who.check(Need(continuations=True, chat=True))
    with pytest.raises(Unsupported, match="leave chat out"):
        who.check(Need(generate=True, chat=False))
    plain = Prompt(item="a", messages=(Message(role="user", content="Who?"),), chat=True)
    (other, unknown) = who.answer([plain, prompt("king", "fr")])
    assert other.error.startswith("this prompt names no languages")
    assert unknown.error.startswith("the model knows no language 'fr'; it knows >>deu<<, >>hin<<")
    with pytest.raises(ModelError, match="not one of 1 calls"):
        list(ask([Prompt(item="a", messages=plain.messages)], model=Model(name=f"mt/{folder}")))


@pytest.mark.parametrize("name, params, error, message", [
    ("mt/./nowhere", {}, Unavailable, "there is no folder nowhere"), ("mt/x/y", {"beam": 2}, UnknownName, "did you mean 'beams'"),
    ("mt/x/y", {"batch": 0}, InputError, "batch: is 0"), ("mt/x/y", {"codes": "hi"}, InputError, "codes: expected a table"),
])  # fmt: skip
def test_settings_and_names_that_cannot_be(name: str, params: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        MT(Model(name=name, params=params))


class Words:
    """A vocabulary that knows languages in the way of one family."""

    def __init__(self, *words: str, **more: str) -> None:
        self.words = {word: n for n, word in enumerate(["the", *words])}
        self.__dict__ |= more

    def get_vocab(self) -> dict[str, int]:
        return self.words


@pytest.mark.parametrize("words, pair, expected", [
    (("eng_Latn", "hin_Deva", "zho_Hans", "zho_Hant"), ("en", "hi"), Marks("eng_Latn", "hin_Deva")),
    (("eng_Latn", "zho_Hans", "zho_Hant"), ("en", "zh-Hant"), Marks("eng_Latn", "zho_Hant")),
    (("eng_Latn", "zho_Hans", "zho_Hant"), ("zh", "en-GB"), Marks("zho_Hans", "eng_Latn")),
    (("__en__", "__hi__"), ("en", "hi"), Marks("en", "__hi__")), (("en_XX", "hi_IN", "de_DE"), ("hi", "en"), Marks("hi_IN", "en_XX")),
    ((">>hin<<", ">>deu<<"), ("en", "de"), Marks(prefix=">>deu<< ")), (("<2hi>", "<2de>"), ("en", "hi"), Marks(prefix="<2hi> ")),
    ((), ("en", "de"), Marks()),
])  # fmt: skip
def test_families_of_models_are_told_languages_in_their_own_words(words: tuple[str, ...], pair: tuple[str, str], expected: Marks):
    assert marks(Words(*words), Pair(*pair), {}) == expected


def test_a_language_of_ones_own_and_a_bilingual_model():
    assert marks(Words(">>cmn_Hans<<"), Pair("en", "zh"), {"zh": ">>cmn_Hans<<"}) == Marks(prefix=">>cmn_Hans<< ")
    with pytest.raises(InputError, match="codes: 'x' for 'zh' is no token"):
        marks(Words(">>cmn_Hans<<"), Pair("en", "zh"), {"zh": "x"})
    assert marks(Words(source_lang="en", target_lang="de"), Pair("en-US", "de-AT"), {}) == Marks()
    with pytest.raises(InputError, match="the model's target language is 'de', and the prompt's is 'fr'"):
        marks(Words(source_lang="en", target_lang="de"), Pair("en", "fr"), {})
    with pytest.raises(InputError, match="knows no language 'xx'"):
        marks(Words("hin_Deva"), Pair("xx", "hi"), {})


def test_a_first_token_is_forced_where_the_model_wants_one(folder: Path):
    from endonym.models.mt_engines import Transformers

    who = MT(Model(name=f"mt/{folder}"))
    engine = who.engine
    assert isinstance(engine, Transformers)
    rows = [list(who.tokenizer("king").input_ids)]
    (one,) = engine.write(rows, who.tokenizer, "die", 6)
    assert one.text.split()[0] == "die"


def test_a_folder_of_ctranslate2_says_what_the_same_model_says(folder: Path, tmp_path: Path):
    pytest.importorskip("ctranslate2")
    from ctranslate2.converters import TransformersConverter

    try:
        TransformersConverter(str(folder)).convert(str(tmp_path / "ct2"))
    except (AttributeError, KeyError, TypeError, ValueError, NotImplementedError) as problem:
        pytest.skip(f"this converter does not take this tokenizer: {problem}")
    tokenizer(">>deu<<", ">>hin<<").save_pretrained(tmp_path / "ct2")
    prompts = [prompt(text, max_tokens=8) for text in TEXTS]
    here = answers(prompts, tmp_path / "ct2", beams=1)
    there = answers(prompts, folder, beams=1)
    assert {k: r.text for k, r in here.items()} == {k: r.text for k, r in there.items()}
    assert MT(Model(name=f"mt/{tmp_path / 'ct2'}")).facts()["engine"].startswith("ctranslate2 4")
