"""What an audit costs: XNationQA's published files, or items of that shape made here; seconds and memory of the whole command.

    python benchmarks/audit.py [--questions FOLDER] [--factors 1,2,4]

Without FOLDER, items are made: 440 entities × 4 templates × 7 languages times each factor. Seconds must grow as the items do.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from endonym.records import Item, canonical

STEMS = {
    "en": "In which year did the war number {n} begin, {t}?", "de": "In welchem Jahr begann der Krieg Nummer {n}, {t}?",
    "es": "¿En qué año empezó la guerra número {n}, {t}?", "hi": "युद्ध संख्या {n} किस वर्ष शुरू हुआ, {t}?",
    "ja": "戦争{n}は何年に始まりましたか、{t}？", "ru": "В каком году началась война номер {n}, {t}?", "zh": "战争{n}是哪一年开始的，{t}？",
}  # fmt: skip


def made(entities: int) -> Iterator[Item]:
    """Parallel questions on years that never were."""
    rng = random.Random(0)
    for n in range(entities):
        gold, year = rng.randrange(4), rng.randrange(1000, 2000)
        years = [str(year + rng.choice((-1, 1)) * (5 + k)) for k in range(3)]
        options = (*years[:gold], str(year), *years[gold:])
        for t in range(4):
            for lang, stem in STEMS.items():
                yield Item(
                    stem=stem.format(n=n, t=t), options=options, gold=gold, lang=lang, place="GB", topic="war", entity=f"e{n}",
                    template=str(t), parallel=f"e{n}/{t}",
                )  # fmt: skip


def measured(benchmark: str) -> str:
    """Run the command in a process of its own and say what it took."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "endonym", "audit", benchmark, "--json"], capture_output=True, check=True)
    took, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)["audit"]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{found['items']:>9,}{took:>9.1f}{used:>9.1f}{after.ru_maxrss / 1e6:>9.2f}{len(found['findings']):>9}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", default="", metavar="FOLDER")
    parser.add_argument("--factors", default="1,2,4")
    told = parser.parse_args()
    print(f"{'items':>9}{'wall s':>9}{'CPU s':>9}{'GB':>9}{'kinds':>9}")
    if told.questions:
        print(measured(f"xnationqa:{told.questions}"))
        return
    with tempfile.TemporaryDirectory() as folder:
        for factor in map(int, told.factors.split(",")):
            path = Path(folder) / f"{factor}.jsonl"
            path.write_bytes(b"".join(canonical(item) + b"\n" for item in made(440 * factor)))
            print(measured(str(path)), flush=True)


if __name__ == "__main__":
    main()
