"""A server that misbehaves, and an asking process that is killed three times: what was lost, what was asked twice.

Of every 60 prompts two meet a 429 (with and without Retry-After), and one each a 500, a cut line, half a JSON, another model's
name, an empty reply, a hang, and a 500 that stays; any other may meet a random fault (1 %). The asking process gets ``kill -9``
at a quarter, a half and three quarters of the work; then it is let finish, and asked once more of a server that is mended.

    python benchmarks/fault_run.py [--prompts 5000] [--connections 16]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "models"))

from fault_server import FaultServer  # noqa: E402

SCRIPTS = ("429,ok", "429-after,ok", "500,ok", "cut,ok", "half,ok", "wrong", "empty", "hang,ok", "500")
EACH = 60
STAYS, EMPTY = SCRIPTS.index("500"), SCRIPTS.index("empty")
AHEAD = 2
"""Prompts in flight for each connection, at the most: the flow's own number."""


def text(n: int) -> str:
    return f"Question {n}" + (f" [[{SCRIPTS[n % EACH]}]]" if n % EACH < len(SCRIPTS) else "")


class Prompts:
    """Prompts that are made anew at each walk."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __iter__(self) -> Iterator[Any]:
        from endonym.records import Message, Prompt

        for n in range(self.number):
            yield Prompt(item=f"i{n}", messages=(Message(role="user", content=text(n)),), max_tokens=16)


def asking(url: str, folder: Path, number: int, connections: int) -> None:
    """The process that is killed: rows go to a file when all are there."""
    from endonym.ask import ask
    from endonym.records import Model

    params = {"base_url": url, "concurrency": connections, "retries": 3, "backoff": 0.05, "timeout": 3.0, "breaker": number}
    rows = [[r.text, r.error] for r in ask(Prompts(number), model=Model(name="openai/house-1", params=params), cache=folder / "cache.db")]
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")


def fault_run(number: int, connections: int, folder: Path) -> dict[str, Any]:
    """Ask, kill three times, finish, mend, ask again; returns the figures, and raises ValueError for a row that is not as it must be."""
    command = [sys.executable, __file__, "--asking", str(folder), "--prompts", str(number), "--connections", str(connections), "--url"]
    started = time.perf_counter()
    with FaultServer(rate=0.01, hang=60.0) as server:
        for quarter in (1, 2, 3):
            running = subprocess.Popen([*command, server.url])
            while len(server.times) < number * quarter // 4 and running.poll() is None:
                time.sleep(0.01)
            if running.poll() is not None:
                raise ValueError("the process was done before it could be killed")
            os.kill(running.pid, signal.SIGKILL)
            running.wait()
        subprocess.run([*command, server.url], check=True)
        seconds, calls, answered = time.perf_counter() - started, server.calls.total(), server.answered.copy()
        failed = _checked(json.loads((folder / "rows.json").read_text()), number)
        server.mended = True
        subprocess.run([*command, server.url], check=True)
        again = server.calls.total() - calls
        rows = json.loads((folder / "rows.json").read_text())
    return {
        "prompts": number, "answered": number - failed, "failed": failed, "calls": calls, "whole answers sent": answered.total(),
        "answered more than once": answered.total() - len(answered), "in flight at 3 kills, at most": 3 * AHEAD * connections,
        "asked again of the mended server": again, "still failed": sum(bool(error) for _, error in rows), "seconds": round(seconds, 1),
    }  # fmt: skip


def _checked(rows: list[list[str]], number: int) -> int:
    """Hold every row to what its prompt must have brought; returns the failed ones."""
    if len(rows) != number:
        raise ValueError(f"{len(rows)} rows for {number} prompts")
    for n, (said, error) in enumerate(rows):
        stays, empty = n % EACH == STAYS, n % EACH == EMPTY
        echoed = said == f"echo {text(n)}" or (said == "" and (empty or n % EACH >= len(SCRIPTS)))  # a random fault may be the empty reply
        if stays != bool(error) or not (echoed or stays):
            raise ValueError(f"row {n} ({text(n)}): {said!r}, {error!r}")
    return sum(bool(error) for _, error in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--prompts", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--asking", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.asking:
        asking(told.url, told.asking, told.prompts, told.connections)
        return
    with tempfile.TemporaryDirectory() as folder:
        figures = fault_run(told.prompts, told.connections, Path(folder))
    print("| fault run | |\n| --- | ---: |")
    for name, value in figures.items():
        print(f"| {name} | {value:,} |")


if __name__ == "__main__":
    main()
