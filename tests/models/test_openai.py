"""The provider against a server that misbehaves: every prompt ends as an answer or a counted failure, once."""

import contextlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from fault_server import FaultServer, dead_url

from endonym.errors import InputError, Unavailable, UnknownName, Unsupported
from endonym.models.base import Need
from endonym.models.openai import OpenAI, same_model
from endonym.records import Message, Model, Prompt, Response

KEY = "sk-house-0123456789abcdef"
FAST = {"backoff": 0.002, "timeout": 5.0}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def prompt(text: str, **fields) -> Prompt:
    return Prompt(item=text, messages=(Message(role="user", content=text),), **{"chat": True, **fields})


def who(url: str | list[str], name: str = "openai/house-1", **params) -> OpenAI:
    return OpenAI(Model(name=name, params={"base_url": url, **FAST, **params}))


def one(server: FaultServer, text: str, *, fields: dict | None = None, **params) -> Response:
    (response,) = who(server.url, **params).answer([prompt(text, **(fields or {}))])
    return response


# ---------------------------------------------------------------- what is sent, what is read


def test_an_answer_word_for_word(server: FaultServer) -> None:
    asked = prompt("say hello")
    (response,) = who(server.url).answer([asked])
    assert response.text == "echo say hello"
    assert (response.prompt, response.model, response.error, response.finish_reason) == (asked.id, "openai/house-1", "", "stop")
    assert (response.tokens_in, response.tokens_out) == (7, 3)
    assert 0 < response.seconds < 5
    assert server.bodies == [
        {"model": "house-1", "temperature": 0.0, "messages": [{"role": "user", "content": "say hello"}], "max_tokens": 64}
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_raw_texts_go_to_completions(server: FaultServer) -> None:
    assert one(server, "once upon", fields={"chat": False, "max_tokens": 5}).text == "echo once upon"
    assert server.bodies == [{"model": "house-1", "temperature": 0.0, "prompt": "once upon", "max_tokens": 5}]


def test_params_pass_through(server: FaultServer) -> None:
    params = {
        "temperature": 0.7, "top_p": 0.9, "seed": 10, "stop": ["\n"], "max_tokens_field": "max_completion_tokens",
        "extra_body": {"reasoning_effort": "low"}, "headers": {"X-Title": "house"},
    }  # fmt: skip
    one(server, "x", fields={"draw": 3}, **params)
    sent = server.bodies[0]
    assert {k: v for k, v in sent.items() if k not in ("messages", "model")} == {
        "temperature": 0.7, "top_p": 0.9, "seed": 13, "stop": ["\n"], "max_completion_tokens": 64, "reasoning_effort": "low",
    }  # fmt: skip
    assert server.headers[0]["X-Title"] == "house"


def test_models_that_think_are_sent_no_temperature_unless_it_is_set(server: FaultServer) -> None:
    one(server, "x", max_tokens_field="max_completion_tokens")
    assert "temperature" not in server.bodies[0]


def test_draws_without_temperature_have_one_seed(server: FaultServer) -> None:
    one(server, "x", fields={"draw": 3}, seed=10)
    assert server.bodies[0]["seed"] == 10


@pytest.mark.parametrize(
    ("fault", "text", "reason"),
    [("empty", "", "stop"), ("filter", None, "content_filter"), ("cut-off", None, "length"), ("refusal", "I would rather not.", "refusal")],
)
def test_statuses_are_verbatim(server: FaultServer, fault: str, text: str | None, reason: str) -> None:
    response = one(server, f"x [[{fault}]]")
    assert (response.text, response.finish_reason, response.error) == (f"echo x [[{fault}]]" if text is None else text, reason, "")


def test_a_prompt_refused_for_what_it_says_is_no_failure(server: FaultServer) -> None:
    response = one(server, "x [[400-content_filter]]")
    assert (response.error, response.finish_reason, sum(server.calls.values())) == ("", "content_filter", 1)


# ---------------------------------------------------------------- tries


@pytest.mark.parametrize("fault", ["429", "429-after", "500", "502", "503", "504", "cut", "half", "200-error", "no-choices"])
def test_passing_faults_are_tried_again(server: FaultServer, fault: str) -> None:
    text = f"x [[{fault},{fault},ok]]"
    assert one(server, text).text == f"echo {text}"
    assert server.calls[text] == 3


def test_a_hanging_server_is_given_up_after_the_timeout(server: FaultServer) -> None:
    started = time.monotonic()
    assert one(server, "x [[hang,ok]]", timeout=0.2).error == ""
    assert 0.2 < time.monotonic() - started < 2
    assert one(server, "y [[hang]]", timeout=0.1, retries=1).error == "no answer within 0.1 s (after 2 tries)"


def test_a_fault_that_stays_is_an_error_with_its_tries(server: FaultServer) -> None:
    response = one(server, "x [[500]]", retries=2)
    assert response.error == "http 500: told to give 500 to Bearer [key] (after 3 tries)"
    assert (response.text, response.finish_reason, server.calls["x [[500]]"]) == ("", "", 3)


@pytest.mark.parametrize("fault", ["400", "422"])
def test_other_refusals_are_final(server: FaultServer, fault: str) -> None:
    assert one(server, f"x [[{fault}]]").error.startswith(f"http {fault}: told to give {fault}")
    assert server.calls[f"x [[{fault}]]"] == 1


def test_retry_after_is_waited_for(server: FaultServer) -> None:
    one(server, "x [[429-after,ok]]", backoff=0.0)
    assert server.times[1] - server.times[0] >= 0.05


def test_a_server_that_says_tomorrow_is_not_waited_for(server: FaultServer) -> None:
    response = one(server, "x [[429-tomorrow]]")
    assert "asks to wait 3600 s, more than longest_wait=300" in response.error
    assert server.calls["x [[429-tomorrow]]"] == 1


def test_two_thousand_prompts_and_five_percent_of_everything() -> None:
    with FaultServer(rate=0.05, seed=3, hang=0.3) as server:
        model = who(server.url, timeout=0.25, concurrency=32)
        asked = [prompt(f"question {n}" + (" [[500]]" if n % 100 == 50 else "")) for n in range(2000)]
        responses = list(model.answer(iter(asked)))
    by_prompt = {p.id: p.item for p in asked}
    assert Counter(r.prompt for r in responses) == Counter(by_prompt.keys())
    failed = {by_prompt[r.prompt] for r in responses if r.error}
    assert failed == {p.item for p in asked if "[[500]]" in p.item}
    assert model.counts["failed"] == 20 and model.counts["answered"] == 1980
    assert all(r.text in (f"echo {by_prompt[r.prompt]}", "") for r in responses)
    assert sum(server.calls.values()) == model.counts["calls"] == 2000 + model.counts["retries"]
    assert set(server.faults) >= {"429", "500", "503", "hang", "cut", "half", "wrong", "empty", "ok"}
    assert model.counts["other_model"] == server.faults["wrong"] > 0
    assert model.facts()["other_model"] == "another-model"


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        ("401", "check the key in OPENAI_API_KEY"),
        ("404", "check the model's name 'house-1'"),
        ("402", "balance"),
        ("429-insufficient_quota", "quota"),
    ],
)
def test_what_no_prompt_survives_stops_the_rest(server: FaultServer, fault: str, advice: str) -> None:
    asked = [prompt(f"{n} [[{fault}]]") for n in range(100)]
    responses = list(who(server.url, concurrency=4).answer(asked))
    assert len({r.prompt for r in responses}) == 100
    assert all(r.error and advice in r.error for r in responses)
    assert sum(server.calls.values()) <= 8
    assert sum(r.error.startswith("no further calls: ") for r in responses) >= 92


def test_a_key_refused_for_one_prompt_in_the_middle_stops_nothing(server: FaultServer) -> None:
    asked = [prompt("first"), prompt("x [[403]]"), *(prompt(str(n)) for n in range(20))]
    responses = list(who(server.url, concurrency=1).answer(asked))
    assert sum(bool(r.error) for r in responses) == 1


def test_a_key_that_is_revoked_in_the_middle_stops_the_rest(server: FaultServer) -> None:
    asked = [prompt("first"), *(prompt(f"{n} [[401]]") for n in range(50))]
    responses = list(who(server.url, concurrency=1, breaker=4).answer(asked))
    assert sum(server.calls.values()) == 5 and sum(bool(r.error) for r in responses) == 50


def test_a_dead_server_stops_the_calls() -> None:
    with dead_url() as url:
        model = who(url, retries=1, breaker=5, concurrency=4)
        responses = list(model.answer(prompt(str(n)) for n in range(200)))
    assert len({r.prompt for r in responses}) == 200 and all(r.error for r in responses)
    assert model.counts["calls"] <= 2 * (5 + 4)
    assert "5 prompts in a row failed, the last with: no connection" in responses[-1].error


def test_failures_between_answers_do_not_add_up(server: FaultServer) -> None:
    asked = [prompt(f"{n} [[500]]") if n % 2 else prompt(str(n)) for n in range(60)]
    responses = list(who(server.url, retries=0, breaker=3, concurrency=1).answer(asked))
    assert sum(bool(r.error) for r in responses) == 30 and sum(server.calls.values()) == 60


def test_two_servers_share_the_work_and_a_dead_one_is_left_out(server: FaultServer) -> None:
    server.pause = 0.002
    with FaultServer() as second, dead_url() as dead:
        second.pause = 0.002
        model = who([dead, server.url, second.url], concurrency=8)
        responses = list(model.answer(prompt(str(n)) for n in range(200)))
        assert not any(r.error for r in responses)
        assert sum(server.calls.values()) + sum(second.calls.values()) == 200
        assert min(sum(server.calls.values()), sum(second.calls.values())) > 60
        assert model.counts["retries"] <= 16


def test_closing_stops_at_once_and_leaves_no_thread(server: FaultServer) -> None:
    before = threading.active_count()
    answers = who(server.url, concurrency=4).answer(prompt(f"{n} [[{'ok' if n == 0 else 'hang'}]]") for n in range(1000))
    assert next(answers).text.startswith("echo 0")
    started = time.monotonic()
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 2
    assert threading.active_count() == before
    assert sum(server.calls.values()) <= 5


def test_the_provider_closes_what_is_under_way(server: FaultServer) -> None:
    before, model = threading.active_count(), who(server.url)
    next(iter(model.answer(prompt(str(n)) for n in range(1000))))
    model.close()
    assert threading.active_count() == before


def test_ctrl_c_stops_cleanly(server: FaultServer) -> None:
    before = threading.active_count()

    def interrupt() -> None:  # once the server holds the call, so that the main thread waits for it and does nothing else
        while not server.calls:
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    hand = threading.Thread(target=interrupt)
    was = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs behind it with the signal ignored
    try:
        hand.start()
        with pytest.raises(KeyboardInterrupt):
            list(who(server.url, timeout=20.0).answer([prompt("x [[hang]]")]))
    finally:
        signal.signal(signal.SIGINT, was)
        hand.join()
    assert threading.active_count() == before


def test_prompts_are_pulled_as_they_are_needed(server: FaultServer) -> None:
    pulled = 0

    def endless() -> Iterator[Prompt]:
        nonlocal pulled
        while True:
            pulled += 1
            yield prompt(str(pulled))

    answers = who(server.url, concurrency=4).answer(endless())
    for got in range(1, 30):
        next(answers)
        assert pulled <= got + 2 * 4
    answers.close()  # type: ignore[attr-defined]
    assert server.most_in_flight <= 4


def test_what_is_in_flight_when_the_prompts_fail_is_handed_over(server: FaultServer) -> None:
    def prompts() -> Iterator[Prompt]:
        yield from (prompt(str(n)) for n in range(3))
        raise InputError("row 4 is broken")

    got: list[Response] = []
    with pytest.raises(InputError, match="row 4"):
        for response in who(server.url).answer(prompts()):
            got.append(response)  # noqa: PERF402  # what came before the error is to be seen
    assert len(got) == 3


def test_no_prompts_no_calls(server: FaultServer) -> None:
    assert list(who(server.url).answer([])) == [] and not server.calls


def test_requests_per_minute_are_kept(server: FaultServer) -> None:
    started = time.monotonic()
    list(who(server.url, rpm=3000.0).answer(prompt(str(n)) for n in range(65)))
    assert 0.3 <= time.monotonic() - started < 3  # 50 (a second's worth) at once, 15 more at one every 20 ms


# ---------------------------------------------------------------- letters


def test_letters_from_the_tops_of_a_chat(server: FaultServer) -> None:
    response = one(server, "x", fields={"continuations": ("A", "B", "C")})
    # A: ln(e^-2 + e^-2.5) = -1.525923; C is not shown: just below the least shown, -4, and marked by the length 0
    assert response.loglikelihoods == pytest.approx((-1.5259229, -0.5, -4.0001), abs=1e-6)
    assert response.lengths == (1, 1, 0)
    assert {k: server.bodies[0][k] for k in ("logprobs", "top_logprobs", "max_tokens")} == {
        "logprobs": True,
        "top_logprobs": 20,
        "max_tokens": 1,
    }


def test_letters_from_the_tops_of_a_completion(server: FaultServer) -> None:
    response = one(server, "x", fields={"continuations": (" A", " B", " C"), "chat": False})
    assert response.loglikelihoods == pytest.approx((-1.5259229, -0.5, -4.0001), abs=1e-6)
    assert server.bodies[0]["logprobs"] == 20


def test_no_letter_among_the_tops_leaves_the_text(server: FaultServer) -> None:
    model = who(server.url)
    (response,) = model.answer([prompt("x [[no-letters]]", continuations=("A", "B"))])
    assert (response.loglikelihoods, response.lengths, response.text) == ((), (), "echo x [[no-letters]]")
    assert model.counts["unscored"] == 1


def test_whole_continuations_by_echo(server: FaultServer) -> None:
    response = one(server, "the capital is", fields={"continuations": (" Rome", " New York"), "chat": False}, score="echo")
    # the server gives a word −0.25 a character, blank included: " Rome" 5; " New" 4 and " York" 5
    assert response.loglikelihoods == (-1.25, -2.25) and response.lengths == (1, 2)
    assert [b["prompt"] for b in server.bodies] == ["the capital is Rome", "the capital is New York"]
    assert (response.tokens_in, response.tokens_out) == (14, 6)


def test_a_server_without_logprobs_is_refused_before_the_first_prompt() -> None:
    for kind in ("no", "refused"):
        with FaultServer(logprobs=kind) as server:
            model = who(server.url)
            model.check(Need(generate=True, chat=True))
            with pytest.raises(Unsupported, match="--method generate"):
                model.check(Need(continuations=True, chat=True))
            assert set(server.calls) == {"Say A."}


def test_fewer_tops_where_twenty_are_refused() -> None:
    with FaultServer(most_tops=5) as server:
        model = who(server.url)
        model.check(Need(continuations=True, chat=True))
        model.check(Need(continuations=True, chat=True))
        assert [b["top_logprobs"] for b in server.bodies] == [20, 5]
        assert model.facts()["logprobs"] == "chat: top 5"
        next(iter(model.answer([prompt("x", continuations=("A", "B"))])))
        assert server.bodies[-1]["top_logprobs"] == 5


# ---------------------------------------------------------------- before the first call


def test_nobody_there_is_said_before_the_first_prompt() -> None:
    with dead_url() as url, pytest.raises(Unavailable, match="nobody answers .*is the server running"):
        who(url).check(Need(generate=True, chat=True))


def test_a_check_asks_for_the_key_only_where_it_is_needed(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    who(server.url).check(Need(generate=True, chat=True))
    one(server, "x")
    assert "Authorization" not in server.headers[0]
    with pytest.raises(Unavailable, match="set the environment variable OPENAI_API_KEY"):
        OpenAI(Model(name="openai/gpt-x")).check(Need(generate=True, chat=True))
    with pytest.raises(Unavailable, match="HOUSE_KEY"):
        who(server.url, api_key_env="HOUSE_KEY").check(Need(generate=True, chat=True))


def test_the_base_url_of_the_environment(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    model = OpenAI(Model(name="openai/house-1"))
    assert next(iter(model.answer([prompt("x")]))).text == "echo x"
    assert model.identity() == {"base_url": server.url}


def test_a_model_without_chat_is_not_asked_in_turns(server: FaultServer) -> None:
    assert who(server.url, chat=False).chats(Need(generate=True)) is False
    with pytest.raises(Unsupported, match="chat = false"):
        who(server.url, chat=False).check(Need(generate=True, chat=True))


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"api_key": KEY}, InputError, "api_key_env"),
        ({"headers": {"Authorization": KEY}}, InputError, "api_key_env"),
        ({"base_url": f"http://me:{KEY}@127.0.0.1/v1"}, InputError, "api_key_env"),
        ({"base_url": f"http://127.0.0.1/v1?key={KEY}"}, InputError, "api_key_env"),
        ({"base_url": "127.0.0.1:8000"}, InputError, "is no URL such as"),
        ({"temprature": 1}, UnknownName, "did you mean 'temperature'"),
        ({"rpm": "many"}, InputError, "rpm: expected `float | null`, got `str`"),
        ({"concurrency": 0}, InputError, "concurrency: is 0"),
        ({"retries": -1}, InputError, "retries: is -1"),
        ({"score": "all"}, InputError, "there are 'tops' and 'echo'"),
        ({"extra_body": {"stream": True}}, InputError, "'stream' is set by the prompt"),
    ],
)
def test_wrong_settings_are_named(params: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        OpenAI(Model(name="openai/house-1", params=params))
    assert message in str(caught.value).replace('"', "'") and KEY not in str(caught.value)


# ---------------------------------------------------------------- the key


def test_the_key_is_nowhere(server: FaultServer) -> None:
    model, seen = who(server.url, retries=1), []
    texts = [f"tell {KEY} [[{f}]]" for f in ("ok", "400", "500", "half", "cut", "wrong", "refusal")]
    seen += [r.text + r.error for r in model.answer(prompt(t) for t in texts)]
    seen += [repr(vars(model)), repr(model), repr(vars(model.client)), repr(model.facts()), repr(model.counts), repr(model.identity())]
    unlucky = who(server.url)
    responses = list(unlucky.answer(prompt(f"{n} [[401]]") for n in range(40)))
    seen += [msgspec.json.encode(responses).decode(), unlucky.client.breaker.reason]
    with pytest.raises(Unavailable) as caught, dead_url() as url:
        who(f"{url}?trace=1").check(Need(generate=True, chat=True))
    seen.append(str(caught.value))
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"  # it was there to be leaked
    assert [text for text in seen if KEY in text or KEY[3:] in text] == []


@pytest.mark.parametrize(
    ("asked", "reported", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True), ("house-1", "/models/house-1.gguf", True), ("org/Llama-3", "llama-3", True),
        ("llama3:latest", "llama3", True), ("gpt-4o", "", True), ("house-1", "another-model", False), ("qwen3-8b", "qwen3-4b", False),
    ],
)  # fmt: skip
def test_whether_a_reported_name_may_be_the_asked_one(asked: str, reported: str, same: bool) -> None:
    assert same_model(asked, reported) is same


def test_inside_a_running_event_loop(server: FaultServer) -> None:
    """A notebook has one."""
    import asyncio

    async def cell() -> list[Response]:
        model = who(server.url)
        model.check(Need(generate=True, chat=True))
        return list(model.answer([prompt("x")]))

    assert asyncio.run(cell())[0].text == "echo x"


def test_a_fault_of_our_own_is_raised_and_not_lost(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    model, before = who(server.url), threading.active_count()
    monkeypatch.setattr(model.client, "_note", lambda reply: 1 / 0)
    with contextlib.closing(model), pytest.raises(ZeroDivisionError):
        list(model.answer([prompt("x")]))
    assert threading.active_count() == before
