"""Prototypes of trajectories: many paths become one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.data.scales.measured import to_steps
from discreet.data.scales.scale import Scale
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.trajectory import Trajectory, Waypoints, on_map, places_of
from discreet.kernels.sequences.paths import places_at
from discreet.operators.prototypes import SequenceOperator, register_sequence_operator
from discreet.progress import track
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["MeanPath"]

_PARTS = 3


@register_sequence_operator("mean-path")
@dataclass(frozen=True)
class MeanPath(SequenceOperator):
    """The mean place of the group at a few common times, as many as a member has points on average.

    Keeps where and when a group was as a whole; nobody's own door is in it, unless all have the same.

    Parameters
    ----------
    unit : float
        The step of coordinates; a scale tells it.
    geographic : bool
        Whether these are latitude and longitude; a scale tells it.

    Notes
    -----
    The j-th of m common times is the mean of the members' times of the same progress, ``j / (m − 1)`` of their points.
    Every member has a say in every place: before its first point it is there, after its last one there. Times and
    places are rounded to the steps of the data. On the globe the mean is that of directions from its centre. Members
    without points have no say. O(points · log points).

    References
    ----------
    Abul, Bonchi and Nanni (2008), Never walk alone: uncertainty for anonymity in moving objects databases; Nergiz,
    Atzori and Saygın (2008), Towards trajectory anonymization.

    Examples
    --------
    >>> MeanPath()([[0, 0, 0, 10, 8, 0], [2, 2, 4, 12, 10, 4]])  # times 1 and 11
    [1, 1, 2, 11, 9, 2]
    """

    unit: float = 1.0
    geographic: bool = False
    contents: ClassVar[frozenset[str]] = frozenset({"trajectory"})

    def bound_to(self, scale: Scale) -> SequenceOperator:
        if not isinstance(scale, Trajectory) or scale.step is None:
            return self
        return replace(self, unit=scale.step, geographic=bool(scale.geographic))

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        places = places_of(sequences, self.unit, self.geographic)
        points = np.diff(places.offsets)
        parts: list[CodeArray] = []
        for g in track(range(groups.size - 1), "mean paths", groups.size - 1):
            members = np.arange(groups[g], groups[g + 1])
            members = members[points[members] > 0]
            if not members.size:
                parts.append(np.empty(0, dtype=np.int32))
                continue
            start = sequences.offsets[members[0]]
            own = sequences.codes[start : start + _PARTS * points[members[0]]]
            same = members.size == 1 or (
                np.ptp(points[members]) == 0 and all(_equal(sequences, own, i) for i in members[1:])
            )
            parts.append(
                own
                if same
                else self._mean(places, members, weights[members], _mean_size(points[members], weights[members]))
            )
        sizes = np.array([part.size for part in parts], dtype=np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return EncodedSequences(np.concatenate(parts).astype(np.int32), offsets, np.zeros(sizes.size, dtype=np.bool_))

    def _mean(self, places: Waypoints, members: IntArray, weights: IntArray, m: int) -> CodeArray:
        shares = weights / weights.sum()
        times = np.rint(shares @ np.stack([_times_by_progress(places, i, m) for i in members]))
        who, when = np.repeat(members, m), np.tile(times, members.size)
        at = places_at(*places, who, when).reshape(members.size, m, _PARTS)
        middle = on_map(np.tensordot(shares, at, axes=1), self.geographic)
        steps = to_steps("trajectory", middle.ravel(), self.unit).reshape(m, 2)
        return np.concatenate([times[:, None].astype(np.int32), steps], axis=1).ravel()


def _mean_size(points: IntArray, weights: IntArray) -> int:
    """Return how many points a member has on average, halves up."""
    total = int(weights.sum())
    return (2 * int(points @ weights) + total) // (2 * total)


def _equal(sequences: EncodedSequences, own: CodeArray, i: int) -> bool:
    return np.array_equal(sequences.codes[sequences.offsets[i] : sequences.offsets[i + 1]], own)


def _times_by_progress(places: Waypoints, i: int, m: int) -> FloatArray:
    """Return the times at which a member has gone through equal shares of its points."""
    times = places.times[places.offsets[i] : places.offsets[i + 1]]
    progress = np.linspace(0.0, times.size - 1.0, m) if m > 1 else np.array([(times.size - 1.0) / 2.0])
    return np.asarray(np.interp(progress, np.arange(times.size), times))
