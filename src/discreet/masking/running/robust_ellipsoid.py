"""The ellipsoid that holds most records, whatever the outliers: who lies outside, and how far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.errors import DataError
from discreet.masking.running.row_products import row_products
from discreet.statistics.minimum_covariance import robust_shape
from discreet.typing import FloatArray

__all__ = ["RobustEllipsoid", "robust_ellipsoid", "sphered"]

# Of fewer records for each attribute, what is far away is not to be told from what is few.
_PER_ATTRIBUTE = 5


@dataclass(frozen=True)
class RobustEllipsoid:
    """Where most records are, how they spread, and how far out a record may be.

    Attributes
    ----------
    centre : (p,) float64
    covariance : (p, p) float64
    quantile : float
        The share of normal data that lies inside.
    robust : bool
        False where more than half of the records lie in a plane, and plain covariances were taken.
    """

    centre: FloatArray
    covariance: FloatArray
    quantile: float
    robust: bool

    def factors(self, values: FloatArray) -> FloatArray:
        """Return by how much every record is to be drawn to the centre to be inside; 1 where it is.

        A record that lacks values is measured by those that it has.
        """
        from scipy.stats import chi2

        result = np.ones(len(values))
        kinds, which = np.unique(np.isnan(values), axis=0, return_inverse=True)
        for place, absent in enumerate(kinds):
            present = np.flatnonzero(~absent)
            inside = np.flatnonzero(which.ravel() == place)
            if not present.size:
                continue
            spread, axes = np.linalg.eigh(self.covariance[np.ix_(present, present)])
            away = row_products(values[np.ix_(inside, present)] - self.centre[present], axes)
            squares = np.zeros(inside.size)
            for j in range(present.size):
                squares += away[:, j] ** 2 / spread[j]
            most = float(chi2.ppf(self.quantile, present.size))
            result[inside] = np.sqrt(most / np.maximum(squares, most))
        return result

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the release should know of it."""
        return () if self.robust else ("More than half of the records lie in a plane: plain covariances were taken.",)


def sphered(values: FloatArray) -> FloatArray:
    """Return points whose plain distances are the robust Mahalanobis distances of these.

    Directions in which most records do not spread count for nothing: what varies there are outliers, or nothing at all.
    """
    if len(values) <= _PER_ATTRIBUTE * values.shape[1]:
        return values  # too few to tell how they spread
    spread, axes = np.linalg.eigh(np.atleast_2d(robust_shape(values).covariance))
    wide = spread > 1e-9 * max(float(spread.sum()), 0.0)
    if not wide.any():
        return values
    return np.ascontiguousarray((values - np.median(values, axis=0)) @ (axes[:, wide] / np.sqrt(spread[wide])))


def robust_ellipsoid(
    owner: str, names: tuple[str, ...], rows: FloatArray, quantile: float, where: str
) -> RobustEllipsoid:
    """Return the ellipsoid of numbers by the minimum covariance determinant.

    Parameters
    ----------
    owner : str
        Who asks, for messages.
    names : tuple of str
    rows : (n, p) float64
        Records that lack a value are left out.
    quantile : float
    where : str
        What holds the records: the table, or a stratum.

    Notes
    -----
    O(n p²).
    """
    rows = rows[~np.isnan(rows).any(axis=1)]
    fewest = _PER_ATTRIBUTE * (len(names) + 1)
    if len(rows) < fewest:
        raise DataError(
            f"{owner}: {where} has {len(rows)} records with all of {len(names)} attributes; it takes {fewest} to tell "
            "who is far from the others.",
            hint="Mask fewer attributes, or merge strata.",
        )
    middle = np.median(rows, axis=0)
    scale = np.median(np.abs(rows - middle), axis=0)
    scale = np.where(scale > 0, scale, rows.std(axis=0))
    still = [name for name, width in zip(names, scale, strict=True) if not width > 0]
    if still:
        raise DataError(f"{owner}: {still[0]!r} does not vary.", hint="Leave it out of attributes, or merge strata.")
    shape = robust_shape((rows - middle) / scale)
    covariance = np.atleast_2d(shape.covariance)
    if np.linalg.eigvalsh(covariance)[0] <= 1e-9 * np.trace(covariance):
        raise DataError(
            f"{owner}: the {len(names)} attributes are collinear, so that no distance tells who is far from the "
            "others.",
            hint="Leave out what follows from the rest, such as a total.",
        )
    return RobustEllipsoid(
        middle + scale * shape.centre, covariance * np.outer(scale, scale), quantile, robust=shape.robust
    )
