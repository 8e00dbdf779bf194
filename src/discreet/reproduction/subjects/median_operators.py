"""Domingo-Ferrer and Torra, Median based aggregation operators for prototype construction (P1b): Table 1, last row.

Table 1 lists what the operators of the review need and allow. Its last row can be computed: whether a value can come
out that nobody gave. All 125 triples of five levels are aggregated by every operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from discreet.operators import (
    OrdinalChoquet,
    OrdinalLogic,
    OrdinalMedian,
    OrdinalOrderStatistic,
    OrdinalSugeno,
    OrdinalWeightedMean,
    Plurality,
    WeightedMax,
    WeightedMedian,
    WeightedOrderStatistic,
)
from discreet.reproduction.verdicts import Row, Table, exact

__all__ = ["tables"]

LEVELS = 5
_LOGIC = OrdinalLogic.lukasiewicz(LEVELS)
_WEIGHTS = [3, 1, 2]

# Row (6): printed mark, and the operator of three sources.
COMPENSATION: dict[str, tuple[str, Callable[[Sequence[int]], int]]] = {
    "P": ("no", Plurality()),
    "WP": ("no", lambda a: Plurality()(a, weights=_WEIGHTS)),
    "M": ("no", OrdinalMedian()),
    "WM": ("no", lambda a: WeightedMedian()(a, weights=_WEIGHTS)),
    "OS": ("no", OrdinalOrderStatistic(3)),
    "WOS": ("no", lambda a: WeightedOrderStatistic(0.8)(a, weights=_WEIGHTS)),
    "SI": ("no", OrdinalSugeno([0, 2, 1, 3, 1, 3, 2, 4], n_levels=LEVELS)),
    "WMax": ("no", lambda a: WeightedMax(LEVELS)(a, weights=[2, 4, 1])),
    "OWM": ("yes", lambda a: OrdinalWeightedMean(_LOGIC)(a, weights=_WEIGHTS)),
    "OCI": ("yes", OrdinalChoquet([0, 1, 1, 3, 1, 3, 3, 4], _LOGIC)),
}
MEASURED = "a level of the measure or of a weight can come out although no source gave it; section 3 admits as much"


def tables() -> list[Table]:
    """Return the row on compensation: whether a value can come out that is none of the values."""
    cells = []
    for name, (printed, operator) in COMPENSATION.items():
        outside = any(operator(triple) not in triple for triple in product(range(LEVELS), repeat=3))
        deviation, reading = (MEASURED, "yes") if name in ("SI", "WMax") else ("", "")
        cells.append(exact(printed, "yes" if outside else "no", known=deviation, reading=reading))
    note = "Over all 125 triples of five levels; the other rows of Table 1 say what parameters an operator takes."
    rows = (Row("(6) a value that nobody gave", tuple(cells)),)
    return [Table("Table 1", "Characteristics of ordinal aggregation operators", tuple(COMPENSATION), rows, note=note)]
