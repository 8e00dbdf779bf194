"""Multivariate top coding: records far from all others are pulled to where the others end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.digits import DECIMALS, Decimals
from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.masking.running.robust_ellipsoid import RobustEllipsoid, robust_ellipsoid
from discreet.parameters import Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.exact_moments import ColumnSums, ColumnTotals
from discreet.statistics.exact_sum import nearest
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.sample import Sample, SampledRecords
from discreet.typing import FloatArray

__all__ = ["MultivariateTopCoding"]

_SAMPLE = 50_000


@dataclass(frozen=True, kw_only=True)
class _EllipsoidPlan(Plan):
    """The attributes, and the ellipsoid that no record may leave."""

    names: tuple[str, ...]
    ellipsoid: RobustEllipsoid

    def factors(self, values: FloatArray) -> FloatArray:
        """Return by how much every record is drawn to the centre; 1 where it is left alone."""
        return self.ellipsoid.factors(values)


@register("multivariate-top-coding")
class MultivariateTopCoding(Masker):
    """Records that lie far from the others in all numbers together, pulled towards the centre until they do not.

    Keeps every record inside as it is, and of those outside the direction in which they stand out; destroys how far.
    What is ordinary attribute by attribute, and rare together, is found as well.

    Parameters
    ----------
    quantile : float
        The share of normal data that lies inside, between 0.5 and 1: beyond that quantile of the robust Mahalanobis
        distance a record is drawn onto the ellipsoid.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released; never more than the attribute has, which is the default.
    strata : list of str, optional
        Centre and covariances within these.
    attributes : list of str, optional
        What to mask; by default every numeric key.

    Notes
    -----
    Centre and covariances are the minimum covariance determinant of all records, or of 50,000 where there are more, so
    that the outliers themselves do not stretch the ellipsoid; where more than half of the records lie in a plane they
    are the plain ones, and a note says so. A record that lacks values is measured, and pulled, by those that it has.
    Rounding to the digits of the data may leave a record outside by half a digit. O(n p²). Skewed attributes, such as
    incomes, have many records outside; take logarithms before, or a higher quantile.

    References
    ----------
    Templ, Gussenbauer and Filzmoser (2020), Evaluation of robust outlier detection methods for zero-inflated complex
    data; Rousseeuw and Van Driessen (1999), A fast algorithm for the minimum covariance determinant estimator.

    Examples
    --------
    A hundred whose reach is about their size, and one who is extreme in neither:

    >>> import polars as pl
    >>> rng = np.random.default_rng(1)
    >>> size = rng.normal(170.0, 8.0, 100)
    >>> people = pl.DataFrame({"size": [*size, 160.25], "reach": [*(size + rng.normal(0, 1, 100)), 185.5]})
    >>> masked = MultivariateTopCoding(0.999).mask(people)
    >>> [round(x) for x in masked.to_native().row(100)]
    [169, 172]
    """

    iso_20889: ClassVar[str] = "generalisation: top and bottom coding"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    touches_all: ClassVar[bool] = False
    quantile: float = parameter(Number(0.5, 1, open_low=True, open_high=True), default=0.975, kw_only=False)
    decimals: Decimals = parameter(DECIMALS, default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.9)]

    def inquire(self, scope: Scope) -> Inquiry[_EllipsoidPlan]:
        names = scope.names
        sampled: SampledRecords = yield Sample(names, _SAMPLE, scope.n, scope.draws.integer("sample"))
        rows = np.stack(list(sampled.records().values()), axis=1)
        where = "a stratum" if scope.n < scope.whole else "the table"
        ellipsoid = robust_ellipsoid("MultivariateTopCoding", names, rows, self.quantile, where)
        plan = _EllipsoidPlan(names=names, ellipsoid=ellipsoid)
        totals: ColumnTotals = yield ColumnSums(names, partial(_outside, plan))
        coded = round(nearest(totals.sums[0]))
        return replace(plan, notes=ellipsoid.notes, details={"coded": coded, "robust": ellipsoid.robust})

    def apply(self, plan: _EllipsoidPlan, block: Block) -> dict[str, Any]:
        values = block.original.numeric(plan.names)
        factors, centre = plan.factors(values), plan.ellipsoid.centre
        pulled = np.where(factors[:, None] < 1, centre + (values - centre) * factors[:, None], values)
        return {name: np.ascontiguousarray(pulled[:, j]) for j, name in enumerate(plan.names)}


def _outside(plan: _EllipsoidPlan, block: Block) -> FloatArray:
    """Say in numbers of every record whether it is pulled, once for every attribute."""
    far = plan.factors(block.original.numeric(plan.names)) < 1
    return np.repeat(far[:, None].astype(np.float64), len(plan.names), axis=1)
