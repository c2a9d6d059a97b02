"""A map of a country: one estimate a region, with real borders where a file of them is at hand, else a grid of tiles.

In: estimates whose group holds an ISO 3166-2 code (or any code: then tiles), and borders from ``data/maps`` or a file that
``python -m endonym.plots.geometry`` made. Out: a chart. The one thing to know: the scale is drawn from the values, to steps of
5 %, and not from 0 to 100, since regions of one country differ by little; the legend says where it begins.
"""

import json
from collections.abc import Mapping, Sequence
from math import ceil, cos, floor, radians, sqrt
from pathlib import Path
from typing import Any

import altair as alt

from ..errors import InputError
from ..records import Estimate
from .base import RAMP, ink, inked, rows
from .rings import area

MAPS = Path(__file__).parent.parent / "data" / "maps"
WIDTH = 520
Scale = tuple[float, float]


def borders(codes: Sequence[str], file: Path | None = None) -> dict[str, Any] | None:
    """The borders of the country that most of the codes are of: from a file, or from those that are shipped; None where there are none.

    Raises InputError for a file that is no map.
    """
    countries = [code.partition("-")[0] for code in codes if "-" in code]
    if file is None:
        if not countries:
            return None
        file = MAPS / f"{max(sorted(set(countries)), key=countries.count)}.json"
        if not file.is_file():
            return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if not all(f["geometry"]["type"] == "MultiPolygon" and f["id"] for f in found["features"]):
            raise ValueError("its features are not all MultiPolygons with an id")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise InputError(f"{file}: is no map that python -m endonym.plots.geometry made: {problem}") from problem
    return found


def choropleth(
    estimates: Sequence[Estimate], *, by: str, names: Mapping[str, str] | None = None, file: Path | None = None, title: str = "Accuracy"
) -> Any:
    """Draw estimates by place. Codes that the map lacks stand as tiles below it; where there is no map, all of them do.

    ``names`` are the short names of regions that are written in them (their codes' second half where there are none).
    """
    found = {e.group.get(by, ""): e for e in estimates}
    shapes = borders(list(found), file)
    on_map = {feature["id"] for feature in shapes["features"]} if shapes else set[str]()
    scale = _scale([e.value for e in estimates if e.value is not None])
    beside = {code: e for code, e in found.items() if code not in on_map}
    parts = [_map(shapes, found, names or {}, (scale, title))] if shapes else []
    if beside:
        parts.append(_tiles(beside, names or {}, (scale, title if not parts else "")))
    return parts[0] if len(parts) == 1 else alt.vconcat(*parts)


def _scale(values: Sequence[float]) -> Scale:
    """From the least value to the greatest, rounded out to 5 %, and at least 10 % wide."""
    low = floor(20 * min(values, default=0.0) + 1e-9) / 20
    high = ceil(20 * max(values, default=1.0) - 1e-9) / 20
    return (low, high) if high - low >= 0.099 else (max(0.0, low - 0.05), min(1.0, low + 0.1))


def _colour(scale: Scale, title: str) -> alt.Color:
    low, high = scale
    domain = [low + (high - low) * n / (len(RAMP) - 1) for n in range(len(RAMP))]
    legend = alt.Legend(title=title, format=".0%", orient="right", gradientLength=160) if title else None
    return alt.Color("value:Q", scale=alt.Scale(domain=domain, range=list(RAMP)), legend=legend)


def _row(code: str, e: Estimate | None, names: Mapping[str, str], scale: Scale) -> dict[str, Any]:
    value = e.value if e else None
    low, high = scale
    tint = ink(value, low + 0.42 * (high - low))
    return {
        "code": code, "name": names.get(code) or code.partition("-")[2] or code or "(not stated)", "value": value,
        "text": "–" if value is None else f"{100 * value:.1f}", "ink": tint,
    }  # fmt: skip


def _map(shapes: Mapping[str, Any], found: Mapping[str, Estimate], names: Mapping[str, str], key: tuple[Scale, str]) -> Any:
    values = []
    for feature in shapes["features"]:
        row = _row(feature["id"], found.get(feature["id"]), names, key[0])
        longitude, latitude = feature["properties"].get("label") or feature["geometry"]["coordinates"][0][0][0]
        values.append({**row, "type": "Feature", "geometry": _wound(feature["geometry"]), "longitude": longitude, "latitude": latitude})
    points = [p for f in shapes["features"] for polygon in f["geometry"]["coordinates"] for p in polygon[0]]
    west, east, south, north = min(p[0] for p in points), max(p[0] for p in points), min(p[1] for p in points), max(p[1] for p in points)
    tall = (north - south) / ((east - west) * cos(radians((north + south) / 2)))
    parallels = [south + (north - south) / 6, north - (north - south) / 6]
    base = alt.Chart(rows(values)).project(type="conicConformal", rotate=[-(west + east) / 2, 0, 0], parallels=parallels)
    blank = base.transform_filter("datum.value === null").mark_geoshape(fill="#80808033", stroke="#808080", strokeWidth=0.7)
    region = base.transform_filter("datum.value !== null").mark_geoshape(stroke="#ffffff", strokeWidth=0.9).encode(color=_colour(*key))
    at = {"longitude": "longitude:Q", "latitude": "latitude:Q"}
    written = [*inked(base, {"text": "name:N", **at}, fontSize=10, dy=-6)]
    written += inked(base, {"text": "text:N", **at}, fontSize=11, fontWeight="bold", dy=6)
    size = {"width": WIDTH, "height": WIDTH * tall} if tall < 1 else {"width": WIDTH / tall, "height": WIDTH}
    return alt.layer(blank, region, *written).properties(**size)


def _wound(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Outer rings clockwise: the drawer reads an anticlockwise one as everything but the region."""
    turned = [[ring[::-1] if (area(ring) > 0) == (n == 0) else ring for n, ring in enumerate(p)] for p in shape["coordinates"]]
    return {"type": "MultiPolygon", "coordinates": turned}


def _tiles(found: Mapping[str, Estimate], names: Mapping[str, str], key: tuple[Scale, str]) -> Any:
    """A square for each place, in the order of their codes, in rows as many as they are long."""
    across = ceil(sqrt(len(found)))
    values = [{**_row(code, e, names, key[0]), "x": n % across, "y": n // across} for n, (code, e) in enumerate(sorted(found.items()))]
    x, y = alt.X("x:O", axis=None), alt.Y("y:O", axis=None)
    base = alt.Chart(rows(values))
    tile = base.transform_filter("datum.value !== null").mark_rect(stroke="#80808055", cornerRadius=3).encode(x=x, y=y, color=_colour(*key))
    written = [*inked(base, {"x": x, "y": y, "text": "name:N"}, fontSize=10, dy=-8)]
    written += inked(base, {"x": x, "y": y, "text": "text:N"}, fontSize=12, fontWeight="bold", dy=8)
    return alt.layer(tile, *written).properties(width=alt.Step(58), height=alt.Step(58))
