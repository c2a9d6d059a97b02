"""Cost as the work grows: synthetic questions through the whole kitchen, answered by a model that costs nothing.

Each size runs in processes of its own: one that reads the benchmark, writes the prompts, asks and reads the scores; one that
does it again with every table gone but the cache there; one that only asks, with everything cached. Wall time and the most memory
that the process ever held (which begins at some 25 MB for Python and the libraries).

    python benchmarks/scale.py [--runs 1] [--sizes 1000 10000 49280]
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SIZES = (1_000, 10_000, 49_280)
OPTIONS = ("the bridge of {}", "the mill of {}", "the tower of {}", "the well of {}")


def make_benchmark(path: Path, number: int) -> None:
    from endonym.records import Item, canonical

    with path.open("wb") as file:
        for n in range(number):
            options = tuple(option.format(n) for option in OPTIONS)
            stem = f"What did the people of village number {n} build first, before the church and the road to the valley?"
            item = Item(
                stem=stem, options=options, gold=n % 4, lang=("en", "fr", "pt")[n % 3], place=("FR", "PT", "ES")[n % 3], topic=f"t{n % 7}"
            )
            file.write(canonical(item) + b"\n")


def whole(folder: Path) -> None:
    """Read, write prompts, ask, read scores."""
    from endonym import recipe
    from endonym.kitchen import Kitchen
    from endonym.records import Model

    reading = recipe.Stage(do="build.read", makes="items", settings={"reader": "endonym", "path": "../benchmark.jsonl"})
    choosing = recipe.Stage(do="evaluate.choose", makes="scores", models=(Model(name="parrot/x"),), settings={})
    Kitchen(folder / "work").cook(recipe.Recipe(name="scale", stages=(reading, choosing)))


def anew(folder: Path) -> None:
    shutil.rmtree(folder / "work" / "tables")
    whole(folder)


def cached(folder: Path) -> None:
    """Nothing but ``ask``, which finds everything in its cache."""
    from endonym import store
    from endonym.ask import ask
    from endonym.records import Model, Prompt

    table = store.read(folder / "work/tables/scores/prompts.jsonl", Prompt)
    if len(table) != sum(1 for _ in ask(table, model=Model(name="parrot/x"), cache=folder / "work/cache.db")):
        raise SystemExit("responses are missing")


ARMS: dict[str, Callable[[Path], None]] = {"all asked": whole, "all again, answers cached": anew, "ask alone, all cached": cached}


def measured(arm: str, folder: Path) -> tuple[float, float]:
    """Seconds of the work and MB at its peak, in a process of its own."""
    out = subprocess.run([sys.executable, __file__, "--arm", arm, str(folder)], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(out.stderr[-600:])
    seconds, megabytes = json.loads(out.stdout)
    return seconds, megabytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--arm", nargs=2, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.arm:
        started = time.perf_counter()
        ARMS[told.arm[0]](Path(told.arm[1]))
        print(json.dumps([time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    print("| prompts | " + " | ".join(f"{arm}: s | MB" for arm in ARMS) + " |")
    print("| ---: |" + " ---: | ---: |" * len(ARMS))
    for size in told.sizes:
        found: dict[str, list[tuple[float, float]]] = {arm: [] for arm in ARMS}
        for _ in range(told.runs):
            with tempfile.TemporaryDirectory() as name:
                make_benchmark(Path(name) / "benchmark.jsonl", size)
                for arm, pairs in found.items():
                    pairs.append(measured(arm, Path(name)))
        columns = (
            f"{statistics.median(s for s, _ in pairs):.2f} | {statistics.median(m for _, m in pairs):.0f}" for pairs in found.values()
        )
        print(f"| {size:,} | {' | '.join(columns)} |", flush=True)
    print(f"\nLoad of the machine: {' '.join(f'{x:.1f}' for x in os.getloadavg())} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
