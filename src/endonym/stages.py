"""The shelf of stages: what a recipe may ask for. Add one: a file in its room and a line here.

A name with a colon is a function from tables to a table; one without is a module with ``write`` and ``read``.
"""

import inspect
import sys
from importlib import import_module
from typing import Any

from .errors import UnknownName

STAGES: dict[str, str] = {
    "build.answered": "endonym.build.imports:answered",
    "build.answers": "endonym.build.answers",
    "build.areas": "endonym.build.areas:areas",
    "build.balance": "endonym.build.balance:balance",
    "build.compose": "endonym.build.compose",
    "build.conflicts": "endonym.build.merge:conflicts",
    "build.digits": "endonym.build.translate_digits:digits",
    "build.documents": "endonym.build.documents:documents",
    "build.dump": "endonym.build.dump:dump",
    "build.faults": "endonym.build.faults:faults",
    "build.judgments": "endonym.build.imports:judgments",
    "build.knowledge": "endonym.build.knowledge:knowledge",
    "build.lists": "endonym.build.mediawiki:lists",
    "build.merge": "endonym.build.merge:merge",
    "build.read": "endonym.build.readers:read",
    "build.rejected": "endonym.build.compose:rejected",
    "build.revise": "endonym.build.revise",
    "build.revised_out": "endonym.build.revise:revised_out",
    "build.screen": "endonym.build.documents_screen:screen",
    "build.sheet": "endonym.build.sheet:sheet",
    "build.split": "endonym.build.split:split",
    "build.templates": "endonym.build.templates:templates",
    "build.translate": "endonym.build.translate",
    "build.transpose": "endonym.build.transpose",
    "build.transposed": "endonym.build.transpose:transposed",
    "build.transposed_out": "endonym.build.transpose:transposed_out",
    "build.unanswered": "endonym.build.answers:unanswered",
    "build.untranslated": "endonym.build.translate:rejected",
    "evaluate.answer": "endonym.evaluate.answer",
    "evaluate.choose": "endonym.evaluate.choose",
    "evaluate.grade": "endonym.evaluate.grade",
    "evaluate.graded": "endonym.evaluate.grade:graded",
    "validate.agreement": "endonym.validate.agreement:agreement",
    "validate.audit": "endonym.validate.audit:audit",
    "validate.backtranslate": "endonym.validate.translation_back",
    "validate.balance": "endonym.validate.balance:balance",
    "validate.check": "endonym.validate.check:check",
    "validate.difficulty": "endonym.validate.difficulty:difficulty",
    "validate.dropped": "endonym.validate.panel:dropped",
    "validate.judge": "endonym.validate.judge",
    "validate.keep": "endonym.validate.keep:keep",
    "validate.left_out": "endonym.validate.keep:left_out",
    "validate.near": "endonym.validate.near:near",
    "validate.panel": "endonym.validate.panel:panel",
    "validate.probe": "endonym.validate.probe:probe",
    "validate.review": "endonym.validate.review",
    "validate.reviewed": "endonym.validate.review:reviewed",
    "validate.sample": "endonym.validate.translation_sample:sample",
    "validate.similarity": "endonym.validate.translation:similarity",
    "validate.surplus": "endonym.validate.balance:surplus",
    "validate.translation": "endonym.validate.translation_figures:translation",
    "validate.unsure": "endonym.validate.translation:unsure",
    "validate.writing": "endonym.validate.writing:writing",
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
