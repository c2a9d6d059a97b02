"""What models made of a question, as judgments: D2, D3, and replies that say nothing."""

from pathlib import Path

import pytest

import endonym
from endonym.errors import InputError
from endonym.evaluate import answer
from endonym.records import Accept, Item, Prompt, Response, Score
from endonym.validate.probe import probe

SISTERS = Path(endonym.__file__).parent / "data" / "probe" / "sisters.toml"
ASKED = Item(kind="open", stem="Que número se marca numa emergência?", accept=(Accept(text="112"),), lang="pt-PT", place="PT")


def score(model: str, style: str, right: bool = False, status: str = "answered", **more: object) -> Score:
    return Score(item=ASKED.id, prompt="p", model=model, style=style, right=right, status=status, **more)  # type: ignore[arg-type]


def told(*scores: Score, **settings: object) -> list[tuple[str, ...]]:
    return [(j.judge, j.criterion, j.value, j.status, j.guideline) for j in probe([ASKED], scores, **settings)]  # type: ignore[arg-type]


def test_each_model_and_style_is_a_judgment_and_a_failed_reply_is_none():
    failed, unsure = score("b", "plain", status="failed"), score("c", "plain", status="abstained")
    assert told(score("a", "plain"), score("a", "oracle", True), failed, unsure) == [
        ("a", "probe/plain", "wrong", "answered", "D2"),
        ("b", "probe/plain", "", "failed", "D2"),
        ("c", "probe/plain", "wrong", "answered", "D2"),
        ("a", "probe/oracle", "right", "answered", "D2"),
    ]


def test_a_question_that_all_models_know_is_warned_of_and_one_that_nobody_answered_is_not():
    failed = score("b", "plain", status="failed")
    assert told(score("a", "plain", True), failed)[-1] == ("check/known", "known", "warning", "answered", "D2")
    assert [row[0] for row in told(score("a", "plain", True), score("b", "plain"))] == ["a", "b"]
    assert told(score("a", "plain", True), score("b", "plain"), share=0.5)[-1][0] == "check/known"
    assert [row[0] for row in told(score("a", "plain", status="failed"))] == ["a"]


def test_the_same_answer_in_a_sister_culture_is_warned_of_in_the_questions_language():
    said = list(probe([ASKED], [score("a", "oracle:BR"), score("a", "oracle:AO", True), score("b", "oracle:AO")]))
    assert [(j.criterion, j.value) for j in said] == [
        ("probe/oracle:BR", "other"), ("probe/oracle:AO", "same"), ("probe/oracle:AO", "other"), ("same-there", "warning"),
    ]  # fmt: skip
    assert "AO: 1/2" in said[-1].note and "país" in said[-1].note and said[-1].guideline == "D3"
    assert "country" in list(probe([ASKED], [score("a", "oracle:AO", True)], notes="en"))[-1].note


def test_a_model_asked_several_times_is_right_if_half_of_its_replies_are():
    (said,) = probe([ASKED], [score("a", "oracle", True), score("a", "oracle", draw=1)])
    assert (said.value, said.note) == ("right", "1 right of 2 replies")
    (said,) = probe([ASKED], [score("a", "oracle", True), score("a", "oracle", draw=1), score("a", "oracle", draw=2)])
    assert (said.value, said.note) == ("wrong", "1 right of 3 replies")


def test_scores_of_other_shots_do_not_count_and_an_item_without_any_is_an_error():
    with pytest.raises(InputError, match=f"item {ASKED.id}: has no score with shots 0"):
        told(score("a", "plain", shots=3))
    with pytest.raises(InputError, match="share: 0 is not above 0"):
        told(score("a", "plain"), share=0)


def test_the_shipped_words_put_a_question_as_from_a_sister_culture_and_the_stages_meet():
    """From prompts to judgments: evaluate.answer asks, a model that thinks of Brazil answers, the probe says what that means."""
    styles = ("plain", "oracle", "oracle:BR")
    prompts = list(answer.write([ASKED], styles=styles, words=SISTERS))
    assert [p.style for p in prompts] == list(styles)
    assert "Brasil" in prompts[2].messages[0].content and "Portugal" in prompts[1].messages[0].content

    def reply(prompt: Prompt) -> str:
        return "112" if "Portugal" in prompt.messages[0].content else "190"

    responses = [Response(prompt=p.id, model="m", text=reply(p), finish_reason="stop") for p in prompts]
    said = list(probe([ASKED], answer.read(responses, prompts, [ASKED])))
    assert [j.value for j in said] == ["wrong", "right", "other"]
