"""At most so many of each region, the same ones for the same seed."""

from collections import Counter

import pytest

from endonym.errors import InputError, UnknownName
from endonym.validate.balance import balance, surplus

from .things import item

ITEMS = [
    item(n, place=["FR-BRE", "FR-BRE", "FR-NOR", "FR-20R"][n % 4], topic="abc"[n % 3], subset="LV" if n % 2 else "") for n in range(48)
]


def test_at_most_n_of_each_and_all_of_the_small():
    kept = list(balance(ITEMS, most=13))
    assert Counter(i.place for i in kept) == {"FR-BRE": 13, "FR-NOR": 12, "FR-20R": 12}
    assert kept == [i for i in ITEMS if i in kept]


def test_what_is_left_out_is_said():
    kept, told = list(balance(ITEMS, most=13, seed=3)), list(surplus(ITEMS, most=13, seed=3))
    assert {j.item for j in told} == {i.id for i in ITEMS} - {i.id for i in kept}
    assert {(j.judge, j.criterion, j.value) for j in told} == {("balance", "balance", "left out")}
    assert told[0].note == "not drawn: place FR-BRE has 24 items, at most 13 stay (seed 3)"


def test_the_draw_hangs_on_the_seed_and_not_on_the_order_or_the_others():
    first = {i.id for i in balance(ITEMS, most=5)}
    assert {i.id for i in balance(ITEMS[::-1], most=5)} == first
    alone = {i.id for i in balance([i for i in ITEMS if i.place == "FR-BRE"], most=5)}
    assert alone == {i.id for i in ITEMS if i.place == "FR-BRE"} & first
    assert {i.id for i in balance(ITEMS, most=5, seed=1)} != first


def test_the_draw_goes_round_a_second_dimension():
    kept = list(balance(ITEMS, most=6, spread="topic"))
    assert Counter((i.place, i.topic) for i in kept) == {(p, t): 2 for p in ("FR-BRE", "FR-NOR", "FR-20R") for t in "abc"}


def test_items_that_do_not_fit_all_stay():
    kept = list(balance(ITEMS, most=2, where=("subset=LV",)))
    assert Counter(i.subset for i in kept) == {"": 24, "LV": 4}  # LV stands in two regions


def test_nothing_to_draw():
    with pytest.raises(InputError, match="most: 0"):
        list(balance(ITEMS, most=0))
    with pytest.raises(UnknownName, match="did you mean 'place'"):
        list(balance(ITEMS, most=1, by="plaec"))
