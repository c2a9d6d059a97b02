"""A map of a country from any GeoJSON of its parts: choose by ISO 3166-2, melt parts together, take out what is too fine to see.

In: a GeoJSON file whose features carry a code for each region (``FR-BRE``; several features may carry one, as départements do
of their region). Out: a small GeoJSON, one feature a region, whose ``id`` is the code. The one thing to know: borders are cut
where three meet and each piece is made simpler once, so that neighbours still share every point and no gap opens; an edge
that two parts of one region share is no border and is dropped. Points must be the same on both sides of a border, as they are
in Natural Earth. The standard library does it all:

    python -m endonym.plots.geometry admin1.json --country FR --code region_cod --rename FR-COR=FR-20R --out FR.json

Paper: Douglas and Peucker, Algorithms for the reduction of the number of points required to represent a line (1973).
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import cos, hypot, radians
from pathlib import Path
from typing import Any

from ..errors import EndonymError, InputError
from .rings import Point, Ring, area, holes, label, stitched

DIGITS = 4
"""Decimals of a degree that are kept: 0.0001° is some 11 metres."""


def geometry(
    features: Iterable[Mapping[str, Any]], *, tolerance: float = 0.01, smallest: float = 0.002, moved: Mapping[str, Point] | None = None
) -> list[dict[str, Any]]:
    """Features (each with an ``id`` that is its region's code) → one simplified MultiPolygon a region, sorted by code.

    ``tolerance`` is in degrees of latitude: how far a border may stray. Islands smaller than ``smallest`` (square degrees) are
    left out, but never the largest piece of a region. ``moved`` shifts regions by degrees, for far islands as an inset.
    """
    edges, names = defaultdict[str, set[tuple[Point, Point]]](set), dict[str, str]()
    for feature in features:
        code = feature["id"]
        names.setdefault(code, str(feature.get("properties", {}).get("name", code)))
        for a, b in _edges(feature["geometry"]):
            # An edge that is met the other way round lies between two parts of one region.
            (edges[code].discard if (b, a) in edges[code] else edges[code].add)((b, a) if (b, a) in edges[code] else (a, b))
    rings = {code: stitched(found) for code, found in edges.items()}
    knots = _knots(edges.values())
    found = []
    for code in sorted(rings):
        largest = max(abs(area(ring)) for ring in rings[code])
        kept = [ring for ring in rings[code] if abs(area(ring)) >= min(smallest, largest)]
        simple = [_simplified(ring, knots, tolerance) for ring in kept]
        shape = _shape([r for r in simple if len(r) > 3], (moved or {}).get(code, (0.0, 0.0)))
        told = {"name": names[code], "label": label(shape["coordinates"])}
        found.append({"type": "Feature", "id": code, "properties": told, "geometry": shape})
    return found


def _edges(shape: Mapping[str, Any]) -> Iterator[tuple[Point, Point]]:
    if shape["type"] not in {"Polygon", "MultiPolygon"}:
        raise InputError(f"a region is a {shape['type']}; a Polygon or MultiPolygon is needed")
    for polygon in [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]:
        for number, ring in enumerate(polygon):
            points = [(round(p[0], DIGITS), round(p[1], DIGITS)) for p in ring]
            # Outer rings one way and holes the other, whatever the file does, so that shared edges run against each other.
            if (area(points) > 0) == (number > 0):
                points.reverse()
            yield from ((a, b) for a, b in zip(points, points[1:], strict=False) if a != b)


def _knots(every: Iterable[set[tuple[Point, Point]]]) -> set[Point]:
    """Points where more or fewer than two borders meet: they stay where they are."""
    near = defaultdict[Point, set[Point]](set)
    for edges in every:
        for a, b in edges:
            near[a].add(b)
            near[b].add(a)
    return {point for point, others in near.items() if len(others) != 2}


def _simplified(ring: Ring, knots: set[Point], tolerance: float) -> Ring:
    """Simplify a closed ring between its knots; one without any between its lowest point and the one farthest from that."""
    points = ring[:-1]
    cuts = [n for n, point in enumerate(points) if point in knots]
    if len(cuts) < 2:
        low = cuts[0] if cuts else points.index(min(points))
        far = max(range(len(points)), key=lambda n: (hypot(points[n][0] - points[low][0], points[n][1] - points[low][1]), points[n]))
        cuts = sorted({low, far})
    points = points[cuts[0] :] + points[: cuts[0] + 1]
    cuts = [*(n - cuts[0] for n in cuts), len(points) - 1]
    out = [points[0]]
    for start, end in zip(cuts, cuts[1:], strict=False):
        arc = points[start : end + 1]
        # The same piece is met from both sides; it is made simpler in one direction.
        turned = (arc[-1], arc[-2]) < (arc[0], arc[1])
        kept = _thinned(arc[::-1] if turned else arc, tolerance)
        out += (kept[::-1] if turned else kept)[1:]
    return out


def _thinned(arc: Sequence[Point], tolerance: float) -> list[Point]:
    """Douglas and Peucker, with a stack; degrees of longitude count as long as they are at this latitude."""
    wide = cos(radians(arc[0][1]))
    keep, todo = {0, len(arc) - 1}, [(0, len(arc) - 1)]
    while todo:
        a, b = todo.pop()
        if b - a < 2:
            continue
        distance, n = max((_distance(arc[n], arc[a], arc[b], wide), n) for n in range(a + 1, b))
        if distance > tolerance:
            keep.add(n)
            todo += [(a, n), (n, b)]
    return [arc[n] for n in sorted(keep)]


def _distance(p: Point, a: Point, b: Point, wide: float) -> float:
    """From a point to the line between two, in degrees of latitude; to the end where both ends are one."""
    (px, py), (ax, ay), (bx, by) = ((x * wide, y) for x, y in (p, a, b))
    dx, dy = bx - ax, by - ay
    length = hypot(dx, dy)
    return hypot(px - ax, py - ay) if length == 0 else abs(dx * (ay - py) - (ax - px) * dy) / length


def _shape(rings: list[Ring], by: Point) -> dict[str, Any]:
    """Rings as a MultiPolygon (RFC 7946: outer rings anticlockwise, holes within them clockwise)."""
    polygons = []
    for outer, inner in holes(rings):
        parts = [outer if area(outer) > 0 else outer[::-1], *(hole if area(hole) < 0 else hole[::-1] for hole in inner)]
        polygons.append([[[round(x + by[0], DIGITS), round(y + by[1], DIGITS)] for x, y in ring] for ring in parts])
    return {"type": "MultiPolygon", "coordinates": sorted(polygons)}


def chosen(source: Mapping[str, Any], country: str, code: str, rename: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The features of a country, each with its region's code as ``id``; ``ES.AN`` is read as ``ES-AN``."""
    seen = set[str]()
    for feature in source.get("features", []):
        properties = feature.get("properties") or {}
        seen |= properties.keys()
        name = str(properties.get(code) or "").replace(".", "-")
        name = rename.get(name, name)
        if name.startswith(f"{country}-") and feature.get("geometry"):
            label = properties.get("region" if code == "region_cod" else "name") or name
            yield {"id": name, "properties": {"name": label}, "geometry": feature["geometry"]}
    if code not in seen:
        raise InputError(f"--code {code}: no feature has this property; there are: {', '.join(sorted(seen)[:30])}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m endonym.plots.geometry", description="Make a map of a country for endonym's figures.")
    parser.add_argument("source", type=Path, help="a GeoJSON file (FeatureCollection)")
    parser.add_argument("--country", required=True, help="ISO 3166-1, as FR")
    parser.add_argument("--code", default="iso_3166_2", help="the property that holds a region's ISO 3166-2 code (%(default)s)")
    parser.add_argument("--rename", action="append", default=[], metavar="OLD=NEW", help="a code that is written otherwise in the file")
    parser.add_argument("--skip", action="append", default=[], metavar="CODE", help="a region to leave out")
    parser.add_argument("--move", action="append", default=[], metavar="CODE=LON,LAT", help="shift a far region by degrees")
    parser.add_argument("--tolerance", type=float, default=0.01, help="how far a border may stray, in degrees (%(default)s)")
    parser.add_argument("--origin", default="", help="where the data come from")
    parser.add_argument("--licence", default="", help="under what terms")
    parser.add_argument("--out", type=Path, required=True)
    try:
        return _run(parser.parse_args(arguments))
    except EndonymError as problem:
        sys.stderr.write(f"{problem}\n")
        return problem.exit_code


def _run(told: argparse.Namespace) -> int:
    rename, moved = _pairs(told.rename, "--rename"), {}
    for code, shift in _pairs(told.move, "--move").items():
        x, _, y = shift.partition(",")
        moved[code] = (float(x), float(y))
    try:
        source = json.loads(told.source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputError(f"{told.source}: cannot be read as GeoJSON: {problem}") from problem
    features = [f for f in chosen(source, told.country, told.code, rename) if f["id"] not in told.skip]
    if not features:
        raise InputError(f"{told.source}: holds no region of {told.country} by {told.code}")
    shapes = geometry(features, tolerance=told.tolerance, moved=moved)
    made = {
        "type": "FeatureCollection", "country": told.country, "origin": told.origin, "licence": told.licence,
        "moved": {code: list(shift) for code, shift in moved.items()}, "features": shapes,
    }  # fmt: skip
    told.out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


def _pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    if wrong := [text for text in texts if "=" not in text]:
        raise InputError(f"{option} {wrong[0]}: is not written as NAME=VALUE")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


if __name__ == "__main__":
    sys.exit(main())
