"""Tables of wikis by hand: spans, heads in two rows, footnotes, hidden sort keys, tables in tables, cells nobody closed."""

import pytest

from endonym.build.mediawiki_tables import Cell, tables


def rows(html: str) -> list[dict[str, str]]:
    return [{head: cell.text for head, cell in row.items()} for table in tables(html) for row in table]


def test_text_and_links_of_cells():
    html = """<table class="wikitable sortable"><tbody><tr><th>Park</th><th>District</th></tr>
    <tr><td><a href="/wiki/Peneda-Ger%C3%AAs_National_Park#History">Peneda&#8209;Gerês</a><sup class="reference"><a href="#n">[1]</a>
    </sup></td><td><span style="display: none">Bra 03</span><a href="/wiki/File:Flag.svg"><img src="f"></a> <a href="/wiki/Braga_District">
    Braga</a>,<br>Vila&nbsp;Real<style>.x{}</style></td></tr></tbody></table>"""
    park, district = Cell("Peneda‑Gerês", "Peneda-Gerês National Park"), Cell("Braga, Vila Real", "Braga District")
    assert tables(html) == [[{"Park": park, "District": district}]]


def test_a_cell_that_spans_stands_in_each_row_and_column():
    html = """<table class="wikitable"><tr><th>A<th>B<th>C
    <tr><td rowspan=3>1<td colspan="2">2
    <tr><td>3<td rowspan="2">4
    <tr><td>5</table>"""
    assert rows(html) == [{"A": "1", "B": "2", "C": "2"}, {"A": "1", "B": "3", "C": "4"}, {"A": "1", "B": "5", "C": "4"}]


def test_heads_in_two_rows():
    html = """<table class="wikitable"><tr><th rowspan="2">Name</th><th colspan="2">Place</th></tr><tr><th>Town</th><th>Area</th></tr>
    <tr><td>n</td><td>t</td><td>a</td></tr><tr><td colspan="3">a heading within</td></tr></table>"""
    assert rows(html) == [{"Name": "n", "Town": "t", "Area": "a"}]


def test_rows_whose_first_cell_is_a_head():
    html = '<table class="wikitable"><tr><th>Name</th><th>Year</th></tr><tr><th scope="row">n</th><td>1990</td></tr></table>'
    assert rows(html) == [{"Name": "n", "Year": "1990"}]


def test_a_table_within_a_cell_is_a_part_of_it_and_other_tables_are_none():
    html = """<table class="infobox"><tr><td>no</td></tr></table><table class="wikitable"><tr><th>A</th><th>B</th></tr>
    <tr><td>x<table class="wikitable"><tr><td>y</td><td>z</td></tr></table></td><td>w</td></tr></table>"""
    assert rows(html) == [{"A": "x y z", "B": "w"}]


def test_more_cells_than_heads_and_fewer():
    html = '<table class="wikitable"><tr><th>A</th></tr><tr><td>1</td><td>2</td></tr></table>'
    assert rows(html) == [{"A": "1", "column 2": "2"}]
    assert rows('<table class="wikitable"><tr><td>1</td><td>2</td></tr></table>') == [{"column 1": "1", "column 2": "2"}]


@pytest.mark.parametrize("span", ["0", "-1", "x", "99999999", "²"])
def test_spans_that_are_none(span: str):
    html = f'<table class="wikitable"><tr><th>A</th><th>B</th></tr><tr><td rowspan="{span}">1</td><td>2</td></tr></table>'
    assert rows(html) == [{"A": "1", "B": "2"}]


def test_a_page_that_does_not_exist_is_no_link():
    html = """<table class="wikitable"><tr><th>A</th><th>B</th></tr><tr><td><a class="new" href="/wiki/X?redlink=1">X</a></td>
    <td><a href="https://x.org">Y</a></td></tr></table>"""
    assert tables(html)[0][0] == {"A": Cell("X", ""), "B": Cell("Y", "")}


def test_no_table():
    assert tables("<p>no table</p>") == [] == tables('<table class="wikitable"></table>') == tables('<table class="wikitable"><td>x')
