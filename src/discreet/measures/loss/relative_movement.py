"""How far numbers moved in proportion to what they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.errors import MissingValueError
from discreet.measures.loss.numbers import NumericLoss
from discreet.measures.number_pairs import most_of, says_change, weight_asked
from discreet.statistics.question import Need, OfBothFiles
from discreet.typing import FloatArray

__all__ = ["IL1"]


@dataclass(frozen=True, repr=False)
class _Relative:
    """Σ w |x − x′| / |x| of every column, and the weight of its cells."""

    moved: FloatArray
    weight: FloatArray

    def merge(self, later: _Relative, /) -> _Relative:
        return _Relative(self.moved + later.moved, self.weight + later.weight)


@dataclass(frozen=True)
class _RelativeMovements(OfBothFiles):
    """Ask how far numbers moved, each over what it was."""

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> _Relative:
        x, y = block.original.numeric(self.names), block.release.numeric(self.names)
        both = ~(np.isnan(x) | np.isnan(y))
        weights = np.ones(len(block)) if self.weight is None else np.asarray(block.original.weights(), np.float64)
        w = np.where(both, weights[:, None], 0.0)
        away = np.where(both, np.abs(x - y), 0.0)
        size = np.abs(np.where(both, x, 1.0))
        relative = np.where(size > 0, away / np.where(size > 0, size, 1.0), (away > 0).astype(np.float64))
        return _Relative((relative * w).sum(axis=0), w.sum(axis=0))


@register("il1")
class IL1(NumericLoss):
    """Mean absolute difference of original and masked values over the original value, in percent (IL1).

    Zero for an unmasked file. Small numbers rule it: a wage of 1 that becomes 3 counts as one of 1,000 that becomes
    3,000. `il1s` divides by the spread of the attribute instead.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_ij |x_ij − x'_ij| / |x_ij|``. A value of 0 counts 0 where it stayed and 100 where it moved. A cell that
    is missing in either file is left out. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [2.0, 4.5, 10.0, 0.0]}), pl.DataFrame({"x": [3.0, 4.5, 5.0, 0.0]})
    >>> IL1().measure(a, b).value  # ½ 0 ½ 0
    25.0
    """

    title: ClassVar[str] = "Relative movement of numbers (IL1)"
    default: ClassVar[bool] = False
    high: ClassVar[float] = float("inf")
    need: ClassVar[Need] = Need.RECORD
    formula: ClassVar[str] = "100 · mean |x − x′| / |x|"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def question(self, scope: PairScope) -> _RelativeMovements:
        return _RelativeMovements(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: _Relative, scope: PairScope) -> Measurement:
        for name, weight in zip(scope.names, statistics.weight, strict=True):
            if not weight:
                raise MissingValueError(f"IL1: column {name!r} has no record with a value in both files.")
        losses = (100.0 * statistics.moved / statistics.weight).tolist()
        per_attribute = dict(zip(scope.names, losses, strict=True))
        value = float(np.mean(losses))
        sentence = (
            f"Numbers moved by {value:.1f} % of what they were on average, most in {most_of(per_attribute)}."
            if says_change(value)
            else "No number moved."
        )
        return self.result(value, sentence, per_attribute)
