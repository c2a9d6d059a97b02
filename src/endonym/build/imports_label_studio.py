"""Label Studio's JSON export in, what each annotator said of each task out.

In: a JSON list of tasks with ``data`` and ``annotations``; of each annotation ``completed_by``, ``was_cancelled`` and ``result``: a row for
each control (``from_name``, ``type``, ``value``). Out: one ``Entry`` a task. The one thing to know: a control speaks of the whole task
(choices, rating, number, textarea, taxonomy, pairwise) or of a region of it (labels, brushes); only the first kind is understood here.
Predictions are a model's and are passed over. Source: Label Studio's guide, "Label Studio JSON format of annotated tasks".
"""

from collections.abc import Callable, Iterator
from typing import Any

from .imports_entry import Entry, Said, listed, named, texts
from .lines import Fault, found

ALONE = ("relation",)
"""Rows of a result that are no control's."""


def _choices(value: dict[str, Any]) -> tuple[str, ...]:
    return texts(value.get("choices"), "choices")


def _rating(value: dict[str, Any]) -> tuple[str, ...]:
    return (_number(value.get("rating"), "rating"),)


def _figure(value: dict[str, Any]) -> tuple[str, ...]:
    return (_number(value.get("number"), "number"),)


def _textarea(value: dict[str, Any]) -> tuple[str, ...]:
    return texts(value.get("text"), "text")


def _taxonomy(value: dict[str, Any]) -> tuple[str, ...]:
    paths = value.get("taxonomy")
    if not isinstance(paths, list):
        raise Fault(f"taxonomy: expected a list of paths, found {found(paths)}")
    return tuple(" / ".join(texts(path, f"taxonomy[{n}]")) for n, path in enumerate(paths))


def _pairwise(value: dict[str, Any]) -> tuple[str, ...]:
    return texts(value.get("selected"), "selected")


def _number(value: Any, field: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault(f"{field}: expected a number, found {found(value)}")
    return f"{value:g}"


TYPES: dict[str, Callable[[dict[str, Any]], tuple[str, ...]]] = {
    "choices": _choices, "rating": _rating, "number": _figure, "textarea": _textarea, "taxonomy": _taxonomy, "pairwise": _pairwise,
}  # fmt: skip
"""What a row of a result says, by its type."""


def is_export(row: dict[str, Any]) -> bool:
    """Whether a row is a task with its annotations."""
    return "annotations" in row and "data" in row


def questions(rows: list[Any]) -> set[str]:
    """The names of all controls that somebody used, whatever else is wrong with the rows."""
    annotations = [annotation for row in listed(rows) for annotation in listed(row.get("annotations"))]
    return {row["from_name"] for each in annotations for row in listed(each.get("result")) if isinstance(row.get("from_name"), str)}


def entries(rows: list[Any], wanted: frozenset[str]) -> Iterator[Entry]:
    """Read every task. ``wanted``: names of controls; empty: all. Raises ``Fault`` naming the task and the field."""
    for n, row in enumerate(rows):
        name = f"task {row['id']}" if isinstance(row, dict) and row.get("id") is not None else f"tasks[{n}]"
        with named(name):
            yield _entry(row, name, wanted)


def _entry(row: Any, name: str, wanted: frozenset[str]) -> Entry:
    if not isinstance(row, dict) or not isinstance(row.get("data"), dict):
        raise Fault("data: expected an object; export as JSON (JSON-MIN and CSV leave out who said what)")
    annotations = row.get("annotations")
    if not isinstance(annotations, list):
        raise Fault(f"annotations: expected a list, found {found(annotations)}")
    said: list[Said] = []
    people: dict[str, int] = {}
    for n, annotation in enumerate(annotations):
        with named(f"annotations[{n}]"):
            if not isinstance(annotation, dict):
                raise Fault(f"expected an object, found {found(annotation)}")
            person = _person(annotation.get("completed_by"))
            if (before := people.setdefault(person, n)) != n:
                raise Fault(f"completed_by: {person or 'nobody'} annotated this task in annotations[{before}] too; delete one")
            said += _said(annotation, person, wanted)
    return Entry(where=name, key=str(row.get("id", "")), data=row["data"], said=tuple(said))


def _person(value: Any) -> str:
    """An annotator's number, or e-mail address; exports of some versions have an object with both."""
    if isinstance(value, dict):
        value = value.get("id", value.get("email"))
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Fault(f"completed_by: expected a number or an object, found {found(value)}")
    return str(value)


def _said(annotation: dict[str, Any], person: str, wanted: frozenset[str]) -> Iterator[Said]:
    if annotation.get("was_cancelled"):
        yield Said(person, "", (), "abstained", "skipped")
        return
    result = annotation.get("result")
    if not isinstance(result, list):
        raise Fault(f"result: expected a list, found {found(result)}")
    seen: dict[str, int] = {}
    for n, row in enumerate(result):
        with named(f"result[{n}]"):
            if not isinstance(row, dict):
                raise Fault(f"expected an object, found {found(row)}")
            control = row.get("from_name")
            if row.get("type") in ALONE:
                continue
            if not isinstance(control, str) or not control:
                raise Fault(f"from_name: expected the name of a control, found {found(control)}")
            if wanted and control not in wanted:
                continue
            if (before := seen.setdefault(control, n)) != n:
                raise Fault(f"from_name: {control!r} stands in result[{before}] too; is it asked of regions?")
            yield Said(person, control, _value(row), "answered", "")


def _value(row: dict[str, Any]) -> tuple[str, ...]:
    kind, value = row.get("type"), row.get("value")
    if not isinstance(kind, str) or kind not in TYPES:
        known = ", ".join(TYPES)
        raise Fault(f"type: {found(kind)} says nothing of a whole task; there are {known}. Name the controls that are wanted as criteria")
    if not isinstance(value, dict):
        raise Fault(f"value: expected an object, found {found(value)}")
    with named("value"):
        return TYPES[kind](value)
