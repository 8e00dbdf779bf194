"""What every microaggregation of numbers shares: standardise, form groups, release each group's aggregate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from discreet.base import Masker, Masking, MaskingJob
from discreet.operators.base import Operator
from discreet.operators.means import ArithmeticMean
from discreet.parameters import Choice, Constraint, Instance, Integer, Names, Optional
from discreet.typing import FloatArray, IntArray

__all__ = ["NumericMicroaggregation", "standardised"]


class NumericMicroaggregation(Masker):
    """Groups of at least `k` records on the standardised attributes, each value released as its group's aggregate.

    Subclasses write ``_partition``: points to group labels. They never compute a centroid to release: that is the
    operator's work.
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    groups: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "k": Integer(2),
        "attributes": Optional(Names()),
        "standardise": Choice(("zscore", "range", "robust", "none")),
        "operator": Optional(Instance(Operator, "an operator on numbers")),
    }

    k: int
    standardise: str
    operator: Operator | None

    @abstractmethod
    def _partition(self, points: FloatArray, job: MaskingJob) -> IntArray:
        """Return the group of every point: labels 0 … g − 1, none used by fewer than `k` points."""

    def _mask(self, job: MaskingJob) -> Masking:
        values = job.microdata.numeric(job.names)
        points = standardised(values, self.standardise)
        labels = self._partition(points, job)
        operator = self.operator or ArithmeticMean()
        released = {name: operator.by_label(values[:, j], labels)[labels] for j, name in enumerate(job.names)}
        return Masking(released, labels=labels, details=_figures(values, points, labels, released, job.names))


def standardised(values: FloatArray, how: str) -> FloatArray:
    """Return columns made comparable; a constant column becomes zeros.

    ``"zscore"``: mean 0, standard deviation 1. ``"range"``: from 0 to 1. ``"robust"``: median 0, interquartile range
    1 (the standard deviation where that range is 0). ``"none"``: only the column's middle is taken off, so that a large
    offset costs no digits.
    """
    # Subtracting one record first makes the rest exact to the last digit whatever the offset.
    shifted = values - values[0]
    if how == "range":
        shifted -= shifted.min(axis=0)
        spread = shifted.max(axis=0)
    elif how == "robust":
        shifted -= np.median(shifted, axis=0)
        low, high = np.quantile(shifted, [0.25, 0.75], axis=0)
        spread = np.where(high > low, high - low, shifted.std(axis=0))
    else:
        shifted -= shifted.mean(axis=0)
        spread = shifted.std(axis=0) if how == "zscore" else np.ones(values.shape[1])
    return np.ascontiguousarray(shifted / np.where(spread > 0, spread, 1.0))


def _figures(
    values: FloatArray, points: FloatArray, labels: IntArray, released: Mapping[str, FloatArray], names: tuple[str, ...]
) -> dict[str, Any]:
    """Return the sum of squares within groups and in all, of the standardised points and as a share by attribute."""
    sizes = np.bincount(labels)
    centres = np.stack([np.bincount(labels, weights=points[:, j]) / sizes for j in range(points.shape[1])], axis=1)
    within = float(((points - centres[labels]) ** 2).sum())
    total = float(((points - points.mean(axis=0)) ** 2).sum())
    share = {}
    for j, name in enumerate(names):
        column = values[:, j] - values[:, j].mean()
        spread = float(column @ column)
        moved = float(((values[:, j] - released[name]) ** 2).sum())
        share[name] = moved / spread if spread > 0 else 0.0
    return {
        "sse": within,
        "sst": total,
        "information_loss": 100.0 * within / total if total > 0 else 0.0,
        "sse_share": share,
    }
