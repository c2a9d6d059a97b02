"""When things go wrong while a server is asked: faults, kill -9, Ctrl-C; and that a key goes nowhere but to the server."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from endonym.ask import Asking, ask
from endonym.cache import Cache
from endonym.cli import run
from endonym.errors import ModelError
from endonym.records import Item, Message, Model, Prompt, canonical

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "models"), str(ROOT / "benchmarks")]

import fault_run  # noqa: E402
from fault_server import MODEL, FaultServer  # noqa: E402

KEY = "sk-house-4f9a71c2d08e5b36"


def endonym(*args: str) -> subprocess.Popen[str]:
    """The command line in a process of its own, which hears Ctrl-C even where this one was told not to."""
    return subprocess.Popen(
        [sys.executable, "-m", "endonym", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def written(path: Path, stems: list[str]) -> str:
    path.write_bytes(b"".join(canonical(Item(stem=s, options=("Alto", "Baixa", "Cima"), gold=1, lang="en")) + b"\n" for s in stems))
    return str(path)


def prompts(n: int) -> list[Prompt]:
    return [Prompt(item=f"i{k}", messages=(Message(role="user", content=f"Question {k}"),)) for k in range(n)]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


def openai(server: FaultServer, **params: object) -> Model:
    return Model(name=f"openai/{MODEL}", params={"base_url": server.url, "backoff": 0.01, **params})


def test_faults_and_three_kills_lose_nothing_and_ask_nothing_twice(tmp_path: Path):
    """600 = 10 · 60 prompts, and of every 60 one fails for good; ``fault_run`` holds every row to its own prompt."""
    found = fault_run.fault_run(600, 8, tmp_path)
    assert (found["answered"], found["failed"]) == (590, 10)
    assert found["answered more than once"] <= 3 * 2 * 8, "what was in flight at the three kills, two for each connection"
    assert (found["asked again of the mended server"], found["still failed"]) == (10, 0)


def test_what_a_server_has_answered_is_stored_before_the_next_is_waited_for(tmp_path: Path, server: FaultServer):
    """One connection, and a third question that hangs: the first two are on the disk meanwhile, for another process to see."""
    stems = ["0", "1", "2 [[hang]]"]
    model, path = openai(server, concurrency=1, timeout=20), tmp_path / "c.db"
    asked = [Prompt(item=s, messages=(Message(role="user", content=s),)) for s in stems]
    running = threading.Thread(target=lambda: list(ask(asked, model=model, cache=path)), daemon=True)
    running.start()
    until = time.monotonic() + 15
    while len(server.times) < 3 and time.monotonic() < until:
        time.sleep(0.005)
    time.sleep(0.1)
    with closing(Cache(path)) as other:
        assert len(other) == 2
    server.hang, server.mended = 0, True
    assert running.is_alive(), "it still waits"


def test_ctrl_c_keeps_what_was_answered_and_the_same_command_goes_on(tmp_path: Path, server: FaultServer):
    server.pause = 0.03
    bench, out, cache = written(tmp_path / "b.jsonl", [f"Stem {n}?" for n in range(60)]), str(tmp_path / "w"), tmp_path / "w/cache.db"
    model = f"openai/{MODEL} base_url={server.url} concurrency=4"
    command = ["evaluate", bench, "--model", model, "--method", "generate", "--out", out]
    running = endonym(*command)
    until = time.monotonic() + 30
    while sum(dict(server.answered).values()) < 20 and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    interrupted = time.monotonic()
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert err.splitlines()[-1] == "endonym: stopped; what was answered is kept, and the same command goes on from here"
    assert "Traceback" not in err
    assert time.monotonic() - interrupted < 8, "nothing hangs"
    answered = server.answered.total()
    with closing(Cache(cache)) as kept:
        assert kept.db.execute("pragma integrity_check").fetchone() == ("ok",)
        assert answered - 2 * 4 <= len(kept) <= answered < 60
        stored = len(kept)
    assert not list((tmp_path / "w").rglob(".*.jsonl.*")), "no half table is left"
    server.pause = 0
    assert run(command) == 0
    assert server.answered.total() == answered + 60 - stored


def test_an_interrupt_closes_the_provider_and_ends_its_thread(tmp_path: Path, server: FaultServer):
    def interrupt(done: int, failed: int, total: int) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(ask(prompts(500), model=openai(server), cache=tmp_path / "c.db", progress=interrupt))
    assert [t.name for t in threading.enumerate() if t.name == "endonym-calls"] == []
    with closing(Cache(tmp_path / "c.db")) as kept:
        assert len(kept) >= 10


def test_a_key_goes_to_the_server_and_nowhere_else(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    """The server's refusals repeat the key; they are kept as the reasons of failed rows, and shown where a model fails."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stems = [f"Stem {n}? {script}" for n, script in enumerate(["", "[[500]]", "[[400]]", "[[403]]", "[[429,ok]]", "[[half]]"])]
    bench, refused = written(tmp_path / "b.jsonl", stems), written(tmp_path / "r.jsonl", ["[[500]]", "x [[401]]"])
    common = ("--model", f"openai/{MODEL} base_url={server.url} retries=1 backoff=0.01 timeout=5 concurrency=1")
    work = tmp_path / "w"
    codes = [
        run(["evaluate", bench, *common, "--method", "generate", "--out", str(work)]),
        run(["evaluate", bench, *common, "--method", "generate", "--out", str(work), "--retry"]),
        run(["status", str(work)]),
        run(["evaluate", bench, *common, "--method", "letters", "--out", str(tmp_path / "x"), "--dry-run"]),
        run(["evaluate", refused, *common, "--method", "letters", "--out", str(tmp_path / "y")]),
    ]
    said = "".join(capfd.readouterr())
    assert codes == [0, 0, 0, 0, 3]
    assert {h.get("Authorization") for h in server.headers} == {f"Bearer {KEY}"}
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert {"cache.db", "index.html", "scores.manifest.json"} <= {p.name for p in files}
    assert any(b"told to give 500" in p.read_bytes() for p in files), "the refusals are kept, with the key taken out"
    assert "not one of 2 calls succeeded; the first failed with: http" in said
    assert [p for p in files if KEY[3:].encode() in p.read_bytes()] == []
    assert KEY[3:] not in said


def test_an_answer_that_nobody_asked_for(tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch):
    with Asking(openai(server), tmp_path / "c.db") as asking:
        twice = asking.who.answer
        monkeypatch.setattr(asking.who, "batches", lambda prompts: ([r, r] for r in twice(prompts)))
        with pytest.raises(ModelError, match="which it was not asked or had answered before"):
            asking.run(prompts(3))
