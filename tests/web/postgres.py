"""A PostgreSQL of the tests' own: made in a folder of its own, reached by a socket in it, stopped by its own process id."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
BIN = FOUND[-1].parent if FOUND else None
"""The programs of the latest version that is here; none where there is none."""
WAIT = 60.0
"""Seconds that the server is waited for."""


def _somebody() -> dict[str, Any]:
    """As whom the server runs: PostgreSQL refuses to be root."""
    if os.getuid():
        return {}
    names = {p.pw_name: p for p in pwd.getpwall()}
    who = names.get("postgres") or names["nobody"]
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


@contextmanager
def postgres() -> Iterator[Path]:
    """The folder of a server, where its socket is. It is no ``tmp_path``: those are closed to the user that the server runs as."""
    assert BIN is not None
    who, home = _somebody(), Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if who:
            os.chown(home, who["user"], who["group"])
        said = {"cwd": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, **who}
        data = home / "data"
        made = ["-U", "endonym", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run([BIN / "initdb", "-D", data, *made], check=True, **said)
        settings = {"listen_addresses": "", "unix_socket_directories": home, "fsync": "off", "shared_buffers": "16MB"}
        server = subprocess.Popen([BIN / "postgres", "-D", data, *(f"--{k}={v}" for k, v in settings.items())], **said)
        try:
            _ready(server, home)
            yield home
        finally:
            server.send_signal(signal.SIGINT)  # at once, whoever is connected
            server.wait(30)
    finally:
        shutil.rmtree(home)


def database(home: Path, name: str) -> str:
    """Make an empty database and return its URL."""
    subprocess.run([BIN / "createdb", "-h", home, "-U", "endonym", name], check=True)  # type: ignore[operator]
    return f"postgresql://endonym@/{name}?host={home}"


def _ready(server: subprocess.Popen[bytes], home: Path) -> None:
    ends = time.monotonic() + WAIT
    while subprocess.run([BIN / "pg_isready", "-q", "-h", home]).returncode:  # type: ignore[operator]
        assert server.poll() is None and time.monotonic() < ends, "PostgreSQL did not start"
        time.sleep(0.05)
