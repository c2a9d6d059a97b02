"""What the checks say, where it stands and in which language; and of which culture they are told."""

import re
from contextlib import ExitStack

import pytest

from endonym.errors import InputError
from endonym.records import Judgment
from endonym.validate.writing import findings
from endonym.validate.writing_words import rules
from endonym.web.app import create_app
from endonym.web.seams import field

from .conftest import CONFIG, QUESTION, People, decide, opened, write

BAD = "A sardinha é um peixe?"
SAID = {"en": "can be answered with yes or no", "pt": "responde-se com sim ou não", "fr": "répondre par oui ou non"}


@pytest.fixture
def real(workspace):
    """People of a project with the checks that `endonym web` plugs in."""
    with ExitStack() as stack:
        yield People(create_app(workspace, checks=findings), stack)


def speaking(people, role: str, lang: str):
    browser = people.join(role)
    browser.submit("/language", {"lang": lang, "next": "/"})
    return browser


def asked(people, stem: str, *, answer: str = "x") -> int:
    """A question that breaks a rule, put to the adjudicators by somebody whose pages speak English."""
    ane = people.join("annotator")
    fields = {**QUESTION, **opened(ane), "stem": stem, "answer": answer, "do": "ask", "reason": "assim se diz"}
    return int(re.search(r"/questions/(\d+)", str(ane.submit("/write", fields).url))[1])


@pytest.mark.parametrize("lang", SAID)
def test_messages_speak_the_language_of_the_page_as_one_writes(real, lang):
    part = speaking(real, "annotator", lang).submit("/check", {"stem": BAD, "answer": "sim"}).text
    assert SAID[lang] in part and not any(said in part for other, said in SAID.items() if other != lang)


def test_an_adjudicator_reads_the_findings_in_their_own_language_and_the_author_in_theirs(real):
    number = asked(real, BAD)
    for lang, said in SAID.items():
        rui = speaking(real, "adjudicator", lang)
        for path in (f"/adjudicate/{number}", f"/questions/{number}"):
            page = rui.get(path).text
            assert said in page and not any(x in page for other, x in SAID.items() if other != lang), (lang, path)


def test_what_is_not_found_again_keeps_the_words_in_which_it_was_written_down(workspace):
    said = [Judgment(item="x", judge="check/once", criterion="once", value="warning", note="Only today.")]
    with ExitStack() as stack:
        people = People(create_app(workspace, checks=lambda question, **_: said), stack)
        number = write(people.join("annotator"))
        said.clear()
        assert "Only today." in people.join("adjudicator").get(f"/adjudicate/{number}").text


def test_two_findings_of_one_check_keep_their_places(workspace):
    def checks(question, *, notes, **_):
        return [Judgment(item="x", judge="check/a", criterion="a", value="error", note=f"{what} {notes}") for what in ("first", "second")]

    with ExitStack() as stack:
        people = People(create_app(workspace, checks=checks), stack)
        page = speaking(people, "adjudicator", "fr").get(f"/adjudicate/{asked(people, BAD)}").text
        assert page.index("first fr") < page.index("second fr") and "first en" not in page


def test_a_finding_stands_beside_the_field_that_it_is_about():
    places = {name: field(name) for name in rules()}
    of_answer = {"answer-list", "answer-length", "answer-more", "answer-kind", "answer-inside"}
    assert {name for name, place in places.items() if place == "answer"} == of_answer
    assert places["variants"] == "variants" and places["list"] == places["why"] == places["yes-no"] == "stem"


@pytest.mark.parametrize(("stem", "rule"), [("Quais são as cores da bandeira?", "L2"), ("Porque se come bacalhau no Natal?", "L2")])
def test_a_list_or_a_why_is_asked_by_the_question_not_by_the_answer(real, stem, rule):
    part = real.join("annotator").submit("/check", {"stem": stem, "answer": "verde"}).text
    (stem_part,) = re.findall(r'<ul class="findings" id="findings-stem">(.*?)</ul>', part, re.DOTALL)
    assert f"#{rule}" in stem_part and "findings-answer" not in part


def test_an_accepted_question_that_is_written_anew_is_no_copy_of_itself(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    decide(rui, number)
    rui.submit(f"/adjudicate/{number}/edit", {**QUESTION, "answer": "a manteiga", "base": "1"})
    page = rui.get(f"/adjudicate/{number}").text
    assert "Version 2" in page and "was accepted already" not in page
    other = write(people.join("annotator"))
    decide(rui, number, base=2)
    edit = people.site.findings
    assert [j.criterion for j in edit(_written(people, number), besides=number)] == []
    assert [j.criterion for j in edit(_written(people, other), besides=other)] == ["copy"]


def _written(people, number: int):
    from endonym.web import questions
    from endonym.web.models import Question
    from endonym.web.texts import Text, written

    with people.site.database.reading() as s:
        return written(Text.of(questions.version(s, s.get_one(Question, number))), people.site.config)


def test_a_culture_can_be_a_file_of_the_workspace_wherever_the_server_is_started(workspace, tmp_path, monkeypatch):
    (workspace / "ours.toml").write_text('place = "PT"\nown = ["Gallaecia"]\n', encoding="utf-8")
    (workspace / "web.toml").write_text(CONFIG + 'culture = "ours.toml"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:
        ane = People(create_app(workspace, checks=findings), stack).join("annotator")
        part = ane.submit("/check", {"stem": "Que se come em Gallaecia?", "answer": "pão"}).text
        assert "“Gallaecia” says which culture is meant" in part


@pytest.mark.parametrize(
    ("name", "says"), [("../x.toml", "outside the workspace"), ("/etc/x.toml", "outside the workspace"), ("none.toml", "no such file")]
)
def test_a_file_of_a_culture_that_cannot_be_had_is_named(workspace, name, says):
    (workspace.parent / "x.toml").write_text('place = "PT"\n', encoding="utf-8")
    (workspace / "web.toml").write_text(CONFIG + f'culture = "{name}"\n', encoding="utf-8")
    with pytest.raises(InputError, match=f"culture: {name}.*{says}"):
        create_app(workspace)


