"""Which word of its own a translation model knows a language by, found in its tokenizer's vocabulary.

In: a tokenizer and two languages (BCP 47). Out: the code of the source, the token that the decoder is made to begin with, or what is
written before the text. The one thing to know: nothing is assumed of a model's family: NLLB (``hin_Deva``), M2M-100 (``__hi__``), mBART
(``hi_IN``), OPUS (``>>hin<<``) and MADLAD (``<2hi>``) are told apart by what stands in the vocabulary; a model that knows other languages
and not this one is an error, and a bilingual model is held to the two languages that its tokenizer names.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import InputError
from .translating import Pair, primary

FLORES = Path(__file__).parent.parent / "data" / "translate" / "flores.toml"
_MARK = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}|__[a-z]{2,3}__|[a-z]{2}_[A-Z]{2}|>>[\w-]+<<|<2[\w-]+>")


class Marks(NamedTuple):
    """``source`` is what the tokenizer is told, ``first`` the decoder's first token, ``prefix`` what stands before a text; "": nothing."""

    source: str = ""
    first: str = ""
    prefix: str = ""


@lru_cache(1)
def flores() -> Mapping[str, str]:
    """BCP 47 → FLORES-200."""
    return msgspec.toml.decode(FLORES.read_bytes(), type=dict[str, dict[str, str]])["codes"]


def marks(tokenizer: Any, languages: Pair, codes: Mapping[str, str]) -> Marks:
    """How a model is told the languages. ``codes``: BCP 47 → the model's own word, before all others. Raises InputError."""
    known = tokenizer.get_vocab()
    target = _found(languages.target, known, codes)
    if not target:
        _bilingual(tokenizer, languages, known)
        return Marks()
    if target.startswith((">>", "<2")):
        return Marks(prefix=f"{target} ")
    source = _found(languages.source, known, codes)
    if not source:
        raise InputError(f"the model knows no language {languages.source!r}; name its own word for it by codes")
    return Marks(source=source.strip("_"), first=target)


def _found(tag: str, known: Mapping[str, int], codes: Mapping[str, str]) -> str:
    if tag in codes and codes[tag] not in known:
        raise InputError(f"codes: {codes[tag]!r} for {tag!r} is no token of the model")
    return codes.get(tag) or next((word for word in _words(tag, known) if word in known), "")


def _words(tag: str, known: Mapping[str, int]) -> Iterator[str]:
    """What families of models call a language, the most exact first."""
    short = primary(tag)
    long = flores().get(tag) or flores().get(short, "")
    if long:
        yield long
    yield f"__{short}__"
    region = {"zh": "CN", "en": "XX"}.get(short, tag.rpartition("-")[2].upper())
    yield f"{short}_{region}"
    yield from sorted(word for word in known if re.fullmatch(rf"{re.escape(short)}_[A-Z]{{2}}", word))
    yield from (f">>{word}<<" for word in (tag, short, long, long[:3]) if word)
    yield from (f"<2{word}>" for word in (tag, short))


def _bilingual(tokenizer: Any, languages: Pair, known: Mapping[str, int]) -> None:
    """Raise InputError where a model without a word for the target knows others, or says that it translates something else."""
    if others := sorted(word for word in known if _MARK.fullmatch(word)):
        shown = ", ".join(others[:8]) + (", …" if len(others) > 8 else "")
        raise InputError(f"the model knows no language {languages.target!r}; it knows {shown}; name its own word for it by codes")
    for side, tag in (("source", languages.source), ("target", languages.target)):
        own = getattr(tokenizer, f"{side}_lang", None)
        if isinstance(own, str) and own and primary(own.replace("_", "-")) != primary(tag):
            raise InputError(f"the model's {side} language is {own!r}, and the prompt's is {tag!r}")
