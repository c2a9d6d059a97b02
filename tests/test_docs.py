"""Docs cannot drift: every command of the README and of docs/ is run, and the help in docs/cli.md is the command line's own."""

import inspect
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from endonym.cli import VERBS, app, run
from endonym.stages import STAGES, stage

BOUND = ("responses", "prompts")
"""Tables that the kitchen gives to a stage that asks."""
ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def cli_page() -> str:
    """The help of every verb, as Markdown."""
    parts = ["# The command line\n\nWritten by `python tests/test_docs.py`; a test holds it to what the program says.\n"]
    for args in ([], *([verb] for verb in VERBS)):
        text = CliRunner().invoke(app, [*args, "--help"], prog_name="endonym", terminal_width=100).output
        parts.append(f"## {' '.join(['endonym', *args])}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def stages_page() -> str:
    """Every stage with its tables and settings, as Markdown."""
    parts = [
        "# Stages\n\nWhat a `recipe.toml` may ask for; written by `python tests/test_docs.py`, and held to the code by a test. Before the"
        " `·` stand the tables that a stage reads (with `?`: only where the recipe names it), after it its settings with their defaults."
        " A stage of two lines asks models or people between them.\n"
    ]
    for name in STAGES:
        code = stage(name)
        halves = [code] if not inspect.ismodule(code) else [code.write, code.read]
        about = inspect.getdoc(code if len(halves) == 2 else halves[0]) or ""
        lines = [f"{'`' if len(halves) == 1 else f'{half.__name__}: `'}{_parameters(half)}`" for half in halves]
        parts.append(f"## {name}\n\n{_first(about)}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n")
    return "\n".join(parts)


def _first(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def _parameters(function: Callable[..., Any]) -> str:
    known = inspect.signature(function).parameters.values()
    tables = [p.name + ("" if p.default is p.empty else "?") for p in known if p.kind is not p.KEYWORD_ONLY and p.name not in BOUND]
    own = [p for p in known if p.kind is p.KEYWORD_ONLY and p.name != "skipped"]
    return f"{', '.join(tables) or '–'} · {', '.join(map(_setting, own)) or '–'}"


def _setting(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is parameter.empty:
        return parameter.name
    if isinstance(default, Path):
        return f"{parameter.name} = {default.name}"
    plain = isinstance(default, str | int | float | tuple | type(None)) and not any(isinstance(d, msgspec.Struct) for d in _some(default))
    return f"{parameter.name} = {default!r}" if plain else parameter.name


def _some(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_the_list_of_stages_in_the_docs_is_that_of_the_program():
    assert (ROOT / "docs/stages.md").read_text(encoding="utf-8") == stages_page()


def test_the_help_in_the_docs_is_what_the_program_says():
    assert (ROOT / "docs/cli.md").read_text(encoding="utf-8") == cli_page()


def sessions() -> list[tuple[str, list[str]]]:
    """The ``console`` blocks of a page: each is one session in a folder of its own."""
    found = []
    for page in PAGES:
        for number, block in enumerate(re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.S), 1):
            commands = [line[2:] for line in block.replace("\\\n", " ").splitlines() if line.startswith("$ ")]
            found.append((f"{page.name}-{number}", commands))
    return found


def files(page_text: str) -> dict[str, str]:
    """Files that a page shows whole: a block whose fence names the file, as in ```json title=mine.jsonl."""
    return dict(re.findall(r"```\w+ title=(\S+)\n(.*?)```", page_text, re.S))


@pytest.mark.parametrize("name, commands", sessions(), ids=lambda v: v if isinstance(v, str) else "")
def test_every_command_of_the_docs_runs(name: str, commands: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for page in PAGES:
        for file, text in files(page.read_text(encoding="utf-8")).items():
            Path(file).write_text(text, encoding="utf-8")
    for command in commands:
        words = shlex.split(command, comments=True)
        if words[0] == "endonym":
            assert run(words[1:]) == 0, command
        else:
            assert words[0] in ("make", "pip"), f"{command}: is run by nobody"


def test_no_gold_answer_stands_in_the_readme():
    """The README is read by crawlers: no question of a shipped benchmark with its answer may stand there."""
    from endonym import benchmarks
    from endonym.build.native import native

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in benchmarks.shipped():
        for item in native(benchmarks.data() / name / "benchmark.jsonl"):
            assert item.stem not in text


if __name__ == "__main__":
    (ROOT / "docs/cli.md").write_text(cli_page(), encoding="utf-8")
    (ROOT / "docs/stages.md").write_text(stages_page(), encoding="utf-8")
