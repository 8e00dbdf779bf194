"""Records whose numbers stay near what they were, and near nobody else's: wider intervals for outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.parameters import Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.minimum_covariance import robust_shape
from discreet.typing import FloatArray, Json

__all__ = ["MahalanobisIntervalDisclosure"]

_UNIT = 0.05


@register("mahalanobis-interval")
class MahalanobisIntervalDisclosure(Measure):
    """Share of records with a number near its original and all numbers far from everybody else's, in percent (RMDID2).

    Outliers are found from afar: the interval around an original number grows with the robust Mahalanobis distance of
    its record. Who has close neighbours in the release is hidden among them.

    Parameters
    ----------
    width : float
        Half the interval is this many twentieths of a standard deviation for a record at distance 1 from the centre.
    neighbour : float
        A released record without another within this distance, in standard deviations, is alone.
    attributes : list of str, optional
        What is learnt; by default every numeric attribute that is released.

    Notes
    -----
    Both files are put on the scale of the original's mean and standard deviation. A record is unsafe if any number
    satisfies ``|x − x′| < width · 0.05 · RMD`` (RMDID1), or has not moved at all; it counts if no other released record
    is within `neighbour`. RMD is by the minimum covariance determinant
    (:func:`~discreet.statistics.minimum_covariance.robust_shape`), the plain covariance where more than half of the
    records lie in a plane. Records with a missing value are left out. O(records log records × attributes) time and
    O(records × attributes) memory: the nearest neighbour is found in a k-d tree.

    References
    ----------
    Templ and Meindl (2008), Robust statistics meets SDC: new disclosure risk measures for continuous microdata masking.

    Examples
    --------
    >>> import polars as pl
    >>> rich = pl.DataFrame({"pay": [1.0, 1.0, 1.1, 1.1, 1.2, 1.2, 1.3, 1.3, 1.4, 9.5]})  # S = 2.5
    >>> MahalanobisIntervalDisclosure().measure(rich, rich).value  # one has nobody near
    10.0
    """

    kind: ClassVar[str] = "risk"
    title: ClassVar[str] = "Numbers learnt of records that stand apart (robust Mahalanobis)"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · #{i : any |x − x′| < k RMD_i, min_j d(x′_i, x′_j) > k₂} / n"
    reference: ClassVar[str] = "Templ and Meindl 2008"
    width: float = parameter(Number(0, open_low=True), default=0.01, kw_only=False)
    neighbour: float = parameter(Number(0), default=0.05)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(1.0, neighbour=0.2)]

    def _measure(self, pair: Pair) -> Measurement:
        before, after = (
            np.stack([table.encoded(name).astype(np.float64) for name in pair.names], axis=1)
            for table in (pair.original, pair.masked)
        )
        present = ~(np.isnan(before) | np.isnan(after)).any(axis=1)
        before, after, n = before[present], after[present], int(present.sum())
        if not n:
            raise MissingValueError(f"{type(self).__name__}: no record has a value in every column of both files.")
        spread = before.std(axis=0, ddof=1) if n > 1 else np.ones(len(pair.names))
        spread[spread == 0] = 1.0
        middle = before.mean(axis=0)
        before, after = (before - middle) / spread, (after - middle) / spread
        shape = robust_shape(before)
        distances = shape.distances(before)
        moved = np.abs(before - after)
        unsafe = ((moved < self.width * _UNIT * distances[:, None]) | (moved == 0)).any(axis=1)
        apart = _nearest(after) > self.neighbour
        count = int((unsafe & apart).sum())
        sentence = (
            f"{count} of {n} records keep a number near its original and have nobody's near theirs; "
            f"{int(unsafe.sum())} keep a number."
        )
        if not shape.robust:
            sentence += " Most records lie in a plane: distances are plain, not robust."
        details: Json = {
            "percent_near": 100.0 * float(unsafe.mean()),
            "percent_apart": 100.0 * float(apart.mean()),
            "weighted_near": float(unsafe.mean() * (_UNIT * distances[unsafe]).sum()),
            "weighted": float((unsafe & apart).mean() * (_UNIT * distances[unsafe & apart]).sum()),
            "robust": shape.robust,
            "n": n,
        }
        return self.result(100.0 * count / n, sentence, None, details)


def _nearest(rows: FloatArray) -> FloatArray:
    """Return the distance of every record to its nearest other."""
    if len(rows) < 2:
        return np.full(len(rows), np.inf)
    different, place, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    if len(different) < 2:
        return np.zeros(len(rows))
    from scipy.spatial import cKDTree  # slow to import, and a list of methods need not wait for it

    distance, _ = cKDTree(different).query(different, k=2)
    return np.where(counts > 1, 0.0, distance[:, 1])[place.ravel()].astype(np.float64)
