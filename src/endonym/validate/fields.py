"""What the stages of this room ask of an item beside its content: a dimension's value, and whether it fits a clause.

In: items. Out: texts and yes or no. The one thing to know: a dimension is a field of the item or a key of its ``meta``, and a
name that no item has is a fault that says which there are, never an empty group.
"""

from collections.abc import Iterable, Sequence

from ..errors import InputError, UnknownName
from ..records import Item

FIELDS = ("lang", "place", "topic", "subset", "entity", "template", "kind", "source", "parallel", "maker")


def dimension(item: Item, name: str) -> str:
    """The value of a dimension; ``""`` where the item has none."""
    return str(getattr(item, name)) if name in FIELDS else item.meta.get(name, "")


def known(items: Iterable[Item], name: str) -> None:
    """Raise UnknownName for a dimension that is no field and stands in the ``meta`` of no item."""
    if name not in FIELDS and name not in (keys := {key for item in items for key in item.meta}):
        raise UnknownName("dimension", name, {*FIELDS, *keys})


def clauses(where: Sequence[str]) -> list[tuple[str, frozenset[str]]]:
    """Read ``name=value`` (several values by comma). Raises InputError for another form."""
    found: list[tuple[str, frozenset[str]]] = []
    for clause in where:
        name, equals, values = clause.partition("=")
        if not equals or not name.strip():
            raise InputError(f"where {clause!r}: is not of the form name=value")
        found.append((name.strip(), frozenset(v.strip() for v in values.split(","))))
    return found


def fits(item: Item, where: Sequence[tuple[str, frozenset[str]]]) -> bool:
    return all(dimension(item, name) in values for name, values in where)
