"""The file of a culture: what is wrong in it is named, and every shipped one is whole."""

from pathlib import Path

import pytest

from endonym.errors import TableError
from endonym.validate.writing_culture import SHIPPED, culture, known

FILES = sorted(SHIPPED.glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_shipped_culture_is_whole_and_named_after_its_place(path: Path):
    held = culture(path)
    assert path.stem == held.place.lower() and held.lang
    for field in ("own", "places", "people", "given", "names", "slang", "sisters", "variety"):
        assert getattr(held, field), f"{field}: is empty"
        assert len(set(getattr(held, field))) == len(getattr(held, field)), f"{field}: something stands twice"


def test_there_are_several_cultures():
    assert {"fr", "gb", "pt"} <= {p.stem for p in FILES}


@pytest.mark.parametrize("text, told", [
    ("place = 'XX'\nplacs = []", "c.toml: .*unknown field `placs`.*did you mean 'places'"),
    ("lang = 'pt'", "c.toml: .*missing required field `place`"),
    ("place = ' '", "c.toml: place: is empty"),
    ("place = 'XX'\nslang = ['a', ' * ']", r"c.toml: slang\[1\]: is empty"),
    ("place = 'XX'\nown = 'XX'", r"c.toml: .*Expected `array`, got `str` - at `\$.own`"),
    ("place = 'XX'\nvariety = [{ word = 'a', used = 'b' }]", "c.toml: .*did you mean 'use'"),
    ("place = 'XX'\nvariety = [{ word = 'a', use = '' }]", r"c.toml: variety\[0\]: word and use"),
    ("place = ", "c.toml: not a culture"),
])  # fmt: skip
def test_a_fault_is_named_with_file_and_field(tmp_path: Path, text: str, told: str):
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(TableError, match=told):
        culture(path)


def test_a_missing_file_is_an_error_and_a_place_without_one_is_not(tmp_path: Path):
    with pytest.raises(TableError, match="no such file"):
        culture(tmp_path / "none.toml")
    with pytest.raises(TableError, match="no such file"):
        known(str(tmp_path / "none.toml"))
    assert known("BR").own == ("Brasil", "Brazil", "Brésil")
    assert known("").own == known("ZZZ").own == ()
    assert known("pt") == known("PT") and known("PT").lang == "pt-PT"
