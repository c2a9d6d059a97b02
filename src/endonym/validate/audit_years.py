"""Years among the options: how far the distractors are from the right one, and whether they have come yet.

In: items, the rule (least and greatest distance in years) and the present year. Out: hits. The one thing to know: an item asks for a year
if all its options are years of 3 or 4 digits, or of an era; a quantity of four digits cannot be told from them.

Paper: XNationQA (papers/xnationqa.md), section 3: distractors are the right year plus or minus 5 to 10.
"""

from collections.abc import Iterator, Sequence

from ..records import Item
from .audit_hits import Hit, short, year


def years(items: Sequence[Item], *, rule: tuple[int, int], present: int) -> Iterator[Hit]:
    """Kinds: year_near, year_far, year_future; each at most once an item."""
    for at, item in enumerate(items):
        found = asked(item)
        if not found or item.gold is None:
            continue
        gold = found[item.gold]
        others = [value for value in found if value != gold]
        shown = f"{' / '.join(item.options)}, right is {item.options[item.gold]}: {short(item.stem, 60)}"
        apart = [abs(value - gold) for value in others]
        if near := [distance for distance in apart if distance < rule[0]]:
            yield Hit("year_near", (at,), f"{min(near)} years apart, the rule is {rule[0]} to {rule[1]}: {shown}")
        if far := [distance for distance in apart if distance > rule[1]]:
            yield Hit("year_far", (at,), f"{max(far)} years apart, the rule is {rule[0]} to {rule[1]}: {shown}")
        if late := [value for value in others if value > present]:
            yield Hit("year_future", (at,), f"{max(late)} is after {present}: {shown}")


def asked(item: Item) -> list[int]:
    """The years of an item's options, in their order; empty where one of them is none ("I don't know" is one such)."""
    found = [value for value in map(year, item.options) if value is not None]
    return found if len(found) == len(item.options) else []
