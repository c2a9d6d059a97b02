"""Do three ways to the same weights choose the same letters? ``local/``, a llama.cpp server through ``openai/``, and ``hf/``.

Each is asked the same English questions as one raw text, by the likelihood of the letter. Every difference is listed with both
models' likelihoods: a near tie between two letters is settled by the last bits of the arithmetic (llama.cpp computes in 8 bits where the
others compute in float32). The server is a real llama.cpp, from the package ``xllamacpp``, on 127.0.0.1.

    python benchmarks/agreement.py [--limit 500] [--questions FOLDER] [--hf]
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from endonym import benchmarks
from endonym.build.readers import read
from endonym.evaluate import choose
from endonym.models import provider
from endonym.models.known import locate
from endonym.records import Model, Prompt, Response

GGUF = locate(Model(name="local/smollm2"))
LOCAL = Model(name="local/smollm2", params={"precision": "float32"})


def prompts(folder: Path | None, limit: int) -> list[Prompt]:
    reader, path = ("xnationqa", folder) if folder else ("endonym", benchmarks.data() / "nations-mini" / "benchmark.jsonl")
    items = read(reader=reader, path=path, where=("lang=en",), limit=limit)
    return [prompt.shaped(chat=False) for prompt in choose.write(items)]


@contextmanager
def server() -> Iterator[Model]:
    """A llama.cpp server in this process, on a port of its own choosing."""
    import xllamacpp

    told = xllamacpp.CommonParams()
    told.model.path, told.n_ctx, told.n_parallel, told.cpuparams.n_threads = str(GGUF), 2048, 2, os.cpu_count() or 2
    running = xllamacpp.Server(told)
    url = f"{running.listening_address}/v1"
    yield Model(name="openai/SmolLM2", params={"base_url": url, "concurrency": 2, "top_logprobs": 200})
    del running


def asked(model: Model, some: Sequence[Prompt]) -> dict[str, Response]:
    who, start = provider(model), time.perf_counter()
    found = {response.prompt: response for response in who.answer(some)}
    failed = sum(bool(r.error) for r in found.values())
    print(f"{model.name}: {len(found) / (time.perf_counter() - start):.1f} questions/s, {failed} failed")
    who.close()
    return found


def compare(name: str, some: Sequence[Prompt], one: dict[str, Response], other: dict[str, Response]) -> None:
    best = [(p, choose.likeliest(one[p.id], per_token=False), choose.likeliest(other[p.id], per_token=False)) for p in some]
    differ = [(p, a, b) for p, a, b in best if a != b]
    chosen = sorted({"ABCD"[a] for _, a, _ in best})
    print(f"\n{name}: {1 - len(differ) / len(best):.1%} of {len(best)} the same letter (letters chosen: {', '.join(chosen)})")
    for prompt, a, b in differ:
        print(f"  {prompt.item} {'ABCD'[a]} {one[prompt.id].loglikelihoods} against {'ABCD'[b]} {other[prompt.id].loglikelihoods}")
    gaps = [abs(x - y) for p in some for x, y in zip(one[p.id].loglikelihoods, other[p.id].loglikelihoods, strict=True)]
    print(f"  the log-likelihoods differ by {sum(gaps) / len(gaps):.4f} on average, {max(gaps):.4f} at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--hf", action="store_true", help="ask transformers too, of the same file unpacked to float32")
    told = parser.parse_args()
    some = prompts(told.questions, told.limit)
    ours = asked(LOCAL, some)
    with server() as model:
        theirs = asked(model, some)
    compare("local/ and llama.cpp through openai/", some, ours, theirs)
    if told.hf:
        model = Model(name=f"hf/{GGUF.parent}", params={"gguf_file": GGUF.name, "dtype": "float32"})
        compare("local/ and hf/", some, ours, asked(model, some))


if __name__ == "__main__":
    main()
