"""What distances of trajectories share: what codes stand for on the map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity
from discreet.data.scales.measured import check_step
from discreet.data.scales.scale import Scale
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.trajectory import EARTH, Trajectory, Waypoints, places_of
from discreet.errors import ParameterError, SchemaError

__all__ = ["PathDistance"]


@dataclass(frozen=True)
class PathDistance(Dissimilarity):
    """A distance of trajectories.

    Parameters
    ----------
    span : float, optional
        The distance at which two places are half as far apart as can be; a scale tells it.
    unit : float
        The step of coordinates; a scale tells it.
    geographic : bool
        Whether these are latitude and longitude; a scale tells it.
    """

    span: float | None = None
    unit: float = 1.0
    geographic: bool = False
    contents: ClassVar[frozenset[str]] = frozenset({"trajectory"})
    together: ClassVar[int] = 2_500
    # Differences are squared, and sums of both ways, maxima and counts do not depend on who comes first.
    properties: ClassVar[frozenset[str]] = frozenset({"mirrored"})

    def __post_init__(self) -> None:
        try:
            check_step(type(self).__name__, "span", self.span)
        except SchemaError as error:
            raise ParameterError(error.message) from None

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(span=2.0), cls(span=5000.0, unit=0.01, geographic=True)]

    def bound_to(self, scale: Scale) -> Dissimilarity:
        if not isinstance(scale, Trajectory) or scale.step is None:
            return self
        span = self.span if self.span is not None else scale.span
        return replace(self, span=span, unit=scale.step, geographic=bool(scale.geographic))

    @property
    def reach(self) -> float:
        """The span, 1 where nobody told it."""
        return 1.0 if self.span is None else float(self.span)

    @property
    def radius(self) -> float:
        """The radius of the globe, 0 on a plane."""
        return EARTH if self.geographic else 0.0

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        first = self._places(a)
        return first, first if a is b else self._places(b)

    def _places(self, encoded: EncodedSequences) -> Waypoints:
        return places_of(encoded, self.unit, self.geographic)
