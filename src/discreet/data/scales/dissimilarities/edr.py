"""Edit distance of trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import register_dissimilarity
from discreet.data.scales.dissimilarities.path_distance import PathDistance
from discreet.kernels.sequences.paths import EDR, aligned_paths
from discreet.parameters import Number, Optional, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["RealEditDistance"]


@register_dissimilarity("edr")
@dataclass(frozen=True)
class RealEditDistance(PathDistance):
    """Least number of points to insert, delete or exchange, where places within a tolerance are the same.

    The order of places counts, when they were visited does not; a single fix far away costs one.

    Parameters
    ----------
    span : float, optional
        A scale tells it; the tolerance is a tenth of it where nobody says otherwise.
    unit : float
        The step of coordinates; a scale tells it.
    geographic : bool
        Whether these are latitude and longitude; a scale tells it.
    tolerance : float, optional
        How far apart two places may be and still be the same: metres on the globe, else in the unit of coordinates.

    Notes
    -----
    Divided by the number of points of the longer one. Neither definite nor a metric. O(points²) a pair.

    References
    ----------
    Chen, Özsu and Oria (2005), Robust and fast similarity search for moving object trajectories.

    Examples
    --------
    >>> RealEditDistance(tolerance=1)([0, 0, 0, 1, 5, 0], [0, 0, 1, 1, 9, 0])  # the first are the same
    0.5
    """

    tolerance: float | None = None
    typed_parameter: ClassVar[str] = "tolerance"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(type(self).__name__, {"tolerance": self.tolerance}, {"tolerance": Optional(Number(0))})

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(tolerance=1.0), cls(span=50_000.0, unit=0.01, geographic=True)]

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a, b = prepared
        longest = int(np.diff(b.offsets).max(initial=0))
        same = self.reach / 10.0 if self.tolerance is None else float(self.tolerance)
        return aligned_paths(
            a.points, a.offsets, b.points, b.offsets, which, among, paired, self.reach, self.radius, EDR, same, longest
        )
