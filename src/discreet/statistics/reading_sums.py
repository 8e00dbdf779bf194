"""What series of readings add up to: by time, by difference, and from one reading to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.data.block import Block
from discreet.data.scales.measured import from_steps
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.time_series import TimeSeries
from discreet.data.schema import Schema
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray

__all__ = ["ReadingSums", "SeriesSums"]


@dataclass(frozen=True, repr=False)
class SeriesSums:
    """By attribute, over the records that have a series in both files.

    Attributes
    ----------
    records : dict of str to int
    moved : dict of str to (2,) float64
        The sum of |x − x'| over readings at the same time, in the span and at most 1 each (a reading that one file
        lacks counts 1), and their weight.
    by_time : dict of str to pair of (2, times) float64
        Before, after: the weight and the sum of readings.
    in_row : dict of str to pair of (2,) float64
        Before, after: Σ (x_t − x̄)(x_{t+1} − x̄) and Σ (x_t − x̄)² within records, x̄ the mean of a record.
    """

    records: dict[str, int]
    moved: dict[str, FloatArray]
    by_time: dict[str, tuple[FloatArray, FloatArray]]
    in_row: dict[str, tuple[FloatArray, FloatArray]]

    def merge(self, later: SeriesSums, /) -> SeriesSums:
        return SeriesSums(
            {name: count + later.records[name] for name, count in self.records.items()},
            {name: sums + later.moved[name] for name, sums in self.moved.items()},
            {n: (_padded(one[0], later.by_time[n][0]), _padded(one[1], later.by_time[n][1]))
             for n, one in self.by_time.items()},
            {n: (one[0] + later.in_row[n][0], one[1] + later.in_row[n][1]) for n, one in self.in_row.items()},
        )  # fmt: skip


def _padded(first: FloatArray, second: FloatArray) -> FloatArray:
    sums = np.zeros((2, max(first.shape[1], second.shape[1])))
    sums[:, : first.shape[1]] += first
    sums[:, : second.shape[1]] += second
    return sums


@dataclass(frozen=True)
class ReadingSums(OfBothFiles):
    """Ask what series add up to; three losses conclude from it.

    Parameters
    ----------
    names : tuple of str
    scales : tuple of pair of TimeSeries
        Of each attribute, the scale of the original and of the release.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    scales: tuple[tuple[TimeSeries, TimeSeries], ...]
    weight: str | None = None

    @classmethod
    def asked(cls, names: tuple[str, ...], schemas: tuple[Schema, Schema], weight: str | None) -> ReadingSums:
        """Ask of two files with these declarations."""
        # Whoever asks looks at series alone.
        scales = cast(
            "tuple[tuple[TimeSeries, TimeSeries], ...]",
            tuple((schemas[0][name].scale, schemas[1][name].scale) for name in names),
        )
        return cls(names, scales, weight)

    def summarise(self, block: Block, /) -> SeriesSums:
        survey_weights = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if survey_weights is None else survey_weights
        sums = SeriesSums({}, {}, {}, {})
        for name, scales in zip(self.names, self.scales, strict=True):
            encoded = (block.original.encoded(name), block.release.encoded(name))
            there = np.flatnonzero(~(encoded[0].missing | encoded[1].missing))
            sides = [side.take(there) for side in encoded]
            width = max(int(side.lengths.max(initial=0)) for side in sides)
            before, after = (_table(side, scale, width) for side, scale in zip(sides, scales, strict=True))
            counted = weights[there]
            sums.records[name] = int(there.size)
            sums.moved[name] = _moved(before, after, counted, scales[0].span or scales[0].unit)
            sums.by_time[name] = (_by_time(before, counted), _by_time(after, counted))
            sums.in_row[name] = (_in_row(before, counted), _in_row(after, counted))
        return sums


def _table(series: EncodedSequences, scale: TimeSeries, width: int) -> FloatArray:
    """Return readings as a matrix, a row a record; NaN for gaps and after the end."""
    table = np.full((len(series), width), np.nan)
    owner = np.repeat(np.arange(len(series)), series.lengths)
    table[owner, np.arange(owner.size) - series.offsets[owner]] = from_steps(series.codes, scale.unit)
    return table


def _moved(before: FloatArray, after: FloatArray, weights: FloatArray, span: float) -> FloatArray:
    here, there = ~np.isnan(before), ~np.isnan(after)
    apart = np.where(here & there, np.minimum(np.abs(np.nan_to_num(before) - np.nan_to_num(after)) / span, 1.0), 1.0)
    either = here | there
    return np.array([float(weights @ (apart * either).sum(axis=1)), float(weights @ either.sum(axis=1))])


def _by_time(table: FloatArray, weights: FloatArray) -> FloatArray:
    return np.stack([weights @ ~np.isnan(table), weights @ np.nan_to_num(table)])


def _in_row(table: FloatArray, weights: FloatArray) -> FloatArray:
    present = ~np.isnan(table)
    size = np.maximum(present.sum(axis=1), 1)
    mean = np.nan_to_num(table).sum(axis=1) / size
    centred = np.where(present, table - mean[:, None], 0.0)
    return np.array([
        float(weights @ (centred[:, :-1] * centred[:, 1:]).sum(axis=1)), float(weights @ (centred**2).sum(axis=1))
    ])  # fmt: skip
