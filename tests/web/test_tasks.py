"""Tasks are closed and opened again by the owner, also over a table that was made anew."""

import pytest

from endonym import store
from endonym.records import Judgment, Manifest, Message, Prompt

GUIDELINE = 'id = "flow/1"\ncriterion = "flow"\nquestion = "Does it read well?"\nscale = [1, 5]\n'
FORM = {"name": "flow", "table": "prompts", "guideline": "guideline: flow/1"}


def table(workspace, *rows: str) -> None:
    """A table of prompts; what an earlier one held is written over, as a stage does."""
    made = [Prompt(item=name, messages=(Message(role="user", content=f"row {name}"),)) for name in rows]
    store.write(workspace / "tables" / "prompts.jsonl", made, Manifest(stage="x", version="1"))


@pytest.fixture
def task(people, workspace):
    """A task of three rows, its owner and somebody who judged the first two."""
    (workspace / "guideline.toml").write_text(GUIDELINE, encoding="utf-8")
    table(workspace, "a", "b", "c")
    owner, ane = people.join("owner"), people.join("annotator")
    assert owner.submit("/tasks", FORM).status_code == 200
    for row, value in (("1", "4"), ("2", "5")):
        ane.submit("/tasks/1", {"row": row, "value": value})
    return owner, ane


def test_a_closed_task_takes_no_judgment_and_an_open_one_again(task):
    owner, ane = task
    page = owner.submit("/tasks/1/close").text
    assert "The task is closed." in page and "Open again" in page
    answer = ane.submit("/tasks/1", {"row": "3", "value": "1"})
    assert answer.status_code == 409 and "takes no judgments now" in answer.text
    assert "takes no judgments now" in ane.get("/tasks/1").text and 'name="value"' not in ane.get("/tasks/1").text
    owner.submit("/tasks/1/reopen")
    assert ane.submit("/tasks/1", {"row": "3", "value": "1"}).status_code == 200
    assert "3 of 3 done" in ane.get("/tasks").text, "a row that was sent while the task was closed was kept"


def test_only_the_owner_closes_and_opens(task, people):
    _, ane = task
    for browser in (ane, people.join("adjudicator")):
        assert browser.submit("/tasks/1/close").status_code == 403 == browser.submit("/tasks/1/reopen").status_code
    assert ane.submit("/tasks/9/close").status_code == 403 and task[0].submit("/tasks/9/close").status_code == 404


def test_a_table_that_was_made_anew_is_read_and_what_was_said_of_its_rows_stays(task, workspace):
    owner, ane = task
    assert "made anew" not in owner.get("/tasks").text
    table(workspace, "new", "b", "c")
    assert "made anew" in owner.get("/tasks").text and "made anew" not in ane.get("/tasks").text
    owner.submit("/tasks/1/close")
    page = owner.submit("/tasks/1/reopen").text
    assert "made anew" not in page and "1 of 3 done" in ane.get("/tasks").text
    assert "row new" in ane.get("/tasks/1").text, "the first row that was not judged, in the table's order"
    owner.submit("/export")
    said = list(store.read(workspace / "tables" / "judged" / "flow.jsonl", Judgment))
    assert [(j.item, j.value) for j in said] == [("b", "5")]
    table(workspace, "c", "a", "b")
    owner.submit("/tasks/1/reopen")
    assert "2 of 3 done" in ane.get("/tasks").text, "what was said of a row that was away is there when it is back"
    owner.submit("/export")
    said = list(store.read(workspace / "tables" / "judged" / "flow.jsonl", Judgment))
    assert [(j.item, j.value) for j in said] == [("a", "4"), ("b", "5")]


def test_a_task_whose_table_is_gone_or_unfinished_is_not_opened(task, workspace):
    owner, ane = task
    path = workspace / "tables" / "prompts.jsonl"
    kept = path.read_bytes()
    owner.submit("/tasks/1/close")
    path.write_bytes(kept + kept)
    answer = owner.submit("/tasks/1/reopen")
    assert answer.status_code == 409 and "changed since it was written" in answer.text
    path.unlink()
    answer = owner.submit("/tasks/1/reopen")
    assert answer.status_code == 422 and "no longer there" in answer.text
    assert "takes no judgments now" in ane.get("/tasks/1").text


def test_rows_that_are_alike_are_each_their_own(people, workspace):
    (workspace / "guideline.toml").write_text(GUIDELINE, encoding="utf-8")
    table(workspace, "a", "a")
    owner = people.join("owner")
    owner.submit("/tasks", FORM)
    owner.submit("/tasks/1", {"row": "1", "value": "2"})
    owner.submit("/tasks/1/reopen")
    assert "1 of 2 done" in owner.get("/tasks").text
