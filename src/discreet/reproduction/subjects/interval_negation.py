"""Domingo-Ferrer and Torra, Aggregation techniques for statistical confidentiality (P0): Tables 1 and 2, Figure 2.

A negation function says of every term of DEGREE what its opposites are. The number of opposites is how much of [0, 1]
the term covers (Proposition 2), and so the words of a scale get a meaning to compute with.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.data.scales.semantics import Negation
from discreet.reproduction.verdicts import Interval, IntervalFigure, Row, Table, exact

__all__ = ["DEGREE", "NEGATION", "figure", "tables"]

DEGREE = ("hot", "mixed", "mild", "cool", "cold", "coldest")
"""From hot to coldest. Mild stands beside cool, as the paper lists it; the average loss counts ranks in this order."""

# Table 1. Mild overlaps hot and mixed, and is no antonym of anything.
NEGATION = Negation(
    DEGREE,
    {
        "coldest": ["hot"],
        "cold": ["hot", "mixed"],
        "cool": ["mixed"],
        "mixed": ["cool", "cold"],
        "hot": ["cold", "coldest"],
        "mild": ["cool", "cold", "coldest"],
    },
    overlapping=("mild",),
)

# Table 2, as printed.
INTERVALS = {
    "coldest": "[7/8, 8/8]",
    "cold": "[5/8, 7/8]",
    "cool": "[4, 8, 5/8]",
    "mixed": "[2/8, 4/8]",
    "hot": "[0/8, 2/8]",
    "mild": "[0/8, 4/8]",
}
MISPRINT = "misprint of [4/8, 5/8]: the intervals beside it end at 4/8 and begin at 5/8"


def tables() -> list[Table]:
    """Return Table 2: the interval of every term."""
    semantics = NEGATION.semantics()
    rows = []
    for term, printed in INTERVALS.items():
        at = DEGREE.index(term)
        low, high = (Fraction(float(end[at])) * 8 for end in (semantics.low, semantics.high))
        deviation, reading = (MISPRINT, "[4/8, 5/8]") if term == "cool" else ("", "")
        centre = f"centre {semantics.centers[at]:g}"
        cell = exact(printed, f"[{low}/8, {high}/8]", known=deviation, reading=reading, note=centre)
        rows.append(Row(f"I({term})", (cell,)))
    note = "From the negation function of Table 1: I(l) covers as many eighths as l has antonyms; mild overlaps."
    return [Table("Table 2", "Induced intervals for variable DEGREE", ("interval",), tuple(rows), "term", note)]


def figure() -> IntervalFigure:
    """Return Figure 2."""
    semantics = NEGATION.semantics()
    parts = zip(DEGREE, semantics.low, semantics.high, semantics.centers, strict=True)
    intervals = tuple(Interval(term, float(low), float(high), float(centre)) for term, low, high, centre in parts)
    ranges = "; ".join(f"{one.label} from {one.low:g} to {one.high:g}" for one in intervals)
    alt = f"Intervals of the terms of DEGREE on the unit interval: {ranges}. Mild overlaps hot and mixed."
    return IntervalFigure("Figure 2: intervals induced for variable DEGREE", alt, "the unit interval", intervals)
