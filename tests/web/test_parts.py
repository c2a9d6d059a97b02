"""Practice, tasks, probes, imported questions, numbers, the database and its file of settings."""

import subprocess
import sys
import time

import msgspec
import pytest

from endonym import store
from endonym.errors import InputError, Unavailable
from endonym.records import Accept, Item, Judgment, Manifest, Message, Model, Prompt, Source
from endonym.web import auth, config, intake, numbers, tasks
from endonym.web.app import create_app
from endonym.web.database import HEAD, Database
from endonym.web.near import near
from endonym.web.probing import Asked, Worker
from endonym.web.seams import Reply

from .conftest import QUESTION, decide, opened, write

GUIDELINE = 'id = "flow/1"\ncriterion = "flow"\nquestion = "Does it read well?"\nscale = [1, 5]\n'


def test_practice_comes_first_and_keeps_the_first_answer(people):
    people.site.config = msgspec.structs.replace(people.site.config, training=True)
    ane = people.join("annotator")
    assert str(ane.get("/write").url).endswith("/training?done=first")
    assert "/training" in str(ane.submit("/write", {**QUESTION, "key": "k", "base": "0", "do": "submit"}).url)
    told = ane.submit("/training", {"id": "weather", "said": "L1"}).text
    assert "Not quite." in told and "It breaks L7" in told
    ane.submit("/training", {"id": "weather", "said": "L7"})
    for key, said in (("emergency", ""), ("dishes", "L2"), ("minister", "E5"), ("atom", "E2")):
        assert "Right." in ane.submit("/training", {"id": key, "said": said}).text
    assert str(ane.get("/write").url).endswith("/training?done=first"), "one question is still to be answered"
    over = ane.submit("/training", {"id": "report", "said": "L1"}).text
    assert "5 of 6 at the first try" in over
    assert str(ane.get("/write").url).endswith("/write")
    assert ane.submit("/training", {"id": "nothing", "said": ""}).status_code == 422
    assert ane.submit("/training", {"id": "weather", "said": "X"}).status_code == 422
    assert str(people.join("adjudicator").get("/write").url).endswith("/write"), "adjudicators need no practice"


@pytest.fixture
def rated(workspace):
    """A workspace with prompts to be rated, and a guideline with a scale."""
    (workspace / "guideline.toml").write_text(GUIDELINE, encoding="utf-8")
    rows = [Prompt(item=f"i{n}", messages=(Message(role="user", content=f"<b>row</b> {n}"),)) for n in range(3)]
    store.write(workspace / "tables" / "pairs" / "prompts.jsonl", rows, Manifest(stage="x", version="1"))
    return rows


def test_rows_are_rated_and_come_back_as_judgments_and_as_the_sheet_of_people(people, rated, workspace):
    from endonym.models.people import People as Provider

    owner, ane = people.join("owner"), people.join("annotator")
    form = {"name": "flow", "table": "pairs/prompts", "guideline": "guideline: flow/1"}
    assert owner.submit("/tasks", form).status_code == 200
    assert owner.submit("/tasks", form).status_code == 422, "a name is taken once"
    page = ane.get("/tasks/1").text
    assert "Does it read well?" in page and "&lt;b&gt;row&lt;/b&gt; 0" in page and page.count('name="value"') == 5
    for n, value in enumerate(("4", "5", "1"), 1):
        assert ane.submit("/tasks/1", {"row": str(n), "value": value, "note": "n" if n == 1 else ""}).status_code == 200
    assert ane.submit("/tasks/1", {"row": "1", "value": "6"}).status_code == 422
    assert ane.submit("/tasks/1", {"row": "99", "value": "1"}).status_code == 404
    ane.submit("/tasks/1", {"row": "3", "value": "2"})
    assert "You have judged every row" in ane.get("/tasks/1").text
    owner.submit("/export")
    said = list(store.read(workspace / "tables" / "judged" / "flow.jsonl", Judgment))
    judge = f"people/{ane.pseudonym}"
    assert [(j.item, j.judge, j.criterion, j.value, j.note) for j in said] == [
        ("i0", judge, "flow", "4", "n"), ("i1", judge, "flow", "5", ""), ("i2", judge, "flow", "2", ""),
    ]  # fmt: skip
    assert store.verify(workspace / "tables") == 4
    sheet = workspace / "ane.csv"
    sheet.write_bytes(owner.get(f"/tasks/1/sheet/{ane.pseudonym}").content)
    provider = Provider(Model(name=judge, params={"sheet": str(sheet)}))
    assert [r.text for r in provider.answer([p.shaped(chat=True) for p in rated])] == ["4", "5", "2"]


def test_documents_and_items_can_be_rows_and_other_tables_cannot(tmp_path):
    tables = tmp_path / "tables"
    made = Manifest(stage="x", version="1")
    store.write(tables / "sources.jsonl", [Source(id="s1", title="A feast", text="Long ago.", lang="pt")], made)
    store.write(tables / "items.jsonl", [Item(stem="Q?", options=("a", "b"), gold=1, lang="en")], made)
    store.write(tables / "said.jsonl", [Judgment(item="x", judge="people/a", criterion="c", value="1")], made)
    assert tasks.tables(tmp_path) == ["items", "sources"]
    assert list(tasks.read(tables / "sources.jsonl")) == [("s1", "", "pt", "A feast\n\nLong ago.")]
    (row,) = tasks.read(tables / "items.jsonl")
    assert row[3] == "Q?\n– a\n– b ✓"
    with pytest.raises(InputError, match="neither prompts nor items nor sources"):
        list(tasks.read(tables / "said.jsonl"))


def test_what_models_answer_is_shown_to_author_and_adjudicator(workspace, empty):
    from contextlib import ExitStack

    from .conftest import People

    asked = []

    def probes(item: Item):
        asked.append(item.stem)
        wrong, right = Reply(model="openai/m", style="plain", text="<i>compota</i>"), Reply(model="openai/m", style="oracle", right=True)
        return [wrong, right]

    with ExitStack() as stack:
        people = People(create_app(workspace, probes=probes), stack)
        ane, rui = people.join("annotator"), people.join("adjudicator")
        number = write(ane)
        ends = time.monotonic() + 10
        while "openai/m" not in (page := rui.get(f"/adjudicate/{number}").text) and time.monotonic() < ends:
            time.sleep(0.02)
        assert "&lt;i&gt;compota&lt;/i&gt;" in page and "oracle" in page
        assert "openai/m" in ane.get(f"/questions/{number}").text
        decide(rui, number)
        row = [(p.style, p.right, p.answered, p.failed) for p in _probed(people)]
        assert row == [("oracle", 1, 1, 0), ("plain", 0, 1, 0)]
    assert asked == [QUESTION["stem"]]


def _probed(people):
    with people.site.database.reading() as s:
        return numbers.probes(s, people.site)


def test_a_server_that_was_killed_asks_on_and_asks_nothing_twice(people):
    ane = people.join("annotator")
    first, second = write(ane), write(ane, stem="De que cor é o leite?")
    write(ane, stem="Um rascunho?", do="save")
    asked = []
    worker = Worker(people.site, lambda item: asked.append(item.stem) or [])
    assert worker.round() == 2 and worker.round() == 0
    assert sorted(asked) == ["De que cor é o leite?", QUESTION["stem"]], (first, second)


def test_a_probe_that_cannot_be_made_holds_up_no_other(people):
    def failing(item):
        raise Unavailable("no server")

    number = write(people.join("annotator"))
    assert Worker(people.site, failing).round() == 1
    page = people.join("adjudicator").get(f"/adjudicate/{number}").text
    assert "no server" in page and "call failed" in page


def test_the_default_probe_asks_plain_oracle_and_as_from_a_sister_culture(tmp_path):
    item = Item(stem="O que se põe no pão?", kind="open", accept=(Accept(text="manteiga"),), lang="pt-PT", place="PT")
    parrot = Model(name="parrot/p", params={"says": "É manteiga.", "fails": []})
    replies = list(Asked([parrot], sisters=["BR"], cache=tmp_path / "cache.db")(item))
    assert [(r.style, r.right, r.status) for r in replies] == [(s, True, "answered") for s in ("plain", "oracle", "oracle:BR")]
    missing = list(Asked([Model(name="nobody/x")], cache=tmp_path / "cache.db")(item))
    assert [(r.status, r.right) for r in missing] == [("failed", False)] and "nobody" in missing[0].text


def test_questions_that_are_there_already_are_opened_once_and_come_out_as_they_were(people, workspace):
    item = Item(
        stem="Que se come na consoada?", kind="open", accept=(Accept(text="bacalhau", weight=3.0), Accept(text="polvo", weight=2.0)),
        lang="pt-PT", place="PT", topic="feasts", maker="openai/m", source="s9", meta={"difficulty": "easy"},
    )  # fmt: skip
    choice = Item(stem="Q?", options=("a", "b"), gold=0)
    assert intake.take(people.site, [item, item, choice]) == (1, 1)
    assert intake.take(people.site, [item]) == (0, 0)
    owner, rui = people.join("owner"), people.join("adjudicator")
    assert "openai/m" in rui.get("/adjudicate/1").text
    decide(rui, 1)
    owner.submit("/export")
    assert list(store.read(workspace / "tables" / "items.jsonl", Item)) == [item]
    edit = {"stem": item.stem, "answer": "bacalhau", "variants": "", "domain": "feasts", "note": "", "base": "1"}
    assert rui.submit("/adjudicate/1/edit", edit).status_code == 200
    decide(rui, 1, base=2)
    owner.submit("/export")
    (edited,) = store.read(workspace / "tables" / "items.jsonl", Item)
    assert (edited.parent, edited.maker, edited.source) == (item.id, "openai/m", "s9")
    assert [(a.text, a.weight) for a in edited.accept] == [("bacalhau", 3.0)]


def test_numbers_of_the_work(people):
    ane, rui, eva = people.join("annotator"), people.join("adjudicator"), people.join("adjudicator")
    people.site.config = msgspec.structs.replace(people.site.config, opinions=2)
    stems = ["Primeira?", "Segunda?", "Terceira?", "Quarta?"]
    keys = [write(ane, stem=stem) for stem in stems]
    for key, one, two in zip(keys, ("accept", "accept", "reject", "accept"), ("accept", "reject", "reject", "accept"), strict=True):
        decide(rui, key, one, guideline="E3" if one == "reject" else "")
        decide(eva, key, two, guideline="D1" if two == "reject" else "")
    decide(eva, keys[1], "accept")
    with people.site.database.reading() as s:
        (author,) = numbers.authors(s, people.site)
        words, domains = numbers.first_words(s, people.site), numbers.domains(s, people.site)
    assert author.counts == {"draft": 0, "submitted": 0, "discussion": 0, "accepted": 3, "rejected": 1}
    assert author.acceptance == 0.75 and author.minutes is not None and author.guidelines == {"E3": 1, "D1": 2}
    assert [(d.name, d.accepted, d.waiting) for d in domains] == [("food", 3, 0), ("school", 0, 0)]
    assert len(words) == 8, "the first word of each counts, not the second"
    found, why = numbers.agreement(words)
    values = {e.metric: e.value for e in found if "×" in e.group["judges"]}
    # by hand: 3 of 4 alike; expected by chance 3/4·2/4 + 1/4·2/4 = 1/2; κ = (3/4 − 1/2) / (1 − 1/2)
    assert why == "" and values["percent"] == 0.75 and values["kappa"] == pytest.approx(0.5)
    assert "0.50" in rui.get("/progress").text and "Agreement" not in ane.get("/progress").text


def test_one_judge_alone_agrees_with_nobody():
    assert numbers.agreement([Judgment(item="1", judge="people/a", criterion="accept", value="accept")]) == ([], "agreement.alone")


def test_similar_questions_are_found_and_others_are_not():
    rows = [(1, "O que se põe no pão de manhã?", "accepted"), (2, "De que cor é o mar?", "accepted")]
    (one,) = near("O que se põe no pão à noite?", rows)
    assert one.id == 1 and 70 <= one.likeness < 100
    assert near("Quem foi o primeiro rei?", rows) == []


def test_the_migrations_make_what_the_models_say(tmp_path):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from endonym.web.models import Base

    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    database.open()
    database.open()
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        assert MigrationContext.configure(connection).get_current_revision() == HEAD
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    database.close()


def test_a_database_of_a_later_version_is_left_alone(tmp_path):
    from endonym.errors import StorageError

    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    database.open()
    with database.engine.begin() as connection:
        connection.exec_driver_sql("update alembic_version set version_num = '999'")
    with pytest.raises(StorageError, match="later endonym"):
        database.open()


@pytest.mark.parametrize(
    ("url", "error", "says"),
    [
        ("nonsense", InputError, "not a URL"), ("mysql://a/b", InputError, "sqlite, postgresql"),
        ("postgresql://u:sesame@127.0.0.1:1/x", Unavailable, "127.0.0.1"),
    ],
)
def test_a_database_that_cannot_be_had_is_told_without_its_password(tmp_path, url, error, says):
    with pytest.raises(error, match=says) as caught:
        Database(url).open()
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("langs = 1", "did you mean 'lang'"), ("opinions = 0", "opinions"), ("lang = [", "web.toml"), ("domains = []", "domains"),
        ("lang = 3", "lang"),
    ],
)
def test_a_bad_file_of_settings_is_named_with_its_key(tmp_path, text, says):
    (tmp_path / "web.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        config.load(tmp_path)


def test_the_starter_is_a_file_that_can_be_read(tmp_path):
    assert config.start(tmp_path, lang="pt-PT", place="PT") and not config.start(tmp_path)
    found = config.load(tmp_path)
    assert (found.name, found.lang, found.place, found.training, found.models) == (tmp_path.name, "pt-PT", "PT", True, ())


def test_two_projects_in_one_database_do_not_see_each_other(tmp_path):
    from contextlib import ExitStack

    from .conftest import CONFIG, People

    url = f"sqlite:///{tmp_path / 'shared.db'}"
    with ExitStack() as stack:
        both = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "web.toml").write_text(CONFIG, encoding="utf-8")
            both.append(People(create_app(tmp_path / name, database=url), stack))
        ane, rui = both[0].join("annotator"), both[1].join("adjudicator")
        number = write(ane)
        assert rui.get(f"/adjudicate/{number}").status_code == 404 and "pão" not in rui.get("/adjudicate").text
        crossed = both[1].anonymous()
        crossed.cookies.set("endonym", next(c.value for c in ane.cookies.jar if c.name == "endonym"))
        assert crossed.get("/questions", follow_redirects=False).status_code == 303


def test_guidelines_of_the_workspace_are_shown_and_used(workspace):
    from contextlib import ExitStack

    from .conftest import CONFIG, People

    (workspace / "web.toml").write_text(CONFIG + 'guidelines = "rules.toml"\n', encoding="utf-8")
    rule = '[[guideline]]\nid = "R1"\ncriterion = "short"\nquestion = "Is it short?"\nadvice = "Be brief."\ngood = ["Why?"]\n'
    (workspace / "rules.toml").write_text(rule, encoding="utf-8")
    with ExitStack() as stack:
        people = People(create_app(workspace), stack)
        ane, rui = people.join("annotator"), people.join("adjudicator")
        assert "Be brief." in ane.get("/guidelines").text
        number = write(ane)
        assert decide(rui, number, "reject", guideline="L1").status_code == 422
        assert decide(rui, number, "reject", guideline="R1").status_code == 200


def test_the_shipped_guidelines_speak_of_the_people_of_the_place_and_short_names_stand_in():
    from endonym.web.guides import IDS, shipped

    for lang, people in (("en", "Portug"), ("pt", "portugues")):
        found = shipped("PT", lang)
        assert tuple(g.id for g in found) == IDS and all(g.advice for g in found)
        assert any(people in g.question + g.advice for g in found)
    for place, lang in (("XX", "en"), ("../../secret", "en"), ("", "pt"), ("PT", "fr")):
        assert tuple(g.id for g in shipped(place, lang)) == IDS
    assert not any("Portug" in g.question for g in shipped("XX", "en"))


def test_a_question_is_no_copy_of_itself(people):
    ane, rui = people.join("annotator"), people.join("adjudicator")
    number = write(ane)
    decide(rui, number)
    assert "was accepted already" in ane.submit("/check", QUESTION).text
    assert "was accepted already" not in ane.submit("/check", {**QUESTION, "id": str(number)}).text


def test_the_checks_of_the_guidelines_fit_the_pages(workspace):
    from contextlib import ExitStack

    from endonym.validate.writing import findings

    from .conftest import People

    with ExitStack() as stack:
        people = People(create_app(workspace, checks=findings), stack)
        ane = people.join("annotator")
        part = ane.submit("/check", {"stem": "A sardinha é um peixe de Portugal?", "answer": "sim"}).text
        assert "hard rule" in part and "L7" in part and "D1" in part
        number = write(ane, stem="A sardinha é um peixe de Portugal?", answer="sim", do="submit")
        assert "draft" in ane.get(f"/questions/{number}").text


def test_checks_are_given_language_culture_and_what_was_accepted(workspace):
    from contextlib import ExitStack

    from .conftest import People

    told = []

    def checks(question, *, lang, culture, accepted, notes):
        told.append((question.stem, question.answer, lang, culture, notes, [i.stem for i in accepted]))
        return [Judgment(item=question.id, judge="check/x", criterion="answer-x", value="warning", guideline="L2", note="Mais <curta>.")]

    with ExitStack() as stack:
        people = People(create_app(workspace, checks=checks), stack)
        ane, rui = people.join("annotator"), people.join("adjudicator")
        decide(rui, write(ane))
        assert "Mais &lt;curta&gt;." in ane.submit("/check", {"stem": "Outra?", "answer": "y"}).text
    told = [each for each in told if each[0] != "?"]  # the server's own, before anybody comes
    assert told[0] == (QUESTION["stem"], "manteiga", "pt-PT", "PT", "en", [])
    assert told[-1] == ("Outra?", "y", "pt-PT", "PT", "en", [QUESTION["stem"]])


def test_passwords_are_argon2_of_the_measure_that_owasp_gives():
    import importlib

    kept = importlib.reload(auth).password_hash("a long enough phrase")
    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert auth.password_fits(kept, "a long enough phrase") and not auth.password_fits(kept, "another phrase")
    assert not auth.password_fits("", "x") and not auth.password_fits("not a hash", "x")


def test_the_pages_start_within_two_seconds_of_processor_time(tmp_path):
    code = (
        "import pathlib, time; from endonym.web.app import create_app; "
        f"create_app(pathlib.Path({str(tmp_path)!r})); print(time.process_time())"
    )
    first = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(again.stdout) < 2.0 and first.stderr == "" == again.stderr


def test_a_form_opened_before_the_text_changed_says_so_even_to_its_author(people):
    ane = people.join("annotator")
    number = write(ane, do="save")
    first, second = opened(ane, f"/questions/{number}/edit"), opened(ane, f"/questions/{number}/edit")
    path = f"/questions/{number}/edit"
    assert ane.submit(path, {**QUESTION, **first, "answer": "mel", "do": "save"}).status_code == 200
    assert ane.submit(path, {**QUESTION, **second, "answer": "sal", "do": "save"}).status_code == 409
