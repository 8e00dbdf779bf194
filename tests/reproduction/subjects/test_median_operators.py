"""Characteristics of operators in their table."""

from __future__ import annotations

from discreet.reproduction.subjects import median_operators


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = median_operators.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        (
            "Table 1",
            "Characteristics of ordinal aggregation operators",
            "",
            10,
            6,
            "(1) any number of values, with",
            "(6) a value that nobody gave",
        ),
    ]
