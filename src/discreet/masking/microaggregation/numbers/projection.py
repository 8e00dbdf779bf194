"""Projection onto one axis, then optimal groups along it."""

from __future__ import annotations

import numpy as np

from discreet.contracts.estimator import register
from discreet.errors import ParameterError
from discreet.kernels.centring import centred
from discreet.kernels.groups.univariate import optimal_runs
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.parameters import Text
from discreet.parameters.declaration import parameter
from discreet.statistics.minimum_covariance import robust_shape
from discreet.typing import FloatArray, IntArray

__all__ = ["ProjectionMicroaggregation"]


@register("projection")
class ProjectionMicroaggregation(JointMicroaggregation):
    """Groups of at least `k` neighbours along one axis, each value released as its group's aggregate.

    Fast, and right where one axis says most of what the attributes say; what varies across the axis is lost.

    Parameters
    ----------
    k : int
        The smallest group.
    axis : str
        ``"principal"``: the first principal component. ``"robust"``: that of the densest half of the records (minimum
        covariance determinant), which outliers do not turn; those far across it join whom they pass on it.
        ``"pursuit"``: the direction from the median through a record along which the median deviation is greatest
        (projection pursuit), robust as well, and for any number of attributes.
        ``"zscores"``: the sum of the standardised attributes. Otherwise the name of an attribute, along which records
        are sorted.

    Notes
    -----
    O(n d² + n log n), and O(n d) for each of up to 500 directions of the pursuit. Groups have k to 2k − 1 records and
    are optimal on the projection. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 2; Domingo-Ferrer and Mateo-Sanz (2002); Templ and Meindl (2008), Robust
    statistics meets SDC (the robust axes); Croux and Ruiz-Gazen (2005), High breakdown estimators for principal
    components: the projection-pursuit approach revisited.

    Examples
    --------
    >>> import polars as pl
    >>> xy = pl.DataFrame({"x": [1.5, 2.0, 9.0, 9.5], "y": [5.0, 7.0, 1.0, 3.0]})
    >>> ProjectionMicroaggregation(k=2).fit_transform(xy)["y"].to_list()
    [6.0, 6.0, 2.0, 2.0]
    """

    axis: str = parameter(
        Text("'principal', 'robust', 'pursuit', 'zscores' or the name of an attribute"), default="principal"
    )

    @classmethod
    def examples(cls) -> list[ProjectionMicroaggregation]:
        """Return the three kinds of axis."""
        return [cls(k=3), cls(k=4, axis="zscores", missing="pattern"), cls(k=3, axis="age"), cls(k=3, axis="pursuit")]

    def _partition(self, points: Points) -> IntArray:
        return optimal_runs(self._projected(points), self.k)

    def _projected(self, points: Points) -> FloatArray:
        values = points.values
        if self.axis == "zscores":
            return np.ascontiguousarray(values.sum(axis=1))
        if self.axis == "pursuit":
            return _pursued(centred(values))
        if self.axis in {"principal", "robust"}:
            scaled = centred(values)  # so that no product overflows; a common factor changes no group
            products = scaled.T @ scaled if self.axis == "principal" else robust_shape(scaled).covariance
            _, vectors = np.linalg.eigh(products)
            axis = vectors[:, -1]
            # The sign of an eigenvector is arbitrary; its largest entry is made positive, the first of equals.
            axis = axis * np.sign(axis[np.argmax(np.abs(axis))] or 1.0)
            return np.ascontiguousarray(scaled @ axis)
        if self.axis not in points.names:
            raise ParameterError(
                f"ProjectionMicroaggregation: axis must be 'principal', 'robust', 'pursuit', 'zscores' or one of "
                f"the masked attributes; got {self.axis!r}.",
                hint=f"Masked together: {', '.join(points.names)}.",
            )
        column = points.names.index(self.axis)
        if values.shape[1] != len(points.names):
            raise ParameterError("ProjectionMicroaggregation: an attribute as axis needs missing='refuse' or 'fill'.")
        return np.ascontiguousarray(values[:, column])


_DIRECTIONS = 500
"""Directions that are tried, at most."""


def _pursued(values: FloatArray) -> FloatArray:
    """Project onto the direction through a record, from the median, whose median absolute deviation is greatest.

    Of many directions, every so manieth in the order of their entries is tried. Of equally good ones the first by its
    entries is taken, so that the order of records tells nothing.
    """
    away = values - np.median(values, axis=0)
    lengths = np.sqrt((away**2).sum(axis=1))
    candidates = np.flatnonzero(lengths > 0)
    if not candidates.size:
        return np.zeros(len(values))
    directions = np.unique(away[candidates] / lengths[candidates, None], axis=0)
    if len(directions) > _DIRECTIONS:
        directions = directions[np.linspace(0, len(directions) - 1, _DIRECTIONS).astype(np.int64)]
    best, spread = directions[0], -1.0
    for direction in directions:
        along = away @ direction
        deviation = float(np.median(np.abs(along - np.median(along))))
        if deviation > spread * (1 + 1e-12):
            best, spread = direction, deviation
    best = best * np.sign(best[np.argmax(np.abs(best))] or 1.0)
    return np.ascontiguousarray(away @ best)
