"""Check items without a model: options, wording, and what repeats in a set.

In: items. Out: judgments, a row for each finding and none where nothing is found; ``judge`` is ``check/NAME``, ``value`` error or
warning, and ``note`` says what to do. The one thing to know: the words by which all this is found are lists, one file a language
(``data/checks``); a file or a folder of files of the same form is laid over them. Paper: CARTE, section 3.2, appendices A and D.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from ..errors import UnknownName
from ..records import Item, Judgment
from . import check_options, check_repeats, check_wording
from .check_repeats import WHOLE, SetCheck
from .check_rules import SHIPPED, Rules, Shelf
from .check_view import Finding, ItemCheck, View

VERSION = "1"
OF_ITEM: dict[str, ItemCheck] = check_options.CHECKS | check_wording.CHECKS
OF_SET: dict[str, SetCheck] = check_repeats.CHECKS
CHECKS: tuple[str, ...] = (*OF_ITEM, *OF_SET)
"""The names of all checks, in the order in which they are made."""
NO_LISTS = "no-lists"

__all__ = ["CHECKS", "NO_LISTS", "SHIPPED", "VERSION", "WHOLE", "check", "findings"]


def check(items: Iterable[Item], *, rules: Path = SHIPPED, only: tuple[str, ...] = (), skip: tuple[str, ...] = ()) -> Iterator[Judgment]:
    """Make every check, those of ``only``, or all but those of ``skip``; findings of an item first, then those of the set.

    ``rules``: a file or a folder of files LANG.toml, laid over the shipped ones. A finding on all items of a language together has the
    item "benchmark". Where a language has no lists, one warning ``no-lists`` says so, and only the checks of form are made.
    Raises UnknownName for a check that does not exist, TableError for a bad file, Unavailable where py3langid is missing.
    """
    for name in (*only, *skip):
        if name not in CHECKS:
            raise UnknownName("check", name, CHECKS)
    chosen = [n for n in CHECKS if (not only or n in only) and n not in skip]
    shelf, views = Shelf(Path(rules)), dict[str, list[View]]()
    for item in items:
        view = View(item, shelf.rules(item.lang))
        if not view.rules.made_for and item.lang not in views:
            yield _no_lists(item, shelf)
        views.setdefault(item.lang, []).append(view)
        yield from _of_item(view, chosen)
    for found in views.values():
        yield from _of_set(found, chosen)


def findings(view: View, name: str) -> list[Finding]:
    """What one check of items finds in one item; nothing for a check of options where there are none."""
    choices = name in check_options.CHECKS
    return [] if choices and view.item.kind != "choice" else list(OF_ITEM[name](view))


def _of_item(view: View, chosen: list[str]) -> Iterator[Judgment]:
    item = ""
    for name in chosen:
        if name in OF_ITEM:
            for found in findings(view, name):
                item = item or view.item.id
                yield _judgment(name, item, found, view.rules)


def _of_set(views: list[View], chosen: list[str]) -> Iterator[Judgment]:
    made = ((name, OF_SET[name](views)) for name in chosen if name in OF_SET)
    yield from chain.from_iterable((_judgment(name, item, f, views[0].rules) for item, f in found) for name, found in made)


def _judgment(name: str, item: str, found: Finding, rules: Rules) -> Judgment:
    rule = rules.lists.checks[name]
    note = rule.message.replace("{what}", found.what)
    value = found.value or rule.value
    return Judgment(item=item, judge=f"check/{name}", criterion=name, value=value, guideline=f"checks/{rules.lists.lang}", note=note)


def _no_lists(item: Item, shelf: Shelf) -> Judgment:
    known = ", ".join(shelf.languages)
    note = f"no word lists for the language {item.lang!r} (there are: {known}): only checks of form were made; give rules = LANG.toml"
    return Judgment(item=WHOLE, judge=f"check/{NO_LISTS}", criterion=NO_LISTS, value="warning", note=note)
