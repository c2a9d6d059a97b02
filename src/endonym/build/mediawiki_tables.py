"""The HTML of a wiki's page in, the rows of its tables out: head of the column → cell.

The one thing to know: a cell may span rows and columns, and then stands in each; footnotes, hidden keys for sorting and styles are no
part of its text. Only tables of the class ``wikitable`` count; one within another is a part of its cell.
"""

from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
MOST = 1000
"""The most rows or columns that a cell may span, as in HTML."""


class Cell(NamedTuple):
    """The text of a cell, and the title of the first page that it links to."""

    text: str
    link: str


class _Open:
    """A cell being read."""

    def __init__(self, head: bool, rows: int, columns: int) -> None:
        self.head, self.rows, self.columns = head, rows, columns
        self.parts: list[str] = []
        self.link = ""

    def cell(self) -> Cell:
        return Cell(" ".join("".join(self.parts).replace("\xa0", " ").split()), self.link)


def tables(html: str) -> list[list[dict[str, Cell]]]:
    """The rows of each table, below its heads; a row that is but a head across the table is left out."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return [rows for grid in reader.grids if (rows := _named(_spread(grid)))]


class _Reader(HTMLParser):
    """Collects tables as rows of cells. Where a page forgets to close a cell or a row, the next one does."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.grids: list[list[list[_Open]]] = []
        self._depth, self._hidden = 0, 0
        self._cell: _Open | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if self._hidden or (self._depth and _hides(tag, told)):
            self._hidden += tag not in VOID
        elif tag == "table":
            if self._depth or "wikitable" in told.get("class", "").split():
                self._depth += 1
                if self._depth == 1:
                    self.grids.append([])
        elif self._depth == 1 and tag == "tr":
            self._cell = None
            self.grids[-1].append([])
        elif self._depth == 1 and tag in ("td", "th") and self.grids[-1]:
            self._cell = _Open(tag == "th", _span(told.get("rowspan", "")), _span(told.get("colspan", "")))
            self.grids[-1][-1].append(self._cell)
        elif self._cell:
            self._within(self._cell, tag, told)

    def _within(self, cell: _Open, tag: str, told: dict[str, str]) -> None:
        if tag in ("br", "li", "p", "div", "td", "th", "tr"):
            cell.parts.append(" ")
        elif tag == "a" and not cell.link and "new" not in told.get("class", "").split():
            cell.link = _page(told.get("href", ""))

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden -= tag not in VOID
        elif tag == "table" and self._depth:
            self._depth -= 1
            self._cell = self._cell if self._depth else None
        elif self._depth == 1 and tag in ("td", "th", "tr"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell and not self._hidden:
            self._cell.parts.append(data)


def _hides(tag: str, told: dict[str, str]) -> bool:
    """A footnote's mark, a style, or what a page hides."""
    hidden = "display:none" in told.get("style", "").replace(" ", "")
    return hidden or tag in ("style", "script") or (tag == "sup" and "reference" in told.get("class", "").split())


def _page(href: str) -> str:
    """The title of the page behind a link within the wiki; none for files, sections and other sites."""
    path = href.removeprefix("./").removeprefix("/wiki/")
    if path == href or ":" in path.partition("_")[0]:
        return ""
    return unquote(path.partition("#")[0]).replace("_", " ")


def _span(text: str) -> int:
    return min(int(text), MOST) if text.isascii() and text.isdigit() and int(text) > 0 else 1


def _spread(grid: list[list[_Open]]) -> list[list[_Open]]:
    """Put a cell that spans rows and columns into each of them."""
    above: dict[int, tuple[_Open, int]] = {}
    rows: list[list[_Open]] = []
    for cells in grid:
        row, below, todo = list[_Open](), dict[int, tuple[_Open, int]](), iter(cells)
        while True:
            if len(row) in above:
                cell, left, wide = *above[len(row)], 1
            elif (cell := next(todo, None)) is not None:
                left, wide = cell.rows, cell.columns
            else:
                break
            below |= {len(row) + n: (cell, left - 1) for n in range(wide) if left > 1}
            row += [cell] * wide
        above = below
        rows.append(row)
    return rows


def _named(rows: list[list[_Open]]) -> list[dict[str, Cell]]:
    """Name cells by the last row of heads at the top; the first heads stand where a later row of heads has none."""
    heads: list[str] = []
    while rows and rows[0] and all(cell.head for cell in rows[0]):
        names = [cell.cell().text for cell in rows.pop(0)]
        heads = names if len(names) >= len(heads) else heads
    found: list[dict[str, Cell]] = []
    for row in rows:
        if len({id(cell) for cell in row}) > 1 or len(heads) == 1:
            named: dict[str, Cell] = {}
            for n, cell in enumerate(row):
                named.setdefault(heads[n] if n < len(heads) and heads[n] else f"column {n + 1}", cell.cell())
            found.append(named)
    return found
