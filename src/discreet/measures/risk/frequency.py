"""What every risk read off frequencies shares: which keys it looks at, and what perturbation does to its meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from discreet.base import Measure, Pair
from discreet.measures.frequencies import Frequencies, key_frequencies
from discreet.parameters import Choice, Constraint, Names, Optional
from discreet.results import Measurement
from discreet.schema import Schema
from discreet.typing import FloatArray, Json

__all__ = ["FrequencyRisk"]

_FLAG = (
    " The release was masked by a method that makes values untrue: records with equal keys need not be alike, and a "
    "rare combination need not be anybody's, so read this beside the linkage risks."
)


class FrequencyRisk(Measure):
    """A risk that counts how often combinations of keys occur in the release.

    By default it looks at the categorical keys, those included that only became categorical by masking. Numeric keys
    are looked at where they are named, or where `counts_numbers` says so: unrounded numbers are unique by nature.
    """

    kind: ClassVar[str] = "risk"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    keys_only: ClassVar[bool] = True
    counts_numbers: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "missing": Choice(("any", "category")),
    }

    def __init__(self, *, attributes: Sequence[str] | None = None, missing: str = "any") -> None:
        self.attributes = attributes
        self.missing = missing

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        if self.attributes is not None or self.counts_numbers:
            return super()._candidates(schema)
        return schema.of_scale("ordinal", "nominal", among=schema.keys)

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        if self.attributes is not None:
            return tuple(name for name in names if name in after)
        released = after.of_scale("ordinal", "nominal")
        return tuple(name for name in before.keys if name in after and (name in names or name in released))

    def _frequencies(self, pair: Pair) -> Frequencies:
        return key_frequencies(pair.masked, pair.names, pair.weights, missing=self.missing)

    def per_record(self, original: Any, masked: Any, schema: Schema | None = None) -> FloatArray:
        """Return the figure behind the measure for every record, in the file's order. For internal work only."""
        return self._per_record(self._pair(original, masked, schema))

    def _per_record(self, pair: Pair) -> FloatArray:
        return 1.0 / self._frequencies(pair).sizes

    def _flagged(
        self,
        pair: Pair,
        value: float,
        sentence: str,
        per_attribute: Mapping[str, float] | None = None,
        details: Json | None = None,
    ) -> Measurement:
        """Return the result, with a warning in words and figures where the masking was perturbative."""
        perturbative = None if pair.provenance is None else pair.provenance.perturbative
        return self.result(
            value,
            sentence + (_FLAG if perturbative else ""),
            per_attribute,
            {"keys": list(pair.names), "perturbative": perturbative, **(details or {})},
        )
