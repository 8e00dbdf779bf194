"""Missing numbers: filled for the grouping, or grouped by what is missing."""

from __future__ import annotations

import numpy as np

from discreet.masking.microaggregation.numbers.missing_cells import by_pattern, filled
from discreet.typing import FloatArray, IntArray

GAP = np.nan


def test_a_missing_cell_is_filled_with_the_median_of_its_column() -> None:
    points = np.array([[1.0, GAP, GAP], [GAP, GAP, 4.0], [5.0, GAP, 8.0], [9.0, GAP, 9.0]])
    assert filled(points).tolist() == [[1, 0, 8], [5, 0, 4], [5, 0, 8], [9, 0, 9]]
    assert np.isnan(points[0, 1])  # what came in stays as it was


def pairs(rows: IntArray, values: FloatArray) -> IntArray:
    """Groups of two records, as they come; the last takes what is left."""
    assert not np.isnan(values).any()
    return np.minimum(np.arange(rows.size) // 2, max(rows.size // 2 - 1, 0))


def test_records_that_lack_the_same_are_grouped_together() -> None:
    points = np.array([[1.0, 2.0], [GAP, 2.0], [3.0, 4.0], [GAP, 5.0], [GAP, 7.0]])
    labels, absent = by_pattern(points, 2, pairs)
    assert labels.tolist() == [0, 1, 0, 1, 1]
    np.testing.assert_array_equal(absent, np.isnan(points))


def test_a_rare_pattern_joins_the_one_for_which_least_is_suppressed() -> None:
    # One record lacks the last cell. With the six that lack nothing six cells would go; with the two that lack two
    # cells, one does.
    points = np.array([[1.0, 2.0, 3.0]] * 6 + [[1.0, GAP, GAP]] * 2 + [[1.0, 2.0, GAP]])
    labels, absent = by_pattern(points, 2, pairs)
    assert labels[8] in labels[6:8]
    assert absent[8].tolist() == [False, True, True]
    assert absent[6:8].tolist() == [[False, True, True]] * 2
    assert not absent[:6].any()
    assert len(set(labels[:6].tolist()) & set(labels[6:].tolist())) == 0


def test_every_record_of_a_pattern_counts_in_what_is_suppressed() -> None:
    # Two lack the first cell. With three that lack nothing, three cells go; with four that lack three, twice two.
    points = np.array([[1.0, 2.0, 3.0, 4.0]] * 3 + [[GAP, GAP, GAP, 4.0]] * 4 + [[GAP, 2.0, 3.0, 4.0]] * 2)
    _, absent = by_pattern(points, 3, pairs)
    assert absent[[0, 1, 2, 7, 8]].tolist() == [[True, False, False, False]] * 5
    assert absent[3:7].tolist() == [[True, True, True, False]] * 4


def test_patterns_are_joined_until_each_has_k() -> None:
    points = np.array([[1.0, 2.0], [GAP, 2.0], [1.0, GAP]])
    labels, absent = by_pattern(points, 3, pairs)
    assert labels.tolist() == [0, 0, 0]
    assert absent.all()
    alone, absent = by_pattern(points, 1, pairs)
    assert sorted(alone.tolist()) == [0, 1, 2]
    np.testing.assert_array_equal(absent, np.isnan(points))


def test_equal_costs_go_to_the_first_pattern() -> None:
    # Whole records, three that lack the first cell and three the second; the one that lacks the third joins at equal
    # cost either of these, and the first in order is the pattern that lacks the second.
    points = np.array([[GAP, 2.0, 3.0]] * 3 + [[1.0, GAP, 3.0]] * 3 + [[1.0, 2.0, GAP]])
    _, absent = by_pattern(points, 2, pairs)
    assert absent[6].tolist() == [False, True, True]
    assert absent[3:6].tolist() == [[False, True, True]] * 3
    assert absent[:3].tolist() == [[True, False, False]] * 3
