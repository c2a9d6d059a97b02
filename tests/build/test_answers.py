"""Moved questions are revised and answered by people: votes, silences, and every question counted."""

from pathlib import Path
from typing import Any

import pytest

from endonym import store
from endonym.build import answers, revise
from endonym.errors import InputError, Waiting
from endonym.kitchen import Kitchen
from endonym.recipe import load
from endonym.records import Accept, Item, Judgment, Prompt, Response, Source

FISH = Source(
    id="fish", text="Que peixe se come na noite de Natal em Portugal?", lang="pt-PT", place="PT", topic="comida",
    fact={"item": "0f", "from": "ES", "maker": "parrot/x"},
    labels={"original": {"es": "¿Qué se come en España?"}, "candidates": {"pt-PT": "polvo"}},
)  # fmt: skip
BEANS = Source(id="beans", text="Que sopa se come em Portugal?", lang="pt-PT", place="PT")


def said(prompt: Prompt, *replies: str, provider: str = "people", **more: Any) -> list[Response]:
    return [Response(prompt=prompt.id, model=f"{provider}/{n}", text=text, finish_reason="stop", **more) for n, text in enumerate(replies)]


def outcome(*replies: str, **how: Any) -> tuple[list[Item], list[Judgment]]:
    (prompt,) = answers.write([FISH])
    given = said(prompt, *replies)
    items, out = list(answers.read(given, [prompt], [FISH], **how)), list(answers.unanswered(given, [prompt], [FISH], **how))
    assert len(items) + len(out) == 1
    return items, out


# ---- Answers


def test_a_page_tells_a_person_how_to_answer_and_shows_no_model():
    (prompt,) = answers.write([FISH])
    text = prompt.messages[0].content
    assert FISH.text in text and "não sei" in text and "não se aplica" in text and "Portugal" in text
    assert "polvo" not in text and "España" not in text and "{" not in text
    (swayed,) = answers.write([FISH], candidates=True)
    assert "polvo" in swayed.messages[0].content and swayed.id != prompt.id


def test_answers_weigh_as_many_as_gave_them():
    """Five people, as BLEnD's: cod 3, octopus 2; one knows none."""
    items, _ = outcome("bacalhau", "O bacalhau; polvo", "Bacalhau.", "polvo", "não sei")
    (item,) = items
    assert item.accept == (Accept(text="bacalhau", weight=3.0), Accept(text="polvo", weight=2.0))
    assert (item.parent, item.maker, item.source, item.place, item.topic) == ("0f", "parrot/x", "fish", "PT", "comida")
    assert item.meta == {"from": "ES", "answered_by": "people", "asked": "5", "answered": "4", "unknown": "1", "not_here": "0"}


def test_a_hedged_answer_is_an_answer():
    items, _ = outcome("não sei; talvez polvo")
    assert [a.text for a in items[0].accept] == ["talvez polvo"]


@pytest.mark.parametrize("replies, left", [
    (["não se aplica"] * 3 + ["bacalhau"] * 2, "not_here"),  # BLEnD leaves out at 3 of 5
    (["não se aplica"] * 2 + ["bacalhau"] * 3, ""),
    (["não sei"] * 5, "unanswered"),
    (["não sei"] * 4 + ["bacalhau"], ""),
    (["?", "Não sei.", "NÃO SEI"], "unanswered"),
    (["n/a", "não existe cá", "Não faz sentido"], "not_here"),
    ([" ; "], "unanswered"),
])  # fmt: skip
def test_silences_are_counted_each_for_itself(replies: list[str], left: str):
    _, out = outcome(*replies)
    assert [j.criterion for j in out] == ([left] if left else [])


def test_a_note_says_how_many_said_what():
    _, out = outcome("não sei", "não se aplica", "bacalhau", least=2)
    assert out[0].note == f"1 of 3 answered, 1 do not know, 1 say that it does not apply: {FISH.text}"


def test_the_limits_can_be_set():
    assert outcome("não se aplica", "bacalhau", not_here=0.5)[1][0].criterion == "not_here"
    assert outcome("bacalhau", "não sei", least=2)[1][0].criterion == "unanswered"


def test_who_answered_is_told():
    (prompt,) = answers.write([FISH])
    people, model = said(prompt, "bacalhau"), said(prompt, "<think>cod; octopus</think>bacalhau", provider="openai")
    both = list(answers.read([*people, *model], [prompt], [FISH]))[0]
    assert (both.meta["answered_by"], both.accept) == ("people+model", (Accept(text="bacalhau", weight=2.0),))
    alone = list(answers.read(model, [prompt], [FISH]))[0]
    assert alone.meta["answered_by"] == "model"


def test_a_failed_call_is_no_silence_of_a_person():
    (prompt,) = answers.write([FISH])
    failed = [Response(prompt=prompt.id, model="openai/x", error="down")]
    (item,) = answers.read([*said(prompt, "bacalhau"), *failed], [prompt], [FISH])
    assert (item.meta["asked"], item.meta["answered"], item.meta["unknown"]) == ("2", "1", "0")
    (out,) = answers.unanswered(failed, [prompt], [FISH])
    assert out.note.startswith("0 of 1 answered, 1 gave no reply")


def test_questions_have_to_be_those_that_were_put():
    (prompt,) = answers.write([FISH])
    with pytest.raises(InputError, match="fish was put and is not among them"):
        list(answers.read([], [prompt], [BEANS]))


# ---- Revision


def revised(*replies: str) -> tuple[list[Source], list[Judgment]]:
    questions = [FISH, BEANS][: len(replies)]
    prompts = list(revise.write(questions))
    given = [Response(prompt=p.id, model="people/rui", text=text) for p, text in zip(prompts, replies, strict=True)]
    kept, out = list(revise.read(given, prompts, questions)), list(revise.revised_out(given, prompts, questions))
    assert len(kept) + len(out) == len(replies)
    return kept, out


def test_a_reviser_sees_the_original():
    (prompt,) = revise.write([FISH])
    assert "¿Qué se come en España?" in prompt.messages[0].content and "retirar" in prompt.messages[0].content


@pytest.mark.parametrize("text", ["ok", "OK.", " Está bem ", FISH.text])
def test_what_is_kept_stays_as_it_was(text: str):
    assert revised(text) == ([FISH], [])


def test_what_is_mended_is_a_new_question():
    text = "Que peixe se come em Portugal na noite  de Natal?"
    (found,), _ = revised(text)
    assert (found.text, found.fact["was"], found.fact["revised_by"]) == (
        "Que peixe se come em Portugal na noite de Natal?",
        "fish",
        "people/rui",
    )
    assert found.id != "fish" and found.fact["item"] == "0f"


@pytest.mark.parametrize("text, criterion, note", [
    ("retirar: cá ninguém come peixe", "dropped", "cá ninguém come peixe"),
    ("Retirar", "dropped", "no reason given"),
    ("retirar: porquê o Natal?", "dropped", "porquê o Natal?"),
    ("okk", "question", "does not end with a question mark: 'okk'"),
])  # fmt: skip
def test_what_does_not_stay_has_a_reason(text: str, criterion: str, note: str):
    _, (out,) = revised(text)
    assert (out.criterion, out.note, out.judge, out.item) == (criterion, note, "people/rui", "fish")


def test_a_question_may_begin_with_the_word_that_drops():
    (found,), _ = revised("Fora de casa, que peixe se come no Natal em Portugal?")
    assert found.fact["was"] == "fish"


def test_two_that_become_one_are_one():
    kept, out = revised("ok", FISH.text)
    assert (len(kept), [j.criterion for j in out]) == (1, ["duplicate"])


def test_one_table_has_one_reviser():
    (prompt,) = revise.write([FISH])
    with pytest.raises(InputError, match="people/0 and people/1 revised one table"):
        list(revise.read(said(prompt, "ok", "ok"), [prompt], [FISH]))


# ---- As a recipe: a model moves, one person revises, two answer

RECIPE = """
[[stage]]
do = "build.read"
makes = "abroad"
reader = "endonym"
path = "abroad.jsonl"

[[stage]]
do = "build.transpose"
makes = "moved"
items = "abroad"
place = "PT"
lang = "pt-PT"
models = [{ name = "parrot/m", params = { says = { fiesta = '{"question": "Que festa há em Portugal?", "answers": []}', sopa = 'no' } } }]

[[stage]]
do = "build.transposed_out"
makes = "moved-out"
said = "moved/*"
asked = "moved/prompts"
items = "abroad"
place = "PT"
lang = "pt-PT"

[[stage]]
do = "build.transposed"
makes = "questions"
said = "moved/*"
asked = "moved/prompts"
items = "abroad"
place = "PT"
lang = "pt-PT"

[[stage]]
do = "build.revise"
makes = "revised"
questions = "questions"
models = [{ name = "people/rui", params = { sheet = "revise.csv" } }]

[[stage]]
do = "build.answers"
makes = "items"
questions = "revised"
models = [{ name = "people/ane", params = { sheet = "ane.csv" } }, { name = "people/bia", params = { sheet = "bia.csv" } }]
"""


def test_a_contrast_set_is_made_by_a_recipe(tmp_path: Path):
    def fill(sheet: str, text: str) -> None:
        path = tmp_path / sheet
        path.write_text(path.read_text(encoding="utf-8-sig").rstrip().removesuffix(",") + f",{text}\n", encoding="utf-8")

    (tmp_path / "recipe.toml").write_text(RECIPE)
    abroad = [
        Item(stem=f"¿Qué {word} hay en España?", kind="open", accept=(Accept(text="x"),), lang="es", place="ES")
        for word in ("fiesta", "sopa")
    ]
    (tmp_path / "abroad.jsonl").write_bytes(b"".join(store.canonical(item) + b"\n" for item in abroad))
    with pytest.raises(Waiting, match="revise.csv: 1 of 1 rows wait"):
        Kitchen(tmp_path).cook(load(tmp_path))
    fill("revise.csv", "Que grande festa há em Portugal?")
    with pytest.raises(Waiting, match="ane.csv: 1 of 1 rows wait.*bia.csv: 1 of 1 rows wait"):
        Kitchen(tmp_path).cook(load(tmp_path))
    fill("ane.csv", "Natal")
    fill("bia.csv", "o Natal; Páscoa")
    Kitchen(tmp_path).cook(load(tmp_path))
    (item,) = store.read(tmp_path / "tables/items.jsonl", Item)
    assert (item.stem, [(a.text, a.weight) for a in item.accept]) == ("Que grande festa há em Portugal?", [("Natal", 2.0), ("Páscoa", 1.0)])
    assert (item.parent, item.meta["answered_by"]) == (abroad[0].id, "people")
    out = {j.item.split(" of ")[0]: (j.criterion, j.value) for j in store.read(tmp_path / "tables/moved-out.jsonl", Judgment)}
    assert out == {f"{abroad[0].id} to PT": ("unanswered", "warning"), f"{abroad[1].id} to PT": ("malformed", "error")}
