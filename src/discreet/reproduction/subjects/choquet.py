"""Domingo-Ferrer and Torra, Extending microaggregation procedures using defuzzification methods (P1c): section V.

The paper prints no figures. Its definition of the Choquet transformation (a Möbius transform with mass 1/|A| on every
run A of levels that holds l_i) is computed here in fractions, run by run, and our closed form is held against it. Under
the first normalisation a constant set stays constant; under the second its middle comes out more possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.operators import ChoquetTransformation, ConvexHull, CWOWMedian, WOWTransformation
from discreet.reproduction.subjects.cwow_median import VALUES
from discreet.reproduction.verdicts import Cell, Row, Table, defined
from discreet.typing import FloatArray

__all__ = ["choquet_by_definition", "tables", "total_by_definition"]

LEVELS = 5
UNEVEN = (Fraction(3, 10), Fraction(1, 10), Fraction(4, 5), Fraction(1, 2), Fraction(1))


def total_by_definition(n: int, level: int) -> Fraction:
    """Return the sum of the masses of all runs of `n` levels that hold `level`: what the measure is normalised by."""
    return choquet_by_definition([Fraction(1)] * n, level)


def choquet_by_definition(memberships: Sequence[Fraction], level: int) -> Fraction:
    """Return the Choquet integral before it is normalised: every run's mass times its least membership."""
    n = len(memberships)
    runs = [(low, high) for low in range(level + 1) for high in range(level, n)]
    return sum((min(memberships[a : b + 1]) / (b - a + 1) for a, b in runs), Fraction(0))


def tables() -> list[Table]:
    """Return the closed form beside the definition, and what the paper says of a constant set."""
    columns = tuple(f"l_{level}" for level in range(LEVELS))
    totals = [total_by_definition(LEVELS, level) for level in range(LEVELS)]
    uneven = [choquet_by_definition(UNEVEN, level) for level in range(LEVELS)]
    each, common = ChoquetTransformation("each"), ChoquetTransformation("common")
    largest = max(totals)
    rows = (
        Row("Z of every level", _cells(totals, ChoquetTransformation.totals(LEVELS))),
        Row("constant 1, first normalisation", _cells([Fraction(1)] * LEVELS, each(np.ones(LEVELS)))),
        Row("constant 1, second normalisation", _cells([t / largest for t in totals], common(np.ones(LEVELS)))),
        Row("uneven set, first normalisation", _cells([u / t for u, t in zip(uneven, totals, strict=True)],
                                                       each([float(x) for x in UNEVEN]))),
        Row("uneven set, second normalisation", _cells([u / largest for u in uneven],
                                                        common([float(x) for x in UNEVEN]))),
    )  # fmt: skip
    note = (
        "Not printed: the left figure is the paper's definition, summed in fractions over all runs; ours is the closed "
        "form. The normalising factor is taken of m, where the paper writes m': of m' it would be 1 for every level. "
        "The uneven set is 3/10, 1/10, 4/5, 1/2, 1."
    )
    choquet = Table("Section V-A.1", "The Choquet transformation on five levels", columns, rows, note=note)
    return [choquet, _two_stages()]


def _two_stages() -> Table:
    """Return the CWOW-median taken apart: convex transformation, WOW transformation, median."""
    counts = np.bincount(VALUES, minlength=7)
    rows = []
    for alpha in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        shares = (ConvexHull() | WOWTransformation(alpha))(counts)
        staged = int(np.searchsorted(np.cumsum(shares), 0.5, side="right"))
        rows.append(Row(f"α = {alpha:g}", (defined(f"l_{CWOWMedian(alpha)(VALUES)}", f"l_{staged}"),)))
    note = "Not printed: the operator of P1b beside the two stages of the paper, on the values of P1b's Table 2."
    return Table("Section VI", "CWOW-median = convex, then WOW, then median", ("result",), tuple(rows), note=note)


def _cells(definition: Sequence[Fraction], ours: FloatArray) -> tuple[Cell, ...]:
    return tuple(defined(f"{float(d):.6f}", float(value)) for d, value in zip(definition, ours, strict=True))
