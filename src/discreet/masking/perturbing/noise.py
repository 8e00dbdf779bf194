"""Noise: additive, correlated and multiplicative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from discreet.contracts.digits import DECIMALS, Decimals
from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope, of_table
from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.scales import Moment
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.declared_limits import LimitInterval, folded, interval_of, outside
from discreet.masking.running.normal_draws import normal_draws
from discreet.parameters import ByName, Flag, Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.statistics.census import Extent, Extents, still_somewhere
from discreet.statistics.exact_moments import ColumnSums, ColumnTotals, moments
from discreet.statistics.exact_sum import nearest
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.rank_values import values_at_ranks
from discreet.typing import BoolArray, FloatArray, RandomState

__all__ = ["AdditiveNoise", "CorrelatedNoise", "MultiplicativeNoise"]


Moments: TypeAlias = tuple[FloatArray, FloatArray]
"""Means and standard deviations of some columns."""


@dataclass(frozen=True, kw_only=True)
class NoisePlan(Plan):
    """How large the noise of every attribute is, how it hangs together, and what brings means back."""

    draws: Draws
    names: tuple[str, ...]
    spread: FloatArray
    factor: FloatArray | None = None
    back: tuple[FloatArray, FloatArray, FloatArray] | None = None
    fences: tuple[FloatArray, FloatArray] | None = None


class _Noise(Masker):
    """What all kinds of noise share; subclasses write ``_noisy``."""

    iso_20889: ClassVar[str] = "randomisation: noise addition"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True

    @property
    def touches_all(self) -> bool:  # type: ignore[override]
        """Whether every number gets noise."""
        return not self.outliers

    later: ClassVar[frozenset[str]] = frozenset({"within", "outliers"})
    level: float = parameter(Number(0, open_low=True), default=0.1, kw_only=False)
    restore: bool = parameter(Flag(), default=False)
    outliers: bool = parameter(Flag(), default=False)
    within: Mapping[str, Any] | None = parameter(Optional(ByName(LimitInterval())), default=None)
    decimals: Decimals = parameter(DECIMALS, default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.1), cls(0.5, restore=True)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names, owner = super().columns_for(schema), type(self).__name__
        for name in self.within or ():
            if name not in names:
                raise ParameterError(f"{owner}: within names {name!r}, which is not masked.")
            if isinstance(schema[name].scale, Moment):
                raise ParameterError(f"{owner}: within must be bounds of numbers; {name!r} is a date or time.")
        if self.outliers and self.restore:
            raise ParameterError(f"{owner}: restore must be False with outliers: most values stay as they are.")
        if self.within and self.restore:
            raise ParameterError(
                f"{owner}: restore must be False with within: what brings means back leads beyond the bounds."
            )
        return names

    def limits(self, name: str) -> tuple[float, float] | None:
        return None if name not in (self.within or {}) else interval_of((self.within or {})[name])

    def _noisy(self, values: FloatArray, plan: NoisePlan, normal: FloatArray) -> FloatArray:
        """Return an (n, p) block with noise made of normal draws, in proportion to the plan's spread; NaN stays NaN."""
        raise NotImplementedError

    def _relations(self, scope: Scope, moments: Moments) -> Inquiry[tuple[FloatArray | None, tuple[str, ...]]]:  # noqa: ARG002
        """Ask how the noise of attributes hangs together, and what the user should know of that."""
        yield from ()
        return None, ()

    def _fewest(self) -> int:
        # Two numbers with a given mean and standard deviation can only be the same two; five leave three dimensions.
        return 5 if self.restore else 3

    def _check_values(self, names: tuple[str, ...], extents: Sequence[Extent]) -> tuple[str, ...]:
        notes = super()._check_values(names, extents)
        for name, still in still_somewhere(extents, names) if self.restore else ():
            raise DataError(
                f"{type(self).__name__}: {name!r} does not vary in {still} of {len(extents)} strata, where a restored "
                "mean is the value itself.",
                hint="Merge strata, or use restore=False.",
            )
        return notes

    def inquire(self, scope: Scope) -> Inquiry[NoisePlan]:
        names = scope.names
        own = yield from moments(names, partial(_numbers, names))
        spread = own[1]
        extent: Extent = yield Extents(names)
        varies = np.array([extent.columns[name].varies for name in names]) & (spread > 0)
        if scope.n < scope.whole and not varies.all():
            # What does not vary in its stratum is known to all who know the stratum, unless it gets the noise of the
            # table.
            whole = yield from of_table(moments(names, partial(_numbers, names)))
            spread = np.where(varies, spread, whole[1])
        factor, notes = yield from self._relations(scope, own)
        plan = NoisePlan(draws=scope.draws, names=names, spread=spread, factor=factor, notes=notes)
        if self.outliers:
            plan = yield from self._fenced(plan, extent)
        if self.within:
            return (yield from self._kept_within(plan))
        if not self.restore:
            return plan
        mean, deviation = yield from moments(names, partial(self._with_noise, plan))
        ratio = np.where(deviation > 0, own[1] / np.where(deviation > 0, deviation, 1.0), 1.0)
        return replace(plan, back=(mean, ratio, own[0]))

    def _fenced(self, plan: NoisePlan, extent: Extent) -> Inquiry[NoisePlan]:
        """Ask beyond what a value is far from the others, and how many records have one."""
        ranks = {}
        for name in plan.names:
            present = extent.columns[name].present
            if present:
                ranks[name] = [max(1, round(present / 4)), max(1, round(3 * present / 4))]
        quarters = yield from values_at_ranks(ranks)
        nothing = (np.nan, np.nan)  # beyond which nothing lies
        first, third = (np.array([quarters.get(name, nothing)[place] for name in plan.names]) for place in (0, 1))
        reach = _FENCE * (third - first)
        plan = replace(plan, fences=(first - reach, third + reach))
        totals: ColumnTotals = yield ColumnSums(plan.names[:1], partial(self._outlying, plan))
        outlying = round(nearest(totals.sums[0]))
        told = (
            f"{outlying} of {totals.present[0]} records have a value far from the others and got noise; the others are "
            "released as they are, and whoever knows their numbers finds them."
        )
        return replace(plan, notes=(*plan.notes, told), details={"records_with_noise": outlying})

    def _outlying(self, plan: NoisePlan, block: Block) -> FloatArray:
        return self._far(plan, _numbers(plan.names, block)).astype(np.float64)[:, None]

    @staticmethod
    def _far(plan: NoisePlan, values: FloatArray) -> BoolArray:
        """Say which records have a value beyond the fences."""
        if plan.fences is None:
            return np.ones(len(values), dtype=np.bool_)
        low, high = plan.fences
        return np.asarray(((values < low) | (values > high)).any(axis=1))

    def _with_noise(self, plan: NoisePlan, block: Block) -> FloatArray:
        normal = normal_draws(plan.draws, block.rows, len(plan.names))
        values = _numbers(plan.names, block)
        noisy = self._noisy(values, plan, normal)
        return noisy if plan.fences is None else np.where(self._far(plan, values)[:, None], noisy, values)

    def _kept_within(self, plan: NoisePlan) -> Inquiry[NoisePlan]:
        """Refuse what lies beyond the bounds before there is noise, and count what is reflected there."""
        beyond: ColumnTotals = yield ColumnSums(plan.names, partial(self._beyond, plan, False))
        for name, total, present in zip(plan.names, beyond.sums, beyond.present, strict=True):
            if total:
                raise DataError(
                    f"{type(self).__name__}: {round(nearest(total))} of {present} values of {name!r} lie beyond the "
                    "bounds of within.",
                    hint="Correct them, declare them as missing codes, or widen the bounds.",
                )
        reflected: ColumnTotals = yield ColumnSums(plan.names, partial(self._beyond, plan, True))
        counts = {n: round(nearest(total)) for n, total in zip(plan.names, reflected.sums, strict=True)}
        said = tuple(
            f"{name}: {counts[name]} of {present} values were reflected at its bounds, so that its mean and its "
            "standard deviation are not those of the original even in expectation."
            for name, present in zip(plan.names, reflected.present, strict=True)
            if counts[name]
        )
        return replace(
            plan, notes=(*plan.notes, *said), details={"reflected": {n: counts[n] for n in self.within or ()}}
        )

    def _beyond(self, plan: NoisePlan, noisy: bool, block: Block) -> FloatArray:
        """Say in numbers of every value whether it lies beyond its bounds; NaN where it is missing."""
        values = self._with_noise(plan, block) if noisy else _numbers(plan.names, block)
        result = np.where(np.isnan(values), np.nan, 0.0)
        for j, name in enumerate(plan.names):
            ends = self.limits(name)
            if ends is not None:
                result[outside(values[:, j], *ends), j] = 1.0
        return result

    def apply(self, plan: NoisePlan, block: Block) -> dict[str, Any]:
        result = self._with_noise(plan, block)
        for j, name in enumerate(plan.names):
            ends = self.limits(name)
            if ends is not None:
                result[:, j] = folded(result[:, j], *ends)
        if plan.back is not None:
            mean, ratio, original = plan.back
            result = (result - mean) * ratio + original
        return {name: np.ascontiguousarray(result[:, j]) for j, name in enumerate(plan.names)}


_FENCE = 1.5
"""Beyond how many distances of the quarters a value is far from the others."""


def _numbers(names: tuple[str, ...], block: Block) -> FloatArray:
    return block.original.numeric(names)


@register("additive-noise")
class AdditiveNoise(_Noise):
    """Independent normal noise added to every number, in proportion to its attribute's standard deviation.

    Keeps means and covariances in expectation; enlarges variances by the factor 1 + level² and weakens correlations.

    Parameters
    ----------
    level : float
        The standard deviation of the noise over that of the attribute.
    restore : bool
        Move and scale every attribute back to the mean and standard deviation it had.
    outliers : bool
        Only records with a value far from the others get noise, beyond 1.5 times the distance of the quarters from
        them; what is common stays as it is.
    within : dict of str to interval, optional
        Bounds that released numbers keep to, by attribute: ``{"income": "0:", "age": [0, 110]}``. What noise carries
        beyond a bound is reflected there, which hides values at the bound, and moves means inwards; a note counts how
        many.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released; never more than the attribute has, which is the default. ``"exact"``
        releases all digits, and then only are restored moments exact.
    strata : list of str, optional
        Standard deviations within these.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n). Missing values stay missing. An attribute that does not vary in a stratum gets noise in proportion to its
    standard deviation in the table; one that does not vary at all gets none, and a note says so. Attributes with
    values, but fewer than 3 (5 with `restore`), in the table or in a stratum are refused.

    References
    ----------
    Brand (2002), Microdata protection through noise addition.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> noisy = AdditiveNoise(0.5, restore=True, decimals="exact", random_state=1).fit_transform(wages)["wage"]
    >>> round(noisy.mean(), 9), round(noisy.std(), 9) == round(wages["wage"].std(), 9)
    (31.5, True)
    """

    @classmethod
    def examples(cls) -> list[Self]:
        return [*super().examples(), cls(0.5, within={"age": "0:100"})]

    def _noisy(self, values: FloatArray, plan: NoisePlan, normal: FloatArray) -> FloatArray:
        return values + self.level * plan.spread * normal


@register("correlated-noise")
class CorrelatedNoise(_Noise):
    """Normal noise with the covariances of the data added to all numbers together.

    Keeps means and correlations in expectation; enlarges all covariances by the factor 1 + level².

    Parameters
    ----------
    level : float
        The standard deviation of the noise over that of the attribute.
    restore : bool
        Move and scale every attribute back to the mean and standard deviation it had; covariances are then kept in
        expectation as well.
    outliers : bool
        Only records with a value far from the others get noise, beyond 1.5 times the distance of the quarters from
        them; what is common stays as it is.
    within : dict of str to interval, optional
        Bounds that released numbers keep to, by attribute: ``{"income": "0:", "age": [0, 110]}``. What noise carries
        beyond a bound is reflected there, which hides values at the bound, and moves means inwards; a note counts how
        many.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released; never more than the attribute has, which is the default. ``"exact"``
        releases all digits, and then only are restored moments exact.
    strata : list of str, optional
        Covariances within these.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n p²). Standard deviations are those of all values of an attribute, correlations those of the records that have
    both values; where these are too few to tell (fewer than 5, or than the attributes and one), none is kept and a note
    says so. Correlations that contradict each other, because they come from different records, are shrunk until every
    combination of attributes gets noise; attributes that are exactly collinear stay so. Missing values stay missing.
    What does not vary and what has too few values is treated as by :class:`AdditiveNoise`.

    References
    ----------
    Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation; Brand (2002).

    Examples
    --------
    >>> import polars as pl
    >>> line = pl.DataFrame({"a": [1.0, 2.0, 3.5], "b": [2.0, 4.0, 7.0]})
    >>> noisy = CorrelatedNoise(1.0, decimals="exact", random_state=1).fit_transform(line)
    >>> [round(b / a, 6) for a, b in noisy.rows()]
    [2.0, 2.0, 2.0]
    """

    def _noisy(self, values: FloatArray, plan: NoisePlan, normal: FloatArray) -> FloatArray:
        # Summed attribute by attribute: a product of matrices would round otherwise in blocks of another size.
        factor = np.zeros((0, 0)) if plan.factor is None else plan.factor
        together = np.zeros_like(normal)
        for j in range(len(factor)):
            together += normal[:, [j]] * factor[:, j]
        return np.asarray(values + self.level * plan.spread * together)

    def _relations(self, scope: Scope, moments: Moments) -> Inquiry[tuple[FloatArray | None, tuple[str, ...]]]:
        correlations, apart = yield from _correlations(scope, moments)
        roots, axes = np.linalg.eigh(correlations)
        factor = axes * np.sqrt(np.where(roots > _ZERO, roots, 0.0))
        pairs = len(scope.names) * (len(scope.names) - 1) // 2
        where = "" if self.strata is None else " in a stratum"
        sentence = (
            f"Correlations of {apart} of {pairs} pairs of attributes are not kept{where}: too few records have both."
        )
        return factor, (sentence,) if apart else ()


@register("multiplicative-noise")
class MultiplicativeNoise(_Noise):
    """Every number times a lognormal factor with mean one.

    Keeps signs, zeros and, in expectation, means; changes large numbers by much and small ones by little, so that the
    relative protection is the same for all.

    Parameters
    ----------
    level : float
        The coefficient of variation of the factors: about the typical relative change.
    restore : bool
        Move and scale every attribute back to the mean and standard deviation it had (signs and zeros then go).
    outliers : bool
        Only records with a value far from the others get noise, beyond 1.5 times the distance of the quarters from
        them; what is common stays as it is.
    within : dict of str to interval, optional
        Bounds that released numbers keep to, by attribute: ``{"income": "0:", "age": [0, 110]}``. What noise carries
        beyond a bound is reflected there, which hides values at the bound, and moves means inwards; a note counts how
        many.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released; never more than the attribute has, which is the default. ``"exact"``
        releases all digits, and then only are restored moments exact.
    strata : list of str, optional
        Matters only with `restore`.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    O(n). Missing values stay missing. With `restore`, attributes with values, but fewer than 5, in the table or in a
    stratum are refused, and so are those that do not vary in a stratum.

    References
    ----------
    Kim and Winkler (2003), Multiplicative noise for masking continuous data.

    Examples
    --------
    >>> import polars as pl
    >>> amounts = pl.DataFrame({"amount": [0.0, -5.0, 100.0, 3.5]})
    >>> [float(np.sign(x)) for x in MultiplicativeNoise(random_state=1).fit_transform(amounts)["amount"]]
    [0.0, -1.0, 1.0, 1.0]
    """

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        dates = [name for name in names if isinstance(schema[name].scale, Moment)]
        if dates:
            raise ParameterError(
                f"MultiplicativeNoise: {len(dates)} attributes are dates or times, the first {dates[0]!r}, which have "
                "no zero to be multiplied from.",
                hint="Leave them out of attributes, and use additive-noise or date-shifting for them.",
            )
        return names

    def _fewest(self) -> int:
        # Factors do not depend on other records: a value alone is hidden as well as any.
        return super()._fewest() if self.restore else 0

    def inquire(self, scope: Scope) -> Inquiry[NoisePlan]:
        if self.restore:
            return (yield from super().inquire(scope))
        # Factors do not depend on other records.
        plan = NoisePlan(draws=scope.draws, names=scope.names, spread=np.ones(len(scope.names)))
        if self.outliers:
            extent: Extent = yield Extents(scope.names)
            plan = yield from self._fenced(plan, extent)
        return (yield from self._kept_within(plan)) if self.within else plan

    def _noisy(self, values: FloatArray, plan: NoisePlan, normal: FloatArray) -> FloatArray:  # noqa: ARG002
        variance = np.log1p(self.level**2)
        return np.asarray(values * np.exp(np.sqrt(variance) * normal - variance / 2))


_ZERO = 1e-12
_LEAST_ROOT = 0.01
_DIGITS = 10
"""Decimals of a correlation: sums of blocks of another size differ by less, but for one chance in many thousands."""


@dataclass(frozen=True)
class _PairSums:
    """Sums over the records that have both of two attributes, in standard units: counts, of one, its squares, both."""

    counts: FloatArray
    sums: FloatArray
    squares: FloatArray
    products: FloatArray

    def merge(self, later: _PairSums, /) -> _PairSums:
        return _PairSums(
            self.counts + later.counts,
            self.sums + later.sums,
            self.squares + later.squares,
            self.products + later.products,
        )


@dataclass(frozen=True, eq=False)
class _Pairs:
    names: tuple[str, ...]
    moments: Moments

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _PairSums:
        standard, present = _standard(self.names, self.moments, block)
        has = present.astype(np.float64)
        return _PairSums(has.T @ has, standard.T @ has, (standard**2).T @ has, standard.T @ standard)


@dataclass(frozen=True)
class _PointsOfPairs:
    """By pair of attributes, some of the different points that they make."""

    points: Mapping[tuple[int, int], frozenset[tuple[float, float]]]
    most: int

    def merge(self, later: _PointsOfPairs, /) -> _PointsOfPairs:
        both = {pair: sorted(mine | later.points[pair])[: self.most] for pair, mine in self.points.items()}
        return _PointsOfPairs({pair: frozenset(points) for pair, points in both.items()}, self.most)


@dataclass(frozen=True, eq=False)
class _DifferentPoints:
    """Up to `most` different points of pairs of attributes."""

    names: tuple[str, ...]
    moments: Moments
    pairs: tuple[tuple[int, int], ...]
    most: int

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _PointsOfPairs:
        standard, present = _standard(self.names, self.moments, block)
        points = {}
        for i, j in self.pairs:
            both = np.unique(standard[present[:, i] & present[:, j]][:, [i, j]], axis=0)[: self.most]
            points[i, j] = frozenset((float(a), float(b)) for a, b in both)
        return _PointsOfPairs(points, self.most)


def _standard(names: tuple[str, ...], moments: Moments, block: Block) -> tuple[FloatArray, BoolArray]:
    values = block.original.numeric(names)
    present = ~np.isnan(values)
    mean, spread = moments
    return np.where(present, (values - mean) / np.where(spread > 0, spread, 1.0), 0.0), present


def _correlations(scope: Scope, moments: Moments) -> Inquiry[tuple[FloatArray, int]]:
    """Ask for correlations from the records that have both values, and of how many pairs there are too few of these."""
    p = len(scope.names)
    pairs: _PairSums = yield _Pairs(scope.names, moments)
    counts = pairs.counts
    # Row i, column j: of attribute i, among the records that have j as well.
    means, squares = pairs.sums / np.maximum(counts, 1.0), pairs.squares / np.maximum(counts, 1.0)
    variances = squares - means**2
    shared = np.sqrt(np.maximum(variances, 0.0))
    product = shared * shared.T
    joint = pairs.products / np.maximum(counts, 1.0) - means * means.T
    varies = (variances > _ZERO) & (variances.T > _ZERO)
    result = np.where(varies, np.clip(joint / np.where(varies, product, 1.0), -1.0, 1.0), 0.0)
    result = np.asarray(np.round(result, _DIGITS), dtype=np.float64)
    # Of fewer records than attributes any data are collinear, and so would be the noise.
    few = counts < np.where(counts == scope.n, p + 1, max(5, p + 1))
    lines = tuple((int(i), int(j)) for i, j in np.argwhere(np.tril(~few & (np.abs(result) == 1), -1)))
    if lines:
        different: _PointsOfPairs = yield _DifferentPoints(scope.names, moments, lines, p + 1)
        for (i, j), points in different.points.items():
            few[i, j] = few[j, i] = len(points) < p + 1
    result[few] = 0.0
    np.fill_diagonal(result, 1.0)
    return _consistent(result, complete=bool((counts == scope.n).all())), int(np.tril(few, -1).sum())


def _consistent(correlations: FloatArray, *, complete: bool) -> FloatArray:
    """Shrink correlations that no data can have together, until noise with them leaves no combination without any."""
    least = float(np.linalg.eigvalsh(correlations)[0])
    collinear = abs(least) < 1e-9
    if collinear or least >= (0.0 if complete else _LEAST_ROOT):
        return correlations
    share = (_LEAST_ROOT - least) / (1 - least)
    return np.asarray((1 - share) * correlations + share * np.eye(len(correlations)))
