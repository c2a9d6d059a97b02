"""One request: who asks, in which language, with which form; and how an answer is made.

In: a request of Starlette. Out: a response. The one thing to know: a page is a plain function of a :class:`Visit`, wrapped by ``page``,
which reads the form, holds it to its CSRF token and the person to the role, and runs the function in a thread.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from . import auth, security
from .models import ROLES, Person
from .site import Site
from .words import choose, known, languages, speaker

RANK = {"": 0, **{role: n for n, role in enumerate(ROLES, 1)}}
Handler = Callable[["Visit"], Response]
_ENV = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "template"), autoescape=True, undefined=StrictUndefined, auto_reload=False,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip


class Visit:
    """A request and what an answer to it needs."""

    def __init__(self, request: Request, site: Site, form: dict[str, str]) -> None:
        self.request, self.site, self.form = request, site, form
        self.cookie = request.cookies.get(self.cookie_name, "")
        self.fresh = not self.cookie
        self.cookie = self.cookie or security.token()
        self._person: Person | None = None
        if not self.fresh:
            with site.database.reading() as s:
                self._person = auth.sitting(s, site.project, self.cookie)
        wishes = (self._person.lang if self._person else "", request.cookies.get("lang", ""), request.headers.get("accept-language", ""))
        self.lang = choose(*wishes)
        self.t = speaker(self.lang)

    @property
    def secure(self) -> bool:
        return self.request.url.scheme == "https"

    @property
    def cookie_name(self) -> str:
        return "__Host-endonym" if self.secure else "endonym"

    @property
    def someone(self) -> Person | None:
        return self._person

    @property
    def person(self) -> Person:
        """Who is signed in; ``page`` lets nobody else so far."""
        if self._person is None:
            raise HTTPException(401)
        return self._person

    @property
    def csrf(self) -> str:
        return security.csrf(self.site.secret, self.cookie)

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    def may(self, role: str) -> bool:
        """Whether the visitor has a role, or one above it."""
        return RANK[self._person.role if self._person else ""] >= RANK[role]

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with self.site.database.reading() as s:
            yield s

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with self.site.database.writing() as s:
            yield s

    def number(self, name: str) -> int:
        """A number of the path or the form; 404 where it is none that a table could hold."""
        text = str(self.request.path_params.get(name, self.form.get(name, "")))
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise HTTPException(404)
        return int(text)

    def text(self, name: str, *, most: int = security.LONGEST) -> str:
        """A text of the form, cleaned; 422 where it is too long."""
        found = security.clean(self.form.get(name, ""))
        if len(found) > most:
            raise HTTPException(422, self.t("error.long", n=most))
        return found

    def query(self, name: str) -> str:
        return self.request.query_params.get(name, "")

    def render(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page, with what every page is given."""
        given = {"v": self, "t": self.t, "lang": self.lang, "languages": languages(), "config": self.site.config, "notice": self._notice()}
        text = _ENV.get_template(template).render(**given, say=lambda key: known(self.lang, key), domain=self.domain, when=when, **context)
        return self.sealed(HTMLResponse(text, status_code=status))

    def domain(self, name: str) -> str:
        """What a domain is called on a page; a group's own domains have the names that they have."""
        return self._words(f"domain.{name}", name)

    def _notice(self) -> str:
        return self._words(f"notice.{self.query('done')}", "")

    def _words(self, key: str, otherwise: str) -> str:
        said = known(self.lang, key)
        return otherwise if said == key else said

    def go(self, path: str, *, done: str = "") -> Response:
        """Send the browser to another page of this site; ``done`` names the notice that it shows."""
        target = security.local(path) + (f"{'&' if '?' in path else '?'}{urlencode({'done': done})}" if done else "")
        return self.sealed(RedirectResponse(quote(target, safe="/?&=%+:#~.-_"), status_code=303))

    def sealed(self, response: Response, *, cookie: str = "") -> Response:
        """Give the browser its cookie: a new one where it had none, or the one of a new sitting."""
        if cookie or self.fresh:
            response.set_cookie(
                self.cookie_name, cookie or self.cookie, max_age=int(auth.SITTING), httponly=True, samesite="lax", secure=self.secure,
            )  # fmt: skip
        return response

    def refuse(self, status: int, message: str = "") -> Response:
        """A page that says why not."""
        key = status if status in (401, 403, 404, 409, 413, 422, 429) else 500
        return self.render("error.html", status, title=self.t(f"error.{key}"), message=message or self.t(f"error.{key}.more"))


def warm() -> None:
    """Make every page ready, so that the first visitors need not wait for it."""
    for name in _ENV.list_templates(extensions=["html"]):
        _ENV.get_template(name)


def when(seconds: float) -> str:
    """A time as it is read on a page, UTC."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def page(handler: Handler, role: str = "") -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint of a function: for everybody, or for those who have ``role``."""

    async def endpoint(request: Request) -> Response:
        form: dict[str, str] = {}
        if request.method == "POST":
            async with request.form(max_files=0, max_fields=60, max_part_size=64 * 1024) as found:
                form = {key: value for key, value in found.items() if isinstance(value, str)}
        return await run_in_threadpool(_serve, request, form, handler, role)

    endpoint.role = role  # type: ignore[attr-defined]
    endpoint.__name__ = handler.__name__
    return endpoint


def _serve(request: Request, form: dict[str, str], handler: Handler, role: str) -> Response:
    visit = Visit(request, request.app.state.site, form)
    try:
        if request.method == "POST":
            _hold(visit)
        if not visit.may(role):
            if visit.someone is None:
                return visit.go("/sign-in?" + urlencode({"next": request.url.path if request.method == "GET" else "/"}))
            raise HTTPException(403)
        return handler(visit)
    except HTTPException as problem:
        detail = problem.detail if problem.status_code == 422 else ""
        response = visit.refuse(problem.status_code, detail)
        response.headers.update(problem.headers or {})
        return response


def _hold(visit: Visit) -> None:
    """Hold a form to its token: 403 for one that this site did not give to this browser."""
    crossed = visit.request.headers.get("sec-fetch-site", "same-origin") in ("cross-site", "same-site")
    given = visit.form.get("csrf", "")
    if crossed or visit.fresh or not security.same(given, visit.csrf):
        raise HTTPException(403)
