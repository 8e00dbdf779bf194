"""Domingo-Ferrer and Torra, Aggregation techniques for statistical confidentiality (P0): Table 3 and its loss.

21 records of the American Housing Survey, sorted by BUILT; every three that follow each other become one: the interval
that holds the mean of their intervals' centres (Definition 2). All 21 records are printed in the paper.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.data.scales import Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.operators import SemanticsMean
from discreet.reproduction.subjects.interval_negation import DEGREE, NEGATION
from discreet.reproduction.verdicts import Row, Table, exact

__all__ = ["BUILT", "RECORDS", "YEARS", "mask", "tables"]

K = 3

# Codes of BUILT in ascending order of years: 09 is 1919 or earlier (closed here at 1910), then decades, 03 and 02 the
# two parts of 1970 to 1978 (their common bound plays no role here), 01 the year 1979, and one code a year; the year y
# is [y, y + 1).
BUILT = ("09", "08", "07", "06", "05", "04", "03", "02", "01", *(str(year) for year in range(80, 94)))
_STARTS = (1910, 1920, 1930, 1940, 1950, 1960, 1970, 1975, 1979, *range(1980, 1994), 1994)
YEARS = IntervalSemantics(_STARTS[:-1], _STARTS[1:])

# Table 3: BUILT and DEGREE, original and masked.
_TABLE_3 = """
80 mild 81 mixed | 81 cool 81 mixed | 81 cool 81 mixed | 84 mild 84 cool | 84 cold 84 cool | 84 cold 84 cool
84 cool 85 cool | 85 mixed 85 cool | 85 cool 85 cool | 85 cool 86 mixed | 86 cool 86 mixed | 86 mild 86 mixed
86 mild 86 mixed | 86 mild 86 mixed | 87 cool 86 mixed | 87 coldest 88 cold | 88 cool 88 cold | 89 cool 88 cold
92 cold 92 cold | 92 cold 92 cold | 93 cold 92 cold
"""
RECORDS = [record.split() for line in _TABLE_3.strip().splitlines() for record in line.split("|")]

# The loss divides by the number of categories of the survey: 25 of BUILT, 8 of DEGREE (P4, Table 2).
CATEGORIES = {"BUILT": 25, "DEGREE": 8}


def mask() -> tuple[list[str], list[str]]:
    """Return masked BUILT and DEGREE: consecutive groups of three in the printed order, which is sorted by year."""
    offsets = np.arange(0, len(RECORDS) + 1, K)
    columns = []
    for place, (levels, semantics) in enumerate(((BUILT, YEARS), (DEGREE, NEGATION.semantics()))):
        codes = Ordinal(levels, semantics).encode([record[place] for record in RECORDS])
        prototypes = SemanticsMean(semantics).batch(codes, offsets)
        columns.append([levels[code] for code in np.repeat(prototypes, K)])
    return columns[0], columns[1]


def average_loss() -> Fraction:
    """Return the mean over records of the rank differences, each over the number of categories of its variable."""
    total = Fraction(0)
    for place, (levels, size) in enumerate(((BUILT, CATEGORIES["BUILT"]), (DEGREE, CATEGORIES["DEGREE"]))):
        for record, value in zip(RECORDS, mask()[place], strict=True):
            total += Fraction(abs(levels.index(record[place]) - levels.index(value)), size)
    return total / len(RECORDS)


def tables() -> list[Table]:
    """Return the masked records and the average loss."""
    rows = tuple(
        Row(f"{number}: {record[0]} {record[1]}", (exact(record[2], built), exact(record[3], degree)))
        for number, (record, built, degree) in enumerate(zip(RECORDS, *mask(), strict=True), start=1)
    )
    note = "The 21 records are the paper's own. Groups of k = 3; a year y is the interval [y, y + 1)."
    masked = Table(
        "Table 3", "Original variables BUILT and DEGREE and their masked versions", ("Built'", "Degree'"), rows,
        "original", note,
    )  # fmt: skip
    loss = average_loss()
    cell = exact("0.144", float(loss), note=f"{loss.numerator}/{loss.denominator}: ranks over 25 and 8 categories")
    return [
        masked,
        Table("Section 4.1", "Average loss of the records of Table 3", ("loss",), (Row("average", (cell,)),)),
    ]
