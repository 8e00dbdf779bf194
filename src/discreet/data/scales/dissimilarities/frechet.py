"""Fréchet distance of trajectories, over their points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import register_dissimilarity
from discreet.data.scales.dissimilarities.path_distance import PathDistance
from discreet.kernels.sequences.paths import FRECHET, aligned_paths
from discreet.typing import FloatArray, IntArray

__all__ = ["Frechet"]


@register_dissimilarity("frechet")
@dataclass(frozen=True)
class Frechet(PathDistance):
    """The shortest leash with which two people walk their paths, never going back.

    The order of places counts, when they were visited does not.

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
    ``d / (d + span)``, d the discrete Fréchet distance.
    O(points²) a pair.

    References
    ----------
    Eiter and Mannila (1994), Computing discrete Fréchet distance.

    Examples
    --------
    >>> Frechet(span=1)([0, 0, 0, 1, 5, 0], [0, 0, 1, 1, 5, 1])
    0.5
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
            FRECHET,
            0.0,
            longest,
        )
