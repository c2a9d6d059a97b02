"""Checks of the wording: what the stem leans on, leaves out, or gives away.

In: a view of an item. Out: findings. Sources: CARTE, appendices A and D (no reference to a document; a territory; a date where a trend
or a reform is asked; no "recently"; for linguistic variation a region, a situation, a contrast); Haladyna, Downing and Rodriguez
(2002) on negation. Phrases within quotation marks are what somebody says, not what the item says.
"""

import re
import unicodedata
from collections.abc import Iterator

from .check_language import other_language
from .check_text import lowered, quotes, words
from .check_view import Finding, ItemCheck, View

_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MOJIBAKE = re.compile("Ã[©¨ª®´§¢¹‰\u00a0]|â€[™œ“”]|Â[«»°\u00a0]")
_MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|&(?:[a-z]+|#\d+);|\*\*|\[\d+\]")
_JOINING = ("ar", "fa", "ur", "he", "hi", "bn", "mr", "ne", "ta", "te", "kn", "ml", "si")
"""Languages whose spelling needs joiners and marks of direction."""
_HOLE = re.compile(r"\{\w*\}|<[A-ZÀ-Ý_]{3,}>|\[[^\]\d]{2,40}\]|\b(?:TODO|TBD|XXX+|lorem ipsum|à compléter|por completar)\b", re.I)
_EMPTY = re.compile(r"(?:option|choix|réponse|respuesta|opción|choice|answer)\s*[A-E1-5]?", re.I)


def characters(view: View) -> Iterator[Finding]:
    """Blanks at an edge, hidden characters, text that is not NFC or was decoded wrongly."""
    joining = view.item.lang.partition("-")[0] in _JOINING
    for text in (view.item.stem, *view.item.options):
        hidden = [c for c in _HIDDEN.findall(text) if not (joining and c in "\u200c\u200d\u200e\u200f")]
        if text != text.strip() or "  " in text:
            yield Finding(f"blank: {text!r}")
        elif hidden:
            yield Finding(f"U+{ord(hidden[0]):04X}: {text!r}")
        elif unicodedata.normalize("NFC", text) != text:
            yield Finding(f"NFD: {text!r}")
        elif found := _MOJIBAKE.search(text) or _MARKUP.search(text):
            yield Finding(f"{found[0]}: {text!r}")


def placeholder(view: View) -> Iterator[Finding]:
    """A hole of a template that was never filled."""
    for text in view.item.options:
        if _EMPTY.fullmatch(text.strip()):
            yield Finding(text)
    for text in (view.item.stem, *view.item.options):
        if found := _HOLE.search(text):
            yield Finding(found[0])


def document(view: View) -> Iterator[Finding]:
    """The stem leans on a text that the reader does not have."""
    pattern = view.rules.pattern("document")
    if pattern and (found := pattern.search(view.said)):
        yield Finding(found[0].strip())


def territory(view: View) -> Iterator[Finding]:
    """No place is named: neither in the stem, nor by most of the options."""
    if view.variation or not view.rules.covers(view.item.place) or view.places:
        return
    national = "-" not in view.item.place and view.rules.country.first(view.item.stem)
    named = [o for o in view.answers if view.rules.places.first(view.item.options[o])]
    if not national and 2 * len(named) <= len(view.answers):
        yield Finding(view.item.place)


def vague_time(view: View) -> Iterator[Finding]:
    """A time that depends on when one reads; some of these words may stand where a date is given too."""
    pattern, lists = view.rules.pattern("vague"), ["vague"] if _dated(view) else ["vague", "vague_undated"]
    if pattern and (match := pattern.search(view.said)):
        yield Finding(match[0])
        return
    for name in lists:
        if found := view.rules.phrases(name).first(view.unquoted):
            yield Finding(found)
            return


def date_missing(view: View) -> Iterator[Finding]:
    """A trend, a reform or a change is asked without a date, and the date is not what is asked."""
    change, asked = view.rules.pattern("change"), view.rules.pattern("asks_date")
    if view.variation or not change or _dated(view) or (asked and asked.search(view.said)):
        return
    if found := change.search(view.said):
        yield Finding(found[0].strip())


def _dated(view: View) -> bool:
    date = view.rules.pattern("date")
    return bool((date and date.search(lowered(view.item.stem))) or view.rules.phrases("eras").first(view.item.stem))


def language(view: View) -> Iterator[Finding]:
    """The stem, or a long option, is in another language."""
    rules = view.rules
    least, sure = int(rules.limit("language", "words")), rules.limit("language", "sure")
    if found := other_language(view.item.stem, rules, least=least, sure=sure):
        yield Finding(f"{found}: {view.item.stem}")
    options = () if view.variation else [view.item.options[n] for n in view.answers]
    for option in options:
        if found := other_language(option, rules, least=int(rules.limit("language", "option_words")), sure=sure):
            yield Finding(f"{found}: {option}")


def answer(view: View) -> Iterator[Finding]:
    """The right answer, and no other, stands in the stem, as it is or in another form of its one word."""
    if not view.gold or any(_said(view, d) for d in view.distractors):
        return
    if _said(view, view.gold):
        yield Finding(view.gold)
    elif not view.variation and (near := _kin(view, view.gold)) and not any(_kin(view, d) for d in view.distractors):
        yield Finding(f"{view.gold} ~ {near}", "warning")


def _said(view: View, option: str) -> bool:
    """Whether the words of an option that mean something all stand in the stem, in their order."""
    inner = tuple(w for w in words(option) if w not in view.rules.stop)
    outer = tuple(w for w in words(view.item.stem) if w not in view.rules.stop)
    if not inner or max(map(len, inner)) < 3:
        return False
    return any(outer[n : n + len(inner)] == inner for n in range(len(outer) - len(inner) + 1))


def _kin(view: View, option: str) -> str:
    """A word of the stem that begins as the one word of the option that means something: porcelainier, porcelaine."""
    inner = [w for w in words(option) if w not in view.rules.weak]
    if len(inner) != 1 or len(inner[0]) < 6 or not inner[0].isalpha():
        return ""
    for word in words(view.item.stem):
        share = next((n for n, (a, b) in enumerate(zip(word, inner[0], strict=False)) if a != b), min(len(word), len(inner[0])))
        if share >= 6 and share >= 0.6 * max(len(word), len(inner[0])):
            return word
    return ""


def question_mark(view: View) -> Iterator[Finding]:
    """The stem neither asks nor leaves a blank to be filled."""
    stem = view.item.stem.rstrip(" \u00a0\u202f»”\")")
    if not view.rules.made_for or "___" in view.item.stem or stem.endswith(("…", ":", "...")):
        return
    opening = view.rules.lists.words.get("question_opening", ())
    if not stem.endswith(("?", "？", "؟", "।")) or (opening and not any(mark in stem for mark in opening)):
        yield Finding(stem[-30:])


def negation(view: View) -> Iterator[Finding]:
    """What is asked is what is not so, and the word that says it is not in capitals."""
    pattern = view.rules.pattern("negated")
    if not pattern or not (found := pattern.search(view.said)):
        return
    stress = view.rules.phrases("negative_capitals")
    if not any(f.text.isupper() for f in stress.find(view.unquoted)):
        yield Finding(found[0].strip())


def lv_region(view: View) -> Iterator[Finding]:
    """An item on regional speech that does not name its region."""
    if not view.variation or not view.rules.covers(view.item.place):
        return
    own = view.rules.region(view.item.place)
    if not (own.first(view.item.stem) if own else view.places):
        yield Finding(view.item.place)


def lv_context(view: View) -> Iterator[Finding]:
    """An item on regional speech without a situation in which somebody speaks or writes."""
    if view.variation and view.rules.phrases("situations") and not view.rules.phrases("situations").first(view.item.stem):
        yield Finding(view.item.stem[:60])


def lv_contrast(view: View) -> Iterator[Finding]:
    """An item on regional speech that shows no form, in marks or as an option, against which another could stand."""
    shown = quotes(view.item.stem) or any(quotes(view.item.options[n]) for n in view.answers)
    if view.variation and not shown and not view.rules.phrases("contrasts").first(view.item.stem):
        yield Finding(view.item.stem[:60])


CHECKS: dict[str, ItemCheck] = {
    "characters": characters,
    "placeholder": placeholder,
    "document-reference": document,
    "territory-missing": territory,
    "vague-time": vague_time,
    "date-missing": date_missing,
    "language": language,
    "answer-in-question": answer,
    "question-mark": question_mark,
    "negation": negation,
    "lv-region": lv_region,
    "lv-context": lv_context,
    "lv-contrast": lv_contrast,
}
