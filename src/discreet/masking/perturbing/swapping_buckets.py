"""Rank swapping by buckets."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.errors import ParameterError
from discreet.masking.perturbing.free_swapping import FreeSwapping
from discreet.parameters import Integer
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent
from discreet.typing import IntArray

__all__ = ["BucketSwapping"]


@register("bucket-swapping")
class BucketSwapping(FreeSwapping):
    """Values exchanged with one of the same bucket of ranks or, half as often each, of the buckets above.

    Keeps every univariate distribution exactly. No value is certain to stay within a window, so that what an intruder
    concludes from one attribute cannot be crossed with the next; most values stay near nevertheless.

    Parameters
    ----------
    buckets : int
        How many parts of about equal size the ranks are cut into (the p of p-buckets); fewer move values farther.
    strata : list of str, optional
        Swap within these only, each with buckets of its own.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    From the lowest rank up, every rank of bucket r that is still free draws a bucket s ≥ r with a probability
    proportional to 2^−(s−r+1), and is exchanged with one of its free ranks, all equally likely; where none is free,
    with the nearest free one above, and where there is none at all it stays. Equal values are ranked in the order of
    the records. Missing values stay missing and have no rank. An attribute with values, but fewer than 5 or fewer than
    two for a bucket, is refused. O(n log n); memory is linear.

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, p-buckets.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [40.0, 10.0, 30.0, 20.0, 60.0, 50.0]})
    >>> sorted(BucketSwapping(3, random_state=1).fit_transform(wages)["wage"].to_list())
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    """

    buckets: int = parameter(Integer(1, 1000), default=20, kw_only=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(4), cls(2)]

    def _check_values(self, names: tuple[str, ...], extents: tuple[Extent, ...]) -> tuple[str, ...]:  # type: ignore[override]
        notes = super()._check_values(names, extents)
        for name in names:
            short = sum(0 < extent.columns[name].present < 2 * self.buckets for extent in extents)
            if short:
                where = "" if self.strata is None else f" in {short} of {len(extents)} strata"
                raise ParameterError(
                    f"BucketSwapping: buckets must leave at least two values in each; {self.buckets} are too many for "
                    f"{name!r}{where}.",
                    hint="Use fewer buckets.",
                )
        return notes

    def _goals(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        count = min(self.buckets, size)
        edges = (np.arange(count + 1) * size) // count
        own = np.searchsorted(edges, np.arange(size), side="right") - 1
        # Of the buckets from r on, the s-th has the weight 2^−(s−r+1); their sum is 1 − 2^−(count−r).
        whole = -np.expm1(-(count - own) * np.log(2.0))
        steps = np.floor(-np.log2(1.0 - rng.random(size) * whole)).astype(np.int64)
        bucket = np.minimum(own + steps, count - 1)
        return edges[bucket].astype(np.int64), edges[bucket + 1].astype(np.int64) - 1
