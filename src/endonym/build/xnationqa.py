"""The published files of XNationQA in, one item for each question out: entity × template × language.

In: the folder of files ``DOMAIN_qa_COUNTRY.json`` (36 in the published set, 1,760 entries, 49,280 questions). Out: items whose
``prompt`` is the question word for word as published, zero-width characters and wrong cues included; stem, options and gold are
read from it. The one thing to know: the key is never trusted alone. The letter at the end of ``prompt_ans`` names the gold; its
text must stand at that letter in the prompt. Where they disagree there are two golds, and the question is a fault, not a guess
(in the published files they agree 49,280 times). Where the gold's text stands at two letters, the letter decides.

Paper: XNationQA (papers/xnationqa.md), section 3.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ..errors import StorageError, TableError, UnknownName
from ..records import Item
from .lines import Fault, content, folder, malformed, sentence, tell

LANGUAGES = {"English": "en", "Hindi": "hi", "Spanish": "es", "Japanese": "ja", "Mandarin": "zh", "Russian": "ru", "German": "de"}
COUNTRIES = {
    "china": "CN", "germany": "DE", "india": "IN", "japan": "JP", "mexico": "MX", "russia": "RU", "spain": "ES", "uk": "GB", "us": "US",
}  # fmt: skip
DOMAINS = {"leader": "leader", "monuments": "monument", "national_park": "park", "war": "war"}
"""The files' word → the topic. A question on leaders asks the year of birth, on wars the first year, on the others the place."""
CUES = {"en": "Answer", "hi": "उत्तर", "es": "Respuesta", "ja": "答え", "zh": "答案", "ru": "Ответ", "de": "Antwort"}
LETTERS = "ABCD"
ZERO_WIDTH = "\u200b\u2060\ufeff"
"""Characters that no reader sees. The joiners U+200C and U+200D are not among them: Hindi is written with them."""

_FILES = "the files DOMAIN_qa_COUNTRY.json"
_PREFIX = re.compile(r"\s*(?:Question|Frage|Pregunta|Вопрос|प्रश्न|问题|问|質問)\s*[:：]\s*")
_OPTION = re.compile(r"\s*([A-ZＡ-Ｚ])\s*[.．)）、:：]\s*(.*?)\s*")
_INVISIBLE = str.maketrans("", "", ZERO_WIDTH)


class _Entry(msgspec.Struct):
    """One entry of a file; fields that make no question (the wiki page, the entity's translations) are not read."""

    id: str
    entity: str
    answer: str | list[str]
    prompts: dict[str, msgspec.Raw]
    prompt_ans: dict[str, msgspec.Raw]


class _Place(msgspec.Struct):
    """Where an entry stands: what its questions inherit from the file and from its place in it."""

    file: Path
    domain: str
    country: str
    number: int
    id: str = ""
    time: int = 1

    @property
    def said(self) -> str:
        return f"{self.file}: entry {self.number}" + (f" (id {self.id})" if self.id else "")

    @property
    def entity(self) -> str:
        """Ids repeat across files and, once in the published set, within one: the second is told apart by ``#2``."""
        return f"{DOMAINS[self.domain]}/{self.country}/{self.id}" + (f"#{self.time}" if self.time > 1 else "")


def xnationqa(path: str | Path, *, skipped: list[str] | None = None) -> Iterator[Item]:
    """Read every question of a folder of XNationQA's files, file by file in the order of their names.

    Each item has ``lang``, ``place``, ``topic`` (leader, monument, park, war), ``template`` ("1" to "4"), ``entity`` (one for each
    entry, so an entity that stands twice in a file is two) and ``parallel`` (shared by the translations); ``meta`` has ``domain``
    (the topic), ``country`` (the file's word) and ``entity_name`` (the English name). Exact copies of a question are two items
    of one id. A fault raises ``TableError`` ("FILE: entry N (id …): field: what", N from 1); with ``skipped`` the sentence is
    appended and everything else is read: of a file that is no JSON nothing, of an entry without its fields nothing, else
    only the language or the question is left out. Raises ``InputError`` for a file in place of a folder, or a folder without data.
    """
    for file in _files(folder(path, _FILES)):
        domain, country = _named(file)
        yield from _questions(file, domain, country, skipped)


def _files(where: Path) -> list[Path]:
    try:
        there = sorted(where.iterdir())
    except OSError as error:
        raise StorageError(f"{where}: cannot be read: {error.strerror}") from error
    files = [file for file in there if file.match("*_qa_*.json")]
    if not files:
        raise TableError(f"{where}: holds none of {_FILES}; there are {len(there)} other entries in it")
    return files


def _named(file: Path) -> tuple[str, str]:
    """The domain and the country in a file's name. An unknown one is an error: a file is never left out in silence."""
    domain, _, country = file.stem.partition("_qa_")
    for kind, name, known in (("domain", domain, DOMAINS), ("country", country, COUNTRIES)):
        if name not in known:
            raise TableError(f"{file}: {UnknownName(f'{kind} of XNationQA', name, known)}")
    return domain, country


def _questions(file: Path, domain: str, country: str, skipped: list[str] | None) -> Iterator[Item]:
    times: Counter[str] = Counter()
    entries: list[tuple[_Entry, _Place]] = []
    for number, raw in enumerate(_entries(file, skipped), 1):
        place = _Place(file, domain, country, number)
        try:
            entry = msgspec.json.decode(raw, type=_Entry)
        except msgspec.DecodeError as error:
            place.id = _id(raw)
            tell(f"{place.said}: {sentence(error)}", skipped)
            continue
        times[entry.id] += 1
        place.id, place.time = entry.id, times[entry.id]
        entries.append((entry, place))
    languages, templates = _shape([entry for entry, _ in entries])
    for entry, place in entries:
        yield from _entry(entry, place, languages, templates, skipped)


def _shape(entries: list[_Entry]) -> tuple[list[str], int]:
    """The languages and the number of templates a file has, taken from all its entries: what lacks some of them is ragged."""
    tables = [(name, msgspec.json.decode(raw)) for entry in entries for name, raw in entry.prompts.items()]
    names = {name for name, _ in tables}
    return [name for name in LANGUAGES if name in names], max((len(table) for _, table in tables if isinstance(table, list)), default=0)


def _entries(file: Path, skipped: list[str] | None) -> list[msgspec.Raw]:
    """The entries of one file, undecoded, so that a fault in one does not cost the others."""
    data = b""
    try:
        data = content(file)
        entries = msgspec.json.decode(data, type=list[msgspec.Raw])
        if not entries:
            raise Fault("holds no entry")
        return entries
    except msgspec.DecodeError as error:
        tell(f"{file}: {malformed(error, data)}; nothing of this file was read", skipped)
    except Fault as error:
        tell(f"{file}: {error}; nothing of this file was read", skipped)
    return []


def _id(raw: msgspec.Raw) -> str:
    """The id of an entry that may be broken, for its error."""
    entry = msgspec.json.decode(raw)
    return str(entry.get("id", "")) if isinstance(entry, dict) else ""


def _entry(entry: _Entry, place: _Place, languages: list[str], templates: int, skipped: list[str] | None) -> Iterator[Item]:
    """The questions of one entry, with the languages and the number of templates that its file has."""
    if not entry.prompts:
        tell(f"{place.said}: prompts: is empty", skipped)
        return
    for language in [*languages, *(name for name in entry.prompts if name not in languages)]:
        try:
            prompts, gold = _language(entry, language)
            if len(prompts) != templates:
                raise Fault(f"prompts.{language}: {len(prompts)} prompts, expected {templates} as elsewhere in the file")
        except ValueError as error:
            tell(f"{place.said}: {error}", skipped)
            continue
        for template, prompt in enumerate(prompts):
            try:
                yield _item(entry, place, (language, template), prompt, gold)
            except ValueError as error:
                tell(f"{place.said}: prompts.{language}[{template}]: {error}", skipped)


def _language(entry: _Entry, language: str) -> tuple[list[str], tuple[int, str]]:
    """The prompts of one language, and the gold: its place, and its text to be checked against every prompt."""
    if language not in LANGUAGES:
        raise Fault(f"prompts.{language}: {UnknownName('language of XNationQA', language, LANGUAGES)}")
    for field, table in (("prompts", entry.prompts), ("prompt_ans", entry.prompt_ans)):
        if language not in table:
            raise Fault(f"{field}.{language}: is missing")
    prompts = _texts(entry.prompts[language], f"prompts.{language}")
    field = f"prompt_ans.{language}"
    text, letter = _gold(_texts(entry.prompt_ans[language], field), field)
    answers = [entry.answer] if isinstance(entry.answer, str) else entry.answer
    if language == "English" and text not in answers:
        raise Fault(f"{field}: {text!r} is not in answer, {entry.answer!r}")
    return prompts, (letter, text)


def _texts(raw: msgspec.Raw, field: str) -> list[str]:
    try:
        texts = msgspec.json.decode(raw, type=list[str])
    except msgspec.DecodeError as error:
        said = sentence(error)
        raise Fault(f"{field}{said}" if said.startswith("[") else f"{field}: {said}") from error
    if not texts:
        raise Fault(f"{field}: is empty")
    return texts


def _gold(answers: list[str], field: str) -> tuple[str, int]:
    """Text and place of the gold from [text, "C. text", "C."], or [text, English text, "C. English text", "C."] for places."""
    if len(answers) not in (3, 4):
        raise Fault(f"{field}: {len(answers)} answers, expected [text, 'C. text', 'C.'] or [text, English text, 'C. English text', 'C.']")
    text, letter = answers[0], unicodedata.normalize("NFKC", answers[-1]).strip().rstrip(".")
    if len(letter) != 1 or letter not in LETTERS:
        raise Fault(f"{field}: {answers[-1]!r} is no letter of {', '.join(LETTERS)}")
    lettered = _OPTION.fullmatch(answers[-2])
    if not lettered or unicodedata.normalize("NFKC", lettered[1]) != letter or _plain(lettered[2]) != _plain(answers[-3]):
        raise Fault(f"{field}: two golds, {answers[-2]!r} against {answers[-1]!r} {answers[-3]!r}")
    return text, LETTERS.index(letter)


def _item(entry: _Entry, place: _Place, at: tuple[str, int], prompt: str, gold: tuple[int, str]) -> Item:
    language, template = at
    stem, options, _ = split(prompt)
    letter, text = gold
    if _plain(options[letter]) != _plain(text):
        others = [LETTERS[n] for n, option in enumerate(options) if _plain(option) == _plain(text)]
        where = f"stands at {', '.join(others)}" if others else "stands nowhere"
        raise Fault(f"gold: two golds, prompt_ans keys {LETTERS[letter]} ({options[letter]!r}), but its text {text!r} {where}")
    topic = DOMAINS[place.domain]
    return Item(
        stem=stem, options=options, gold=letter, lang=LANGUAGES[language], place=COUNTRIES[place.country], topic=topic,
        entity=place.entity, template=str(template + 1), parallel=f"{place.entity}/{template + 1}", source=f"{place.file.name}#{entry.id}",
        maker="xnationqa", prompt=prompt, meta={"domain": topic, "country": place.country, "entity_name": entry.entity},
    )  # fmt: skip


def split(prompt: str) -> tuple[str, tuple[str, ...], str]:
    """Take a published prompt apart: the stem without its prefix, the four options without their letters, the cue as it is.

    The options are the last four lines that carry A, B, C, D in this order. Raises ``Fault`` where there are none.
    """
    lines = prompt.split("\n")
    marks = [_OPTION.fullmatch(line) for line in lines]
    letters = "".join(unicodedata.normalize("NFKC", mark[1]) if mark else " " for mark in marks)
    start = letters.rfind(LETTERS)
    if start < 0:
        raise Fault(f"options: lines with the letters {', '.join(letters.replace(' ', '')) or 'none'}, expected {', '.join(LETTERS)}")
    after = [line for line in lines[start + len(LETTERS) :] if line.strip()]
    if len(after) > 1 or letters[start + len(LETTERS) :].strip():
        raise Fault(f"options: {' / '.join(after)!r} after option D, expected the cue of the answer")
    stem = "\n".join(lines[:start])
    options = tuple(mark[2] for mark in marks[start : start + len(LETTERS)] if mark)
    return _PREFIX.sub("", stem, count=1) if _PREFIX.match(stem) else stem, options, lines[-1] if after else ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.translate(_INVISIBLE)).strip()


def oddities(items: Iterable[Item]) -> dict[str, int]:
    """Count what is odd, and readable all the same, in items of ``xnationqa``; unit: questions, unless said.

    ``zero_width`` with a character no reader sees (``zero_width_characters``: how many of these), ``no_break_space``, ``copies`` that
    repeat a question of their entry, ``no_prefix`` without "Question:", ``cue_without_blank`` after it, ``cue_other_language``,
    ``equal_options``, ``gold_twice`` where the gold is one of these; ``key_differs``: entries whose gold has not the same letter in
    every language; ``entity_twice``: entries whose entity stands in their file before; ``id_twice``: entries whose id does.
    """
    counts: Counter[str] = Counter()
    asked: set[tuple[str, str, str]] = set()
    keys: defaultdict[str, set[int | None]] = defaultdict(set)
    names: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for item in items:
        counts.update(_odd(item))
        counts["zero_width_characters"] += sum(item.prompt.count(character) for character in ZERO_WIDTH)
        question = (item.entity, item.lang, item.prompt)
        counts["copies"] += question in asked
        asked.add(question)
        keys[item.entity].add(item.gold)
        names[item.topic, item.place, item.meta["entity_name"]].add(item.entity)
    counts["key_differs"] = sum(len(golds) > 1 for golds in keys.values())
    counts["entity_twice"] = sum(len(entries) - 1 for entries in names.values())
    counts["id_twice"] = sum("#" in entity for entity in keys)
    return dict(sorted(counts.items()))


def _odd(item: Item) -> dict[str, int]:
    """The oddities of one question, 0 or 1 each."""
    cue = split(item.prompt)[2]
    return {
        "zero_width": any(character in item.prompt for character in ZERO_WIDTH),
        "no_break_space": "\u00a0" in item.prompt,
        "no_prefix": not _PREFIX.match(item.prompt),
        "cue_without_blank": not cue.endswith(" "),
        "cue_other_language": cue.strip().rstrip(":：") != CUES[item.lang],
        "equal_options": len(set(item.options)) < len(item.options),
        "gold_twice": item.options.count(item.options[item.gold or 0]) > 1,
    }
