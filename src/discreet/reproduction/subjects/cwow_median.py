"""Domingo-Ferrer and Torra, Median based aggregation operators for prototype construction (P1b): Tables 2 to 4.

The CWOW-median counts the values on each level (acc), fills the valleys between them (acc', so that a value in between
can come out), bends the shares by a quantifier (acc''') and takes the level at which they pass one half.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.operators import (
    ConvexHull,
    ConvexWeightedMedian,
    CWOWMedian,
    Plurality,
    WeightedMedian,
    WOWTransformation,
)
from discreet.reproduction.verdicts import Cell, Row, Table, exact
from discreet.typing import FloatArray, IntArray

__all__ = ["EXAMPLE_2", "EXAMPLE_3", "VALUES", "tables"]

VALUES = [4, 1, 0, 2, 1, 0, 4, 5, 1]
"""Table 2: what the nine sources say, on the levels l_0 … l_6."""

# Table 3: α, acc''' as printed (digits cut off) and the result.
TABLE_3 = {
    "1/8": ("0.7993 0.0970 0.0385 0.0298 0.0245 0.0108 0.0", "l_0"),
    "1/4": ("0.6389 0.1644 0.0705 0.0566 0.0478 0.0215 0.0", "l_0"),
    "1/2": ("0.4082 0.2372 0.1182 0.1022 0.0914 0.0425 0.0", "l_1"),
    "1": ("0.1666 0.25 0.1666 0.1666 0.1666 0.0833 0.0", "l_2"),
    "2": ("0.0277 0.1458 0.1666 0.2222 0.2777 0.1597 0.0", "l_3"),
    "4": ("0.0007 0.0293 0.0856 0.2006 0.3896 0.2939 0.0", "l_4"),
    "8": ("0.0000 0.0009 0.0124 0.0867 0.3984 0.5014 0.0", "l_5"),
}
MISPRINT = "misprint of l_1: of nine values 0 0 1 1 1 2 4 4 5 the fifth is 1"

EXAMPLE_2 = [0] * 6 + list(range(1, 11))
"""Table 4: six sources say l_0, ten say l_1 … l_10; then the first says l_2."""

EXAMPLE_3 = list(range(1, 1001)) + [0] * 6
"""1,006 sources on 1,001 levels; then source 1,001 says l_250 instead of l_0."""


def tables() -> list[Table]:
    """Return Tables 3 and 4, Example 3 and the example of section 3."""
    return [table_3(), table_4(), example_3(), plurality()]


def table_3() -> Table:
    """Return the CWOW-median for seven quantifiers x^α."""
    acc = np.bincount(VALUES, minlength=7)
    convex = ConvexHull()(acc)
    rows = [
        Row("acc", (*_counts("2 3 1 0 2 1 0", acc), exact("l_4", _level(WeightedMedian()(VALUES)), known=MISPRINT,
                                                            reading="l_1"))),
        Row("acc'", (*_counts("2 3 2 2 2 1 0", convex), exact("l_2", _level(ConvexWeightedMedian()(VALUES))))),
        Row("acc''", (*_shares("2/12 3/12 2/12 2/12 2/12 1/12 0", convex),
                      exact("l_2", _level(ConvexWeightedMedian()(VALUES))))),
    ]  # fmt: skip
    for alpha, (weights, result) in TABLE_3.items():
        power = float(Fraction(alpha))
        bent = (ConvexHull() | WOWTransformation(power))(acc)
        cells = [exact(word, float(value)) for word, value in zip(weights.split(), bent, strict=True)]
        rows.append(Row(f"acc''' (α = {alpha})", (*cells, exact(result, _level(CWOWMedian(power)(VALUES))))))
    columns = (*(f"l_{level}" for level in range(7)), "CWOW-Med")
    note = "Weights cumulate ascending from l_0; Definition 13 sorts the other way round, which this table contradicts."
    return Table("Table 3", "The CWOW-median of the values of Table 2", columns, tuple(rows), note=note)


def table_4() -> Table:
    """Return the example in which a raised value lowers the CWOW-median."""
    rows = []
    printed = (("6 1 1 1 1 1 1 1 1 1 1", "6 1 1 1 1 1 1 1 1 1 1", 16, "l_3", "l_3"),
               ("5 1 2 1 1 1 1 1 1 1 1", "5 2 2 1 1 1 1 1 1 1 1", 17, "l_3", "l_2"))  # fmt: skip
    for values, (counts, filled, total, median, result) in zip((EXAMPLE_2, [2, *EXAMPLE_2[1:]]), printed, strict=True):
        acc = np.bincount(values, minlength=11)
        convex = ConvexHull()(acc)
        shares = " ".join(f"{count}/{total}" for count in filled.split())
        outcome = _level(CWOWMedian()(values))
        rows += [
            Row("acc", (*_counts(counts, acc), exact(median, _level(WeightedMedian()(values))))),
            Row("acc'", (*_counts(filled, convex), exact(result, _level(ConvexWeightedMedian()(values))))),
            Row("acc''", (*_shares(shares, convex), exact(result, outcome))),
        ]
    columns = (*(f"l_{level}" for level in range(11)), "CWOW-Med")
    return Table("Table 4", "Example of non-monotonicity for the CWOW-median", columns, tuple(rows))


def example_3() -> Table:
    """Return the fall on a long scale."""
    raised = [*EXAMPLE_3[:1000], 250, *EXAMPLE_3[1001:]]
    rows = (
        Row("as given", (exact("l_498", _level(CWOWMedian()(EXAMPLE_3))),)),
        Row("l_0 raised to l_250", (exact("l_373", _level(CWOWMedian()(raised))),)),
    )
    return Table("Example 3", "1,006 sources on 1,001 levels", ("CWOW-Median",), rows)


def plurality() -> Table:
    """Return how far the plurality rule jumps (section 3)."""
    rows = (
        Row("l_0, l_0, l_3, l_4", (exact("l_0", _level(Plurality()([0, 0, 3, 4]))),)),
        Row("l_4, l_0, l_3, l_4", (exact("l_4", _level(Plurality()([4, 0, 3, 4]))),)),
    )
    return Table("Section 3", "The plurality rule after a single change", ("plurality",), rows)


def _level(code: int) -> str:
    return f"l_{code}"


def _counts(printed: str, counts: IntArray | FloatArray) -> list[Cell]:
    return [exact(word, float(count)) for word, count in zip(printed.split(), counts, strict=True)]


def _shares(printed: str, counts: IntArray | FloatArray) -> list[Cell]:
    total = int(sum(counts))
    words = [f"{int(count)}/{total}" if count else "0" for count in counts]
    return [exact(word, ours) for word, ours in zip(printed.split(), words, strict=True)]
