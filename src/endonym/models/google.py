"""``google/NAME``: Google Cloud Translation, Basic (API v2). The name is only a label, as ``google/nmt``.

In: prompts as ``translating.turns`` makes them. Out: a response for each. The one thing to know: texts are sent as plain text
(``format``: the service takes them for HTML if it is not told), and a 403 that speaks of a rate is waited out, not taken for a wrong key.
The key is in ``GOOGLE_API_KEY``. Reference: Cloud Translation API, POST language/translate/v2.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .account import at
from .mt_web import SPENT, Web
from .translating import Pair

if TYPE_CHECKING:
    from .faults import Fault

GOOGLE = "https://translation.googleapis.com"
CODES = {"zh": "zh-CN", "zh-hans": "zh-CN", "zh-hant": "zh-TW", "zh-hk": "zh-TW", "nb": "no", "he": "iw"}
_RATE, _DAY = re.compile(rb"rate.?limit.?exceeded", re.I), re.compile(rb"daily.?limit.?exceeded", re.I)


class Google(Web):
    """Settings: the fields of :class:`~endonym.models.mt_web.Settings`; ``extra`` takes ``model``."""

    KEY = "GOOGLE_API_KEY"
    ROOM = 20_000
    """The service asks for some 5,000 characters a request, and refuses more than 100,000 bytes."""
    MOST = 128
    RESERVED = frozenset({"q", "source", "target", "format"})

    def url(self) -> str:
        return at(self.read.base_url or GOOGLE, "/language/translate/v2")

    def header(self) -> dict[str, str]:
        return self.key.header("X-Goog-Api-Key")

    def body(self, texts: Sequence[str], languages: Pair) -> dict[str, Any]:
        source, target = (self.code(tag, CODES) for tag in languages)
        return {**self.read.extra, "q": list(texts), "source": source, "target": target, "format": "text"}

    def texts(self, reply: Any) -> list[str]:
        return [one["translatedText"] for one in reply["data"]["translations"]]

    def fault(self, status: int, raw: bytes, wait: float | None) -> "Fault":
        from .faults import Fault

        found = super().fault(status, raw, wait)
        if status == 403 and _DAY.search(raw):
            return Fault(found.message, status=status, code=SPENT)
        if status == 403 and _RATE.search(raw):
            return Fault(found.message, again=True, wait=wait, status=status, code=found.code)
        return found
