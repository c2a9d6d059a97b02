"""The pages under load: fifty people write at once against a real server, which is killed in the middle.

Each person opens the form, has the text checked a few times while writing, submits it, and looks at it; between two steps they pause. At
half time the server gets SIGKILL and is started anew; people send again what was not confirmed, as a browser does. At the end every
submission that was confirmed has to be in the database, once. Latencies are those of the client, without the outage.

    python benchmarks/web_load.py [--people 50] [--seconds 120] [--pause 2] [--database URL] [--no-kill]
"""

import argparse
import asyncio
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import aiohttp
from sqlalchemy import select

from endonym.web import auth
from endonym.web.models import Question, Version
from endonym.web.site import Site

HIDDEN = re.compile(r'<input type="hidden" name="(csrf|base|key|opened)" value="([^"]*)"')
CONFIG = 'name = "Load"\nlang = "pt-PT"\nplace = "PT"\ntraining = false\n'
WORDS = ["pão", "leite", "rua", "escola", "mar", "vinho", "linha", "porta", "festa", "sala", "carta", "mesa", "rio", "monte", "peixe"]
CHECKS = 3
"""Times that a text is checked before it is submitted."""
LIMIT = 300.0
"""Milliseconds that 95 of 100 requests have to stay under."""


class Server:
    """``endonym web`` as a process of its own."""

    def __init__(self, workspace: Path, database: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "endonym", "web", str(workspace), "--port", str(self.port)]
        self._command += ["--database", database] if database else []
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> float:
        """Start it and return the seconds until it answers."""
        began = time.perf_counter()
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        async with aiohttp.ClientSession() as session:
            while time.perf_counter() - began < 60:
                try:
                    async with session.get(f"{self.url}/health") as answer:
                        if answer.status == 200:
                            return time.perf_counter() - began
                except aiohttp.ClientError:
                    await asyncio.sleep(0.05)
        raise SystemExit("the server did not start within a minute")

    def kill(self, sign: int) -> None:
        if self.process:
            self.process.send_signal(sign)
            self.process.wait()


class Run:
    """What is measured."""

    def __init__(self, server: Server, told: argparse.Namespace) -> None:
        self.server, self.told = server, told
        self.ends = time.monotonic() + told.seconds
        self.times: dict[str, list[float]] = defaultdict(list)
        self.confirmed: dict[int, tuple[str, str]] = {}
        self.faults: Counter[str] = Counter()
        self.down = False

    async def person(self, cookie: str, number: int) -> None:
        """One person, until the time is over."""
        rng = random.Random(number)
        headers = {"cookie": f"endonym={cookie}"}
        async with aiohttp.ClientSession(self.server.url, headers=headers, timeout=aiohttp.ClientTimeout(total=30)) as session:
            await asyncio.sleep(rng.uniform(0, self.told.pause))
            turn = 0
            while time.monotonic() < self.ends:
                turn += 1
                await self.question(session, rng, f"{number}-{turn}")

    async def question(self, session: aiohttp.ClientSession, rng: random.Random, name: str) -> None:
        """Write one question and submit it; give up only what was never confirmed, when the time is over."""
        page = await self.asked(session, "open", "GET", "/write")
        if page is None:
            return
        form = dict(HIDDEN.findall(page[1][page[1].index('id="question-form"') :]))
        form["stem"] = f"Como se chama o que está entre {' e '.join(rng.sample(WORDS, 4))} {name}?"
        form |= {"answer": rng.choice(WORDS), "domain": "food"}
        for _ in range(CHECKS):
            await self.pause(rng)
            await self.asked(session, "check", "POST", "/check", form)
        await self.pause(rng)
        done = await self.asked(session, "submit", "POST", "/write", {**form, "do": "submit"})
        if done is None:
            return
        if (found := re.match(r"/questions/(\d+)(/edit)?\?.*done=(submitted|blocked)", done[2])) is None:
            self.faults[f"submit answered {done[0]} {done[2]}"] += 1
            return
        status = "draft" if found[3] == "blocked" else "submitted"  # a hard rule was broken: the text is kept all the same
        self.confirmed[int(found[1])] = (form["stem"], status)
        await self.pause(rng)
        await self.asked(session, "look", "GET", f"/questions/{found[1]}")

    async def pause(self, rng: random.Random) -> None:
        await asyncio.sleep(rng.uniform(0.5, 1.5) * self.told.pause)

    async def asked(self, session: Any, name: str, method: str, path: str, form: Any = None) -> tuple[int, str, str] | None:
        """One request, sent again while the server is away."""
        while True:
            began, away = time.perf_counter(), self.down
            try:
                async with session.request(method, path, data=form, allow_redirects=False) as answer:
                    text, where = await answer.text(), answer.headers.get("location", "")
            except (aiohttp.ClientError, TimeoutError) as problem:
                if not (self.down or away):
                    self.faults[type(problem).__name__] += 1
                if time.monotonic() > self.ends + 20:
                    return None
                await asyncio.sleep(0.2)
                continue
            if not (self.down or away):
                self.times[name].append(1000 * (time.perf_counter() - began))
            if answer.status >= 400:
                self.faults[f"{name} answered {answer.status}"] += 1
                return None
            return answer.status, text, where

    async def outage(self) -> float:
        """Kill the server at half time and start it anew; return the seconds that it was away."""
        await asyncio.sleep(self.told.seconds / 2)
        self.down, began = True, time.perf_counter()
        self.server.kill(signal.SIGKILL)
        await self.server.start()
        await asyncio.sleep(1.0)  # what had piled up is sent
        self.down = False
        return time.perf_counter() - began - 1.0


def prepared(workspace: Path, told: argparse.Namespace) -> list[str]:
    """Make a project with its people, and return the cookies of their sittings."""
    (workspace / "web.toml").write_text(CONFIG, encoding="utf-8")
    site = Site(workspace, database=told.database)
    cookies = []
    for _ in range(told.people):
        with site.database.writing() as s:
            found = auth.invitation(s, site.project, auth.invite(s, site.project, "annotator"))
            if found:
                cookies.append(auth.sign_in(s, auth.join(s, found, "a long enough phrase", lang="pt")))
    site.database.close()
    return cookies


def lost(workspace: Path, told: argparse.Namespace, confirmed: dict[int, tuple[str, str]]) -> tuple[int, int, int]:
    """Confirmed submissions that are not there, texts that stand twice, and questions in all."""
    site = Site(workspace, database=told.database)
    with site.database.reading() as s:
        chosen = select(Question.id, Question.status, Version.stem).join(Version, Version.question_id == Question.id)
        rows = [tuple(row) for row in s.execute(chosen.where(Question.project_id == site.project))]
    site.database.close()
    kept = {key: (stem, status) for key, status, stem in rows}
    twice = sum(n > 1 for n in Counter(stem for _, _, stem in rows).values())
    return sum(kept.get(key) != said for key, said in confirmed.items()), twice, len(kept)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


async def measured(workspace: Path, told: argparse.Namespace, cookies: list[str]) -> tuple[Run, float, float]:
    server = Server(workspace, told.database)
    started = await server.start()
    try:
        run = Run(server, told)
        jobs = [run.person(cookie, n) for n, cookie in enumerate(cookies)]
        *_, away = await asyncio.gather(*jobs, run.outage() if told.kill else asyncio.sleep(0, 0.0))
    finally:
        server.kill(signal.SIGTERM)
    return run, started, away


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds between two steps of a person")
    parser.add_argument("--database", default="", help="a URL; if not given, SQLite")
    parser.add_argument("--no-kill", dest="kill", action="store_false")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        cookies = prepared(workspace, told)
        run, started, away = asyncio.run(measured(workspace, told, cookies))
        missing, twice, kept = lost(workspace, told, run.confirmed)
    print("| request | n | median, ms | p95, ms | most, ms |\n|---|--:|--:|--:|--:|")
    everything = [t for times in run.times.values() for t in times]
    for name, times in [*sorted(run.times.items()), ("all", everything)]:
        print(f"| {name} | {len(times)} | {percentile(times, 0.5):.0f} | {percentile(times, 0.95):.0f} | {max(times, default=0):.0f} |")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cost = 1000 * (spent.ru_utime + spent.ru_stime) / max(1, len(everything))
    print(f"\n{told.people} people, {told.seconds:.0f} s; answered {started:.1f} s after its start, away for {away:.1f} s when killed.")
    print(f"processor time of the server, with its starts: {cost:.1f} ms a request; load of the machine: {os.getloadavg()[0]:.1f}")
    print(f"{len(run.confirmed)} submissions confirmed, {kept} kept; {missing} confirmed ones lost, {twice} kept twice.")
    print(f"faults: {dict(run.faults) or 'none'}")
    return 0 if not missing and not twice and not run.faults and percentile(everything, 0.95) < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
