"""Synchronous distance of trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.data.scales.dissimilarities.dissimilarity import register_dissimilarity
from discreet.data.scales.dissimilarities.path_distance import PathDistance
from discreet.kernels.sequences.paths import synchronous_paths
from discreet.typing import FloatArray, IntArray

__all__ = ["Synchronous"]


@register_dissimilarity("synchronous")
@dataclass(frozen=True)
class Synchronous(PathDistance):
    """Mean distance of two people at the same times.

    The same way a day later has nothing in common: where days are to be compared, let times be times of a day.

    Parameters
    ----------
    span : float, optional
        The distance at which two places are half as far apart as can be; a scale tells it.
    unit : float
        The step of coordinates; a scale tells it.
    geographic : bool
        Whether these are latitude and longitude; a scale tells it.

    Notes
    -----
    Over the points of both, the mean of ``d / (d + span)``, d the distance to where the other was at that time, on the
    straight line between two points; 1 where the other had not begun or had ended. On the globe distances are over the
    ground. O(points) a pair.

    References
    ----------
    Meratnia and de By (2004), Spatiotemporal compression techniques for moving point objects; Nanni and Pedreschi
    (2006), Time-focused clustering of trajectories of moving objects.

    Examples
    --------
    >>> Synchronous(span=1)([0, 0, 0, 10, 10, 0], [0, 0, 1, 10, 10, 1])  # side by side, 1 apart
    0.5
    """

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a, b = prepared
        return synchronous_paths(
            a.times, a.points, a.offsets, b.times, b.points, b.offsets, which, among, paired, self.reach, self.radius
        )
