"""The papers' figures as SVG, drawn by hand: no library, nothing to load."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from functools import singledispatch

from discreet.reproduction.printed import CurveFigure, Figure, GraphFigure, IntervalFigure, ScatterFigure

__all__ = ["draw"]

_INK, _SOFT, _LINE = "#1b1f23", "#5b6770", "#d5dade"
# Told apart by people who see few colours; every group has a mark or dashes of its own as well.
_COLOURS = ("#0b6e4f", "#b3341f", "#2f5d8a", "#b07d12", "#6a3d8f", "#3b8ea5", "#7a5230", "#c2557a")
_DASHES = ("", "7 4", "2 4", "9 3 2 3")
_WIDTH, _HEIGHT = 460, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 126, 14, 44


def draw(figure: Figure) -> str:
    """Return a figure as an SVG element that says what it shows."""
    body, height = _body(figure)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{html.escape(figure.alt, quote=True)}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="system-ui, sans-serif" font-size="12" fill="{_INK}">'
        f"<title>{html.escape(figure.title)}</title>{body}</svg>"
    )


@singledispatch
def _body(figure: Figure) -> tuple[str, int]:
    raise TypeError(type(figure).__name__)


@_body.register
def _curves(figure: CurveFigure) -> tuple[str, int]:
    xs = [x for curve in figure.curves for x, _ in curve.points]
    ys = [y for curve in figure.curves for _, y in curve.points]
    frame = _Frame(xs, ys, figure.ticks)
    parts = [frame.axes(figure.x, figure.y)]
    solid = [curve for curve in figure.curves if not curve.dashed]
    many = len(solid) > len(_COLOURS)
    at = -1
    for place, curve in enumerate(figure.curves):
        # A dashed curve has the colour of the solid one that follows it.
        at = at + 1 if curve.dashed or not (place and figure.curves[place - 1].dashed) else at
        colour = _ramp(place / (len(figure.curves) - 1)) if many else _COLOURS[at % len(_COLOURS)]
        dash = ' stroke-dasharray="5 4"' if curve.dashed else ""
        points = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in curve.points)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        height = _TOP + 10 + 17 * place
        parts.append(
            f'<line x1="{_WIDTH - _RIGHT + 10}" x2="{_WIDTH - _RIGHT + 28}" y1="{height - 4}" y2="{height - 4}" '
            f'stroke="{colour}" stroke-width="2.4"{dash}/>' + _text(_WIDTH - _RIGHT + 33, height, curve.label, size=11)
        )
    return "".join(parts), _HEIGHT


@_body.register
def _intervals(figure: IntervalFigure) -> tuple[str, int]:
    height = 34 * len(figure.intervals) + 56
    margin, width = 84, _WIDTH - 84 - 24
    parts = []
    for tick in range(9):
        x = margin + width * tick / 8
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="8" y2="{height - 42}" stroke="{_LINE}"/>')
        parts.append(_text(x, height - 26, f"{tick}/8", anchor="middle", size=11, colour=_SOFT))
    for place, one in enumerate(figure.intervals):
        y = 14 + 34 * place
        low, high, centre = (margin + width * value for value in (one.low, one.high, one.centre))
        colour = _COLOURS[place % len(_COLOURS)]
        parts.append(_text(margin - 10, y + 16, one.label, anchor="end", size=13))
        parts.append(
            f'<rect x="{low:.1f}" y="{y}" width="{high - low:.1f}" height="22" rx="4" fill="{colour}" '
            f'fill-opacity=".22" stroke="{colour}" stroke-width="1.6"/>'
            f'<circle cx="{centre:.1f}" cy="{y + 11}" r="4" fill="{colour}"/>'
        )
    parts.append(_text(margin + width / 2, height - 8, figure.x + "; dots are centres", anchor="middle", colour=_SOFT))
    return "".join(parts), height


@_body.register
def _scatter(figure: ScatterFigure) -> tuple[str, int]:
    frame = _Frame([p.x for p in figure.points], [p.y for p in figure.points])
    parts = [frame.axes(figure.x, figure.y)]
    groups = list(dict.fromkeys(point.group for point in figure.points))
    crowded = len(figure.points) > 600
    for point in figure.points:
        label = "" if crowded else html.escape(f"{point.label}: {point.x:.4g}, {point.y:.4g}")
        parts.append(_mark(groups.index(point.group), frame.x(point.x), frame.y(point.y), label))
    for place, group in enumerate(groups):
        height = _TOP + 12 + 19 * place
        parts.append(_mark(place, _WIDTH - _RIGHT + 18, height - 4, "", solid=True))
        parts.append(_text(_WIDTH - _RIGHT + 30, height, group, size=11))
    return "".join(parts), _HEIGHT


@_body.register
def _graph(figure: GraphFigure) -> tuple[str, int]:
    height = 300 + 18 * len(figure.groups)
    at = {name: (28 + (_WIDTH - 56) * x, 26 + 250 * (1 - y)) for name, x, y in figure.places}
    parts = [
        f'<marker id="arrow{i}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6.5" markerHeight="6.5" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
        for i, colour in enumerate(_COLOURS)
    ]
    parts = [f"<defs>{''.join(parts)}</defs>"]
    arrows: dict[tuple[str, str], int] = {}
    for step in figure.steps:
        pair = (step.origin, step.target)
        arrows[pair] = arrows.get(pair, 0) + 1
        # Each further arrow between two places bends more, to the left of its own direction.
        parts.append(_arrow(at[step.origin], at[step.target], 16 + 20 * (arrows[pair] - 1), step.label, step.group))
    for name, (x, y) in at.items():
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="#fff" stroke="{_INK}" stroke-width="1.5"/>'
            + _text(x, y + 5, name, anchor="middle", size=14)
        )
    for place, members in enumerate(figure.groups):
        y = 304 + 18 * place
        parts.append(
            f'<line x1="28" x2="62" y1="{y - 4}" y2="{y - 4}" stroke="{_COLOURS[place]}" stroke-width="2.4" '
            f'stroke-dasharray="{_DASHES[place % len(_DASHES)]}"/>' + _text(70, y, members, size=12)
        )
    return "".join(parts), height


def _arrow(start: tuple[float, float], end: tuple[float, float], bend: float, label: str, group: int) -> str:
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    cx, cy = (x0 + x1) / 2 + bend * uy, (y0 + y1) / 2 - bend * ux

    # Ends at the rim of the place, seen from where the curve comes.
    def rim(x: float, y: float, gap: float) -> tuple[float, float]:
        far = math.hypot(cx - x, cy - y)
        return x + gap * (cx - x) / far, y + gap * (cy - y) / far

    (sx, sy), (ex, ey) = rim(x0, y0, 14), rim(x1, y1, 16)
    colour, dash = _COLOURS[group % len(_COLOURS)], _DASHES[group % len(_DASHES)]
    lx, ly = (x0 + x1) / 2 + 0.72 * bend * uy, (y0 + y1) / 2 - 0.72 * bend * ux
    return (
        f'<path d="M{sx:.1f} {sy:.1f}Q{cx:.1f} {cy:.1f} {ex:.1f} {ey:.1f}" fill="none" stroke="{colour}" '
        f'stroke-width="1.9" stroke-dasharray="{dash}" marker-end="url(#arrow{group % len(_COLOURS)})"/>'
        f'<text x="{lx:.1f}" y="{ly + 4:.1f}" text-anchor="middle" font-size="11" fill="{colour}" stroke="#fff" '
        f'stroke-width="3" paint-order="stroke">{html.escape(label)}</text>'
    )


class _Frame:
    """Two axes: from values to places on the picture."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], ticks: Sequence[tuple[float, str]] = ()) -> None:
        self._x_ticks = list(ticks) or _ticks(min(xs), max(xs))
        self._y_ticks = _ticks(min(ys), max(ys))
        self._x_range = _span(xs, self._x_ticks)
        self._y_range = _span(ys, self._y_ticks)

    def x(self, value: float) -> float:
        low, high = self._x_range
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)

    def y(self, value: float) -> float:
        low, high = self._y_range
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    def axes(self, x_label: str, y_label: str) -> str:
        parts = []
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        for value, words in self._x_ticks:
            x = self.x(value)
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="{_LINE}"/>')
            parts.append(_text(x, bottom + 16, words, anchor="middle", size=11, colour=_SOFT))
        for value, words in self._y_ticks:
            y = self.y(value)
            parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_LINE}"/>')
            parts.append(_text(_LEFT - 6, y + 4, words, anchor="end", size=11, colour=_SOFT))
        parts.append(_text((_LEFT + right) / 2, _HEIGHT - 8, x_label, anchor="middle"))
        middle = (_TOP + bottom) / 2
        parts.append(
            f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">'
            f"{html.escape(y_label)}</text>"
        )
        return "".join(parts)


def _span(values: Sequence[float], ticks: Sequence[tuple[float, str]]) -> tuple[float, float]:
    places = [*values, *(place for place, _ in ticks)]
    low, high = min(places), max(places)
    return low, high if high > low else low + 1.0


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return about five round numbers between two ends."""
    if high <= low:
        return [(low, f"{low:g}")]
    rough = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [(place * step, f"{round(place * step, 10):g}") for place in range(first, last + 1)]


def _mark(group: int, x: float, y: float, label: str, *, solid: bool = False) -> str:
    colour = _COLOURS[group % len(_COLOURS)]
    paths = (
        "M-3.4 0A3.4 3.4 0 1 1 3.4 0A3.4 3.4 0 1 1 -3.4 0z", "M-3 -3H3V3H-3z", "M0 -4L4 3H-4z",
        "M0 -4.2L4.2 0L0 4.2L-4.2 0z", "M-4 -3H4L0 4z", "M-1.2 -4H1.2V-1.2H4V1.2H1.2V4H-1.2V1.2H-4V-1.2H-1.2z",
    )  # fmt: skip
    title = f"<title>{label}</title>" if label else ""
    return (
        f'<path transform="translate({x:.1f} {y:.1f})" d="{paths[group % len(paths)]}" fill="{colour}" '
        f'fill-opacity="{1 if solid else 0.6}">{title}</path>'
    )


def _ramp(share: float) -> str:
    """Return a colour between green and violet."""
    ends = ((11, 110, 79), (47, 93, 138), (106, 61, 143))
    place = min(share, 0.9999) * 2
    a, b, part = ends[int(place)], ends[int(place) + 1], place % 1
    return "#" + "".join(f"{round(p + (q - p) * part):02x}" for p, q in zip(a, b, strict=True))


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, colour: str = _INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="{size}" fill="{colour}">{html.escape(words)}</text>'
