"""The risk–utility map of a study: every candidate as a point, the Pareto front as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.drawing import BEFORE, INK, PALETTE, Canvas, LinearScale, Plot, blended, shortened, spelled, told

__all__ = ["MAP_TEXT", "MAP_TITLE", "Entries", "map_svg"]


Entries = Sequence[Mapping[str, Any]]

MAP_TEXT = (
    "Risk and loss of every candidate of the study as points, and of the unmasked file as a cross; the line joins "
    "those that none beats in both."
)
MAP_TITLE = "Risk and loss of every candidate; nobody beats the line in both"
_KEY = "Bars: lowest to highest mean of a repetition with another seed. Cross: the unmasked file"
_FIGURES = ("score", "risk", "loss")


def map_svg(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> str:
    """Return the map as a picture; what a point stands for is shown when a pointer rests on it."""
    methods = list(dict.fromkeys(entry["method"] for entry in entries))
    colours = {method: PALETTE[place % len(PALETTE)] for place, method in enumerate(methods)}
    canvas = Canvas(900, max(540, 90 + 20 * len(methods)))
    plot = Plot(canvas, 64, 56, 640, 420)
    canvas.text(64, 20, MAP_TITLE, size=14)
    canvas.text(64, 38, _KEY, size=11, colour=BEFORE)
    everybody = [*entries, *([_point(unmasked)] if unmasked is not None else [])]
    x = plot.across(*_ends(everybody, "risk"))
    y = plot.upwards(*_ends(everybody, "loss"))
    plot.bottom_axis(x, "disclosure risk (%)")
    plot.left_axis(y, "information loss")
    _stairs(canvas, x, y, front)
    for entry in entries:
        colour = blended(0.65, colours[entry["method"]], "#ffffff")  # lighter, so that points stay in front
        canvas.line([(x(entry["risk_low"]), y(entry["loss"])), (x(entry["risk_high"]), y(entry["loss"]))], colour, 2)
        canvas.line([(x(entry["risk"]), y(entry["loss_low"])), (x(entry["risk"]), y(entry["loss_high"]))], colour, 2)
    for entry in entries:
        canvas.dot(x(entry["risk"]), y(entry["loss"]), colours[entry["method"]], label=_said(entry))
    if unmasked is not None:
        across, up = x(unmasked["risk"]), y(unmasked["loss"])
        words = told({"candidate": "unmasked file", **{name: _two(unmasked[name]) for name in _FIGURES}})
        canvas.dot(across, up, INK, "cross", words, 6)
        canvas.text(across - 10, up - 7, "unmasked file", "end")
    for place, method in enumerate(methods):
        canvas.dot(722, 66 + 20 * place, colours[method])
        canvas.text(732, 70 + 20 * place, shortened(method, 160))
    return canvas.svg(MAP_TEXT)


def _point(entry: Mapping[str, Any]) -> dict[str, Any]:
    ends = {f"{name}_{end}": entry[name] for name in ("risk", "loss") for end in ("low", "high")}
    return {**ends, **entry}


def _ends(entries: Entries, name: str) -> tuple[float, float]:
    """Return the values between which all bars lie, with a little room at both ends."""
    low = min((entry[f"{name}_low"] for entry in entries), default=0.0)
    high = max((entry[f"{name}_high"] for entry in entries), default=1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _stairs(canvas: Canvas, x: LinearScale, y: LinearScale, front: Entries) -> None:
    """Draw the front: to the right at one loss, then down to the next."""
    corners: list[tuple[float, float]] = []
    for entry in front:
        if corners:
            corners.append((x(entry["risk"]), corners[-1][1]))
        corners.append((x(entry["risk"]), y(entry["loss"])))
    if corners:
        canvas.line(corners, INK, 2, "4 3", f"The front, {len(front)} candidates.")


def _said(entry: Mapping[str, Any]) -> str:
    seeds = (
        f"{_two(entry['score_low'])} – {_two(entry['score_high'])}" if entry.get("experiments", 1) > 1 else "one run"
    )
    figures = {name: _two(entry[name]) for name in _FIGURES}
    return told({"candidate": entry["label"], "score": figures["score"], "over seeds": seeds, **figures})


def _two(value: float) -> str:
    return spelled(round(value, 2))
