"""One workspace and its report for all tests that only look."""

from pathlib import Path

import pytest

from endonym.records import Estimate
from endonym.report import report

from . import synthetic


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.write(tmp_path_factory.mktemp("report") / "ws")


@pytest.fixture(scope="session")
def estimates(workspace: Path) -> list[Estimate]:
    return report(workspace, by=("lang", "place", "topic", "region"), draws=200)


@pytest.fixture(scope="session")
def html(workspace: Path, estimates: list[Estimate]) -> str:
    return (workspace / "report" / "index.html").read_text(encoding="utf-8")
