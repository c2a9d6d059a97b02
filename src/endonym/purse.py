"""What may be spent: each call is reckoned before it is made, at the most it can cost, and settled by what it did cost.

In: a budget in the currency of the models' prices. The one thing to know: the next call is not made if it could pass the budget;
what is in flight is let finish, and what was answered is kept.
"""

from .errors import InputError, OverBudget
from .models.prices import price, tokens_in, tokens_out
from .records import Model, Prompt, Response


class Purse:
    """Money for one run, shared by its models. Not for several threads."""

    def __init__(self, budget: float) -> None:
        self.budget, self.spent, self.calls = budget, 0.0, 0
        self._reserved: dict[str, float] = {}

    def reserve(self, model: Model, prompt: Prompt) -> None:
        """Put the most that a call can cost aside; raise OverBudget where that is more than is left, InputError without a price."""
        cost = price(model, tokens_in(prompt), tokens_out(prompt))
        if cost is None:
            raise InputError(f"{model.name}: --budget needs its price: set price_in and price_out (per million tokens), 0 if it is free")
        if self.spent + sum(self._reserved.values()) + cost > self.budget:
            raise OverBudget(
                f"{model.name}: the budget of {self.budget:g} is nearly spent ({self.spent:.4g} on {self.calls} calls); "
                f"what was answered is kept: raise --budget and run again to go on"
            )
        self._reserved[prompt.id] = cost

    def settle(self, model: Model, response: Response) -> None:
        """Take what a call did cost, or what was put aside for it where the server does not count tokens."""
        put_aside = self._reserved.pop(response.prompt, 0.0)
        counted = response.tokens_in + response.tokens_out
        real = price(model, response.tokens_in, response.tokens_out) if counted else None
        self.spent += (put_aside if real is None else real) if not response.error else 0.0
        self.calls += 1
