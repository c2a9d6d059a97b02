"""What a model is told when it is to translate a question: words as data, and the question between marks.

In: a file of words (``data/translate/en.toml``), an item, the languages, and what is fixed. Out: the text of a prompt. The one thing to
know: the item stands there as JSON in the shape that the reply is to have, between marks that nothing in it can open or close.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ..models.translating import language
from ..records import Item, Record
from . import lines

SHIPPED = Path(__file__).parent.parent / "data" / "translate" / "en.toml"
OPEN, CLOSE = "<<<", ">>>"
_MARK = re.compile(r"<{3,}|>{3,}")


class Wording(Record, frozen=True):
    """The sentences of a prompt."""

    task: str
    rules: tuple[str, ...]
    names: str
    terms: str
    material: str
    format: str
    choice: str
    open: str


def read(path: Path | None) -> Wording:
    """Read a file of words, else the shipped one. Raises TableError naming file and field, StorageError."""
    return lines.toml(path or SHIPPED, Wording)


def parts(item: Item) -> list[str]:
    """The texts of an item that are translated: the stem, then its options, or its accepted answers."""
    return [item.stem, *(item.options or (answer.text for answer in item.accept))]


def page(item: Item, lang: str, told: Wording, fixed: tuple[Mapping[str, str], Mapping[str, tuple[str, ...]]]) -> str:
    """The prompt. ``fixed``: names and terms that stand in the item, with their translations."""
    names, terms = fixed
    pair = {"source": f"{language(item.lang)} ({item.lang})", "target": f"{language(lang)} ({lang})"}
    said = [told.task, "", *(f"- {rule}" for rule in told.rules)]
    said += ["", told.names, *(f"- {name} = {other}" for name, other in names.items())] if names else []
    said += ["", told.terms, *(f"- {term} = {' / '.join(forms)}" for term, forms in terms.items())] if terms else []
    said = [_filled(line, pair) for line in said]
    stem, *options = parts(item)
    shape = {"question": "…", "options": ["…"] * len(options), "transliterated": []}
    count = told.choice if item.kind == "choice" else told.open
    said += ["", told.material, OPEN, _safe(json.dumps({"question": stem, "options": options}, ensure_ascii=False)), CLOSE]
    return "\n".join([*said, "", told.format.replace("{count}", count), json.dumps(shape, ensure_ascii=False)])


def _filled(line: str, pair: Mapping[str, str]) -> str:
    for name, value in pair.items():
        line = line.replace(f"{{{name}}}", value)
    return line


def _safe(text: str) -> str:
    return _MARK.sub(lambda m: ("‹" if m[0][0] == "<" else "›") * len(m[0]), text)
