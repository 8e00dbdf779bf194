"""MDAV: maximum distance to average vector."""

from __future__ import annotations

from discreet.base import register
from discreet.kernels.mdav import mdav
from discreet.masking.microaggregation.numeric import NumericMicroaggregation, Points
from discreet.typing import IntArray

__all__ = ["MDAV"]


@register("mdav")
class MDAV(NumericMicroaggregation):
    """Groups of `k` records around the records farthest from the centre, each released as its group's aggregate.

    Keeps means exactly (with the arithmetic mean) and much of the covariances; shrinks variances. Every released
    combination of the masked attributes is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.

    Notes
    -----
    All groups have `k` records but the last, which has at most 2k − 1. Ties go to the record with the lowest position.
    Far below n² in time on data with few effective dimensions; memory is linear. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numeric.NumericMicroaggregation`.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002); Domingo-Ferrer and Torra (2005).

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> MDAV(k=3).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0]
    """

    def _partition(self, points: Points) -> IntArray:
        return mdav(points.values, self.k)
