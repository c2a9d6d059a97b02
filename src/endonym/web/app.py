"""The application: its pages, who may open them, and what happens when it starts and stops.

In: a workspace, and what is plugged in (checks, probes, guidelines). Out: a Starlette application. The one thing to know: a route names
the role that it needs beside its function, in the one table below; a test walks that table.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ..records import Accept
from .pages import adjudicate, enter, export, people, progress, question, tasks, training, write
from .seams import Checks, Probes, Written
from .security import Headers, harden, log
from .site import Guidelines, Site
from .visit import Visit, page, warm
from .words import languages

LARGEST = 256 * 1024
"""Bytes of a form."""
ANYBODY = ""
PAGES = (
    ("GET", "/", ANYBODY, enter.home),
    ("GET", "/sign-in", ANYBODY, enter.sign_in_page),
    ("POST", "/sign-in", ANYBODY, enter.sign_in),
    ("GET", "/join/{token}", ANYBODY, enter.join_page),
    ("POST", "/join/{token}", ANYBODY, enter.join),
    ("POST", "/language", ANYBODY, enter.language),
    ("GET", "/health", ANYBODY, enter.health),
    ("POST", "/sign-out", "annotator", enter.sign_out),
    ("GET", "/account", "annotator", enter.account_page),
    ("POST", "/account", "annotator", enter.account),
    ("GET", "/guidelines", "annotator", write.guidelines),
    ("GET", "/training", "annotator", training.training_page),
    ("POST", "/training", "annotator", training.practise),
    ("GET", "/write", "annotator", write.write_page),
    ("POST", "/write", "annotator", write.write),
    ("POST", "/check", "annotator", write.check),
    ("GET", "/questions", "annotator", write.mine),
    ("GET", "/questions/{id}", "annotator", question.question_page),
    ("GET", "/questions/{id}/edit", "annotator", write.edit_page),
    ("POST", "/questions/{id}/edit", "annotator", write.edit),
    ("POST", "/questions/{id}/comments", "annotator", question.comment),
    ("GET", "/progress", "annotator", progress.progress_page),
    ("GET", "/tasks", "annotator", tasks.tasks_page),
    ("GET", "/tasks/{id}", "annotator", tasks.task_page),
    ("POST", "/tasks/{id}", "annotator", tasks.judge),
    ("GET", "/adjudicate", "adjudicator", adjudicate.queue),
    ("GET", "/adjudicate/{id}", "adjudicator", adjudicate.adjudicate_page),
    ("POST", "/adjudicate/{id}", "adjudicator", adjudicate.decide),
    ("POST", "/adjudicate/{id}/edit", "adjudicator", adjudicate.edit),
    ("POST", "/adjudicate/{id}/override", "adjudicator", adjudicate.override),
    ("GET", "/all", "adjudicator", adjudicate.everything),
    ("GET", "/people", "owner", people.people_page),
    ("POST", "/people/invitations", "owner", people.invite),
    ("POST", "/people/invitations/{id}/withdraw", "owner", people.withdraw),
    ("POST", "/people/{id}", "owner", people.change),
    ("POST", "/tasks", "owner", tasks.create),
    ("POST", "/tasks/{id}/close", "owner", tasks.close),
    ("POST", "/tasks/{id}/reopen", "owner", tasks.reopen),
    ("GET", "/tasks/{id}/sheet/{pseudonym}", "owner", tasks.sheet),
    ("GET", "/export", "owner", export.export_page),
    ("POST", "/export", "owner", export.export_tables),
    ("GET", "/export/questions.csv", "owner", export.questions_csv),
)


def create_app(workspace: Path, *, checks: Checks | None = None, probes: Probes | None = None, database: str = "",
               guidelines: Guidelines | None = None) -> Starlette:  # fmt: skip
    """Make the application of a workspace.

    ``checks`` find faults as people write (none: the few that need no language); ``probes`` asks models a submitted question (none: the
    models of ``web.toml``, if any); ``guidelines`` gives those of questions in a language of the pages. Raises InputError for a
    ``web.toml`` that cannot be read, Unavailable where the database cannot be reached.
    """
    site = Site(workspace, checks=checks, probes=probes, database=database, guidelines=guidelines)
    if probes is None and site.config.models:
        from .probing import Asked

        site.probes = Asked(site.config.asked(), sisters=site.config.sisters, cache=workspace / "cache.db")
    app = Starlette(
        routes=routes(), lifespan=_life,
        middleware=[Middleware(Headers), Middleware(RequestBodyLimitMiddleware, max_body_size=LARGEST)],
        exception_handlers={HTTPException: _refused, Exception: _broken},
    )  # fmt: skip
    app.state.site = site
    return app


def routes() -> list[Route | Mount]:
    """The pages and the files beside them."""
    made: list[Route | Mount] = [
        Route(path, page(function, role), methods=[method], name=function.__name__) for method, path, role, function in PAGES
    ]
    return [*made, Mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")]


@asynccontextmanager
async def _life(app: Starlette) -> AsyncIterator[None]:
    site: Site = app.state.site
    await run_in_threadpool(_warm, site)
    worker = None
    if site.probes:
        from .probing import Worker

        worker = Worker(site, site.probes)
        worker.start()
    try:
        yield
    finally:
        if worker:
            worker.stop()
        site.database.close()


def _warm(site: Site) -> None:
    """What is read and compiled once is read and compiled before the first visitor comes."""
    warm()
    site.findings(Written(stem="?", accept=(Accept(text="."),)))
    for lang in languages():
        site.guidelines(lang)


async def _refused(request: Request, problem: Exception) -> Response:
    """A page for what was not found, or may not be asked in this way."""
    if not isinstance(problem, HTTPException):
        raise problem
    response = await run_in_threadpool(lambda: Visit(request, request.app.state.site, {}).refuse(problem.status_code))
    response.headers.update(problem.headers or {})
    return response


async def _broken(request: Request, problem: Exception) -> Response:
    """The server's fault: the kind of error goes to the log, nothing of what was sent, and nothing to the browser."""
    log.error("%s: %s", getattr(request.scope.get("route"), "path", "(no page)"), type(problem).__name__)
    response = PlainTextResponse("The server failed. What was confirmed before is kept.\n", status_code=500)
    harden(response.headers, secure=request.url.scheme == "https")
    return response
