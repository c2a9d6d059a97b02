"""A part of a benchmark: by dimension, by stratum, by number; drawn by seed, the same for every model."""

from collections import Counter
from pathlib import Path

import pytest

from endonym.build.readers import read
from endonym.errors import InputError, UnknownName
from endonym.records import Item, canonical


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two languages × five entities × four templates; the entity's number says its domain."""
    items = [
        Item(stem=f"{lang} {entity} {template}?", options=("a", "b"), gold=0, lang=lang, entity=f"e{entity}", template=str(template),
             meta={"domain": "war" if entity < 2 else "park"})
        for lang in ("en", "fr") for entity in range(5) for template in range(4)
    ]  # fmt: skip
    file = tmp_path / "b.jsonl"
    file.write_bytes(b"".join(canonical(item) + b"\n" for item in items))
    return file


def some(path: Path, **how: object) -> list[Item]:
    return list(read(reader="endonym", path=path, **how))  # type: ignore[arg-type]


def test_where_is_a_conjunction_of_alternatives(path: Path):
    assert len(some(path, where=("lang=en", "domain=war"))) == 8
    assert len(some(path, where=("lang=en,fr", "entity=e0,e4"))) == 16


def test_one_of_each_entity_and_language(path: Path):
    drawn = some(path, sample="entity:1", seed=3)
    assert Counter((i.entity, i.lang) for i in drawn) == {(f"e{n}", lang): 1 for n in range(5) for lang in ("en", "fr")}
    assert drawn == some(path, sample="entity:1", seed=3)
    assert drawn != some(path, sample="entity:1", seed=4)
    assert len({i.template for i in some(path, sample="entity:1")}) > 1, "not the first template of each"


def test_a_stratum_smaller_than_its_sample_is_taken_whole(path: Path):
    assert len(some(path, sample="entity:9")) == 40


def test_a_limit_is_drawn_from_all_and_keeps_their_order(path: Path):
    drawn, whole = some(path, limit=10), some(path)
    assert len({i.entity for i in drawn}) > 2
    assert [whole.index(i) for i in drawn] == sorted(whole.index(i) for i in drawn)


@pytest.mark.parametrize(
    "how, what",
    [
        ({"where": ("domain=wra",)}, "no item with domain = 'wra'; did you mean 'war'"),
        ({"where": ("domian=war",)}, "did you mean 'domain'"),
        ({"where": ("domain",)}, "not of the form"),
        ({"sample": "entity"}, "not of the form NAME:NUMBER"),
        ({"sample": "entity:0"}, "not of the form NAME:NUMBER"),
        ({"sample": "entitty:1"}, "did you mean 'entity'"),
    ],
)
def test_what_cannot_be_meant(path: Path, how: dict, what: str):
    with pytest.raises((InputError, UnknownName), match=what):
        some(path, **how)


def test_an_empty_benchmark(tmp_path: Path):
    (tmp_path / "b.jsonl").write_text("\n")
    with pytest.raises(InputError, match="holds no items"):
        some(tmp_path / "b.jsonl")
