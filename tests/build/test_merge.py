"""Facts of several sources together: what agrees, what does not, what nobody has, and who decides."""

import pytest

from endonym.build.merge import conflicts, merge
from endonym.errors import InputError
from endonym.records import Source


def fact(ident: str = "PT.leader.Q1", base: str = "base", labels: dict[str, str] | None = None, **slots: str) -> Source:
    """A fact; slots ``note``, ``disputed`` and ``decides`` are of its origin."""
    origin = {"url": base} | {name: slots.pop(name) for name in ("note", "disputed", "decides", "retrieved") if name in slots}
    place, topic, item = ident.split(".")
    return Source(id=ident, place=place, topic=topic, title=item, fact=slots, labels={"entity": labels or {"en": item}}, origin=origin)


def merged(*sources: Source, **told: str) -> tuple[list[dict[str, str]], list[str]]:
    skipped: list[str] = []
    return [s.fact for s in merge(sources, skipped=skipped, **told)], skipped  # type: ignore[arg-type]


def found(*sources: Source, langs: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(j.criterion, j.value) for j in conflicts(sources, langs=langs)]


def test_sources_that_agree():
    one, other = fact(year="1900"), fact(base="sheet", year="1900")
    assert merged(one, other) == ([{"year": "1900"}], []) and found(one, other) == []


def test_sources_that_disagree_are_shown_and_left_out():
    one, other = fact(year="1900"), fact(base="sheet", year="1901")
    assert merged(one, other) == ([], ["PT.leader.Q1: year: is not settled: 1900, 1901"])
    (judgment,) = conflicts([one, other])
    assert (judgment.item, judgment.judge, judgment.value) == ("PT.leader.Q1", "check/conflict", "error")
    assert "year: 1900 (base); year: 1901 (sheet)" in judgment.note
    assert merged(one, other, unsettled="all") == ([{"year": "1900 1901"}], [])


def test_a_row_decides_and_nothing_is_lost():
    one, other = fact(year="1900"), fact(base="sheet", year="1901", decides="yes")
    assert merged(one, other) == ([{"year": "1901 1900"}], [])
    (source,) = merge([one, other])
    assert "year: 1900 (base); year: 1901 (sheet)" in source.origin["note"] and source.origin["url"] == "base sheet"
    assert found(one, other) == [("conflict", "warning")]
    assert found(one, other, fact(base="sheet 2", year="1902", decides="yes")) == [("conflict", "error")]


def test_several_areas_that_share_one_are_no_conflict_to_be_settled():
    """One source knows of two areas, the other of one: that one is sure, and both are true."""
    one, other = fact("PT.park.Q2", area="PT-16 PT-03"), fact("PT.park.Q2", base="sheet", area="PT-03")
    assert merged(one, other) == ([{"area": "PT-03 PT-16"}], []) and found(one, other) == [("conflict", "warning")]


def test_a_dispute_within_one_source():
    one = fact(year="1871 1872", disputed="year")
    assert merged(one) == ([], ["PT.leader.Q1: year: is not settled: 1871, 1872"]) and found(one) == [("dispute", "error")]
    assert merged(fact(year="1884 1885")) == ([{"year": "1884 1885"}], []) and found(fact(year="1884 1885")) == []
    decided = fact(base="sheet", year="1872", decides="yes")
    assert merged(one, decided) == ([{"year": "1872 1871"}], [])


def test_a_gap_and_who_fills_it():
    gap = fact(item="Q1", note="year: the base says that the value is unknown")
    assert merged(gap) == ([], ["PT.leader.Q1: year: the base says that the value is unknown"]) and found(gap) == [("gap", "error")]
    filled = fact(base="sheet", year="1843")
    assert merged(gap, filled) == ([{"item": "Q1", "year": "1843"}], []) and found(gap, filled) == []


def test_years_that_cannot_be_asked_for():
    assert merged(fact(year="-58")) == ([], ["PT.leader.Q1: year: -58 is before 1"])
    assert merged(fact(year="1337"), earliest=1400) == ([], ["PT.leader.Q1: year: 1337 is before 1400"])  # type: ignore[arg-type]


def test_names_come_from_whoever_has_them_first():
    one, other = fact(year="1", labels={"en": "A", "fr": "B"}), fact(base="sheet", year="1", labels={"en": "A.", "pt": "C"})
    (source,) = merge([one, other])
    assert source.labels["entity"] == {"en": "A", "fr": "B", "pt": "C"}
    assert found(one, other, langs=("en", "fr", "pt", "de")) == [("names", "warning"), ("gap", "warning")]
    assert [j.note for j in conflicts([one, other], langs=("de",))][-1].startswith("no source has a name in the language 'de'")
    assert found(one, fact(base="sheet", year="1", labels={"en": "a "})) == []


def test_a_row_without_an_item_finds_its_fact_by_name():
    base = fact("PT.leader.Q1", item="Q1", labels={"en": "Teófilo Braga"})
    row = fact("PT.leader.teofilo-braga", base="sheet", year="1843", labels={"en": "teófilo  braga"})
    assert merged(row, base) == ([{"item": "Q1", "year": "1843"}], [])  # whichever table is named first
    twin = fact("PT.leader.Q2", year="1900", labels={"en": "Teófilo Braga"})
    assert len(list(merge([base, twin, row]))) == 2  # two have the name: the row stays alone, and the gap a gap
    assert len(list(merge([fact("PT.war.Q3", year="1", labels={"en": "Teófilo Braga"}), row]))) == 2


def test_one_id_of_two_places():
    other = Source(id="PT.leader.Q1", place="ES", topic="leader", fact={"item": "Q1"})
    with pytest.raises(InputError, match="PT.leader.Q1: is of PT and leader, and of ES and leader too"):
        list(merge([fact(year="1"), other]))
