"""Native digits and Japanese eras; eras are held to a calendar of years that everybody in Japan knows."""

import pytest

from endonym.build.translate_digits import NoEra, digits, era
from endonym.errors import UnknownName
from endonym.records import Accept, Item


def item(stem: str, *options: str, lang: str, **more) -> Item:
    return Item(stem=stem, options=options, gold=0, lang=lang, parallel="p", **more)


@pytest.mark.parametrize("year, expected", [
    (1868, "明治元年"), (1905, "明治38年"), (1912, "大正元年"), (1923, "大正12年"), (1926, "昭和元年"), (1945, "昭和20年"),
    (1964, "昭和39年"),
    (1989, "平成元年"), (2011, "平成23年"), (2019, "令和元年"), (2024, "令和6年"),
])  # fmt: skip
def test_years_of_eras(year: int, expected: str):
    assert era(year) == expected


def test_before_meiji_there_is_none():
    with pytest.raises(NoEra, match="1867"):
        era(1867)


@pytest.mark.parametrize("lang, stem, expected", [
    ("hi", "वर्ष 1889 में?", "वर्ष १८८९ में?"), ("ar", "عام 1967؟", "عام ١٩٦٧؟"), ("fa", "سال 1357؟", "سال ۱۳۵۷؟"),
    ("bn", "1971 সালে?", "১৯৭১ সালে?"),
])  # fmt: skip
def test_digits_of_a_script(lang: str, stem: str, expected: str):
    before = item(stem, "1906", "1907", lang=lang, prompt="")
    (made,) = digits([before], native=(lang,))
    assert made.stem == expected
    assert int(made.options[0]) == 1906 and made.options[0] != "1906"
    assert (made.gold, made.parallel, made.parent, made.meta["digits"]) == (0, "p", before.id, "native")


def test_eras_change_years_and_nothing_else():
    before = item("1945年に3人の首相が、1000年前の寺で会ったのは何年代か。", "1945", "1950年", "1964", "わからない", lang="ja", abstain=3)
    (made,) = digits([before], eras=("ja",))
    assert made.stem == "昭和20年に3人の首相が、1000年前の寺で会ったのは何年代か。"
    assert made.options == ("昭和20年", "昭和25年", "昭和39年", "わからない")


@pytest.mark.parametrize("before", [
    item("何年に始まったか。", "1945", "1867", lang="ja"), item("高さは何メートルか。", "1945", "1950", lang="ja"),
    item("何年か。", "1945", "京都", lang="ja"), item("何年に?", "1945", "1950", lang="ja", prompt="何年に? A. 1945"),
    item("In 1945?", "1945", "1950", lang="en"),
])  # fmt: skip
def test_an_item_is_changed_as_a_whole_or_not_at_all(before: Item):
    assert list(digits([before], eras=("ja",), native=("hi",))) == [before]


def test_accepted_answers_keep_their_weights():
    before = Item(stem="终?", kind="open", accept=(Accept(text="1889", weight=3.0), Accept(text="n")), lang="hi")
    (made,) = digits([before], native=("hi",))
    assert made.accept == (Accept(text="१८८९", weight=3.0), Accept(text="n"))


@pytest.mark.parametrize("how, message", [({"native": ("de",)}, "digits of its own 'de'"), ({"eras": ("zh",)}, "eras 'zh'")])
def test_languages_without_them_are_named(how, message: str):
    with pytest.raises(UnknownName, match=message):
        list(digits([], **how))
