"""Models on several servers are asked side by side, those of one server and of this machine one after the other."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from endonym.ask import lane, together
from endonym.cli import run
from endonym.errors import InputError, ModelError
from endonym.records import Model
from endonym.store import verify

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "models")]

from fault_server import MODEL, FaultServer  # noqa: E402
from test_ask_faults import endonym, written  # noqa: E402


@pytest.fixture
def servers() -> Iterator[list[FaultServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(FaultServer()) for _ in range(2)]


def named(name: str, server: FaultServer) -> list[str]:
    return ["--model", f"openai/{name} base_url={server.url} concurrency=1 retries=0"]


def evaluate(tmp_path: Path, out: str, *more: str, stems: int = 12) -> list[str]:
    bench = written(tmp_path / "b.jsonl", [f"Stem {n}?" for n in range(stems)])
    return ["evaluate", bench, "--method", "generate", "--out", str(tmp_path / out), *more]


def spans(server: FaultServer, name: str) -> tuple[float, float]:
    times = [at for at, body in zip(server.times, server.bodies, strict=True) if body["model"] == name]
    return times[0], times[-1]


def test_two_servers_are_asked_at_the_same_time_and_the_tables_are_the_same(tmp_path: Path, servers: list[FaultServer]):
    one, other = servers
    one.pause = other.pause = 0.05
    models = (*named(MODEL, one), *named("house-2", other), *named("house-3", other))
    assert run(evaluate(tmp_path, "both", *models)) == 0
    (a, z), (b, y), (c, _) = spans(one, MODEL), spans(other, "house-2"), spans(other, "house-3")
    assert max(a, b) < min(z, y), "the two overlap"
    assert y < c, "and the second model of one server waits for the first"
    for model in (models[:2], models[2:4], models[4:]):
        assert run(evaluate(tmp_path, "each", *model)) == 0
    tables = sorted(p.relative_to(tmp_path / "both") for p in (tmp_path / "both/tables").rglob("*.jsonl"))
    assert len(tables) == 6
    assert [(tmp_path / "both" / p).read_bytes() for p in tables] == [(tmp_path / "each" / p).read_bytes() for p in tables]
    assert verify(tmp_path / "both/tables") == 6


def test_a_server_that_fails_does_not_stop_the_other(tmp_path: Path, servers: list[FaultServer], capsys: pytest.CaptureFixture[str]):
    one, other = servers
    other.plan = lambda text, number: "401"  # type: ignore[method-assign]
    assert run(evaluate(tmp_path, "w", *named(MODEL, one), *named("house-2", other))) == 3
    assert "openai/house-2: not one of 12 calls succeeded" in capsys.readouterr().err
    assert one.answered.total() == 12
    assert len(list((tmp_path / "w/tables/scores").glob("openai--*.jsonl"))) == 1


def test_ctrl_c_stops_both(tmp_path: Path, servers: list[FaultServer]):
    one, other = servers
    one.pause = other.pause = 0.05
    running = endonym(*evaluate(tmp_path, "w", *named(MODEL, one), *named("house-2", other), stems=200))
    until = time.monotonic() + 30
    while min(len(one.times), len(other.times)) < 5 and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)
    assert (running.returncode, "Traceback" in err) == (130, False)
    assert "what was answered is kept" in err
    assert not list((tmp_path / "w").rglob(".*.jsonl.*")), "no half table is left"


def test_lanes():
    def openai(url: object) -> Model:
        return Model(name="openai/x", params={"base_url": url, "chat": True})

    assert lane(openai("http://127.0.0.1:1/v1/")) == lane(openai(["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"]))
    assert lane(openai("http://127.0.0.1:1/v1")) != lane(openai("http://127.0.0.1:2/v1"))
    assert lane(Model(name="parrot/x")) == lane(Model(name="parrot/y", params={"says": "B"})) == ""


def test_troubles_are_gathered_and_another_error_stops_all():
    done: list[str] = []
    stopped = threading.Event()

    def job(name: str, problem: Exception | None = None) -> None:
        if problem:
            raise problem
        done.append(name)

    def jobs(*which: tuple[str, Exception | None]) -> list:
        return [lambda name=name, problem=problem: job(name, problem) for name, problem in which]

    lanes = [jobs(("a", ModelError("2")), ("b", None)), jobs(("c", ModelError("1")), ("d", None))]
    assert list(map(str, together(lanes, stopped))) == ["1", "2"]
    assert sorted(done) == ["b", "d"]
    assert together([], stopped) == []
    with pytest.raises(InputError, match="x"):
        together([jobs(("e", InputError("x")), ("f", None)), [lambda: stopped.wait(10)]], stopped)
    assert stopped.is_set()
    assert "f" not in done
