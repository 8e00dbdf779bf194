"""What every risk read off frequencies shares: which keys it counts, and what perturbation does to its meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from discreet.base import Measure, Pair
from discreet.measures.frequencies import Frequencies, key_frequencies
from discreet.parameters import Choice, Constraint, Names, Optional
from discreet.results import Measurement
from discreet.schema import Schema
from discreet.typing import FloatArray, Json

__all__ = ["FrequencyRisk", "keys_in_words"]

_FLAG = (
    " The release was masked by a method that makes values untrue: records with equal keys need not be alike, and a "
    "rare combination need not be anybody's, so read this beside the linkage risks."
)
_READINGS = {
    "category": " A missing cell counts as a value of its own, as the file shows it.",
    "any": " A missing cell counts as any value, and agrees with all of them.",
}


def keys_in_words(count: int) -> str:
    """Return how many keys were counted, as a sentence says it."""
    return "1 key" if count == 1 else f"{count} keys"


class FrequencyRisk(Measure):
    """A risk that counts how often combinations of keys occur in the release.

    It counts every declared key as it stands in the release, numbers and sequences included: two records share a key
    exactly if a written file shows the same for both (:meth:`~discreet.microdata.Microdata.as_written`). Unrounded
    numbers are unique by nature, and whoever knows them finds the record.
    """

    kind: ClassVar[str] = "risk"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    keys_only: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "missing": Choice(("category", "any")),
    }

    def __init__(self, *, attributes: Sequence[str] | None = None, missing: str = "category") -> None:
        self.attributes = attributes
        self.missing = missing

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        # What is counted is the release alone: on which scale the original had a key makes no difference.
        return tuple(name for name in names if name in after)

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
        gaps = any(bool((pair.masked.as_written(name) < 0).any()) for name in pair.names)
        return self.stated(pair.names, value, sentence, per_attribute, details, perturbative=perturbative, gaps=gaps)

    def stated(
        self,
        names: Sequence[str],
        value: float,
        sentence: str,
        per_attribute: Mapping[str, float] | None = None,
        details: Json | None = None,
        *,
        perturbative: bool | None,
        gaps: bool,
    ) -> Measurement:
        """Return the result with which keys were counted, how missing cells were read, and what it cannot say.

        Parameters
        ----------
        names : sequence of str
            The keys that were counted.
        perturbative : bool, optional
            Whether the masking makes values untrue.
        gaps : bool
            Whether any of the keys has a missing cell in the release.
        """
        sentence += (_READINGS[self.missing] if gaps else "") + (_FLAG if perturbative else "")
        said = {"keys": list(names), "perturbative": perturbative, "missing": self.missing}
        return self.result(value, sentence, per_attribute, {**said, **(details or {})})
