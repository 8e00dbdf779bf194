"""Losses of trajectories: how far people were put, where everybody was, how long ways are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales.trajectory import Trajectory
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.measures.sequence_pairs import in_percent, total_variation
from discreet.parameters import Flag, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.path_parts import PathParts, PathSums
from discreet.statistics.question import Need
from discreet.statistics.sequence_counts import EventTally

__all__ = ["Displacement", "TravelledLengths", "VisitedCells"]


class PathLoss(Measure):
    """A loss of trajectories."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"trajectory"})
    need: ClassVar[Need] = Need.RECORD
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def question(self, scope: PairScope) -> PathParts:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        return PathParts.asked(scope.names, (scope.before, scope.after), getattr(self, "size", None), weight)

    def _check(self, sums: PathSums) -> None:
        for name, (weight, _, _) in sums.moved.items():
            if not weight:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with points in both files.")


def _unit(scope: PairScope, name: str) -> str:
    scale = scope.before[name].scale
    return "metres" if isinstance(scale, Trajectory) and scale.geographic else "units of the coordinates"


@register("trajectory-displacement")
class Displacement(PathLoss):
    """How far from where people were the release puts them, at the times of the original's points, in percent.

    Zero for an unmasked file, 50 if everybody were the span of the scale away, 100 infinitely far. The detail has the
    mean distance in metres, or in the unit of coordinates.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every trajectory that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · mean d / (d + span)`` over the points of the original, d the distance to where the release is at that time:
    on the line between its points, at its first before, at its last after. Over attributes the mean. O(points · log).

    References
    ----------
    Abul, Bonchi and Nanni (2008), Never walk alone: uncertainty for anonymity in moving objects databases.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("way", dc.Trajectory(span=2, geographic=False), "key")])
    >>> a, b = pl.DataFrame({"way": ["0,0,0;9,5,0"]}), pl.DataFrame({"way": ["0,0,2;9,5,2"]})
    >>> Displacement().measure(a, b, schema).value
    50.0
    """

    title: ClassVar[str] = "Displacement of trajectories"
    formula: ClassVar[str] = "100 · mean d / (d + span)"
    reference: ClassVar[str] = "Abul, Bonchi and Nanni 2008"

    def conclude(self, statistics: PathSums, scope: PairScope) -> Measurement:
        self._check(statistics)
        per_attribute = {name: 100.0 * float(sums[1] / sums[0]) for name, sums in statistics.moved.items()}
        far = {name: float(sums[2] / sums[0]) for name, sums in statistics.moved.items()}
        first = scope.names[0]
        sentence = f"People of {first} are put {far[first]:.3g} {_unit(scope, first)} from where they were on average."
        value = float(np.mean(list(per_attribute.values())))
        return self.result(value, sentence, per_attribute, {"mean_distance": far})


@register("visited-cells")
class VisitedCells(PathLoss):
    """Share of points that would have to be in another cell of a grid for all to be as full as before, in percent.

    What a map of where people are loses. Zero if every cell has the share of points it had.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every trajectory that is released.
    weighted : bool
        Count records by their survey weights.
    size : float, optional
        The side of a cell: metres on the globe, else in the unit of coordinates. By default a tenth of the span.

    Notes
    -----
    ``100 · ½ Σ_c |p(c) − p'(c)|``, the total variation distance, over attributes the mean. Exchanging trajectories
    between records changes nothing. O(points · log points).

    References
    ----------
    Levin and Peres (2017), Markov chains and mixing times, for the total variation distance.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("way", dc.Trajectory(span=2, geographic=False), "key")])
    >>> a, b = pl.DataFrame({"way": ["0,0,0;9,5,0"]}), pl.DataFrame({"way": ["0,0,0;9,5,4"]})
    >>> VisitedCells(size=1).measure(a, b, schema).value  # one of two
    50.0
    """

    title: ClassVar[str] = "Change of visited cells"
    formula: ClassVar[str] = "100 · ½ Σ |p(c) − p′(c)|"
    reference: ClassVar[str] = "Levin and Peres 2017"
    sees_shuffling: ClassVar[bool] = False
    size: float | None = parameter(Optional(Number(0, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(size=2.0)]

    def conclude(self, statistics: PathSums, scope: PairScope) -> Measurement:  # noqa: ARG002
        self._check(statistics)
        value, per_attribute = in_percent(
            {
                name: total_variation(before.codes, after.codes, before.weights, after.weights)
                for name, (before, after) in statistics.cells.items()
            }
        )
        emptied = {
            name: int(np.setdiff1d(before.codes, after.codes).size)
            for name, (before, after) in statistics.cells.items()
        }
        cells = sum(before.codes.size for before, _ in statistics.cells.values())
        sentence = (
            f"{value:.1f} % of the points would have to be in other cells for all to be as full as before; of {cells} "
            f"cells that were visited, {sum(emptied.values())} are not any more."
        )
        return self.result(value, sentence, per_attribute, {"cells_emptied": emptied})


@register("travelled-lengths")
class TravelledLengths(PathLoss):
    """Largest difference of the shares of ways up to a length, before and after, in percent.

    Means of paths are smoother and shorter than the paths. Zero if as many ways have each length as before.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every trajectory that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · max_l |F(l) − F'(l)|`` (Kolmogorov and Smirnov), lengths in hundredths of the span, over attributes the
    mean. The detail has the mean lengths. O(points).

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("way", dc.Trajectory(span=2, geographic=False), "key")])
    >>> a, b = pl.DataFrame({"way": ["0,0,0;9,5,0"] * 2}), pl.DataFrame({"way": ["0,0,0;9,5,0", "0,0,0;9,1,0"]})
    >>> TravelledLengths().measure(a, b, schema).value  # up to a length of 1: none before, one of two after
    50.0
    """

    title: ClassVar[str] = "Change of travelled lengths"
    formula: ClassVar[str] = "100 · max |F(l) − F′(l)|"
    reference: ClassVar[str] = "Smirnov 1948"
    sees_shuffling: ClassVar[bool] = False

    def conclude(self, statistics: PathSums, scope: PairScope) -> Measurement:
        self._check(statistics)
        value, per_attribute = in_percent({name: _gap(*sides) for name, sides in statistics.lengths.items()})
        means = [{name: _mean(sides[k], scope, name) for name, sides in statistics.lengths.items()} for k in (0, 1)]
        first = scope.names[0]
        sentence = (
            f"Up to some length there are {value:.1f} % more, or fewer, of all ways than before; the mean length of "
            f"{first} was {means[0][first]:.3g} and is {means[1][first]:.3g} {_unit(scope, first)}."
        )
        return self.result(value, sentence, per_attribute, {"mean_before": means[0], "mean_after": means[1]})


def _mean(lengths: EventTally, scope: PairScope, name: str) -> float:
    scale = scope.before[name].scale
    span = scale.span if isinstance(scale, Trajectory) else None
    return float(np.average(lengths.codes, weights=lengths.weights)) * (span or 1.0) / 100.0


def _gap(before: EventTally, after: EventTally) -> float:
    ends = np.unique(np.concatenate([before.codes, after.codes]))
    first, second = (
        np.append(0.0, np.cumsum(side.weights / side.weights.sum()))[np.searchsorted(side.codes, ends, side="right")]
        for side in (before, after)
    )
    return float(np.abs(first - second).max())
