"""Items of one language in, the same items in other languages out: by labels where they exist, a glossary, and anybody who translates.

In: items, and if a recipe names them sources with labels; a file of areas, a glossary. Out: prompts; of the replies, items; and with
``rejected`` a reason for every translation that is none: translations asked for = items + rejected. The one thing to know: options keep
their order and gold its position, whoever translates, and ``meta`` says of every string how it was made: ``label``, ``glossary``,
``kept`` (a number, or a text that came out as it was), ``transliteration`` (the model says so), ``mt``, ``model`` or ``people``.

Paper: XNationQA, section 3 (expansion to other languages: one template and one set of options in all of them).
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import InputError
from ..models import translating
from ..records import Accept, Item, Judgment, Message, Prompt, Response, Source
from . import translate_check as check
from .compose_json import Reject
from .translate_page import page, parts
from .translate_page import read as read_wording
from .translate_reply import Reply, made_by, reply_of
from .translate_terms import Terms

VERSION = "1"
TOKENS = 64
"""Tokens that each text of a question may take in a reply, beyond twice its length in characters."""
Form = Literal["json", "text"]
Asked = tuple[str, str, str]
"""Model, item, language."""


def write(items: Iterable[Item], sources: Iterable[Source] = (), *, langs: tuple[str, ...], form: Form = "json",
          glossary: Path | None = None, areas: Path | None = None, file: Path | None = None) -> Iterator[Prompt]:  # fmt: skip
    """Ask for every item in every language of ``langs`` (BCP 47).

    ``form``: "json" for a language model, one prompt an item and language; "text" for an engine (``mt/…``, ``deepl/…``, ``google/…``) or
    for people, one prompt a text that is not known already. ``areas``: a file of areas with labels; ``file``: other words for a model.
    Raises InputError for items of several languages or a target that is their own, TableError for a bad file.
    """
    every = list(items)
    source = _language(every, langs)
    terms, wording = Terms(source, sources, glossary, areas), read_wording(file)
    for item in every:
        for lang in langs:
            if form == "text":
                yield from _texts(item, lang, terms)
                continue
            texts = parts(item)
            whole = "\n".join(texts)
            fixed = (terms.names_in(whole, item, lang), terms.terms_in(whole, lang))
            turns = (Message(role="user", content=page(item, lang, wording, fixed)),)
            room = sum(TOKENS + 2 * len(text) for text in texts)
            yield Prompt(item=item.id, messages=turns, method=f"translate:{lang}", max_tokens=room)


def _texts(item: Item, lang: str, terms: Terms) -> Iterator[Prompt]:
    for n, text in enumerate(parts(item)):
        if terms.fixed(text, item, lang) is None or n == 0:
            turns = translating.turns(text, item.lang, lang)
            yield Prompt(item=item.id, messages=turns, method=f"translate:{lang}:{n}", max_tokens=TOKENS + 2 * len(text))


def _language(items: list[Item], langs: tuple[str, ...]) -> str:
    """The one language of the items."""
    found = sorted({item.lang for item in items})
    if len(found) != 1 or not found[0]:
        there = ", ".join(map(repr, found)) or "no language"
        raise InputError(f"items: are in {there}; they are translated from one language, and have to say which")
    if not langs or found[0] in langs or len(set(langs)) < len(langs):
        raise InputError(f"langs: {', '.join(langs) or 'is empty'}; name languages other than that of the items, {found[0]}, each once")
    return found[0]


def read(responses: Iterable[Response], prompts: Iterable[Prompt], items: Iterable[Item], sources: Iterable[Source] = (), *,
         glossary: Path | None = None, areas: Path | None = None, originals: bool = False) -> Iterator[Item]:  # fmt: skip
    """Every translation that is an item, in the order of the replies. The settings are those of ``write``.

    ``originals``: put the items that were translated first, so that the table is the whole parallel benchmark; one without a
    ``parallel`` gets its own id for it, as its translations do.
    """
    every = {item.id: item for item in items}
    if originals:
        yield from (msgspec.structs.replace(item, parallel=item.parallel or item.id) for item in every.values())
    found = _candidates(responses, prompts, every, _terms(every, sources, glossary, areas))
    yield from (made for made in found if isinstance(made, Item))


def rejected(said: Iterable[Response], asked: Iterable[Prompt], items: Iterable[Item], sources: Iterable[Source] = (), *,
             glossary: Path | None = None, areas: Path | None = None) -> Iterator[Judgment]:  # fmt: skip
    """Every translation that is no item, with its reason (``criterion``); the tables and settings are those of ``read``.

    Reasons: failed, refused, truncated, malformed, missing, fields, options, equal, placeholder, number, glossary, untranslated,
    duplicate. ``item`` names the translation: ``ITEM in LANG of MODEL``.
    """
    every = {item.id: item for item in items}
    found = _candidates(said, asked, every, _terms(every, sources, glossary, areas))
    yield from (made for made in found if isinstance(made, Judgment))


def _terms(items: Mapping[str, Item], sources: Iterable[Source], glossary: Path | None, areas: Path | None) -> Terms:
    return Terms(next((item.lang for item in items.values()), ""), sources, glossary, areas)


def _candidates(responses: Iterable[Response], prompts: Iterable[Prompt], items: Mapping[str, Item],
                terms: Terms) -> Iterator[Item | Judgment]:  # fmt: skip
    """Every translation that was asked for, as what it became."""
    seen: dict[str, str] = {}
    for (model, of, lang), replies in _gathered(responses, prompts):
        if of not in items:
            raise InputError(f"items: {of} was to be translated and is not among them; name the table that the prompts were made of")
        name = f"{of} in {lang} of {model}"
        try:
            made = _item(items[of], lang, model, reply_of(items[of], lang, replies, terms))
            if made.id in seen:
                raise Reject("duplicate", f"is word for word {seen[made.id]}")
        except Reject as reason:
            judge, note = f"check/{reason.reason}", reason.note
            yield Judgment(item=name, judge=judge, criterion=reason.reason, value="error", guideline="translate/1", note=note)
            continue
        seen[made.id] = name
        yield made


def _gathered(responses: Iterable[Response], prompts: Iterable[Prompt]) -> Iterator[tuple[Asked, dict[str, Response | None]]]:
    """Replies by model, item and language: the text that was asked for ("" for all of them) → its response, None where none came."""
    asked: dict[str, Asked] = {}
    slots: dict[tuple[str, str], dict[str, Response | None]] = {}
    for prompt in prompts:
        _, lang, part = (*prompt.method.split(":"), "")[:3]
        asked[prompt.id] = (prompt.item, lang, part)
        slots.setdefault((prompt.item, lang), {})[part] = None
    found: dict[Asked, dict[str, Response | None]] = {}
    for response in responses:
        of, lang, part = asked[response.prompt]
        found.setdefault((response.model, of, lang), dict(slots[of, lang]))[part] = response
    yield from found.items()


def _item(item: Item, lang: str, model: str, reply: Reply) -> Item:
    """A translated item, once it is held to its original."""
    before, after = parts(item), list(reply.texts)
    free = [n for n in range(len(before)) if not reply.made[n]]
    check.hold([before[0], *(before[n] for n in free if n)], [after[0], *(after[n] for n in free if n)])
    if item.kind == "choice":
        check.distinct(after[1:])
    for n in free:
        check.terms(after[n], reply.terms[n])
    made = [how or made_by(model, before[n], after[n], reply) for n, how in enumerate(reply.made)]
    told: dict[str, str] = {"made.stem": made[0], "made.options" if item.kind == "choice" else "made.accept": " ".join(made[1:])}
    if reply.spelt:
        told["transliterated"] = "; ".join(reply.spelt)
    texts: dict[str, Any] = {"options": tuple(after[1:])}
    if item.kind == "open":
        texts = {"accept": tuple(Accept(text=text, weight=a.weight) for text, a in zip(after[1:], item.accept, strict=True))}
    return msgspec.structs.replace(
        item, stem=after[0], **texts, lang=lang, prompt="", parallel=item.parallel or item.id, parent=item.id, maker=model,
        meta={**item.meta, **told},
    )  # fmt: skip
