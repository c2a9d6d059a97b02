"""A SPARQL endpoint as a process of its own, on loopback: hand-written facts in Wikidata's model, with what goes wrong there.

    python tests/sparql_endpoint.py [--faults limit,busy,...] [--rows N] [--port-file FILE]

``/sparql`` answers POST and GET; ``/seen`` tells how it was asked. Faults: ``busy`` says 429 with Retry-After 1 to the second
request, ``down`` says 503 to the third, ``broken`` breaks the fourth reply off after "200 OK", ``slow`` gives up on more than ``--rows``
items at once as Wikidata's service does, ``cut`` never sends more than ``--rows`` rows. The identifiers of entities are made up.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from wikidata_model import triples  # noqa: E402


class Handler(BaseHTTPRequestHandler):
    """One request. ``server`` carries the store, the faults and what was seen."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        if self.path == "/start":
            return self.say(200, b"<!DOCTYPE html><title>Query service</title>", "text/html")
        return self.answer(parse_qs(body).get("query", [""])[0])

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/seen":
            self.say(200, json.dumps(self.server.seen).encode(), "application/json")
        else:
            self.answer(parse_qs(parts.query).get("query", [""])[0])

    def answer(self, query: str) -> None:
        self.server.seen.append({"agent": self.headers.get("User-Agent", ""), "query": query, "at": time.time()})
        number, faults = len(self.server.seen), self.server.faults
        if "busy" in faults and number == 2:
            return self.say(429, b"Too Many Requests", "text/plain", {"Retry-After": "1"})
        if "down" in faults and number == 3:
            return self.say(503, b"Service Unavailable", "text/html")
        if "slow" in faults and len(re.findall(r"<http://www.wikidata.org/entity/Q\d+>", query)) > self.server.rows:
            return self.say(500, b"SPARQL-QUERY: ...\njava.util.concurrent.TimeoutException\n at java.util", "text/plain")
        try:
            reply = self.server.store.query(query).serialize(format=self.server.json)
        except SyntaxError as error:
            return self.say(400, f"MalformedQueryException: {error}".encode(), "text/plain")
        if "broken" in faults and number == 4:
            reply = reply[: len(reply) // 2] + b"\nSPARQL-QUERY: ...\njava.util.concurrent.TimeoutException"
        if "cut" in faults:
            whole = json.loads(reply)
            whole["results"]["bindings"] = whole["results"]["bindings"][: self.server.rows]
            reply = json.dumps(whole).encode()
        return self.say(200, reply, "application/sparql-results+json;charset=utf-8")

    def say(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def serve(faults: set[str], rows: int, port_file: Path) -> None:
    import pyoxigraph

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.store, server.json = pyoxigraph.Store(), pyoxigraph.QueryResultsFormat.JSON
    server.store.load("\n".join(triples()).encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    server.faults, server.rows, server.seen = faults, rows, []
    written = port_file.with_suffix(".part")
    written.write_text(str(server.server_address[1]))
    written.replace(port_file)
    server.serve_forever()


@contextmanager
def running(folder: Path, *, faults: str = "", rows: int = 10) -> Iterator[str]:
    """The endpoint's base URL while its process lives; it is stopped by its own process id. It ends with its parent in any case."""
    port_file = folder / f"port-{os.getpid()}-{time.monotonic_ns()}"
    command = [sys.executable, __file__, "--faults", faults, "--rows", str(rows), "--port-file", str(port_file)]
    process = subprocess.Popen(command)
    try:
        deadline = time.monotonic() + 30
        while not port_file.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the endpoint did not start")
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port_file.read_text()}"
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", default="")
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--port-file", type=Path, default=Path("port"))
    told = parser.parse_args()
    serve(set(told.faults.split(",")) - {""}, told.rows, told.port_file)
