"""The way of a question on a team's PostgreSQL, started by the test itself; and that two people never overwrite each other there."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from endonym import store
from endonym.records import Item, Judgment
from endonym.web import tasks
from endonym.web.app import create_app
from endonym.web.database import HEAD, Database

from .conftest import PASSWORD, QUESTION, People, decide, opened, write
from .postgres import BIN, database, postgres
from .test_tasks import FORM, GUIDELINE, table

psycopg = pytest.importorskip("psycopg", reason="needs psycopg: pip install 'endonym[postgres]'")
NUMBERS = itertools.count()
pytestmark = pytest.mark.skipif(BIN is None, reason="needs PostgreSQL's programs: apt-get install postgresql")


@pytest.fixture(scope="module")
def server():
    with postgres() as home:
        yield home


@pytest.fixture
def url(server) -> str:
    """An empty database for each test."""
    return database(server, f"t{next(NUMBERS)}")


@pytest.fixture
def team(workspace, url):
    """People of a project whose database is PostgreSQL."""
    with ExitStack() as stack:
        yield People(create_app(workspace, database=url), stack)


def test_a_question_goes_from_invitation_to_items_on_postgresql(team, workspace):
    owner, ane, rui, eva = (team.join(role) for role in ("owner", "annotator", "adjudicator", "adjudicator"))
    number, other = write(ane), write(ane, stem="O que se come ao lanche?", answer="torradas")
    assert decide(rui, number, "reject", guideline="L4", reason="há várias").status_code == 200
    assert rui.submit(f"/adjudicate/{number}/edit", {**QUESTION, "answer": "mel", "base": "1"}).status_code == 200
    assert decide(eva, number, base=1).status_code == 409, "a decision on a text that changed was taken"
    assert decide(eva, number, base=2).status_code == 200 and decide(rui, other).status_code == 200
    assert "há várias" in ane.get(f"/questions/{number}").text and "Agreement" in eva.get("/progress").text
    assert "2 rows" in owner.submit("/export").text
    found = list(store.read(workspace / "tables" / "items.jsonl", Item))
    assert [(i.stem, i.accept[0].text) for i in found] == [(QUESTION["stem"], "mel"), ("O que se come ao lanche?", "torradas")]
    said = [(j.judge, j.value) for j in store.read(workspace / "tables" / "judgments.jsonl", Judgment) if j.criterion == "accept"]
    names = [f"people/{who.pseudonym}" for who in (rui, eva, rui)]
    assert said == list(zip(names, ("reject", "accept", "accept"), strict=True))


def test_of_many_who_save_on_one_version_one_is_first_and_the_others_are_told(team):
    ane = team.join("annotator")
    number = write(ane, do="save")
    path = f"/questions/{number}/edit"
    form = {**QUESTION, **opened(ane, path), "csrf": ane.token(), "do": "save"}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: ane.post(path, data={**form, "answer": f"mel {n}"}, follow_redirects=False), range(8)))
    assert sorted(a.status_code for a in answers) == [303] + [409] * 7
    page = ane.get(f"/questions/{number}").text
    assert "Version 2" in page and "Version 3" not in page


def test_of_many_who_use_one_invitation_one_comes_in(team):
    link = team.link("annotator")
    strangers = [team.anonymous() for _ in range(6)]
    forms = [{"csrf": s.token(link), "password": PASSWORD, "again": PASSWORD} for s in strangers]
    with ThreadPoolExecutor(6) as pool:
        answers = pool.map(lambda stranger, form: stranger.post(link, data=form, follow_redirects=False), strangers, forms)
        codes = [a.status_code for a in answers]
    assert sorted(codes) == [303] + [404] * 5


def test_a_task_is_opened_again_over_a_table_that_was_made_anew(team, workspace):
    (workspace / "guideline.toml").write_text(GUIDELINE, encoding="utf-8")
    table(workspace, "a", "b", "c")
    owner = team.join("owner")
    assert owner.submit("/tasks", FORM).status_code == 200
    with team.site.database.reading() as s:
        ((task, _),) = tasks.of_project(s, team.site)
        row = tasks.next_row(s, task, s.merge(_person(s, owner)))
    assert owner.submit(f"/tasks/{task.id}", {"row": str(row.id), "value": "4"}).status_code == 200
    table(workspace, "c", "new", "a")
    owner.submit(f"/tasks/{task.id}/close")
    assert "1 of 3 done" in owner.submit(f"/tasks/{task.id}/reopen").text


def _person(s, browser):
    from sqlalchemy import select

    from endonym.web.models import Person

    return s.scalar(select(Person).where(Person.pseudonym == browser.pseudonym))


def test_the_migrations_make_what_the_models_say_on_postgresql(url):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from endonym.web.models import Base

    opened_ = Database(url)
    opened_.open()
    with opened_.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == HEAD and compare_metadata(context, Base.metadata) == []
    opened_.close()
