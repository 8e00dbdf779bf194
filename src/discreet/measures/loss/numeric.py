"""What every loss of numbers shares: its parameters, and one value an attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair
from discreet.measures.columns import NumberPair, each_present, present_in_both, record_weights
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.schema import Schema
from discreet.typing import FloatArray

__all__ = ["NumericLoss", "in_units", "spread", "weighted_mean"]


class NumericLoss(Measure):
    """A loss that compares numeric attributes."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    at_least: ClassVar[int] = 1
    """How many attributes there must be."""
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        names = super()._candidates(schema)
        return names if len(names) >= self.at_least else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        left = super()._comparable(names, before, after)
        return left if len(left) >= self.at_least else ()

    def _weights(self, pair: Pair) -> FloatArray:
        return record_weights(type(self).__name__, pair, self.weighted)

    def _by_attribute(
        self, pair: Pair, loss: Callable[[NumberPair], float], *, record_by_record: bool
    ) -> dict[str, float]:
        """Return the loss of every attribute; of records with a value in both files, or of each file's own values."""
        select, weights = present_in_both if record_by_record else each_present, self._weights(pair)
        return {name: loss(select(type(self).__name__, pair, name, weights)) for name in pair.names}


def weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    """Return Σ w x / Σ w, taken from the first value on, so that an offset of the numbers costs no digits."""
    return float(values[0] + ((values - values[0]) * weights).sum() / weights.sum())


def in_units(moved: float, unit: float) -> float:
    """Return 100 · moved / unit; a unit of 0 gives 0 where nothing moved and 100 where something did."""
    if unit > 0:
        return float(100.0 * moved / unit)
    return 0.0 if moved == 0 else 100.0


def spread(values: FloatArray, weights: FloatArray) -> float:
    """Return the standard deviation, divisor Σ w."""
    deviations = values - weighted_mean(values, weights)
    return float(np.sqrt((deviations**2 * weights).sum() / weights.sum()))
