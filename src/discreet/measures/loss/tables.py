"""The tables of counts that two losses compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb, prod
from typing import ClassVar, Self

from discreet.base import Pair
from discreet.measures.contingency import table_difference
from discreet.measures.loss.categorical import CategoricalLoss
from discreet.parameters import Constraint, Integer
from discreet.progress import track

__all__ = ["TableComparison"]


class TableComparison(CategoricalLoss):
    """What the two readings of CTBIL share: the differences of all tables up to a dimension."""

    parameters: ClassVar[Mapping[str, Constraint]] = {**CategoricalLoss.parameters, "order": Integer(1)}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False, order: int = 2) -> None:
        super().__init__(attributes=attributes, weighted=weighted)
        self.order = order

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order=3)]

    def _differences(self, pair: Pair) -> tuple[dict[tuple[str, ...], float], int, float]:
        """Return Σ |x^F − x^G| of every table, the number of cells of all of them, and the (weighted) records."""
        weights, levels = self._weights(pair), self._levels(pair)
        order = min(self.order, len(pair.names))
        tables = [names for size in range(1, order + 1) for names in combinations(pair.names, size)]
        count = sum(comb(len(pair.names), size) for size in range(1, order + 1))
        result = {}
        for names in track(tables, "tabulating", count):
            chosen = [levels[name] for name in names]
            sizes = [one.size for one in chosen]
            result[names] = table_difference([c.before for c in chosen], [c.after for c in chosen], sizes, weights)
        # The missing value is a level where one of the files has it.
        real = {
            name: one.size - 1 + int((one.before == one.size - 1).any() or (one.after == one.size - 1).any())
            for name, one in levels.items()
        }
        return result, sum(prod(real[name] for name in names) for names in tables), float(weights.sum())
