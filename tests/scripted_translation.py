"""An OpenAI-compatible server that translates the questions of the XNationQA recipe, and translates them back, with known faults.

Run it as a process (``python scripted_translation.py``); it prints its URL. It finds the template of a question and writes the same one in
the other language, as they stand in the package; ``FAULTS`` says of which entities its replies are bad, and how. ``/counts`` and ``stop=N``
are those of ``scripted_carte``.
"""

import asyncio
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from scripted_carte import CarteServer  # noqa: E402

TEMPLATES = tomllib.loads((Path(__file__).parent.parent / "src/endonym/data/nations/templates.toml").read_text(encoding="utf-8"))
FAULTS = {
    ("Helmut Kohl", "fr"): "truncated",  # the reply is cut at the limit of tokens
    ("Helmut Schmidt", "de"): "options",  # one option is lost
    ("Jorge Sampaio", "fr"): "untranslated",  # the question comes back in English
    ("Mário Soares", "de"): "number",  # a year is put into the question
    ("Olaf Scholz", "de"): "malformed",  # prose in place of JSON
}
COUNTRIES = ("PT", "DE")


class Found(NamedTuple):
    """Which template a question was made of, for which country and entity."""

    topic: str
    number: int
    country: str
    entity: str


def worded(found: Found, lang: str, entity: str) -> str:
    """The same question in a language."""
    forms = TEMPLATES["countries"][found.country]["forms"][lang] | {"entity": entity}

    def text(match: re.Match[str]) -> str:
        name = match[1][0].lower() + match[1][1:]
        return forms[name] if name == match[1] else forms[name][0].upper() + forms[name][1:]

    return re.sub(r"\{(\w+)\}", text, TEMPLATES["domains"][found.topic]["templates"][lang][found.number])


def find(question: str, lang: str) -> Found:
    """The template of a question."""
    for topic, domain in TEMPLATES["domains"].items():
        for number in range(len(domain["templates"][lang])):
            for country in COUNTRIES:
                made = re.escape(worded(Found(topic, number, country, ""), lang, "\0")).replace("\0", "(?P<entity>.+)", 1)
                if match := re.fullmatch(made.replace("\0", "(?P=entity)"), question):
                    return Found(topic, number, country, match["entity"])
    raise LookupError(question)


class Translator(CarteServer):
    """Answers as translator, and remembers names for the way back."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[tuple[str, str], str] = {}

    def reply(self, body: dict, fault: str) -> dict:
        shown = body["messages"][-1]["content"]
        if body["messages"][0]["role"] == "system":
            self.faults["back"] += 1
            text, reason = self.back(body["messages"][0]["content"], shown), "stop"
        else:
            self.faults["translated"] += 1
            text, reason = self.there(shown)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": reason, "message": message}
        return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}, "model": body["model"], "object": "x"}

    def there(self, shown: str) -> tuple[str, str]:
        lang = re.search(r"into \w+ \((\w+)\)", shown)[1]
        given = json.loads(shown.partition("<<<\n")[2].partition("\n>>>")[0])
        names = dict(re.findall(r"^- (.+?) = (.+)$", shown, re.M))
        found = find(given["question"], "en")
        entity = names.get(found.entity, found.entity)
        self.names[lang, entity] = found.entity
        made = {"question": worded(found, lang, entity), "options": [names.get(o, o) for o in given["options"]], "transliterated": []}
        match FAULTS.get((found.entity, lang)):
            case "truncated":
                return json.dumps(made)[:40], "length"
            case "options":
                made["options"] = made["options"][:-1]
            case "untranslated":
                made["question"] = given["question"]
            case "number":
                made["question"] += " (1999)"
            case "malformed":
                return "Das kann ich leider nicht.", "stop"
        return f"```json\n{json.dumps(made, ensure_ascii=False)}\n```", "stop"

    def back(self, told: str, text: str) -> str:
        lang = re.match(r"From \w+ \((\w+)\)", told)[1]
        found = find(text, lang)
        return worded(found, "en", self.names.get((lang, found.entity), found.entity))


async def main() -> None:
    async with Translator().running() as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
