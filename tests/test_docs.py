"""Docs cannot drift: every command of the README and of docs/ is run, and the help in docs/cli.md is the command line's own."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from endonym.cli import VERBS, app, run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def cli_page() -> str:
    """The help of every verb, as Markdown."""
    parts = ["# The command line\n\nWritten by `python tests/test_docs.py`; a test holds it to what the program says.\n"]
    for args in ([], *([verb] for verb in VERBS)):
        text = CliRunner().invoke(app, [*args, "--help"], prog_name="endonym", terminal_width=100).output
        parts.append(f"## {' '.join(['endonym', *args])}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


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
