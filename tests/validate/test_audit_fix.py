"""Safe fixes: what they do, what they leave, and that a mended benchmark has none of them to do."""

import pytest

from endonym.records import Accept, Item
from endonym.validate.audit import examine
from endonym.validate.audit_fix import FIXES, mend, mended
from endonym.validate.audit_hits import kinds

DIRTY = Item(
    stem=" Wo liegt  Mu\u0308nster\u200b?", options=("in Hessen ", "am\u2060 Rhein", "in Westfalen"), gold=2, lang="de", topic="town ",
    prompt="Frage:  Wo liegt Mu\u0308nster\u200b?\nA. in Hessen \nAntwort: ", meta={"entity_name": "Münster "}, entity="e",
)  # fmt: skip
CLEAN = Item(stem="Wo liegt Münster?", options=("in Hessen", "am Rhein"), gold=0, lang="de", topic="town")


def test_an_item_is_mended_and_names_its_parent():
    better, done = mend(DIRTY)
    assert (better.stem, better.options) == ("Wo liegt Münster?", ("in Hessen", "am Rhein", "in Westfalen"))
    assert better.prompt == "Frage: Wo liegt Münster?\nA. in Hessen \nAntwort: "  # the blank after the cue is the cue's
    assert (better.topic, better.meta, better.gold) == ("town", {"entity_name": "Münster"}, 2)
    assert better.parent == DIRTY.id != better.id
    assert done == ["invisible", "nfc", "blanks_double", "blanks_edge", "label_blanks"]


def test_what_needs_nothing_is_itself():
    assert mend(CLEAN) == (CLEAN, [])


def test_a_label_alone_makes_no_other_item():
    """Content makes the id; a label is no content, so there is no parent."""
    one = Item(stem=CLEAN.stem, options=CLEAN.options, gold=0, lang="de", topic="town ")
    better, done = mend(one)
    assert (better, done) == (CLEAN, ["label_blanks"])


def test_open_answers_and_their_weights():
    one = Item(stem="Which river?", kind="open", accept=(Accept(text=" Ald", weight=3.0), Accept(text="\u2060")))
    assert mend(one)[0].accept == (Accept(text="Ald", weight=3.0), Accept(text="\u2060"))  # an answer is never made empty


def test_joiners_of_a_script_stay():
    one = Item(stem="क्\u200dष कहाँ है?", options=("उत्तर", "द\u200cक्षिण"), gold=0, lang="hi")
    assert mend(one) == (one, [])


def test_rows_that_stand_twice_are_dropped_and_copies_of_templates_are_not():
    copy = Item(stem=CLEAN.stem, options=CLEAN.options, gold=0, lang="de", entity="e", template="2", parallel="e/2")
    first = Item(stem=CLEAN.stem, options=CLEAN.options, gold=0, lang="de", entity="e", template="1", parallel="e/1")
    again = Item(stem=" " + CLEAN.stem, options=CLEAN.options, gold=0, lang="de", entity="e", template="1", parallel="e/1")
    counts: dict[str, int] = {}
    assert list(mended([first, copy, again], counts)) == [first, copy]
    assert counts == {"blanks_edge": 1, "item_twice": 1}


def test_only_some_fixes():
    counts: dict[str, int] = {}
    (better,) = mended([DIRTY], counts, only=["nfc", "year_far"])
    assert (better.stem, counts) == (" Wo liegt  Münster\u200b?", {"nfc": 1})


def test_a_mended_benchmark_has_nothing_to_mend():
    before = {finding.kind for finding in examine([DIRTY, CLEAN, CLEAN]).findings}
    assert set(FIXES) <= before
    counts: dict[str, int] = {}
    after = {finding.kind for finding in examine(list(mended([DIRTY, CLEAN, CLEAN], counts))).findings}
    assert not set(FIXES) & after
    assert counts == dict.fromkeys(FIXES, 1)


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_the_table_of_kinds_promises_what_is_done(kind):
    assert bool(kinds()[kind].fix) == (kind in FIXES)
