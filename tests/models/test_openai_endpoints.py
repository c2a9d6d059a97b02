"""models.toml, and what asking would cost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from endonym.errors import EndonymError, InputError, StorageError, TableError, UnknownName
from endonym.models.account import OPERATIONAL, Secret, at, proxy_of, shown
from endonym.models.endpoints import find_endpoints, load_endpoints, named
from endonym.models.prices import Bill, bill, price, tokens
from endonym.records import Message, Model, Prompt

GOOD = """
[house]
model = "org/Big-8B"
base_url = ["http://node1:8000/v1", "http://node2:8000/v1"]
api_key_env = "HOUSE_KEY"
params = { temperature = 0.5, seed = 7 }
price_in = 0.1
price_out = 0.4
rpm = 600
tpm = 200000
concurrency = 64
chat = true

[small]
provider = "local"
model = "smollm2"
"""


def write(folder: Path, text: str) -> Path:
    (folder / "models.toml").write_text(text, encoding="utf-8")
    return folder / "models.toml"


def test_named_models(tmp_path: Path) -> None:
    models = load_endpoints(write(tmp_path, GOOD))
    assert list(models) == ["house", "small"]
    assert models["house"].name == "openai/org/Big-8B"
    assert models["house"].params == {
        "base_url": ["http://node1:8000/v1", "http://node2:8000/v1"], "api_key_env": "HOUSE_KEY", "temperature": 0.5, "seed": 7,
        "price_in": 0.1, "price_out": 0.4, "rpm": 600, "tpm": 200000, "concurrency": 64, "chat": True,
    }  # fmt: skip
    assert models["small"] == Model(name="local/smollm2")
    assert named("house", models) is models["house"]
    with pytest.raises(UnknownName, match="did you mean 'house'"):
        named("huose", models)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ('[a]\nmodel = "m"\nbase_ulr = "x"', UnknownName, "field of FILE: [a] 'base_ulr'; did you mean 'base_url'"),
        (
            '[a]\nmodel = "m"\nparams = { temprature = 1 }',
            UnknownName,
            "field of FILE: [a] params 'temprature'; did you mean 'temperature'",
        ),
        ('[a]\nmodel = "m"\nrpm = "fast"', InputError, "FILE: [a] rpm: expected"),
        ('[a]\nbase_url = "http://x"', TableError, "FILE: [a] model: is missing"),
        ("[a]\nmodel = 3", TableError, "FILE: [a] model: 3 is no str"),
        ('[a]\nmodel = "m"\napi_key = "sk-1234567890"', InputError, "FILE: [a]: api_key: a key may not stand in settings"),
        ('[a]\nmodel = "m"\nparams = { api_key = "sk-1234567890" }', InputError, "api_key: a key may not stand in settings"),
        ('[a]\nmodel = "m"\nrpm = 3\nparams = { rpm = 4 }', TableError, "FILE: [a] rpm: stands both"),
        ("a = 3", TableError, "FILE: [a]: is a value"),
        ('[a]\nmodel = "m', TableError, "FILE: is no TOML: "),
    ],
)
def test_what_is_wrong_is_named_with_file_and_field(tmp_path: Path, text: str, error: type[EndonymError], message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(error) as caught:
        load_endpoints(path)
    assert message.replace("FILE", str(path)) in str(caught.value)
    assert "sk-1234567890" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        load_endpoints(tmp_path / "models.toml")


def test_the_workspace_comes_before_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work, home = tmp_path / "work", tmp_path / "config" / "endonym"
    work.mkdir()
    home.mkdir(parents=True)
    assert find_endpoints(work) is None
    write(home, GOOD)
    assert find_endpoints(work) == find_endpoints() == home / "models.toml"
    write(work, GOOD)
    assert find_endpoints(work) == work / "models.toml"


def test_settings_that_change_no_answer() -> None:
    assert {"base_url", "api_key_env", "concurrency", "rpm", "timeout", "retries", "price_in"} <= OPERATIONAL
    assert not {"temperature", "seed", "top_p", "stop", "extra_body", "max_tokens_field", "score", "top_logprobs"} & OPERATIONAL


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("abc", 1), ("abcd", 1), ("abcde", 2), ("é" * 8, 4), ("東京", 2), ("東京 is", 3), ("정답", 2), ("উত্তর", 4), ("𠀀", 1)],
)
def test_the_rule_of_thumb(text: str, count: int) -> None:
    assert tokens(text) == count


def test_a_bill_walks_the_prompts_once_and_keeps_none() -> None:
    def prompts() -> Iterator[Prompt]:
        for n in range(10):
            turns = (Message(role="system", content="x" * 40), Message(role="user", content="y" * 400))
            yield Prompt(item=str(n), messages=turns, max_tokens=100 if n else 0)

    model = Model(name="openai/m", params={"price_in": 2.0, "price_out": 10.0})
    # in: 10 · (10 + 100 + 2 · 4) = 1180; out: 9 · 100 + 64 = 964; 1180 · 2 + 964 · 10 = 12000 millionths
    assert bill(prompts(), model) == Bill(prompts=10, tokens_in=1180, tokens_out=964, money=pytest.approx(0.012))


def test_letters_cost_a_token_and_echoes_a_call_each() -> None:
    asked = [Prompt(item="a", messages=(Message(role="user", content="x" * 40),), continuations=("A", "B", "C"))]
    assert bill(asked, Model(name="openai/m")) == Bill(prompts=1, tokens_in=14, tokens_out=1, money=None)
    assert bill(asked, Model(name="openai/m", params={"score": "echo"})) == Bill(prompts=1, tokens_in=42, tokens_out=3, money=None)


def test_no_price_is_not_nothing() -> None:
    assert price(Model(name="openai/m", params={"price_in": 1.0}), 10, 10) is None
    assert price(Model(name="openai/m", params={"price_in": 0.0, "price_out": 0.0}), 10, 10) == 0.0


def test_a_secret_does_not_show() -> None:
    secret = Secret("abcdefgh-secret")
    assert "abcdefgh" not in repr(secret) + str([secret])
    assert secret.redact("key abcdefgh-secret, sk-proj-12ab****89xy, Bearer abc123def456") == "key [key], [key], Bearer [key]"
    assert Secret("EMPTY").hide("EMPTY set") == "EMPTY set"
    assert secret.header("Authorization") == {"Authorization": "Bearer abcdefgh-secret"}
    assert secret.header("api-key") == {"api-key": "abcdefgh-secret"}
    assert Secret("").header("api-key") == {}


def test_urls() -> None:
    assert at("http://h/v1?api-version=3", "/chat/completions") == "http://h/v1/chat/completions?api-version=3"
    assert shown("https://h:1/v1?api-version=3") == "https://h:1/v1"


def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert proxy_of("http://far.example/v1") == "http://proxy:3128"
    assert proxy_of("http://inside.example/v1") is proxy_of("http://127.0.0.1:8000/v1") is proxy_of("http://localhost/v1") is None
