"""The bands of a column: where its numbers lie, what stands for each, and what it is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.data.scales import Moment, Numeric
from discreet.typing import FloatArray, IntArray

__all__ = ["Bands", "band_names"]

_DAY_MICROS = 86_400_000_000


@dataclass(frozen=True)
class Bands:
    """Neighbouring bands, from the lowest to the highest, each from its edge up to the next, which is not in it.

    Attributes
    ----------
    edges : tuple of float
        Ascending; none where all numbers are one band, open at both ends.
    low_open, high_open : bool
        Whether there is a band below the first edge, and one from the last edge on.
    closed : bool
        Whether the last edge belongs to the last band.

    Examples
    --------
    >>> Bands((15.0, 30.0), high_open=True).places(np.array([15.0, 29.9, 30.0, 3.0, np.nan])).tolist()
    [0, 0, 1, -2, -1]
    """

    edges: tuple[float, ...]
    low_open: bool = False
    high_open: bool = False
    closed: bool = False

    @property
    def size(self) -> int:
        """How many bands there are."""
        return self._bounds.size - 1

    @cached_property
    def _bounds(self) -> FloatArray:
        low, high = [-np.inf] if self.low_open else [], [np.inf] if self.high_open else []
        return np.array([*low, *self.edges, *high])

    def places(self, numbers: FloatArray) -> IntArray:
        """Return the band of every number; −1 where it is missing, −2 where no band holds it."""
        places = np.searchsorted(self._bounds, numbers, side="right") - 1
        if self.closed:
            places[numbers == self._bounds[-1]] = self.size - 1
        outside = (places < 0) | (places >= self.size)
        return np.where(np.isnan(numbers), -1, np.where(outside, -2, places)).astype(np.int64)

    def joined(self, runs: IntArray) -> Bands:
        """Return bands of which neighbours are joined: `runs` says for each which of the new ones it belongs to."""
        kept = np.concatenate([[True], np.diff(runs) > 0, [True]])
        edges = [float(bound) for bound in self._bounds[kept] if np.isfinite(bound)]
        return replace(self, edges=tuple(edges))

    def middles(self, *, whole: bool = False) -> FloatArray:
        """Return what stands for each band: its middle, or its one edge where the other end is open.

        Of whole numbers the middle of those that are in it: 1 of the band 0–2, which ends before 3.
        """
        low, high = self._bounds[:-1], self._bounds[1:].copy()
        if whole:
            high[: -1 if self.closed else None] -= 1.0
            high = np.where(np.isinf(low), self._bounds[1:], np.maximum(low, high))
        if not self.edges:
            return np.zeros(1)
        with np.errstate(invalid="ignore"):
            middle = low + (high - low) / 2
        return np.where(np.isinf(low), high, np.where(np.isinf(high), low, middle))

    def held(self, values: FloatArray, unit: float | None) -> FloatArray:
        """Return values that stay in their bands when they are rounded to a unit.

        What stands for the lowest band, where that is open, may be its edge, which is not in it: as in bottom coding.
        """
        low, high = self._bounds[:-1], self._bounds[1:].copy()
        step = 0.0 if unit is None else unit
        high[: -1 if self.closed else None] -= step
        inside = np.where(low <= high, np.clip(values, low, np.maximum(low, high)), values)
        return np.where(np.isinf(low) & (values == self._bounds[1:]), values, inside)


def band_names(bands: Bands, scale: Numeric, *, whole: bool) -> tuple[str, ...]:
    """Return what bands are called.

    Parameters
    ----------
    bands : Bands
    scale : Numeric
        Dates are called by their days, months or years, whatever all edges are the beginning of.
    whole : bool
        Whether the column has whole numbers only: both ends of ``15–29`` are in the band; otherwise ``15–<30``.

    Examples
    --------
    >>> band_names(Bands((0.0, 15.0, 30.0), high_open=True), Numeric(), whole=True)
    ('0–14', '15–29', '30+')
    >>> band_names(Bands((0.0, 2.5, 5.0), low_open=True, closed=True), Numeric(), whole=False)
    ('<0', '0–<2.5', '2.5–5')
    """
    if not bands.edges:
        return ("any",)
    if isinstance(scale, Moment):
        starts, ends = _dates(bands, scale)
        apart = " to "
    else:
        edges = bands.edges
        starts = [_text(edge) for edge in edges]
        within = whole and all(edge == int(edge) for edge in edges)
        ends = [_text(edge - 1) if within else f"<{text}" for edge, text in zip(edges, starts, strict=True)]
        if bands.closed:
            ends[-1] = starts[-1]
        apart = " to " if edges[0] < 0 else "–"
    names = [f"<{starts[0]}"] if bands.low_open else []
    for start, end in zip(starts[:-1], ends[1:], strict=True):
        names.append(start if start == end else f"{start}{apart}{end}")
    return tuple(names + ([f"{starts[-1]}+"] if bands.high_open else []))


def _text(number: float) -> str:
    return np.format_float_positional(number, trim="-")


def _dates(bands: Bands, scale: Moment) -> tuple[list[str], list[str]]:
    """Return how the first and the last day, month or year of bands are written."""
    micros = np.rint(np.array(bands.edges) * type(scale).micros).astype(np.int64)
    if (micros % _DAY_MICROS).any():
        starts = micros.astype("datetime64[us]").astype("datetime64[s]").astype(str).tolist()
        return starts, [*(f"<{start}" for start in starts[:-1]), starts[-1] if bands.closed else f"<{starts[-1]}"]
    days = micros.astype("datetime64[us]").astype("datetime64[D]")
    units = ("D",) if bands.closed else ("Y", "M", "D")
    unit = next(u for u in units if (days.astype(f"datetime64[{u}]").astype("datetime64[D]") == days).all())
    first = days.astype(f"datetime64[{unit}]")
    starts, ends = first.astype(str).tolist(), (first - 1).astype(str).tolist()
    return starts, [*ends[:-1], starts[-1] if bands.closed else ends[-1]]
