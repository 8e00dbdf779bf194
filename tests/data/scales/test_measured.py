"""Measurements as whole numbers of a step, and back."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales.measured import (
    GAP,
    check_step,
    decimals_of,
    from_steps,
    numbers_of,
    step_of,
    text_of,
    to_steps,
)
from discreet.errors import DataError, SchemaError

MOST = 2_147_483_646


@pytest.mark.parametrize(("told", "step"), [(None, None), (2, 2.0), (0.5, 0.5), (1e-300, 1e-300)])
def test_a_step_that_is_told(told, step):
    assert check_step("X", "step", told) == step
    assert type(check_step("X", "step", told)) is type(step)


@pytest.mark.parametrize("told", [0, -1, True, "2", float("inf"), float("nan")])
def test_what_is_no_step_is_refused(told):
    with pytest.raises(SchemaError, match="X: span must be a number above 0"):
        check_step("X", "span", told)


@pytest.mark.parametrize(
    ("step", "decimals"), [(1.0, 0), (20.0, 0), (1e9, 0), (0.1, 1), (0.25, 2), (2.5e-7, 8), (12.5, 1)]
)
def test_the_decimals_of_a_step(step, decimals):
    assert decimals_of(step) == decimals


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([np.nan, np.inf], 1.0),
        ([0.5, -1.25, 0.0], 0.01),
        ([MOST, 1.0], 1.0),
        ([-float(MOST), 1.0], 1.0),
        ([40 * np.pi, 30 * np.e], 0.001),  # all digits: six of the largest are kept
        ([40 * np.pi, np.pi / 300, np.e / 300, np.pi / 299], 0.001),
    ],
)
def test_the_step_of_measurements(values, step):
    assert step_of("x", np.array(values)) == step


def test_one_that_is_too_far_out_is_counted():
    for values in ([MOST + 1.0, 1.0], [-(MOST + 1.0), 1.0, np.nan]):
        with pytest.raises(
            DataError, match=f"x: 1 of {len(values)} measurements are more than 2,147,483,646 steps of 1 "
        ):
            step_of("x", np.array(values))


def test_one_is_too_far_out_where_nearly_nothing_would_be_left_of_most():
    with pytest.raises(DataError, match="x: 1 of 4 measurements are more than .* steps of 1e-08 from 0"):
        step_of("x", np.array([40 * np.pi, np.pi / 400, np.e / 400, np.pi / 399]))


def test_into_steps_and_back():
    values = np.array([0.3, -0.3, np.nan, 0.0, 0.26])
    codes = to_steps("x", values, 0.1)
    assert codes.tolist() == [3, -3, GAP, 0, 3]
    assert codes.dtype == np.int32
    assert [None if one != one else one for one in from_steps(codes, 0.1).tolist()] == [0.3, -0.3, None, 0.0, 0.3]
    assert not np.signbit(from_steps(np.array([0], dtype=np.int32), 0.1)).any()
    assert text_of(codes, 0.1).to_pylist() == ["0.3", "-0.3", None, "0.0", "0.3"]
    assert text_of(np.array([2, 1, 2], dtype=np.int32), 25.0).to_pylist() == ["50", "25", "50"]
    assert to_steps("x", np.array([MOST, -MOST]), 1.0).tolist() == [MOST, -MOST]
    for far in (MOST + 1, -MOST - 1):
        with pytest.raises(DataError, match="x: 1 of 2 measurements are more than 2,147,483,646 steps from 0"):
            to_steps("x", np.array([far, 1.0]), 1.0)


@pytest.mark.parametrize(
    ("pieces", "missing", "numbers"),
    [
        (["1.5", " 2 ", "", " ", None], (), [1.5, 2, None, None, None]),
        (["1.5", "-9", "x", "x "], (-9, "x"), [1.5, None, None, None]),
        (["1", "0"], (True, False), [1, 0]),
        ([1, None, -9], (-9, "x"), [1, None, None]),
        ([1.5, 0.0], (0,), [1.5, None]),
        (["-9.0"], (-9,), [None]),
    ],
)
def test_numbers_from_texts_and_numbers(pieces, missing, numbers):
    found = numbers_of("x", pa.array(pieces), missing)
    assert [None if one != one else one for one in found.tolist()] == numbers


@pytest.mark.parametrize(
    ("pieces", "wrong"),
    [(["1", "x", "y"], 2), (["1,5", "2", "3"], 1), (["inf", "nan", "1"], 2), ([np.inf, 1.0, 2.0], 1)],
)
def test_what_is_no_number_is_counted(pieces, wrong):
    with pytest.raises(DataError, match=f"x: {wrong} of 3 measurements are no numbers"):
        numbers_of("x", pa.array(pieces))
