"""Dynamic time warping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from discreet.data.scales.dissimilarities.dissimilarity import longest, register_dissimilarity
from discreet.data.scales.dissimilarities.series_distance import SeriesDistance
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.series_distances import warped_readings
from discreet.parameters import Number, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["DynamicTimeWarping"]


@register_dissimilarity("dtw")
@dataclass(frozen=True)
class DynamicTimeWarping(SeriesDistance):
    """Least Euclidean distance of two series over all ways to stretch one upon the other within a window.

    Looks at the shape: a peak that comes a little later is the same peak.

    Parameters
    ----------
    span : float, optional
        The difference, in steps, that counts as nothing in common. A scale tells it; without one it is the range of
        what is compared.
    window : float
        How far readings may be shifted, as a share of the longer series; 0 is the Euclidean distance of series of one
        length, 1 any shift.

    Notes
    -----
    ``√(min Σ min(|x − y| / span, 1)² / n)`` over the warping paths within the band of Sakoe and Chiba, n the longer
    length; the band is at least as wide as the lengths differ. Neither definite nor a metric. O(length² · window) a
    pair, memory O(length).

    References
    ----------
    Sakoe and Chiba (1978), Dynamic programming algorithm optimization for spoken word recognition.

    Examples
    --------
    >>> DynamicTimeWarping(span=10, window=0.5)([0, 0, 9, 0], [0, 9, 0, 0]), DynamicTimeWarping(10, 0)([0, 9], [9, 0])
    (0.0, 0.9)
    """

    window: float = 0.1
    typed_parameter: ClassVar[str] = "window"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parameters(type(self).__name__, {"window": self.window}, {"window": Number(0, 1)})

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(window=1), cls(span=3.0, window=0.3)]

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        return a.codes, a.offsets, b.codes, b.offsets, self.scale_of(a, b), float(self.window), longest(b)

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, scale, window, most = prepared
        return warped_readings(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, scale, window, most)
