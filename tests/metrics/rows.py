"""Scores written by hand for the tests of metrics."""

from typing import Any

from endonym.records import Score


def score(right: Any = True, **fields: Any) -> Score:
    """One score; ``right`` may be a status that is no answer."""
    status, good = (right, False) if isinstance(right, str) else ("answered", bool(right))
    base = {"item": "i", "prompt": fields.get("item", "i"), "model": "m", "options": 4}
    return Score(**{**base, "status": status, "right": good, **fields})


def entities(knows: dict[str, dict[str, str]], **fields: Any) -> list[Score]:
    """Entity → language → its answers as ``1``, ``0``, and ``f`` for a failed call, one a template."""
    return [
        score("failed" if sign == "f" else sign == "1", item=f"{entity}/{lang}/{n}", prompt=f"{entity}/{lang}/{n}", entity=entity,
              lang=lang, template=str(n), parallel=f"{entity}/{n}", **fields)
        for entity, langs in knows.items() for lang, said in langs.items() for n, sign in enumerate(said, 1)
    ]  # fmt: skip
