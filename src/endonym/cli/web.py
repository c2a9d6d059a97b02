"""``endonym web``: the pages in which people write questions, and adjudicators decide."""

import logging
import socket
from pathlib import Path
from typing import Any

import click

from .. import benchmarks
from ..errors import InputError, Unavailable
from . import common


@click.command()
@common.folder_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--database", default="", metavar="URL", help="postgresql://USER@HOST/NAME for a team; if not given, web.db in DIR.")
@click.option("--lang", default="", metavar="TAG", help="Language of the questions, written to a new web.toml (pt-PT).")
@click.option("--place", default="", metavar="CODE", help="Whose culture it is, written to a new web.toml (PT).")
@click.option("--open", "opened", default="", metavar="BENCHMARK", help="Put its open questions before the adjudicators, and serve.")
@click.option("--invite", type=click.Choice(["annotator", "adjudicator", "owner"]), help="Print a link for somebody and stop.")
@click.option("--export", "exporting", is_flag=True, help="Write tables of what was decided and stop.")
@click.option("--log", "logged", is_flag=True, help="Tell of each request on stderr: its route, never what stands in it.")
@common.json_option
def web(
    folder: Path, host: str, port: int, database: str, lang: str, place: str, opened: str, invite: str, exporting: bool, **said: Any
) -> None:
    """Serve the pages of the workspace DIR: write, check, adjudicate, rate, review.

    The first start prints a link for the owner, who invites the others. DIR/web.toml says for which language and culture.
    """
    try:
        from ..validate.writing import findings
        from ..web import config
        from ..web.app import create_app
    except ImportError as problem:
        raise Unavailable(f"the pages need {problem.name}: pip install 'endonym[web]'") from problem
    if config.start(folder, lang=lang, place=place):
        common.say(f"{folder / config.NAME}: written; look at it and start again where something is to be changed")
    site = (app := create_app(folder, database=database, checks=findings)).state.site
    if opened:
        _open(site, opened)
    if exporting:
        return _export(site, as_json=said["as_json"])
    if invite:
        return _invite(site, _base(host, port), invite, as_json=said["as_json"])
    return _serve(app, host, port, logged=said["logged"])


def _base(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _open(site: Any, name: str) -> None:
    from ..build.readers import named
    from ..web.intake import take

    found = benchmarks.find(name)
    skipped: list[str] = []
    new, other = take(site, named(found.reader)(benchmarks.resolve(Path(), found.path), skipped=skipped))
    common.say(f"{found.name}: {new} questions opened; {other} are no open questions, {len(skipped)} cannot be read")


def _export(site: Any, *, as_json: bool) -> None:
    from ..web.export import export

    made = export(site)
    if as_json:
        return common.put({name: {"rows": m.rows, "sha256": m.sha256} for name, m in made.items()})
    for name, manifest in made.items():
        click.echo(f"{name}: {manifest.rows} rows")
    return None


def _invite(site: Any, base: str, role: str, *, as_json: bool) -> None:
    """Print a link, to this terminal alone: it is kept nowhere."""
    from ..web import auth

    with site.database.writing() as s:
        secret = auth.invite(s, site.project, role)
    link = f"{base}/join/{secret}"
    if as_json:
        return common.put({"role": role, "link": link})
    return click.echo(f"{role}, once and within 7 days: {link}")


def _serve(app: Any, host: str, port: int, *, logged: bool) -> None:
    try:
        import uvicorn
    except ImportError as problem:
        raise Unavailable("the pages need uvicorn: pip install 'endonym[web]'") from problem
    if logged:
        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
        logging.getLogger("endonym.web").setLevel(logging.INFO)
    listening = _listen(host, port)
    base = _base(host, listening.getsockname()[1])
    if not app.state.site.has_owner():
        _invite(app.state.site, base, "owner", as_json=False)
    server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning", server_header=False, timeout_graceful_shutdown=5))
    click.echo(f"{base} (Ctrl-C stops it; what was confirmed is kept)")
    server.run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        raise InputError(f"{host}:{port}: cannot be listened at: {why}; give another --port") from problem
