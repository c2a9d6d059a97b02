"""``endonym web`` on the command line: links, questions that are opened, tables, and a port that is taken."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

from endonym import store
from endonym.cli import run
from endonym.records import Accept, Item, canonical


def test_a_link_is_printed_and_the_file_of_settings_is_made(tmp_path, capsys):
    assert run(["web", str(tmp_path), "--lang", "pt-PT", "--place", "PT", "--invite", "adjudicator", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["role"] == "adjudicator" and re.fullmatch(r"http://127\.0\.0\.1:8000/join/[\w-]{43}", told["link"])
    assert 'lang = "pt-PT"' in (tmp_path / "web.toml").read_text()
    assert told["link"].rsplit("/", 1)[1].encode() not in (tmp_path / "web.db").read_bytes()


def test_a_benchmark_is_opened_and_tables_are_written(tmp_path, capsys):
    item = Item(stem="Que se come na consoada?", kind="open", accept=(Accept(text="bacalhau"),), lang="pt-PT", topic="food")
    (tmp_path / "some.jsonl").write_bytes(canonical(item) + b"\n")
    assert run(["web", str(tmp_path / "w"), "--open", str(tmp_path / "some.jsonl"), "--export", "--json"]) == 0
    out = capsys.readouterr()
    assert "1 questions opened" in out.err and json.loads(out.out)["items"]["rows"] == 0
    assert store.verify(tmp_path / "w" / "tables") == 2


def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["web", str(tmp_path), "--port", str(port)]) == 2
    assert f"127.0.0.1:{port}: cannot be listened at" in capsys.readouterr().err


def test_a_bad_database_is_told_without_its_password(tmp_path, capsys):
    assert run(["web", str(tmp_path), "--database", "postgresql://u:sesame@127.0.0.1:1/x", "--export"]) == 3
    assert "sesame" not in capsys.readouterr().err


def test_the_server_answers_and_prints_the_owners_link_once(tmp_path):
    command = [sys.executable, "-u", "-m", "endonym", "web", str(tmp_path), "--port", "0", "--log"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        link, base = (process.stdout.readline() for _ in range(2))  # type: ignore[union-attr]
        path = re.search(r"/join/[\w-]+", link)[0]  # type: ignore[index]
        url = re.match(r"http://127\.0\.0\.1:\d+", base)[0]  # type: ignore[index]
        with urllib.request.urlopen(f"{url}{path}", timeout=20) as answer:
            assert answer.status == 200 and "server" not in {k.lower() for k in answer.headers}
    finally:
        process.send_signal(signal.SIGINT)
        _, logged = process.communicate(timeout=20)
    assert "/join/{token} 200" in logged and path not in logged and "Traceback" not in logged
