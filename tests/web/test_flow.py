"""From an invitation to a table: the whole way of a question."""

import json

import msgspec

from endonym import store
from endonym.records import Item, Judgment

from .conftest import QUESTION, decide, opened, write


def test_a_question_goes_from_invitation_to_items(people, workspace):
    owner, ane, rui = people.join("owner"), people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    assert "O que se põe no pão" in rui.get("/adjudicate").text
    assert decide(rui, number, reason="boa").status_code == 200
    answer = owner.submit("/export")
    assert "1 row" in answer.text
    (item,) = store.read(workspace / "tables" / "items.jsonl", Item)
    assert (item.stem, item.kind, item.topic, item.lang, item.place) == (QUESTION["stem"], "open", "food", "pt-PT", "PT")
    assert [(a.text, a.weight) for a in item.accept] == [("manteiga", 1.0), ("a manteiga", 1.0)]
    assert item.maker == f"people/{ane.pseudonym}"
    (said,) = store.read(workspace / "tables" / "judgments.jsonl", Judgment)
    assert (said.item, said.judge, said.criterion, said.value, said.note) == (item.id, f"people/{rui.pseudonym}", "accept", "accept", "boa")
    assert store.verify(workspace / "tables") == 2


def test_the_same_state_makes_the_same_bytes(people, workspace):
    owner, ane, rui = people.join("owner"), people.join("annotator"), people.join("adjudicator")
    decide(rui, write(ane))
    owner.submit("/export")
    first = {p.name: p.read_bytes() for p in (workspace / "tables").iterdir()}
    owner.submit("/export")
    assert {p.name: p.read_bytes() for p in (workspace / "tables").iterdir()} == first


def test_an_export_writes_over_no_table_of_another_stage(people, workspace, items):
    from endonym.records import Manifest

    store.write(workspace / "tables" / "items.jsonl", items, Manifest(stage="build.read", version="1"))
    before = (workspace / "tables" / "items.jsonl").read_bytes()
    answer = people.join("owner").submit("/export")
    assert answer.status_code == 409 and "build.read" in answer.text
    assert (workspace / "tables" / "items.jsonl").read_bytes() == before
    assert not (workspace / "tables" / "judgments.jsonl").exists()


def test_addresses_leave_in_no_table_and_no_sheet(people, workspace):
    owner, rui, ane = people.join("owner"), people.join("adjudicator"), people.join("annotator")
    ane.submit("/account", {"email": "ane@example.org"})
    decide(rui, write(ane))
    owner.submit("/export")
    sheet = owner.get("/export/questions.csv").content
    out = b"".join(p.read_bytes() for p in (workspace / "tables").rglob("*") if p.is_file()) + sheet
    assert b"example.org" not in out and ane.pseudonym.encode() in out
    assert "ane@example.org" in owner.get("/people").text and "ane@example.org" not in rui.get("/progress").text


def test_a_hard_rule_blocks_the_submission_and_keeps_the_draft(people):
    ane = people.join("annotator")
    long = "Quem " + "e quem " * 45 + "veio?"
    number = write(ane, stem=long)
    page = ane.get(f"/questions/{number}/edit?blocked=1").text
    assert 'id="blocked"' in page and "longer than 40 words" in page and "e quem e quem" in page
    assert "draft" in ane.get(f"/questions/{number}").text


def test_an_exception_is_asked_for_given_with_a_reason_and_exported(people, workspace):
    owner, ane, rui = people.join("owner"), people.join("annotator"), people.join("adjudicator")
    fields = {**QUESTION, "stem": "Quem " + "e quem " * 45 + "veio?"}
    answer = ane.submit("/write", {**fields, **opened(ane), "do": "ask", "reason": "é um verso que todos sabem"})
    number = int(str(answer.url).split("/questions/")[1].split("?")[0])
    assert "é um verso" in rui.get(f"/adjudicate/{number}").text
    assert decide(rui, number).status_code == 422, "a question that breaks a hard rule was accepted"
    override = {"base": "1", "criterion": "length", "reason": ""}
    assert rui.submit(f"/adjudicate/{number}/override", override).status_code == 422, "an exception without a reason"
    assert rui.submit(f"/adjudicate/{number}/override", {**override, "reason": "conhecido"}).status_code == 200
    assert decide(rui, number).status_code == 200
    owner.submit("/export")
    rows = [json.loads(line) for line in (workspace / "tables" / "judgments.jsonl").read_text().splitlines()]
    assert {(r["criterion"], r["value"]) for r in rows} == {("accept", "accept"), ("override:length", "override"), ("length", "error")}


def test_rejection_needs_a_guideline_and_the_author_sees_why(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    assert decide(rui, number, "reject").status_code == 422
    assert decide(rui, number, "reject", guideline="X9").status_code == 422
    assert decide(rui, number, "reject", guideline="E3", reason="ninguém sabe").status_code == 200
    page = ane.get(f"/questions/{number}").text
    assert "ninguém sabe" in page and "E3" in page and "rejected" in page
    again = {**QUESTION, **opened(ane, f"/questions/{number}/edit"), "stem": "Que se come ao lanche?", "do": "submit"}
    answer = ane.submit(f"/questions/{number}/edit", again)
    assert answer.status_code == 200 and "Que se come" in rui.get("/adjudicate").text


def test_every_version_and_decision_is_kept(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    decide(rui, number, "reject", guideline="L4", reason="há várias")
    edit = {**QUESTION, "answer": "queijo", "base": "1"}
    assert rui.submit(f"/adjudicate/{number}/edit", edit).status_code == 200
    decide(rui, number, base=2)
    page = ane.get(f"/questions/{number}").text
    for kept in ("manteiga", "queijo", "há várias", "Version 1", "Version 2", "accepted", "rejected"):
        assert kept in page


def test_a_form_that_is_sent_twice_makes_one_question(people):
    ane = people.join("annotator")
    form = {**QUESTION, **opened(ane), "do": "submit"}
    first, second = ane.submit("/write", form), ane.submit("/write", form)
    assert str(first.url).split("?")[0] == str(second.url).split("?")[0]
    assert ane.get("/questions").text.count('<li><a href="/questions/') == 1


def test_a_form_that_comes_back_with_other_words_loses_neither(people):
    ane = people.join("annotator")
    form = {**QUESTION, **opened(ane), "do": "save"}
    ane.submit("/write", form)
    answer = ane.submit("/write", {**form, "answer": "compota"})
    assert answer.status_code == 409 and "compota" in answer.text and "manteiga" in answer.text


def test_two_people_never_overwrite_each_other(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    mine = {**QUESTION, **opened(ane, f"/questions/{number}/edit"), "do": "save"}
    assert rui.submit(f"/adjudicate/{number}/edit", {**QUESTION, "answer": "marmelada", "base": "1"}).status_code == 200
    answer = ane.submit(f"/questions/{number}/edit", {**mine, "answer": "mel"})
    assert answer.status_code == 409 and 'id="stale"' in answer.text
    assert "marmelada" in answer.text and "mel" in answer.text
    again = ane.submit(f"/questions/{number}/edit", {**mine, "answer": "mel", "base": "2"})
    assert again.status_code == 200
    history = ane.get(f"/questions/{number}").text
    assert "marmelada" in history and "Version 3" in history


def test_a_decision_on_a_text_that_changed_is_not_taken(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    ane.submit(f"/questions/{number}/edit", {**QUESTION, **opened(ane, f"/questions/{number}/edit"), "answer": "mel", "do": "submit"})
    answer = decide(rui, number, base=1)
    assert answer.status_code == 409 and "mel" in answer.text
    assert "accepted" not in ane.get("/questions").text.replace("accepted answers", "")


def test_adjudicators_who_differ_put_it_to_discussion_and_see_each_other_only_then(people):
    ane, rui, eva = people.join("annotator"), people.join("adjudicator"), people.join("adjudicator")
    people.site.config = msgspec.structs.replace(people.site.config, opinions=2)
    number = write(ane)
    decide(rui, number, "reject", guideline="D1", reason="um nome")
    assert "um nome" not in eva.get(f"/adjudicate/{number}").text and "um nome" not in eva.get(f"/questions/{number}").text
    decide(eva, number, "accept")
    assert "um nome" in eva.get(f"/adjudicate/{number}").text
    assert "in discussion" in ane.get(f"/questions/{number}").text
    decide(rui, number, "accept")
    assert "accepted" in ane.get(f"/questions/{number}").text


def test_findings_are_shown_as_one_writes(people):
    ane = people.join("annotator")
    part = ane.submit("/check", {"stem": "Qual é a capital", "answer": "x " * 20}).text
    assert "question mark" in part and "answer is long" in part and "<html" not in part


def test_time_spent_is_counted_and_a_forged_stamp_is_not(people):
    from endonym.web import security

    assert security.since(people.site.secret, "nonsense") == 0.0
    assert 0.0 <= security.since(people.site.secret, security.stamp(people.site.secret)) < 5.0
    assert security.since("other", security.stamp(people.site.secret)) == 0.0
