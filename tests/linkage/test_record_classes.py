"""Classes of equal records, given by codes, by numbers or by both."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.record_classes import classes_of

NO_CODES, NO_NUMBERS = np.empty((4, 0), dtype=np.int32), np.empty((4, 0))
CODES, NUMBERS = np.array([[1], [0], [1], [1]]), np.array([[0.0, 2.0], [5.0, 2.0], [-0.0, 2.0], [0.0, 3.0]])


@pytest.mark.parametrize(
    ("codes", "numbers", "label", "first"),
    [
        (NO_CODES, NUMBERS, [0, 1, 0, 2], [0, 1, 3]),
        (NO_CODES, np.asfortranarray(NUMBERS), [0, 1, 0, 2], [0, 1, 3]),
        (NO_CODES, NUMBERS[:, 1:], [0, 0, 0, 1], [0, 3]),
        (CODES, NUMBERS, [0, 1, 0, 2], [0, 1, 3]),
        (CODES, NO_NUMBERS, [0, 1, 0, 0], [0, 1]),
        (NO_CODES, NO_NUMBERS, [0, 0, 0, 0], [0]),
    ],
)
def test_equal_records_are_one_class(codes, numbers, label, first):
    classes = classes_of(codes, numbers)
    assert classes.label.tolist() == label
    assert classes.first.tolist() == first
    assert classes.size.tolist() == np.bincount(label).tolist()


@pytest.mark.parametrize("n", [1, 3, 4])
def test_what_is_taken_is_the_first_of_every_class(n):
    numbers = NUMBERS[[1, 0, 3, 2]][:n]
    classes = classes_of(NO_CODES[:n], numbers)
    assert numbers[classes.taken].tolist() == numbers[classes.first].tolist()
    assert np.shares_memory(numbers, numbers[classes.taken]) == (n < 4)
