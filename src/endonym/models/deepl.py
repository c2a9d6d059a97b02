"""``deepl/NAME``: DeepL's translation service (API v2). The name is only a label, as ``deepl/api``.

In: prompts as ``translating.turns`` makes them. Out: a response for each. The one thing to know: DeepL has no plain English, Portuguese or
Chinese to translate into: ``en`` is asked for as EN-US, ``pt`` as PT-PT and ``zh`` as ZH-HANS, unless ``codes`` says otherwise. The key is
in ``DEEPL_AUTH_KEY``; one that ends in ``:fx`` belongs to the free service. Reference: DeepL API, POST /v2/translate.
"""

from collections.abc import Sequence
from typing import Any

from .account import at
from .mt_web import Web
from .translating import Pair, primary

PRO, FREE = "https://api.deepl.com", "https://api-free.deepl.com"
TARGETS = {"en": "EN-US", "pt": "PT-PT", "zh": "ZH-HANS", "zh-cn": "ZH-HANS", "zh-tw": "ZH-HANT", "zh-hk": "ZH-HANT", "no": "NB"}
VARIANTS = ("EN-GB", "EN-US", "ES-419", "PT-BR", "PT-PT", "ZH-HANS", "ZH-HANT")
"""Targets that are told apart; of every other language only the language itself is sent."""


class DeepL(Web):
    """Settings: the fields of :class:`~endonym.models.mt_web.Settings`; ``extra`` takes ``formality``, ``glossary_id``, …"""

    KEY = "DEEPL_AUTH_KEY"
    ROOM = 60_000  # a body may have 128 KiB, and JSON writes some characters in six bytes
    MOST = 50
    RESERVED = frozenset({"text", "source_lang", "target_lang"})

    def url(self) -> str:
        return at(self.read.base_url or (FREE if self._key.endswith(":fx") else PRO), "/v2/translate")

    def header(self) -> dict[str, str]:
        return {"Authorization": f"DeepL-Auth-Key {self._key}"}

    @property
    def _key(self) -> str:
        return self.key.header("key")["key"]

    def body(self, texts: Sequence[str], languages: Pair) -> dict[str, Any]:
        source, target = (self.code(tag, {}) for tag in languages)
        if languages.source not in self.read.codes:
            source = primary(source).upper()
        if languages.target not in self.read.codes:
            target = TARGETS.get(target.lower(), target.upper())
            target = target if target in VARIANTS else primary(target).upper()
        return {**self.read.extra, "text": list(texts), "source_lang": source, "target_lang": target}

    def texts(self, reply: Any) -> list[str]:
        return [one["text"] for one in reply["translations"]]
