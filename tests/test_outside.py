"""Outputs made elsewhere."""

import json

import pytest

from endonym.errors import TableError
from endonym.outside import models, responses
from endonym.records import Message, Prompt


def prompt(item, text):
    return Prompt(item=item, messages=(Message(role="user", content=text),))


@pytest.fixture
def file(tmp_path):
    def write(*rows):
        path = tmp_path / "outputs.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_one_response_a_prompt_in_their_order_and_what_is_missing_failed(file):
    path = file({"item": "b", "model": "m", "text": "B!"}, {"item": "a", "model": "n", "text": "other"})
    prompts = [prompt("a", "1"), prompt("b", "2")]
    found = list(responses(prompts, file=path, model="m"))
    assert [(r.prompt, r.text, r.error) for r in found] == [
        (prompts[0].id, "", "no output in outputs.jsonl"), (prompts[1].id, "B!", ""),
    ]  # fmt: skip
    assert models(path) == ["m", "n"]


def test_an_exact_copy_of_a_prompt_has_the_same_response(file):
    """As it would have if a model were asked: a benchmark that holds a question twice counts it twice."""
    path = file({"item": "a", "model": "m", "text": "A"})
    found = list(responses([prompt("a", "1"), prompt("a", "1")], file=path, model="m"))
    assert [r.text for r in found] == ["A", "A"]


def test_two_outputs_for_one_question_and_one_for_none_are_errors(file):
    prompts = [prompt("a", "1")]
    with pytest.raises(TableError, match=":2: item: 'a' of m has an output already"):
        list(responses(prompts, file=file(*[{"item": "a", "model": "m"}] * 2), model="m"))
    with pytest.raises(TableError, match=":1: item: 'z' is not in the benchmark"):
        list(responses(prompts, file=file({"item": "z", "model": "m"}), model="m"))
