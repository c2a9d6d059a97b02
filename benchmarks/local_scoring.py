"""What local scoring costs: questions a second of ``local/smollm2`` against lm-evaluation-harness and against a bare torch loop.

Everyone scores the same letters of the same English questions with the same weights (the GGUF file, unpacked once into a
folder for transformers). Each contender is a process of its own, loaded and warmed before the first clock starts; the
contenders take turns, and medians are given, in seconds by the clock and in seconds of processor time, which other work
on the machine disturbs less. The floor is what a person would write by hand: torch, batches sorted by length, the last
position alone through the output layer. lm-evaluation-harness runs at its defaults (float32, one question at a time) and
at the best of several settings, found on a few questions first.

    python benchmarks/local_scoring.py --harness PYTHON --questions FOLDER [--limit 300] [--shots 3] [--runs 3]

PYTHON is an interpreter with lm-eval, torch and transformers; FOLDER holds the JSON files of XNationQA.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LETTERS = ("A", "B", "C", "D")
Ask = Callable[[list[str]], list[tuple[float, ...]]]
HARNESS_TRIES = ("lm-eval:float32:8", "lm-eval:float32:16", "lm-eval:float32:32", "lm-eval:bfloat16:8")
FLOOR_TRIES = ("floor:float32:8", "floor:float32:16", "floor:float32:32")


def questions(folder: Path, limit: int, shots: int) -> list[str]:
    """Draw prompts that end with ``Answer:``, each after the same ``shots`` solved ones."""
    rows = []
    for path in sorted(folder.glob("*.json")):
        for row in json.loads(path.read_text("utf-8")):
            rows += [(prompt.rstrip(), str(row["answer"])) for prompt in row["prompts"]["English"]]
    random.Random(0).shuffle(rows)
    solved = []
    for prompt, answer in rows[:shots]:
        letter = next((line[0] for line in prompt.splitlines() if line[3:].strip() == answer and line[1:2] == "."), "A")
        solved.append(f"{prompt} {letter}\n\n")
    return ["".join(solved) + prompt for prompt, _ in rows[shots : shots + limit]]


def ours(settings: str, gguf: str) -> Ask:
    """The provider ``local``; settings such as ``engine=torch,precision=int8``."""
    from endonym.models.local import Local
    from endonym.records import Message, Model, Prompt

    pairs = (pair.split("=") for pair in settings.split(",") if pair)
    params = {key: int(value) if value.isdigit() else value for key, value in pairs}
    provider = Local(Model(name=f"local/{gguf}", params=params))

    def ask(texts: list[str]) -> list[tuple[float, ...]]:
        wanted = tuple(f" {letter}" for letter in LETTERS)
        prompts = [Prompt(item=str(n), messages=(Message(role="user", content=t),), continuations=wanted) for n, t in enumerate(texts)]
        found = {response.prompt: response.loglikelihoods for response in provider.answer(prompts)}
        provider.forget()
        return [found[prompt.id] for prompt in prompts]

    return ask


def harness(settings: str, folder: str) -> Ask:
    """lm-evaluation-harness's HFLM, asked as its multiple-choice tasks ask it; settings ``dtype:batch``."""
    import logging

    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    logging.disable(logging.WARNING)
    dtype, batch = settings.split(":")
    model = HFLM(pretrained=folder, device="cpu", dtype=dtype, batch_size=int(batch))

    def ask(texts: list[str]) -> list[tuple[float, ...]]:
        asked = [Instance("loglikelihood", {}, (text, f" {letter}"), n) for n, text in enumerate(texts) for letter in LETTERS]
        found = [value for value, _ in model.loglikelihood(asked, disable_tqdm=True)]
        return [tuple(found[at : at + len(LETTERS)]) for at in range(0, len(found), len(LETTERS))]

    return ask


def floor(settings: str, folder: str) -> Ask:
    """A loop by hand: sort, pad on the right, run the layers, read the last position; settings ``dtype:batch``."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    dtype, batch = settings.split(":")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    letters = [tokenizer(f" {letter}", add_special_tokens=False).input_ids[0] for letter in LETTERS]

    @torch.inference_mode()
    def ask(texts: list[str]) -> list[tuple[float, ...]]:
        rows = tokenizer(texts).input_ids
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        found: list[tuple[float, ...]] = [()] * len(rows)
        for at in range(0, len(order), int(batch)):
            part = order[at : at + int(batch)]
            sizes = torch.tensor([len(rows[n]) for n in part])
            ids = torch.zeros(len(part), int(sizes.max()), dtype=torch.long)
            for place, n in enumerate(part):
                ids[place, : len(rows[n])] = torch.tensor(rows[n])
            hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state  # right padding: the causal mask is enough
            last = hidden[torch.arange(len(part)), sizes - 1]
            scores = model.lm_head(last).float().log_softmax(-1)[:, letters]
            for place, n in enumerate(part):
                found[n] = tuple(scores[place].tolist())
        return found

    return ask


MAKERS: dict[str, Callable[[str, str], Ask]] = {"ours": ours, "lm-eval": harness, "floor": floor}


def contend(name: str, model: str) -> None:
    """The life of a contender: load, then for each line of standard input score the texts in it and say what it took."""
    kind, _, settings = name.partition(":")
    ask = MAKERS[kind](settings, model)
    print("ready", flush=True)
    for line in sys.stdin:
        texts = json.loads(line)
        clock, processor = time.perf_counter(), time.process_time()
        found = ask(texts)
        spent = {"seconds": time.perf_counter() - clock, "processor": time.process_time() - processor}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"found": found, "megabytes": peak, **spent}), flush=True)


class Contender:
    """A contender seen from outside."""

    def __init__(self, name: str, python: str, model: str, threads: int) -> None:
        self.name = name
        self.runs: list[dict[str, Any]] = []
        command = [python, __file__, "--contend", name, "--model", model]
        limits = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS") if threads else ()
        environment = {**os.environ, **dict.fromkeys(limits, str(threads))}
        if threads and name.startswith("ours"):
            command[3] += f"{',' if name[-1] != ':' else ''}threads={threads}"
        self.speed, self.threads = 0.0, threads
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, text=True, env=environment)
        self._line("ready")

    def _line(self, start: str) -> str:
        for line in self.process.stdout or ():
            if line.startswith(start):
                return line
        raise SystemExit(f"{self.name} ended before it answered (run it by hand with --contend {self.name})")

    def run(self, texts: list[str], count: bool = True) -> dict[str, Any]:
        if self.process.stdin:
            self.process.stdin.write(json.dumps(texts) + "\n")
            self.process.stdin.flush()
        result = json.loads(self._line("{"))
        result["texts"] = len(texts)
        if count:
            self.runs.append(result)
        return result

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def rate(self, what: str = "seconds") -> float:
        return statistics.median(run["texts"] / run[what] for run in self.runs)


def unpack(python: str, gguf: str, folder: str) -> None:
    """Write the weights of a GGUF file as a float32 folder for transformers, with the file's tokenizer."""
    code = """
import os, sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
place, file = os.path.split(sys.argv[1])
tokenizer = AutoTokenizer.from_pretrained(place, gguf_file=file)
model = AutoModelForCausalLM.from_pretrained(place, gguf_file=file, dtype=torch.float32)
if hasattr(model.config, "quantization_config"):
    del model.config.quantization_config
plain = type(model)(model.config).to(torch.float32)
plain.load_state_dict(model.state_dict())
plain.save_pretrained(sys.argv[2])
tokenizer.save_pretrained(sys.argv[2])
"""
    done = subprocess.run([python, "-c", code, gguf, folder], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the model could not be unpacked (are torch, transformers and accelerate there?):\n{done.stderr[-800:]}")


def best(tries: tuple[str, ...], make: Callable[[str], Contender], texts: list[str]) -> Contender:
    """Try several settings on a few questions; keep the fastest."""
    found = []
    for name in tries:
        contender = make(name)
        contender.run(texts[:4], count=False)
        contender.speed = len(texts) / contender.run(texts, count=False)["processor" if contender.threads == 1 else "seconds"]
        print(f"  tried {name}: {contender.speed:.2f} questions/s", file=sys.stderr)
        found.append(contender)
    found.sort(key=lambda contender: contender.speed)
    for contender in found[:-1]:
        contender.close()
    return found[-1]


def same(a: list[list[float]], b: list[list[float]]) -> float:
    """The share of questions to which both choose one letter."""
    return sum(x.index(max(x)) == y.index(max(y)) for x, y in zip(a, b, strict=True)) / len(a)


def apart(a: list[list[float]], b: list[list[float]]) -> float:
    """The largest difference of a log-likelihood, in nats: sharper than the letters where a model nearly always says one."""
    return max(abs(x - y) for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))


def table(contenders: list[Contender], shots: int, texts: list[str]) -> list[str]:
    reference = next((c for c in contenders if c.name == "lm-eval:float32:1"), contenders[-1])
    lines = [
        f"{shots}-shot, {len(texts)} questions, medians of {len(contenders[0].runs)} runs in turns",
        "",
        "| contender | questions/s | processor s/question | peak memory, MB | times lm-eval defaults | same letter | differs by at most |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for c in contenders:
        times, memory = c.rate() / reference.rate(), max(run["megabytes"] for run in c.runs)
        found, other = c.runs[-1]["found"], reference.runs[-1]["found"]
        speed = f"{c.rate():.2f} | {1 / c.rate('processor'):.3f} | {memory:.0f} | {times:.2f}"
        lines.append(f"| {c.name} | {speed} | {100 * same(found, other):.1f} % | {apart(found, other):.5f} |")
    return lines


def compare(options: argparse.Namespace, gguf: str, folder: str) -> list[str]:
    """One table: our settings, the harness at its defaults and its best, and the floor."""
    texts = questions(Path(options.questions), options.limit, options.shots)
    sample = texts[: max(8, options.limit // 8)]

    def other(name: str) -> Contender:
        return Contender(name, options.harness, folder, options.threads)

    contenders = [Contender(f"ours:{settings}", sys.executable, gguf, options.threads) for settings in options.ours.split(";")]
    contenders += [best(FLOOR_TRIES, other, sample), other("lm-eval:float32:1"), best(HARNESS_TRIES, other, sample)]
    try:
        for contender in contenders:
            contender.run(texts[:4], count=False)
        for number in range(options.runs):
            for contender in contenders:
                spent = contender.run(texts)["seconds"]
                print(f"  run {number + 1}, {contender.name}: {spent:.1f} s", file=sys.stderr)
        return table(contenders, options.shots, texts)
    finally:
        for contender in contenders:
            contender.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--harness", default="", help="a Python with lm-eval, torch, transformers and accelerate")
    parser.add_argument("--questions", default="", help="the folder of XNationQA's JSON files")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--shots", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="0: what each takes by itself; 1: compare the processor times")
    parser.add_argument("--ours", default="", help="settings of ours, several with ';': engine=torch;engine=torch,precision=int8")
    parser.add_argument("--folder", default="", help="where the unpacked model is kept; empty: a temporary folder")
    parser.add_argument("--contend", default="", help=argparse.SUPPRESS)
    parser.add_argument("--model", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contend:
        contend(options.contend, options.model)
        return
    if not (options.harness and Path(options.harness).exists() and Path(options.questions).is_dir() and options.questions):
        print("skipped: local scoring needs --harness PYTHON (with lm-eval, torch, transformers, accelerate) and --questions FOLDER")
        return
    from endonym.models.known import locate
    from endonym.records import Model

    gguf = str(locate(Model(name="local/smollm2")))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or temporary
        if not (Path(folder) / "config.json").exists():
            unpack(options.harness, gguf, folder)
        print("\n".join(compare(options, gguf, folder)))


if __name__ == "__main__":
    main()
