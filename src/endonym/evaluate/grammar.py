"""The words of ``words.toml`` made into patterns, once a language, and letters made into one pattern, once an alphabet.

In: a language (BCP 47). Out: a :class:`Grammar`, whose patterns are searched in folded, lower-cased text, and
:class:`Letters`, whose pattern finds a letter that stands alone, whatever its script. English is read beside every
language, because models fall into it. Nothing here knows of options or of replies.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from .folding import fold, lower
from .wording import languages, wording

_TABLE = Path(__file__).with_name("words.toml")
MARKS = r"[\s:*_$`\"'«»„「」『』【】〔〕《》〈〉()\[\]{}<>=~→,\-–—|#]"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LATIN = "A-Za-zÀ-ɏ"
_GREEK, _CYRILLIC = "\u0370-\u03ff\u1f00-\u1fff", "\u0400-\u052f"
_BLOCKS = (
    _GREEK,
    _CYRILLIC,
    "\u0590-\u05ff",  # Hebrew
    "\u0620-\u065f\u0670-\u06d3\u06d5-\u06ff",  # Arabic, without its punctuation and digits
    "\u0900-\u0963\u0971-\u097f",  # Devanagari, without danda and digits
    "\u0980-\u0982\u0985-\u09ff",  # Bengali, without visarga, which stands for a colon
    "\u0e00-\u0e7f",  # Thai
    "\u3131-\u318e\uac00-\ud7a3",  # Hangul
    "\u30a1-\u30fa\u30fc-\u30ff",  # Katakana
)
_HAN = "\u3400-\u9fff"
_COPULA = "(?=입니다|이에요|예요|이다|번)|"
_READ_AS = {"no": "nb", "nn": "nb", "bs": "hr"}
"""Languages that are read by the table of a near one."""
_ALIKE = ("ABCEHKMOPTX", "АВСЕНКМОРТХ", "ΑΒϹΕΗΚΜΟΡΤΧ")
"""Capitals that cannot be told apart on paper, in Latin, Cyrillic and Greek."""


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language of ``words.toml``, which says what each field is for."""

    question: tuple[str, ...] = ()
    cue: tuple[str, ...] = ()
    glue: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    or_: tuple[str, ...] = msgspec.field(default=(), name="or")
    doubt: tuple[str, ...] = ()
    retract: tuple[str, ...] = ()
    noun: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    refuse: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()


class Grammar:
    """The patterns of one language with those of English; each attribute is named after its field in ``words.toml``."""

    def __init__(self, lang: str) -> None:
        own, english = words(lang), words("en")

        def both(field: str, *more: str) -> str:
            return _any({*getattr(own, field), *getattr(english, field), *more}, lang)

        end = r"(?=[\s:.]|$)"
        self.question = re.compile(rf"\n[\s*#]*(?:{both('question')})\s*\d*\s*[:*]")
        self.cue = re.compile(both("cue", "\\boxed", "\\fbox"))
        counted = (*own.label, *own.noun, *english.label, *english.noun)
        glue = sorted((w for w in {*own.glue, *english.glue, *counted} if len(w) > 1 or _UNSPACED.match(w)), key=len, reverse=True)
        self.glue = re.compile(rf"(?:{MARKS}|\\[a-z]+|\\[(\[]|{_any(glue, lang, left=False)})*+")
        self.articles = frozenset(w for w in own.glue if len(w) == 1 and not _UNSPACED.match(w))
        self.lead = re.compile(both("lead"))
        self.label = re.compile(rf"(?:{both('label')})\s*$")
        self.opening = re.compile(rf"(?:{MARKS}|>|•|(?:{_any({*own.label, *english.label}, lang)}){end})*+")
        self.right = re.compile(rf"[\s*_)\]\"'.»」』|]*(?:{both('right')})")
        self.because = re.compile(rf"\s*[,;–—-]*\s*(?:{both('because')}|[–—]\s|-\s)")
        self.denied = re.compile(rf"[,;]\s*(?:{both('before')})")
        self.before = re.compile(rf"(?:{both('before')})(?:\s+(?!(?:{both('but')})(?!\w))[\w'\"*(]+){{0,2}}[\s\"'*(\[]*$")
        asked, apart = rf"[\"'»」』]?\?\s*(?:{both('before')})", rf"[\s*_)\]]*[:–—-][\s*_(]*(?:{both('wrong')})"
        self.after = re.compile(rf"[\s*_)\]\"'.»」』|]{{0,4}}(?:{both('after')})|{asked}|{apart}")
        self.but = re.compile(both("but"))
        self.join = re.compile(rf"[ \t*_)\]\"'$}}.]*(?:[,/&+、،]|{both('or_')})+[\s*_(\[\"'${{,]*(?:{both('or_')})?[\s*_(\[\"'${{]*")
        self.doubt = re.compile(both("doubt"))
        self.retract = re.compile(both("retract"))
        self.unknown = re.compile(both("unknown"))
        self.refuse = re.compile(both("refuse"))
        self.words, self.titles = frozenset({*own.words, *english.words}), frozenset(own.titles)
        self.prefixed = frozenset(own.words) if own is not english else frozenset[str]()


class Letters:
    """The letters that may name an option, in every alphabet shown or likely: each stands for a position.

    ``other`` holds the second meaning of a letter of two alphabets (В: it looks like B, and is the third of Russian).
    """

    def __init__(self, alphabets: Sequence[Sequence[str]], options: int) -> None:
        places: dict[str, int] = {}
        self.other: dict[str, int] = {}
        for number, alphabet in enumerate(alphabets):
            shown = {fold(letter): place for place, letter in enumerate(alphabet[:options])}
            for letter, place in {**shown, **(_lookalikes(shown) if number == 0 else {})}.items():
                if places.setdefault(letter, place) != place:
                    self.other.setdefault(letter, place)
        self.places = {**{k.lower(): v for k, v in places.items() if len(k) == 1}, **places}
        self.pattern = re.compile(_standing(self.places) or r"(?!)")


def base(lang: str) -> str:
    """The language of a tag, without script and region: pt of pt-BR."""
    return lang.replace("_", "-").partition("-")[0].lower()


@cache
def grammar(lang: str) -> Grammar:
    return Grammar(lang)


@cache
def letters(alphabets: tuple[tuple[str, ...], ...], options: int) -> Letters:
    return Letters(alphabets, options)


@cache
def words(lang: str) -> Words:
    """The words of a language, or of the tag before its hyphen; none for a language that the table does not know."""
    table = _tables()
    return table.get(lang) or table.get(_READ_AS.get(base(lang), base(lang))) or Words()


@cache
def native(lang: str) -> tuple[str, ...]:
    """The letters that a language has of its own, () where there are none or none are known."""
    own = words(lang).letters or (wording(lang).native if base(lang) in {tag.partition("-")[0] for tag in languages()} else ())
    return () if own[:1] == ("A",) else own


@cache
def _tables() -> dict[str, Words]:
    return msgspec.toml.decode(_TABLE.read_bytes(), type=dict[str, Words])


def _any(phrases: Iterable[str], lang: str, *, left: bool = True) -> str:
    """One pattern for any of some phrases, the longest first, each at the edges of words where its script has words.

    Phrases of one first sign stand together behind it, so that a search leaps from one such sign to the next.
    """
    made = sorted({lower(fold(phrase, lang), lang) for phrase in phrases}, key=lambda p: (bool(_UNSPACED.match(p[-1])), -len(p), p))
    groups: dict[tuple[str, str], list[str]] = {}
    for phrase in made:
        first = re.escape(phrase[0])
        edge = rf"(?<!\w{first})" if left and not _UNSPACED.match(phrase[-1]) else ""
        groups.setdefault((first, edge), []).append(_rest(phrase))
    branches = [f"{first}{edge}(?:{'|'.join(rests)})" for (first, edge), rests in groups.items()]
    return "(?:" + ("|".join(branches) or "(?!)") + ")"


def _rest(phrase: str) -> str:
    """A phrase behind its first sign."""
    body = re.escape(phrase[1:]).replace(r"\ \*\ ", r"\b[^.!?。\n]{0,40}?\b").replace(r"\ ", r"\s+")
    return body + (r"(?!\w)" if phrase[-1].isalnum() and len(phrase) < 12 and not _UNSPACED.match(phrase[-1]) else "")


def _lookalikes(shown: dict[str, int]) -> dict[str, int]:
    """Letters of other scripts that look like a letter shown: a Cyrillic В where A, B, C, D stood is a B."""
    alike: dict[str, int] = {}
    for rows in zip(*_ALIKE, strict=True):
        for letter in rows:
            if letter in shown:
                alike.update(dict.fromkeys(rows, shown[letter]))
    return alike


def _standing(places: Iterable[str]) -> str:
    """A pattern for letters that stand alone: no part of a word, of an abbreviation, of a compound or of a measure."""
    groups: dict[str, list[str]] = {}
    for letter in places:
        block = next((b for b in (_LATIN, *_BLOCKS, _HAN) if re.match(f"[{b}]", letter)), "")
        groups.setdefault(block, []).append(letter)
    # First one sign of any alphabet, for which a search leaps over all others; then what its own script asks.
    first = "".join(sorted({letter[0] for found in groups.values() for letter in found}))
    made = [_block(block, sorted(found, key=len, reverse=True)) for block, found in groups.items()]
    return f"[{re.escape(first)}](?:{'|'.join(made)})" if made else ""


def _block(block: str, found: list[str]) -> str:
    """The letters of one script, behind the first sign of one: what may not stand before it, the rest of it, what may not follow."""
    one = f"(?<=[{''.join(f[0] for f in found)}])"
    rest = "(?:" + "|".join(f"(?<={f[0]}){re.escape(f[1:])}" for f in found) + ")" if len(found[0]) > 1 else ""
    if block in (_LATIN, _GREEK, _CYRILLIC):
        before = rf"(?<![{block}0-9°].)(?<![{block}]'.)(?<![{block}0-9]-.)(?<![{block}]\..)(?<!\b[{block}]\. .)(?<!\d .)"
        after = rf"(?![{block}0-9+#°])(?!'(?!d[iıuü]r\b)[{block}])(?!-[{block}0-9])(?!\.[{block}])(?!\.\s[{block}]\.)"  # Turkish: C'dir
        return rf"{one}{before}{rest}{after}"
    if block == _HAN:
        return rf"{one}{rest}(?![{_HAN}])"
    copula = _COPULA if "\uac00" in block else ""
    return rf"{one}(?<![{block}].){rest}(?:{copula}(?![{block}]))" if block else one + rest
