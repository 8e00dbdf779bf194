"""What every loss of categories shares: its parameters, and the levels of both files on one list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from discreet.base import Measure, Pair
from discreet.measures.columns import LevelPair, levels_of_both, record_weights
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.schema import Schema
from discreet.typing import FloatArray

__all__ = ["CategoricalLoss"]


class CategoricalLoss(Measure):
    """A loss that compares ordinal and nominal attributes."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    at_least: ClassVar[int] = 1
    """How many attributes there must be."""
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        names = super()._candidates(schema)
        return names if len(names) >= self.at_least else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        left = super()._comparable(names, before, after)
        return left if len(left) >= self.at_least else ()

    def _weights(self, pair: Pair) -> FloatArray:
        return record_weights(type(self).__name__, pair, self.weighted)

    def _levels(self, pair: Pair) -> dict[str, LevelPair]:
        return {name: levels_of_both(pair, name) for name in pair.names}
