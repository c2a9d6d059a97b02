"""Figures: the numbers given are the numbers drawn, offline, for any colour vision and any ground."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from endonym.plots import PLOTS, bars, choropleth, heatmap, panels, pdf, png, positions, radar, specification, stacks, svg
from endonym.plots.base import BLUE, GREEN, ORANGE, RAMP
from endonym.records import Estimate


def estimate(value, low=None, high=None, **group):
    return Estimate(metric="accuracy", value=value, low=low, high=high, group=group, n=10)


BARS = [estimate(0.31, 0.27, 0.36, model="small"), estimate(0.9, 0.86, 0.95, model="large <&>"), estimate(None, model="broken")]
CELLS = [estimate(v, model=m, place=p) for m, p, v in [("m", "FR", 0.2), ("m", "", 0.9), ("k", "FR", None), ("k", "", 1.0)]]
CHOICES = [{"model": m, "options": 4, "position": p, "share": s, "gold": 0.25} for m in ("m", "k") for p, s in enumerate([0, 1, 0, 0])]
REGIONS = [estimate(0.41, place="FR-BRE"), estimate(0.52, place="FR-20R"), estimate(None, place="FR-IDF"), estimate(0.5, place="FR")]
NATIONS = [
    estimate(v, model="m", place=p, lang=lang) for lang, values in (("en", (1, 0.5, 0.25, 0)), ("fr", (0.5, None, 0.5, 0.5)))
    for p, v in zip(("US", "CN", "IN", "FR"), values, strict=True)
]  # fmt: skip
COUNTS = [{"place": p, "topic": t, "count": n} for p, t, n in (("US", "war", 3), ("US", "park", 4), ("CN", "war", 5))]
DRAWN = {
    "bars": lambda: bars(BARS, by="model", chance=0.25), "heatmap": lambda: heatmap(CELLS, down="model", across="place"),
    "positions": lambda: positions(CHOICES), "choropleth": lambda: choropleth(REGIONS, by="place"),
    "panels": lambda: panels(NATIONS, panel="model", along="place", colour="lang"),
    "radar": lambda: radar(NATIONS, panel="model", axes="place", lines="lang"),
    "stacks": lambda: stacks(COUNTS, along="place", colour="topic"),
}  # fmt: skip


def values(chart):
    """The rows of data within a specification."""
    found = re.findall(r'"values": (\[.*?\])', json.dumps(specification(chart)))
    return [row for part in found for row in json.loads(part)]


def test_the_shelf_is_drawn_whole():
    assert DRAWN.keys() == PLOTS.keys()


@pytest.mark.parametrize("name", PLOTS)
def test_every_figure_is_one_svg_that_names_itself_and_loads_nothing(name):
    drawn = svg(DRAWN[name](), label='Accuracy of "a" & b', name=f"{name}1")
    root = ET.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert (root.get("role"), root.get("aria-label")) == ("img", 'Accuracy of "a" & b')
    assert not re.search(r"https?://(?!www\.w3\.org)|<image|<script|@import", drawn)
    assert "currentColor" in drawn
    ids = re.findall(r'\bid="([^"]+)"', drawn)
    assert all(i.startswith(f"{name}1-") for i in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= set(ids)


@pytest.mark.parametrize("name", PLOTS)
def test_the_same_numbers_give_the_same_bytes(name):
    assert svg(DRAWN[name](), label="x") == svg(DRAWN[name](), label="x")


def test_bars_stand_best_first_and_a_missing_number_is_named():
    rows = [row for row in values(DRAWN["bars"]()) if "name" in row]
    assert [row["name"] for row in rows[:3]] == ["large <&>", "small", "broken"]
    drawn = svg(DRAWN["bars"](), label="x")
    for text in ("90.0%", "31.0%", "nothing to count", "large &lt;&amp;&gt;", "Accuracy"):
        assert text in drawn
    assert "NaN" not in drawn
    assert ORANGE.lower() in drawn.lower()
    assert ORANGE.lower() not in svg(bars(BARS, by="model"), label="x").lower()


def test_a_bar_is_as_long_as_its_number():
    """The scale is 0 to 1 on 440 units: 0.9 is 396 long, 0.31 is 136.4."""
    lengths = [float(x) for x in re.findall(rf'd="M0,[\d.]+h([\d.]+)v[^"]*" fill="{BLUE}"', svg(DRAWN["bars"](), label="x"))]
    assert lengths[:2] == pytest.approx([396, 136.4])


def test_a_heat_map_writes_each_number_and_a_dash_for_none():
    drawn = svg(DRAWN["heatmap"](), label="x")
    for text in (">20<", ">90<", ">100<", ">–<", "(not stated)"):
        assert text in drawn


def _luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_ramp_goes_from_dark_to_light_so_that_grey_will_do():
    steps = [_luminance(color) for color in RAMP]
    assert steps == sorted(steps)
    assert steps[-1] > 0.8 and steps[0] < 0.05


def test_line_and_bars_differ_in_lightness_too():
    assert abs(_luminance(BLUE) - _luminance(ORANGE)) > 0.2
    assert GREEN not in (BLUE, ORANGE)


def test_positions_have_a_panel_for_each_number_of_options():
    mixed = [*CHOICES[:4], *({**row, "options": 5} for row in CHOICES[:4])]
    assert {row["panel"] for row in values(positions(mixed))} == {"m, 4 options", "m, 5 options"}
    assert {row["panel"] for row in values(positions(CHOICES))} == {"m", "k"}


def test_a_model_that_always_says_b_fills_b():
    rows = [row for row in values(positions(CHOICES)) if row["panel"] == "m"]
    assert {row["letter"]: row["share"] for row in rows} == {"A": 0, "B": 1, "C": 0, "D": 0}
    assert {row["even"] for row in rows} == {0.25}


def test_a_radars_first_axis_is_at_the_top_and_the_next_to_the_right():
    """Four axes: 1 on the first is (0, 1), .5 on the second (.5, 0), .25 on the third (0, −.25), 0 on the fourth the middle."""
    line = [row for row in values(DRAWN["radar"]()) if row["kind"] == "line" and row["group"] == "en"]
    assert [(row["x"], row["y"]) for row in sorted(line, key=lambda row: row["n"])] == [(0, 1), (0.5, 0), (0, -0.25), (0, 0), (0, 1)]


def test_a_radars_line_runs_past_a_missing_value_and_closes():
    line = sorted((row for row in values(DRAWN["radar"]()) if row["kind"] == "line" and row["group"] == "fr"), key=lambda row: row["n"])
    assert [row["value"] for row in line] == [0.5, 0.5, 0.5, 0.5]  # US, IN, FR, and US again


def test_panels_keep_their_order_and_leave_a_missing_value_empty():
    rows = values(DRAWN["panels"]())
    assert [row["along"] for row in rows[:4]] == ["US", "CN", "IN", "FR"]
    assert rows[5]["value"] is None
    assert "NaN" not in svg(DRAWN["panels"](), label="x")


def test_stacks_write_the_whole_above_each_bar():
    drawn = svg(DRAWN["stacks"](), label="x")
    assert ">7<" in drawn and ">5<" in drawn


def test_heat_maps_in_panels_have_one_scale():
    chart = heatmap(NATIONS, down="place", across="lang", panel="model")
    drawn = svg(chart, label="x")
    assert drawn.count(">Accuracy<") == 1 and ">100<" in drawn and ">–<" in drawn


@pytest.mark.parametrize("whole", [True, False])
def test_both_axes_of_pairs_have_one_order_though_the_first_cell_is_empty(whole):
    langs = ["en", "de", "es"]
    pairs = [estimate(None if a == b else 0.5, one=a, other=b) for a in langs for b in langs if whole or a != b]
    drawn = svg(heatmap(pairs, down="one", across="other"), label="x")
    assert re.findall(">(en|de|es)<", drawn) == 2 * langs


@pytest.mark.parametrize(("name", "wide"), [("local/gemma3-270m · oracle · 3-shot", 220), ("国" * 18, 216), ("m" * 90, 260)])
def test_names_at_the_left_have_room_in_a_wider_font_too(name, wide):
    """At 12 units a Latin letter of a wide sans serif is some 6.3 wide on average and a Han sign 12; past 260 names are cut."""
    for chart in (bars([estimate(0.5, model=name)], by="model"), heatmap([estimate(0.5, a=name, b="x")], down="a", across="b")):
        drawn = svg(chart, label="x")
        (left,) = re.findall(r'<g[^>]*?transform="translate\(([\d.]+),', drawn)[:1]
        assert float(left) >= wide


def test_a_number_that_is_no_share_is_written_as_it_is():
    drawn = svg(bars([estimate(0.5, model="m")], by="model", percent=False), label="x")
    assert ">0.50<" in drawn and "%" not in re.sub(r"<[^>]*>", "", drawn)


def test_paper_has_dark_ink_on_white():
    drawn = svg(DRAWN["bars"](), label="x")
    assert pdf(drawn).startswith(b"%PDF")
    picture = png(drawn, scale=1.0)
    assert picture.startswith(b"\x89PNG")
    width, height = (int.from_bytes(picture[n : n + 4], "big") for n in (16, 20))
    size = re.search(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', drawn) or re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    assert size and (abs(width - float(size[1])) <= 1 and abs(height - float(size[2])) <= 1)


def test_parts_of_a_figure_claim_no_role_of_their_own():
    for name in PLOTS:
        drawn = svg(DRAWN[name](), label="x")
        assert "aria-roledescription" not in drawn and "graphics-symbol" not in drawn
