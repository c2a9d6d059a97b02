"""What a client costs: requests a second against a server on this machine that answers at once.

The server is a process of its own and does nothing but parse a length and send the same bytes, so what is measured is
the client. Side by side in one run, medians: a bare loop of asyncio and aiohttp (the floor), ``openai/…`` alone, ``ask`` with
every answer committed to its cache before the next are waited for, and, where a Python that has them is given, Inspect AI and
lm-evaluation-harness.

    python benchmarks/client_overhead.py [--runs 3] [--requests 6000] [--inspect PYTHON] [--harness PYTHON]
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CONNECTIONS = (16, 64, 128)
ANSWER = json.dumps(
    {
        "id": "x", "object": "chat.completion", "created": 1, "model": "instant", "system_fingerprint": "fp",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "The answer is B."}}],
        "usage": {"prompt_tokens": 60, "completion_tokens": 5, "total_tokens": 65},
    }
).encode()  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(ANSWER)
QUESTION = "Which town on the river had the first printing press of the valley, number {}?\nA. Alto\nB. Baixa\nC. Cima\nD. Douro\nAnswer:"


class Instant(asyncio.Protocol):
    """Answers every request that is complete with the same bytes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.rest = transport, b""

    def data_received(self, data: bytes) -> None:
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            head = self.rest[:end].lower()
            at = head.find(b"content-length:")
            whole = end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)
            if len(self.rest) < whole:
                return
            self.rest = self.rest[whole:]
            self.transport.write(HEAD + ANSWER)  # type: ignore[attr-defined]


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def instant_server() -> Iterator[str]:
    """The server in a process of its own; gives its base URL."""
    process = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()  # type: ignore[union-attr]
    finally:
        process.terminate()
        process.wait()


def bare(url: str, connections: int, requests: int) -> None:
    """The floor: nothing but aiohttp, JSON out and JSON in."""
    import aiohttp

    async def worker(session: aiohttp.ClientSession, numbers: Iterator[int]) -> None:
        for number in numbers:
            body = {"model": "instant", "messages": [{"role": "user", "content": QUESTION.format(number)}], "max_tokens": 64}
            async with session.post(url + "/chat/completions", data=json.dumps(body).encode()) as response:
                json.loads(await response.read())["choices"][0]["message"]["content"]

    async def main() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers={"Content-Type": "application/json"}) as session:
            numbers = iter(range(requests))
            await asyncio.gather(*(worker(session, numbers) for _ in range(connections)))

    asyncio.run(main())


def ours(url: str, connections: int, requests: int) -> None:
    """``openai/…`` as ``ask`` uses it: prompts in, responses out."""
    from endonym.models import provider
    from endonym.records import Message, Model, Prompt

    who = provider(Model(name="openai/instant", params={"base_url": url, "concurrency": connections}))
    prompts = (
        Prompt(item=str(n), messages=(Message(role="user", content=QUESTION.format(n)),), max_tokens=64, chat=True) for n in range(requests)
    )
    count = sum(r.text == "The answer is B." for r in who.answer(prompts))
    if count != requests:
        raise SystemExit(f"{requests - count} answers are missing")


class Prompts:
    """Prompts that are made anew at each walk, as a table's are read."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __iter__(self) -> Iterator[Any]:
        from endonym.records import Message, Prompt

        for n in range(self.number):
            yield Prompt(item=str(n), messages=(Message(role="user", content=QUESTION.format(n)),), max_tokens=64)


def durable(url: str, connections: int, requests: int) -> None:
    """``ask``: planned, asked, every answer in SQLite, and read back in order."""
    import tempfile

    from endonym.ask import ask
    from endonym.records import Model

    model = Model(name="openai/instant", params={"base_url": url, "concurrency": connections})
    with tempfile.TemporaryDirectory() as folder:
        count = sum(r.text == "The answer is B." for r in ask(Prompts(requests), model=model, cache=Path(folder) / "cache.db"))
    if count != requests:
        raise SystemExit(f"{requests - count} answers are missing")


INSPECT = """
import sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
url, connections, requests, logs, question = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
data = MemoryDataset([Sample(input=question.format(n), target="B") for n in range(requests)])
model = get_model("openai/instant", base_url=url, api_key="none", responses_api=False)
started = time.perf_counter()
(log,) = eval(Task(dataset=data, solver=generate(), scorer=includes()), model=model, max_connections=connections, max_samples=connections,
              display="none", log_dir=logs, log_level="error")
if log.status != "success":
    raise SystemExit(str(log.error))
print("seconds", time.perf_counter() - started)
"""
HARNESS = """
import sys, time
from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalChatCompletion
url, connections, requests, logs, question = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
model = LocalChatCompletion(
    base_url=url + "/chat/completions", model="instant", tokenizer_backend=None, num_concurrent=connections, max_retries=1)
told = {"max_gen_toks": 64, "until": []}
chats = (model.apply_chat_template([{"role": "user", "content": question.format(n)}]) for n in range(requests))
asked = [Instance("generate_until", {}, (chat, told), n) for n, chat in enumerate(chats)]
started = time.perf_counter()
if len(model.generate_until(asked, disable_tqdm=True)) != requests:
    raise SystemExit("answers are missing")
print("seconds", time.perf_counter() - started)
"""


def peer(python: str, script: str) -> Callable[[str, int, int], float]:
    """A client in its own Python; what it takes to start is not counted."""
    import tempfile

    def run(url: str, connections: int, requests: int) -> float:
        with tempfile.TemporaryDirectory() as logs:
            done = subprocess.run(
                [python, "-c", script, url, str(connections), str(requests), logs, QUESTION],
                capture_output=True, text=True, env={**os.environ, "OPENAI_API_KEY": "none"}, timeout=120,
            )  # fmt: skip
        seconds = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("seconds ")]
        if not seconds:
            raise SystemExit(f"{python}: {done.stderr[-600:]}")
        return float(seconds[0])

    return run


def rate(run: Callable[[str, int, int], float | None], url: str, connections: int, requests: int) -> float:
    """Requests a second of one run."""
    started = time.perf_counter()
    seconds = run(url, connections, requests)
    return requests / (seconds if seconds is not None else time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--inspect", metavar="PYTHON", help="a Python that has inspect_ai and openai")
    parser.add_argument("--harness", metavar="PYTHON", help="a Python that has lm_eval[api]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    told = parser.parse_args()
    if told.serve:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve())
        return
    clients: dict[str, tuple[Callable[[str, int, int], float | None], int]] = {
        "bare aiohttp (floor)": (bare, told.requests),
        "endonym openai/": (ours, told.requests),
        "endonym ask (durable)": (durable, told.requests),
    }
    if told.inspect:
        clients["Inspect AI"] = (peer(told.inspect, INSPECT), min(told.requests, 300))
    if told.harness:
        clients["lm-evaluation-harness"] = (peer(told.harness, HARNESS), min(told.requests, 1000))
    figures: dict[str, dict[int, list[float]]] = {name: {c: [] for c in CONNECTIONS} for name in clients}
    with instant_server() as url:
        bare(url, 16, 500)
        for _ in range(told.runs):  # in turns, so that a busy minute hits everyone
            for connections in CONNECTIONS:
                for name, (run, requests) in clients.items():
                    figures[name][connections].append(rate(run, url, connections, requests))
    print(f"| requests/s (median of {told.runs}) | " + " | ".join(f"{c} connections" for c in CONNECTIONS) + " |")
    print("| --- |" + " ---: |" * len(CONNECTIONS))
    for name, rows in figures.items():
        print(f"| {name} | " + " | ".join(f"{statistics.median(rows[c]):,.0f}" for c in CONNECTIONS) + " |")
    print(f"\nLoad of the machine: {' '.join(f'{x:.1f}' for x in os.getloadavg())} on {os.cpu_count()} cores.")
    if told.json:
        told.json.write_text(json.dumps({name: {str(c): v for c, v in rows.items()} for name, rows in figures.items()}), encoding="utf-8")


if __name__ == "__main__":
    main()
