"""The tables of a workspace, and how its items came out of them: what each stage took in, let through, and why the others left.

In: the folder ``tables`` of a workspace. Out: the final items, a :class:`Step` for every table of documents or items on the way, and who
made and judged them. The one thing to know: nothing is counted but what stands in the tables. A stage's losses are the ids of its
input that are not in its output; the reasons are those of the judgments about these ids, one an id, and an id without one is "not said".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from .. import store
from ..errors import InputError, UnknownName
from ..records import Estimate, Item, Judgment, Manifest, Prompt, Record, Response, Score, Source

_MARKS: tuple[tuple[frozenset[str], type[Record]], ...] = (
    (frozenset({"stem"}), Item),
    (frozenset({"item", "judge", "criterion"}), Judgment),
    (frozenset({"item", "prompt", "model", "status"}), Score),
    (frozenset({"item", "messages"}), Prompt),
    (frozenset({"prompt", "model"}), Response),
    (frozenset({"metric", "value"}), Estimate),
    (frozenset({"id"}), Source),
)
"""Fields that no other record has all of, in the order in which they are looked for."""
NOT_SAID = "not said"


class Step(Record, frozen=True):
    """One table on the way: how many went in, how many came out, and reason → how many left for it."""

    table: str
    stage: str
    noun: str
    before: int
    after: int
    left: dict[str, int] = {}


class Workspace:
    """The tables of a workspace by name, with their manifests; rows are read when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; a release is made of a workspace that was run (endonym run)")
        paths = store.tables(folder)
        self.manifests: dict[str, Manifest] = {store.table_name(folder, p): store.vouched(p) for p in paths}
        self.kinds = {name: _kind(folder / f"{name}.jsonl") for name in self.manifests}

    def rows(self, name: str, record: type[Any]) -> Iterator[Any]:
        return store.rows(self.folder / f"{name}.jsonl", record)

    def of(self, record: type[Record]) -> list[str]:
        """The tables of one record, in the order in which they were made."""
        return [name for name, kind in self.kinds.items() if kind is record]

    def parents(self, name: str, record: type[Record]) -> list[str]:
        """The tables of one record that a table was made from; a pool of examples is none."""
        pairs = store.parts(self.manifests[name])
        return list(dict.fromkeys(t for p, t in pairs if p != "pool" and self.kinds.get(t) is record))

    def final(self) -> list[str]:
        """The tables of items that no other table of items was made from. Raises InputError where there is none."""
        tables = self.of(Item)
        used = {parent for name in tables for parent in self.parents(name, Item)}
        if found := [name for name in tables if name not in used]:
            return found
        raise InputError(f"{self.folder}: holds no items")

    def chosen(self, names: Sequence[str]) -> list[str]:
        """The tables of items to be released: those named, or the one that all others lead to. Raises UnknownName, InputError."""
        for name in names:
            if name not in self.of(Item):
                raise UnknownName("table of items", name, self.of(Item))
        found = list(names) or self.final()
        if not names and len(found) > 1:
            raise InputError(f"{self.folder}: {', '.join(found)}: which of them is the benchmark? name one with --table, or several")
        return found

    def items(self, names: Iterable[str]) -> list[Item]:
        """The items of several tables, each once."""
        return list({item.id: item for name in names for item in self.rows(name, Item)}.values())

    @cached_property
    def said(self) -> dict[str, list[tuple[str, Judgment]]]:
        """Item → the judgments about it, each with its table."""
        found: dict[str, list[tuple[str, Judgment]]] = defaultdict(list)
        for name in self.of(Judgment):
            for judgment in self.rows(name, Judgment):
                found[judgment.item].append((name, judgment))
        return found

    def ancestry(self, names: Iterable[str]) -> list[str]:
        """The tables that some were made from, and these, in the order in which they were made."""
        todo, found = list(names), set[str]()
        while todo:
            if (name := todo.pop()) in self.manifests and name not in found:
                found.add(name)
                todo += [table for _, table in store.parts(self.manifests[name])]
        return [name for name in self.manifests if name in found]


def _kind(path: Path) -> type[Record] | None:
    """The record of a table, by the fields of its first row; None for an empty table."""
    with store.guarded(path), path.open("rb") as file:
        line = file.readline()
    fields = set(msgspec.json.decode(line)) if line.strip() else set[str]()
    return next((record for marks, record in _MARKS if marks <= fields), None)


def funnel(workspace: Workspace, names: Sequence[str]) -> list[Step]:
    """A step for every table of documents and of items that the tables ``names`` were made from, and for these."""
    return [step for name in workspace.ancestry(names) if (step := _step(workspace, name))]


def _step(workspace: Workspace, name: str) -> Step | None:
    record = workspace.kinds[name]
    if record is not Item and record is not Source:
        return None
    noun, stage = "items" if record is Item else "documents", workspace.manifests[name].stage
    after = {row.id: getattr(row, "parent", "") for row in workspace.rows(name, record)}
    parents = workspace.parents(name, record)
    if not parents:
        lost = _rejected(workspace, name)
        noun = "candidates" if lost else noun
        return Step(table=name, stage=stage, noun=noun, before=len(after) + sum(lost.values()), after=len(after), left=lost)
    before = {row.id for parent in parents for row in workspace.rows(parent, record)}
    parts = {id_.partition("#")[0] for id_ in after} if record is Source else set[str]()
    gone = before - after.keys() - set(after.values()) - parts  # an edited item is its parent's heir, and a part its document's
    left = Counter(_reason(workspace, id_, name, parents) for id_ in gone)
    return Step(table=name, stage=stage, noun=noun, before=len(before), after=len(after), left=_by_count(left))


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _rejected(workspace: Workspace, name: str) -> dict[str, int]:
    """Reason → candidates that never became items: the judgments made from the very replies that the items were made from."""
    replies = set(workspace.parents(name, Response))
    counts = Counter[str]()
    for table in workspace.of(Judgment) if replies else []:
        if replies & set(workspace.parents(table, Response)) and not workspace.parents(table, Item):
            counts.update(j.criterion for j in workspace.rows(table, Judgment))
    return _by_count(counts)


def _reason(workspace: Workspace, id_: str, name: str, parents: list[str]) -> str:
    """Why one id left at a table: by the judge that bears the stage's name, else by a finding that is an error, else by any no."""
    judge = workspace.manifests[name].stage.rpartition(".")[2]
    near = set(parents) | {table for _, table in store.parts(workspace.manifests[name])}
    said = [j for t, j in workspace.said.get(id_, ()) if t in near or near & {p for _, p in store.parts(workspace.manifests[t])}]
    own = [j for j in said if j.judge == judge and j.value != "unsettled"]
    bad = [j for j in said if j.value in ("error", "dropped", "left out", "low", "missing", "reject", "rejected")]
    for judgment in (*own, *bad):
        return f"{judgment.criterion}: {judgment.value}" if judgment.criterion != judge else judgment.value
    return NOT_SAID
