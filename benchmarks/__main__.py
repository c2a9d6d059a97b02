"""``make bench``: every measurement of this folder, one after the other; each prints a table in Markdown.

    python -m benchmarks [--harness PYTHON] [--inspect PYTHON] [--questions FOLDER] [--short]

PYTHON are interpreters of environments of their own: one with lm-eval, torch and transformers, one with inspect-ai and openai. A
part whose peer is not given is measured without it, and says so.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def plans(told: argparse.Namespace) -> list[list[str]]:
    """The commands: script and arguments."""
    short = told.short
    client = ["client_overhead.py", "--runs", "3", "--requests", "2000" if short else "6000"]
    client += ["--inspect", told.inspect] if told.inspect else []
    client += ["--harness", told.harness] if told.harness else []
    found = [client, ["fault_run.py", "--prompts", "1000" if short else "5000"], ["scale.py"], ["metrics.py"], ["report.py"]]
    audit = ["audit.py", "--questions", told.questions] if told.questions else ["audit.py"]
    found += [["checks.py"], audit, ["dump.py", "--triples", "500000" if short else "5000000"],
              ["web_load.py", "--seconds", "30" if short else "120"]]
    if told.harness and told.questions:
        local = ["local_scoring.py", "--harness", told.harness, "--questions", told.questions, "--limit", "60" if short else "300"]
        found += [local, [*local, "--shots", "3"]]
    else:
        print("local_scoring.py is left out: it needs --harness PYTHON and --questions FOLDER\n", flush=True)
    return found


def main() -> int:
    """Run them all; the exit code is that of the first that failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--harness", default="", metavar="PYTHON")
    parser.add_argument("--inspect", default="", metavar="PYTHON")
    parser.add_argument("--questions", default="", metavar="FOLDER")
    parser.add_argument("--short", action="store_true", help="fewer questions and requests")
    failed = 0
    for script, *args in plans(parser.parse_args()):
        print(f"## {script} {' '.join(args)}\n", flush=True)
        failed = subprocess.run([sys.executable, str(HERE / script), *args], check=False).returncode or failed
        print(flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
