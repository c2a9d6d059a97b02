"""Checks of the options: their number, their differences from each other, and what gives the right one away.

In: a view of a multiple-choice item. Out: findings. Sources: CARTE, section 3.2 and appendix D (five choices, the last "I don't
know", one right answer, no overlap); the rules of item writing of Haladyna, Downing and Rodriguez (2002) on length and form.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from .check_text import lowered, words
from .check_view import Finding, ItemCheck, View

_LABEL = re.compile(r"\s*(?:\(?[A-Ea-e1-5][.)]|[A-E]\s?[:–-])\s+\S")


def count(view: View) -> Iterator[Finding]:
    """Another number of answers than the rule says."""
    if (n := len(view.answers)) != int(view.rules.limit("options-count", "answers")):
        yield Finding(str(n))


def equal(view: View) -> Iterator[Finding]:
    """Two options that are one after case, accents, marks and articles are taken away."""
    for a, b in combinations(range(len(view.keys)), 2):
        if view.keys[a] == view.keys[b]:
            yield Finding(f"{view.item.options[a]} = {view.item.options[b]}")


def contain(view: View) -> Iterator[Finding]:
    """One answer within another; two different places of the lists may be (Savoie, Haute-Savoie), and distractors a little."""
    for a, b in combinations(view.answers, 2):
        short, long = sorted((a, b), key=lambda n: len(words(view.item.options[n])))
        inner, outer = words(view.item.options[short]), words(view.item.options[long])
        inner = inner[1:] if len(inner) > 1 and inner[0] in view.rules.articles else inner
        if view.keys[a] == view.keys[b] or not _within(inner, outer) or (_place(view, short) and _place(view, long)):
            continue
        if a in view.spans or b in view.spans:
            continue  # numbers and spans are compared as such
        mild = view.variation or view.item.gold not in (a, b)
        yield Finding(f"{view.item.options[short]} ⊂ {view.item.options[long]}", "warning" if mild else None)


def _within(inner: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    return bool(inner) and any(outer[n : n + len(inner)] == inner for n in range(len(outer) - len(inner) + 1))


def _place(view: View, option: int) -> bool:
    """Whether an option is the name of a place and nothing else."""
    total = len([w for w in words(view.item.options[option]) if w not in view.rules.articles])
    found = list(view.rules.places.find(view.item.options[option]))
    return bool(found) and sum(len([w for w in words(f.text) if w not in view.rules.articles]) for f in found[:1]) == total


def overlap(view: View) -> Iterator[Finding]:
    """Spans or values that have something in common: between 10 and 20, between 15 and 30."""
    for (a, x), (b, y) in combinations(view.spans.items(), 2):
        if x.meets(y) and not (x == y or view.keys[a] == view.keys[b]) and not (x.point and y.point):
            yield Finding(f"{view.item.options[a]} ∩ {view.item.options[b]}")


def same(view: View) -> Iterator[Finding]:
    """One value written in two ways: a number and a word, two units, two names of one place."""
    names = view.rules.aliases
    for a, b in combinations(view.answers, 2):
        if view.keys[a] == view.keys[b]:
            continue
        x, y = view.spans.get(a), view.spans.get(b)
        alike = not view.variation and names.get(view.keys[a], -1) == names.get(view.keys[b], -2)
        if alike or (x is not None and x == y):
            yield Finding(f"{view.item.options[a]} = {view.item.options[b]}")


def length(view: View) -> Iterator[Finding]:
    """The right answer is much longer, or much shorter, than every other; a place is as long as its name."""
    if not view.distractors or view.item.gold is None or view.item.gold in view.spans or _place(view, view.item.gold):
        return
    gold, others = len(view.gold.strip()), [len(d.strip()) for d in view.distractors]
    ratio, least = view.rules.limit("options-length", "ratio"), view.rules.limit("options-length", "least")
    if (gold >= ratio * max(others) and gold - max(others) >= least) or (gold * ratio <= min(others) and min(others) - gold >= least):
        yield Finding(f"{gold} / {', '.join(map(str, others))}")


def form(view: View) -> Iterator[Finding]:
    """The right answer alone ends with a full stop, has brackets, or lacks what all others have of these."""
    if len(view.distractors) < 2:
        return
    for mark in (".", "("):
        has = [d.rstrip().endswith(".") if mark == "." else "(" in d for d in (view.gold, *view.distractors)]
        if len(set(has[1:])) == 1 and has[0] != has[1]:
            yield Finding(f"« {mark} »")


def label(view: View) -> Iterator[Finding]:
    """Letters or numbers of the list left in front of the options."""
    found = [o for o in view.item.options if _LABEL.match(o)]
    if len(found) >= 2:
        yield Finding(found[0])


def all_none(view: View) -> Iterator[Finding]:
    """An option that points at the others, or answers nothing."""
    phrases, pattern = view.rules.phrases("all_none"), view.rules.pattern("all_none")
    for n in view.answers:
        option = view.item.options[n]
        if phrases.first(option) or (pattern and pattern.match(lowered(option))):
            yield Finding(option)


def unknown_missing(view: View) -> Iterator[Finding]:
    """No option says "I don't know"."""
    if not view.unknowns and view.rules.made_for:
        yield Finding(view.item.options[-1])


def unknown_last(view: View) -> Iterator[Finding]:
    """ "I don't know" is not last, stands twice, is the gold, or is not marked as ``abstain``."""
    found, last = view.unknowns, len(view.item.options) - 1
    if not found:
        return
    if found != (last,):
        yield Finding(", ".join(view.item.options[n] for n in found))
    elif view.item.gold in found:
        yield Finding(view.item.options[last])
    elif view.item.abstain is None:
        yield Finding(f"{view.item.options[last]} (abstain)", "warning")


CHECKS: dict[str, ItemCheck] = {
    "options-count": count,
    "options-equal": equal,
    "options-contain": contain,
    "options-overlap": overlap,
    "options-same": same,
    "options-length": length,
    "options-form": form,
    "options-label": label,
    "options-all-none": all_none,
    "unknown-missing": unknown_missing,
    "unknown-last": unknown_last,
}
