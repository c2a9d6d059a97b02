"""What options say as quantities, in three languages, by hand."""

import math

import pytest

from endonym.validate.check_numbers import Span, figures, span
from endonym.validate.check_rules import Shelf

FR, ES, EN = (Shelf().rules(lang) for lang in ("fr", "es", "en"))


@pytest.mark.parametrize(
    "text, low, high, unit",
    [
        ("12 communes", 12, 12, "communes"),
        ("Douze communes", 12, 12, "communes"),
        ("1 500 m", 1500, 1500, "m"),
        ("1,5 km", 1500, 1500, "m"),
        ("Entre 10 et 20 %", 10, 20, "%"),
        ("10-20 %", 10, 20, "%"),
        ("Au XIXe siècle", 1801, 1900, ""),
        ("Au 4e siècle", 301, 400, ""),
        ("Dans les années 1930", 1930, 1939, ""),
        ("En 1850", 1850, 1850, ""),
        ("La moitié", 50, 50, "%"),
        ("quatre-vingt-dix-sept", 97, 97, ""),
        ("deux cent mille habitants", 200000, 200000, "habitants"),
        ("Soixante et onze ans", 71, 71, "ans"),
        ("1,2 million de francs", 1200000, 1200000, "de francs"),
        ("Deux siècles", 200, 200, "ans"),
    ],
)
def test_a_french_quantity(text: str, low: float, high: float, unit: str):
    assert span(text, FR) == Span(low, high, unit)


@pytest.mark.parametrize("text", ["Louis XIV", "Un port", "La Vilaine", "Le 14 juillet 1789", "", "Les 24 Heures du Mans 1923"])
def test_what_is_no_quantity_as_a_whole_is_none(text: str):
    assert span(text, FR) is None


def test_more_and_less_leave_out_their_own_edge():
    more, less, edge = span("Plus de 100", FR), span("Moins de 100", FR), span("100", FR)
    assert more and less and edge
    assert (more.high, less.low) == (math.inf, -math.inf)
    assert not (more.meets(edge) or less.meets(edge) or more.meets(less))


@pytest.mark.parametrize(
    "rules, text, wanted",
    [
        (ES, "Ciento cinco municipios", Span(105, 105, "municipios")),
        (ES, "Treinta y un años", Span(31, 31, "años")),
        (ES, "Siglo XVIII", Span(1701, 1800, "")),
        (ES, "1.500 metros", Span(1500, 1500, "m")),
        (ES, "Los años 1920", Span(1920, 1929, "")),
        (EN, "1,500 metres", Span(1500, 1500, "m")),
        (EN, "In the 19th century", Span(1801, 1900, "")),
        (EN, "The 1850s", Span(1850, 1859, "")),
        (EN, "Two hundred and five", Span(205, 205, "")),
    ],
)
def test_another_language_by_its_lists(rules: object, text: str, wanted: Span):
    found = span(text, rules)  # type: ignore[arg-type]
    assert found is not None
    assert (found.low, found.high, found.unit.replace("anos", "años")) == wanted


@pytest.mark.parametrize(
    "text, wanted",
    [("Au XIXe siècle", "au 19e siecle"),
        ("L'an IX", "l'an 9"),
        ("Le Var", "le var"),
        ("Vingt-quatre ou trente", "24 ou 30"),
        ("Un lac", "un lac")],
)
def test_numbers_in_words_and_roman_ones_become_digits(text: str, wanted: str):
    assert figures(text, FR) == wanted
