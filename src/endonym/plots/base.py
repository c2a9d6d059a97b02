"""What figures share: one look, and the ways out of a specification.

In: an Altair chart. Out: SVG, drawn by vl-convert without a browser and without the network, and PDF and PNG made of that SVG. The
one thing to know: ink is ``currentColor`` and the ground is clear, so one SVG serves a light page, a dark page and paper;
PDF and PNG have dark ink on white.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import altair as alt
import vl_convert

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#E69F00", "#009E73", "#8A8A8A"
"""Of the palette of Okabe and Ito (2008), which people with any colour vision can tell apart."""
PALETTE = (BLUE, "#D55E00", GREEN, "#CC79A7", "#56B4E9", ORANGE, "#8A8A8A", "#5B3A8C")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2])
"""For more kinds than the palette has."""
RAMP = ("#08306b", "#2171b5", "#6baed6", "#c6dbef", "#fdf0d5")
"""Dark to light in lightness and in hue, so that it also reads in grey; low values are dark."""
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
_LIMIT = 260
_INK = "currentColor"
_PAPER_INK = "#1d1c1a"
THEME: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "aria": False,
    # Names are measured with one font and shown with the reader's, which may be wider.
    "padding": {"left": 18, "right": 26, "top": 6, "bottom": 6},
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK, "titleColor": _INK, "domainColor": _INK, "tickColor": _INK, "gridColor": _INK, "gridOpacity": 0.14,
        "domainOpacity": 0.5, "tickOpacity": 0.5, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8,
        "labelLimit": _LIMIT,
    },
    "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "labelLimit": 400},
    "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
    "title": {"color": _INK, "fontSize": 14, "anchor": "start"},
    "rule": {"color": _INK}, "tick": {"color": _INK}, "text": {"color": _INK, "fontSize": 11},
}  # fmt: skip


def rows(values: Sequence[Mapping[str, Any]]) -> alt.Data:
    """Data within the specification: a figure is one whole."""
    return alt.Data(values=[dict(value) for value in values])


def beside(names: Iterable[str], **settings: Any) -> alt.Axis:
    """An axis of names at the left, with room for the longest of them in the widest font that a reader may have, not only the drawer's."""
    widths = [sum(13 if unicodedata.east_asian_width(sign) in "WF" else 7.4 for sign in name) for name in names]
    return alt.Axis(domain=False, ticks=False, minExtent=min(max(widths, default=0), _LIMIT), **settings)


def colours(names: Sequence[str]) -> alt.Scale:
    """A colour for each name, in their order; the palette begins again where there are more."""
    return alt.Scale(domain=list(names), range=[PALETTE[n % len(PALETTE)] for n in range(len(names))])


def dashes(names: Sequence[str]) -> alt.Scale:
    """Whole lines for as many names as the palette has; the ninth name has the first colour and is dashed."""
    return alt.Scale(domain=list(names), range=[DASHES[n // len(PALETTE) % len(DASHES)] for n in range(len(names))])


def ink(value: float | None, until: float) -> str:
    """``light`` or ``dark``, whichever is read more easily on a colour of the ramp; ``page`` where there is no colour."""
    return "page" if value is None else "light" if value < until else "dark"


def inked(base: Any, encoding: Mapping[str, Any], **mark: Any) -> list[Any]:
    """Text in the ink that its row's ``ink`` names: three layers, so that the colours of what lies below keep their one scale."""
    tints = {"light": {"color": "#ffffff"}, "dark": {"color": "#111111"}, "page": {}}
    return [base.transform_filter(f"datum.ink === '{name}'").mark_text(**mark, **tint).encode(**encoding) for name, tint in tints.items()]


def specification(chart: Any) -> dict[str, Any]:
    """The chart as a Vega-Lite specification, with the look of this house."""
    # Its parts are checked as they are put together; to check the whole against the schema takes longer than to draw it.
    spec = chart.to_dict(validate=False)
    # Laid over by hand: Altair takes no colour that it does not know, and does not know currentColor.
    spec["config"] = {**THEME, **{key: value for key, value in spec.get("config", {}).items() if key not in {"view"}}}
    return spec


def svg(chart: Any, *, label: str, name: str = "figure") -> str:
    """Draw a chart as one SVG element that a screen reader calls ``label``.

    ``name`` keeps the identifiers within it apart from those of other figures of a page.
    """
    drawn = vl_convert.vegalite_to_svg(specification(chart))
    # The whole is one picture with one name; parts that call themselves symbols without a name are a fault to a screen reader.
    drawn = re.sub(r' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*"|aria-label="[^"]*")', "", drawn)
    # The drawer counts its identifiers on from figure to figure; a figure's own count gives the same bytes each time.
    for number, old in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', drawn))):
        drawn = re.sub(rf'(\bid="|url\(#|href="#){re.escape(old)}(?=[")])', rf"\g<1>{name}-{number}", drawn)
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def on_paper(drawn: str) -> str:
    """The same SVG with dark ink on a white ground, for programs that know no ``currentColor``."""
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    inked = drawn.replace(_INK, _PAPER_INK).replace(FONT, "Helvetica, Arial, sans-serif")
    return re.sub(r"(<svg [^>]*>)", rf"\1{ground}", inked, count=1)


def pdf(drawn: str) -> bytes:
    """One page as large as the figure. Its fonts are embedded in an order that changes from call to call: not the same bytes each time."""
    return vl_convert.svg_to_pdf(on_paper(drawn))


def png(drawn: str, *, scale: float = 2.0) -> bytes:
    """Pixels: ``scale`` of them for each unit of the figure."""
    return vl_convert.svg_to_png(on_paper(drawn), scale=scale)
