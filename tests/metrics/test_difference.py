"""Paired differences: by hand, and Tuguesice's Δ and gaps from its table 1."""

import pytest

from endonym.metrics import difference, frame, oracle_delta, specialisation_gap

from .rows import score

# Table 1 of the paper: plain, oracle, Δ of Tuguesice-PT; plain, oracle, Δ of BLEnD-PT, in per cent.
TABLE_1 = {
    "gemini-2.5-flash": (35.78, 77.68, 42, 55.17, 54.74, 0),
    "gervasio70b": (39.76, 60.86, 21, 51.72, 53.45, 2),
    "llama70b": (25.69, 63.30, 38, 50.00, 51.29, 1),
    "mistral24b": (15.60, 57.19, 42, 43.97, 46.98, 3),
    "gervasio8b": (11.31, 38.53, 27, 41.81, 42.67, 1),
    "llama8b": (9.79, 40.37, 31, 40.52, 43.97, 3),
    "sabia7b": (7.95, 27.83, 20, 19.83, 31.03, 11),
}
QUESTIONS = (327, 232)
"""All percentages of a benchmark are whole numbers of its questions: 232 as the paper says, 327 as its percentages say."""


def benchmark(which):
    """Scores with the numbers of right answers that the percentages stand for; which questions are right does not matter for a mean."""
    n = QUESTIONS[which]
    return frame(
        score(i < round(n * share / 100), item=f"q{i}", prompt=f"{style}{i}", model=model, style=style)
        for model, numbers in TABLE_1.items()
        for style, share in zip(("plain", "oracle"), numbers[3 * which : 3 * which + 2], strict=True)
        for i in range(n)
    )


@pytest.mark.parametrize("which", [0, 1])
def test_the_percentages_are_whole_numbers_of_questions(which):
    shares = [share for numbers in TABLE_1.values() for share in numbers[3 * which : 3 * which + 2]]
    assert all(abs(100 * round(QUESTIONS[which] * s / 100) / QUESTIONS[which] - s) < 0.006 for s in shares)


@pytest.mark.parametrize("which", [0, 1])
def test_tuguesices_delta_from_its_table(which):
    """Every printed Δ is the difference rounded to a whole number; Gemini's −0.43 is printed 0."""
    found = {e.group["model"]: e for e in oracle_delta.estimate(benchmark(which), by=("model",), draws=100)}
    for model, numbers in TABLE_1.items():
        plain, oracle, printed = numbers[3 * which : 3 * which + 3]
        assert 100 * found[model].value == pytest.approx(oracle - plain, abs=0.011)
        assert abs(100 * found[model].value - printed) < 0.51
        assert found[model].n == QUESTIONS[which]


def test_tuguesices_gaps_from_its_table():
    """Section 5: 14.07 and 1.52 points for its own set, 1.72 and 1.29 for the other."""
    for which, gaps in ((0, (14.07, 1.52)), (1, (1.72, 1.29))):
        scores = benchmark(which).filter(style="plain")
        for size, gap in zip(("70b", "8b"), gaps, strict=True):
            (found,) = specialisation_gap(specialised=f"gervasio{size}", base=f"llama{size}").estimate(scores, draws=100)
            assert 100 * found.value == pytest.approx(gap, abs=0.011)


def test_pairs_are_items_and_what_one_side_lacks_is_left_out():
    """a: 1 − 0; b: both orders of plain right, one of oracle: .5 − 1; c failed on one side; d was not asked on the other."""
    rows = [
        score(1, item="a", style="oracle"), score(0, item="a", style="plain"), score(1, item="b", style="plain", gold_position=0),
        score(1, item="b", style="plain", gold_position=1), score(1, item="b", style="oracle", gold_position=0),
        score(0, item="b", style="oracle", gold_position=1), score("failed", item="c", style="oracle"), score(1, item="c", style="plain"),
        score(1, item="d", style="plain"),
    ]  # fmt: skip
    (found,) = oracle_delta.estimate(frame(rows), draws=50)
    assert (found.value, found.n, found.note) == (0.25, 2, "2 items left out: a reply on one side only")


def test_a_side_that_nobody_asked_is_said():
    (found,) = oracle_delta.estimate(frame([score(1, style="plain")]))
    assert (found.value, found.n, found.note) == (None, 0, "no reply of style 'oracle'")
    (gap,) = specialisation_gap.estimate(frame([score(1)]))
    assert gap.note == "name two of model to compare"


def test_pairing_narrows_the_interval():
    """Two models that agree on 190 of 200 items: the paired interval is that of 10 discordant items."""
    rows = [score(n % 2, item=str(n), model="a") for n in range(200)]
    rows += [score(n % 2 or n >= 180, item=str(n), model="b") for n in range(200)]
    (found,) = difference(over="model", a="b", b="a").estimate(frame(rows), draws=2000)
    assert found.value == pytest.approx(0.05)
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.05 * 0.95 / 200) ** 0.5, abs=0.01)


def test_equal_sides_get_no_wilson():
    rows = [score(1, item=str(n), model=m) for n in range(5) for m in "ab"]
    (found,) = difference(over="model", a="a", b="b").estimate(frame(rows), draws=50)
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
    assert "every draw gave the same value" in found.note
