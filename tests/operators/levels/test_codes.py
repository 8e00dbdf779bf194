"""Positions of levels in: what is read, refused, left out and cumulated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.errors import DataError, MissingValueError
from discreet.operators.levels import codes
from discreet.operators.levels.codes import Groups, cumulative_levels, read_codes, sorted_order


@pytest.mark.parametrize("values", [[0, 3, 1], [0.0, 3.0, 1.0], np.array([0, 3, 1], dtype=np.uint8)])
def test_whole_numbers_are_codes_however_they_are_written(values: Any) -> None:
    found = read_codes("Median", values, 4)
    assert found.dtype == np.int32
    assert found.tolist() == [0, 3, 1]


def test_what_is_no_code_is_told_with_a_count() -> None:
    assert read_codes("Median", []).tolist() == []
    assert read_codes("Median", [True, False]).tolist() == [1, 0]
    for values, words in (
        ([0.5, 1.0, np.nan, np.inf], "3 of 4 are not whole numbers"),
        (["low", "high"], "whole numbers from 0"),
        ([[0, 1]], "one-dimensional; got 2 dimensions"),
        ([0, 4, 5], "2 of 3 values lie outside the scale of 4 levels"),
    ):
        with pytest.raises(DataError, match=words):
            read_codes("Median", values, 4)
    with pytest.raises(MissingValueError, match="1 of 3 values are missing"):
        read_codes("Median", [0, -1, 2])
    assert read_codes("Median", [0, 4, 5]).tolist() == [0, 4, 5]  # a scale that nobody told has no end


def groups() -> Groups:
    values = np.array([2, 0, 2, 5, 5, 1, 3, 1], dtype=np.int32)
    return Groups(values, np.array([0, 3, 5, 8]), np.array([1.0, 2.0, 0.5, 1.0, 1.0, 4.0, 2.0, 1.0]))


@pytest.mark.parametrize("block", [1, 4, 1 << 18])
def test_weights_are_cumulated_over_the_levels_of_every_group_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(codes, "_BLOCK", block)
    cumulated: dict[int, tuple[int, list[float]]] = {}
    for part in cumulative_levels(groups()):
        for place, group in enumerate(range(part.groups.start, part.groups.stop)):
            levels = part.cumulated[part.starts[place] : part.starts[place + 1]].tolist()
            cumulated[group] = int(part.lows[place]), levels
    assert cumulated == {0: (0, [2, 2, 3.5]), 1: (5, [2]), 2: (1, [5, 5, 7])}
    assert len(list(cumulative_levels(groups()))) == {1: 3, 4: 2}.get(block, 1)


def test_the_order_within_groups_is_stable() -> None:
    assert sorted_order(groups().values, groups().offsets).tolist() == [1, 0, 2, 3, 4, 5, 7, 6]


def test_values_of_weight_zero_are_left_out() -> None:
    found = codes._without_zeros(groups()._replace(weights=np.array([0.0, 2, 0.5, 1, 0, 4, 0, 1])))
    assert found.values.tolist() == [0, 2, 5, 1, 1]
    assert found.offsets.tolist() == [0, 2, 3, 5]
    assert found.weights.tolist() == [2, 0.5, 1, 4, 1]
    assert codes._without_zeros(groups()).values.tolist() == groups().values.tolist()
