"""What the tests share: small hand-written items, and a workspace made of them."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from endonym.records import Item, canonical

os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

settings.register_profile("same", derandomize=True, deadline=None)  # a run that passed passes again
settings.load_profile("same")

ROOT = Path(__file__).parent.parent


@pytest.fixture
def items() -> list[Item]:
    """Six questions on capitals, in two languages; gold stands at 0, 1, 2, 3, 0, 1."""
    capitals = ["Lisbon", "Madrid", "Paris", "Rome", "Vienna", "Athens"]
    countries = ["Portugal", "Spain", "France", "Italy", "Austria", "Greece"]
    made = []
    for n, (capital, country) in enumerate(zip(capitals, countries, strict=True)):
        others = [c for c in capitals if c != capital][:3]
        options = [*others[: n % 4], capital, *others[n % 4 :]]
        made.append(
            Item(
                stem=f"What is the capital of {country}?", options=tuple(options), gold=n % 4, lang="en" if n < 4 else "fr",
                place=["PT", "ES", "FR", "IT", "AT", "GR"][n], topic="capital", entity=country, meta={"domain": "capital"},
            )  # fmt: skip
        )
    return made


@pytest.fixture
def benchmark(tmp_path: Path, items: list[Item]) -> Path:
    """The same as a benchmark.jsonl."""
    path = tmp_path / "capitals.jsonl"
    path.write_bytes(b"".join(canonical(item) + b"\n" for item in items))
    return path
