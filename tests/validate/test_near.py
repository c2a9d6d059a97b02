"""Near-duplicates by hand-counted sets, against a plain search, and through the stage."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endonym.errors import InputError
from endonym.records import Source
from endonym.validate.near import near, pairs, shingles, word_shingles


def sets(*rows: set[int]) -> list[np.ndarray]:
    return [np.array(sorted(row), dtype=np.uint32) for row in rows]


def test_the_likeness_is_shared_over_all():
    assert list(pairs(sets({1, 2, 3}, {2, 3, 4}, {9}), threshold=0.5)) == [(0, 1, 0.5)]
    assert list(pairs(sets({1, 2, 3}, {2, 3, 4}, {9}), threshold=0.51)) == []
    assert list(pairs(sets({7}, {7}, {7}), threshold=1.0)) == [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)]


def test_nothing_is_like_nothing():
    assert list(pairs(sets(set(), set(), {1}), threshold=0.1)) == []
    assert list(pairs([], threshold=0.1)) == []
    assert shingles("").size == word_shingles("…").size == 0


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1])
def test_a_threshold_that_is_none_is_told(threshold: float):
    with pytest.raises(InputError, match="threshold"):
        list(pairs(sets({1}, {1}), threshold=threshold))


@given(st.lists(st.sets(st.integers(0, 12), max_size=8), max_size=14), st.sampled_from([0.2, 0.34, 0.5, 0.75, 1.0]))
def test_no_pair_is_missed_and_none_made_up(rows: list[set[int]], threshold: float):
    every = itertools.combinations(range(len(rows)), 2)
    wanted = {(a, b) for a, b in every if rows[a] | rows[b] and len(rows[a] & rows[b]) / len(rows[a] | rows[b]) >= threshold}
    assert {(a, b) for a, b, _ in pairs(sets(*rows), threshold=threshold)} == wanted


def test_many_rows_are_compared_across_blocks():
    rows = [{n, n + 5000} for n in range(1300)]
    rows[1299] = rows[3]
    assert list(pairs(sets(*rows), threshold=0.9)) == [(3, 1299, 1.0)]


def test_shingles_do_not_see_case_accents_or_marks():
    assert shingles("L'École navale").tolist() == shingles("l’ecole  NAVALE !").tolist()
    assert len(shingles("abcdef")) == 3
    assert len(word_shingles("un deux trois quatre")) == 2


TEXT = (
    "Le port de Lorient fut fondé en 1666 par la Compagnie des Indes. Ses chantiers construisent des navires pour le commerce lointain. "
    "La ville grandit autour de l'arsenal, puis de la pêche, et le quartier de Keroman reçoit un port neuf en 1927. "
    "Détruite pendant la guerre, elle est rebâtie dans les années 1950 sur un plan nouveau, et garde ses trois bassins."
)


def test_a_document_that_is_nearly_an_earlier_one_is_named_with_it():
    sources = [
        Source(id="a", text=TEXT, lang="fr"),
        Source(id="b", text="La Vilaine coule à Rennes, en Bretagne, vers la mer.", lang="fr"),
        Source(id="c", text=TEXT.replace("rebâtie", "reconstruite"), lang="fr"),
        Source(id="d", text=TEXT, lang="es"),
        Source(id="e", lang="fr"),
    ]
    found = list(near(sources))
    assert [(j.item, j.criterion, j.value) for j in found] == [("c", "near-duplicate", "warning")]
    assert " a: keep one" in found[0].note


def test_of_three_alike_each_later_one_is_named_with_the_closest():
    sources = [Source(id=name, text=text, lang="fr") for name, text in [("a", TEXT), ("b", TEXT.replace("neuf", "ample")), ("c", TEXT)]]
    assert [(j.item, j.note.split()[-6].rstrip(":")) for j in near(sources)] == [("b", "a"), ("c", "a")]
