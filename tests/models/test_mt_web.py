"""DeepL and Google against a server on 127.0.0.1 in the shape of their APIs: bodies, headers, codes of languages, faults."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from endonym.ask import ask
from endonym.errors import InputError, ModelError, Unavailable, UnknownName, Unsupported
from endonym.models import translating
from endonym.models.base import Need
from endonym.models.deepl import DeepL
from endonym.models.google import Google
from endonym.records import Message, Model, Prompt

KEY = "secret-key-1234567"


class Service:
    """Answers in the shape of one API; ``script`` holds (status, headers, body) for the next requests, before it begins to answer."""

    def __init__(self, *script: tuple[int, dict[str, str], Any]) -> None:
        self.script = list(script)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    def reply(self, body: dict[str, Any]) -> Any:
        if "q" in body:
            texts = [{"translatedText": f"{text} {body['target']}"} for text in body["q"]]
            return {"data": {"translations": texts}}
        texts = [{"detected_source_language": "EN", "text": f"{text} {body['target_lang']}"} for text in body["text"]]
        return {"translations": texts}


@contextlib.contextmanager
def serving(service: Service) -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.paths.append(self.path)
            service.bodies.append(body)
            service.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, headers, answer = service.script.pop(0) if service.script else (200, {}, service.reply(body))
            if callable(answer):
                answer = answer(body)
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", KEY)
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)


def prompt(text: str, target: str = "de", source: str = "en") -> Prompt:
    return Prompt(item=text, messages=translating.turns(text, source, target))


def said(service: Service, prompts: list[Prompt], name: str = "deepl/api", **params: Any) -> list[Any]:
    model = Model(name=name, params={"base_url": service.url, "backoff": 0.01, **params})
    return list(ask(prompts, model=model))


def test_deepl_is_asked_as_its_reference_says():
    with serving(Service()) as service:
        found = said(service, [prompt("A"), prompt("B & <c>"), prompt("C", "hi")], extra={"formality": "less"})
    assert [r.text for r in found] == ["A DE", "B & <c> DE", "C HI"]
    assert service.paths == ["/v2/translate"] * 2
    assert sorted(service.bodies, key=str) == [
        {"formality": "less", "text": ["A", "B & <c>"], "source_lang": "EN", "target_lang": "DE"},
        {"formality": "less", "text": ["C"], "source_lang": "EN", "target_lang": "HI"},
    ]
    assert service.headers[0]["authorization"] == f"DeepL-Auth-Key {KEY}"
    assert service.headers[0]["content-type"].startswith("application/json")


def test_google_is_asked_as_its_reference_says():
    with serving(Service()) as service:
        (found,) = said(service, [prompt("A's", "zh", "pt-BR")], "google/nmt", extra={"model": "nmt"})
    assert found.text == "A's zh-CN"
    assert service.bodies == [{"model": "nmt", "q": ["A's"], "source": "pt-BR", "target": "zh-CN", "format": "text"}]
    assert service.paths == ["/language/translate/v2"]
    assert service.headers[0]["x-goog-api-key"] == KEY


@pytest.mark.parametrize("name, tag, side, expected", [
    ("deepl", "en", "target", "EN-US"), ("deepl", "en-GB", "target", "EN-GB"), ("deepl", "en-GB", "source", "EN"),
    ("deepl", "pt", "target", "PT-PT"), ("deepl", "pt-BR", "target", "PT-BR"), ("deepl", "zh", "target", "ZH-HANS"),
    ("deepl", "zh-Hant", "target", "ZH-HANT"), ("deepl", "zh-Hant", "source", "ZH"), ("deepl", "de-AT", "target", "DE"),
    ("google", "zh-Hant", "target", "zh-TW"), ("google", "de", "target", "de"), ("google", "zh", "source", "zh-CN"),
])  # fmt: skip
def test_languages_as_each_service_calls_them(name: str, tag: str, side: str, expected: str):
    who = {"deepl": DeepL, "google": Google}[name](Model(name=f"{name}/x"))
    pair = translating.Pair(tag, "ja") if side == "source" else translating.Pair("ja", tag)
    body = who.body(["x"], pair)
    assert body[{"deepl": f"{side}_lang", "google": side}[name]] == expected


def test_a_user_has_the_last_word_on_codes():
    who = DeepL(Model(name="deepl/x", params={"codes": {"en": "EN-GB", "sr": "sr-latn"}}))
    assert who.body([], translating.Pair("sr", "en")) == {"text": [], "source_lang": "sr-latn", "target_lang": "EN-GB"}


def test_where_deepl_is_depends_on_the_key(monkeypatch: pytest.MonkeyPatch):
    assert DeepL(Model(name="deepl/x")).url() == "https://api.deepl.com/v2/translate"
    monkeypatch.setenv("DEEPL_AUTH_KEY", "secret-key-1234567:fx")
    assert DeepL(Model(name="deepl/x")).url() == "https://api-free.deepl.com/v2/translate"


def test_what_passes_is_asked_again():
    script = [(429, {"Retry-After": "0"}, {"message": "Too many requests"}), (503, {}, b"down"), (200, {}, b"half a")]
    with serving(Service(*script)) as service:
        (found,) = said(service, [prompt("A")])
    assert (found.text, len(service.bodies)) == ("A DE", 4)


def test_a_rate_of_google_is_waited_out_and_a_day_is_not():
    rate = {"error": {"code": 403, "message": "User Rate Limit Exceeded", "errors": [{"reason": "userRateLimitExceeded"}]}}
    day = {"error": {"code": 403, "message": "Daily Limit Exceeded", "errors": [{"reason": "dailyLimitExceeded"}]}}
    with serving(Service((403, {}, rate))) as service:
        assert said(service, [prompt("A")], "google/nmt")[0].text == "A de"
    with serving(Service((403, {}, day))) as service, pytest.raises(ModelError, match="Daily Limit Exceeded; the quota of the account"):
        said(service, [prompt("A")], "google/nmt")
    assert len(service.bodies) == 1


@pytest.mark.parametrize("status, body, message", [
    (403, {"message": f"Forbidden {KEY}"}, r"Forbidden \[key\]; check the key in DEEPL_AUTH_KEY"),
    (456, {"message": "Quota Exceeded"}, "Quota Exceeded; the quota of the account is used up"),
])  # fmt: skip
def test_after_a_wrong_key_or_no_quota_nobody_else_is_asked(status: int, body: dict[str, str], message: str):
    with serving(Service(*[(status, {}, body)] * 9)) as service, pytest.raises(ModelError, match=message):
        said(service, [prompt(f"T{n}") for n in range(6)], batch=1, concurrency=1)
    assert len(service.bodies) == 1


def test_one_bad_text_does_not_spoil_its_neighbours():
    def picky(body: dict[str, Any]) -> Any:
        return {"message": "Bad request: text is odd"}

    bad = (400, {}, picky)
    with serving(Service(bad, (200, {}, {"translations": [{"text": "eins"}]}), bad)) as service:
        found = said(service, [prompt("one"), prompt("odd")])
    assert (found[0].text, found[0].error) == ("eins", "")
    assert (found[1].text, found[1].error) == ("", "http 400: Bad request: text is odd")
    assert [len(body["text"]) for body in service.bodies] == [2, 1, 1]


def test_another_number_of_texts_is_no_answer():
    few, message = (200, {}, {"translations": []}), "0 translations came back for 1"
    with serving(Service(few, few, few)) as service, pytest.raises(ModelError, match=message):
        said(service, [prompt("A")], retries=1)
    assert len(service.bodies) == 2


def test_texts_travel_by_the_dozen_and_within_the_room_of_a_request():
    with serving(Service()) as service:
        found = said(service, [prompt(f"T{n}") for n in range(60)], batch=100)
        assert [r.text for r in found] == [f"T{n} DE" for n in range(60)]
        assert sorted(len(body["text"]) for body in service.bodies) == [10, 50]  # DeepL takes 50
        service.bodies.clear()
        said(service, [prompt(f"{n}" + "x" * 25_000) for n in range(5)])
    assert sorted(len(body["text"]) for body in service.bodies) == [1, 2, 2]


def test_a_prompt_without_languages_is_an_error_of_its_own():
    plain = Prompt(item="a", messages=(Message(role="user", content="Who?"),))
    with serving(Service()) as service:
        found = said(service, [plain, prompt("A")])
    assert found[0].error.startswith("this prompt names no languages") and found[1].text == "A DE"


def test_answers_are_kept_and_the_key_is_in_none_of_them(tmp_path: Path):
    with serving(Service()) as service:
        model = Model(name="google/nmt", params={"base_url": service.url})
        one = list(ask([prompt(KEY)], model=model, cache=tmp_path / "c.db"))
        two = list(ask([prompt(KEY)], model=model, cache=tmp_path / "c.db"))
    assert one == two and len(service.bodies) == 1
    assert one[0].text == "[key] de"


def test_no_key_no_log_likelihoods_no_raw_text(monkeypatch: pytest.MonkeyPatch):
    who = DeepL(Model(name="deepl/x"))
    for need, message in ((Need(continuations=True, chat=True), "log-likelihoods"), (Need(generate=True), "leave chat out")):
        with pytest.raises(Unsupported, match=message):
            who.check(need)
    monkeypatch.delenv("DEEPL_AUTH_KEY")
    with pytest.raises(Unavailable, match="set the environment variable DEEPL_AUTH_KEY"):
        DeepL(Model(name="deepl/x")).check(Need(generate=True, chat=True))


@pytest.mark.parametrize("params, error, message", [
    ({"api_key": "x"}, InputError, "a key may not stand in settings"), ({"extra": {"key": "x"}}, InputError, "a key may not stand"),
    ({"extra": {"q": ["x"]}}, InputError, "extra: 'q' is set by the prompt"), ({"batches": 3}, UnknownName, "did you mean 'batch'"),
    ({"batch": 0}, InputError, "batch: is 0"), ({"base_url": "ftp://x"}, InputError, "base_url"), ({"rpm": "x"}, InputError, "rpm"),
])  # fmt: skip
def test_settings_that_cannot_be(params: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        Google(Model(name="google/x", params=params))


def test_turns_name_languages_in_words_and_codes_and_are_read_back():
    system, text = translating.turns("Hello", "pt-BR", "zh-Hant")
    assert "Portuguese (Brazil) (pt-BR)" in system.content and "Chinese (Traditional) (zh-Hant)" in system.content
    assert text.content == "Hello"
    assert translating.pair(Prompt(item="x", messages=(system, text))) == ("pt-BR", "zh-Hant")
    assert translating.language("xx-unknown") == "xx-unknown"
    assert translating.said("<think>it is\nlate</think> Guten\n Tag") == "Guten Tag"
