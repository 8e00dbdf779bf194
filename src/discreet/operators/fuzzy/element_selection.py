"""Second stage of defuzzification: a fuzzy set becomes one element.

Blending selections combine the levels (mean, weighted mean, median); celibate ones take one of them (the most
possible, or one at random).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import ParameterError
from discreet.parameters import Choice, Flag, Instance, Number
from discreet.parameters.declaration import Parameterised, parameter
from discreet.typing import BoolArray, CodeArray, FloatArray

__all__ = ["RAGE", "MeanSelection", "MedianSelection", "PluralitySelection", "RandomSelection", "Selection"]

_SLACK = 1e-12


class Selection(Parameterised, ABC):
    """Fuzzy sets to one element each; `random` says that draws are needed, one a set."""

    random: ClassVar[bool] = False

    @abstractmethod
    def select(self, rows: FloatArray, draws: FloatArray) -> NDArray[Any]:
        """Return one element for each checked row; `draws` are uniform on [0, 1), one a row, or empty."""

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


class MeanSelection(Selection):
    """The mean of the levels with membership above 0, where the levels stand for numbers.

    Parameters
    ----------
    numbers : IntervalSemantics or sequence of float
        What each level stands for. With a semantics the result is a level, the one in whose interval the mean of the
        centres lies; with numbers it is a number.
    weighted : bool
        Weight by membership (centre of area); otherwise all levels above 0 count once (after `MostPossible`, the mean
        of maxima).
    """

    numbers: IntervalSemantics | Sequence[float] = parameter(
        Instance(object, "an IntervalSemantics or a list of numbers"), kw_only=False
    )
    weighted: bool = parameter(Flag(), default=True)

    def select(self, rows: FloatArray, draws: FloatArray) -> NDArray[Any]:  # noqa: ARG002 - not random
        semantics = self.numbers if isinstance(self.numbers, IntervalSemantics) else None
        numbers = np.asarray(self.numbers if semantics is None else semantics.centers, dtype=np.float64)
        if numbers.shape != (rows.shape[1],):
            raise ParameterError(f"MeanSelection: numbers must be one for each of {rows.shape[1]} levels.")
        weights = rows if self.weighted else (rows > 0).astype(np.float64)
        means = np.asarray(weights @ numbers / weights.sum(axis=1))
        return means if semantics is None else semantics.locate(means)


class MedianSelection(Selection):
    """The level at which the cumulated membership passes a share of the whole.

    Parameters
    ----------
    beta : float
        The share; 0.5 is the median.
    side : {"upper", "lower"}
        Where the share is met exactly, the next level (as in the papers: the share must be exceeded) or this one.
    """

    beta: float = parameter(Number(0, 1, open_high=True), default=0.5, kw_only=False)
    side: Literal["upper", "lower"] = parameter(Choice(("upper", "lower")), default="upper")

    def select(self, rows: FloatArray, draws: FloatArray) -> CodeArray:  # noqa: ARG002 - not random
        cumulated = np.cumsum(rows, axis=1)
        totals = cumulated[:, -1:]
        slack = _SLACK * totals if self.side == "upper" else -_SLACK * totals
        reached = (cumulated > self.beta * totals + slack) & (cumulated > 0)
        return _first(reached)


class PluralitySelection(Selection):
    """The level with the largest membership; the lowest of equals."""

    def select(self, rows: FloatArray, draws: FloatArray) -> CodeArray:  # noqa: ARG002 - not random
        heads = rows.max(axis=1, keepdims=True)
        return _first(rows >= heads * (1 - _SLACK))


class RandomSelection(Selection):
    """One of the levels with membership above 0, all equally likely."""

    random: ClassVar[bool] = True

    def select(self, rows: FloatArray, draws: FloatArray) -> CodeArray:
        return _draw_levels((rows > 0).astype(np.float64), draws)


class RAGE(Selection):
    """One of the levels at random, each as likely as its membership says (random generation defuzzification)."""

    random: ClassVar[bool] = True

    def select(self, rows: FloatArray, draws: FloatArray) -> CodeArray:
        return _draw_levels(rows, draws)


def _draw_levels(rows: FloatArray, draws: FloatArray) -> CodeArray:
    cumulated = np.cumsum(rows, axis=1)
    totals = cumulated[:, -1]
    # Below the total even where the product is rounded up to it, so that the level found has a membership above 0.
    marks = np.minimum(draws * totals, np.nextafter(totals, 0.0))
    return _first(cumulated > marks[:, None])


def _first(reached: BoolArray) -> CodeArray:
    return np.asarray(reached.argmax(axis=1), dtype=np.int32)
