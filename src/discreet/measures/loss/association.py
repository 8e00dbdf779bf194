"""How far the association of categories moved."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import most_of
from discreet.measures.contingency import count_cells, cramers_v
from discreet.measures.loss.categorical import CategoricalLoss
from discreet.results import Measurement
from discreet.typing import FloatArray, IntArray

__all__ = ["AssociationDifference"]


@register("association")
class AssociationDifference(CategoricalLoss):
    """Mean absolute difference of Cramér's V of every two attributes, in percent.

    It sees how relations between categories weakened or strengthened; renaming levels costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released. There must be two.
    weighted : bool
        Tables of weighted counts.

    Notes
    -----
    ``100 · mean_{i<j} |V_ij − V'_ij|`` with ``V = √(χ² / (n · (min(r, c) − 1)))``, r and c the levels that occur, the
    missing value among them. O(records × attributes²).

    References
    ----------
    Cramér (1946), Mathematical Methods of Statistics.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "ab"])
    >>> first = pl.DataFrame({"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"]})
    >>> AssociationDifference().measure(first, first.with_columns(b=pl.Series(["n", "y", "n", "y"])), schema).value
    100.0
    """

    title: ClassVar[str] = "Change of association (Cramér's V)"
    at_least: ClassVar[int] = 2
    formula: ClassVar[str] = "100 · mean_{i<j} |V − V′|"
    reference: ClassVar[str] = "Cramér 1946"

    def _measure(self, pair: Pair) -> Measurement:
        weights, levels = self._weights(pair), self._levels(pair)
        names = pair.names
        difference = np.zeros((len(names), len(names)))
        for i, j in combinations(range(len(names)), 2):
            one, two = levels[names[i]], levels[names[j]]
            before = _association(one.before, two.before, one.size, two.size, weights)
            after = _association(one.after, two.after, one.size, two.size, weights)
            difference[i, j] = difference[j, i] = 100.0 * abs(before - after)
        means = difference.sum(axis=1) / (len(names) - 1)
        per_attribute = dict(zip(names, means.tolist(), strict=True))
        value = float(means.mean())
        sentence = (
            f"Associations of categories changed by {value / 100:.3f} on average (Cramér's V), most those of "
            f"{most_of(per_attribute)}."
            if value > 0
            else "No association of categories changed."
        )
        return self.result(value, sentence, per_attribute, {"largest": float(difference.max()) / 100.0})


def _association(first: IntArray, second: IntArray, n_first: int, n_second: int, weights: FloatArray) -> float:
    return cramers_v(count_cells(first, second, n_second, n_first, weights))
