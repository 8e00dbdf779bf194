"""What distances of series share: the span in which differences are counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity
from discreet.data.scales.measured import GAP, check_step
from discreet.data.scales.scale import Scale
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.time_series import TimeSeries
from discreet.errors import ParameterError, SchemaError

__all__ = ["SeriesDistance"]


@dataclass(frozen=True)
class SeriesDistance(Dissimilarity):
    """A distance of series of readings.

    Parameters
    ----------
    span : float, optional
        The difference, in steps, that counts as nothing in common. A scale tells it; without one it is the range of
        what is compared.
    """

    span: float | None = None
    contents: ClassVar[frozenset[str]] = frozenset({"series"})

    def __post_init__(self) -> None:
        try:
            check_step(type(self).__name__, "span", self.span)
        except SchemaError as error:
            raise ParameterError(error.message) from None

    def bound_to(self, scale: Scale) -> Dissimilarity:
        if self.span is not None or not isinstance(scale, TimeSeries) or scale.span is None:
            return self
        return replace(self, span=scale.span / scale.unit)

    def scale_of(self, a: EncodedSequences, b: EncodedSequences) -> float:
        """Return one by the span."""
        if self.span is not None:
            return 1.0 / self.span
        codes = np.concatenate([a.codes, b.codes]).astype(np.float64)
        present = codes[codes != GAP]
        return 1.0 / max(float(np.ptp(present)) if present.size else 0.0, 1.0)
