"""Move the right answer so that it stands equally often at every position.

In: multiple-choice items. Out: the same items in their order, their options permuted with a seed; "don't know" (``abstain``) stands last
and takes no part. The one thing to know: an item whose options move is a new item, whose ``parent`` is the old one; translations of
one question (``parallel``) move together. Paper: CARTE, section 3.2 (gold uniform over positions).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from ..canonical import digest
from ..records import Item

VERSION = "1"


def balance(items: Iterable[Item], *, seed: int = 0) -> Iterator[Item]:
    """Permute options so that, of the questions with equally many answers, each position has the gold equally often, within one.

    Items that are open stay as they are. The order of the options of one question hangs on the seed and its own id (or ``parallel``);
    where its gold goes hangs on the seed and all questions together.
    """
    held = list(items)
    goals = _goals(held, seed)
    for item in held:
        yield _moved(item, goals[_question(item)], seed) if item.kind == "choice" else item


def _question(item: Item) -> str:
    """What names a question, whatever its language."""
    return f"parallel {item.parallel}" if item.parallel else item.id


def _answers(item: Item) -> int:
    return len(item.options) - (item.abstain is not None)


def _goals(items: list[Item], seed: int) -> Mapping[str, int]:
    """Where the gold of each question is to stand."""
    groups: dict[int, dict[str, None]] = defaultdict(dict)
    for item in items:
        if item.kind == "choice":
            groups[_answers(item)][_question(item)] = None
    goals: dict[str, int] = {}
    for answers, questions in groups.items():
        rng = random.Random(digest(["balance", seed, answers]))
        first = rng.sample(range(answers), answers)  # which positions have one more, where the number does not divide
        places = [first[n % answers] for n in range(len(questions))]
        rng.shuffle(places)
        goals |= zip(questions, places, strict=True)
    return goals


def _moved(item: Item, goal: int, seed: int) -> Item:
    """The item with its gold at ``goal``, its distractors in an order of their own, and "don't know" last."""
    wrong = [n for n in range(len(item.options)) if n not in (item.gold, item.abstain)]
    random.Random(digest(["order", seed, _question(item)])).shuffle(wrong)
    order = [*wrong[:goal], item.gold, *wrong[goal:]]
    last = [] if item.abstain is None else [item.abstain]
    options = tuple(item.options[n] for n in (*order, *last) if n is not None)
    changed = msgspec.structs.replace(item, options=options, gold=goal, abstain=len(order) if last else None)
    return item if changed == item else msgspec.structs.replace(changed, parent=item.id)
