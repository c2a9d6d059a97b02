"""Workspaces in which a rule says who is right: for tables that are worked out by hand."""

from collections.abc import Callable, Sequence
from pathlib import Path

from endonym import store
from endonym.records import Item, Manifest, Message, Prompt, Response, Score

Rule = Callable[[str, Item, str, int], bool]
"""(model, item, style, shots) → right."""


def item(stem: str, gold: int = 0, **labels) -> Item:
    return Item(stem=stem, options=("Ain", "Bresse", "Cher", "Dore"), gold=gold, **labels)


def write(
    folder: Path, items: Sequence[Item], models: Sequence[str], rule: Rule, *, styles: Sequence[str] = ("plain",),
    shots: Sequence[int] = (0,),
) -> Path:  # fmt: skip
    """A model that is wrong says the option after the gold; all stands in the order as is."""
    tables = folder / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recipe.toml").write_text('name = "small"\n', encoding="utf-8")
    was = {"items:items": store.write(tables / "items.jsonl", items, Manifest(stage="build.read", version="1")).sha256}
    ways = [(i, style, k) for i in items for style in styles for k in shots]
    prompts = [_prompt(i, style, k) for i, style, k in ways]
    plan = Manifest(stage="evaluate.choose.write", inputs=was, version="1")
    asked = {"prompts:scores/prompts": store.write(tables / "scores/prompts.jsonl", prompts, plan).sha256}
    inputs, scores = {**asked, **was}, list[Score]()
    for model in models:
        made = [_score(model, p, i, rule(model, i, style, k)) for p, (i, style, k) in zip(prompts, ways, strict=True)]
        said = [Response(prompt=s.prompt, model=model, text="ABCD"[s.position or 0]) for s in made]
        table = f"scores/{model.replace('/', '--')}"
        ask = Manifest(stage="ask", params={"model": model}, inputs=asked, version="1")
        inputs[f"responses:{table}"] = store.write(tables / f"{table}.jsonl", said, ask).sha256
        scores += made
    store.write(tables / "scores.jsonl", scores, Manifest(stage="evaluate.choose.read", inputs=inputs, version="1"))
    return folder


def _prompt(item: Item, style: str, k: int) -> Prompt:
    turn = Message(role="user", content=f"{style} {k} {item.stem}")
    return Prompt(item=item.id, messages=(turn,), order=(0, 1, 2, 3), style=style, shots=("x",) * k)


def _score(model: str, prompt: Prompt, item: Item, right: bool) -> Score:
    gold = item.gold or 0
    chose = gold if right else (gold + 1) % 4
    return Score(
        item=item.id, prompt=prompt.id, model=model, status="answered", right=right, choice=chose, position=chose, gold_position=gold,
        options=4, method="letters", style=prompt.style, shots=len(prompt.shots), lang=item.lang, place=item.place, topic=item.topic,
        subset=item.subset, entity=item.entity, template=item.template, parallel=item.parallel,
    )  # fmt: skip
