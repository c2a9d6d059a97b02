"""Checks of the answer: one, short, of the kind that is asked for, and not given away; and its variants.

In: a view. Out: findings. The one thing to know: a comma or an "and" in an answer is a list only where what it parts is short and no
name, so "Grândola, Vila Morena" is one answer. Paper: Tuguesice, guidelines L2 (a single item), L5 and D2.
"""

import re
from collections.abc import Iterator

from .check_text import bare, words
from .writing_view import TOKEN, Check, Finding, View
from .writing_words import Words

_COMMA = re.compile(r"\s*(?:,(?!\d)|;|•|\n|\s/\s)\s*")
_YEAR = re.compile(r"\b\d{3,4}\b")


def answer_list(view: View) -> Iterator[Finding]:
    """Three items or more, or two small ones; two are a warning."""
    answer = view.text.answer
    joined = view.words.pattern("and")
    parts = [p for p in _COMMA.split(answer) if p]
    pair = bool(joined and joined.search(view.text.low_answer)) and not _number(view)
    small = any(not p[:1].isupper() for p in parts) if len(parts) > 1 else not any(w[:1].isupper() for w in answer.split()[1:])
    if len(parts) + pair > 2:
        yield Finding(answer, "error")
    elif small and (len(parts) > 1 or pair):
        yield Finding(answer)


def _number(view: View) -> bool:
    """Whether the answer begins with a number written out, as vinte e cinco."""
    return bool(view.text.bare_answer) and view.text.bare_answer[0] in view.words.numbers


def answer_length(view: View) -> Iterator[Finding]:
    """An answer of many words."""
    count = len(view.text.bare_answer)
    if count > view.limit("answer-length", "words"):
        yield Finding(str(count), "error" if count > view.limit("answer-length", "most") else None)


def answer_more(view: View) -> Iterator[Finding]:
    """A whole sentence, or a remark in brackets, where the bare answer would do."""
    bracket = re.search(r"[(\[].*?[)\]]", view.text.answer)
    found = bracket[0] if bracket else view.words.search("sentence", view.text.low_answer)
    if found:
        yield Finding(found)


def answer_inside(view: View) -> Iterator[Finding]:
    """All words of the answer but the small ones are in the question already; a word with a hyphen is one."""
    small, stem = view.words.bag("small"), {bare(token).lower() for token in view.text.tokens}
    said = [word for word in map(str.lower, map(bare, TOKEN.findall(view.text.answer))) if word not in small]
    if any(len(word) > 2 or word.isdigit() for word in said) and all(word in stem for word in said):
        yield Finding(view.text.answer)


def answer_kind(view: View) -> Iterator[Finding]:
    """A year, a number or a person is asked, and the answer is none."""
    text, said = view.text, view.words
    digits = any(c.isdigit() for c in text.answer)
    fits = {
        "asks_year": bool(_YEAR.search(text.answer)),
        "asks_number": digits or any(w in said.numbers or w in said.bag("amounts") for w in text.bare_answer),
        "asks_person": not text.answer.replace(" ", "").isdigit(),
    }
    if text.answer and any(said.search(asked, text.own) and not right for asked, right in fits.items()):
        yield Finding(text.answer)


def variants(view: View) -> Iterator[Finding]:
    """Other ways to write the answer that are not accepted yet."""
    held = {_key(a) for a in view.text.answers}
    found = [v for v in dict.fromkeys(_variants(view.text.answer, view.words)) if _key(v) not in held] if view.text.answer else []
    if found:
        yield Finding(", ".join(found))


def _key(text: str) -> str:
    return " ".join(text.lower().split())


def _variants(answer: str, said: Words) -> Iterator[str]:
    """Digits for words and words for digits, without the article, with a blank for a hyphen, and what the language holds for equal."""
    spelled = {n: word for word, n in reversed(list(said.lists.numbers.items()))}
    head, _, rest = answer.partition(" ")
    if answer.isdigit() and int(answer) in spelled:
        yield spelled[int(answer)]
    if (key := " ".join(words(answer))) in said.numbers:
        yield str(said.numbers[key])
    if rest and head.isdigit() and int(head) in spelled and int(head) <= 31:
        yield f"{spelled[int(head)]} {rest}"
    if rest and _key(head) in {_key(a) for a in said.lists.words.get("articles", ())}:
        yield rest
    if re.fullmatch(r"[^\W\d]+(?:-[^\W\d]+)+", answer):
        yield answer.replace("-", " ")
    for group in said.lists.same:
        for one in group:
            if head.lower().rstrip(".") == one.lower().rstrip(".") and rest:
                yield from (f"{other} {rest}" for other in group if other != one)


CHECKS: dict[str, Check] = {
    "answer-list": answer_list, "answer-length": answer_length, "answer-more": answer_more, "answer-inside": answer_inside,
    "answer-kind": answer_kind, "variants": variants,
}  # fmt: skip
