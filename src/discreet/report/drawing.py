"""One way to draw: rows and a specification in, an SVG that says in words what it shows out."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import vl_convert

from discreet.notebook import printable

__all__ = ["AFTER", "BEFORE", "CHANCE", "INK", "RISK", "draw", "of_rows", "spoken", "when_colour"]

# Every colour stands out from white by 4.5 to 1 at least, and before and after differ in lightness and shape too.
INK, BEFORE, AFTER, RISK, CHANCE = "#1b1f23", "#5b6770", "#0b6e4f", "#a92f1b", "#3d5bb8"
_FONT = "Arial, Helvetica, 'Liberation Sans', Arimo, sans-serif"  # widths are measured in the first of them


def of_rows(rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Return an empty chart of these rows; texts in them are made printable, as they may be a user's names."""
    values = [{key: printable(v) if isinstance(v, str) else v for key, v in row.items()} for row in rows]
    return alt.Chart(alt.InlineData(values=values))


def when_colour() -> alt.Color:
    """Return the colours of before and after, with their legend."""
    return alt.Color(
        "file:N",
        title=None,
        scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]),
        legend=alt.Legend(orient="top", symbolStrokeWidth=3),
    )


def draw(chart: Any, text: str) -> str:
    """Return the chart as an SVG that a screen reader reads out as `text`."""
    specification = (
        chart.configure(font="Arial", background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor="#e3e7ea",
            labelLimit=320,
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelColor=INK, titleColor=INK, titleFontWeight="normal", labelFontSize=12)
        .configure_header(labelColor=INK, titleColor=INK, labelFontSize=12)
        .to_dict()
    )
    return spoken(vl_convert.vegalite_to_svg(specification), text)


def spoken(svg: str, text: str) -> str:
    """Return an SVG that a screen reader reads out as `text`, and that can share a page with others."""
    # Parts are numbered by a counter that goes on from picture to picture: they get names that depend on this one only.
    own = hashlib.sha256(text.encode()).hexdigest()[:8]
    for place, name in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg))):
        svg = svg.replace(f'id="{name}"', f'id="p{own}-{place}"').replace(f"url(#{name})", f"url(#p{own}-{place})")
    for font in ("Arial", "sans-serif"):
        svg = svg.replace(f'font-family="{font}"', f'font-family="{_FONT}"')
    label = html.escape(printable(text), quote=True)
    # Plain replacement: a name is the user's, and in a pattern's replacement a backslash would be a command.
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
