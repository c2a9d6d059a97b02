"""The one door: each question is paid for once, nothing that failed is kept, a killed run asks nothing twice."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from endonym import models
from endonym.ask import Asking, ask, keepable
from endonym.cache import Cache
from endonym.errors import InputError, ModelError, StorageError, UnknownName, Unsupported
from endonym.models.parrot import Parrot
from endonym.records import Message, Model, Prompt, Response


class Counter(Parrot):
    """A parrot that counts its calls."""

    calls: list[str] = []

    def answer(self, prompts: Iterable[Prompt]) -> Iterator[Response]:
        for response in super().answer(prompts):
            self.calls.append(response.prompt)
            yield response


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names a parrot ``counter/…`` whose calls are listed."""
    monkeypatch.setattr(Counter, "calls", [])
    monkeypatch.setitem(models.PROVIDERS, "counter", f"{__name__}:Counter")
    return Counter.calls


def prompts(n: int, **more: object) -> list[Prompt]:
    return [Prompt(item=f"i{k}", messages=(Message(role="user", content=f"Question {k}"),), **more) for k in range(n)]  # type: ignore[arg-type]


def test_each_question_is_paid_for_once(tmp_path: Path, counted: list[str]):
    first = list(ask(prompts(10), model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    again = list(ask(prompts(10), model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    assert (len(counted), first) == (10, again)
    assert [r.prompt for r in first] == [p.id for p in prompts(10)]


def test_seven_of_ten_then_three(tmp_path: Path, counted: list[str]):
    list(ask(prompts(7), model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    list(ask(prompts(10), model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    assert len(counted) == 10


def test_exact_copies_of_a_question_are_asked_once(tmp_path: Path, counted: list[str]):
    same = [Prompt(item=f"i{k}", messages=(Message(role="user", content="The same"),)) for k in range(5)]
    said = list(ask(same, model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    assert len(counted) == 1
    assert [r.prompt for r in said] == [p.id for p in same]


@pytest.mark.parametrize(
    "other",
    [{"draw": 1}, {"continuations": ("A", "B")}, {"max_tokens": 5}, {"messages": (Message(role="user", content="Other"),)}],
)
def test_what_changes_the_answer_is_asked_anew(tmp_path: Path, counted: list[str], other: dict[str, object]):
    base: dict[str, object] = {"item": "i", "messages": (Message(role="user", content="Q"),)}
    for more in ({}, other):
        list(ask([Prompt(**{**base, **more})], model=Model(name="counter/x"), cache=tmp_path / "c.db"))  # type: ignore[arg-type]
    assert len(counted) == 2


def test_two_models_and_two_settings_do_not_share_answers(tmp_path: Path, counted: list[str]):
    for model in (Model(name="counter/x"), Model(name="counter/y"), Model(name="counter/x", params={"says": "B"})):
        list(ask(prompts(1), model=model, cache=tmp_path / "c.db"))
    assert len(counted) == 3


def test_chat_and_raw_are_two_questions(tmp_path: Path, counted: list[str]):
    for chat in (True, False):
        list(ask(prompts(1), model=Model(name="counter/x", params={"chat": chat}), cache=tmp_path / "c.db"))
    assert len(counted) == 2
    with pytest.raises(InputError, match="chat is 'yes'"):
        list(ask(prompts(1), model=Model(name="counter/x", params={"chat": "yes"})))


def test_a_failed_call_is_a_row_and_is_asked_again(tmp_path: Path, counted: list[str]):
    broken = Model(name="counter/x", params={"fails": ["Question 3"]})
    said = list(ask(prompts(5), model=broken, cache=tmp_path / "c.db"))
    assert [bool(r.error) for r in said] == [False, False, False, True, False]
    list(ask(prompts(5), model=broken, cache=tmp_path / "c.db"))
    assert len(counted) == 6


def test_where_every_call_fails_nothing_is_made(tmp_path: Path):
    with pytest.raises(ModelError, match="not one of 5 calls succeeded; the first failed with: the parrot would not"):
        list(ask(prompts(5), model=Model(name="parrot/x", params={"fails": ["Question"]}), cache=tmp_path / "c.db"))


@pytest.mark.parametrize(
    "response, deterministic, kept",
    [
        ({"text": "A", "finish_reason": "stop"}, False, True),
        ({"error": "429"}, True, False),
        ({"finish_reason": "content_filter"}, True, False),
        ({"text": "The answ", "finish_reason": "length"}, False, False),
        ({"text": "The answ", "finish_reason": "length"}, True, True),
        ({"loglikelihoods": (-1.0, -2.0), "finish_reason": "length"}, False, True),
    ],
)
def test_what_is_kept(response: dict, deterministic: bool, kept: bool):
    assert keepable(Response(prompt="p", model="m", **response), deterministic=deterministic) is kept


def test_a_chat_only_server_refuses_likelihoods_before_the_first_call(tmp_path: Path, counted: list[str]):
    with pytest.raises(Unsupported, match="--method generate"):
        list(ask(prompts(3, continuations=("A", "B")), model=Model(name="counter/x", params={"logprobs": False}), cache=tmp_path / "c.db"))
    assert counted == []


def test_names_that_nobody_has():
    with pytest.raises(UnknownName, match="no provider 'parot'; did you mean 'parrot'"):
        list(ask(prompts(1), model=Model(name="parot/x")))
    with pytest.raises(UnknownName, match="no setting of parrot/x 'say'; did you mean 'says'"):
        list(ask(prompts(1), model=Model(name="parrot/x", params={"say": "A"})))


def test_a_plan_counts_without_asking(tmp_path: Path, counted: list[str]):
    list(ask(prompts(4), model=Model(name="counter/x"), cache=tmp_path / "c.db"))
    with Asking(Model(name="counter/x"), tmp_path / "c.db") as asking:
        plan = asking.plan([*prompts(10), *prompts(10)])
    assert (plan.prompts, plan.calls, len(counted)) == (20, 6, 4)


def test_progress_ends_at_the_total(tmp_path: Path):
    seen: list[tuple[int, int, int]] = []
    model = Model(name="parrot/x", params={"fails": ["Question 1"]})
    list(ask([*prompts(3), *prompts(3)], model=model, cache=tmp_path / "c.db", progress=lambda *at: seen.append(at)))
    assert seen[-1] == (6, 1, 6)
    assert [done for done, _, _ in seen] == [1, 2, 3, 4, 5, 6]


def test_raw_text_joins_turns_with_the_gap_and_chat_does_not():
    turns = (
        Message(role="system", content="You are from there."), Message(role="user", content="1+1?\nAnswer:"),
        Message(role="assistant", content="B"), Message(role="user", content="2+2?\nAnswer:"),
    )  # fmt: skip
    prompt = Prompt(item="i", messages=turns, continuations=("A", "B"), gap=" ")
    raw = prompt.shaped(chat=False)
    assert [m.content for m in raw.messages] == ["You are from there.\n\n1+1?\nAnswer: B\n\n2+2?\nAnswer:"]
    assert raw.continuations == (" A", " B")
    assert prompt.shaped(chat=True).messages == turns
    assert prompt.shaped(chat=True).continuations == ("A", "B")


def test_a_damaged_cache_says_so(tmp_path: Path):
    (tmp_path / "c.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(StorageError, match=r"c\.db: the cache cannot be used: file is not a database; it may be deleted"):
        Cache(tmp_path / "c.db")


KILLED = """
import sys, time
from contextlib import closing
from pathlib import Path
from endonym import models
from endonym.ask import ask
from endonym.models.parrot import Parrot
from endonym.records import Message, Model, Prompt

class Slow(Parrot):
    def answer(self, prompts):
        for response in super().answer(prompts):
            with open(sys.argv[2], "a") as log:
                log.write(response.prompt + "\\n")
            time.sleep(0.002)
            yield response

models.PROVIDERS["slow"] = "__main__:Slow"
prompts = [Prompt(item=str(k), messages=(Message(role="user", content=f"Question {k}"),)) for k in range(400)]
print(len(list(ask(prompts, model=Model(name="slow/x"), cache=Path(sys.argv[1])))))
"""


def test_kill_9_three_times_asks_nothing_twice_but_what_was_in_flight(tmp_path: Path):
    script, log = tmp_path / "run.py", tmp_path / "log"
    script.write_text(KILLED)
    command = [sys.executable, str(script), str(tmp_path / "c.db"), str(log)]
    kills = 0
    for after in (60, 160, 260):
        running = subprocess.Popen(command, stdout=subprocess.PIPE)
        while not log.exists() or len(log.read_text().splitlines()) < after:
            time.sleep(0.005)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        kills += 1
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "400"
    calls = log.read_text().splitlines()
    assert len(set(calls)) == 400
    assert len(calls) <= 400 + kills, "a kill may cost the one question that was in flight"


class Many:
    """Prompts of some 20 KB each, made anew at each walk."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __iter__(self) -> Iterator[Prompt]:
        return (Prompt(item=str(k), messages=(Message(role="user", content=f"{k} {'x' * 20_000}"),)) for k in range(self.number))


def test_prompts_are_never_held(tmp_path: Path):
    """1,000 prompts are 20 MB; asked and read back from the cache, a few dozen at a time are held, and 32 bytes of each other."""
    for _ in range(2):
        tracemalloc.start()
        try:
            assert sum(1 for _ in ask(Many(1000), model=Model(name="parrot/x"), cache=tmp_path / "c.db")) == 1000
            assert tracemalloc.get_traced_memory()[1] < 7_000_000
        finally:
            tracemalloc.stop()


def test_prompts_that_can_be_walked_once_are_refused(counted: list[str]):
    with pytest.raises(TypeError, match="give a list or a table"):
        list(ask(iter(prompts(3)), model=Model(name="counter/x")))
    assert counted == []


def test_what_is_collected_need_not_be_what_was_asked(tmp_path: Path, counted: list[str]):
    with Asking(Model(name="counter/x", params={"says": [str(n) for n in range(97)]}), tmp_path / "c.db") as asking:
        asking.run(prompts(9))
        whole = {r.prompt: r.text for r in asking.collect(prompts(9))}
        some = list(asking.collect(prompts(9)[::-2]))
        with pytest.raises(ModelError, match="no response came for prompt"):
            list(asking.collect(prompts(10)))
    assert [r.prompt for r in some] == [p.id for p in prompts(9)[::-2]]
    assert {r.prompt: r.text for r in some}.items() <= whole.items()
    assert len(counted) == 9


def test_more_answers_at_once_than_one_statement_holds(tmp_path: Path):
    answers = [(bytes([n % 256, n // 256]) * 16, Response(prompt="p", model="m", text=str(n))) for n in range(1000)]
    with closing(Cache(tmp_path / "c.db")) as cache:
        cache.keep(answers)
        cache.keep([])
        assert len(cache) == 1000
        keys = [key for key, _ in answers]
        assert cache.known([*keys, b"another"]) == set(keys)
        assert {key: r.text for key, r in cache.read([*keys, b"another"]).items()} == {key: r.text for key, r in answers}
        assert (cache.known([]), cache.read([])) == (set(), {})
