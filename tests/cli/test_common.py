"""Models as they are typed."""

from pathlib import Path

import pytest

from endonym.cli.common import model
from endonym.errors import UnknownName


@pytest.mark.parametrize(
    "text, name, params",
    [
        ("parrot/x", "parrot/x", {}),
        ("parrot/x says=['A', 'B'] logprobs=false", "parrot/x", {"says": ["A", "B"], "logprobs": False}),
        ("local/my model.gguf precision=float32", "local/my model.gguf", {"precision": "float32"}),
        ("openai/gpt temperature=0.5 seed=3", "openai/gpt", {"temperature": 0.5, "seed": 3}),
        ("hf/org/name@main chat=true", "hf/org/name@main", {"chat": True}),
    ],
)
def test_a_model_as_it_is_typed(text: str, name: str, params: dict):
    found = model(text)
    assert (found.name, found.params) == (name, params)


def test_a_name_of_models_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "models.toml").write_text('[house]\nmodel = "llama"\nbase_url = "http://127.0.0.1:1/v1"\n')
    monkeypatch.chdir(tmp_path)
    assert model("house seed=3").name == "openai/llama"
    assert model("house seed=3").params == {"base_url": "http://127.0.0.1:1/v1", "seed": 3}
    with pytest.raises(UnknownName, match="did you mean 'house'"):
        model("huose")
