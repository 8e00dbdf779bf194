"""Nearest classes turned into records, lists that are sorted and grow, and rows of ties, by hand."""

from __future__ import annotations

import numpy as np

from discreet.kernels.linking.tied_rows import copy_rows, enlarged, find_ends, name_records, put_in_order

FAR = np.iinfo(np.int64).max


def test_lists_are_sorted_where_they_lie_and_only_what_counts() -> None:
    rng = np.random.default_rng(1)
    for size in (0, 1, 2, 3, 8, 33):
        entries = rng.integers(-5, 5, size + 2)
        spare = entries[size:].copy()
        expected = sorted(entries[:size].tolist())
        put_in_order(entries, size)
        assert entries[:size].tolist() == expected
        assert entries[size:].tolist() == spare.tolist()


def test_a_longer_list_begins_with_what_was_there() -> None:
    longer = enlarged(np.array([4, 5, 6, 7]), 3, 5)
    assert longer.size >= 5
    assert longer[:3].tolist() == [4, 5, 6]


def test_classes_become_records_and_the_second_of_a_class_is_the_second_nearest() -> None:
    # Classes of A: 0 holds records 3 and 7, 1 holds record 0, 2 holds records 1, 2 and 5.
    a_first, a_next, a_size = np.array([3, 0, 1]), np.array([7, FAR, 2]), np.array([2, 1, 3])
    # Rows of ties: the first class alone, the second alone, the first two.
    offsets, tied = np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1])
    best = np.array([0, 1, 1, -1, 1])
    second = np.array([1, 2, 0, -1, -1])
    score = np.array([1.0, 1.0, 2.0, np.inf, 4.0])
    second_score = np.array([5.0, 3.0, 2.0, np.inf, np.inf])
    row, ties = np.array([0, 1, 2, 0, 1]), np.empty(5, dtype=np.int64)
    name_records(a_first, a_next, a_size, offsets, tied, best, score, second, second_score, row, ties)
    assert best.tolist() == [3, 0, 0, -1, 0]
    # The other record of the class; the first of the next class; the first of the tied class; nobody.
    assert second.tolist() == [7, 1, 3, -1, -1]
    assert second_score.tolist() == [1, 3, 2, np.inf, np.inf]
    assert row.tolist() == [0, 1, 2, -1, 1]
    assert ties[[0, 1, 2, 4]].tolist() == [2, 1, 3, 1]


def test_every_record_gets_a_row_of_its_own() -> None:
    row, offsets, tied = np.array([1, -1, 0, 1]), np.array([0, 2, 3]), np.array([8, 9, 4])
    ends = np.empty(5, dtype=np.int64)
    assert find_ends(row, offsets, ends) == 4
    assert ends.tolist() == [0, 1, 1, 3, 4]
    out = np.empty(4, dtype=np.int64)
    copy_rows(row, offsets, tied, ends, out)
    assert out.tolist() == [4, 8, 9, 4]
