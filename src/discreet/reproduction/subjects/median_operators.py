"""Domingo-Ferrer and Torra, Median based aggregation operators for prototype construction (P1b): Table 1.

Table 1 lists what the operators of the review need and allow. Three rows are computed: how many parameters ours take
for three sources, whether it matters which source gave which value, and whether a value can come out that nobody gave.
All 125 triples of five levels are aggregated by every operator. What kind of parameters they are is read off our
operators and shown beside the printed marks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

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
from discreet.reproduction.verdicts import Row, Table, beside, exact

__all__ = ["tables"]

LEVELS = 5
_LOGIC = OrdinalLogic.lukasiewicz(LEVELS)
_WEIGHTS = [3, 1, 2]


class Reviewed(NamedTuple):
    """One operator of the review for three sources: ours, what it was given, and the printed marks of its rows."""

    operator: Callable[[Sequence[int]], int]
    given: tuple[object, ...]
    """Every parameter of ours, a number each."""
    kind: str
    """What the parameters are."""
    printed: tuple[str, str, str, str, str, str]


_TOTAL = [0, 2, 1, 3, 1, 3, 2, 4]
_MEASURE = [0, 1, 2, 3, 1, 2, 3, 4]
REVIEWED: dict[str, Reviewed] = {
    "P": Reviewed(Plurality(), (), "none", ("yes", "0", "", "no", "no", "no")),
    "WP": Reviewed(lambda a: Plurality()(a, weights=_WEIGHTS), (*_WEIGHTS,), "real weights",
                   ("w", "N", "real, whole or (O, ⊕)", "yes", "no", "no")),
    "M": Reviewed(OrdinalMedian(), (), "none", ("yes", "0", "", "no", "no", "no")),
    "WM": Reviewed(lambda a: WeightedMedian()(a, weights=_WEIGHTS), (*_WEIGHTS,), "real weights",
                   ("w", "N", "real, whole or (O, ⊕, n)", "yes", "no", "no")),
    "OS": Reviewed(OrdinalOrderStatistic(3), (3,), "a rank", ("if i in [0, 1]", "1", "", "no", "no", "no")),
    "WOS": Reviewed(lambda a: WeightedOrderStatistic(0.8)(a, weights=_WEIGHTS), (0.8, *_WEIGHTS),
                    "a share, real weights",
                    ("w, if i in [0, 1]", "N + 1", "real, whole or (O, ⊕, n)", "yes", "no", "no")),
    "SI": Reviewed(OrdinalSugeno(_TOTAL, n_levels=LEVELS), (*_TOTAL,), "a measure in levels",
                   ("μ", "2^N", "L", "yes", "yes", "no")),
    "WMax": Reviewed(lambda a: WeightedMax(LEVELS)(a, weights=[2, 4, 1]), (2, 4, 1), "weights in levels",
                     ("π", "N", "L", "yes", "no", "no")),
    "OWM": Reviewed(lambda a: OrdinalWeightedMean(_LOGIC)(a, weights=_WEIGHTS), (*_WEIGHTS,),
                    "whole weights, a logic of levels",
                    ("w, (O, ⊕, ⊗, n)", "N", "whole or (O, ⊕)", "yes", "no", "yes")),
    "OCI": Reviewed(OrdinalChoquet(_MEASURE, _LOGIC), (*_MEASURE,), "a measure in levels, a logic of levels",
                    ("μ, (O, ⊕, ⊗, n)", "2^N", "whole or (O, ⊕)", "yes", "yes", "yes")),
}  # fmt: skip
SOURCES = 3
_COUNTS = {"0": 0, "1": 1, "N": SOURCES, "N + 1": SOURCES + 1, "2^N": 2**SOURCES}
MEASURED = "a level of the measure or of a weight can come out although no source gave it; section 3 admits as much"


def tables() -> list[Table]:
    """Return the characteristics of every operator of the review."""
    triples = list(product(range(LEVELS), repeat=SOURCES))
    values_weighed = {name: one.kind.startswith("a measure") for name, one in REVIEWED.items()}
    kinds, counts, scales, sources, values, outside = [], [], [], [], [], []
    for name, one in REVIEWED.items():
        results = {triple: one.operator(triple) for triple in triples}
        ordered = any(results[triple] != results[tuple(sorted(triple))] for triple in triples)
        new = any(result not in triple for triple, result in results.items())
        deviation, reading = (MEASURED, "yes") if name in ("SI", "WMax") else ("", "")
        kinds.append(beside(one.printed[0], one.kind))
        counts.append(exact(str(_COUNTS[one.printed[1]]), float(len(one.given)), note=f"printed {one.printed[1]}"))
        scales.append(beside(one.printed[2] or "–", one.kind))
        sources.append(exact(one.printed[3], "yes" if ordered else "no"))
        values.append(beside(one.printed[4], "yes" if values_weighed[name] else "no"))
        outside.append(exact(one.printed[5], "yes" if new else "no", known=deviation, reading=reading))
    rows = (
        Row("(1) any number of values, with", tuple(kinds)),
        Row("(2) parameters, N = 3", tuple(counts)),
        Row("(3) range of the weights", tuple(scales)),
        Row("(4) weights of the sources", tuple(sources)),
        Row("(5) weights of the values", tuple(values)),
        Row("(6) a value that nobody gave", tuple(outside)),
    )
    note = (
        "Rows (4) and (6) over all 125 triples of five levels: does it matter who gave a value; can a value come out "
        "that is none of them. Rows (1), (3) and (5) say what our operators take, beside the printed marks."
    )
    return [Table("Table 1", "Characteristics of ordinal aggregation operators", tuple(REVIEWED), rows, note=note)]
