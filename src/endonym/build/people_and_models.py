"""Who made, tried and judged the items of a benchmark, as rows for its card.

In: items and the tables of their workspace. Out: rows of text and counts. The one thing to know: a model that judged or tried what it
made itself is counted, for its word about it is worth less.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ..canonical import digest
from ..records import Estimate, Item, Score, Source, same_model
from .provenance import Workspace

STAGES = ("panel", "keep", "balance")
"""Judges that are stages of this package: they count what others said."""


def makers(items: Sequence[Item]) -> Counter[str]:
    return Counter(item.maker or "(not said)" for item in items)


def sources(items: Sequence[Item], workspace: Workspace) -> list[tuple[str, int, int]]:
    """(licence, documents, items) of the documents that the items were made from."""
    known = {row.id: row for name in workspace.of(Source) for row in workspace.rows(name, Source)}
    documents: dict[str, set[str]] = defaultdict(set)
    counts = Counter[str]()
    for item in items:
        if item.source in known:
            licence = known[item.source].origin.get("licence", "") or "(no licence stated)"
            documents[licence].add(item.source.partition("#")[0])
            counts[licence] += 1
    return [(licence, len(documents[licence]), n) for licence, n in counts.most_common()]


def judges(items: Sequence[Item], workspace: Workspace) -> list[tuple[str, str, int, int]]:
    """(judge, criteria, items judged, of these made by the judge itself)."""
    criteria: dict[str, set[str]] = defaultdict(set)
    judged: dict[str, set[str]] = defaultdict(set)
    makers_of = {item.id: item.maker for item in items}
    for id_ in makers_of:
        for _, judgment in workspace.said.get(id_, ()):
            if judgment.judge not in STAGES and not judgment.judge.startswith("check/"):
                judged[judgment.judge].add(id_)
                criteria[judgment.judge].add(judgment.criterion)
    own = {judge: sum(same_model(makers_of[id_], judge) for id_ in ids) for judge, ids in judged.items()}
    return [(judge, ", ".join(sorted(criteria[judge])), len(judged[judge]), own[judge]) for judge in sorted(judged)]


def read_by_people(items: Sequence[Item], workspace: Workspace) -> int:
    """How many items at least one person judged."""
    return sum(
        any(j.judge.startswith("people/") and j.status == "answered" for _, j in workspace.said.get(item.id, ())) for item in items
    )  # fmt: skip


def unsettled(items: Sequence[Item]) -> int:
    return sum(item.meta.get("panel", "").startswith("unsettled") for item in items)


def panels(workspace: Workspace) -> Iterator[str]:
    """A line for every set of models that answered the items: its digest, which stands in ``meta.difficulty_panel``, and their names."""
    seen: set[str] = set()
    for name in workspace.of(Score):
        asked: dict[tuple[int, str], set[str]] = defaultdict(set)
        for score in workspace.rows(name, Score):
            asked[score.shots, score.style].add(score.model)
        for (shots, style), models in sorted(asked.items()):
            line = f"- models:{digest(sorted(models), 12)} ({shots}-shot, {style}): {', '.join(sorted(models))}"
            if line not in seen:
                seen.add(line)
                yield line


def tried_by_makers(items: Sequence[Item], workspace: Workspace) -> int:
    """How many items the model that made them was asked to answer."""
    asked: dict[str, set[str]] = defaultdict(set)
    for name in workspace.of(Score):
        for score in workspace.rows(name, Score):
            asked[score.item].add(score.model)
    return sum(any(same_model(item.maker, model) for model in asked[item.id]) for item in items)


def agreed(workspace: Workspace) -> list[tuple[str, ...]]:
    """A row for every estimate of ``validate.agreement``."""
    tables = [name for name in workspace.of(Estimate) if workspace.manifests[name].stage == "validate.agreement"]
    return [
        (
            e.group.get("criterion", ""), e.group.get("judges", ""), e.metric, "n/a" if e.value is None else f"{e.value:.3f}",
            "–" if e.low is None or e.high is None else f"{e.low:.3f} to {e.high:.3f}", str(e.n), e.note,
        )
        for name in tables for e in workspace.rows(name, Estimate)
    ]  # fmt: skip
