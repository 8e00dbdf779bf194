"""V-MDAV: MDAV with groups that may grow."""

from __future__ import annotations

from discreet.contracts.estimator import register
from discreet.kernels.groups.vmdav import vmdav
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.parameters import Number
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray

__all__ = ["VMDAV"]


@register("vmdav")
class VMDAV(JointMicroaggregation):
    """MDAV whose groups take in a near record beyond the `k`-th, up to 2k − 1.

    On clustered data it loses less than MDAV, because a cluster of 2k − 1 records is not torn apart; on scattered data
    about the same.

    Parameters
    ----------
    k : int
        The smallest group.
    gamma : float
        A free record joins when its distance to the group is below `gamma` times its distance to the nearest free
        record. 0 gives groups of `k`; about 0.2 suits scattered data, about 1.1 clustered data.

    Notes
    -----
    O(n²) time, linear memory; ties go to the record with the lowest position. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Solanas and Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size.

    Examples
    --------
    >>> import polars as pl
    >>> x = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 50.0, 51.0, 52.5]})
    >>> VMDAV(k=3, gamma=1.1).mask(x).labels.tolist()
    [1, 1, 1, 1, 0, 0, 0]
    """

    gamma: float = parameter(Number(0), default=0.2)

    def _partition(self, points: Points) -> IntArray:
        return vmdav(points.values, self.k, float(self.gamma))
