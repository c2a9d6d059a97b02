"""Exports of annotation tools, in the shapes that the tools write: who said what, and where a bad file is bad."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from endonym.build import READERS
from endonym.build.imports import answered, judgments
from endonym.build.readers import read
from endonym.errors import EndonymError, StorageError, TableError, UnknownName
from endonym.records import Accept, Item, Judgment

ITEMS = [Item(stem=f"Pergunta {n}?", kind="open", accept=(Accept(text="x"),), lang="pt-PT") for n in range(2)]
A, B = (item.id for item in ITEMS)


def row(control: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"value": value, "id": f"{control}-id", "from_name": control, "to_name": "q", "type": kind, "origin": "manual"}


def annotation(person: Any, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One annotation as Label Studio 1.x exports it."""
    return {
        "id": 1, "completed_by": person, "result": list(rows), "was_cancelled": False, "ground_truth": False, "lead_time": 4.2,
        "created_at": "2025-03-09T22:16:08.728353Z", "updated_at": "2025-03-09T22:16:08.728378Z", "prediction": {},
        "result_count": 0, "unique_id": "5b0c", "import_id": None, "last_action": None, "task": 17, "project": 83, "updated_by": 1,
        "parent_prediction": None, "parent_annotation": None, "last_created_by": None, **more,
    }  # fmt: skip


def task(number: int, data: dict[str, Any], *annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number, "annotations": list(annotations), "file_upload": "1-items.json", "drafts": [], "predictions": [], "data": data,
        "meta": {}, "created_at": "2025-03-09T21:52:49Z", "updated_at": "2025-03-09T22:16:08Z", "inner_id": 1, "total_annotations": 1,
        "cancelled_annotations": 0, "total_predictions": 0, "comment_count": 0, "project": 83, "updated_by": 1, "comment_authors": [],
    }  # fmt: skip


STUDIO = [
    task(
        17, {"item": A, "text": "Pergunta 0?"},
        annotation(7, row("verdict", "choices", {"choices": ["accept"]}), row("fluency", "rating", {"rating": 4}), 
            row("why", "textarea", {"text": ["boa", "curta"]}),
        ),
        annotation(
            {"id": 9, "email": "rui@example.org", "first_name": "Rui", "last_name": ""}, row("verdict", "choices", {"choices": ["reject"]}),
            row("fluency", "rating", {"rating": 2}),
        ),
    ),
    task(
        18, {"item": B, "text": "Pergunta 1?"}, annotation(7, was_cancelled=True),
        annotation("rui@example.org", row("verdict", "choices", {"choices": ["accept", "discuss"]})),
    ),
]  # fmt: skip


@pytest.fixture
def export(tmp_path: Path):
    def write(rows: Any, name: str = "export.json") -> Path:
        path = tmp_path / name
        path.write_text(rows if isinstance(rows, str) else json.dumps(rows, ensure_ascii=False), encoding="utf-8")
        return path

    return write


def told(found: list[Judgment]) -> list[tuple[str, str, str, str, str, str]]:
    return [(j.item, j.judge, j.criterion, j.value, j.status, j.note) for j in found]


# ---- Label Studio


def test_label_studio_says_who_said_what(export: Any):
    found = told(
        list(judgments(ITEMS, file=export(STUDIO), criteria={"verdict": "accept", "fluency": "LN"}, note="why", people={"7": "ane"}))
    )
    digest = found[-1][1]
    assert found == [
        (A, "people/ane", "accept", "accept", "answered", "boa curta"), (A, "people/ane", "LN", "4", "answered", "boa curta"),
        (A, "people/9", "accept", "reject", "answered", ""), (A, "people/9", "LN", "2", "answered", ""),
        (B, "people/ane", "accept", "", "abstained", "skipped"), (B, "people/ane", "LN", "", "abstained", "skipped"),
        (B, digest, "accept", "accept; discuss", "answered", ""),
    ]  # fmt: skip
    assert digest.startswith("people/p") and "rui" not in digest and "@" not in digest


def test_all_controls_are_taken_where_none_is_named(export: Any):
    found = list(judgments(file=export(STUDIO[:1])))
    assert [(j.judge, j.criterion, j.value) for j in found if j.judge == "people/7"] == [
        ("people/7", "verdict", "accept"), ("people/7", "fluency", "4"), ("people/7", "why", "boa; curta"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind, value, text", [
    ("number", {"number": 2.5}, "2.5"),
    ("rating", {"rating": 3}, "3"),
    ("taxonomy", {"taxonomy": [["comida", "doces"], ["festas"]]}, "comida / doces; festas"),
    ("pairwise", {"selected": "left"}, "left"),
    ("textarea", {"text": "uma linha"}, "uma linha"),
])  # fmt: skip
def test_every_control_of_a_whole_task_is_read(export: Any, kind: str, value: dict[str, Any], text: str):
    (found,) = judgments(file=export([task(1, {"item": A}, annotation(7, row("c", kind, value)))]))
    assert found.value == text


def test_regions_are_passed_over_where_the_controls_are_named(export: Any):
    labels = row("spans", "labels", {"start": 0, "end": 3, "text": "Que", "labels": ["X"]})
    rows = [
        task(
            1,
            {"item": A},
            annotation(7, labels, {"type": "relation", "from_id": "a", "to_id": "b"}, row("v", "choices", {"choices": ["ok"]})),
        )
    ]
    assert [j.value for j in judgments(file=export(rows), criteria={"v": "v"})] == ["ok"]
    with pytest.raises(TableError, match=r'task 1: annotations\[0\]: result\[0\]: type: "labels" says nothing of a whole task'):
        list(judgments(file=export(rows)))


@pytest.mark.parametrize("rows, message", [
    ([{"id": 1, "data": {}, "annotations": None}], "task 1: annotations: expected a list, found null"),
    ([task(1, {"item": A}, {"completed_by": 7})], r"task 1: annotations\[0\]: result: expected a list, found null"),
    ([task(1, {"item": A}, annotation([7]))], r"annotations\[0\]: completed_by: expected a number or an object, found a list of 1"),
    ([task(1, {"item": A}, annotation(7, row("v", "choices", {"choices": [{}]})))],
     r"result\[0\]: value: choices\[0\]: expected text or a number, found an object"),
    ([task(1, {"item": A}, annotation(7, row("r", "rating", {"rating": "4"})))], r"\[0\]: value: rating: expected a number, found \"4\""),
    ([task(1, {"item": A}, annotation(7, row("r", "rating", {})))], "rating: expected a number, found null"),
    ([task(1, {"item": A}, annotation(7, row("r", "rating", {"rating": 1}), row("r", "rating", {"rating": 2})))], "'r' stands in result"),
    ([task(1, {"item": A}, annotation(7), annotation(7))], r"\[1\]: completed_by: 7 annotated this task in annotations\[0\] too"),
    ([task(5, {"text": "x"}, annotation(7, row("r", "rating", {"rating": 1})))], "task 5: item: is missing; .* The data has text"),
    ([task(5, {"item": "0" * 16}, annotation(7))], "task 5: item: '0000000000000000' is none of the 2 items of the table"),
    ([task(5, {"item": A}), "x"], r"tasks\[1\]: data: expected an object"),
    ('[{"id": 1, "data"', "line 1, column 18: the JSON is cut off"),
    ('[{"id": 1,, }]', "line 1, column 11: no JSON"),
    ([{"id": 1, "text": "x", "verdict": "accept", "annotator": 7}], "is no export of label-studio or argilla: .*not JSON-MIN"),
    ([], "is no export"),
])  # fmt: skip
def test_a_bad_file_is_named_with_its_field(export: Any, rows: Any, message: str):
    path = export(rows)
    with pytest.raises(TableError, match=f"export.json: .*{message}" if not message.startswith("is no") else message):
        list(judgments(ITEMS, file=path))


def test_what_is_asked_for_has_to_be_there(export: Any, tmp_path: Path):
    with pytest.raises(UnknownName, match="no question of the export 'verdit'; did you mean 'verdict'"):
        list(judgments(file=export(STUDIO), criteria={"verdit": "accept"}))
    with pytest.raises(UnknownName, match="no form of export 'labelstudio'; did you mean 'label-studio'"):
        list(judgments(file=export(STUDIO), form="labelstudio"))
    with pytest.raises(StorageError, match="no such file"):
        list(judgments(file=tmp_path / "none.json"))


def test_nobody_has_no_name_unless_one_is_given(export: Any):
    rows = [task(1, {"item": A}, annotation(None, row("v", "choices", {"choices": ["ok"]})))]
    with pytest.raises(Exception, match="an annotation says not who made it"):
        list(judgments(file=export(rows)))
    assert [j.judge for j in judgments(file=export(rows), people={"": "guest"})] == ["people/guest"]


# ---- Argilla, in its three shapes

ANE, RUI = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"
NESTED = [
    {"id": A, "status": "completed", "_server_id": "5e0c", "fields": {"question": "Pergunta 0?"}, "metadata": {"topic": "comida"},
     "vectors": {}, "suggestions": {"label": {"value": "no", "score": 0.3, "agent": "some-model"}},
     "responses": {"label": [{"value": "yes", "user_id": ANE}, {"value": "no", "user_id": RUI}], "rating": [{"value": 4, "user_id": ANE}]}},
    {"id": B, "status": "pending", "_server_id": "5e0d", "fields": {"question": "Pergunta 1?"}, "metadata": {}, "vectors": {},
     "suggestions": {}, "responses": {"rating": [{"value": None, "user_id": RUI}]}},
]  # fmt: skip
FLAT = [
    {"id": A, "status": "completed", "_server_id": "5e0c", "question": "Pergunta 0?", "topic": "comida", "label.responses": ["yes", "no"],
     "label.responses.users": [ANE, RUI], "label.responses.status": ["submitted", "submitted"], "label.suggestion": "no",
     "label.suggestion.score": 0.3, "label.suggestion.agent": "some-model", "rating.responses": [4], "rating.responses.users": [ANE],
     "rating.responses.status": ["submitted"]},
    {"id": B, "status": "pending", "_server_id": "5e0d", "question": "Pergunta 1?", "topic": None, "label.responses": None,
     "label.responses.users": None, "label.responses.status": None, "rating.responses": [None], "rating.responses.users": [RUI],
     "rating.responses.status": ["submitted"]},
]  # fmt: skip
FIRST = [
    {"external_id": A, "fields": {"question": "Pergunta 0?"}, "metadata": {"topic": "comida"}, "suggestions": [], "responses": [
        {"user_id": ANE, "status": "submitted", "values": {"label": {"value": "yes"}, "rating": {"value": 4}}},
        {"user_id": RUI, "status": "submitted", "values": {"label": {"value": "no"}}},
    ]},
    {"external_id": B, "fields": {"question": "Pergunta 1?"}, "metadata": {}, "suggestions": [], "responses": [
        {"user_id": RUI, "status": "submitted", "values": {"rating": {"value": None}}},
    ]},
]  # fmt: skip
BY_HAND = [
    (A, f"people/{ANE}", "label", "yes", "answered"), (A, f"people/{ANE}", "rating", "4", "answered"),
    (A, "people/rui", "label", "no", "answered"), (B, "people/rui", "rating", "", "abstained"),
]  # fmt: skip


@pytest.mark.parametrize("rows", [NESTED, FLAT, FIRST], ids=["nested", "flat", "version 1"])
@pytest.mark.parametrize("lines", [False, True], ids=["json", "jsonl"])
def test_argilla_says_who_said_what_in_every_shape(export: Any, rows: list[Any], lines: bool):
    text = "\n".join(json.dumps(r) for r in rows) + "\n" if lines else json.dumps(rows)
    found = [t[:5] for t in told(list(judgments(ITEMS, file=export(text, "a.jsonl"), people={RUI: "rui"})))]
    assert sorted(found) == sorted(BY_HAND)


def test_drafts_and_discarded_records_are_abstentions(export: Any):
    rows = [{**FIRST[0], "responses": [
        {"user_id": ANE, "status": "discarded", "values": {}}, {"user_id": RUI, "status": "draft", "values": {"label": {"value": "ye"}}},
        {"user_id": "x", "status": "submitted", "values": {"label": {"value": "yes"}}},
    ]}]  # fmt: skip
    found = told(list(judgments(file=export(rows))))
    assert [(j[1], j[2], j[3], j[4], j[5]) for j in found] == [
        (f"people/{ANE}", "label", "", "abstained", "discarded"), (f"people/{RUI}", "label", "", "abstained", "draft"),
        ("people/x", "label", "yes", "answered", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("value, text", [
    (["b", "a"], "b; a"),
    ([{"value": "reply-2", "rank": 2}, {"value": "reply-1", "rank": 1}], "reply-1; reply-2"),
    ([{"value": "c", "rank": None}, {"value": "b", "rank": None}, {"value": "a", "rank": 1}], "a; c; b"),
    (3, "3"),
    (" texto ", "texto"),
])  # fmt: skip
def test_every_kind_of_question_is_read(export: Any, value: Any, text: str):
    rows = [{**NESTED[0], "responses": {"q": [{"value": value, "user_id": ANE}]}}]
    assert [j.value for j in judgments(file=export(rows))] == [text]


@pytest.mark.parametrize("rows, message", [
    ([{**NESTED[0], "responses": {"q": {"value": 1}}}], rf"record {A}: responses.q: expected a list, found an object"),
    ([{**NESTED[0], "responses": {"q": [7]}}], r"responses.q: \[0\]: expected an object, found 7"),
    ([{**NESTED[0], "responses": {"q": [{"value": [{"start": 0, "end": 2, "label": ""}], "user_id": ANE}]}}], r"\[0\]: value: marks spans"),
    ([{**NESTED[0], "responses": {"q": [{"value": True, "user_id": ANE}]}}], "value: expected text or a number, found true"),
    ([{**NESTED[0], "responses": {"q": [{"value": 1, "user_id": ANE}] * 2}}], f"q: user {ANE} answered twice"),
    ([{**NESTED[0], "responses": 3}], "responses: expected an object or a list, found 3"),
    ([{**FLAT[0], "label.responses.users": [ANE]}], "label.responses.users: expected a list, as long as label.responses"),
    ([{**FIRST[0], "responses": [{"user_id": ANE, "status": "sent", "values": {"q": {"value": 1}}}]}], "status: .sent. is none"),
    ([{**NESTED[0], "id": "other"}], "record other: item: 'other' is none of the 2 items"),
    ([NESTED[0], 5], r"records\[1\]: expected an object, found 5"),
])  # fmt: skip
def test_a_bad_record_is_named_with_its_field(export: Any, rows: Any, message: str):
    with pytest.raises(TableError, match=f"export.json: .*{message}"):
        list(judgments(ITEMS, file=export(rows)))


def test_a_bad_line_is_named(export: Any):
    with pytest.raises(TableError, match=r"a\.jsonl:2: "):
        list(judgments(file=export(json.dumps(NESTED[0]) + "\n{broken\n", "a.jsonl")))


def test_the_id_may_stand_in_the_metadata(export: Any):
    rows = [{**NESTED[0], "id": "7", "metadata": {"endonym": A}}]
    assert {j.item for j in judgments(ITEMS, file=export(rows), item="endonym")} == {A}


# ---- Answers of people, as items

ASKED = [
    task(
        3,
        {"question": "Que peixe se come no Natal?", "lang": "pt-PT", "place": "PT", "topic": "comida", "item": "0f", "maker": "m/x"},
        annotation(1, row("answer", "textarea", {"text": ["bacalhau", "polvo"]})),
        annotation(2, row("answer", "textarea", {"text": ["O bacalhau; peru"]})),
        annotation(3, was_cancelled=True),
    ),
    task(4, {"question": "Que sopa?", "lang": "pt-PT"}, annotation(1, was_cancelled=True)),
]  # fmt: skip


def test_answers_become_items_with_votes(export: Any):
    skipped: list[str] = []
    (item,) = answered(file=export(ASKED), skip_bad=True, skipped=skipped)
    assert [(a.text, a.weight) for a in item.accept] == [("bacalhau", 2.0), ("polvo", 1.0), ("peru", 1.0)]
    assert (item.lang, item.place, item.topic, item.parent, item.maker) == ("pt-PT", "PT", "comida", "0f", "m/x")
    assert item.meta == {"answered_by": "people", "asked": "3", "answered": "2"}
    assert [line.partition(": ")[2] for line in skipped] == ["task 4: answer: nobody has answered"]
    with pytest.raises(TableError, match="task 4: answer: nobody has answered"):
        list(answered(file=export(ASKED)))


def test_argilla_has_answers_too(export: Any):
    rows = [{**NESTED[0], "responses": {"resposta": [{"value": "Natal", "user_id": ANE}, {"value": "o Natal", "user_id": RUI}]}}]
    (item,) = answered(file=export(rows), answer="resposta", lang="pt-PT", place="PT")
    assert (item.stem, item.topic, item.accept) == ("Pergunta 0?", "comida", (Accept(text="Natal", weight=2.0),))
    for fault, how in (("lang: is missing", {"lang": ""}), ("text: is missing; the data has topic, question", {"question": "text"})):
        with pytest.raises(TableError, match=fault):
            list(answered(file=export(rows), **{"answer": "resposta", "lang": "pt-PT", **how}))


def test_the_readers_are_on_the_shelf(export: Any):
    assert {"label-studio", "argilla"} <= READERS.keys()
    assert len(list(read(reader="label-studio", path=export(ASKED[:1])))) == 1
    rows = [{**NESTED[0], "metadata": {"lang": "pt-PT"}, "responses": {"answer": [{"value": "sim senhor", "user_id": ANE}]}}]
    assert [i.accept[0].text for i in read(reader="argilla", path=export(rows))] == ["sim senhor"]


def spoilt(export: Any, rng: random.Random) -> Any:
    """An export in which one value somewhere is another."""
    changed = copy.deepcopy(export)
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            places.append((part, key))
            walk(part[key])

    walk(changed)
    part, key = rng.choice(places)
    part[key] = rng.choice([None, True, 0, 1.5, "", [], {}, "x", [None], [[1]], {"a": 1}, [{}]])
    return changed


@pytest.mark.parametrize("rows", [STUDIO, NESTED, FLAT, FIRST, ASKED], ids=["studio", "nested", "flat", "version 1", "answers"])
def test_whatever_stands_in_a_file_is_read_or_said(export: Any, rows: list[Any]):
    rng, read_well = random.Random(0), 0
    for _ in range(150):
        path = export(spoilt(rows, rng))
        for reading in (judgments(file=path, people={"": "x"}), answered(file=path, people={"": "x"}, skip_bad=True, skipped=[])):
            try:
                read_well += sum(bool(each) for each in reading) > 0
            except EndonymError as problem:
                assert "export" in str(problem)
    assert read_well > 20
