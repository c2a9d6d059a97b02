"""The card of a benchmark: what it holds, how hard it is, where it came from, what was left out and why.

In: the items that are published, the tables of the workspace, and the terms of the release. Out: Markdown. The one thing to know: no gold
answer stands in a card, whoever the benchmark is for, and every number is counted from the tables.

Paper: CARTE, tables 1 (topic × region), 2 (difficulty), 5 (linguistic variation by region) and 6 (examples of each tier).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from .. import __version__
from ..canonical import digest
from ..records import Item
from .people_and_models import agreed, judges, makers, panels, read_by_people, sources, tried_by_makers, unsettled
from .provenance import Step, Workspace
from .terms import Released, Terms

TIERS = ("Easy", "Medium", "Hard", "unknown")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def card(items: Sequence[Item], workspace: Workspace, steps: Sequence[Step], terms: Terms, done: Released) -> str:
    """The whole card."""
    parts = [
        _head(items, terms, done), _counts(items), _subsets(items), _difficulty(items, workspace), _positions(items),
        _examples(items, terms.seed), _provenance(items, workspace), _funnel(steps), _known(items, workspace), _access(terms, done),
        _contamination(terms),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars and line breaks in cells are made harmless."""
    lines = [[_cell(c) for c in row] for row in (head, *rows)]
    return "\n".join(["| " + " | ".join(row) + " |" for row in (lines[0], ["---"] * len(head), *lines[1:])])


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")


def _by(items: Iterable[Item], of: Callable[[Item], str]) -> Counter[str]:
    return Counter(of(item) or "(none)" for item in items)


def _head(items: Sequence[Item], terms: Terms, done: Released) -> str:
    rows = [
        ("version", terms.version), ("items", f"{len(items):,}"), ("languages", ", ".join(sorted(_by(items, lambda i: i.lang)))),
        ("places", len(_by(items, lambda i: i.place))), ("topics", len(_by(items, lambda i: i.topic))),
        ("licence", terms.licence or "**not stated yet: nobody may use this until it is**"), ("canary", f"`{done.canary}`"),
        *((f"SHA-256 of `{name}`", f"`{sha}`") for name, sha in done.hashes.items()), ("made with", f"endonym {__version__}"),
    ]  # fmt: skip
    return f"# {terms.title or terms.name}\n\n{terms.description}".rstrip() + "\n\n" + table(("", ""), rows)


def _counts(items: Sequence[Item]) -> str:
    places, topics, cells = _by(items, lambda i: i.place), _by(items, lambda i: i.topic), Counter((i.topic, i.place) for i in items)
    columns = sorted(places)
    rows = [(topic, *(cells[_bare(topic), _bare(p)] or "–" for p in columns), topics[topic]) for topic in sorted(topics)]
    total = ("**all**", *(places[p] for p in columns), len(items))
    return "## Items by topic and place\n\n" + table(("topic", *columns, "all"), [*rows, total])


def _bare(name: str) -> str:
    return "" if name == "(none)" else name


def _subsets(items: Sequence[Item]) -> str:
    names = sorted({i.subset for i in items if i.subset})
    if not names:
        return ""
    held = {name: _by((i for i in items if i.subset == name), lambda i: i.place) for name in names}
    rows = [(place, *(held[name][place] or "–" for name in names)) for place in sorted(_by(items, lambda i: i.place))]
    total = ("**all**", *(held[name].total() for name in names))
    return "## Subsets by place\n\n" + table(("place", *names), [*rows, total])


def _difficulty(items: Sequence[Item], workspace: Workspace) -> str:
    tiers = Counter(i.meta["difficulty"] for i in items if "difficulty" in i.meta)
    if not tiers:
        return ""
    shares = {t: [float(s) for i in items if i.meta.get("difficulty") == t and (s := i.meta.get("difficulty_share"))] for t in tiers}
    names = (*(t for t in TIERS if t in tiers), *sorted(set(tiers) - set(TIERS)))
    rows = [(tier, tiers[tier], _percent(tiers[tier], len(items)), _percent(sum(shares[tier]), len(shares[tier]))) for tier in names]
    head = "## Difficulty\n\nThe share of a panel's models that got an item right; a tier is a property of these models.\n\n"
    told = [f"- `{panel}`: {n} items" for panel, n in sorted(_by((i for i in items if "difficulty" in i.meta), _panel).items())]
    return head + table(("tier", "items", "of all", "mean share right"), rows) + "\n\n" + "\n".join([*told, *panels(workspace)])


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _panel(item: Item) -> str:
    return item.meta.get("difficulty_panel", "")


def _positions(items: Sequence[Item]) -> str:
    counts = Counter(i.gold for i in items if i.gold is not None)
    if not counts:
        return ""
    rows = [[counts[p] for p in range(max(counts) + 1)]]
    return "## Where the right option stands\n\n" + table([_LETTERS[p] for p in range(max(counts) + 1)], rows)


def _examples(items: Sequence[Item], seed: int) -> str:
    """Two items of each tier, or three of all, drawn with the seed; the right option is not marked."""
    tiers = [t for t in TIERS if any(i.meta.get("difficulty") == t for i in items)]
    parts = ["## Examples\n\nWithout their answers, which are in no card."]
    for tier in tiers or [""]:
        drawn = sorted((i for i in items if i.meta.get("difficulty", "") == tier or not tiers), key=lambda i: digest([seed, i.id], 32))
        parts += [f"### {tier}"] if tier else []
        parts += [_example(item) for item in drawn[: 2 if tiers else 3]]
    return "\n\n".join(parts)


def _example(item: Item) -> str:
    label = " · ".join(filter(None, (item.place, item.topic, item.subset)))
    stem = " ".join(item.stem.split())
    options = [f"- {letter}. {' '.join(option.split())}" for letter, option in zip(_LETTERS, item.options, strict=False)]
    return "\n".join([f"{stem} *({label})*" if label else stem, *([""] if options else []), *options])


def _provenance(items: Sequence[Item], workspace: Workspace) -> str:
    parts = ["## Where it came from", table(("made by", "items"), makers(items).most_common())]
    if found := sources(items, workspace):
        parts += [table(("documents under", "documents", "items"), found)]
    if said := judges(items, workspace):
        parts += [table(("judged by", "as to", "items", "of these, made by the same model"), said)]
        own = sum(1 for row in said if row[3])
        parts += [
            "**Some items were judged by the model that made them**; the last column counts them." if own
            else "No item was judged by the model that made it."
        ]  # fmt: skip
    if found := agreed(workspace):
        parts += ["Agreement of the judges:", table(("as to", "judges", "measure", "value", "95 % interval", "items", ""), found)]
    return "\n\n".join(parts)


def _funnel(steps: Sequence[Step]) -> str:
    rows = [
        (s.table, s.stage, s.noun, s.before, s.after, "; ".join(f"{reason} {n}" for reason, n in s.left.items()) or "–") for s in steps
    ]  # fmt: skip
    head = "## From candidates to the benchmark\n\nEvery stage with what went in, what came out, and why the others left.\n\n"
    return head + table(("table", "stage", "of", "in", "out", "why the others left"), rows)


def _known(items: Sequence[Item], workspace: Workspace) -> str:
    read = read_by_people(items, workspace)
    lines = [f"- {read} of {len(items)} items were judged by at least one person." + ("" if read else " Take it for unreviewed.")]
    if open_ := unsettled(items):
        lines.append(f"- {open_} items stayed although too few models of the panel answered them; their `meta.panel` says so.")
    if own := tried_by_makers(items, workspace):
        lines.append(f"- {own} items were also answered by the model that made them: its share of right answers is no measure of it.")
    return "\n".join(["## What is not known", "", *lines])


def _access(terms: Terms, done: Released) -> str:
    return "\n\n".join(["## Access", *_accesses(terms, done)])


def _accesses(terms: Terms, done: Released) -> Iterator[str]:
    if terms.mode == "sealed":
        yield (
            "The questions are open, in `questions.jsonl`; the answers are sealed in `benchmark.jsonl.age` (age). Ask the makers for the "
            "key, or send them a model's replies by the questions' numbers. With the key: `endonym release FOLDER --open --key FILE`."
        )
    elif terms.mode == "gated":
        yield "Handed out on request: `gate.md` holds the words for a hub's gate. Do not put the files anywhere else."
    else:
        yield "Open to all, answers included."
    if done.held_out:
        yield f"A further {done.held_out} items are held out and not published, of other entities and other documents than these."
        yield f"SHA-256 of the file that holds them: `{done.held_out_sha256}`."


def _contamination(terms: Terms) -> str:
    note = (
        "A model that was trained on these items knows the answers and not the culture. The canary stands in every file: whoever "
        "gathers training data can look for it and leave the file out, and a model that can complete it has seen one. Please do not put "
        "the items into training data, nor their answers onto open pages, and say when a model was made before or after this version. "
    )
    more = "The answers are in the open, so expect them to be scraped; the held-out part, if there is one, shows by how much that matters."
    return "## Contamination\n\n" + note + (more if terms.mode == "public" else "")
