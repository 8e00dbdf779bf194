"""Rank swapping over distances that are drawn."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.masking.perturbing.free_swapping import FreeSwapping
from discreet.parameters import Number, check_parameters
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray

__all__ = ["DistributionSwapping"]

_HINT = "p is in percent: for 5 percent write p=5."


@register("distribution-swapping")
class DistributionSwapping(FreeSwapping):
    """Values exchanged over a difference of ranks that is drawn from a normal distribution, attribute by attribute.

    Keeps every univariate distribution exactly. No value is certain to stay within a window, so that what an intruder
    concludes from one attribute cannot be crossed with the next.

    Parameters
    ----------
    p : float
        In percent of the records, from 1 to 100: twice the mean and twice the standard deviation of the difference.
    strata : list of str, optional
        Swap within these only; `p` is then a percentage of the stratum.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    From the lowest rank i up, every rank that is still free draws r from N(p/2, p/2) and is exchanged with rank i + r
    percent of the values, or with the nearest free rank above i where that one is taken, lies below or beyond the end;
    where none is free it stays. Equal values are ranked in the order of the records. Missing values stay missing and
    have no rank. An attribute with values, but fewer than 5, in the table or in a stratum is refused. O(n log n);
    memory is linear.

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, p-distribution.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [40.0, 10.0, 30.0, 20.0, 60.0, 50.0]})
    >>> sorted(DistributionSwapping(50, random_state=1).fit_transform(wages)["wage"].to_list())
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    """

    p: float = parameter(Number(1, 100), default=5, kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(5), cls(40)]

    def check_parameters(self) -> None:
        params = self.get_params(deep=False)
        check_parameters(type(self).__name__, params, self.parameters, hint=lambda n: _HINT if n == "p" else "")

    def _goals(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        shifts = np.rint(size * (self.p / 200.0) * (1.0 + rng.standard_normal(size))).astype(np.int64)
        goals = np.clip(np.arange(size) + np.maximum(shifts, 1), 0, size - 1)
        return goals, goals
