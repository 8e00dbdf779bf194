"""Numbers: read, refused by count at the largest that is worked with, written as they stood."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import Numeric
from discreet.data.scales.numeric import LARGEST
from discreet.data.scales.precision import fineness
from discreet.errors import DataError


def test_the_largest_number_is_still_one():
    assert Numeric().encode([LARGEST, -LARGEST, 0.0]).tolist() == [LARGEST, -LARGEST, 0.0]
    assert np.isfinite((2 * LARGEST) ** 2)
    for beyond in (np.nextafter(LARGEST, np.inf), -np.nextafter(LARGEST, np.inf)):
        with pytest.raises(DataError, match="1 of 3 values are larger than 1e\\+152"):
            Numeric().encode([beyond, LARGEST, 1.0])


def test_infinite_ones_are_said_before_enormous_ones():
    with pytest.raises(DataError, match="2 of 4 values are infinite"):
        Numeric().encode([np.inf, -np.inf, 1e300, 1.0])


@pytest.mark.parametrize(("values", "unreadable"), [(["x", "1", None], 1), (["x", "y", None, "?"], 2)])
def test_what_is_missing_is_not_unreadable(values, unreadable):
    with pytest.raises(DataError, match=f"^{unreadable} of {len(values)} values are not numbers"):
        Numeric().encode(values, missing=("?",))


def test_missing_values_are_nan_and_come_back_as_nothing():
    encoded = Numeric().encode([1.5, None, -9], missing=(-9,))
    assert np.isnan(encoded).tolist() == [False, True, True]
    assert Numeric().decode(encoded).to_pylist() == [1.5, None, None]
    assert Numeric().encode(pa.array([], pa.float64())).tolist() == []


def test_a_distance_has_no_sign_and_none_where_one_is_missing():
    found = Numeric().distance([1.0, 4.0, np.nan, np.nan], [4.0, 1.0, 2.0, np.nan])
    assert found[:2].tolist() == [3.0, 3.0]
    assert np.isnan(found[2:]).all()


def test_numbers_are_written_as_numbers_and_as_text_where_text_stood():
    numbers = Numeric().written([1.5, np.nan], pa.array([1.0, 2.0]))
    assert (numbers.type, numbers.to_pylist()) == (pa.float64(), [1.5, None])
    texts = Numeric().written([1.5, np.nan], pa.array(["1", "2"]))
    assert (texts.type, texts.to_pylist()) == (pa.string(), ["1.5", None])


def test_how_fine_a_column_is():
    quarters = np.array([0.25, 0.5, 1.0])
    assert Numeric().fineness(quarters) == fineness(quarters)
    assert Numeric().fineness(quarters) != Numeric().fineness(np.array([0.2, 0.5, 1.0]))
    assert (Numeric.kind, Numeric.ordered) == ("numeric", True)
