"""No call is made that could pass the budget; what was answered before is kept."""

from pathlib import Path

import pytest

from endonym.ask import Asking
from endonym.errors import InputError, OverBudget
from endonym.models.parrot import Parrot
from endonym.purse import Purse
from endonym.records import Message, Model, Prompt, Response

# 36 letters are 9 tokens and a turn is 4 more: 13 tokens in; 7 tokens out at most. At 1,000,000 a million that is 20 a prompt.
PRICED = Model(name="parrot/x", params={"price_in": 1_000_000.0, "price_out": 1_000_000.0})


@pytest.fixture(autouse=True)
def priced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parrot, "DEFAULTS", {**Parrot.DEFAULTS, "price_in": None, "price_out": None})


def prompts(n: int) -> list[Prompt]:
    return [Prompt(item=f"i{k}", messages=(Message(role="user", content=f"{k:036}"),), max_tokens=7) for k in range(n)]


def test_a_plan_tells_tokens_and_money():
    with Asking(PRICED, None) as asking:
        plan = asking.plan(prompts(3))
    assert (plan.tokens_in, plan.tokens_out, plan.money) == (39, 21, 60.0)


def test_it_stops_in_time_and_goes_on_from_there(tmp_path: Path):
    """A parrot counts no tokens, so each call costs what was put aside: three of 20 fit into 65, a fourth does not."""
    with Asking(PRICED, tmp_path / "c.db", purse=Purse(65)) as asking, pytest.raises(OverBudget, match=r"65 is nearly spent \(60 on 3"):
        asking.run(prompts(10))
    with Asking(PRICED, tmp_path / "c.db", purse=Purse(1000)) as asking:
        assert asking.plan(prompts(10)).calls == 7
        asking.run(prompts(10))
    assert asking.purse is not None
    assert asking.purse.spent == 140


def test_what_a_call_did_cost_is_what_counts():
    purse = Purse(50)
    for prompt in prompts(4):  # 20 is put aside, 5 is spent: 5 + 5 + 5 + 20 fits
        purse.reserve(PRICED, prompt)
        purse.settle(PRICED, Response(prompt=prompt.id, model="m", tokens_in=4, tokens_out=1))
    assert purse.spent == 20
    purse.settle(PRICED, Response(prompt="x", model="m", error="http 500"))
    assert purse.spent == 20


def test_a_budget_needs_a_price():
    with pytest.raises(InputError, match="price_in and price_out"):
        Purse(1).reserve(Model(name="parrot/x"), prompts(1)[0])
