"""The shelf of makers: sources and published files in, items out."""

from pathlib import Path

MAPPINGS: dict[str, Path] = {path.stem: path for path in sorted((Path(__file__).parent.parent / "data" / "mappings").glob("*.toml"))}
"""Data sets whose columns a file names: add one by a TOML there, and no Python."""

READERS: dict[str, str] = {
    "endonym": "endonym.build.native:native",
    "xnationqa": "endonym.build.xnationqa:xnationqa",
    "carte": "endonym.build.carte:carte",
    "label-studio": "endonym.build.imports:label_studio",
    "argilla": "endonym.build.imports:argilla",
    "mapped": "endonym.build.mapped:mapped",
    **dict.fromkeys(MAPPINGS, "endonym.build.mapped:mapped"),
}
"""Readers of known data sets. Add one: a file here, a function from a path to items, and a line."""

__all__ = ["MAPPINGS", "READERS"]
