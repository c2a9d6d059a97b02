"""Translations judged: cosines of vectors laid by hand, BLEU and chrF counted by hand, ratings, samples, doubts."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endonym import recipe, store
from endonym.errors import InputError, Unavailable, UnknownName
from endonym.kitchen import Kitchen
from endonym.models import embed, translating
from endonym.records import Estimate, Item, Judgment, Prompt, Response, canonical
from endonym.validate import guidelines, judge, translation, translation_back, translation_figures, translation_sample, translation_scores
from endonym.validate.translation_scores import bleu, chrf, tokeniser

VECTORS = {"en": (1.0, 0.0), "de": (0.6, 0.8), "hi": (0.0, 1.0), "ja": (1.0, 0.0)}


def question(n: int, lang: str, stem: str = "", **more: Any) -> Item:
    fields = {"entity": f"e{n // 2}", "topic": "war" if n % 3 else "park", "place": "DE", "parallel": f"q{n}", **more}
    return Item(stem=stem or f"{lang} question {n}", options=("a", "b"), gold=0, lang=lang, **fields)


def four(n: int = 4, langs: tuple[str, ...] = ("en", "de", "hi")) -> list[Item]:
    return [question(i, lang) for i in range(n) for lang in langs]


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A text's vector is that of its language, its first two letters."""
    seen: list[str] = []

    def embeddings(texts, *, model):
        seen.extend(texts)
        return np.array([VECTORS[text[:2]] for text in texts], dtype=np.float32)

    monkeypatch.setattr(embed, "embeddings", embeddings)
    monkeypatch.setattr(embed, "described", lambda model: f"by-hand/{model}")
    return seen


# ---- Cosine


def test_cosine_is_of_a_translation_and_its_original(vectors: list[str]):
    items = four(2)
    found = list(translation.similarity(items, model="hf/x"))
    assert [(j.item, j.value, j.status) for j in found] == [
        (items[1].id, "0.6000", "answered"), (items[2].id, "0.0000", "answered"), (items[4].id, "0.6000", "answered"),
        (items[5].id, "0.0000", "answered"),
    ]  # fmt: skip
    assert {(j.judge, j.criterion, j.guideline) for j in found} == {("embed/hf/x", "cosine", "cosine/stem/en/by-hand/hf/x")}


def test_what_is_compared_may_be_the_whole_question(vectors: list[str]):
    published = question(1, "de", prompt="de word for word\nA. x")
    list(translation.similarity([question(1, "en"), published], what="question"))
    assert vectors == ["de word for word\nA. x", "en question 1\na\nb"]


def test_an_item_without_an_original_says_so_and_one_without_parallel_is_its_own(vectors: list[str]):
    alone = question(9, "de")
    first = question(3, "en", parallel="")
    found = {j.item: j for j in translation.similarity([first, question(3, "de", parallel=first.id), alone])}
    assert (found[alone.id].status, found[alone.id].value) == ("failed", "")
    assert found[alone.id].note == "no item in en shares its parallel, 'q9'"
    assert sorted(j.value for j in found.values()) == ["", "0.6000"]


def test_a_benchmark_without_the_pivot_is_refused(vectors: list[str]):
    with pytest.raises(InputError, match="pivot: no item is in 'fr'; there are en, de, hi"):
        list(translation.similarity(four(1), pivot="fr"))


# ---- Doubts


def test_items_under_a_limit_or_without_a_value_go_to_people():
    items = four(2)
    values = [(0, "cosine", "0.9"), (1, "cosine", "0.5"), (2, "cosine", "0.9"), (2, "grammar", "5"), (2, "grammar", "3"), (4, "cosine", "")]
    said = [Judgment(item=items[n].id, judge="x", criterion=c, value=v, status="answered" if v else "failed") for n, c, v in values]
    found = list(translation.unsure(items, said, under={"cosine": 0.8, "grammar": 4}))
    assert [(i.id, i.meta["unsure"]) for i in found] == [
        (items[1].id, "cosine 0.5 < 0.8"), (items[2].id, "grammar 3 < 4"), (items[4].id, "cosine failed"),
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="did you mean 'cosine'"):
        list(translation.unsure(items, said, under={"cosinus": 1}))
    with pytest.raises(InputError, match="under: is empty"):
        list(translation.unsure(items, said, under={}))
    with pytest.raises(InputError, match="said 'good' of"):
        list(translation.unsure(items, [Judgment(item=items[0].id, judge="x", criterion="c", value="good")], under={"c": 1}))


# ---- BLEU and chrF, by hand


def test_bleu_by_hand():
    """5/6, 3/5, 2/4, 1/3 of the n-grams match, as long as the original: ⁴√(1/12) = 53.73."""
    measure = bleu("en")
    assert measure.one("the cat sat on the mat", "the cat sat on a mat") == pytest.approx(100 * (1 / 12) ** 0.25)
    assert measure.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2")


def test_bleu_of_a_language_is_of_the_sums_and_no_mean():
    """With "a b c d e" twice right: 10/11, 8/10 …: (5 + 5)/11 · (3 + 4)/9 · (2 + 3)/7 · (1 + 2)/5, and no brevity."""
    measure = bleu("en")
    counts = measure.counts(["the cat sat on the mat", "a b c d e"], ["the cat sat on a mat", "a b c d e"])
    assert measure.whole(counts.sum(axis=0)) == pytest.approx(100 * (10 / 11 * 7 / 9 * 5 / 7 * 3 / 5) ** 0.25)


def test_a_short_translation_pays_for_it():
    """All n-grams right, 5 words for 6: exp(1 − 6/5)."""
    assert bleu("en").one("a b c d e", "a b c d e f") == pytest.approx(100 * math.exp(1 - 6 / 5))


def test_chrf_by_hand():
    """abc for abd: 2/3 of letters, 1/2 of pairs, 0 of triples, both ways: F = (2/3 + 1/2 + 0)/3 = 38.89."""
    assert chrf().one("abc", "abd") == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)
    assert chrf().signature.startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2")


def test_each_language_has_its_tokeniser():
    assert [tokeniser(lang) for lang in ("en", "de-AT", "zh-Hant", "th")] == ["13a", "13a", "zh", "char"]
    assert tokeniser("ja") in ("ja-mecab", "char") and tokeniser("ko") in ("ko-mecab", "char")
    assert bleu("zh").one("我爱北京天安门", "我爱北京天安门") == pytest.approx(100)
    assert "tok:zh" in bleu("zh").signature and "tok:intl" in bleu("en", "intl").signature
    with pytest.raises(UnknownName, match="did you mean 'ja-mecab'"):
        tokeniser("ja", "ja-mecap")


def test_a_tokeniser_that_needs_a_package_says_which(monkeypatch: pytest.MonkeyPatch):
    from sacrebleu import metrics

    def missing(**how: str) -> None:
        raise RuntimeError("please install mecab-python3")

    missing.TOKENIZERS = metrics.BLEU.TOKENIZERS  # type: ignore[attr-defined]
    monkeypatch.setattr(metrics, "BLEU", missing)
    with pytest.raises(Unavailable, match="sacrebleu's tokeniser 'ja-mecab' cannot be used: please install mecab-python3"):
        bleu("ja", "ja-mecab")


def test_characters_are_taken_where_a_language_package_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(translation_scores.importlib.util, "find_spec", lambda name: None)
    assert tokeniser("ja") == "char"
    monkeypatch.setattr(translation_scores.importlib.util, "find_spec", lambda name: object())
    assert tokeniser("ja") == "ja-mecab"


# ---- Back-translation


def backs(*texts: str | Response, items: list[Item]) -> tuple[list[Prompt], list[Judgment]]:
    prompts = list(translation_back.write(items))
    pairs = zip(prompts, texts, strict=True)
    said = [t if isinstance(t, Response) else Response(prompt=p.id, model="mt/m", text=t) for p, t in pairs]
    said = [Response(**{**{f: getattr(r, f) for f in r.__struct_fields__}, "prompt": p.id}) for r, p in zip(said, prompts, strict=True)]
    return prompts, list(translation_back.read(said, prompts, items))


def test_back_translation_asks_for_the_pivot_and_keeps_what_came_back():
    items = [question(0, "en", "abd"), question(0, "de", "xyz")]
    (prompt,), (found,) = backs("<think>so</think>abc\n", items=items)
    assert translating.pair(prompt) == ("de", "en") and translating.text_of(prompt) == "xyz"
    assert (found.criterion, found.value, found.note, found.item) == ("backtranslation", "38.89", "abc", items[1].id)
    assert found.guideline.startswith("stem/en/nrefs:1|")


@pytest.mark.parametrize("response, status, note", [
    (Response(prompt="", model="mt/m", error="http 500"), "failed", "http 500"),
    (Response(prompt="", model="mt/m", text=" "), "unparsed", ""),
    (Response(prompt="", model="mt/m", text="abc", finish_reason="length"), "truncated", "abc"),
    (Response(prompt="", model="mt/m", text="no", finish_reason="content_filter"), "refused", "no"),
])  # fmt: skip
def test_what_did_not_come_back_is_no_score(response: Response, status: str, note: str):
    _, (found,) = backs(response, items=[question(0, "en"), question(0, "de")])
    assert (found.status, found.value, found.note) == (status, "", note)


# ---- Estimates


def estimates(items: list[Item], said: list[Judgment], **how: Any) -> dict[tuple[str, ...], Estimate]:
    found = translation_figures.translation(items, said, draws=200, **how)
    return {(e.metric, e.group["lang"], e.group["judge"]): e for e in found}


def test_cosine_of_a_language_is_a_mean_with_an_interval_over_entities(vectors: list[str]):
    """Entity e0 has two items at 0.6 and 0.8, e1 one at 0.1 and one missing: mean 0.5 of 3; draws of entities lie in [0.1, 0.7]."""
    items = four(4, ("en", "de"))
    german = [i for i in items if i.lang == "de"]
    values = [("0.6", "answered"), ("0.8", "answered"), ("0.1", "answered"), ("", "failed")]
    said = [
        Judgment(item=i.id, judge="embed/m", criterion="cosine", value=v, status=status, guideline="cosine/stem/en/m")
        for i, (v, status) in zip(german, values, strict=True)
    ]
    found = estimates(items, said)["cosine", "de", "embed/m"]
    assert (found.value, found.n, found.note) == (pytest.approx(0.5), 3, "of 4, 1 failed")
    assert (found.low, found.high) == (pytest.approx(0.1), pytest.approx(0.7))
    assert found.signature.startswith("cosine|stem/en/m|cluster:entity|ci:bootstrap/200|seed:0|confidence:0.95|endonym:")


def test_bleu_and_chrf_of_a_language_are_sacrebleus_with_its_signature():
    pairs = [("the cat sat on the mat", "the cat sat on a mat"), ("a b c d e", "a b c d e"), ("x y", "x z")]
    items = [i for n, (_, original) in enumerate(pairs) for i in (question(n, "en", original), question(n, "de", f"de {n}"))]
    failed = [question(7, "en", "k"), question(7, "de", "de k")]
    _, said = backs(*(text for text, _ in pairs), Response(prompt="", model="mt/m", error="down"), items=[*items, *failed])
    found = estimates([*items, *failed], said)
    from sacrebleu.metrics import BLEU, CHRF

    hypotheses, references = [t for t, _ in pairs], [[r for _, r in pairs]]
    one, other = found["bleu", "de", "mt/m"], found["chrf", "de", "mt/m"]
    assert one.value == pytest.approx(BLEU().corpus_score(hypotheses, references).score)
    assert other.value == pytest.approx(CHRF().corpus_score(hypotheses, references).score)
    assert (one.n, one.note) == (3, "of 4, 1 failed")
    assert one.low is not None and one.high is not None and one.low <= one.value <= one.high
    assert "tok:13a" in one.signature and "|pivot:en|back:mt/m|" in one.signature
    assert "tok:char" in estimates(items, said[:3], tokenize="char")["bleu", "de", "mt/m"].signature


def test_ratings_are_means_of_judges_people_apart_from_models():
    """Item 1: grammar (4 + 5)/2, fluency 3, cohesion 2 → 3.1667; item 2: 5, 5 and no cohesion: in no mean of all three."""
    items = four(2, ("en", "de"))
    one, two = (i for i in items if i.lang == "de")
    ratings = [
        (one, "people/ane", "grammar", "4"), (one, "people/bo", "grammar", "5"), (one, "people/ane", "fluency", "3"),
        (one, "people/ane", "cohesion", "2"), (two, "people/ane", "grammar", "5"), (two, "people/ane", "fluency", "5"),
        (two, "people/ane", "cohesion", ""), (one, "openai/x", "grammar", "1"), (one, "openai/x", "other", "yes"),
    ]  # fmt: skip
    said = [
        Judgment(item=i.id, judge=j, criterion=c, value=v, guideline=f"translation/{c}/1", status="answered" if v else "unparsed")
        for i, j, c, v in ratings
    ]
    found = estimates(items, said)
    assert found["grammar", "de", "people"].value == pytest.approx(4.75)
    cohesion = found["cohesion", "de", "people"]
    assert cohesion.value == pytest.approx(2) and cohesion.note.endswith("of 2, 1 unparsed")
    assert found["rating", "de", "people"].value == pytest.approx((4.5 + 3 + 2) / 3)
    assert found["rating", "de", "people"].note.endswith("1 items lack a criterion")
    assert found["grammar", "de", "models"].value == 1
    assert found["rating", "de", "models"].value is None
    assert "guideline:translation/grammar/1" in found["grammar", "de", "people"].signature


def test_where_every_call_failed_there_is_no_number_and_the_count():
    items = four(2, ("en", "de"))
    _, said = backs(*[Response(prompt="", model="mt/m", error="down")] * 2, items=items)
    found = estimates(items, said)
    assert {(e.value, e.n, e.note) for e in found.values()} == {(None, 0, "of 2, 2 failed")} and len(found) == 2


def test_nothing_judged_is_an_error():
    with pytest.raises(InputError, match="none is of cosine, backtranslation, grammar"):
        list(translation_figures.translation(four(1), [Judgment(item="x", judge="j", criterion="c")]))
    with pytest.raises(InputError, match="draws: 0"):
        list(translation_figures.translation(four(1), [], draws=0))


# ---- Samples


def test_a_sample_has_each_stratum_by_its_share_and_all_languages():
    """60 questions on wars, 30 on parks: 6 and 3 of 9, each in three languages, in the order of the items."""
    items = four(90)
    found = list(translation_sample.sample(items, size=9, by=("topic",)))
    assert len(found) == 27
    drawn = {i.parallel for i in found}
    assert len(drawn) == 9 and sum(i.topic == "war" for i in found if i.lang == "en") == 6
    assert [i for i in items if i.parallel in drawn] == found
    assert found == list(translation_sample.sample(items, size=9, by=("topic",)))
    assert drawn != {i.parallel for i in translation_sample.sample(items, size=9, by=("topic",), seed=1)}
    assert list(translation_sample.sample(items, size=1000)) == items


@pytest.mark.parametrize("how, error, message", [
    ({"size": 0}, InputError, "size: 0"), ({"by": ("topik",)}, UnknownName, "did you mean 'topic'"),
])  # fmt: skip
def test_samples_that_cannot_be(how: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        list(translation_sample.sample(four(1), **how))


# ---- The guidelines, and all of it in one recipe


def test_the_guidelines_are_three_criteria_from_one_to_five():
    told = guidelines.read(guidelines.shipped("translation"))
    assert [g.criterion for g in told.guidelines] == list(translation_figures.RATED)
    assert {g.scale for g in told.guidelines} == {(1, 5)}
    prompts = list(judge.write([question(0, "de", "Wann begann der Krieg?")], shipped="translation"))
    assert len(prompts) == 3 and all("Wann begann der Krieg?" in p.messages[0].content for p in prompts)


RECIPE = """
name = "small"
[[stage]]
do = "build.read"
makes = "items"
reader = "endonym"
path = "items.jsonl"
[[stage]]
do = "validate.sample"
makes = "sample"
size = 3
[[stage]]
do = "validate.similarity"
makes = "likeness"
items = "sample"
[[stage]]
do = "validate.backtranslate"
makes = "back"
items = "sample"
models = [{ name = "parrot/mt", params = { says = "en question 1" } }]
[[stage]]
do = "validate.judge"
makes = "ratings"
items = "sample"
shipped = "translation"
where = ["lang=de,hi"]
models = [{ name = "parrot/judge", params = { says = "4" } }]
[[stage]]
do = "validate.translation"
makes = "quality"
items = "sample"
judgments = ["likeness", "back", "ratings"]
draws = 50
[[stage]]
do = "validate.unsure"
makes = "doubtful"
items = "sample"
judgments = ["likeness", "back"]
under = { cosine = 0.3 }
[[stage]]
do = "validate.agreement"
makes = "agreement"
judgments = "ratings"
draws = 50
"""


def test_table_1_from_a_recipe(tmp_path: Path, vectors: list[str]):
    (tmp_path / "items.jsonl").write_bytes(b"".join(canonical(item) + b"\n" for item in four(6)))
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    Kitchen(tmp_path).cook(recipe.load(tmp_path))
    found = {(e.metric, e.group["lang"]): e for e in store.read(tmp_path / "tables" / "quality.jsonl", Estimate)}
    assert {key: found[key].value for key in found if key[0] in ("cosine", "rating")} == {
        ("cosine", "de"): pytest.approx(0.6), ("cosine", "hi"): 0, ("rating", "de"): 4, ("rating", "hi"): 4,
    }  # fmt: skip
    assert found["bleu", "de"].n == 3 and found["chrf", "hi"].value is not None
    doubtful = list(store.read(tmp_path / "tables" / "doubtful.jsonl", Item))
    assert {(i.lang, i.meta["unsure"]) for i in doubtful} == {("hi", "cosine 0 < 0.3")} and len(doubtful) == 3
