"""Intervals of P0 in their table."""

from __future__ import annotations

from discreet.reproduction.subjects import interval_negation


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = interval_negation.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        ("Table 2", "Induced intervals for variable DEGREE", "term", 1, 6, "I(coldest)", "I(mild)"),
    ]
