"""Borders: parts melted together, neighbours that still touch, areas that people have measured, files that say where they are from."""

import json
from itertools import pairwise
from math import cos, radians

import pytest

from endonym.build.carte import REGIONS
from endonym.errors import InputError
from endonym.plots import borders, choropleth, specification, svg
from endonym.plots.choropleth import MAPS
from endonym.plots.geometry import geometry, main
from endonym.plots.rings import area, holes, inside, stitched
from endonym.records import Estimate


def square(x, y, side=1.0):
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


def feature(code, *rings, kind="Polygon"):
    return {"id": code, "properties": {"name": code.lower()}, "geometry": {"type": kind, "coordinates": list(rings)}}


def rings(made):
    return [ring for polygon in made["geometry"]["coordinates"] for ring in polygon]


def test_two_parts_of_a_region_become_one_without_the_border_between_them():
    """Two unit squares side by side, one of them drawn the other way round: one ring of area 2."""
    (made,) = geometry([feature("X-A", square(0, 0)), feature("X-A", square(1, 0)[::-1])], tolerance=0.0)
    (ring,) = rings(made)
    assert area([tuple(p) for p in ring]) == 2.0  # positive: outer rings run anticlockwise, as RFC 7946 has it


def test_a_region_within_a_region_is_its_hole():
    around, within = geometry([feature("X-A", square(0, 0, 4), square(1, 1, 2)), feature("X-B", square(1, 1, 2))])
    outer, hole = rings(around)
    assert (area([tuple(p) for p in outer]), area([tuple(p) for p in hole])) == (16.0, -4.0)
    assert area([tuple(p) for p in rings(within)[0]]) == 4.0


def test_neighbours_share_every_point_of_a_simplified_border():
    """A crooked border between two regions: what is left of it is left on both sides."""
    crooked = [[1.0, 0.0], [1.02, 0.25], [0.7, 0.5], [1.01, 0.75], [1.0, 1.0]]
    west = [[0, 0], *crooked, [0, 1], [0, 0]]
    east = [*crooked, [2, 1], [2, 0], [1.0, 0.0]]
    one, other = geometry([feature("X-E", east), feature("X-W", west)], tolerance=0.2)
    left, right = ({tuple(p) for p in rings(made)[0]} for made in (other, one))
    assert left & right == {(1.0, 0.0), (0.7, 0.5), (1.0, 1.0)}


def test_small_islands_go_and_the_largest_piece_stays():
    islands = [square(0, 0, 0.03), square(1, 0, 0.01), square(2, 0, 0.02)]
    (made,) = geometry([feature("X-A", *[[i] for i in islands], kind="MultiPolygon")], tolerance=0.0)
    assert [ring[0] for ring in rings(made)] == [[0.0, 0.0]]


def test_far_regions_may_be_moved():
    (made,) = geometry([feature("X-A", square(0, 0))], moved={"X-A": (10, -5)})
    assert sorted(map(tuple, rings(made)[0]))[0] == (10, -5)


def test_rings_that_touch_in_a_point_are_parted():
    edges = [e for s in (square(0, 0), square(1, 1)) for e in pairwise(map(tuple, s))]
    assert sorted(len(ring) for ring in stitched(edges)) == [5, 5]


def test_a_point_is_inside_or_not():
    ring = [tuple(p) for p in square(0, 0)]
    assert inside((0.5, 0.5), ring) and not inside((1.5, 0.5), ring)
    nested = [[tuple(p) for p in square(n, n, 10 - 2 * n)] for n in range(3)]
    assert sorted(len(inner) for _, inner in holes(nested)) == [0, 1]  # an island in a lake is no hole


def kilometres(made):
    """Square kilometres on a sphere, near enough for a region."""
    total = 0.0
    for ring in rings(made):
        middle = sum(p[1] for p in ring) / len(ring)
        total += area([tuple(p) for p in ring]) * 111.195**2 * cos(radians(middle))
    return total


@pytest.mark.parametrize("country", ["FR", "ES", "PT", "DE"])
def test_shipped_maps_are_small_and_say_where_they_are_from(country):
    path = MAPS / f"{country}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 150_000
    assert "Natural Earth" in found["origin"] and "public domain" in found["licence"] and "ISC" in found["licence"]
    assert [f["id"] for f in found["features"]] == sorted({f["id"] for f in found["features"]})


def test_the_map_of_france_has_the_thirteen_regions():
    found = borders(["FR-BRE"])
    assert found is not None
    assert {f["id"] for f in found["features"]} == set(REGIONS)
    assert len(found["features"]) == 13


SIZES = [("FR-BRE", 27_208), ("FR-IDF", 12_011), ("FR-OCC", 72_724), ("FR-20R", 8_680), ("FR-NAQ", 84_036)]


@pytest.mark.parametrize(("code", "size"), SIZES)
def test_regions_are_as_large_as_the_land_register_says(code, size):
    found = borders(["FR-BRE"])
    assert found is not None
    assert kilometres(next(f for f in found["features"] if f["id"] == code)) == pytest.approx(size, rel=0.04)


def estimate(value, place):
    return Estimate(metric="accuracy", value=value, n=9, group={"place": place})


def rows(chart):
    """The data of all parts of a figure."""
    text = json.dumps(specification(chart))
    return [row for found in json.loads(text).get("vconcat", [json.loads(text)]) for row in _values(found)]


def _values(part):
    layers = [part, *part.get("layer", [])]
    return next((v for layer in layers if (v := layer.get("data", {}).get("values"))), [])


def test_a_map_draws_each_region_once_and_what_it_lacks_as_tiles():
    chart = choropleth([estimate(0.41, "FR-BRE"), estimate(None, "FR-IDF"), estimate(0.5, "FR")], by="place", names={"FR-BRE": "Breizh"})
    found = {row["code"]: row for row in rows(chart)}
    assert len(found) == 14
    assert (found["FR-BRE"]["name"], found["FR-BRE"]["text"]) == ("Breizh", "41.0")
    assert found["FR-IDF"]["text"] == found["FR-OCC"]["text"] == "–"
    assert "geometry" in found["FR-OCC"] and "geometry" not in found["FR"]
    # The drawer takes an anticlockwise ring for the whole world but the region.
    assert all(area(polygon[0]) < 0 for polygon in found["FR-BRE"]["geometry"]["coordinates"])


def test_where_there_is_no_map_there_are_tiles():
    chart = choropleth([estimate(0.2, "IT-21"), estimate(0.9, "IT-25"), estimate(0.5, "")], by="place")
    found = rows(chart)
    assert [(row["name"], row["x"], row["y"]) for row in found] == [("(not stated)", 0, 0), ("21", 1, 0), ("25", 0, 1)]
    assert ">20.0<" in svg(chart, label="x")


def test_a_map_of_ones_own(tmp_path):
    """From a user's GeoJSON to a figure; the file's codes are written with a point."""
    source = {
        "type": "FeatureCollection",
        "features": [{**feature("", square(n, 0)), "properties": {"hasc": f"IT.{n}", "name": f"n{n}"}} for n in range(2)],
    }
    (tmp_path / "in.json").write_text(json.dumps(source), encoding="utf-8")
    out = tmp_path / "IT.json"
    told = ["--country", "IT", "--code", "hasc", "--rename", "IT-1=IT-21", "--origin", "me", "--licence", "CC0", "--out", str(out)]
    assert main([str(tmp_path / "in.json"), *told]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert ([f["id"] for f in found["features"]], found["licence"]) == (["IT-0", "IT-21"], "CC0")
    chart = choropleth([estimate(0.2, "IT-21")], by="place", file=out)
    assert {row["code"] for row in rows(chart)} == {"IT-0", "IT-21"}


def test_a_property_that_is_not_there_is_named(tmp_path, capsys):
    (tmp_path / "in.json").write_text(json.dumps({"features": [{"properties": {"iso": "FR-BRE"}, "geometry": None}]}), encoding="utf-8")
    assert main([str(tmp_path / "in.json"), "--country", "FR", "--out", str(tmp_path / "x.json")]) == 2
    assert "there are: iso" in capsys.readouterr().err
    assert main([str(tmp_path / "no.json"), "--country", "FR", "--out", str(tmp_path / "x.json")]) == 2


def test_a_file_that_is_no_map_is_refused(tmp_path):
    (tmp_path / "x.json").write_text('{"features": [{"id": "FR-BRE", "geometry": {"type": "Point"}}]}', encoding="utf-8")
    with pytest.raises(InputError, match="is no map"):
        borders(["FR-BRE"], tmp_path / "x.json")
