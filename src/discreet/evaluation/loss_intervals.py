"""Losses with intervals: what other samples of the same people would have shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.catalogue import measures as every_measure
from discreet.catalogue import method
from discreet.contracts.measure import Measure
from discreet.contracts.pairing import aligned
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, DiscreetError, ParameterError, door
from discreet.parameters import Integer, Number
from discreet.progress import report
from discreet.stopping import stoppable
from discreet.typing import FloatArray, Json

__all__ = ["LossInterval", "loss_intervals"]

_USUAL = ("il1s", "means", "variances", "correlations", "cell-loss", "hellinger", "ctbil", "suppression")
"""What is looked at unless a user names measures, as far as it fits the table."""


@dataclass(frozen=True)
class LossInterval:
    """A loss and between what other samples of the same population would have shown it.

    Attributes
    ----------
    measure, title, unit : str
    value, low, high : float
    level : float
        The share of samples that the interval is for.
    """

    measure: str
    title: str
    unit: str
    value: float
    low: float
    high: float
    level: float

    @property
    def sentence(self) -> str:
        """The figure and its interval, in a sentence."""
        return (
            f"{self.title}: {self.value:.4g} {self.unit}; in {100 * self.level:g} % of samples of as many records it "
            f"would be between {self.low:.4g} and {self.high:.4g}."
        )

    def to_dict(self) -> Json:
        """Return the figures as plain values."""
        return {"measure": self.measure, "title": self.title, "unit": self.unit, "value": self.value, "low": self.low,
                "high": self.high, "level": self.level}  # fmt: skip


@door
@stoppable()
def loss_intervals(
    original: Any,
    masked: Any,
    measures: Sequence[str | Measure] | None = None,
    *,
    schema: Schema | None = None,
    level: float = 0.95,
    replicates: int = 200,
    random_state: int = 0,
) -> tuple[LossInterval, ...]:
    """Return losses with the intervals in which other samples of the same population would lie.

    Parameters
    ----------
    original, masked : Microdata, Masked or frame
        The same records in the same order.
    measures : list of str or Measure, optional
        Losses; by default the usual ones that fit the table.
    schema : Schema, optional
        For plain frames.
    level : float
        The share of samples.
    replicates : int
        How many samples are drawn.
    random_state : int

    Notes
    -----
    Records are drawn with replacement, each with its masked version, and every loss is taken anew (percentile
    bootstrap, Efron 1979): the masking stays what it was. A figure that cannot fall below 0 and is 0 for the population
    is above it in every sample; its interval then does not hold 0. Records that hang together, as in a household, are
    drawn one by one, which makes intervals too short. O(replicates × losses).

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> table = business(80)
    >>> (moved,) = loss_intervals(table, MDAV(k=5).mask(table), ["il1s"], replicates=20)
    >>> moved.low <= moved.value <= moved.high
    True
    """
    for name, value, rule in (("level", level, Number(0, 1, open_low=True)), ("replicates", replicates, Integer(10))):
        if not rule.accepts(value):
            raise ParameterError(f"loss_intervals: {name} must be {rule.describe()}; got {value!r}.")
    if level == 1:
        raise ParameterError("loss_intervals: level must be below 1: no interval holds every sample.")
    before, after = aligned(original, masked, schema)
    if not isinstance(before, Microdata) or not isinstance(after, Microdata):
        raise DataError("loss_intervals: the tables must be in memory.", hint="Read a sample of their records.")
    losses = _losses(before, after, measures)
    rng = np.random.default_rng(random_state)
    losses_drawn: FloatArray = np.full((replicates, len(losses)), np.nan)
    for turn in range(replicates):
        report("samples", turn, replicates)
        rows = rng.integers(0, len(before), len(before))
        sample = before.take(rows), after.take(rows)
        for place, (loss, _) in enumerate(losses):
            losses_drawn[turn, place] = _value(loss, *sample)
    result = []
    for place, (loss, value) in enumerate(losses):
        figures = losses_drawn[np.isfinite(losses_drawn[:, place]), place]
        if figures.size < replicates // 2:
            raise DataError(
                f"loss_intervals: {loss.name} could be taken of {figures.size} of {replicates} samples only.",
                hint="Leave it out of measures.",
            )
        low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2]).tolist()
        result.append(LossInterval(loss.name, loss.title, loss.unit, value, low, high, level))
    return tuple(result)


def _losses(
    before: Microdata, after: Microdata, measures: Sequence[str | Measure] | None
) -> list[tuple[Measure, float]]:
    """Return the losses that can be taken of the tables, with their values; refuse those that a user named in vain."""
    known = every_measure()
    wanted = [name for name in _USUAL if name in known] if measures is None else list(measures)
    losses: list[tuple[Measure, float]] = []
    for one in wanted:
        loss: Any = one if isinstance(one, Measure) else method("measure", str(one))()
        if loss.kind != "loss":
            raise ParameterError(f"loss_intervals: {loss.name} is a risk; intervals are of losses.")
        try:
            losses.append((loss, loss.measure(before, after).value))
        except DiscreetError:
            if measures is not None:
                raise
    if not losses:
        raise DataError("loss_intervals: no loss can be taken of these tables.")
    return losses


def _value(loss: Measure, before: Microdata, after: Microdata) -> float:
    try:
        return float(loss.measure(before, after).value)
    except DiscreetError:  # a sample may lack what the table has
        return float("nan")
