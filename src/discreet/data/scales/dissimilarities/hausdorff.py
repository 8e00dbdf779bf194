"""Hausdorff distance of trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import register_dissimilarity
from discreet.data.scales.dissimilarities.path_distance import PathDistance
from discreet.kernels.sequences.paths import HAUSDORFF, aligned_paths
from discreet.typing import FloatArray, IntArray

__all__ = ["Hausdorff"]


@register_dissimilarity("hausdorff")
@dataclass(frozen=True)
class Hausdorff(PathDistance):
    """The farthest that anybody's point is from the other's path.

    Where people were, in any order and at any time: one odd detour decides.

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
    ``d / (d + span)``, d the larger of both ways: the largest distance of a point to the nearest point of the other.
    O(points²) a pair.

    References
    ----------
    Hausdorff (1914), Grundzüge der Mengenlehre; Chen et al. (2011), Clustering of trajectories based on Hausdorff
    distance.

    Examples
    --------
    >>> Hausdorff(span=1)([0, 0, 0, 1, 5, 0], [0, 5, 0, 1, 0, 3])  # the point at (0, 3) is 3 away
    0.75
    """

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a, b = prepared
        longest = int(np.diff(b.offsets).max(initial=0))
        return aligned_paths(
            a.points,
            a.offsets,
            b.points,
            b.offsets,
            which,
            among,
            paired,
            self.reach,
            self.radius,
            HAUSDORFF,
            0.0,
            longest,
        )
