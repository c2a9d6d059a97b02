"""Argilla's export of records in, what each annotator said of each record out.

In: records as ``dataset.records.to_json`` writes them (``responses``: question → a list of ``value`` and ``user_id``), as
``to_datasets().to_json`` or ``to_list(flatten=True)`` do (columns ``QUESTION.responses``, ``….users``, ``….status``), or as version 1 did
(``responses``: a list of ``user_id``, ``status`` and ``values``). Out: one ``Entry`` a record. The one thing to know: a draft and a
discarded record are no answers; each is kept as an abstention with its word. Suggestions are a model's and are passed over.
Source: Argilla's guide "Importing and exporting datasets and records", and the export's own modules.
"""

from collections.abc import Iterator
from typing import Any

from ..records import Status
from .imports_entry import Entry, Said, listed, named, scalar
from .lines import Fault, found

SUFFIX = ".responses"
DONE = ("submitted", "", None)
SILENT = ("discarded", "draft", "pending")


def is_export(row: dict[str, Any]) -> bool:
    """Whether a row is a record with its responses, in one of the three shapes."""
    return ("responses" in row and "fields" in row) or any(name.endswith(SUFFIX) for name in row)


def questions(rows: list[Any]) -> set[str]:
    """The names of all questions, whatever else is wrong with the rows."""
    found: set[str] = set()
    for row in listed(rows):
        given = row.get("responses")
        found |= {name.removesuffix(SUFFIX) for name in row if name.endswith(SUFFIX)}
        found |= set(given if isinstance(given, dict) else ())
        found |= {name for one in listed(given) if isinstance(one.get("values"), dict) for name in one["values"]}
    return found


def entries(rows: list[Any], wanted: frozenset[str]) -> Iterator[Entry]:
    """Read every record. ``wanted``: names of questions; empty: all. Raises ``Fault`` naming the record and the field."""
    for n, row in enumerate(rows):
        key = next((str(row[k]) for k in ("id", "external_id") if row.get(k) is not None), "") if isinstance(row, dict) else ""
        name = f"record {key}" if key else f"records[{n}]"
        with named(name):
            if not isinstance(row, dict):
                raise Fault(f"expected an object, found {found(row)}")
            said = [each for each in _said(row) if not wanted or each.question in wanted]
            _once(said)
            yield Entry(where=name, key=key, data=_data(row), said=tuple(said))


def _once(said: list[Said]) -> None:
    seen: set[tuple[str, str]] = set()
    for each in said:
        if (each.person, each.question) in seen:
            raise Fault(f"{each.question}: user {each.person} answered twice")
        seen.add((each.person, each.question))


def _data(row: dict[str, Any]) -> dict[str, Any]:
    """The fields and the metadata of a record; of a flat one, every column that is of no question."""
    if "fields" not in row:
        return {name: value for name, value in row.items() if ".responses" not in name and ".suggestion" not in name}
    parts = [row.get("metadata") or {}, row["fields"]]
    if not all(isinstance(part, dict) for part in parts):
        raise Fault("fields, metadata: expected objects")
    return {**parts[0], **parts[1]}


def _said(row: dict[str, Any]) -> Iterator[Said]:
    responses = row.get("responses")
    if "fields" not in row:
        yield from _flat(row)
    elif isinstance(responses, dict):
        yield from _nested(responses)
    elif isinstance(responses, list):
        yield from _first_version(responses)
    elif responses is not None:
        raise Fault(f"responses: expected an object or a list, found {found(responses)}")


def _nested(responses: dict[str, Any]) -> Iterator[Said]:
    for question, given in responses.items():
        with named(f"responses.{question}"):
            if not isinstance(given, list):
                raise Fault(f"expected a list, found {found(given)}")
            for n, one in enumerate(given):
                with named(f"[{n}]"):
                    if not isinstance(one, dict):
                        raise Fault(f"expected an object, found {found(one)}")
                    yield _one(one.get("user_id"), question, one.get("value"), one.get("status"))


def _flat(row: dict[str, Any]) -> Iterator[Said]:
    for name in [name for name in row if name.endswith(SUFFIX)]:
        values, users, statuses = row[name], row.get(f"{name}.users"), row.get(f"{name}.status")
        if values is None:
            continue
        statuses = statuses if statuses is not None else [None] * len(values) if isinstance(values, list) else None
        for part, column in ((values, name), (users, f"{name}.users"), (statuses, f"{name}.status")):
            if not isinstance(part, list) or len(part) != len(values):
                raise Fault(f"{column}: expected a list, as long as {name}, found {found(part)}")
        for n, (value, user, status) in enumerate(zip(values, users or [], statuses or [], strict=True)):
            with named(f"{name}[{n}]"):
                yield _one(user, name.removesuffix(SUFFIX), value, status)


def _first_version(responses: list[Any]) -> Iterator[Said]:
    for n, one in enumerate(responses):
        with named(f"responses[{n}]"):
            if not isinstance(one, dict) or not isinstance(one.get("values") or {}, dict):
                raise Fault("expected an object with user_id, status and values")
            if not one.get("values"):
                yield _one(one.get("user_id"), "", None, one.get("status") or "draft")
            for question, held in (one.get("values") or {}).items():
                value = held.get("value") if isinstance(held, dict) else held
                yield _one(one.get("user_id"), question, value, one.get("status"))


def _one(user: Any, question: str, value: Any, status: Any) -> Said:
    person = "" if user in (None, "None") else scalar(user, "user_id")
    if status in SILENT or (value is None and status in DONE):
        silent: Status = "abstained"
        return Said(person, question, (), silent, str(status) if status in SILENT else "no answer")
    if status not in DONE:
        raise Fault(f"status: {found(status)} is none of submitted, {', '.join(SILENT)}")
    return Said(person, question, _value(value), "answered", "")


def _rank(one: dict[str, Any]) -> float:
    """The rank of a value; those without one come last."""
    return float(one["rank"]) if isinstance(one["rank"], int | float) else float("inf")


def _value(value: Any) -> tuple[str, ...]:
    """A label, a rating or a text; labels in their order; a ranking from the first rank on."""
    every = value if isinstance(value, list) else [value]
    if every and all(isinstance(one, dict) and {"rank", "value"} <= one.keys() for one in every):
        every = [one["value"] for one in sorted(every, key=_rank)]
    if any(isinstance(one, dict) for one in every):
        raise Fault("value: marks spans of a text, and says nothing of the whole record; name the questions that are wanted as criteria")
    return tuple(text for n, one in enumerate(every) if (text := scalar(one, f"value[{n}]" if isinstance(value, list) else "value")))
