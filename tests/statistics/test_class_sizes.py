"""Sizes of classes and chances of guesses, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.statistics import class_sizes
from discreet.statistics.class_sizes import Chances, ClassSizes, GuessChances, SizeTable, median_of
from discreet.statistics.counts import Combinations

# Keys 1x, 1y, –x, ––, 2y: so many records have each, and so they weigh together.
CODES = np.array([[1, 0], [1, 1], [0, 0], [0, 0], [2, 1]])
ABSENT = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [0, 0]], dtype=bool)
COUNTS = np.array([1, 2, 1, 1, 2])
TOTALS = np.array([4.0, 6.0, 0.5, 2.0, 9.0])


def combinations(rows=slice(None)):
    return Combinations(CODES[rows], ABSENT[rows], COUNTS[rows], TOTALS[rows])


def listed(table):
    return table.sizes.tolist(), table.combinations.tolist(), table.records.tolist(), table.gaps, table.alone


def inverse(sizes, totals):
    return 1.0 / sizes


def by_weight(sizes, totals):
    return 1.0 / np.maximum(totals, 1.0)


@pytest.mark.parametrize(
    ("values", "records", "median"),
    [
        ([7.0], [1], 7.0),
        ([1.0, 4.0], [2, 2], 2.5),
        ([1.0, 4.0], [2, 3], 4.0),
        ([1.0, 4.0], [3, 2], 1.0),
        ([1.0, 4.0, 9.0], [1, 1, 2], 6.5),
        ([1.0, 4.0, 9.0], [1, 2, 1], 4.0),
        ([1.0, 4.0, 9.0], [1, 1, 1], 4.0),
    ],
)
def test_the_median_is_that_of_every_record(values, records, median):
    assert median_of(np.array(values), np.array(records)) == median == np.median(np.repeat(values, records))


def test_sizes_where_a_missing_cell_is_a_value():
    found = ClassSizes().summarise(combinations())
    # Three classes of one, two of two; the lone weigh 4, 1 (no less than one person) and 2.
    assert listed(found) == ([1, 2], [3, 2], [3, 4], 2, 0.25 + 1 + 0.5)
    assert found.n == 7
    assert [found.below(k) for k in (1, 2, 3)] == [0, 3, 7]
    assert (ClassSizes().whole, ClassSizes("any").whole) == (False, True)


def test_sizes_where_a_missing_cell_agrees_with_everything():
    found = ClassSizes("any").summarise(combinations())
    # 1x agrees with –x and ––: 3; 1y with ––: 3; –x with 1x and ––: 3; –– with all: 7; 2y with ––: 3.
    assert listed(found) == ([3, 7], [4, 1], [6, 1], 2, 0.0)


def test_sizes_of_parts_add_up():
    parts = [ClassSizes().summarise(combinations(rows)) for rows in (slice(0, 2), slice(2, 5))]
    assert [listed(part) for part in parts] == [
        ([1, 2], [1, 1], [1, 2], 0, 0.25),
        ([1, 2], [2, 1], [2, 2], 2, 1.5),
    ]
    assert listed(parts[0].merge(parts[1])) == ([1, 2], [3, 2], [3, 4], 2, 1.75)
    other = SizeTable(np.array([2, 5]), np.array([1, 1]), np.array([2, 5]), 4, 0.0)
    assert listed(parts[0].merge(other)) == ([1, 2, 5], [1, 2, 1], [1, 4, 5], 4, 0.25)


def test_chances_of_records():
    question = Chances(inverse, (0.4, 0.5, 1.0))
    found = question.summarise(combinations())
    # Three records alone, four in pairs: 3 · 1 + 4 · ½.
    assert (found.n, found.total, found.highest, found.gaps) == (7, 5.0, 1.0, 2)
    assert found.above.tolist() == [7, 3, 0]
    assert (found.values.tolist(), found.records.tolist(), found.median) == ([0.5, 1.0], [4, 3], 0.5)
    assert (question.whole, Chances(inverse, (), "any").whole) == (False, True)


def test_chances_where_a_missing_cell_agrees_with_everything():
    found = Chances(by_weight, (0.1,), "any").summarise(combinations())
    # The weights that agree: 1x 6.5, 1y 8, –x 6.5, –– 21.5, 2y 11.
    chances = [1 / 6.5, 1 / 8, 1 / 6.5, 1 / 21.5, 1 / 11]
    assert found.total == pytest.approx(sum(c * n for c, n in zip(chances, [1, 2, 1, 1, 2], strict=True)))
    assert (found.highest, found.above.tolist()) == (1 / 6.5, [4])
    assert found.values.tolist() == [1 / 21.5, 1 / 11, 1 / 8, 1 / 6.5]
    assert found.records.tolist() == [1, 2, 2, 2]


def test_chances_of_parts_add_up():
    question = Chances(inverse, (0.6,))
    one, other = (question.summarise(combinations(rows)) for rows in (slice(0, 2), slice(2, 5)))
    both = one.merge(other)
    assert (both.n, both.total, both.highest, both.gaps) == (7, 5.0, 1.0, 2)
    assert both.above.tolist() == [3]
    assert (both.values.tolist(), both.records.tolist()) == ([0.5, 1.0], [4, 3])
    pairs = question.summarise(combinations(slice(1, 2)))
    assert (
        question.summarise(combinations(slice(3, 5))).gaps
        == ClassSizes().summarise(combinations(slice(3, 5))).gaps
        == 1
    )
    assert (pairs.merge(one).highest, one.merge(pairs).highest, pairs.highest) == (1.0, 1.0, 0.5)


def test_more_chances_than_can_be_kept_have_no_median(monkeypatch):
    monkeypatch.setattr(class_sizes, "_MOST_VALUES", 2)

    def chances(*values):
        return GuessChances.of(np.array(values), np.ones(len(values), dtype=np.int64), (0.3,), 1)

    two, other, many = chances(0.2, 0.4), chances(0.2, 0.5), chances(0.1, 0.2, 0.9)
    assert two.median == pytest.approx(0.3)
    assert (many.values, many.records, many.median) == (None, None, None)
    assert (many.n, many.highest, many.above.tolist()) == (3, 0.9, [1])
    assert two.merge(two).median == pytest.approx(0.3)
    assert two.merge(two).records.tolist() == [2, 2]
    for one, later in ((two, other), (two, many), (many, two), (many, many)):
        both = one.merge(later)
        assert (both.values, both.records, both.median) == (None, None, None)
        assert (both.n, both.gaps) == (one.n + later.n, 2)
