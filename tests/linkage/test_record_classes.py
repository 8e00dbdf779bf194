"""Classes of equal records, given by codes, by numbers or by both."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.jit import PlainTwin
from discreet.linkage.record_classes import (
    NOBODY,
    Classes,
    classes_of,
    classes_of_codes,
    distinct_rows,
    packed,
    table_bits,
)

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


def test_a_class_is_followed_by_its_second_record():
    classes = Classes(np.array([0, 1, 0, 2, 0, 1]), np.array([0, 1, 3]), np.array([3, 2, 1]))
    assert classes.following.tolist() == [2, 5, NOBODY]
    # A row that stands for several records is its own second.
    often = classes.standing_for(np.array([1, 1, 1, 4, 1, 1]))
    assert (often.size.tolist(), often.following.tolist()) == ([3, 2, 4], [2, 5, 3])
    assert classes.standing_for(None) is classes
    assert classes.standing_for(np.array([1, 2, 3, 4, 5, 6])).size.tolist() == [9, 8, 4]
    assert (often.label.tolist(), often.first.tolist()) == (classes.label.tolist(), classes.first.tolist())


def test_codes_lie_side_by_side_in_as_few_words_as_they_need():
    # Highest codes 5, 1 and 0 need three bits, one and one.
    (word,) = packed(np.array([[5, 1, 0], [2, 0, 0]]))
    assert word.tolist() == [0b101_1_0, 0b010_0_0]
    wide = np.array([[2**31 - 1, 2**31 - 1, 1], [0, 1, 4]])
    first, second = packed(wide)
    assert first.tolist() == [(2**31 - 1 << 31) | (2**31 - 1), 1]
    assert second.tolist() == [1, 4]
    # Two fields of 31 bits and one of two fill a word to its last bit.
    assert len(packed(np.array([[2**31 - 1, 2**31 - 1, 0], [0, 1, 3]]))) == 1
    assert packed(np.empty((3, 0), dtype=np.int64)) == []


def test_a_table_is_at_most_half_full():
    assert [table_bits(n) for n in (1, 8, 9, 16, 17, 1000)] == [4, 4, 5, 5, 6, 11]


def test_columns_of_codes_are_records():
    classes = classes_of_codes([np.array([1, 0, 1, 1]), np.array([0, 0, 0, 5])])
    assert (classes.label.tolist(), classes.first.tolist(), classes.size.tolist()) == (
        [0, 1, 0, 2],
        [0, 1, 3],
        [2, 1, 1],
    )


@pytest.mark.parametrize("plain", [True, False])
def test_distinct_rows_by_hand(plain, monkeypatch):
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: plain)
    words = np.array([[3, 1], [0, 2], [3, 1], [3, 2], [0, 2], [3, 1]], dtype=np.uint64)
    classes = distinct_rows(words)
    assert classes.label.tolist() == [0, 1, 0, 2, 1, 0]
    assert classes.first.tolist() == [0, 1, 3]
    assert classes.size.tolist() == [3, 2, 1]
