"""Rates, waits, endpoints and the breaker, checked with pencil and paper: no clock, no server."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endonym.models.balance import Breaker, Endpoint, Pool
from endonym.models.faults import refused, shorten
from endonym.models.limits import Bucket, Limits, asked_to_wait, backoff

NOW = datetime(2025, 1, 1, 12, 0, 0, tzinfo=UTC)


def test_a_bucket_lets_a_seconds_worth_through_and_then_one_by_one() -> None:
    bucket = Bucket(120)  # two a second
    assert [bucket.take(1, 100.0) for _ in range(5)] == [0.0, 0.0, 0.5, 1.0, 1.5]
    assert bucket.take(1, 102.0) == 0.0  # four refilled, three owed, this one


def test_a_request_larger_than_the_bucket_waits_for_its_debt() -> None:
    bucket = Bucket(6000)  # 100 tokens a second, 100 at once
    assert bucket.take(400, 0.0) == 3.0


def test_a_long_rest_saves_nothing_up() -> None:
    bucket = Bucket(60)
    bucket.take(1, 0.0)
    assert [bucket.take(1, 1000.0), bucket.take(1, 1000.0)] == [0.0, 1.0]


def test_the_stricter_limit_counts() -> None:
    limits = Limits(rpm=600, tpm=600)
    assert limits.take(60, 0.0) == 5.0  # 60 tokens at 10 a second, 10 at once
    assert Limits(None, None).take(10**9, 0.0) == 0.0


@given(st.lists(st.floats(0.0, 2.0), min_size=2, max_size=200), st.integers(30, 6000))
def test_no_minute_has_more_than_the_rate_and_a_seconds_worth(gaps: list[float], rpm: int) -> None:
    bucket, now, sent = Bucket(rpm), 0.0, []
    for gap in gaps:
        now += gap
        sent.append(now + bucket.take(1, now))
    sent.sort()
    for i, first in enumerate(sent):
        within = sum(first <= t < first + 60 for t in sent[i:])
        assert within <= rpm + max(1.0, rpm / 60) + 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Wed, 01 Jan 2025 12:00:07 GMT"}, 7.0),
        ({"retry-after": "Wed, 01 Jan 2025 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"x-ratelimit-reset": "1735732830"}, 30.0),
        ({"x-ratelimit-reset": "1735732830000"}, 30.0),
        ({"x-ratelimit-reset": "12"}, 12.0),
        ({"x-ratelimit-reset-requests": "120ms", "x-ratelimit-remaining-requests": "0"}, 0.12),
        ({"x-ratelimit-reset-tokens": "6m1s", "x-ratelimit-remaining-tokens": "0"}, 361.0),
        ({"x-ratelimit-reset-tokens": "6m1s", "x-ratelimit-remaining-tokens": "5000"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_to_wait(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


def test_backoff_doubles_with_full_jitter_and_has_a_seed() -> None:
    rng = random.Random(1)
    for number, most in [(1, 0.5), (2, 1.0), (4, 4.0), (30, 60.0)]:
        waits = [backoff(number, 0.5, rng) for _ in range(400)]
        assert 0 <= min(waits) < 0.1 * most and 0.9 * most < max(waits) <= most
    assert backoff(3, 0.5, random.Random(7)) == backoff(3, 0.5, random.Random(7))


def test_the_least_busy_server_is_next() -> None:
    one, two = Endpoint("a"), Endpoint("b")
    pool = Pool([one, two])
    one.in_flight = 2
    assert pool.next(0.0) == (two, 0.0)
    two.pause(10.0)
    assert pool.next(0.0) == (one, 0.0)
    one.pause(4.0)
    assert pool.next(1.0) == (one, 3.0)


def test_a_dead_server_rests_and_is_tried_again() -> None:
    dead, well = Endpoint("a"), Endpoint("b")
    pool = Pool([dead, well])
    for _ in range(3):
        pool.silent(dead, 100.0)
    well.in_flight = 50
    assert pool.next(114.0)[0] is well
    assert pool.next(115.0)[0] is dead  # 15 s later
    pool.silent(dead, 115.0)
    assert dead.until == 145.0  # still dead: 30 s
    dead.answered()
    pool.silent(dead, 200.0)
    assert dead.until == 145.0  # one failure after an answer is nothing


def test_a_single_server_is_never_taken_out() -> None:
    only = Endpoint("a")
    for _ in range(10):
        Pool([only]).silent(only, 0.0)
    assert Pool([only]).next(0.0) == (only, 0.0)


def test_the_breaker_counts_a_row() -> None:
    told: list[int] = []
    breaker = Breaker(3, lambda: told.append(1))
    for _ in range(2):
        breaker.gave_up("x", passing=True)
    breaker.good()
    for _ in range(2):
        breaker.gave_up("x", passing=True)
    assert not breaker.reason
    breaker.gave_up("timeout", passing=True)
    breaker.gave_up("later", passing=True)
    assert breaker.reason == "3 prompts in a row failed, the last with: timeout" and told == [1]


def test_refused_prompts_stop_only_a_model_that_never_answered() -> None:
    spoken, silent = Breaker(3), Breaker(3)
    spoken.good()
    for breaker in (spoken, silent):
        for _ in range(5):
            breaker.gave_up("http 400: context too long", passing=False)
    assert (spoken.reason, bool(silent.reason)) == ("", True)


@pytest.mark.parametrize(
    ("status", "body", "again", "hopeless", "said"),
    [
        (429, b'{"error": {"message": "slow down"}}', True, False, "http 429: slow down"),
        (429, b'{"error": {"message": "pay", "code": "insufficient_quota"}}', False, True, "http 429: pay"),
        (401, b'{"error": "no"}', False, True, "http 401: no"),
        (404, b'{"detail": "Not Found"}', False, True, "http 404: Not Found"),
        (422, b'[{"error": {"message": "bad"}}]', False, False, "http 422: bad"),
        (502, b"<html>\n bad gateway</html>", True, False, "http 502: <html> bad gateway</html>"),
        (500, b"\xff\xfe", True, False, "http 500: \ufffd\ufffd"),
        (503, b"", True, False, "http 503"),
    ],
)
def test_what_a_refusal_means(status: int, body: bytes, again: bool, hopeless: bool, said: str) -> None:
    fault = refused(status, body, 1.0)
    assert (fault.again, fault.hopeless(fresh=True), fault.message) == (again, hopeless, said)
    assert fault.wait == (1.0 if status in (429, 503) else None)


def test_a_prompt_that_is_flagged_is_no_wrong_key() -> None:
    fault = refused(403, b'{"error": {"message": "your input was flagged"}}', None)
    assert fault.finish_reason == "content_filter"


def test_long_messages_are_cut() -> None:
    assert shorten("x" * 1000) == "x" * 400 + " …"
