"""How far histograms are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.columns import each_present, levels_of_both, most_of, record_weights
from discreet.measures.contingency import count_levels
from discreet.parameters import Constraint, Flag, Integer, Names, Optional
from discreet.results import Measurement
from discreet.typing import FloatArray

__all__ = ["HistogramDistance"]


@register("hellinger")
class HistogramDistance(Measure):
    """Hellinger distance of the histograms before and after, in percent.

    It sees each attribute's own distribution, numbers in bins and categories by level, on one scale: 0 the same, 100
    nothing in common. Exchanging values between records costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default everything that is released.
    weighted : bool
        Count records by their survey weight.
    bins : int
        Number of bins of equal width between the smallest and the largest number of both files.

    Notes
    -----
    ``100 · mean_j √(1 − Σ_b √(p_b p'_b))``. The missing value is a level of categories; missing numbers do not count.
    O(records × attributes).

    References
    ----------
    Hellinger (1909); Gomatam, Karr and Sanil (2005), Data swapping as a decision problem.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> a, b = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]}), pl.DataFrame({"fuel": ["gas"] * 4})
    >>> round(HistogramDistance().measure(a, b, schema).value, 2)  # √(1 − √(½ · 1))
    54.12
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Distance of histograms (Hellinger)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j √(1 − Σ √(p p′))"
    reference: ClassVar[str] = "Gomatam, Karr and Sanil 2005"
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "weighted": Flag(),
        "bins": Integer(1),
    }

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False, bins: int = 20) -> None:
        self.attributes = attributes
        self.weighted = weighted
        self.bins = bins

    def _measure(self, pair: Pair) -> Measurement:
        weights = record_weights(type(self).__name__, pair, self.weighted)
        numeric = pair.original.schema.of_scale("numeric", among=pair.names)
        per_attribute = {
            name: self._numbers(pair, name, weights) if name in numeric else _categories(pair, name, weights)
            for name in pair.names
        }
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Histograms before and after are {value:.1f} % apart on average (0 the same, 100 nothing in common), "
            f"most in {most_of(per_attribute)}."
            if value > 0
            else "No histogram changed."
        )
        return self.result(value, sentence, per_attribute)

    def _numbers(self, pair: Pair, name: str, weights: FloatArray) -> float:
        numbers = each_present(type(self).__name__, pair, name, weights)
        low = min(numbers.before.min(), numbers.after.min())
        high = max(numbers.before.max(), numbers.after.max())
        if not high > low:
            return 0.0
        edges = np.linspace(low, high, self.bins + 1)
        before = np.histogram(numbers.before, edges, weights=numbers.before_weights)[0]
        return _hellinger(before, np.histogram(numbers.after, edges, weights=numbers.after_weights)[0])


def _categories(pair: Pair, name: str, weights: FloatArray) -> float:
    levels = levels_of_both(pair, name)
    before = count_levels(levels.before, levels.size, weights)
    return _hellinger(before, count_levels(levels.after, levels.size, weights))


def _hellinger(before: FloatArray, after: FloatArray) -> float:
    # Half the squared difference of the roots equals 1 − Σ √(p p′), and is exactly 0 for equal histograms.
    roots = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
    distance = np.sqrt((roots**2).sum() / 2.0)
    return float(min(100.0 * distance, 100.0)) if distance > 1e-12 else 0.0
