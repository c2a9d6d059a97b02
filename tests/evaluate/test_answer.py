"""Open questions: the paper's containment and the strict scorer side by side; what is no answer is not a wrong one."""

import pytest

from endonym.errors import InputError
from endonym.evaluate import answer
from endonym.evaluate.shots import Shots
from endonym.records import Accept, Item, Response


def open_item(stem: str = "Em que cidade fica a Torre dos Clérigos?", *accept: str, **more: object) -> Item:
    answers = tuple(Accept(text=a) for a in accept or ("Porto",))
    return Item(**{"stem": stem, "kind": "open", "accept": answers, "lang": "pt-PT", "place": "PT", **more})  # type: ignore[arg-type]


def scored(item: Item, **said: object):
    prompts = list(answer.write([item]))
    return next(iter(answer.read([Response(prompt=prompts[0].id, model="m", **said)], prompts, [item])))  # type: ignore[arg-type]


def test_plain_is_the_question_alone_and_oracle_adds_a_system_prompt():
    plain, oracle = answer.write([open_item()], styles=("plain", "oracle"))
    assert [(m.role, m.content) for m in plain.messages] == [("user", "Em que cidade fica a Torre dos Clérigos?")]
    assert [m.role for m in oracle.messages] == ["system", "user"]
    assert "Portugal" in oracle.messages[0].content
    assert plain.max_tokens == 64


def test_a_model_that_continues_gets_cues():
    prompt = next(iter(answer.write([open_item()], page="cued")))
    assert prompt.messages[0].content.startswith("Pergunta: ")
    assert prompt.messages[0].content.endswith("Resposta:")


def test_containment_and_strict_differ_where_they_should():
    """field-faults: gold tea, reply steak; gold 5, reply 25."""
    tea, five = open_item("What do they drink?", "tea", lang="en"), open_item("How many?", "5", lang="en")
    assert scored(tea, text="A steak.").marks == {"contains": 1.0, "strict": 0.0, "any": 0.0, "votes": 0.0}
    assert scored(five, text="25").marks["strict"] == 0.0
    assert scored(five, text="Five: 5.").marks["strict"] == 1.0
    assert not scored(tea, text="A steak.").right


@pytest.mark.parametrize(
    "said, status",
    [
        ({"text": "Fica no Porto."}, "answered"),
        ({"text": "Lisboa"}, "answered"),
        ({"text": "Não sei."}, "abstained"),
        ({"text": "", "finish_reason": "length"}, "truncated"),
        ({"text": "<think>Porto? Lisboa?", "finish_reason": "length"}, "truncated"),
        ({"text": "", "finish_reason": "content_filter"}, "refused"),
        ({"text": ""}, "unparsed"),
        ({"error": "http 500"}, "failed"),
    ],
)
def test_statuses(said: dict[str, str], status: str):
    assert scored(open_item(), **said).status == status


def test_thoughts_are_not_the_answer():
    assert not scored(open_item(), text="<think>Maybe Porto</think>Lisboa").right


def test_votes_are_weighted_by_the_annotators():
    item = open_item("What is eaten at Christmas?", lang="en", accept=(Accept(text="cod", weight=4.0), Accept(text="turkey", weight=1.0)))
    assert scored(item, text="Turkey, mostly").marks == {"contains": 1.0, "strict": 1.0, "any": 1.0, "votes": 0.25}


def test_shots_are_answered_by_the_weightiest_answer():
    pool = [open_item(f"Pergunta {n}?", f"resposta {n}") for n in range(5)]
    prompt = next(iter(answer.write([open_item()], pool, shots=Shots(k=(2,)))))
    assert [m.role for m in prompt.messages] == ["user", "assistant", "user", "assistant", "user"]
    assert prompt.messages[1].content.startswith("resposta")


def test_a_choice_is_not_an_open_question(items: list[Item]):
    with pytest.raises(InputError, match="evaluate.choose"):
        list(answer.write(items))
