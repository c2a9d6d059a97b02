"""What the checks cost: 10,000 candidate items through all of them, with the search for near-duplicates; prints a line of Markdown.

    python benchmarks/checks.py [--items 10000] [--documents 2000]

Items are put together with a seed from words, places and patterns, in French; one in fifty repeats an earlier one in other words. The
documents are of some 1,500 words each, one in fifty nearly an earlier one.
"""

import argparse
import random
import resource
import time

from endonym.records import Item, Source
from endonym.validate.check import check
from endonym.validate.check_rules import Shelf
from endonym.validate.near import near

ASKS = ("Quelle {noun} {verb} {place} depuis {year} ?", "À {place}, en {year}, quelle {noun} {verb} la vallée ?",
        "Dans quel bourg voisin de {place} une {noun} {verb} les visiteurs en {year} ?",
        "Pourquoi la {noun} de {place} {verb} tant en {year} ?",
        "Au marché de {place}, vers {year}, comment une {noun} {verb} le passage ?")  # fmt: skip


def vocabulary(rng: random.Random, size: int) -> list[str]:
    """Words that look like words: no list of real ones is long enough to keep 10,000 questions apart."""
    parts = ["ba", "cor", "del", "fin", "gra", "lin", "mar", "nel", "por", "ran", "sel", "tou", "ver", "vin", "cha", "pla", "tri", "bou"]
    return ["".join(rng.choices(parts, k=rng.randint(2, 4))) + rng.choice(["e", "ie", "ette", "ine"]) for _ in range(size)]


def items(count: int, seed: int = 0) -> list[Item]:
    """Questions of which one in fifty is an earlier one, its words in another order."""
    rng = random.Random(seed)
    nouns, verbs = vocabulary(rng, 4000), vocabulary(rng, 600)
    places = [p for name, ps in Shelf().rules("fr").lists.places.items() if "-" in name for p in ps if p[0].isupper()]
    made: list[Item] = []
    for n in range(count):
        if n % 50 == 49:
            old = rng.choice(made)
            made.append(Item(stem=f"Dites-le : {old.stem}", options=old.options, gold=old.gold, abstain=4, lang="fr", place="FR"))
            continue
        words = {"noun": rng.choice(nouns), "verb": rng.choice(verbs), "place": rng.choice(places), "year": rng.randint(1700, 2020)}
        options = (*(f"La {a} de {b}" for a, b in zip(rng.sample(nouns, 4), rng.sample(places, 4), strict=True)), "Je ne sais pas")
        made.append(Item(stem=rng.choice(ASKS).format(**words), options=options, gold=n % 4, abstain=4, lang="fr", place="FR"))
    return made


def documents(count: int, seed: int = 0) -> list[Source]:
    """Documents of which one in fifty is an earlier one with every twentieth word changed."""
    rng = random.Random(seed)
    words = vocabulary(rng, 5000)
    texts: list[list[str]] = []
    for n in range(count):
        text = list(rng.choice(texts)) if n % 50 == 49 else rng.choices(words, k=1500)
        texts.append([rng.choice(words) if n % 50 == 49 and k % 20 == 0 else w for k, w in enumerate(text)])
    return [Source(id=str(n), text=" ".join(t), lang="fr") for n, t in enumerate(texts)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=2_000)
    told = parser.parse_args()
    asked = items(told.items)
    start, worked = time.perf_counter(), time.process_time()
    found = list(check(asked))
    seconds, cpu = time.perf_counter() - start, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    repeats = sum(j.criterion == "near-duplicate" for j in found)
    print("| what | seconds | processor seconds | peak memory | found |\n|---|---|---|---|---|")
    print(f"| {told.items:,} items, all checks | {seconds:.1f} | {cpu:.1f} | {peak:.0f} MB | {repeats} of {told.items // 50} repeats |")
    texts = documents(told.documents)
    start, worked = time.perf_counter(), time.process_time()
    same = len(list(near(texts)))
    seconds, cpu = time.perf_counter() - start, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {told.documents:,} documents, near | {seconds:.1f} | {cpu:.1f} | {peak:.0f} MB | {same} of {told.documents // 50} |")


if __name__ == "__main__":
    main()
