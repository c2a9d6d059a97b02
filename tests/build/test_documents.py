"""A folder of documents becomes sources; what cannot be read is an error or is listed."""

import io
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from endonym.build import documents_net, documents_text
from endonym.build.documents import documents
from endonym.build.documents_screen import screen
from endonym.errors import EndonymError, InputError, TableError, Unavailable
from endonym.records import Judgment, Source

DATA = Path(documents_text.__file__).parent.parent / "data"
PAGE = """<html><head><title>Page</title></head><body><nav><a href="/">Accueil</a> <a href="/b">Menu du site</a></nav><article>
<h1>Le phare d'Eckmühl</h1><p>Le phare d'Eckmühl éclaire depuis 1897 la pointe de Penmarc'h, dans le sud du Finistère, en Bretagne.</p>
<h2>Construction</h2><p>Il fut payé par un legs de la fille du maréchal Davout, prince d'Eckmühl, et bâti en granite de Kersanton.</p>
</article><footer>Mentions légales</footer></body></html>"""


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page, written by hand: the standard's smallest."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    font = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >>"
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    for n, text in enumerate(pages):
        lines = "".join(f"({line}) Tj T* " for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {lines}ET" if text else ""
        bodies.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {4 + 2 * n} 0 R /Resources {font} >>")
        bodies.append(f"<< /Length {len(stream.encode('cp1252'))} >>\nstream\n{stream}\nendstream")
    out, at = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(bodies, 1):
        at.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252"))
    start = out.tell()
    out.write(f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode() + b"".join(b"%010d 00000 n \n" % p for p in at))
    out.write(f"trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def docx() -> bytes:
    import docx as word

    made, out = word.Document(), io.BytesIO()
    made.add_heading("Le sel de Guérande", 1)
    made.add_paragraph("Les paludiers récoltent le sel à Guérande.")
    table = made.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "1979", "coopérative"
    made.save(out)
    return out.getvalue()


def read(folder: Path, **how: object) -> dict[str, Source]:
    return {s.id: s for s in documents(path=folder, **how)}  # type: ignore[arg-type]


def test_every_kind_of_file_gives_its_text(tmp_path: Path):
    (tmp_path / "a.txt").write_bytes("Éguisheim\r\n\r\n\r\n\r\nest un vil\u00adlage.\r\n".encode())
    (tmp_path / "b.md").write_text("# Titre\n\nDu **gras**, un [lien](http://x.y) et `code`.\nSuite.\n\n- un\n- deux\n\n![image](i.png)\n")
    (tmp_path / "c.html").write_text(PAGE)
    (tmp_path / "d.pdf").write_bytes(pdf("Le viaduc de Mil-\nlau franchit le Tarn.", "La Rochelle est en Nouvelle-\nAquitaine."))
    (tmp_path / "e.docx").write_bytes(docx())
    found = read(tmp_path, lang="fr", place="FR", licence="CC0")
    assert found["a.txt"].text == "Éguisheim\n\nest un village."
    assert found["b.md"].text == "# Titre\n\nDu gras, un lien et code.\nSuite.\n\nun\n\ndeux"
    assert (found["b.md"].title, found["a.txt"].title) == ("Titre", "")
    assert found["c.html"].text.startswith("# Le phare d'Eckmühl\n\nLe phare") and "## Construction" in found["c.html"].text
    assert "Menu du site" not in found["c.html"].text and "Mentions" not in found["c.html"].text
    assert "Le viaduc de Millau franchit le Tarn." in " ".join(found["d.pdf"].text.split())
    assert "Nouvelle-Aquitaine." in found["d.pdf"].text
    assert found["e.docx"].text == "# Le sel de Guérande\n\nLes paludiers récoltent le sel à Guérande.\n\n1979 | coopérative"
    assert {(s.lang, s.place, s.origin["licence"]) for s in found.values()} == {("fr", "FR", "CC0")}


def test_a_text_in_another_encoding_is_read(tmp_path: Path):
    text = "L'été, la forêt landaise brûle ; à l'automne, on récolte le maïs près de Mont-de-Marsan. " * 3
    (tmp_path / "old.txt").write_bytes(text.encode("cp1252"))
    (tmp_path / "wide.txt").write_bytes(text.encode("utf-16"))
    assert {s.text for s in read(tmp_path).values()} == {text.strip()}


def test_words_broken_at_the_end_of_a_line():
    text = "Un exem-\nple, puis exemple. Peut-\nêtre, et peut-être : est-\nce vrai ? Rhône-\nAlpes. auto-\nroute"
    assert documents_text.joined(text) == "Un exemple, puis exemple. Peut-être, et peut-être : est-ce vrai ? Rhône-Alpes. autoroute"


BAD = {
    "empty.txt": (b"", "file: is empty"),
    "blank.md": (b" \n", "file: is empty"),
    "marks.txt": (b"--- 12 ---", "text: the document holds none"),
    "zero.txt": (b"a\0b", "file: is no text, it holds zero bytes"),
    "sheet.xlsx": (b"PK", "file: nobody reads .xlsx; there are: .docx, .htm, .html, .md, .pdf, .txt"),
    "broken.pdf": (b"%PDF-1.4 nothing", "file: is no readable PDF"),
    "scan.pdf": (pdf(""), "text: the document holds none: its pages are pictures"),
    "broken.docx": (b"no archive", "file: is no readable Word document"),
    "menu.html": (b"<html><body></body></html>", "text: no main text was found in the page"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_is_an_error_or_is_listed(tmp_path: Path, name: str):
    data, message = BAD[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.txt").write_text("Une phrase.")
    with pytest.raises(TableError) as problem:
        read(tmp_path)
    assert str(problem.value).startswith(f"{tmp_path / name}: {message}")
    listed: list[str] = []
    assert list(read(tmp_path, skipped=listed)) == ["good.txt"]
    assert len(listed) == 1 and message in listed[0]


def test_a_locked_pdf_is_said_to_be(tmp_path: Path):
    import pypdf

    writer = pypdf.PdfWriter(io.BytesIO(pdf("secret")))
    writer.encrypt("word", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    with pytest.raises(TableError, match="file: is locked by a password"):
        read(tmp_path)


def test_a_library_that_is_missing_is_no_fault_of_a_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "a.pdf").write_bytes(pdf("x"))
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    with pytest.raises(Unavailable, match=r"needs pypdf: pip install 'endonym\[documents\]'"):
        read(tmp_path, skipped=[])


def test_nothing_to_read_is_an_error(tmp_path: Path):
    (tmp_path / "README.md").write_text("about")
    (tmp_path / ".hidden.txt").write_text("x")
    with pytest.raises(InputError, match="holds no documents"):
        read(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(InputError, match="not one of 1 documents could be read; the first: .*a.txt: file: is empty"):
        read(tmp_path, skipped=[])
    with pytest.raises(EndonymError, match="no such file or folder"):
        read(tmp_path / "nowhere")


def test_a_table_describes_the_documents(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("Une phrase.")
    head = "file,title,lang,place,topic,licence,url,retrieved,note\n"
    (tmp_path / "sources.csv").write_text(head + 'sub/a.txt,"Un, deux",fr,FR-BRE,Démographie,CC BY 4.0,https://x.y/a,2026-01-02,"n"\n\n')
    (source,) = read(tmp_path, lang="en", licence="CC0").values()
    assert (source.id, source.title, source.lang, source.place, source.topic) == ("sub/a.txt", "Un, deux", "fr", "FR-BRE", "Démographie")
    assert source.origin == {"licence": "CC BY 4.0", "note": "n", "retrieved": "2026-01-02", "url": "https://x.y/a"}


@pytest.mark.parametrize("name, text", [
    ("sources.toml", '[[source]]\nfile = "a.txt"\nplace = "FR-BRE"\n'),
    ("a.toml", 'place = "FR-BRE"\n'),
])  # fmt: skip
def test_a_table_may_be_toml_or_stand_beside_each_document(tmp_path: Path, name: str, text: str):
    (tmp_path / "a.txt").write_text("Une phrase.")
    (tmp_path / name).write_text(text)
    assert {i: s.place for i, s in read(tmp_path).items()} == {"a.txt": "FR-BRE"}


@pytest.mark.parametrize("name, text, message", [
    ("sources.csv", "file,titel\na.txt,x\n", r"sources\.csv:2: no field 'titel'; did you mean 'title'"),
    ("sources.csv", "file,title\na.txt\n", r"sources\.csv:2: has 1 cells, the head line has 2"),
    ("sources.csv", "file\nb.txt\n", r"sources\.csv:2: file: no document 'b\.txt'; did you mean 'a\.txt'"),
    ("sources.csv", "file\na.txt\na.txt\n", r"sources\.csv:3: file: a\.txt stands twice"),
    ("sources.csv", "file,title\n,x\n", r"sources\.csv:2: file: is missing, and url too"),
    ("sources.csv", "file,title\na.txt,\"x\n", r"sources\.csv:2: unexpected end of data"),
    ("sources.csv", "file,title\n", r"a\.txt: file: stands in no row of sources\.csv"),
    ("sources.toml", "[[sources]]\n", r"sources\.toml: no key 'sources'; did you mean 'source'"),
    ("sources.toml", "[[source]]\nfile = 3\n", r"sources\.toml: source 1: file: expected text, found 3"),
    ("sources.toml", "[[source]\n", r"sources\.toml: "),
    ("a.toml", "lange = 'fr'\n", r"a\.toml: no field 'lange'; did you mean 'lang'"),
])  # fmt: skip
def test_a_bad_table_is_named_with_its_line(tmp_path: Path, name: str, text: str, message: str):
    (tmp_path / "a.txt").write_text("Une phrase.")
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match=message):
        read(tmp_path)


class Web(BaseHTTPRequestHandler):
    """Some pages of a web: an article, a text, a picture, nothing."""

    seen: list[str] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        kinds = {"/article": ("text/html; charset=utf-8", PAGE.encode()), "/plain": ("text/plain", b"Une phrase.")}
        kinds["/i.png"] = ("image/png", b"x")
        kind, data = kinds.get(self.path, ("text/html", b""))
        self.send_response(200 if self.path in kinds else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    Web.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(10)


def test_pages_are_fetched_only_where_a_network_is_allowed(tmp_path: Path, web: str):
    (tmp_path / "a.txt").write_text("Une phrase.")
    (tmp_path / "sources.csv").write_text(f"file,url,place\na.txt,,FR\n,{web}/article,FR-BRE\n,{web}/plain,FR-BRE\n")
    with pytest.raises(InputError, match=rf"2 documents are pages of the web, the first is {web}/article; set network = true"):
        read(tmp_path)
    assert Web.seen == []
    found = read(tmp_path, network=True)
    assert Web.seen == ["/article", "/plain"]
    page = found[f"{web}/article"]
    assert page.text.startswith("# Le phare d'Eckmühl") and page.place == "FR-BRE"
    assert page.origin["url"] == f"{web}/article" and len(page.origin["retrieved"]) == 10
    assert found[f"{web}/plain"].text == "Une phrase."


@pytest.mark.parametrize("path, message", [
    ("/none", "url: the server said 404"), ("/i.png", "url: is image/png; there are: application/pdf"), (":1/", "url: no answer"),
])  # fmt: skip
def test_a_page_that_does_not_come_is_a_bad_document(tmp_path: Path, web: str, path: str, message: str):
    url = web + path if path[0] == "/" else f"http://127.0.0.1{path}"
    (tmp_path / "sources.csv").write_text(f"url\n{url}\n")
    with pytest.raises(TableError, match=message):
        read(tmp_path, network=True)


def test_only_the_web_is_fetched_and_not_too_much_of_it(tmp_path: Path, web: str, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "sources.csv").write_text(f"url\nfile://{tmp_path}/secret\n")
    with pytest.raises(TableError, match="url: only http and https are fetched, not file"):
        read(tmp_path, network=True)
    monkeypatch.setattr(documents_net, "LARGEST", 100)
    (tmp_path / "sources.csv").write_text(f"url\n{web}/article\n")
    with pytest.raises(TableError, match="url: is larger than 100 bytes"):
        read(tmp_path, network=True)


def text(name: str, recipe: str = "carte") -> str:
    return (DATA / f"recipes/{recipe}/sources/{name}").read_text(encoding="utf-8")


def found(*sources: Source, lang: str = "fr", **how: float) -> dict[tuple[str, str], Judgment]:
    return {(j.item, j.criterion): j for j in screen(sources, file=DATA / f"compose/{lang}.toml", **how)}  # type: ignore[arg-type]


SAID = {"place": "FR-BRE", "origin": {"licence": "CC BY 4.0"}}


def test_another_language_is_found():
    german = "Die Stadt liegt am Rhein und gehört seit vielen Jahren zu den wichtigsten Häfen im Land, weil der Fluss zum Meer führt " * 2
    sources = [Source(id="fr", text=text("corse.md"), **SAID), Source(id="es", text=text("canarias.md", "carte-es"), **SAID)]
    sources += [Source(id="de", text=german, **SAID), Source(id="told", text=text("bretagne.md"), lang="br", **SAID)]
    notes = {j.item: j.note for j in found(*sources, short=1).values() if j.criterion == "language"}
    assert sorted(notes) == ["de", "es", "told"]
    assert notes["es"].startswith("reads like 'es'") and notes["de"].startswith("does not read like 'fr'")
    assert notes["told"] == "its table says 'br', the benchmark is in 'fr'"


def test_near_copies_are_found_and_the_later_one_is_told():
    whole = text("corse.md")
    half = whole[: len(whole) // 2] + text("bretagne.md")
    sources = [Source(id="a", text=whole, **SAID), Source(id="b", text=whole.replace("1755", "1756"), **SAID)]
    sources += [Source(id="c", text=half, **SAID), Source(id="d", text=text("lyon-et-alpes.md"), **SAID)]
    flagged = found(*sources)
    assert sorted(flagged) == [("b", "near-duplicate")]
    assert "stands in a too" in flagged["b", "near-duplicate"].note and flagged["b", "near-duplicate"].value == "error"
    assert ("c", "near-duplicate") in found(*sources, similar=0.4)


def test_what_is_missing_is_a_warning():
    flagged = found(Source(id="a", text="Trois petits mots."))
    assert {k[1]: j.value for k, j in flagged.items()} == dict.fromkeys(["short", "licence", "place"], "warning")
    assert flagged["a", "short"].note == "has 3 words; little can be asked of fewer than 100"


@pytest.mark.parametrize("recipe, lang, least", [("carte", "fr", 6), ("carte-es", "es", 3)])
def test_the_documents_that_come_with_the_recipes_are_sound(recipe: str, lang: str, least: int):
    sources = read(DATA / "recipes" / recipe / "sources", lang=lang)
    assert len(sources) >= least
    assert not found(*sources.values(), lang=lang)
    assert {s.origin["licence"] for s in sources.values()} == {"CC BY 4.0"}
    assert all(250 <= len(s.text.split()) <= 500 and s.origin["note"] for s in sources.values())
