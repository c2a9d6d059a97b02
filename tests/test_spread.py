"""Prompts spread over actors give the same answers as one process; an actor that is killed costs its shard and nothing else."""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from endonym import spread
from endonym.ask import ask
from endonym.errors import Unavailable
from endonym.models.parrot import Parrot
from endonym.records import Message, Model, Prompt, Response

ray = pytest.importorskip("ray")


class Slow(Parrot):
    """A parrot that takes its time and leaves a mark for every call."""

    DEFAULTS = {**Parrot.DEFAULTS, "log": ""}

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        for response in super().answer(prompts):
            time.sleep(0.005)
            with open(self.params["log"], "a") as log:
                log.write(f"{os.getpid()} {response.prompt}\n")
            yield response


def prompts(n: int) -> list[Prompt]:
    return [Prompt(item=f"i{k}", messages=(Message(role="user", content=f"Question {k}"),)) for k in range(n)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield
    ray.shutdown()


def slow(tmp_path: Path) -> Model:
    return Model(name="slow/x", params={"says": ["A", "B", "C"], "log": str(tmp_path / "log")})


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Actors are other processes: they know the slow parrot by an entry point's stand-in."""
    monkeypatch.setattr(spread, "Worker", _Worker)
    monkeypatch.setitem(__import__("endonym.models").models.PROVIDERS, "slow", f"{__name__}:Slow")


class _Worker(spread.Worker):
    def __init__(self, model: Model) -> None:
        import endonym.models

        endonym.models.PROVIDERS["slow"] = f"{__name__}:Slow"
        super().__init__(model)


def test_two_actors_give_the_rows_of_one_process(tmp_path: Path):
    model = slow(tmp_path)
    alone = list(ask(prompts(60), model=model, cache=tmp_path / "a.db"))
    both = list(ask(prompts(60), model=model, cache=tmp_path / "b.db", cluster=spread.Cluster(actors=2, shard=8)))
    assert alone == both
    pids = {line.split()[0] for line in (tmp_path / "log").read_text().splitlines()}
    assert len(pids - {str(os.getpid())}) == 2


def test_a_killed_actor_repeats_its_shard_and_nothing_else(tmp_path: Path):
    log = tmp_path / "log"

    def kill() -> None:
        while not log.exists() or len(log.read_text().splitlines()) < 40:
            time.sleep(0.01)
        os.kill(int(log.read_text().splitlines()[-1].split()[0]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    said = list(ask(prompts(200), model=slow(tmp_path), cache=tmp_path / "c.db", cluster=spread.Cluster(actors=2, shard=20)))
    killer.join()
    assert [r.prompt for r in said] == [p.id for p in prompts(200)]
    assert not any(r.error for r in said)
    calls = [line.split()[1] for line in log.read_text().splitlines()]
    assert len(set(calls)) == 200
    assert 200 < len(calls) <= 200 + 2 * 20, "at most the two shards that the dead actor held"


def test_more_actors_than_there_is_room_for():
    with pytest.raises(Unavailable, match="the cluster has room for 2"):
        list(spread.answers(Model(name="parrot/x"), prompts(1), spread.Cluster(actors=3)))
