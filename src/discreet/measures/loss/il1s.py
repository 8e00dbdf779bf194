"""IL1s: how far values moved, in standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.errors import MissingValueError
from discreet.results import Measurement

__all__ = ["IL1s"]


@register("il1s")
class IL1s(Measure):
    """Mean absolute difference of original and masked values, in units of √2 standard deviations, in percent.

    Zero for an unmasked file; it does not grow with the number of records or attributes. 100 would mean that values
    moved, on average, by about as much as those of two records drawn at random differ.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.

    Notes
    -----
    ``100 · mean_ij |x_ij − x'_ij| / (√2 · S_j)`` with S_j the standard deviation (divisor n) of original attribute j.
    A constant attribute that stays constant counts 0; one that moved cannot be scaled and counts 100. A cell that is
    missing in either file is left out. O(records × attributes).

    References
    ----------
    Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.0, 2.0, 0.0, 2.0, 1.5]}), pl.DataFrame({"x": [1.0, 1.0, 1.0, 1.0, 1.5]})
    >>> round(IL1s().measure(a, b).value, 2)  # mean |difference| 0.8, S = 0.8944
    63.25
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Movement of numbers (IL1s)"
    high: ClassVar[float] = float("inf")
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    formula: ClassVar[str] = "100 · mean |x − x′| / (√2 S)"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004"

    def __init__(self, *, attributes: Sequence[str] | None = None) -> None:
        self.attributes = attributes

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = {name: _movement(pair, name) for name in pair.names}
        value = float(np.mean(list(per_attribute.values())))
        worst = max(per_attribute, key=lambda name: per_attribute[name])
        sentence = (
            f"Numbers moved by {value:.1f} % of √2 standard deviations on average, most in {worst}."
            if value > 0
            else "No number moved."
        )
        return self.result(value, sentence, per_attribute)


def _movement(pair: Pair, name: str) -> float:
    before, after = pair.original.encoded(name), pair.masked.encoded(name)
    both = ~(np.isnan(before) | np.isnan(after))
    if not both.any():
        raise MissingValueError(f"IL1s: column {name!r} has no record with a value in both files.")
    moved = np.abs(before[both] - after[both]).mean()
    spread = np.nanstd(before - before[both][0])
    if spread == 0:
        return 0.0 if moved == 0 else 100.0
    return float(100.0 * moved / (np.sqrt(2.0) * spread))
