"""Is the text in the script and the language that the item says, and is the prompt's cue?

In: items. Out: hits. The one thing to know: the script of a language is CLDR's likely one (babel); what a language's cues and little words
are is data, one file a language (``data/audit/languages``). A language without a file is held to its script and to what most of the
benchmark's prompts in it say.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from ..records import Item
from .audit_hits import DATA, Hit, same, short
from .audit_scripts import expected, foreign_words, mixed, scripts, words


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of a language; every field may be left out."""

    question: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Little words that stand in nearly every question."""
    letters: str = ""
    """Letters of its script that it does not use."""
    own: str = ""
    """Scripts of which a long text has at least a letter."""
    foreign: str = ""
    """Scripts that it does not use."""
    talk: tuple[str, ...] = ()
    """What a translator says of a translation."""


@cache
def languages() -> dict[str, Words]:
    """Language → what is known of it, from the files of the package."""
    files = sorted((DATA / "languages").glob("*.toml"))
    return {file.stem: msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Words) for file in files}


def language(items: Sequence[Item]) -> Iterator[Hit]:
    """Kinds: lang_missing, lang_unknown, stem_script, stem_words, script_mixed, option_script, options_untranslated, untranslated,
    language, translator_talk."""
    stems: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        if not item.lang:
            yield Hit("lang_missing", (at,), short(item.stem))
        elif not (wanted := expected(item.lang)):
            yield Hit("lang_unknown", (at,), f"{item.lang}: {short(item.stem)}")
        else:
            yield from _stem(at, item, wanted)
            yield from _options(at, item, wanted)
        if item.parallel:
            stems[item.parallel, item.stem].append(at)
    for (_, stem), where in stems.items():
        langs = {items[at].lang.partition("-")[0] for at in where}
        if len(langs) > 1 and _worded(stem):
            yield Hit("untranslated", tuple(where), f"{', '.join(sorted(langs))}: {short(stem)}")


def _worded(stem: str) -> bool:
    """Whether a question has words to be translated, and is not a formula or a name alone."""
    return sum(part.isalpha() for part in stem.split()) >= 3 or sum(scripts(stem).values()) >= 12


def _stem(at: int, item: Item, wanted: frozenset[str]) -> Iterator[Hit]:
    counts = scripts(item.stem)
    letters = counts.total()
    own = sum(n for script, n in counts.items() if script in wanted)
    if letters and 2 * own < letters:
        yield Hit("stem_script", (at,), f"{item.lang}: {counts.most_common(1)[0][0].lower()}: {short(item.stem)}")
    elif own < letters and (words := foreign_words(item.stem, wanted)):
        yield Hit("stem_words", (at,), f"{item.lang}: {', '.join(words[:3])}: {short(item.stem)}")
    if word := mixed(item.stem):
        yield Hit("script_mixed", (at,), f"{word}: {short(item.stem)}")
    told = languages().get(item.lang.partition("-")[0], Words())
    if 2 * own >= letters and (said := _other(item, counts, told)):
        yield Hit("language", (at,), f"{item.lang}: {said}: {short(item.stem)}")
    if talk := _talk(item.lang.partition("-")[0]).search(item.stem.casefold()):
        yield Hit("translator_talk", (at,), f"{talk[0]}: {short(item.stem, 120)}")


@cache
def _talk(lang: str) -> re.Pattern[str]:
    """A language's phrases, and English ones, in which translating models speak, as one pattern."""
    known = languages()
    phrases = {*(known[lang].talk if lang in known else ()), *known["en"].talk}
    return re.compile("|".join(re.escape(phrase.casefold()) for phrase in sorted(phrases)))


def _options(at: int, item: Item, wanted: frozenset[str]) -> Iterator[Hit]:
    """An option is foreign where it has two letters and none of them is the language's; "I don't know" is not looked at."""
    foreign, own = [], 0
    for n, text in enumerate(item.options):
        counts = scripts(text)
        if n != item.abstain and counts.total() > 1:
            known = any(script in wanted for script in counts)
            own += known
            foreign += [] if known else [text]
    if foreign:
        kind = "option_script" if own else "options_untranslated"
        yield Hit(kind, (at,), f"{item.lang}: {foreign[0]}: {' / '.join(map(short, item.options))}")


def _other(item: Item, counts: Counter[str], told: Words) -> str:
    """What speaks for another language of the same script; an empty string where nothing does."""
    if told.foreign and (strange := [s for s in told.foreign.split() if s in counts]):
        return f"{strange[0].lower()} letters"
    if told.own and counts.total() >= 8 and not any(s in counts for s in told.own.split()):
        return f"no {told.own.lower()} letter"
    if told.letters and (found := sorted(set(item.stem.casefold()) & set(told.letters))):
        return f"the letters {' '.join(found)}"
    return _little(same(item.stem), item.lang.partition("-")[0], told) if told.words else ""


def _little(stem: str, lang: str, told: Words) -> str:
    """Another language of whose little words at least two stand in a question, and more than twice as many as of its own."""
    here = set(words(stem))
    own = len(here & set(told.words))
    for other, theirs in languages().items():
        found = sorted(here & set(theirs.words) - set(told.words)) if other != lang else []
        if len(found) > max(1, 2 * own):
            return f"{other}? ({', '.join(found[:4])})"
    return ""
