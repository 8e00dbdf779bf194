"""Losses of time series: readings, means by time, and how a reading follows from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales.time_series import TimeSeries
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.reading_sums import ReadingSums, SeriesSums
from discreet.typing import FloatArray

__all__ = ["SeriesAutocorrelation", "SeriesError", "SeriesProfile"]


class SeriesLoss(Measure):
    """A loss of series of readings."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"series"})
    need: ClassVar[Need] = Need.RECORD
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def question(self, scope: PairScope) -> ReadingSums:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        return ReadingSums.asked(scope.names, (scope.before, scope.after), weight)

    def _check(self, sums: SeriesSums) -> None:
        for name, (_, weight) in sums.moved.items():
            if not weight:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with readings in either file.")


def _span(scope: PairScope, name: str) -> float:
    scale = scope.before[name].scale
    return scale.span or scale.unit if isinstance(scale, TimeSeries) else 1.0


@register("series-error")
class SeriesError(SeriesLoss):
    """Mean difference of readings and their release at the same time, in percent of the range of readings.

    Zero for an unmasked file, 100 if every reading were the whole range off, or gone.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every series that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · mean min(|x − x'| / span, 1)`` over readings of either file; one that the other file lacks counts 1. Over
    attributes the mean. The detail has the mean difference in the readings' own unit. O(readings).

    References
    ----------
    Nin and Torra (2006), Extending microaggregation procedures for time series protection.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(span=10), "key")])
    >>> a, b = pl.DataFrame({"load": ["1 2", "3 4"]}), pl.DataFrame({"load": ["2 3", "2 3"]})
    >>> SeriesError().measure(a, b, schema).value  # each reading is 1 of 10 off
    10.0
    """

    title: ClassVar[str] = "Error of readings"
    formula: ClassVar[str] = "100 · mean |x − x′| / span"
    reference: ClassVar[str] = "Nin and Torra 2006"

    def conclude(self, statistics: SeriesSums, scope: PairScope) -> Measurement:
        self._check(statistics)
        per_attribute = {name: 100.0 * float(moved / weight) for name, (moved, weight) in statistics.moved.items()}
        apart = {name: share / 100.0 * _span(scope, name) for name, share in per_attribute.items()}
        value = float(np.mean(list(per_attribute.values())))
        sentence = f"A reading lies {value:.2f} % of the range of readings from its original on average."
        return self.result(value, sentence, per_attribute, {"mean_difference": apart})


@register("series-profile")
class SeriesProfile(SeriesLoss):
    """Mean change of the mean reading of a time, in percent of the range of readings.

    What somebody loses who draws the curve of everybody's readings over time. Zero if every time has the mean it had.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every series that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · mean_t |m(t) − m'(t)| / span`` over the times at which either file has readings; a time that one of them
    lacks counts 1. Over attributes the mean. Exchanging series between records changes nothing. O(readings).

    References
    ----------
    Nin and Torra (2009), Towards the evaluation of time series protection methods.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(span=10), "key")])
    >>> a, b = pl.DataFrame({"load": ["1 2", "3 4"]}), pl.DataFrame({"load": ["2 5", "2 5"]})
    >>> SeriesProfile().measure(a, b, schema).value  # means 2 and 3 became 2 and 5
    10.0
    """

    title: ClassVar[str] = "Change of means by time"
    formula: ClassVar[str] = "100 · mean |m(t) − m′(t)| / span"
    reference: ClassVar[str] = "Nin and Torra 2009"
    sees_shuffling: ClassVar[bool] = False

    def conclude(self, statistics: SeriesSums, scope: PairScope) -> Measurement:
        self._check(statistics)
        shares = {name: _profile(*sides, _span(scope, name)) for name, sides in statistics.by_time.items()}
        per_attribute = {name: 100.0 * float(share.mean()) for name, share in shares.items()}
        value = float(np.mean(list(per_attribute.values())))
        worst = {name: 100.0 * float(share.max()) for name, share in shares.items()}
        sentence = (
            f"The mean reading of a time moved by {value:.2f} % of the range of readings on average, and by "
            f"{max(worst.values()):.2f} % at the time that changed most."
        )
        return self.result(value, sentence, per_attribute, {"largest_change_percent": worst})


def _profile(before: FloatArray, after: FloatArray, span: float) -> FloatArray:
    width = max(before.shape[1], after.shape[1])
    sums = [np.pad(side, ((0, 0), (0, width - side.shape[1]))) for side in (before, after)]
    first, second = (side[1] / np.where(side[0] > 0, side[0], 1.0) for side in sums)
    both = (sums[0][0] > 0) & (sums[1][0] > 0)
    either = (sums[0][0] > 0) | (sums[1][0] > 0)
    return np.asarray(np.where(both, np.minimum(np.abs(first - second) / span, 1.0), 1.0)[either])


@register("series-autocorrelation")
class SeriesAutocorrelation(SeriesLoss):
    """Change of the correlation of a reading with the one before it, in percent of the largest possible change.

    Means smooth: of noisy series the correlation grows, and forecasts from the release seem better than they are.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every series that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · |ρ − ρ'| / 2`` with ``ρ = Σ (x_t − x̄)(x_{t+1} − x̄) / Σ (x_t − x̄)²`` over all records, x̄ the mean of the
    record; 0 where readings do not vary. A gap counts as the mean. Over attributes the mean. O(readings).

    References
    ----------
    Box and Jenkins (1970), Time series analysis: forecasting and control.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(span=10), "key")])
    >>> a, b = pl.DataFrame({"load": ["0 2 0 2"]}), pl.DataFrame({"load": ["0 0 2 2"]})
    >>> SeriesAutocorrelation().measure(a, b, schema).value  # −3/4 became 1/4
    50.0
    """

    title: ClassVar[str] = "Change of autocorrelation"
    formula: ClassVar[str] = "100 · |ρ − ρ′| / 2"
    reference: ClassVar[str] = "Box and Jenkins 1970"
    sees_shuffling: ClassVar[bool] = False

    def conclude(self, statistics: SeriesSums, scope: PairScope) -> Measurement:
        self._check(statistics)
        rates = {name: (_rate(before), _rate(after)) for name, (before, after) in statistics.in_row.items()}
        per_attribute = {name: 50.0 * abs(before - after) for name, (before, after) in rates.items()}
        value = float(np.mean(list(per_attribute.values())))
        first = scope.names[0]
        sentence = (
            f"The correlation of a reading of {first} with the one before, within each series, was "
            f"{rates[first][0]:.3f} and is {rates[first][1]:.3f}."
        )
        details = {"before": {n: r[0] for n, r in rates.items()}, "after": {n: r[1] for n, r in rates.items()}}
        return self.result(value, sentence, per_attribute, details)


def _rate(sums: FloatArray) -> float:
    return float(sums[0] / sums[1]) if sums[1] > 0 else 0.0
