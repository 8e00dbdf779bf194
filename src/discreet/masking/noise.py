"""Noise: additive, correlated and multiplicative."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import Masking, MaskingJob, register
from discreet.errors import DataError
from discreet.masking.hiding import still_parts
from discreet.masking.release import DECIMALS
from discreet.masking.strata import StratifiedMasker
from discreet.parameters import Constraint, Flag, Names, Number, Optional, Seed
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["AdditiveNoise", "CorrelatedNoise", "MultiplicativeNoise"]


class _Noise(StratifiedMasker):
    """What all kinds of noise share; subclasses write ``_noisy``."""

    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    handles_missing: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "level": Number(0, open_low=True),
        "restore": Flag(),
        "decimals": DECIMALS,
        "strata": Optional(Names()),
        "attributes": Optional(Names()),
        "random_state": Seed(),
    }

    level: float
    restore: bool
    decimals: int | str | Mapping[str, int] | None

    def __init__(
        self,
        level: float = 0.1,
        *,
        restore: bool = False,
        decimals: int | str | Mapping[str, int] | None = None,
        strata: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.level = level
        self.restore = restore
        self.decimals = decimals
        self.strata = strata
        self.attributes = attributes
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.1), cls(0.5, restore=True)]

    def _noisy(self, values: FloatArray, spread: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return an (n, p) block with noise in proportion to `spread`; NaN stays NaN."""
        raise NotImplementedError

    def _notes(self, values: FloatArray, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - for subclasses
        return ()

    def _fewest(self) -> int:
        # Two numbers with a given mean and standard deviation can only be the same two; five leave three dimensions.
        return 5 if self.restore else 3

    def _check_values(self, job: MaskingJob, parts: list[IntArray]) -> tuple[str, ...]:
        notes = super()._check_values(job, parts)
        for name in job.names if self.restore and len(parts) > 1 else ():
            still = still_parts(job.microdata, name, parts)
            if still and not still_parts(job.microdata, name, [np.arange(len(job.microdata))]):
                raise DataError(
                    f"{type(self).__name__}: {name!r} does not vary in {still} of {len(parts)} strata, where a "
                    "restored mean is the value itself.",
                    hint="Merge strata, or use restore=False.",
                )
        return notes

    def _part_of(self, whole: MaskingJob) -> Callable[[MaskingJob], Masking]:
        return partial(self._mask_within, _spread(whole.microdata.numeric(whole.names)))

    def _mask_part(self, job: MaskingJob) -> Masking:
        return self._part_of(job)(job)

    def _mask_within(self, whole: FloatArray, job: MaskingJob) -> Masking:
        values = job.microdata.numeric(job.names)
        spread = _spread(values)
        # What does not vary in its stratum is known to all who know the stratum, unless it gets the noise of the table.
        result = self._noisy(values, np.where(_varies(values, spread), spread, whole), job.rng)
        if self.restore:
            result = _restored(values, result)
        notes = self._notes(values, job.names)
        return Masking({name: np.ascontiguousarray(result[:, j]) for j, name in enumerate(job.names)}, notes=notes)


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

    def _noisy(self, values: FloatArray, spread: FloatArray, rng: np.random.Generator) -> FloatArray:
        return values + self.level * spread * rng.standard_normal(values.shape)


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

    def _noisy(self, values: FloatArray, spread: FloatArray, rng: np.random.Generator) -> FloatArray:
        roots, axes = np.linalg.eigh(_correlations(values)[0])
        factor = axes * np.sqrt(np.where(roots > _ZERO, roots, 0.0))
        return np.asarray(values + self.level * spread * (rng.standard_normal(values.shape) @ factor.T))

    def _notes(self, values: FloatArray, names: tuple[str, ...]) -> tuple[str, ...]:
        apart = _correlations(values)[1]
        if not apart:
            return ()
        pairs = len(names) * (len(names) - 1) // 2
        where = "" if self.strata is None else " in a stratum"
        return (
            f"Correlations of {apart} of {pairs} pairs of attributes are not kept{where}: too few records have both.",
        )


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

    def _fewest(self) -> int:
        # Factors do not depend on other records: a value alone is hidden as well as any.
        return super()._fewest() if self.restore else 0

    def _noisy(self, values: FloatArray, spread: FloatArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        variance = np.log1p(self.level**2)
        return np.asarray(values * np.exp(np.sqrt(variance) * rng.standard_normal(values.shape) - variance / 2))


_ZERO = 1e-12
_LEAST_ROOT = 0.01


def _correlations(values: FloatArray) -> tuple[FloatArray, int]:
    """Return correlations from the records that have both values, and of how many pairs there are too few of these."""
    p, present = values.shape[1], ~np.isnan(values)
    own = _moments(values)[1]
    standard = np.where(present, (values - _moments(values)[0]) / np.where(own > 0, own, 1.0), 0.0)
    has = present.astype(np.float64)
    counts = has.T @ has
    # Row i, column j: of attribute i, among the records that have j as well.
    means, squares = (np.asarray((x.T @ has) / np.maximum(counts, 1.0)) for x in (standard, standard**2))
    variances = squares - means**2
    shared = np.sqrt(np.maximum(variances, 0.0))
    product = shared * shared.T
    joint = standard.T @ standard / np.maximum(counts, 1.0) - means * means.T
    varies = (variances > _ZERO) & (variances.T > _ZERO)
    result = np.where(varies, np.clip(joint / np.where(varies, product, 1.0), -1.0, 1.0), 0.0)
    # Of fewer records than attributes any data are collinear, and so would be the noise.
    few = counts < np.where(counts == len(values), p + 1, max(5, p + 1))
    for i, j in np.argwhere(np.tril(~few & (1 - np.abs(result) < _ZERO), -1)):
        both = standard[present[:, i] & present[:, j]][:, [i, j]]
        few[i, j] = few[j, i] = len(np.unique(both, axis=0)) < p + 1
    result[few] = 0.0
    np.fill_diagonal(result, 1.0)
    return _consistent(result, complete=bool(present.all())), int(np.tril(few, -1).sum())


def _consistent(correlations: FloatArray, *, complete: bool) -> FloatArray:
    """Shrink correlations that no data can have together, until noise with them leaves no combination without any."""
    least = float(np.linalg.eigvalsh(correlations)[0])
    collinear = abs(least) < 1e-9
    if collinear or least >= (0.0 if complete else _LEAST_ROOT):
        return correlations
    share = (_LEAST_ROOT - least) / (1 - least)
    return np.asarray((1 - share) * correlations + share * np.eye(len(correlations)))


def _varies(values: FloatArray, spread: FloatArray) -> Any:
    """Say which columns vary; a standard deviation of equal numbers may not be 0 to the last digit."""
    high = np.where(np.isnan(values), -np.inf, values).max(axis=0, initial=-np.inf)
    low = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return (high > low) & (spread > 0)


def _spread(values: FloatArray) -> FloatArray:
    """Return the standard deviation of every column; a constant or empty one has 0."""
    return _moments(values)[1]


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    present = ~np.isnan(values)
    counts = np.maximum(present.sum(axis=0), 1)
    # Around one of its own values a column loses no digits, however large its offset.
    origin = np.where(present.any(axis=0), values[present.argmax(axis=0), np.arange(values.shape[1])], 0.0)
    shifted = np.where(present, values - origin, 0.0)
    mean = shifted.sum(axis=0) / counts
    deviations = np.where(present, shifted - mean, 0.0)
    return origin + mean, np.sqrt((deviations**2).sum(axis=0) / counts)


def _restored(before: FloatArray, after: FloatArray) -> FloatArray:
    """Give every column the mean and standard deviation it had."""
    (mean, spread), (new_mean, new_spread) = _moments(before), _moments(after)
    scale: Any = np.where(new_spread > 0, spread / np.where(new_spread > 0, new_spread, 1.0), 1.0)
    return np.asarray((after - new_mean) * scale + mean)
