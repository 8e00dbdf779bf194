"""Ranks of some values, and the bound on the records between two that follows."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.block import Block
from discreet.data.microdata import Microdata, table_of_numbers
from discreet.masking.running import rank_grid
from discreet.masking.running.rank_grid import RankGrid, rank_grids
from discreet.statistics.sample import Sample
from discreet.typing import FloatArray


def grid_of(column: FloatArray, cuts: int = 1) -> RankGrid:
    """Ask of a table, cut into blocks, as an engine does."""
    table: Microdata = table_of_numbers({"x": column})
    inquiry = rank_grids(("x",), column.size, 7)
    question = next(inquiry)
    assert isinstance(question, Sample)
    assert question.original == ("x",)
    for _ in range(2):
        answer = None
        for rows in np.array_split(np.arange(column.size), cuts):
            part = question.summarise(Block(rows, table.take(rows)))
            answer = part if answer is None else answer.merge(part)
        try:
            question = inquiry.send(answer)
        except StopIteration as end:
            return end.value["x"]  # type: ignore[no-any-return]
        assert (question.original, question.released) == (("x",), ())
    raise AssertionError("a third question")


@pytest.mark.parametrize("cuts", [1, 3])
def test_ranks_of_all_values_are_exact(cuts: int) -> None:
    grid = grid_of(np.array([5.0, 1.0, 5.0, np.nan, 9.0, 2.0]), cuts)
    assert grid.values.tolist() == [1, 2, 5, 9, np.inf]
    assert grid.below.tolist() == [0, 1, 2, 4, 5]
    assert grid.up_to.tolist() == [1, 2, 4, 5, 5]


def test_records_between_two_values_are_counted_where_all_are_on_the_grid() -> None:
    grid = grid_of(np.array([1.0, 2.0, 5.0, 5.0, 9.0]))
    ranked = np.array([1.0, 2.0, 5.0, 9.0])
    lower, upper = np.array([0, 0, 0, 1, 2, 3]), np.array([1, 2, 3, 3, 2, 3])
    assert grid.apart(ranked, lower, upper).tolist() == [0, 1, 3, 2, 0, 0]


def test_between_values_off_the_grid_the_bound_is_no_less() -> None:
    column = np.arange(100.0)
    grid = RankGrid(np.array([20.0, 60.0, np.inf]), np.array([20, 60, 100]), np.array([21, 61, 100]))
    lower, upper = (one.ravel() for one in np.triu_indices(100, 1))
    bound = grid.apart(column, lower, upper)
    assert (bound >= upper - lower - 1).all()
    assert bound.max() == 100  # below the first value of the grid nothing is known to be at most as large
    assert bound[(lower == 20) & (upper == 60)].tolist() == [39]


def test_a_long_column_has_a_grid_of_some_of_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_grid, "_GRID", 5)
    grid = grid_of(np.arange(101.0))
    assert grid.values.tolist() == [0, 25, 50, 75, 100, np.inf]
    assert grid.below.tolist() == [0, 25, 50, 75, 100, 101]
    assert grid.up_to.tolist() == [1, 26, 51, 76, 101, 101]


def test_levels_are_ranked_by_their_codes_and_missing_ones_not_at_all() -> None:
    found = rank_grid._numbers(np.array([2, -1, 0, 2], dtype=np.int32))
    assert (found.tolist(), found.dtype) == ([2.0, 0.0, 2.0], np.float64)


def test_a_sample_of_two_hundred_thousand_records_is_asked_for() -> None:
    question = next(rank_grids(("x", "y"), 10**9, 7))
    assert isinstance(question, Sample)
    assert question == Sample(("x", "y"), 200_000, 10**9, 7)
