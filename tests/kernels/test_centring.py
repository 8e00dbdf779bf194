from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.centring import centred

HUGE, TINY = 0.75 * 2.0**1000, 0.75 * 2.0**-1000


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1.0], [3.0]], [[-0.5], [0.5]]),
        ([[0.0, 10.0], [3.0, 14.0]], [[-0.375, -0.5], [0.375, 0.5]]),  # one power of two for all columns
        ([[-8.0], [-8.0], [-5.0], [-7.0]], [[-0.25], [-0.25], [0.5], [0.0]]),
        ([[5.0, 1.0], [5.0, -1.0]], [[0.0, 0.5], [0.0, -0.5]]),
        ([[0.0], [0.0]], [[0.0], [0.0]]),
        ([[7.0], [7.0]], [[0.0], [0.0]]),
        ([[7.0, -1.0]], [[0.0, 0.0]]),
        ([[HUGE], [-HUGE]], [[0.75], [-0.75]]),
        ([[TINY], [-TINY]], [[0.75], [-0.75]]),
        ([[1.5 * 2.0**1023], [1.5 * 2.0**1023], [2.0**1023], [2.0**1023]], [[0.5], [0.5], [-0.5], [-0.5]]),
    ],
)
def test_columns_are_centred_and_scaled_by_one_power_of_two(
    values: list[list[float]], expected: list[list[float]]
) -> None:
    before = np.array(values)
    assert centred(before).tolist() == expected
    assert before.tolist() == values


def test_rows_that_are_not_contiguous_and_none_at_all() -> None:
    points = centred(np.asfortranarray([[1.0, 0.0], [3.0, 0.0]]))
    assert points.tolist() == [[-0.5, 0.0], [0.5, 0.0]]
    assert points.flags.c_contiguous
    assert centred(np.empty((0, 3))).shape == (0, 3)
