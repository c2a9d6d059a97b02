"""The shelf of stages: what a recipe may ask for. Add one: a file in its room and a line here.

A name with a colon is a function from tables to a table; one without is a module with ``write`` and ``read``.
"""

import inspect
import sys
from importlib import import_module
from typing import Any

from .errors import UnknownName

STAGES: dict[str, str] = {
    "build.read": "endonym.build.readers:read",
    "build.templates": "endonym.build.templates:templates",
    "evaluate.answer": "endonym.evaluate.answer",
    "evaluate.choose": "endonym.evaluate.choose",
    "evaluate.grade": "endonym.evaluate.grade",
    "evaluate.graded": "endonym.evaluate.grade:graded",
}


def stage(do: str) -> Any:
    """Find the code of a stage by name; raise UnknownName."""
    if do not in STAGES:
        raise UnknownName("stage", do, STAGES)
    module, _, name = STAGES[do].partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def version(code: Any) -> str:
    """The version of a stage's code: it changes when what the code means changes, and so makes its tables stale."""
    home = code if inspect.ismodule(code) else sys.modules[code.__module__]
    return home.VERSION
