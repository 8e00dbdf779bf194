"""Ward's clustering with a least group size."""

from __future__ import annotations

from discreet.contracts.estimator import register
from discreet.kernels.groups.ward import ward
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.typing import IntArray

__all__ = ["WardMicroaggregation"]


@register("ward")
class WardMicroaggregation(JointMicroaggregation):
    """Groups by joining, again and again, the two clusters whose union raises the squared error least.

    Group sizes follow the data, between k and 2k − 1; the slowest of the methods, for files of some thousand records.

    Parameters
    ----------
    k : int
        The smallest group.

    Notes
    -----
    The start, the rule that two complete groups are never joined, and the second pass over groups of 2k or more are
    those of the modified Ward algorithm. Ties go to the lowest position. O(n²) a pass, each join repairing the partners
    that it took away; memory is linear. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation; Ward (1963).

    Examples
    --------
    >>> import polars as pl
    >>> x = pl.DataFrame({"x": [1.0, 2.0, 3.0, 50.0, 51.0, 52.5]})
    >>> WardMicroaggregation(k=3).fit_transform(x)["x"].to_list()[:2]
    [2.0, 2.0]
    """

    def _partition(self, points: Points) -> IntArray:
        return ward(points.values, self.k)
