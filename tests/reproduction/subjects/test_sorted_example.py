"""Worked example of Domingo-Ferrer and Torra (2002), Aggregation techniques for statistical confidentiality."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.reproduction.subjects import sorted_example
from discreet.reproduction.subjects.interval_negation import DEGREE, NEGATION
from discreet.reproduction.subjects.sorted_example import BUILT, RECORDS, mask


@pytest.fixture
def masked():
    """Masked BUILT and DEGREE, as levels: consecutive groups of three in the printed order."""
    return mask()


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


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = sorted_example.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        (
            "Table 3",
            "Original variables BUILT and DEGREE and their masked versions",
            "original",
            2,
            21,
            "1: 80 mild",
            "21: 93 cold",
        ),
        ("Section 4.1", "Average loss of the records of Table 3", "", 1, 1, "average", "average"),
    ]
