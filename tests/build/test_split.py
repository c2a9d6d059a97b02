"""Long documents are cut at their sections, with an overlap, and no word is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endonym.build.split import length, split
from endonym.errors import InputError
from endonym.records import Source


def cut(text: str, **how: int) -> list[Source]:
    return list(split([Source(id="d.md", text=text, place="FR-BRE", origin={"licence": "CC BY 4.0"})], **how))


def paragraph(word: str, count: int) -> str:
    return " ".join([word] * count)


def test_what_fits_goes_through_as_it_is():
    source = Source(id="d.md", text="# A\n\nshort  text")
    assert list(split([source], words=20, overlap=5)) == [source]


def test_a_section_begins_a_new_passage_and_keeps_its_headings():
    text = f"# Top\n\n## One\n\n{paragraph('a', 15)}\n\n## Two\n\n{paragraph('b', 15)}"
    first, second = cut(text, words=20, overlap=0)
    assert (first.id, second.id) == ("d.md#1", "d.md#2")
    assert first.text == f"# Top\n\n## One\n\n{paragraph('a', 15)}"
    assert second.text == f"# Top\n\n## Two\n\n{paragraph('b', 15)}"
    assert second.place == "FR-BRE" and second.origin == {"licence": "CC BY 4.0"}


def test_a_passage_repeats_the_end_of_the_one_before():
    text = "\n\n".join(paragraph(word, 8) for word in "abcd")
    assert [p.text.split("\n\n") for p in cut(text, words=24, overlap=8)] == [
        [paragraph("a", 8), paragraph("b", 8), paragraph("c", 8)], [paragraph("c", 8), paragraph("d", 8)],
    ]  # fmt: skip


def test_a_paragraph_longer_than_a_passage_is_cut_between_sentences():
    text = "One two three four five six seven eight. Nine ten eleven twelve thirteen fourteen. "
    text += "Fifteen sixteen seventeen eighteen nineteen twenty a b."
    assert [p.text for p in cut(text, words=20, overlap=0)] == [
        "One two three four five six seven eight.\n\nNine ten eleven twelve thirteen fourteen.",
        "Fifteen sixteen seventeen eighteen nineteen twenty a b.",
    ]  # fmt: skip


BLOCKS = st.lists(st.tuples(st.sampled_from(["", "# ", "## ", "### "]), st.integers(1, 60)), min_size=1, max_size=12)


@given(BLOCKS, st.integers(20, 60), st.integers(0, 10))
def test_no_word_is_lost_none_is_out_of_order_and_all_passages_fit(blocks: list[tuple[str, int]], words: int, overlap: int):
    number, parts = 0, []
    for mark, count in blocks:
        parts.append(mark + " ".join(f"w{number + n}" for n in range(1 if mark else count)))
        number += 1 if mark else count
    made = cut("\n\n".join(parts), words=words, overlap=overlap)
    told = [w for p in made for w in p.text.split() if w[0] == "w"]
    assert set(told) == {f"w{n}" for n in range(number)}
    for passage in made:
        body = [line for line in passage.text.split("\n\n") if not line.startswith("#")]
        assert len(made) == 1 or length(" ".join(body)) <= words
        seen = [int(w[1:]) for w in " ".join(body).split()]
        assert seen == sorted(set(seen))


@pytest.mark.parametrize("how", [{"words": 10, "overlap": 0}, {"words": 100, "overlap": 60}, {"words": 100, "overlap": -1}])
def test_a_split_that_cannot_be_is_refused(how: dict[str, int]):
    with pytest.raises(InputError, match="words:"):
        cut("x", **how)
