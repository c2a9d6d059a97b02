"""Areas of ISO 3166-2: codes and parents by the standard, names by what is known to be right, and how each was made."""

import pytest

from endonym.build.areas import areas, official
from endonym.build.distractors import Area
from endonym.errors import InputError, UnknownName
from endonym.records import Source


def one(code: str, langs: tuple[str, ...], **told: object) -> Area:
    return next(a for a in areas(countries=(code[:2],), langs=langs, **told) if a.code == code)  # type: ignore[arg-type]


def test_the_names_of_bavaria():
    area = one("DE-BY", ("en", "de", "ru", "ja"))
    assert area.labels == {"en": "Bavaria", "de": "Bayern", "ru": "Бавария", "ja": "バイエルン"}
    assert set(area.made.values()) == {"iso-codes"} and (area.place, area.parents) == ("DE", ())


def test_the_standards_own_spelling_counts_where_its_language_is_official():
    """ISO writes Aveiro as Portugal does; what it would be in Hindi is not made up, but counted."""
    skipped: list[str] = []
    found = {a.code: a for a in areas(countries=("PT",), langs=("pt", "xh"), skipped=skipped)}
    assert found["PT-01"].labels == {"pt": "Aveiro"} and found["PT-01"].made["pt"] in ("ISO 3166-2", "iso-codes")
    assert "PT-01: has no name in the language 'xh' (ISO 3166-2 has 'Aveiro')" in skipped and len(skipped) == 20
    assert one("PT-01", ("xh",), as_written=True).made == {"xh": "ISO 3166-2, not translated"}


def test_the_knowledge_base_comes_first():
    known = [Source(id="a", topic="area", fact={"code": "DE-BY"}, labels={"entity": {"en": "Free State of Bavaria", "de": " "}})]
    area = next(a for a in areas(known, countries=("DE",), langs=("en", "de")) if a.code == "DE-BY")
    assert area.labels == {"en": "Free State of Bavaria", "de": "Bayern"} and area.made == {"en": "knowledge base", "de": "iso-codes"}


@pytest.mark.parametrize(("country", "number"), [("DE", 16), ("PT", 20), ("JP", 47), ("GB", 4)])
def test_the_first_level(country: str, number: int):
    """16 Länder; 18 districts and 2 autonomous regions; 47 prefectures; 4 countries of the United Kingdom."""
    assert len(list(areas(countries=(country,), langs=("en",)))) == number


def test_areas_within_areas():
    """Isère lies in Auvergne-Rhône-Alpes; the regions of France are 13 with Corsica, whose ISO word is its own."""
    assert one("FR-38", ("fr",), level=2).parents == ("FR-ARA",)
    regions = [a.code for a in areas(countries=("FR",), langs=("fr",), kinds=("Metropolitan region",))]
    assert len(regions) == 12 and "FR-ARA" in regions and "FR-38" not in regions
    assert {"FR-38", "FR-ARA"} <= {a.code for a in areas(countries=("FR",), langs=("fr",), level=0)}


def test_official_languages():
    assert official("PT") == {"pt"} and {"de", "fr", "it"} <= official("CH")


def test_what_is_wrong_is_said():
    with pytest.raises(UnknownName, match="no country .* 'XX'"):
        list(areas(countries=("XX",), langs=("en",)))
    with pytest.raises(UnknownName, match="no kind of area of DE 'Kreis'.* Land"):
        list(areas(countries=("DE",), langs=("en",), kinds=("Kreis",)))
    with pytest.raises(InputError, match="level: -1"):
        list(areas(countries=("DE",), langs=("en",), level=-1))
