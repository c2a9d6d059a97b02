"""No example gives the answer away: never the item, a copy, a sibling, a translation or the same source."""

import pytest

from endonym import benchmarks
from endonym.build.readers import named
from endonym.errors import InputError, UnknownName
from endonym.evaluate.shots import Shots, folded
from endonym.records import Item


def item(stem: str, **more: object) -> Item:
    return Item(**{"stem": stem, "options": ("a", "b"), "gold": 0, "lang": "en", **more})  # type: ignore[arg-type]


ASKED = item("Which river runs through Porto?", entity="Douro", parallel="p1", source="s1", parent="q0")


@pytest.mark.parametrize(
    "kin",
    [
        ASKED,
        item("which river RUNS through  Porto", options=("b", "a"), gold=1),
        item("Which river runs through Porto?", meta={"extra": "x"}),
        item("Which river ends at Foz?", entity="Douro"),
        item("Another wording", parallel="p1"),
        item("From the same page", source="s1"),
        item("An edited one", parent="q0"),
    ],
    ids=["itself", "permuted copy", "copy with an extra key", "entity", "parallel", "source", "parent"],
)
def test_kin_is_never_an_example(kin: Item):
    other = item("What is the capital of Norway?")
    for seed in range(20):
        assert Shots(k=(1,)).pool([kin, other], seed=seed).draw(ASKED, 1) == (other,)
    with pytest.raises(InputError, match="the pool holds only 1 examples in en"):
        Shots(k=(2,)).pool([kin, other]).draw(ASKED, 2)


def test_examples_speak_the_items_language():
    pool = [item(f"Q{n}?", lang=lang) for n in range(20) for lang in ("en", "fr")]
    assert {s.lang for s in Shots(k=(5,)).pool(pool).draw(item("?!x", lang="fr"), 5)} == {"fr"}


def regions(n: int = 6) -> list[Item]:
    return [item(f"Question {n} of {place}?", place=place) for n in range(n) for place in ("FR-BRE", "FR-NOR", "FR-OCC")]


def test_same_stratum():
    shots = Shots(k=(3,), by="place").pool(regions()).draw(item("x?", place="FR-NOR"), 3)
    assert [s.place for s in shots] == ["FR-NOR"] * 3
    with pytest.raises(InputError, match="with place = 'FR-COR'"):
        Shots(k=(1,), by="place").pool(regions()).draw(item("x?", place="FR-COR"), 1)


def test_one_of_each_stratum():
    shots = Shots(k=(3,), by="place", strata="spread").pool(regions()).draw(item("x?", place="FR-NOR"), 3)
    assert {s.place for s in shots} == {"FR-BRE", "FR-NOR", "FR-OCC"}


def test_a_dimension_that_no_item_has():
    with pytest.raises(UnknownName, match="did you mean 'place'"):
        Shots(k=(1,), by="plaec").pool(regions())


def test_draws_are_the_seeds_and_each_items_own():
    pool = [item(f"Q{n}?") for n in range(50)]
    first, again, other = (Shots(k=(3,)).pool(pool, seed=s).draw(ASKED, 3) for s in (1, 1, 2))
    assert first == again != other
    mine = Shots(k=(3,)).pool(pool, seed=1)
    assert mine.draw(pool[0], 3) != mine.draw(pool[1], 3)


def test_draws_are_uniform():
    """1,000 draws of one of ten: each is expected 100 times, and 60 to 140 is far outside of chance (4 sigma = 38)."""
    pool = [item(f"Q{n}?") for n in range(10)]
    counts = dict.fromkeys((i.id for i in pool), 0)
    for seed in range(1000):
        counts[Shots(k=(1,)).pool(pool, seed=seed).draw(ASKED, 1)[0].id] += 1
    assert all(60 < c < 140 for c in counts.values()), counts


def test_a_fixed_set_is_shared_and_kin_is_replaced():
    pool = [item(f"Q{n}?", entity=f"e{n}") for n in range(20)]
    fixed = Shots(k=(3,), draw="fixed").pool(pool)
    sets = {tuple(s.id for s in fixed.draw(i, 3)) for i in pool}
    common = fixed.draw(ASKED, 3)
    assert len(sets) == 4  # the common one, and one for each of its three members
    assert all(i not in fixed.draw(i, 3) for i in common)


def test_no_pool_is_read_where_no_example_is_wanted():
    def never():
        raise ValueError("read")
        yield

    assert Shots(k=(0,)).pool(never()).draw(ASKED, 0) == ()


@pytest.mark.parametrize("name", sorted(benchmarks.shipped()))
@pytest.mark.parametrize("k", [1, 3, 5])
def test_no_shipped_benchmark_leaks(name: str, k: int):
    """Checked field by field here, not by the code that draws."""
    items = list(named("endonym")(benchmarks.data() / name / "benchmark.jsonl"))
    pool = Shots(k=(k,)).pool(items, seed=7)
    for asked in items:
        for shot in pool.draw(asked, k):
            assert shot.id != asked.id
            assert folded(shot.stem) != folded(asked.stem)
            for field in ("entity", "parallel", "source"):
                assert not getattr(asked, field) or getattr(shot, field) != getattr(asked, field)
