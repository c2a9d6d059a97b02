"""About as many items of each region: at most N of a group, drawn with a seed.

In: items. Out: those that stay (``balance``), or a judgment for each that was left out (``surplus``). The one thing to know: the draw of
a group hangs on the seed, the group and its own items, not on their order in the table nor on the other groups.

Paper: CARTE, section 4 and table 5 (about 20 questions a region).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ..canonical import digest
from ..errors import InputError
from ..records import Item, Judgment
from .fields import clauses, dimension, fits, known

VERSION = "1"
JUDGE = "balance"


def balance(items: Iterable[Item], *, most: int, by: str = "place", spread: str = "", where: tuple[str, ...] = (),
            seed: int = 0) -> Iterator[Item]:  # fmt: skip
    """Keep at most ``most`` items of each value of ``by``, in their order; items that do not fit ``where`` all stay.

    ``spread`` names a second dimension (``topic``) over whose values a group's draw goes round, so that a large topic does not crowd
    out a small one. Raises InputError for ``most`` below 1, UnknownName for a dimension that no item has.
    """
    held = list(items)
    chosen = _chosen(held, most, (by, spread), where, seed)
    yield from (item for item in held if item.id in chosen)


def surplus(items: Iterable[Item], *, most: int, by: str = "place", spread: str = "", where: tuple[str, ...] = (),
            seed: int = 0) -> Iterator[Judgment]:  # fmt: skip
    """Say which items ``balance`` leaves out with the same settings: criterion ``balance``, value ``left out``."""
    held = list(items)
    chosen, counts = _chosen(held, most, (by, spread), where, seed), _counts(held, by, where)
    for item in held:
        if item.id not in chosen:
            group = dimension(item, by)
            note = f"not drawn: {by} {group or '(none)'} has {counts[group]} items, at most {most} stay (seed {seed})"
            yield Judgment(item=item.id, judge=JUDGE, criterion="balance", value="left out", note=note)


def _chosen(items: list[Item], most: int, by: tuple[str, str], where: tuple[str, ...], seed: int) -> set[str]:
    if most < 1:
        raise InputError(f"most: {most}; at least one item of a group has to stay")
    for name in filter(None, by):
        known(items, name)
    wanted = clauses(where)
    groups: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for item in items:
        if fits(item, wanted):
            groups[dimension(item, by[0])][dimension(item, by[1]) if by[1] else ""].add(item.id)
    drawn = {id_ for name, strata in groups.items() for id_ in _turns(strata, digest([seed, name]))[:most]}
    return drawn | {item.id for item in items if not fits(item, wanted)}


def _turns(strata: dict[str, set[str]], key: str) -> list[str]:
    """Every id of a group in the order in which it is drawn: one of each stratum, then the next of each."""
    rows = []
    for name, ids in strata.items():
        ranked = sorted(ids, key=lambda id_: digest([key, id_], 32))
        rows += [(turn, digest([key, "stratum", name, turn], 32), id_) for turn, id_ in enumerate(ranked)]
    return [id_ for _, _, id_ in sorted(rows)]


def _counts(items: list[Item], by: str, where: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        if fits(item, clauses(where)):
            found[dimension(item, by)].add(item.id)
    return {name: len(ids) for name, ids in found.items()}
