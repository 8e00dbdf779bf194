"""What numeric operators share: order within groups, heights by size, and sums by steps, beside slow twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.operators.numbers.ordering import (
    heights_by_size,
    order_down,
    ordered_sums,
    require_domain,
    require_size,
    take_groups,
)

SIZES = (3, 1, 4, 3)
OFFSETS = np.concatenate([[0], np.cumsum(SIZES)])
VALUES = np.array([2.0, 5.0, 5.0, 1.0, 0.0, -3.0, 8.0, 8.0, 4.0, 6.0, 4.0])


def quadratic(size):
    """Heights of an OWA: (i / n)², which end at one."""
    return (np.arange(1, size + 1) / size) ** 2


def groups():
    return [VALUES[start:stop] for start, stop in pairwise(OFFSETS)]


def test_each_group_from_its_largest_with_ties_in_place():
    order = order_down(VALUES, OFFSETS)
    assert order.tolist() == [1, 2, 0, 3, 6, 7, 4, 5, 9, 8, 10]


def test_heights_are_computed_once_a_size():
    asked = []

    def heights(size):
        asked.append(size)
        return quadratic(size)

    table, starts = heights_by_size(OFFSETS, heights)
    assert sorted(asked) == [1, 3, 4]
    for size, start in zip(SIZES, starts, strict=True):
        assert table[start : start + size].tolist() == quadratic(size).tolist()
    asked.clear()
    table, starts = heights_by_size(np.array([0, 3, 6]), heights)
    assert (asked, starts.tolist(), table.tolist()) == ([3], [0, 0], quadratic(3).tolist())


def test_sums_are_those_of_the_definition():
    sums = ordered_sums(VALUES, OFFSETS, quadratic)
    for group, total in zip(groups(), sums, strict=True):
        steps = np.diff(np.concatenate([[0.0], quadratic(group.size)]))
        assert total == pytest.approx(float(np.sort(group)[::-1] @ steps))


def test_what_is_refused_is_counted():
    array, bounds = take_groups("Mean", VALUES.tolist(), OFFSETS.tolist())
    assert (array.dtype, bounds.dtype) == (np.float64, np.int64)
    require_size("OWA", np.array([0, 3, 6]), 3)
    with pytest.raises(DataError, match="OWA: every collection must have 3 values; 2 of 4 have another number"):
        require_size("OWA", OFFSETS, 3)
    require_domain("Geometric", VALUES, (-3.0, 8.0))
    with pytest.raises(DataError, match="values must be between 0 and 5; 4 of 11 are not"):
        require_domain("Geometric", VALUES, (0.0, 5.0))
    with pytest.raises(DataError, match="values must be of at least 0; 1 of 11 are not"):
        require_domain("Geometric", VALUES, (0.0, np.inf))
