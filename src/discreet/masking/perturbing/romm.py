"""Random orthogonal matrix masking (ROMM)."""

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
from discreet.data.keyed_draws import Draws
from discreet.errors import DataError
from discreet.masking.running.normal_draws import normal_draws
from discreet.masking.running.row_products import row_products
from discreet.parameters import Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, still_somewhere
from discreet.statistics.exact_moments import moments
from discreet.statistics.exact_products import mean_products
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, RandomState

__all__ = ["ROMM"]

# Relative to the largest: below, what is left of a direction is rounding.
_ZERO = 1e-10


@dataclass(frozen=True, kw_only=True)
class _RotationPlan(Plan):
    """From a record to uncorrelated scores, and back from scores that were mixed with others."""

    draws: Draws
    names: tuple[str, ...]
    means: FloatArray
    spread: FloatArray
    scores: FloatArray
    """(attributes, directions): standard values to scores with variance 1 and no correlation."""
    back: FloatArray | None = None
    """(directions, attributes): the mixed scores to standard values."""
    centre: FloatArray | None = None
    """The means of the mixed scores."""


@register("romm")
class ROMM(Masker):
    """All numbers together turned by a random orthogonal matrix, so that means and covariances stay exactly.

    Keeps every mean, variance and covariance of the masked attributes, and with them every linear regression among
    them; destroys single values, and shapes that are not normal the more the larger `level` is.

    Parameters
    ----------
    level : float
        The standard deviation of what is mixed in over that of the data: a value correlates with what becomes of it by
        about 1 / √(1 + level²). A very large one makes data that share nothing with the original but their moments.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released; never more than the attribute has, which is the default. ``"exact"``
        releases all digits, and then only are means and covariances exact.
    strata : list of str, optional
        Turn within these, so that the moments of every stratum stay.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    The centred data are Y = U S with uncorrelated U of variance 1; normal numbers are added to U, and their sum is made
    uncorrelated again, with variance 1 and mean 0, by the nearest such matrix, which treats all attributes alike. That
    is T Y with T a random orthogonal matrix that leaves the mean alone (`level` / √n is the paper's λ), without ever
    making T, which has n² cells. Attributes that are collinear stay so. Missing values are refused; so are tables or
    strata without at least five records and three more than attributes. O(n p²).

    References
    ----------
    Ting, Fienberg and Trottini (2008), Random orthogonal matrix masking methodology for microdata release; Langsrud
    (2019), Information preserving regression-based tools for statistical disclosure control, equations 11, 12 and 17.

    Examples
    --------
    >>> import polars as pl
    >>> firms = pl.DataFrame({"wages": [10.0, 12, 11, 50, 52, 54, 33], "turnover": [31.5, 30, 39, 160, 150, 171, 88]})
    >>> masked = ROMM(0.5, decimals="exact", random_state=1).fit_transform(firms)
    >>> [bool(abs(masked[name].mean() - firms[name].mean()) < 1e-9) for name in firms.columns]
    [True, True]
    >>> bool(abs(np.cov(masked.to_numpy().T) - np.cov(firms.to_numpy().T)).max() < 1e-9)
    True
    """

    iso_20889: ClassVar[str] = "randomisation"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    makes_numbers: ClassVar[bool] = True
    level: float = parameter(Number(0, open_low=True), default=0.3, kw_only=False)
    decimals: Decimals = parameter(DECIMALS, default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.3)]

    def _fewest(self) -> int:
        return 5

    def _check_values(self, names: tuple[str, ...], extents: Sequence[Extent]) -> tuple[str, ...]:
        notes = super()._check_values(names, extents)
        few = sum(max(extent.columns[name].present for name in names) < len(names) + 3 for extent in extents)
        if few:
            where = f"{few} of {len(extents)} strata have" if len(extents) > 1 else "the table has"
            raise DataError(
                f"ROMM: {where} fewer than {len(names) + 3} records; with {len(names)} attributes that leaves too few "
                "ways to turn them.",
                hint="Merge strata, or mask fewer attributes.",
            )
        for name, still in still_somewhere(extents, names):
            raise DataError(
                f"ROMM: {name!r} does not vary in {still} of {len(extents)} strata, where its mean is the value "
                "itself.",
                hint="Merge strata, or mask the attribute in another way.",
            )
        return notes

    def inquire(self, scope: Scope) -> Inquiry[_RotationPlan]:
        names = scope.names
        means, spread = yield from moments(names, partial(_numbers, names))
        plan = _RotationPlan(
            draws=scope.draws,
            names=names,
            means=means,
            spread=np.where(spread > 0, spread, 1.0),
            scores=np.eye(len(names)),
        )
        centre, products = yield from mean_products(names, partial(_scores, plan))
        roots, axes = np.linalg.eigh(products - np.outer(centre, centre))
        kept = roots > _ZERO * max(float(roots.max()), 0.0)
        axes, deviations = axes[:, kept], np.sqrt(roots[kept])
        plan = replace(plan, scores=axes / deviations, details={"directions": int(kept.sum())})
        centre, products = yield from mean_products(names, partial(self._mixed, plan))
        roots, turns = np.linalg.eigh(products - np.outer(centre, centre))
        # The nearest uncorrelated scores of variance 1: the inverse of the symmetric root of their covariances.
        nearest = (turns / np.sqrt(roots)) @ turns.T
        return replace(plan, centre=centre, back=nearest @ (axes * deviations).T)

    def _mixed(self, plan: _RotationPlan, block: Block) -> FloatArray:
        scores = _scores(plan, block)
        return np.asarray(scores + self.level * normal_draws(plan.draws, block.rows, scores.shape[1]))

    def apply(self, plan: _RotationPlan, block: Block) -> dict[str, Any]:
        assert plan.back is not None and plan.centre is not None  # noqa: S101, PT018 - for the type checker
        turned = row_products(self._mixed(plan, block) - plan.centre, plan.back)
        values = turned * plan.spread + plan.means
        # What does not vary is left as it is, to the last digit.
        still = np.abs(plan.back).max(axis=0, initial=0.0) == 0
        values[:, still] = block.original.numeric(plan.names)[:, still]
        return {name: np.ascontiguousarray(values[:, j]) for j, name in enumerate(plan.names)}


def _numbers(names: tuple[str, ...], block: Block) -> FloatArray:
    return block.original.numeric(names)


def _scores(plan: _RotationPlan, block: Block) -> FloatArray:
    return row_products((block.original.numeric(plan.names) - plan.means) / plan.spread, plan.scores)
