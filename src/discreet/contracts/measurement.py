"""What measuring gives back: a number on a stated range, and its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from discreet.contracts.links import Links
from discreet.notebook import listing, panel, table
from discreet.typing import Json

__all__ = ["Measurement"]


@dataclass(frozen=True)
class Measurement:
    """A number on a stated range, and the detail behind it.

    Attributes
    ----------
    name, title : str
        The measure's registered name, and what people call it.
    kind : {"loss", "risk"}
        Low is good for both.
    value : float
    low, high : float
        The range of the measure; `high` may be infinite.
    unit : str
        Such as ``"%"``.
    sentence : str
        What the number means, for a reader who is no statistician.
    per_attribute : dict of str to float
    details : dict
        Further figures, as JSON values.
    reference : str
    in_score : bool
        Whether the papers' plain mean score is made of it, among others.
    found : dict of str to Links
        Of a linkage of all records, by direction, whom each was taken for: for what is put together from several
        linkages. No report shows it.
    """

    name: str
    title: str
    kind: str
    value: float
    low: float
    high: float
    unit: str
    sentence: str
    per_attribute: Mapping[str, float] = field(default_factory=dict)
    details: Json = field(default_factory=dict)
    reference: str = ""
    in_score: bool = False
    found: Mapping[str, Links] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> Json:
        """Return the measurement as JSON values; an infinite end of the range becomes null."""
        return {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "value": self.value,
            "range": [self.low, self.high if np.isfinite(self.high) else None],
            "unit": self.unit,
            "sentence": self.sentence,
            "per_attribute": dict(self.per_attribute),
            "details": self.details,
            "reference": self.reference,
        }

    def _repr_html_(self) -> str:
        parts = [listing([self.sentence, *([self.reference] if self.reference else [])])]
        if self.per_attribute:
            rows = [(name, f"{value:.2f}") for name, value in self.per_attribute.items()]
            parts.append(table(("attribute", self.unit or "value"), rows, numbers=(1,)))
        return panel(f"{self.title}: {self.value:.2f} {self.unit} ({self.kind}, low is good)", *parts)
