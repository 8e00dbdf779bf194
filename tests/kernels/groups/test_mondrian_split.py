"""Where a table is cut, by hand: at medians, of the widest attribute, while both halves hold k records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.kernels.groups.mondrian_split import _cut, split_table


@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ([1, 2, 3, 4], 2, (True, 2)),
        ([4, 1, 3, 2], 2, (True, 2)),
        ([1, 2, 3, 4], 3, (False, None)),
        ([1, 2, 3, 4, 5], 2, (True, 2)),  # two and three as near to halves as three and two: the lower cut
        ([1, 2, 2, 2, 5], 1, (True, 1)),  # one below the median, or four up to it: as far from halves as each other
        ([1, 2, 2, 2, 2, 5, 6], 2, (True, 2)),  # one below is too few
        ([1, 1, 2, 2, 2, 5], 2, (True, 1)),
        ([1, 2, 2, 2, 5, 5], 1, (True, 2)),  # one and five, or four and two
        ([1, 1, 1, 1, 2, 3, 3, 3, 3], 2, (True, 1)),  # four and five, or five and four
        ([1, 1, 1, 2, 2, 2], 3, (True, 1)),
        ([1, 1, 1, 1, 2, 2], 2, (True, 1)),  # nobody is below the median
        ([1, 1, 1, 1, 2], 2, (False, None)),
        ([3, 3, 3, 3], 1, (False, None)),
        ([1, 2], 1, (True, 1)),
    ],
)
def test_a_cut_leaves_k_on_both_sides_and_is_nearest_to_halves(
    values: list[float], k: int, expected: tuple[bool, float | None]
) -> None:
    # Rows of a longer column, so that a place in the column is not a place among the rows.
    column = np.array([99.0, *values, -99.0])
    fits, edge = _cut(column, np.arange(1, len(values) + 1), k, np.empty(column.size))
    assert bool(fits) is expected[0]
    if fits:
        assert edge == expected[1]


def split(
    columns: list[list[float]],
    k: int,
    *,
    ordered: list[bool] | None = None,
    levels: list[int] | None = None,
    weights: list[float] | None = None,
) -> list[int]:
    table = np.array(columns, dtype=np.float64)
    q, n = table.shape
    labels = np.full(n, -9)
    split_table(
        table,
        np.array([True] * q if ordered is None else ordered),
        np.array([2] * q if levels is None else levels),
        np.array([1.0] * q if weights is None else weights),
        k,
        labels,
    )
    return labels.tolist()


def test_parts_are_cut_while_both_halves_hold_k() -> None:
    line = [0.0, 1.0, 0.25, 0.75]
    assert split([line], 1) == [0, 3, 1, 2]
    assert split([line], 2) == [0, 1, 0, 1]
    assert split([line], 3) == [0, 0, 0, 0]
    assert split([[*line, 0.5]], 2) == [0, 1, 0, 1, 1]  # two of five, and three that are not cut again
    assert split([[0.5]], 1) == [0]
    assert split([[0.5, 0.5, 0.5]], 1) == [0, 0, 0]
    assert split([[-1.0, -1.0, 0.0, 1.0]], 2) == [0, 0, 1, 1]


def test_the_widest_attribute_is_cut_and_the_first_on_a_tie() -> None:
    first, second = [0.0, 0.0, 0.5, 0.5], [1.0, 0.0, 1.0, 0.0]
    assert split([first, second], 2) == [1, 0, 1, 0]
    assert split([first, second], 2, weights=[2.0, 1.0]) == [0, 0, 1, 1]
    assert split([second, first], 2, weights=[1.0, 2.0]) == [1, 0, 1, 0]
    assert split([first, second], 2, weights=[2.5, 1.0]) == [0, 0, 1, 1]
    # An attribute without weight is not cut, nor one that all have alike.
    assert split([first, second], 2, weights=[1.0, 0.0]) == [0, 0, 1, 1]
    assert split([[0.5] * 4, first], 2) == [0, 0, 1, 1]
    assert split([first, second], 2, weights=[0.0, 0.0]) == [0, 0, 0, 0]


def test_where_the_widest_attribute_cannot_be_cut_the_next_one_is() -> None:
    assert split([[0.0, 1.0, 1.0, 1.0], [0.0, 0.1, 0.0, 0.1]], 2) == [0, 1, 0, 1]


def test_an_unordered_attribute_is_as_wide_as_its_share_of_values() -> None:
    assert split([[0.25, 0.0], [0.0, 0.5]], 1, ordered=[False, True]) == [1, 0]
    kinds, line = [0.0, 0.25, 0.0, 0.25], [0.0, 0.0, 0.4, 0.4]
    # One step of the four between five values: 1/4, less than 0.4; of one step between two: 1.
    assert split([kinds, line], 2, ordered=[False, True], levels=[5, 2]) == [0, 0, 1, 1]
    assert split([kinds, line], 2, ordered=[False, True], levels=[3, 2]) == [0, 1, 0, 1]
    assert split([kinds, line], 2, ordered=[False, True], levels=[2, 2]) == [0, 1, 0, 1]
    assert split([kinds, line], 2, ordered=[False, True], levels=[1, 2]) == [0, 1, 0, 1]
    assert split([kinds, line], 2, ordered=[False, True], levels=[5, 2], weights=[2.0, 1.0]) == [0, 1, 0, 1]


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        split([[0.0, 1.0]], 1)
