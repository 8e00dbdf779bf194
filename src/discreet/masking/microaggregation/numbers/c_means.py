"""Fuzzy c-means microaggregation."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.parameters import Integer, Number, Seed
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["CMeans"]

_ROUNDS = 100
_STILL = 1e-9


@register("c-means")
class CMeans(JointMicroaggregation):
    """Clusters by (fuzzy) c-means, cut again and again until none has room for two groups of `k` records.

    Follows clusters of any size where there are some, where MDAV cuts by number alone. Every released combination of
    the masked attributes is shared by at least `k` records: memberships are fuzzy while clusters are looked for, and
    every record belongs to one group in the end.

    Parameters
    ----------
    k : int
        The smallest group.
    clusters : int
        Into how many a part is cut at a time.
    fuzziness : float
        The exponent m of the memberships; 1 is plain c-means, 2 usual. One between two clusters pulls both centres.
    random_state : int, Generator or None
        Which records the first centres are drawn from.

    Notes
    -----
    A part of fewer than 2k records is a group. Of any other, centres and memberships ``u_ic ∝ d_ic^(−2/(m−1))`` are
    made from each other until they stay, records go to the cluster of their largest membership, and clusters of fewer
    than `k` are given up, the smallest first, their records going to the nearest that is left; where one cluster is
    left, the part is cut in two halves across its longest direction, by number. Ties go to the first cluster. Groups
    have k to 2k − 1 records. About O(n · c · d · rounds · log(n / k)); memory is linear. The other parameters are those
    of :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Bezdek (1981), Pattern recognition with fuzzy objective function algorithms; Domingo-Ferrer and Torra (2003), Fuzzy
    microaggregation for microdata protection.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 53.0, 53.0]})
    >>> CMeans(k=3, random_state=0).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0, 52.0]
    """

    clusters: int = parameter(Integer(2, 100), default=2)
    fuzziness: float = parameter(Number(1, 10), default=2.0)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(k=3), cls(k=3, clusters=4, fuzziness=1.0), cls(k=4, blocks=2, missing="pattern")]

    def _partition(self, points: Points) -> IntArray:
        values, rng = points.values, points.rng
        labels = np.zeros(len(values), dtype=np.int64)
        parts, group, done = [np.arange(len(values))], 0, 0
        while parts:
            rows = parts.pop()
            if rows.size < 2 * self.k:
                labels[rows] = group
                group += 1
                done += rows.size
                report("grouping", done, len(values))
                continue
            inside = self._cut(values[rows], rng)
            parts += [rows[inside == cluster] for cluster in range(int(inside.max()), -1, -1)]
        return labels

    def _cut(self, values: FloatArray, rng: np.random.Generator) -> IntArray:
        """Return the cluster of every record of a part: labels 0 … c − 1, none used by fewer than `k`."""
        count = min(self.clusters, len(values) // self.k)
        centres = values[rng.choice(len(values), size=count, replace=False)]
        for _ in range(_ROUNDS):
            shares = _memberships(values, centres, self.fuzziness) ** self.fuzziness
            moved = (shares.T @ values) / np.maximum(shares.sum(axis=0), 1e-300)[:, None]
            still = float(np.abs(moved - centres).max()) < _STILL
            centres = moved
            if still:
                break
        inside = _nearest(values, centres)
        sizes = np.bincount(inside, minlength=count)
        while (sizes > 0).sum() > 1 and sizes[sizes > 0].min() < self.k:
            smallest = int(np.where(sizes > 0, sizes, len(values) + 1).argmin())
            kept = np.flatnonzero((sizes > 0) & (np.arange(count) != smallest))
            leaving = inside == smallest
            inside[leaving] = kept[_nearest(values[leaving], centres[kept])]
            sizes = np.bincount(inside, minlength=count)
        if (sizes > 0).sum() == 1:
            return _halves(values)
        return np.unique(inside, return_inverse=True)[1].ravel().astype(np.int64)


def _squared(values: FloatArray, centres: FloatArray) -> FloatArray:
    return np.asarray(((values[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))


def _nearest(values: FloatArray, centres: FloatArray) -> IntArray:
    """Return the nearest centre of every record, in which its membership is largest."""
    return np.asarray(_squared(values, centres).argmin(axis=1), dtype=np.int64)


def _memberships(values: FloatArray, centres: FloatArray, fuzziness: float) -> FloatArray:
    """Return how far every record belongs to every cluster: rows that sum to one."""
    far = _squared(values, centres)
    if fuzziness <= 1.0 + 1e-3:
        return np.asarray(np.eye(len(centres))[far.argmin(axis=1)])
    # In proportion to the nearest centre nothing overflows; a record on a centre belongs there alone.
    least = far.min(axis=1, keepdims=True)
    near = np.where(far > 0, np.divide(least, far, out=np.ones_like(far), where=far > 0), 1.0)
    shares = near ** (1.0 / (fuzziness - 1.0))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _halves(values: FloatArray) -> IntArray:
    """Return a part cut in two by number, across the attribute of the widest spread."""
    widest = int(np.ptp(values, axis=0).argmax())
    order = np.argsort(values[:, widest], kind="stable")
    labels = np.zeros(len(values), dtype=np.int64)
    labels[order[len(values) // 2 :]] = 1
    return labels
