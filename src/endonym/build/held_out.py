"""A part of a benchmark that is not published: drawn with a seed, and never two items of one entity or one source on both sides.

In: items. Out: the part that is published and the part that is held out, each in the order of the items. The one thing to know: items
that share an entity, a source, a question in other languages, or a parent are one group, and groups are drawn, so the share is met
as nearly as the groups allow, and never by splitting one.
"""

from collections import defaultdict
from collections.abc import Sequence

from ..canonical import digest
from ..errors import InputError
from ..records import Item


def held_out(items: Sequence[Item], *, share: float, seed: int = 0) -> tuple[list[Item], list[Item]]:
    """Split items into (published, held out), about ``share`` of them held out. Raises InputError where groups do not allow it."""
    if not 0 < share < 1:
        raise InputError(f"held-out: {share} is not a share between 0 and 1")
    groups = grouped(items)
    ranked = sorted(groups, key=lambda name: digest([seed, sorted(groups[name])], 32))
    wanted, out = share * len(items), set[str]()
    for name in ranked:
        if abs(len(out) + len(groups[name]) - wanted) < abs(len(out) - wanted):
            out |= set(groups[name])
    if not 0 < len(out) < len(items):
        biggest = max(map(len, groups.values()), default=0)
        what = f"{len(items)} items in {len(groups)} groups (the largest has {biggest})"
        raise InputError(f"held-out: {share}: no split of {what} comes near it")
    return [i for i in items if i.id not in out], [i for i in items if i.id in out]


def grouped(items: Sequence[Item]) -> dict[str, list[str]]:
    """The ids of items that belong together, by a name of their group."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for item in items:
        ties = [("entity", item.entity), ("source", item.source.partition("#")[0]), ("parallel", item.parallel), ("item", item.parent)]
        for kind, value in ties:
            if value:
                above[root(f"{kind}:{value}")] = root(f"item:{item.id}")
    groups: dict[str, list[str]] = defaultdict(list)
    for item in items:
        groups[root(f"item:{item.id}")].append(item.id)
    return dict(groups)
