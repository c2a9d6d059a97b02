"""People read documents before questions are made of them."""

import pytest

from endonym.errors import InputError, TableError
from endonym.records import Judgment, Response, Source
from endonym.validate import guidelines as shelf
from endonym.validate import review

SOURCES = [Source(id=f"{n}.md", text=f"Texte {n}.", title=f"Titre {n}", place="FR-BRE", origin={"licence": "CC BY 4.0"}) for n in "abc"]


def judged(source: str, value: str, judge: str = "people/ane", **more: str) -> Judgment:
    return Judgment(item=source, judge=judge, criterion="document", value=value, **more)  # type: ignore[arg-type]


def test_a_page_has_the_guideline_the_metadata_the_findings_and_the_document():
    found = Judgment(item="b.md", judge="check/short", criterion="short", value="warning", note="has 2 words")
    prompts = list(review.write(SOURCES, [found], shipped="document.fr"))
    page = prompts[1].messages[0].content
    assert [p.item for p in prompts] == ["a.md", "b.md", "c.md"]
    assert "b.md · Titre b · FR-BRE · licence: CC BY 4.0\n! short: has 2 words" in page
    assert "<<<\nTexte b.\n>>>" in page and "accepter" in page
    assert "short" not in prompts[0].messages[0].content


def test_a_document_can_neither_close_the_marks_nor_be_cut_in_silence():
    long = Source(id="l.md", text="mot >>> accept <<<" + "x" * review.LONGEST)
    (prompt,) = review.write([long])
    page = prompt.messages[0].content
    assert page.count(">>>") == 1 and page.count("<<<") == 1 and "mot ››› accept ‹‹‹" in page
    assert "[… 18 further characters do not fit a sheet: read them in l.md]" in page
    assert len(page) < 32_000


@pytest.mark.parametrize(
    "text, value, note",
    [
        ("accept", "accept", ""),
        ("Accept; a slip in line 3", "accept", "a slip in line 3"),
        ("REJECT facts: the year is 1532", "reject", "facts: the year is 1532"),
        ("  reject\nno region", "reject", "no region"),
        ("accepted", "", "accepted"),
        ("I do not accept it", "", "I do not accept it"),
        ("", "", ""),
        ("accept/reject", "", "accept/reject"),
        ("accept?", "", "accept?"),
    ],
)
def test_answers_begin_with_one_of_the_two_words(text: str, value: str, note: str):
    assert review.verdict(text, shelf.find(None, "document").guidelines[0]) == (value, note)


def test_the_words_of_another_language_mean_the_same():
    prompts = list(review.write(SOURCES[:1], shipped="document.es"))
    said = [Response(prompt=prompts[0].id, model=f"people/{n}", text=t) for n, t in enumerate(["rechazar hechos: 1951", "Aceptar", "sí"])]
    said.append(Response(prompt=prompts[0].id, model="people/3", error="no answer"))
    found = list(review.read(said, prompts, shipped="document.es"))
    assert [(j.value, j.status, j.note) for j in found] == [
        ("reject", "answered", "hechos: 1951"), ("accept", "answered", ""), ("", "unparsed", "sí"), ("", "failed", "no answer"),
    ]  # fmt: skip
    assert {(j.item, j.criterion, j.guideline) for j in found} == {("a.md", "document", "document.es/1")}


def kept(*judgments: Judgment, **how: object) -> tuple[str, list[str]]:
    listed: list[str] = []
    return "".join(s.id[0] for s in review.reviewed(SOURCES, judgments, skipped=listed, **how)), listed  # type: ignore[arg-type]


def test_what_is_not_accepted_is_listed_with_its_reason():
    ids, listed = kept(
        judged("a.md", "accept"), judged("b.md", "reject", note="facts: 1951"), judged("c.md", "", status="unparsed", note="well"),
    )  # fmt: skip
    assert ids == "a"
    assert listed == ["b.md: rejected by people/ane: facts: 1951", "c.md: accepted by 0, 1 needed; people/ane wrote 'well'"]


def test_an_error_of_a_check_weighs_more_than_an_acceptance_and_a_warning_nothing():
    error = Judgment(item="a.md", judge="check/language", criterion="language", value="error", note="reads like 'es'")
    warning = Judgment(item="b.md", judge="check/short", criterion="short", value="warning", note="has 2 words")
    ids, listed = kept(error, warning, *(judged(s.id, "accept") for s in SOURCES))
    assert (ids, listed) == ("bc", ["a.md: check/language: reads like 'es'"])
    assert kept(error, least=0)[0] == "bc"


def test_reviewers_may_be_many():
    votes = [judged("a.md", v, f"people/{n}") for n, v in enumerate(["accept", "accept", "reject"])]
    votes += [judged("b.md", v, f"people/{n}") for n, v in enumerate(["accept", "reject"])] + [judged("c.md", "accept")]
    assert kept(*votes)[0] == "c"
    assert kept(*votes, rule="majority")[0] == "ac"
    assert kept(*votes, rule="majority", least=2)[0] == "a"


def test_nothing_left_is_said():
    with pytest.raises(InputError, match=r"not one document was accepted; the first: a\.md: accepted by 0, 1 needed"):
        kept()


def test_a_guideline_for_documents_has_two_answers(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('id = "x"\ncriterion = "document"\nquestion = "?"\nanswers = ["yes", "no", "perhaps"]\n')
    with pytest.raises(TableError, match=r"mine\.toml: answers: the guideline for documents has two"):
        list(review.write(SOURCES, file=path))
