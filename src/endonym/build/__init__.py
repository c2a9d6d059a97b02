"""The shelf of makers: sources and published files in, items out."""

READERS: dict[str, str] = {
    "endonym": "endonym.build.native:native",
    "xnationqa": "endonym.build.xnationqa:xnationqa",
    "carte": "endonym.build.carte:carte",
}
"""Readers of known data sets. Add one: a file here, a function from a path to items, and a line."""

__all__ = ["READERS"]
