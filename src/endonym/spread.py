"""Spread prompts over Ray actors that each hold the model: one a GPU, or one for every few cores, here or on a cluster.

In: a model and prompts. Out: responses, in any order, a shard at a time. An actor that dies is started again and repeats what it
held, two shards at most: no more are out at once for each, so that memory does not grow with the benchmark either.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from .errors import ModelError, Unavailable
from .models import provider
from .records import Model, Prompt, Response


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """Where the actors run and what each of them is given; ``actors=0``: as many as the cluster has room for."""

    address: str = "local"
    actors: int = 0
    cpus: float = 1
    gpus: float = 0
    shard: int = 512


class Worker:
    """An actor: it holds one model and answers a shard at a time."""

    def __init__(self, model: Model) -> None:
        self.who = provider(model)

    def answer(self, shard: list[Prompt]) -> list[Response]:
        return list(self.who.answer(shard))

    def pid(self) -> int:
        import os

        return os.getpid()


def answers(model: Model, prompts: Iterable[Prompt], cluster: Cluster) -> Iterator[list[Response]]:
    """Have every prompt answered by some actor; gives the responses of a shard as one list, shards in any order.

    Raises Unavailable without ray or room, ModelError where no actor can hold the model. The actors end with the last
    prompt; the connection to Ray stays, for the next model, until this process ends.
    """
    ray = _ray()
    pool: list[Any] = []
    try:
        _connect(ray, cluster)
        pool = _pool(ray, model, cluster)
        yield from _shards(ray, pool, iter(prompts), cluster.shard)
    except ray.exceptions.RayError as problem:
        raise ModelError(f"{model.name}: {_said(problem)}") from problem
    finally:
        for actor in pool:
            ray.kill(actor)


def _connect(ray: Any, cluster: Cluster) -> None:
    if ray.is_initialized():
        return
    try:
        ray.init(address=cluster.address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    except (ConnectionError, ValueError) as problem:
        raise Unavailable(f"no Ray cluster at {cluster.address}: {_said(problem)}") from problem


def _ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError as problem:
        raise Unavailable("--executor ray needs ray: pip install 'endonym[ray]'") from problem
    return ray


def _pool(ray: Any, model: Model, cluster: Cluster) -> list[Any]:
    have = ray.cluster_resources()
    room = min(have.get("CPU", 0) / cluster.cpus if cluster.cpus else 1e9, have.get("GPU", 0) / cluster.gpus if cluster.gpus else 1e9)
    actors = cluster.actors or int(room)
    if actors < 1 or actors > room:
        wanted = f"{actors} actors of {cluster.cpus:g} CPU and {cluster.gpus:g} GPU"
        raise Unavailable(f"{wanted}: the cluster has room for {int(room)}")
    make = ray.remote(Worker).options(num_cpus=cluster.cpus, num_gpus=cluster.gpus, max_restarts=-1, max_task_retries=-1)
    return [make.remote(model) for _ in range(actors)]


def _shards(ray: Any, pool: list[Any], prompts: Iterator[Prompt], size: int) -> Iterator[list[Response]]:
    """An exception of ``prompts`` is raised after what is out has come back."""
    from .models.flow import pull

    out: dict[Any, Any] = {}
    idle, stop = deque(actor for _ in range(2) for actor in pool), None
    while True:
        while idle and stop is None:
            shard, stop = pull(prompts, size)
            if shard:
                actor = idle.popleft()
                out[actor.answer.remote(shard)] = actor
        if not out:
            break
        ready, _ = ray.wait(list(out), num_returns=1)
        idle.append(out.pop(ready[0]))
        yield ray.get(ready[0])
    if not isinstance(stop, StopIteration):
        raise stop  # type: ignore[misc]  # set, or the loop above would not have ended


def _said(problem: Exception) -> str:
    lines = [line for line in str(problem).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(problem).__name__
