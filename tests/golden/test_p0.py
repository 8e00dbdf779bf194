"""Worked example of Domingo-Ferrer and Torra (2002), Aggregation techniques for statistical confidentiality."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.operators import SemanticsMean
from discreet.scales import Ordinal
from discreet.scales.semantics import IntervalSemantics, Negation

# The paper lists the range from coldest to hot with mild beside cool; the loss counts ranks in that order.
DEGREE = ("hot", "mixed", "mild", "cool", "cold", "coldest")

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

# Codes of BUILT in ascending order of years: 09 is 1919 or earlier (closed here at 1910), then decades, 03 and 02 the
# two parts of 1970 to 1978 (their common bound plays no role here), 01 the year 1979, and one code a year; the year y
# is [y, y + 1).
_STARTS = (1910, 1920, 1930, 1940, 1950, 1960, 1970, 1975, 1979, *range(1980, 1994), 1994)
BUILT = ("09", "08", "07", "06", "05", "04", "03", "02", "01", *(str(year) for year in range(80, 94)))
YEARS = IntervalSemantics(_STARTS[:-1], _STARTS[1:])

# Table 3: original and masked.
TABLE_3 = """
80 mild 81 mixed | 81 cool 81 mixed | 81 cool 81 mixed | 84 mild 84 cool | 84 cold 84 cool | 84 cold 84 cool
84 cool 85 cool | 85 mixed 85 cool | 85 cool 85 cool | 85 cool 86 mixed | 86 cool 86 mixed | 86 mild 86 mixed
86 mild 86 mixed | 86 mild 86 mixed | 87 cool 86 mixed | 87 coldest 88 cold | 88 cool 88 cold | 89 cool 88 cold
92 cold 92 cold | 92 cold 92 cold | 93 cold 92 cold
"""
RECORDS = [record.split() for line in TABLE_3.strip().splitlines() for record in line.split("|")]


@pytest.fixture
def masked():
    """Masked BUILT and DEGREE, as levels: consecutive groups of three in the printed order."""
    built = Ordinal(BUILT, YEARS)
    degree = Ordinal(DEGREE, NEGATION.semantics())
    offsets = np.arange(0, 22, 3)
    columns = []
    for scale, place in ((built, 0), (degree, 1)):
        codes = scale.encode([record[place] for record in RECORDS])
        prototypes = SemanticsMean(scale.semantics).batch(codes, offsets)
        columns.append([scale.levels[code] for code in np.repeat(prototypes, 3)])
    return columns


def test_table_2_intervals():
    semantics = NEGATION.semantics()
    intervals = {
        level: (Fraction(low) * 8, Fraction(high) * 8)
        for level, low, high in zip(DEGREE, semantics.low, semantics.high, strict=True)
    }
    assert intervals == {
        "hot": (0, 2),
        "mild": (0, 4),
        "mixed": (2, 4),
        "cool": (4, 5),
        "cold": (5, 7),
        "coldest": (7, 8),
    }
    assert semantics.partition == (True, True, False, True, True, True)


def test_centres():
    assert NEGATION.semantics().centers.tolist() == [0.125, 0.375, 0.25, 0.5625, 0.75, 0.9375]


def test_records_are_sorted_by_year():
    years = [int(record[0]) for record in RECORDS]
    assert len(RECORDS) == 21
    assert years == sorted(years)


def test_table_3_masked_records(masked):
    assert masked[0] == [record[2] for record in RECORDS]
    assert masked[1] == [record[3] for record in RECORDS]


def test_average_loss(masked):
    """Rank difference over the size of the domain, summed over both variables: 3.03 over 21 records."""
    total = Fraction(0)
    for levels, size, place in ((BUILT, 25, 0), (DEGREE, 8, 1)):
        for record, value in zip(RECORDS, masked[place], strict=True):
            total += Fraction(abs(levels.index(record[place]) - levels.index(value)), size)
    assert float(total / 21) == pytest.approx(0.144286, abs=5e-7)
    assert total == Fraction(303, 100)
