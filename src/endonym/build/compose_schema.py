"""The JSON schema of a reply to ``build.compose``, for servers that can hold a model to one.

In: prompts and regions. Out: a schema, or what an OpenAI-compatible server takes as ``response_format``. The one
thing to know: it goes to the server as ``params.extra_body`` of the model; a reply is read in the same way with it or without.
"""

from typing import Any

from .compose_item import OPTIONS
from .compose_wording import Places, Wording


def schema(wording: Wording, places: Places) -> dict[str, Any]:
    """JSON Schema (draft 2020-12, the part that servers enforce) of one reply; every field is required and no other allowed."""
    text = {"type": "string"}
    fields = {
        "question": text,
        "options": {"type": "array", "items": text, "minItems": OPTIONS, "maxItems": OPTIONS},
        "answer": {"type": "string", "enum": list("ABCD")},
        "topic": {"type": "string", "enum": list(wording.topics)},
        "region": {"type": "string", "enum": list(places.regions)},
        "kind": text,
        "evidence": text,
    }
    return _closed({"questions": {"type": "array", "items": _closed(fields)}})


def _closed(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def response_format(wording: Wording, places: Places) -> dict[str, Any]:
    """What stands under ``response_format`` in a request."""
    return {"type": "json_schema", "json_schema": {"name": "questions", "strict": True, "schema": schema(wording, places)}}
