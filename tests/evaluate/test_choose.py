"""MCQ prompts and scores: order is data, letters begin every line, what is not read is not wrong."""

from pathlib import Path

import pytest

from endonym.errors import InputError, UnknownName
from endonym.evaluate import choose
from endonym.evaluate.layout import layouts
from endonym.evaluate.shots import Shots
from endonym.records import Accept, Item, Prompt, Response


def said(prompt: Prompt, **more: object) -> Response:
    return Response(prompt=prompt.id, model="m", **more)  # type: ignore[arg-type]


def test_rotation_puts_gold_at_every_position_once(items: list[Item]):
    prompts = list(choose.write(items, orders="rotate"))
    assert len(prompts) == 24
    for item in items:
        assert sorted(p.order.index(item.gold or 0) for p in prompts if p.item == item.id) == [0, 1, 2, 3]


def test_an_abstaining_option_stays_last_in_every_order():
    item = Item(stem="Q?", options=("a", "b", "c", "Je ne sais pas"), gold=1, abstain=3, lang="fr")
    for orders in ("asis", "shuffle", "rotate"):
        assert {o[-1] for o in layouts(item, orders=orders, seed=1)} == {3}
    assert len(layouts(item, orders="rotate", seed=0)) == 3


def test_three_methods_ask_the_same_questions_with_the_same_examples_in_the_same_order(items: list[Item]):
    ways = ("letters", "texts", "generate")
    prompts = list(choose.write(items, items, method=ways, orders="shuffle", shots=Shots(k=(0, 1)), seed=3))
    assert len(prompts) == len(items) * 2 * 3
    asked = {way: [(p.item, p.shots, p.order) for p in prompts if p.method == way] for way in ways}
    assert asked["letters"] == asked["texts"] == asked["generate"]
    assert [bool(p.continuations) for p in prompts[:3]] == [True, True, False]
    assert [p.max_tokens for p in prompts[:3]] == [0, 0, 64]


def test_a_shuffle_is_the_seeds(items: list[Item]):
    first, again, other = ([p.order for p in choose.write(items * 5, orders="shuffle", seed=s)] for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_option_line_starts_with_its_letter_and_the_cue_is_in_the_items_language(items: list[Item]):
    french = next(p for p in choose.write(items, orders="rotate") if p.item == items[4].id)
    lines = french.messages[0].content.splitlines()
    assert [line[:3] for line in lines[1:5]] == ["A. ", "B. ", "C. ", "D. "]
    assert lines[-1] == "Réponse :"


def test_what_is_published_is_shown_word_for_word_in_its_own_order_only():
    item = Item(stem="Q?", options=("a", "b"), gold=0, lang="en", prompt="Question: Q?\u200b\nA. a\nB. b\nAnswer: ")
    asis, turned = choose.write([item], orders="rotate")
    assert asis.messages[0].content == item.prompt
    assert asis.gap == ""
    assert turned.messages[0].content == "Question: Q?\nA. b\nB. a\nAnswer:"
    assert turned.gap == " "


@pytest.mark.parametrize("method, continuations", [("letters", ("A", "B", "C", "D")), ("texts", None), ("generate", ())])
def test_what_likelihoods_are_asked_of(items: list[Item], method: str, continuations: tuple[str, ...] | None):
    prompt = next(iter(choose.write(items, method=method)))  # type: ignore[arg-type]
    assert prompt.continuations == (items[0].options if continuations is None else continuations)
    assert bool(prompt.max_tokens) == (method == "generate")


def test_the_likeliest_letter_is_the_choice_at_its_position(items: list[Item]):
    prompts = list(choose.write(items[:1], orders="rotate"))
    responses = [said(p, loglikelihoods=(-3.0, -0.5, -2.0, -9.0), lengths=(1, 1, 1, 1)) for p in prompts]
    scores = list(choose.read(responses, prompts, items))
    assert [s.position for s in scores] == [1, 1, 1, 1]
    assert [s.choice for s in scores] == [p.order[1] for p in prompts]
    assert sum(s.right for s in scores) == 1


def test_texts_are_compared_by_token(items: list[Item]):
    """−4 over four tokens is −1 each, better than −2 over one."""
    prompts = list(choose.write(items[:1], method="texts"))
    scores = list(choose.read([said(prompts[0], loglikelihoods=(-2.0, -4.0, -9.0, -9.0), lengths=(1, 4, 1, 1))], prompts, items))
    assert scores[0].position == 1


@pytest.mark.parametrize(
    "response, status",
    [
        ({"text": "B"}, "answered"),
        ({"text": "Rome or Paris, hard to say"}, "unparsed"),
        ({"error": "http 429"}, "failed"),
        ({"text": "", "finish_reason": "length"}, "truncated"),
        ({"text": "", "finish_reason": "content_filter"}, "refused"),
    ],
)
def test_what_is_not_an_answer_is_not_a_wrong_one(items: list[Item], response: dict[str, str], status: str):
    prompts = list(choose.write(items[:1], method="generate"))
    score = next(iter(choose.read([said(prompts[0], **response)], prompts, items)))
    assert (score.status, score.choice is None) == (status, status != "answered")


def test_choosing_the_abstaining_option_is_to_abstain():
    item = Item(stem="Q?", options=("a", "b", "Je ne sais pas"), gold=0, abstain=2, lang="fr")
    prompts = list(choose.write([item], orders="rotate"))
    scores = list(choose.read([said(p, loglikelihoods=(-5.0, -5.0, -1.0), lengths=(1, 1, 1)) for p in prompts], prompts, [item]))
    assert {(s.status, s.right) for s in scores} == {("abstained", False)}


def test_an_open_item_has_nothing_to_choose_from():
    with pytest.raises(InputError, match="evaluate.answer"):
        list(choose.write([Item(stem="Q?", kind="open", accept=(Accept(text="a"),), lang="en")]))


def test_oracle_puts_a_system_prompt_in_the_items_language_before_the_question(items: list[Item]):
    plain, oracle = list(choose.write(items[4:5], styles=("plain", "oracle")))
    assert [m.role for m in plain.messages] == ["user"]
    assert [m.role for m in oracle.messages] == ["system", "user"]
    assert "Autriche" in oracle.messages[0].content
    assert oracle.messages[1] == plain.messages[0]
    assert (plain.style, oracle.style) == ("plain", "oracle")


def test_a_style_that_nobody_wrote(items: list[Item]):
    with pytest.raises(UnknownName, match="did you mean 'oracle'"):
        list(choose.write(items, styles=("oracel",)))


def test_shots_are_solved_examples_before_the_question(items: list[Item]):
    prompt = next(p for p in choose.write(items, items, shots=Shots(k=(2,))) if p.item == items[0].id)
    assert [m.role for m in prompt.messages] == ["user", "assistant", "user", "assistant", "user"]
    known = {i.id: i for i in items}
    assert [m.content for m in prompt.messages[1::2]] == ["ABCD"[known[s].gold or 0] for s in prompt.shots]


def test_zero_and_three_shots_are_different_questions(items: list[Item]):
    prompts = list(choose.write(items[:1], items, shots=Shots(k=(0, 3))))
    assert [len(p.shots) for p in prompts] == [0, 3]
    assert prompts[0].messages != prompts[1].messages


def test_native_letters(items: list[Item]):
    item = Item(stem="س؟", options=("واحد", "اثنان"), gold=0, lang="ar")
    prompt = next(iter(choose.write([item], letters="native")))
    assert prompt.continuations == ("أ", "ب")
    assert "\nأ. واحد" in prompt.messages[0].content


def test_words_may_be_replaced(items: list[Item], tmp_path: Path):
    (tmp_path / "words.toml").write_text('[en]\nanswer = "My answer is"\n')
    prompt = next(iter(choose.write(items[:1], words=tmp_path / "words.toml")))
    assert prompt.messages[0].content.endswith("My answer is")


def test_draws_are_prompts_of_their_own(items: list[Item]):
    prompts = list(choose.write(items[:1], method="generate", draws=3))
    assert [p.draw for p in prompts] == [0, 1, 2]
    assert len({p.id for p in prompts}) == 3


def test_a_score_names_the_prompt_that_was_asked(items: list[Item]):
    prompts = list(choose.write(items))
    scores = choose.read([said(p, loglikelihoods=(-1.0, -2.0, -3.0, -4.0), lengths=(1, 1, 1, 1)) for p in prompts], prompts, items)
    assert [s.prompt for s in scores] == [p.id for p in prompts]
