"""Sums of terms by hand, however they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.shared.terms import Terms

TABLE = np.array([[0.0, 1.0, 8.0], [2.0, 0.5, 4.0]])  # two levels of B, three of A
STEPS = np.array([0.0, 3.0, 5.0, np.inf])


def some(metric: int) -> Terms:
    """Three records of A and two of B: a category by a table, one by steps, and two numbers."""
    a_codes, b_codes = np.array([[0, 3], [1, 0], [2, 2]], dtype=np.uint8), np.array([[1, 2], [0, 0]], dtype=np.uint8)
    a_numbers, b_numbers = np.array([[0.0, 1.0], [2.0, 4.0], [6.0, -1.0]]), np.array([[3.0, 1.0], [0.0, 0.0]])
    grain = np.array([2.0**-52, 0.0])
    return Terms(("c", "s"), ("x", "y"), a_codes, b_codes, a_numbers, b_numbers, (TABLE, STEPS), metric, grain)


SUMS = {
    0: [[2.0 + 3 + 9 + 0, 0.5 + 5 + 1 + 9, 4.0 + 0 + 9 + 4], [np.inf, 1.0 + 0 + 4 + 16, 8.0 + 5 + 36 + 1]],
    1: [[2.0 + 3 + 3 + 0, 0.5 + 5 + 1 + 3, 4.0 + 0 + 3 + 2], [np.inf, 1.0 + 0 + 2 + 4, 8.0 + 5 + 6 + 1]],
    2: [[3.0, 5.0, 4.0], [np.inf, 4.0, 8.0]],
}


@pytest.mark.parametrize("metric", [0, 1, 2])
def test_sums_of_pairs_and_of_blocks(metric: int) -> None:
    terms = some(metric)
    assert terms.matrix(slice(None)).tolist() == SUMS[metric]
    assert terms.matrix(np.array([1, 0, 1])).tolist() == [SUMS[metric][k] for k in (1, 0, 1)]
    b_rows, a_rows = np.array([0, 1, 1, 0]), np.array([2, 2, 0, 1])
    assert terms.sums(b_rows, a_rows).tolist() == [SUMS[metric][k][i] for k, i in zip(b_rows, a_rows, strict=True)]
    back = terms.swapped()
    assert back.matrix(slice(None)).T.tolist() == SUMS[metric]
    assert (back.categories, back.numbers, back.metric) == (("c", "s"), ("x", "y"), metric)
    assert back.grain is terms.grain
    assert terms.scores(np.array([4.0, 9.0])).tolist() == ([2.0, 3.0] if metric == 0 else [4.0, 9.0])


def test_terms_of_one_category_know_which_file_a_code_is_of() -> None:
    terms = some(1)
    assert terms.between(0, np.array([0, 1, 1]), np.array([1, 0, 2])).tolist() == [1.0, 2.0, 4.0]
    # Codes of a byte are taken apart without going round below zero.
    assert terms.between(1, np.array([0, 2], dtype=np.uint8), np.array([2, 1], dtype=np.uint8)).tolist() == [5.0, 3.0]


@pytest.mark.parametrize(("metric", "first"), [(0, np.hypot(28.0, 9.0)), (1, 37.0), (2, 28.0)])
def test_slack_comes_from_the_coordinates_of_the_second_file(metric: int, first: float) -> None:
    # Nine units of a coordinate, and the grain: 9 · 3 + 1 and 9 · 1; at zero the grain alone.
    terms = some(metric)
    assert terms.slack(slice(None)) / 2.0**-52 == pytest.approx([first, 1.0])
    assert terms.slack(np.array([1])) / 2.0**-52 == pytest.approx([1.0])


def test_without_numbers_nothing_is_rounded() -> None:
    codes = np.zeros((2, 1), dtype=np.uint8)
    for metric in range(3):
        terms = Terms(("c",), (), codes, codes, np.empty((2, 0)), np.empty((2, 0)), (TABLE,), metric)
        assert terms.slack(slice(None)).tolist() == [0.0, 0.0]


def test_tables_one_after_the_other() -> None:
    terms = some(0)
    flat, starts, sizes = terms.flattened(4)
    assert flat.tolist() == [*TABLE.ravel().tolist(), *STEPS.tolist()]
    assert (starts.tolist(), sizes.tolist()) == ([0, 6, 10, 10, 10], [3, 0])
    flat, starts, sizes = terms.flattened(2, [1, 0])
    assert flat.tolist() == [*STEPS.tolist(), *TABLE.ravel().tolist()]
    assert (starts.tolist(), sizes.tolist()) == ([0, 4, 10], [0, 3])
