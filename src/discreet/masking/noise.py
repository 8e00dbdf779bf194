"""Noise: additive, correlated and multiplicative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import Masking, MaskingJob, register
from discreet.masking.release import DECIMALS
from discreet.masking.strata import StratifiedMasker
from discreet.parameters import Constraint, Flag, Names, Number, Optional, Seed
from discreet.typing import FloatArray, RandomState

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

    def _noisy(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return an (n, p) block with noise; NaN stays NaN."""
        raise NotImplementedError

    def _mask_part(self, job: MaskingJob) -> Masking:
        values = job.microdata.numeric(job.names)
        result = self._noisy(values, job.rng)
        if self.restore:
            result = _restored(values, result)
        return Masking({name: np.ascontiguousarray(result[:, j]) for j, name in enumerate(job.names)})


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
    O(n). Missing values stay missing. An attribute that does not vary gets no noise.

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

    def _noisy(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        return values + self.level * _spread(values) * rng.standard_normal(values.shape)


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
    O(n p²). Covariances are those of the records that lack nothing. Missing values stay missing.

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

    def _noisy(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        complete = values[~np.isnan(values).any(axis=1)]
        covariance = np.cov(complete, rowvar=False, ddof=0) if len(complete) > 1 else np.zeros((values.shape[1],) * 2)
        roots, axes = np.linalg.eigh(np.atleast_2d(covariance))
        factor = axes * np.sqrt(np.maximum(roots, 0.0))
        return np.asarray(values + self.level * rng.standard_normal(values.shape) @ factor.T)


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
    O(n). Missing values stay missing.

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

    def _noisy(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        variance = np.log1p(self.level**2)
        return np.asarray(values * np.exp(np.sqrt(variance) * rng.standard_normal(values.shape) - variance / 2))


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
