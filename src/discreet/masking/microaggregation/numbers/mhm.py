"""MHM: optimal groups along a tour of MDAV's."""

from __future__ import annotations

from discreet.contracts.estimator import register
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.path import repartition_along_tour
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.typing import IntArray

__all__ = ["MHM"]


@register("mhm")
class MHM(JointMicroaggregation):
    """Groups of MDAV, visited nearest first, and cut anew into the best runs of k to 2k − 1 records.

    Group sizes may vary, so it loses at most as much as the order allows; a quick first step towards refinement.

    Parameters
    ----------
    k : int
        The smallest group.

    Notes
    -----
    The tour is a nearest-neighbour path over group centroids, the cut the multivariate form of Hansen and Mukherjee's
    recursion: O(g² d + n k d) for g groups after MDAV; linear memory. Ties go to the lowest position. The other
    parameters are those of :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006), Efficient multivariate data-oriented
    microaggregation.

    Examples
    --------
    >>> import polars as pl
    >>> x = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 50.0, 51.0, 52.5]})
    >>> sorted(set(MHM(k=3).fit_transform(x)["x"].to_list()))
    [2.5, 51.2]
    """

    def _partition(self, points: Points) -> IntArray:
        return repartition_along_tour(points.values, mdav(points.values, self.k), self.k)
