"""The text of one document, by the ending of its name; each kind is read by a well-kept library, loaded when it is needed.

In: a file, or bytes and a kind. Out: text with headings as ``# …`` (Markdown), paragraphs apart by a blank line. The one thing to
know: what is wrong with a document is a ``Fault``; only a library that is missing is ``Unavailable``, since it would be missing for
every document. HTML: trafilatura; PDF: pypdf; Word: python-docx; Markdown: markdown-it-py; other encodings: charset-normalizer.
"""

import codecs
import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import Unavailable
from .lines import Fault

_HYPHEN = re.compile(r"(\w+)-\n(\w+)")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def read(path: Path) -> str:
    """The text of a file. Raises ``Fault`` for an ending that nobody reads and for whatever is wrong with it."""
    if path.suffix.lower() not in READERS:
        raise Fault(f"file: nobody reads {path.suffix or 'files without an ending'}; there are: {', '.join(sorted(READERS))}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Fault(f"file: cannot be read: {error.strerror}") from error
    return decoded(data, path.suffix.lower())


def decoded(data: bytes, kind: str) -> str:
    """The text of the bytes of a document; ``kind`` is an ending, as ``.pdf``. Raises ``Fault`` and ``Unavailable``."""
    if not data.strip():
        raise Fault("file: is empty")
    return READERS[kind](data)


def settled(text: str) -> str:
    """One way to write a text: NFC, line feeds, nothing invisible, at most one blank line between paragraphs."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")))
    text = re.sub(r"[^\S\n]+$", "", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def title(text: str) -> str:
    """The first heading of a text, or ``""``."""
    found = re.search(r"^#{1,6} +(.+)$", text, re.M)
    return found[1].strip() if found else ""


def why_empty(name: str) -> str:
    """A guess why a document has no text, to be said to its owner."""
    return ": its pages are pictures; let a program recognise the letters (OCR) first" if name.lower().endswith(".pdf") else ""


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as problem:
        raise Unavailable(f"reading these documents needs {name}: pip install 'endonym[documents]'") from problem


def _plain(data: bytes) -> str:
    """UTF-8 where it is that; a mark at the beginning decides; else the encoding that fits the letters best."""
    for mark, encoding in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return _strictly(data, encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        best = _library("charset_normalizer").from_bytes(data).best()
        if best is None:
            raise Fault("file: is no text in any encoding that can be told") from None
        text = str(best)
    if "\0" in text:
        raise Fault("file: is no text, it holds zero bytes")
    return text


def _strictly(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise Fault(f"file: begins as {problem.encoding} and is none (byte {problem.start + 1})") from problem


def _markdown(data: bytes) -> str:
    """The words of a Markdown file: headings stay, emphasis, links and pictures are taken off."""
    blocks: list[str] = []
    before = ""
    for token in _library("markdown_it").MarkdownIt("commonmark").enable("table").parse(_plain(data)):
        if token.type == "heading_open":
            before = "#" * int(token.tag[1]) + " "
        elif token.type == "inline":
            blocks.append(before + _words(token.children or []))
            before = ""
        elif token.type in ("fence", "code_block"):
            blocks.append(token.content.rstrip("\n"))
    return "\n\n".join(filter(str.strip, blocks))


def _words(tokens: list[Any]) -> str:
    breaks = {"softbreak": "\n", "hardbreak": "\n"}
    return "".join(breaks.get(t.type, t.content if t.type in ("text", "code_inline") else "") for t in tokens)


def _html(data: bytes) -> str:
    """The main text of a page, without menus and comments; headings stay."""
    wanted = {"output_format": "markdown", "include_comments": False, "favor_recall": True}
    found = _library("trafilatura").extract(data, **wanted)
    if not found:
        raise Fault("text: no main text was found in the page")
    return _markdown(found.encode())


def _pdf(data: bytes) -> str:
    pypdf = _library("pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Fault("file: is locked by a password")
        pages = [page.extract_text() or "" for page in reader.pages]
    except (pypdf.errors.PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as problem:
        if isinstance(problem, Fault):
            raise
        raise Fault(f"file: is no readable PDF: {problem or type(problem).__name__}") from problem
    return joined("\n\n".join(pages))


def joined(text: str) -> str:
    """Put words together that a line's end broke.

    A hyphen stays where the text has the word with one elsewhere, or a name, a number or fewer than three letters follow (est-ce).
    """
    low = text.lower()
    words, whole = set(re.findall(r"\w+", low)), set(re.findall(r"\w+-\w+", low))

    def mended(match: re.Match[str]) -> str:
        with_hyphen, without = f"{match[1]}-{match[2]}", match[1] + match[2]
        own = not match[2][0].islower() or len(match[2]) < 3
        keep = with_hyphen.lower() in whole or (without.lower() not in words and own)
        return with_hyphen if keep else without

    return _HYPHEN.sub(mended, text)


def _docx(data: bytes) -> str:
    docx = _library("docx")
    try:
        return "\n\n".join(_blocks(docx.Document(io.BytesIO(data))))
    except Exception as problem:  # a broken archive fails in many ways (zip, XML, relations), and the library names none of them
        raise Fault(f"file: is no readable Word document: {problem or type(problem).__name__}") from problem


def _blocks(holder: Any) -> Iterator[str]:
    for block in holder.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                cells = list(dict.fromkeys(cell.text.strip() for cell in row.cells))
                yield " | ".join(filter(None, cells))
            continue
        level = re.fullmatch(r"(?:Heading|heading|Titre|Título) ?(\d)", block.style.name if block.style else "")
        heading = "#" * min(6, int(level[1])) + " " if level else "# " if block.style and block.style.name == "Title" else ""
        if block.text.strip():
            yield heading + block.text


READERS: dict[str, Callable[[bytes], str]] = {
    ".txt": _plain, ".md": _markdown, ".html": _html, ".htm": _html, ".pdf": _pdf, ".docx": _docx,
}  # fmt: skip
"""Readers by the ending of a file's name."""
