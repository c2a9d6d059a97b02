"""A data set of the hub in, the folder in which its files lie on this machine out.

In: ``hf:ORG/NAME``, ``hf:ORG/NAME@REVISION``, or one of them with ``/FOLDER`` or ``/FILE`` after it. Out: the same word with the commit in
place of the revision, and a path. The one thing to know: where the cache of the hub has the commit, or the network is forbidden
(``HF_HUB_OFFLINE=1``), nothing is asked of the hub; else the files that readers read are fetched, or those in FOLDER alone.
"""

import re
from pathlib import Path

from ..errors import InputError, Unavailable, UnknownName
from ..models.hf_find import hub_cache, offline
from .mapped_file import SUFFIXES

_WORD = re.compile(r"hf:(?P<name>[\w.-]+/[\w.-]+)(?:@(?P<revision>refs/\w+/[^/]+|[^/]+))?(?:/(?P<inside>.+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def pinned(word: str) -> tuple[str, Path]:
    """The word with its commit, and the path. Raises ``InputError``, ``UnknownName`` (no such folder in it), ``Unavailable``."""
    match = _WORD.fullmatch(word)
    if not match:
        raise InputError(f"{word}: is not of the form hf:ORG/NAME@REVISION")
    name, inside = match["name"], match["inside"] or ""
    folder = _cached(name, match["revision"] or "", inside) or _fetched(word, name, match["revision"] or "", inside)
    path = folder / inside
    if not path.exists():
        raise UnknownName(f"file in {word}", inside, [p.relative_to(folder).as_posix() for p in folder.rglob("*")])
    return f"hf:{name}@{folder.name}" + (f"/{inside}" if inside else ""), path


def _cached(name: str, revision: str, inside: str) -> Path | None:
    """The folder of a commit that is in the cache: what a recipe names never changes, so nobody has to be asked."""
    folder = hub_cache() / ("datasets--" + name.replace("/", "--")) / "snapshots" / revision
    return folder if _COMMIT.fullmatch(revision) and (folder / inside).exists() else None


def _fetched(word: str, name: str, revision: str, inside: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError
    except ImportError as error:
        raise Unavailable(f"{word}: data sets of the hub need huggingface_hub: pip install huggingface_hub") from error
    wanted = [inside, f"{inside}/**"] if inside else [f"*{suffix}" for suffix in SUFFIXES]
    try:
        folder = snapshot_download(
            name, repo_type="dataset", revision=revision or None, allow_patterns=wanted, cache_dir=hub_cache(), local_files_only=offline()
        )  # fmt: skip
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        said = str(error).strip().splitlines()
        where = f" (looked in {hub_cache()}, the network is forbidden by HF_HUB_OFFLINE)" if offline() else ""
        raise Unavailable(f"{word}: the data set cannot be had: {said[0] if said else type(error).__name__}{where}") from error
    return Path(folder)
