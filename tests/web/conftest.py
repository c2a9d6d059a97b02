"""A small project, and people in browsers of their own."""

import re
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from endonym.web import auth
from endonym.web.app import create_app
from endonym.web.database import Database

PASSWORD = "horse lamp river stone"
CONFIG = 'name = "Small"\nlang = "pt-PT"\nplace = "PT"\ntraining = false\ndomains = ["food", "school"]\n'


class Browser(TestClient):
    """A browser that follows links and sends the forms of the page that it was last shown."""

    pseudonym = ""

    def token(self, path: str = "/guidelines") -> str:
        """The CSRF token of a page."""
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.get(path).text)
        return found[1] if found else ""

    def submit(self, path: str, form: dict[str, str] | None = None, *, follow: bool = True, page: str = "/guidelines"):
        """Send a form as a page of this site would."""
        return self.post(path, data={"csrf": self.token(page), **(form or {})}, follow_redirects=follow)


class People:
    """Makes browsers of one application."""

    def __init__(self, app, opened: ExitStack) -> None:
        self.app, self.site, self._opened = app, app.state.site, opened

    def anonymous(self) -> Browser:
        return self._opened.enter_context(Browser(self.app))

    def link(self, role: str) -> str:
        with self.site.database.writing() as s:
            return "/join/" + auth.invite(s, self.site.project, role)

    def join(self, role: str) -> Browser:
        browser, link = self.anonymous(), self.link(role)
        answer = browser.submit(link, {"password": PASSWORD, "again": PASSWORD, "email": ""}, page=link)
        assert answer.status_code == 200, answer.text
        browser.pseudonym = re.search(r'id="me">([^<]+)<', answer.text)[1]
        return browser


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "web.toml").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Passwords are hashed with less work; a test of its own holds the real measure."""
    monkeypatch.setattr(auth, "_hasher", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))


@pytest.fixture(scope="session")
def empty(tmp_path_factory) -> Path:
    """A database at the last schema, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "web.db"
    database = Database(f"sqlite:///{path}")
    database.open()
    database.close()
    return path


@pytest.fixture
def people(workspace: Path, empty: Path):
    shutil.copy(empty, workspace / "web.db")
    with ExitStack() as opened:
        yield People(create_app(workspace), opened)


QUESTION = {"stem": "O que se põe no pão ao pequeno-almoço?", "answer": "manteiga", "variants": "a manteiga", "domain": "food", "note": ""}


def opened(browser: Browser, path: str = "/write") -> dict[str, str]:
    """The hidden fields of the form of a page."""
    text = browser.get(path).text
    form = text[text.index('id="question-form"') :]
    return dict(re.findall(r'<input type="hidden" name="(base|key|opened)" value="([^"]*)"', form))


def write(browser: Browser, *, do: str = "submit", **fields: str) -> int:
    """Write a question and return its number."""
    answer = browser.submit("/write", {**QUESTION, **opened(browser), "do": do, **fields})
    assert answer.status_code == 200, answer.text
    return int(re.search(r"/questions/(\d+)", str(answer.url))[1])


def decide(browser: Browser, question: int, verdict: str = "accept", *, base: int = 1, **fields: str):
    """Take a decision."""
    return browser.submit(f"/adjudicate/{question}", {"verdict": verdict, "base": str(base), "guideline": "", "reason": "", **fields})
