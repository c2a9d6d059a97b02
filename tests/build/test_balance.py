"""Gold stands equally often everywhere, and nothing else of an item changes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endonym.build.balance import balance
from endonym.records import Accept, Item

UNKNOWN = "Je ne sais pas"


def item(n: int, *, gold: int = 1, abstain: int | None = 4, lang: str = "fr", parallel: str = "") -> Item:
    options = [f"{lang}{n}a", f"{lang}{n}b", f"{lang}{n}c", f"{lang}{n}d"]
    if abstain is not None:
        options.insert(abstain, UNKNOWN)
    text = f"Question {n} ?"
    return Item(stem=text, options=tuple(options), gold=gold, abstain=abstain, lang=lang, parallel=parallel, topic="t", parent="old")


@pytest.mark.parametrize("n, counts", [(260, [65, 65, 65, 65]), (10, [2, 2, 3, 3]), (3, [0, 1, 1, 1]), (1, [0, 0, 0, 1])])
def test_gold_that_is_always_b_is_spread_exactly(n: int, counts: list[int]):
    golds = Counter(moved.gold for moved in balance([item(k) for k in range(n)]))
    assert sorted(golds.get(p, 0) for p in range(4)) == counts


def test_the_text_of_the_gold_stays_and_dont_know_goes_last():
    before = [item(n, gold=0, abstain=2) for n in range(20)]
    for old, new in zip(before, balance(before), strict=True):
        assert new.options[new.gold or 0] == old.options[0]
        assert (new.options[4], new.abstain) == (UNKNOWN, 4)
        assert sorted(new.options) == sorted(old.options)
        assert (new.stem, new.topic, new.parent) == (old.stem, old.topic, old.id)
        assert new.id != old.id


def test_an_item_that_stays_as_it_is_is_no_new_item():
    once = list(balance([item(n) for n in range(40)]))
    kept = [new for old, new in zip(once, balance(once), strict=True) if new.options == old.options]
    assert all(new in once for new in kept)
    assert all(new.parent != new.id for new in once)


def test_translations_move_together():
    both = [item(n, lang=lang, parallel=f"p{n}") for n in range(12) for lang in ("fr", "es")]
    moved = list(balance(both))
    for fr, es in zip(moved[::2], moved[1::2], strict=True):
        assert [o[2:] for o in fr.options[:4]] == [o[2:] for o in es.options[:4]]
    assert sorted(Counter(m.gold for m in moved).values()) == [6, 6, 6, 6]


def test_questions_with_other_numbers_of_answers_are_balanced_apart():
    two = [Item(stem=f"Vrai ou faux {n} ?", options=("Vrai", "Faux"), gold=0) for n in range(6)]
    golds = [m.gold for m in balance([*two, *(item(n) for n in range(8))])]
    assert (sorted(golds[:6]), sorted(golds[6:])) == ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3])  # type: ignore[type-var]


def test_an_open_item_passes_as_it_is():
    opened = Item(stem="Où ?", kind="open", accept=(Accept(text="là"),))
    assert list(balance([opened])) == [opened]


def test_a_seed_gives_the_same_and_another_seed_another():
    items = [item(n) for n in range(30)]
    assert list(balance(items, seed=1)) == list(balance(iter(items), seed=1))
    assert list(balance(items, seed=1)) != list(balance(items, seed=2))
    assert list(balance(items, seed=1)) != items


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 4])), max_size=40), st.integers(0, 5))
def test_no_position_ever_has_two_more_than_another(rows: list[tuple[int, int | None]], seed: int):
    golds = Counter(m.gold for m in balance([item(n, gold=g, abstain=a) for n, (g, a) in enumerate(rows)], seed=seed))
    spread = [golds.get(p, 0) for p in range(4)]
    assert max(spread) - min(spread) <= 1
