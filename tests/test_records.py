"""A record has one way to be written down and one name, however it came to be."""

import pickle

import msgspec
import pytest

from endonym.records import Accept, Item, Judgment, Message, Model, Prompt, Response, Score, canonical

MADE = [
    Prompt(item="x", messages=(Message(role="user", content="q"),)),
    Item(stem="q?", options=("a", "b"), gold=0),
    Item(stem="q?", kind="open", accept=(Accept(text="a"), Accept(text="b", weight=2.0))),
    Judgment(item="i", judge="people/ane", criterion="L1"),
    Score(item="i", prompt="p", model="m", status="answered"),
    Response(prompt="p", model="m", loglikelihoods=(-0.5, -1.0)),
    Model(name="parrot/x", params={"says": ["A"]}),
]


@pytest.mark.parametrize("record", MADE, ids=lambda r: type(r).__name__)
def test_a_record_is_written_the_same_typed_out_read_back_or_pickled(record: msgspec.Struct):
    spelled = {name: getattr(record, name) for name in record.__struct_fields__}
    spelled = {name: "".join(list(value)) if isinstance(value, str) else value for name, value in spelled.items()}
    text = msgspec.json.encode({name: getattr(record, name) for name in record.__struct_fields__})
    for other in (type(record)(**spelled), msgspec.json.decode(text, type=type(record)), pickle.loads(pickle.dumps(record))):
        assert canonical(other) == canonical(record)
        assert other == record
        assert getattr(other, "id", None) == getattr(record, "id", None)


def test_a_weight_that_is_typed_out_is_the_default():
    assert canonical(msgspec.json.decode(b'{"text":"a","weight":1.0}', type=Accept)) == b'{"text":"a"}'


def test_an_edited_item_is_a_new_one_and_a_relabelled_one_is_not():
    item = Item(stem="q?", options=("a", "b"), gold=0, topic="x")
    assert msgspec.structs.replace(item, stem="r?").id != item.id
    assert msgspec.structs.replace(item, gold=1).id != item.id
    assert msgspec.structs.replace(item, options=("b", "a")).id != item.id
    assert msgspec.structs.replace(item, topic="y", meta={"a": "b"}).id == item.id
