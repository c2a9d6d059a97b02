"""The words with which judges give scores, by language, and the plain text that is searched for them.

In: ``data/judging/LANG.toml``. Out: alternatives for patterns. The one thing to know: the words of a language are read together with
those of English, in which many models answer whatever they are asked in; another language is another file.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent.parent / "data" / "judging"
NOTHING = r"(?!)"
_NAMES = "think|thinking|thought|reasoning|reflection"
_THOUGHT = re.compile(rf"(?s)<({_NAMES})>.*?</\1>|\[THINK\].*?\[/THINK\]|<\|channel\|>analysis.*?<\|end\|>")
_CLOSE = re.compile(rf"(?s)^.*(?:</(?:{_NAMES})>|\[/THINK\])")
_OPEN = re.compile(rf"(?s)(?:<(?:{_NAMES})>|\[THINK\]|<\|channel\|>analysis).*$")
_TAGS = re.compile(r"<\|\w+\|>(?:assistant|final)?|</?(?:s|b|strong|em|code|span|p|br)\s*/?>|<end_of_turn>|<eos>")
_SAME = str.maketrans({"_": " ", "’": "'", "\u00a0": " ", "\u202f": " "})
_MARKUP = re.compile(r"\\(?:boxed|text|mathbf|textbf)\b|[*`#$\"{}“”«»\\]|[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


class Vocabulary(msgspec.Struct, frozen=True):
    """Alternatives of a pattern, longest first; ``NOTHING`` where a language has no such word."""

    cues: str
    verbs: str
    told: str
    after: str
    links: str
    out_of: str
    ranges: str
    either: str
    denied: str
    unless: str
    would: str
    because: str
    so: str
    units: str
    one: str
    counted: str
    between: tuple[tuple[str, str], ...]
    numbers: dict[str, int]

    def spelt(self, scale: tuple[int, int]) -> str:
        """Number words of a scale, without those for one, which are articles in many languages."""
        one = self.one.split("|")
        return alternatives(w for w, n in self.numbers.items() if scale[0] <= n <= scale[1] and re.escape(w) not in one)

    def betweens(self, low: int, high: int) -> str:
        """A scale said in words: "between 1 and 5"."""
        pairs = (rf"(?<!\w){re.escape(a)}\s+{low}\s+{re.escape(b)}\s+{high}(?!\d)" for a, b in self.between)
        return "|".join(pairs) or NOTHING

    def value(self, said: str) -> float | None:
        """A number in digits or in words."""
        low = said.casefold()
        if low in self.numbers:
            return self.numbers[low]
        if low in (re.sub(r"\\(.)", r"\1", w) for w in self.one.split("|")):
            return 1
        try:
            return float(said.replace(",", "."))
        except ValueError:
            return None


def languages() -> list[str]:
    """The languages that there are words for."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def vocabulary(lang: str) -> Vocabulary:
    """The words of a language, by its BCP 47 tag or the first part of it, and of English."""
    base = lang.partition("-")[0].lower()
    names = [name for name in dict.fromkeys([base, "en"]) if name in languages()]
    files = [tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")) for name in names]
    plainly = files[0].keys() - {"between", "numbers", "or", "not"}
    lists = {key: alternatives(word for file in files for word in file[key]) for key in plainly}
    return Vocabulary(
        **lists,
        either=alternatives(word for file in files for word in file["or"]),
        denied=alternatives(word for file in files for word in file["not"]),
        between=tuple((a, b) for file in files for a, b in file["between"]),
        numbers={word: n for file in reversed(files) for n, word in enumerate(file["numbers"])},
    )  # fmt: skip


def alternatives(words: Iterable[str]) -> str:
    return "|".join(sorted({re.escape(w) for w in words}, key=lambda w: (-len(w), w))) or NOTHING


def plain(text: str) -> str:
    """A reply without what was thought before it and without its markup; digits of every script are ASCII."""
    said = _TAGS.sub("", _OPEN.sub("", _CLOSE.sub("", _THOUGHT.sub("", text))))
    said = _MARKUP.sub("", unicodedata.normalize("NFC", said)).translate(_SAME)
    return "".join(map(_ascii, said)).strip()


def _ascii(sign: str) -> str:
    if sign.isascii():
        return sign
    digit = unicodedata.decimal(sign, None)
    return str(digit) if digit is not None else {"：": ":", "／": "/", "＝": "="}.get(sign, sign)
