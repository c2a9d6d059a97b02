"""What a whole report costs: 27 models × 2,431 questions (CARTE's size) and 8 × 49,280 (XNationQA's), with 1,000 bootstrap draws.

The workspaces are simulated: as many rows, entities, places, topics and languages as the papers have. Each report is written in a
process of its own, so that its memory is its own; the seconds are the wall's and the processors', with reading the tables.

    python benchmarks/report.py [--runs 3]
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from endonym import store
from endonym.records import Item, Manifest, Message, Prompt, Response, Score

LANGS = ("en", "de", "es", "ru", "zh", "hi", "ja")
PLACES = ("US", "GB", "DE", "ES", "RU", "CN", "IN", "JP", "MX")
TOPICS = ("war", "leader", "park", "site")
CHILD = """
import json, resource, sys, time
from pathlib import Path
from endonym.report import report
wall, used = time.perf_counter(), time.process_time()
report(Path(sys.argv[1]))
spent = [time.perf_counter() - wall, time.process_time() - used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]
print(json.dumps(spent))
"""


def carte() -> Iterator[Item]:
    for i in range(2431):
        stem = f"Question {i} sur une région, assez longue pour ressembler à une vraie question ?"
        yield _item(i, stem, lang="fr", place=f"FR-{i % 13:02}", topic=f"t{i % 14}", entity=f"e{i // 3}")


def xnationqa() -> Iterator[Item]:
    for i in range(49_280):
        e = i // 28
        stem = f"Question {i} about the thing number {e}, which is long enough to look like one?"
        places = {"lang": LANGS[i % 7], "place": PLACES[e % 9], "topic": TOPICS[e % 4]}
        yield _item(i, stem, **places, entity=f"e{e}", template=f"t{i % 4}", parallel=f"p{i // 7}")


def _item(i: int, stem: str, **labels: str) -> Item:
    return Item(stem=stem, options=("Lyon", "Porto", "Kyoto", "Lima"), gold=i % 4, **labels)


def write(folder: Path, items: list[Item], models: int) -> None:
    tables, rng = folder / "tables", random.Random(0)
    was = {"items:items": store.write(tables / "items.jsonl", items, Manifest(stage="build.read", version="1")).sha256}
    turns = [(Message(role="user", content=f"{i.stem}\nA. Lyon\nB. Porto\nC. Kyoto\nD. Lima\nAnswer:"),) for i in items]
    prompts = [Prompt(item=i.id, messages=t, order=(0, 1, 2, 3), continuations=tuple("ABCD")) for i, t in zip(items, turns, strict=True)]
    plan = Manifest(stage="evaluate.choose.write", inputs=was, version="1")
    asked = {"prompts:scores/prompts": store.write(tables / "scores/prompts.jsonl", prompts, plan).sha256}
    names, inputs, scores = [p.id for p in prompts], {**was, **asked}, list[Score]()
    for m in range(models):
        model, table = f"local/m{m}", f"scores/m{m}"
        said = (Response(prompt=name, model=model, loglikelihoods=(-1.0, -2.0, -3.0, -4.0)) for name in names)
        ask = Manifest(stage="ask", params={"model": model}, inputs=asked, version="1")
        inputs[f"responses:{table}"] = store.write(tables / f"{table}.jsonl", said, ask).sha256
        scores += [_score(model, name, i, rng, m / models) for name, i in zip(names, items, strict=True)]
    store.write(tables / "scores.jsonl", scores, Manifest(stage="evaluate.choose.read", inputs=inputs, version="1"))
    (folder / "recipe.toml").write_text('name = "simulated"\n', encoding="utf-8")


def _score(model: str, prompt: str, item: Item, rng: random.Random, knows: float) -> Score:
    gold = item.gold or 0
    chose = gold if rng.random() < knows else rng.randrange(4)
    return Score(
        item=item.id, prompt=prompt, model=model, status="answered", right=chose == gold, choice=chose, position=chose, gold_position=gold,
        options=4, method="letters", lang=item.lang, place=item.place, topic=item.topic, entity=item.entity, template=item.template,
        parallel=item.parallel,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    print("| report of | s on the wall | processor s | peak memory, MB |\n|---|--:|--:|--:|")
    for name, items, models in (("27 × 2,431", carte(), 27), ("8 × 49,280", xnationqa(), 8)):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), list(items), models)
            told = [subprocess.run([sys.executable, "-c", CHILD, folder], check=True, capture_output=True).stdout for _ in range(runs)]
        wall, used, megabytes = (statistics.median(column) for column in zip(*map(json.loads, told), strict=True))
        print(f"| {name} | {wall:.1f} | {used:.1f} | {megabytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()
