"""Numbers with counts, before and after, and together."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks

from discreet.errors import DataError
from discreet.statistics import value_counts
from discreet.statistics.value_counts import CountedValues, PairCounts, ValueCounts, check_different


def listed(counted):
    return [(*row, n, w) for row, n, w in zip(counted.rows.tolist(), counted.counts.tolist(), counted.weights.tolist(), strict=True)]  # fmt: skip # noqa: E501


@pytest.mark.parametrize("cut", CUTS)
def test_numbers_of_each_file(cut):
    question = ValueCounts(("x", "y"), "w")
    assert (question.original, question.released) == (("x", "y", "w"), ("x", "y"))
    parts = answer(question, blocks(cut)).parts
    first, second = parts["x"]
    assert listed(first) == [(1, 1, 1), (2, 1, 2), (3, 1, 1), (5, 1, 1), (6, 1, 3)]
    assert listed(second) == [(1, 1, 1), (2, 1, 2), (4, 2, 3), (6, 1, 3)]
    assert (first.n, second.n) == (5, 5)
    assert listed(parts["y"][0]) == [(0, 2, 5), (1, 2, 3), (2, 2, 2)]
    assert listed(parts["y"][1]) == [(0, 1, 3), (1, 3, 5), (2, 2, 2)]
    plain = answer(ValueCounts(("x",)), blocks(cut)).parts["x"][1]
    assert listed(plain) == [(1, 1, 1), (2, 1, 1), (4, 2, 2), (6, 1, 1)]


@pytest.mark.parametrize("cut", CUTS)
def test_numbers_that_became_others(cut):
    (pairs,) = answer(PairCounts(("x",), "w"), blocks(cut)).parts["x"]
    assert listed(pairs) == [(1, 1, 1, 1), (2, 2, 1, 2), (3, 4, 1, 1), (6, 6, 1, 3)]
    (pairs,) = answer(PairCounts(("y",)), blocks(cut)).parts["y"]
    assert listed(pairs) == [(0, 0, 1, 1), (0, 1, 1, 1), (1, 1, 2, 2), (2, 2, 2, 2)]


def test_rows_are_sorted_by_the_first_column_and_noughts_are_one():
    rows = np.array([[1.0, 2.0], [-0.0, 3.0], [0.0, 3.0], [1.0, -5.0]])
    counted = CountedValues.of(rows, np.array([1, 2, 3, 4]), np.array([0.5, 1.0, 1.0, 2.0]))
    assert listed(counted) == [(0, 3, 5, 2), (1, -5, 4, 2), (1, 2, 1, 0.5)]
    nothing = CountedValues.of(np.empty((0, 2)), np.empty(0, dtype=np.int64), np.empty(0))
    assert nothing.n == 0
    assert listed(nothing.merge(counted)) == listed(counted)


def test_too_many_different_values_are_refused(monkeypatch):
    monkeypatch.setattr(value_counts, "MOST_DIFFERENT", 1_000)
    check_different("values", 1_000)
    with pytest.raises(DataError, match=r"There are 1,001 different values, and up to 1,000 are brought together\."):
        check_different("values", 1_001)
    rows = np.arange(1_001.0)[:, None]
    with pytest.raises(DataError, match="1,001 different values"):
        CountedValues.of(rows, np.ones(1_001, dtype=np.int64), np.ones(1_001))


def test_up_to_twenty_million_are_brought_together():
    check_different("values", 20_000_000)
    with pytest.raises(DataError) as caught:
        check_different("records", 20_000_001)
    assert caught.value.message == (
        "There are 20,000,001 different records, and up to 20,000,000 are brought together."
    )
    assert caught.value.hint == "Take it of a sample of the records, or of rounded values."
