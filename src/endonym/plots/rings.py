"""Rings of points: stitched from edges, measured, and sorted into outer rings and their holes.

In: points (longitude, latitude) or directed edges between them. Out: closed rings, whose last point is the first. The one thing
to know: edges that meet at one point are joined so that a ring turns as sharply left as it can, which parts two
polygons that touch in a point.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import atan2, cos, hypot, pi, radians
from typing import Any

Point = tuple[float, float]
Ring = list[Point]


def area(ring: Sequence[Point]) -> float:
    """The signed area in square degrees: positive where the ring runs anticlockwise."""
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:], strict=False)) / 2


def stitched(edges: Iterable[tuple[Point, Point]]) -> list[Ring]:
    """Directed edges → closed rings, in the order of their lowest points."""
    after = defaultdict[Point, list[Point]](list)
    for a, b in sorted(edges):
        after[a].append(b)
    rings: list[Ring] = []
    for start in sorted(after):
        while after[start]:
            ring = [start, after[start].pop()]
            while ring[-1] != start and after[ring[-1]]:
                ring.append(_next(after[ring[-1]], ring[-2], ring[-1]))
            if ring[-1] == start and len(ring) > 3:
                rings.append(ring)
    return rings


def _next(ways: list[Point], before: Point, here: Point) -> Point:
    if len(ways) == 1:
        return ways.pop()
    came = atan2(before[1] - here[1], before[0] - here[0])
    turns = [((came - atan2(y - here[1], x - here[0])) % (2 * pi), n) for n, (x, y) in enumerate(ways)]
    return ways.pop(min(turns)[1])


def inside(point: Point, ring: Sequence[Point]) -> bool:
    """Whether a point lies within a ring (the number of borders to its right is odd)."""
    x, y = point
    crossed = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:], strict=False):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            crossed = not crossed
    return crossed


def holes(rings: Sequence[Ring]) -> list[tuple[Ring, list[Ring]]]:
    """Sort rings into outer ones and the holes in each: a ring within an odd number of others is a hole of the smallest."""
    within = {n: [m for m, other in enumerate(rings) if m != n and _within(ring, other)] for n, ring in enumerate(rings)}
    outer = {n: (ring, list[Ring]()) for n, ring in enumerate(rings) if len(within[n]) % 2 == 0}
    for n, around in within.items():
        if n not in outer:
            outer[min((m for m in around if m in outer), key=lambda m: abs(area(rings[m])))][1].append(rings[n])
    return list(outer.values())


def _within(ring: Ring, other: Ring) -> bool:
    """Whether a ring lies within another, by its points that are no corners of that one."""
    if abs(area(ring)) >= abs(area(other)):
        return False
    corners = set(other)
    own = [point for point in ring if point not in corners]
    return bool(own) and inside(own[0], other)


def label(polygons: Sequence[Sequence[Sequence[Any]]], *, steps: int = 24) -> list[float]:
    """Where a name may stand: of a grid of points over the largest polygon, the one within it that is farthest from any corner.

    A name is wider than it is high, so height counts twice. ``polygons`` are lists of rings, the outer one first.
    """
    rings = max(polygons, key=lambda rings: abs(area(rings[0])))
    xs, ys = [p[0] for p in rings[0]], [p[1] for p in rings[0]]
    wide = cos(radians(ys[0]))
    corners = [(p[0], p[1]) for ring in rings for p in _dense(ring)]
    best = (0.0, tuple(rings[0][0]))
    for i in range(1, steps):
        for j in range(1, steps):
            point = (min(xs) + (max(xs) - min(xs)) * i / steps, min(ys) + (max(ys) - min(ys)) * j / steps)
            if sum(inside(point, ring) for ring in rings) == 1:
                near = min(hypot((x - point[0]) * wide, 2 * (y - point[1])) for x, y in corners)
                best = max(best, (near, point))
    return [round(best[1][0], 3), round(best[1][1], 3)]


def _dense(ring: Sequence[Any], step: float = 0.05) -> Iterator[tuple[float, float]]:
    """Points along a ring at most ``step`` degrees apart, so that long straight borders count too."""
    for (ax, ay), (bx, by) in zip(ring, ring[1:], strict=False):
        n = max(1, int(hypot(bx - ax, by - ay) / step))
        yield from ((ax + (bx - ax) * k / n, ay + (by - ay) * k / n) for k in range(n))
