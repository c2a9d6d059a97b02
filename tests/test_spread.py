"""Two actors give the rows of one process; an actor that is killed costs its shards and nothing else.

Ray takes seconds to start, so one test walks through all that needs it; what can be seen without is seen without.
"""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from endonym import spread
from endonym.ask import ask
from endonym.errors import ModelError, OverBudget, Unavailable
from endonym.models.parrot import Parrot
from endonym.records import Message, Model, Prompt, Response, canonical


class Slow(Parrot):
    """A parrot that takes its time and leaves a mark for every call."""

    DEFAULTS = {**Parrot.DEFAULTS, "log": ""}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        for response in super().answer(prompts):
            time.sleep(0.005)
            with open(self.params["log"], "a") as log:
                log.write(f"{os.getpid()} {response.prompt}\n")
            yield response


class _Worker(spread.Worker):
    """Actors are other processes: they learn of the slow parrot here."""

    def __init__(self, model: Model) -> None:
        import endonym.models

        endonym.models.PROVIDERS["slow"] = f"{__name__}:Slow"
        super().__init__(model)


def prompts(n: int) -> list[Prompt]:
    return [Prompt(item=f"i{k}", messages=(Message(role="user", content=f"Question {k}"),)) for k in range(n)]


def slow(log: Path) -> Model:
    return Model(name="slow/x", params={"says": ["A", "B", "C"], "log": str(log)})


def table(rows: Iterable[Response]) -> bytes:
    return b"\n".join(map(canonical, rows))


def marks(log: Path) -> list[tuple[int, str]]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [(int(pid), prompt) for pid, _, prompt in (line.partition(" ") for line in lines if len(line.split()) == 2)]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)  # for the actors, which are children of this process
    monkeypatch.setattr(spread, "Worker", _Worker)
    monkeypatch.setitem(__import__("endonym.models").models.PROVIDERS, "slow", f"{__name__}:Slow")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_two_actors_give_the_table_of_one_process_even_where_one_is_killed(tmp_path: Path, ray: Any):
    """Two models one after the other on one cluster: the actors of the first must have left, or the second would wait for ever."""
    two, first, second = spread.Cluster(actors=2, shard=5), tmp_path / "first", tmp_path / "second"
    alone = table(ask(prompts(40), model=slow(first), cache=tmp_path / "a.db"))
    assert {pid for pid, _ in marks(first)} == {os.getpid()}
    assert table(ask(prompts(40), model=slow(first), cache=tmp_path / "b.db", cluster=two)) == alone
    assert len({pid for pid, _ in marks(first)}) == 3, "this process, and two actors"
    assert ray.is_initialized()

    killer = threading.Thread(target=_kill_one, args=(second, 30))
    killer.start()
    said = list(ask(prompts(120), model=slow(second), cache=tmp_path / "c.db", cluster=two))
    killer.join()
    calls = [prompt for _, prompt in marks(second)]
    assert table(said) == table(ask(prompts(120), model=slow(second), cache=tmp_path / "d.db"))
    assert len({pid for pid, _ in marks(second)} - {os.getpid()}) == 3, "the dead one was started again"
    assert len(set(calls)) == 120
    assert 120 <= len(calls) <= 120 + 2 * 5, "at most the two shards that the dead actor held"


def _kill_one(log: Path, after: int) -> None:
    until = time.monotonic() + 60
    while len(marks(log)) < after and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(marks(log)[-1][0], signal.SIGKILL)


class FakeRay:
    """As much of Ray as is needed to see when it is started and what is handed out."""

    class exceptions:
        class RayError(Exception):
            pass

    def __init__(self, cpus: int = 2, problem: Exception | None = None) -> None:
        self.cpus, self.problem, self.starts, self.killed = cpus, problem, 0, 0

    def is_initialized(self) -> bool:
        return self.starts > 0

    def init(self, **_: Any) -> None:
        if self.problem:
            raise self.problem
        self.starts += 1

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cpus}

    def remote(self, kind: type) -> Any:
        def start(model: Model) -> Any:
            worker = kind(model)
            return SimpleNamespace(answer=SimpleNamespace(remote=lambda shard: tuple(worker.answer(shard))))

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=start))

    def wait(self, out: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return out[-num_returns:], out[:-num_returns]

    def get(self, one: Any) -> list[Response]:
        return list(one)

    def kill(self, actor: Any) -> None:
        self.killed += 1


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setattr(spread, "_ray", lambda: fake)
    return fake


def test_many_models_share_one_start_and_each_takes_its_actors_away(fake: FakeRay):
    for name in ("parrot/x", "parrot/y", "parrot/z"):
        said = [r for rows in spread.answers(Model(name=name), prompts(23), spread.Cluster(shard=5)) for r in rows]
        assert sorted(r.prompt for r in said) == sorted(p.id for p in prompts(23))
    assert (fake.starts, fake.killed) == (1, 3 * 2)


def test_what_is_out_comes_back_before_the_budget_ends_it(fake: FakeRay):
    def short() -> Iterator[Prompt]:
        yield from prompts(12)
        raise OverBudget("spent")

    said: list[Response] = []
    with pytest.raises(OverBudget):
        for rows in spread.answers(Model(name="parrot/x"), short(), spread.Cluster(shard=5)):
            said += rows
    assert len(said) == 12


def test_more_actors_than_there_is_room_for(fake: FakeRay):
    with pytest.raises(Unavailable, match="3 actors of 1 CPU and 0 GPU: the cluster has room for 2"):
        list(spread.answers(Model(name="parrot/x"), prompts(1), spread.Cluster(actors=3)))


def test_a_cluster_that_is_not_there(fake: FakeRay):
    fake.problem = ConnectionError("Ray is trying to start at 10.0.0.9:6379, but nobody is there.\n")
    with pytest.raises(Unavailable, match=r"no Ray cluster at 10\.0\.0\.9:6379: .*nobody is there"):
        list(spread.answers(Model(name="parrot/x"), prompts(1), spread.Cluster(address="10.0.0.9:6379")))


def test_an_actor_that_cannot_hold_the_model(fake: FakeRay, monkeypatch: pytest.MonkeyPatch):
    def broken(one: Any) -> list[Response]:
        raise fake.exceptions.RayError("ray::Worker\n  File ...\nMemoryError: 14 GB")

    monkeypatch.setattr(fake, "get", broken)
    with pytest.raises(ModelError, match="^parrot/x: MemoryError: 14 GB$"):
        list(spread.answers(Model(name="parrot/x"), prompts(1), spread.Cluster()))
    assert fake.killed == 2
