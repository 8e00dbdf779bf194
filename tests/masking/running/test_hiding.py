"""Which values there are to hide among, and what is said where they are too few."""

from __future__ import annotations

import numpy as np

from discreet.errors import DataError
from discreet.masking.running.hiding import present_values, too_few


def test_values_that_are_not_missing():
    assert present_values(np.array([0, -1, 3, -1, 1], dtype=np.int32)).tolist() == [0, 2, 4]
    assert present_values(np.array([0.0, np.nan, -3.5, np.inf])).tolist() == [0, 2, 3]
    assert present_values(np.array([], dtype=np.int8)).tolist() == []


def test_a_column_of_too_few_values_is_named_and_counted():
    error = too_few("RankSwapping", "wage", 2, 5)
    assert isinstance(error, DataError)
    assert error.message == "RankSwapping: 'wage' has 2 values; it takes 5 to hide one among the others."
    assert error.hint == "Leave the column out of the release, or protect it in another way."
