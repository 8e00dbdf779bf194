"""One way to draw: marks on a canvas that become an SVG, which says in words what it shows, mark by mark."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from discreet.notebook import printable

__all__ = [
    "AFTER",
    "BEFORE",
    "CHANCE",
    "GRID",
    "INK",
    "PALETTE",
    "RISK",
    "Canvas",
    "LinearScale",
    "Plot",
    "blended",
    "legend_of_files",
    "nice_limit",
    "put_beside",
    "short_number",
    "shortened",
    "spelled",
    "text_width",
    "told",
]

# Every colour stands out from white by 4.5 to 1 at least, and before and after differ in lightness and shape too.
INK, BEFORE, AFTER, RISK, CHANCE = "#1b1f23", "#5b6770", "#0b6e4f", "#a92f1b", "#3d5bb8"
GRID = "#e3e7ea"
PALETTE = (AFTER, RISK, CHANCE, "#7a4b9d", "#8a5a00", "#00707a", "#9c2f6d", "#4d6b1f", "#6b3f2a", BEFORE)
"""Colours of things that are many; they come round again."""
_FONT = "Arial, Helvetica, 'Liberation Sans', Arimo, sans-serif"
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[] -"), set("mwMW%@—…")
Anchor = Literal["start", "middle", "end"]


def spelled(value: object) -> str:
    """Return a number to six digits with a true minus sign, or a text as it can be printed.

    Examples
    --------
    >>> [spelled(value) for value in (30.0, -0.25, "age")]
    ['30', '−0.25', 'age']
    """
    if isinstance(value, int | float):
        return f"{value:.6g}".replace("-", "−")
    return printable(str(value))


def short_number(value: float) -> str:
    """Return a number for an axis: thousands as k, millions as M.

    Examples
    --------
    >>> [short_number(value) for value in (0.25, 1500.0, 2_000_000.0, -40.0)]
    ['0.25', '1.5k', '2M', '−40']
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return spelled(value / size) + letter
    return spelled(value)


def told(fields: Mapping[str, object]) -> str:
    """Return what a mark stands for, in words."""
    return "; ".join(f"{name}: {spelled(value)}" for name, value in fields.items())


def text_width(text: str, size: float = 12) -> float:
    """Return about how wide a text is: letters of four widths, wide scripts of a fifth."""
    return size * sum(map(_width_of, text))


def _width_of(letter: str) -> float:
    if ord(letter) > 0x1100:
        return 1.0
    if letter in _NARROW:
        return 0.3
    if letter in _WIDE:
        return 0.87
    return 0.7 if letter.isupper() else 0.58


def shortened(text: str, limit: float, size: float = 12) -> str:
    """Return a text that fits, its end cut off where it does not."""
    text = printable(text)
    if text_width(text, size) <= limit:
        return text
    while text and text_width(text + "…", size) > limit:
        text = text[:-1]
    return text.rstrip() + "…"


def blended(share: float, low: str, high: str) -> str:
    """Return the colour at a share of the way from one to another."""
    ends = [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in (low, high)]
    share = min(max(share, 0.0), 1.0)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


def nice_limit(value: float, ticks: int = 10) -> float:
    """Return the least round number that is no less than a positive value."""
    step = _step(value, ticks)
    return math.ceil(value / step - 1e-9) * step


def _step(extent: float, ticks: int) -> float:
    """Return 1, 2 or 5 times a power of ten, so that about as many steps make the extent."""
    if not extent > 0 or not math.isfinite(extent):
        return 1.0
    raw = extent / ticks
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw * (1 - 1e-9))


@dataclass(frozen=True)
class LinearScale:
    """Values between two ends, on pixels between two others."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        extent = self.high - self.low
        return self.start + (self.stop - self.start) * ((value - self.low) / extent if extent else 0.5)

    def ticks(self, number: int = 5) -> list[float]:
        """Return round values between the ends, about as many."""
        step = _step(self.high - self.low, number)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]


class Canvas:
    """Marks, in the order in which they are drawn.

    Every text is escaped and freed of control characters: names of columns and levels are a user's. A mark with a
    `label` is read out, and shown when a pointer rests on it.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, fill: str, label: str = "", edge: str = "") -> None:
        """Draw a filled rectangle."""
        stroke = f' stroke="{edge}"' if edge else ""
        place = f'x="{x:.2f}" y="{y:.2f}" width="{max(width, 0):.2f}" height="{max(height, 0):.2f}"'
        self._mark("rect", f'{place} fill="{fill}"{stroke}', label)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        colour: str = INK,
        width: float = 1,
        dash: str = "",
        label: str = "",
    ) -> None:
        """Draw a line through points."""
        path = "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._mark("path", f'd="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashes}', label)

    def dot(self, x: float, y: float, colour: str, shape: str = "circle", label: str = "", radius: float = 4.5) -> None:
        """Draw a ``"circle"``, a ``"diamond"`` or a ``"cross"``."""
        if shape == "circle":
            self._mark("circle", f'cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="{colour}"', label)
            return
        r = radius * 1.25
        corners = {
            "diamond": [(0, -r), (r, 0), (0, r), (-r, 0)],
            "cross": [(-r, -r / 3), (-r / 3, -r / 3), (-r / 3, -r), (r / 3, -r), (r / 3, -r / 3), (r, -r / 3),
                      (r, r / 3), (r / 3, r / 3), (r / 3, r), (-r / 3, r), (-r / 3, r / 3), (-r, r / 3)],
        }[shape]  # fmt: skip
        path = "M" + "L".join(f"{x + dx:.2f},{y + dy:.2f}" for dx, dy in corners) + "Z"
        self._mark("path", f'd="{path}" fill="{colour}"', label)

    def text(
        self, x: float, y: float, text: str, anchor: Anchor = "start", size: float = 12, *, turned: bool = False,
        colour: str = INK,
    ) -> None:  # fmt: skip
        """Write a text; `turned` from below to above."""
        turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if turned else ""
        where = f'x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" font-size="{size:g}" fill="{colour}"{turn}'
        self._parts.append(f"<text {where}>{html.escape(printable(text))}</text>")

    def say(self, text: str) -> None:
        """Tell a screen reader what is drawn next, an axis for instance."""
        self._parts.append(f'<g role="img" aria-label="{html.escape(printable(text), quote=True)}"></g>')

    def put(self, other: Canvas, x: float, y: float) -> None:
        """Draw what another canvas holds, from a corner on."""
        self._parts.append(f'<g transform="translate({x:.2f} {y:.2f})">{"".join(other._parts)}</g>')

    def svg(self, text: str) -> str:
        """Return the picture, which a screen reader reads out as `text`.

        Nothing in it has a name, so that it can share a page with others.
        """
        label = html.escape(printable(text), quote=True)
        return (
            f'<svg role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
            f'font-family="{html.escape(_FONT, quote=True)}">{"".join(self._parts)}</svg>'
        )

    def _mark(self, element: str, attributes: str, label: str) -> None:
        if not label:
            self._parts.append(f"<{element} {attributes}/>")
            return
        words = html.escape(printable(label), quote=True)
        self._parts.append(
            f'<{element} role="img" aria-label="{words}" {attributes}><title>{words}</title></{element}>'
        )


@dataclass(frozen=True)
class Plot:
    """A rectangle of a canvas with scales: `x` to the right, and either rows of names or `y` upwards."""

    canvas: Canvas
    left: float
    top: float
    width: float
    height: float

    def across(self, low: float, high: float) -> LinearScale:
        """Return the scale of values to the right."""
        return LinearScale(low, high, self.left, self.left + self.width)

    def upwards(self, low: float, high: float) -> LinearScale:
        """Return the scale of values upwards."""
        return LinearScale(low, high, self.top + self.height, self.top)

    def bottom_axis(self, scale: LinearScale, title: str = "", *, grid: bool = True, ticks: int = 5) -> None:
        """Draw the axis below, with lines through the plot where `grid`."""
        end = self.top + self.height
        self.canvas.say(f"Across: {title or 'values'}, from {spelled(scale.low)} to {spelled(scale.high)}.")
        for value in scale.ticks(ticks):
            x = scale(value)
            self.canvas.line([(x, self.top if grid else end), (x, end + 4)], GRID if grid else BEFORE)
            self.canvas.text(x, end + 17, short_number(value), "middle", 11)
        self.canvas.line([(self.left, end), (self.left + self.width, end)], BEFORE)
        if title:
            self.canvas.text(self.left + self.width / 2, end + 34, title, "middle")

    def left_axis(self, scale: LinearScale, title: str = "", *, grid: bool = True, ticks: int = 5) -> None:
        """Draw the axis at the left, with lines through the plot where `grid`."""
        self.canvas.say(f"Up: {title or 'values'}, from {spelled(scale.low)} to {spelled(scale.high)}.")
        for value in scale.ticks(ticks):
            y = scale(value)
            self.canvas.line([(self.left - 4, y), (self.left + (self.width if grid else 0), y)], GRID)
            self.canvas.text(self.left - 7, y + 4, short_number(value), "end", 11)
        self.canvas.line([(self.left, self.top), (self.left, self.top + self.height)], BEFORE)
        if title:
            self.canvas.text(self.left - 44, self.top + self.height / 2, title, "middle", turned=True)

    def rows(self, names: Sequence[str], limit: float, *, grid: bool = False) -> list[float]:
        """Write names at the left, a row each, and return the middles of the rows."""
        self.canvas.say(f"Down: {', '.join(names)}.")
        step = self.height / max(len(names), 1)
        middles = [self.top + step * (place + 0.5) for place in range(len(names))]
        for middle, name in zip(middles, names, strict=True):
            if grid:
                self.canvas.line([(self.left, middle), (self.left + self.width, middle)], GRID)
            self.canvas.text(self.left - 7, middle + 4, shortened(name, limit), "end")
        return middles


def legend_of_files(canvas: Canvas, x: float, y: float, *, shapes: bool = False) -> None:
    """Say which colour, and which shape, is before and which after."""
    for name, colour, shape in (("before", BEFORE, "circle"), ("after", AFTER, "diamond")):
        if shapes:
            canvas.dot(x + 6, y - 4, colour, shape)
        else:
            canvas.rect(x, y - 9, 12, 10, colour)
        canvas.text(x + 18, y, name)
        x += 34 + text_width(name)


def put_beside(panels: Sequence[Canvas], columns: int, gap: float = 16) -> Canvas:
    """Return one canvas with several, row by row."""
    rows = [panels[first : first + columns] for first in range(0, len(panels), columns)]
    widths = [max((row[j].width for row in rows if j < len(row)), default=0.0) for j in range(columns)]
    heights = [max(panel.height for panel in row) for row in rows]
    used = [width for width in widths if width]
    whole = Canvas(sum(used) + gap * (len(used) - 1), sum(heights) + gap * (len(heights) - 1))
    y = 0.0
    for row, height in zip(rows, heights, strict=True):
        x = 0.0
        for panel, width in zip(row, widths, strict=False):
            whole.put(panel, x, y)
            x += width + gap
        y += height + gap
    return whole
