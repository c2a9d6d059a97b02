"""Outputs that a data set's own scripts saved, made into a file for ``--responses``.

In: the folder, and what the user said of the benchmark. Out: the path of ``outputs.jsonl`` in the workspace, which the recipe names, so
that the run can be done again without the folder.
"""

from pathlib import Path
from typing import Any

import msgspec

from .. import benchmarks, store
from ..build.readers import named, read
from ..build.xnationqa_outputs import xnationqa_outputs
from ..errors import InputError


def converted(folder: str, workspace: Path, benchmark: benchmarks.Benchmark, reading: dict[str, Any]) -> str:
    """Write the outputs of the items that are asked here; raise InputError for a benchmark whose scripts save no such folder."""
    if benchmark.reader != "xnationqa":
        raise InputError(f"{folder}: is a folder; outputs in a folder are read for xnationqa:PATH only, others as a JSONL file")
    path = benchmarks.resolve(Path(), benchmark.path)
    skipped: list[str] | None = [] if reading.get("skip_bad") else None
    rows = xnationqa_outputs(folder, named(benchmark.reader)(path, skipped=skipped))
    if set(reading) - {"skip_bad"}:
        how = {**reading, "where": tuple(reading.get("where", ())), "skipped": skipped}
        asked = {item.id for item in read(reader=benchmark.reader, path=path, **how)}
        rows = (row for row in rows if row["item"] in asked)
    out = workspace / "outputs.jsonl"
    store.write_text(out, "".join(msgspec.json.encode(row, order="sorted").decode() + "\n" for row in rows))
    return str(out)
