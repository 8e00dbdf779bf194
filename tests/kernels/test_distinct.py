"""Classes of equal keys, and which of them are hidden."""

from __future__ import annotations

import numpy as np

from discreet.kernels.distinct import number_classes, split_classes


def test_equal_keys_get_one_number_as_they_appear() -> None:
    rng = np.random.default_rng(2)
    # Keys that fall on the same slots: a table hardly larger than what it holds.
    for keys, bits in ((rng.integers(-5, 5, 30), 5), (rng.integers(-(2**62), 2**62, 15), 4), (np.array([4, 4, 4]), 2)):
        slots, heads = np.empty(1 << bits, dtype=np.int64), np.empty(keys.size, dtype=np.int64)
        labels = np.full(keys.size, -7)
        count = number_classes(keys.astype(np.int64), bits, slots, heads, labels)
        first = list(dict.fromkeys(keys.tolist()))
        assert count == len(first)
        assert labels.tolist() == [first.index(key) for key in keys.tolist()]
        assert heads[:count].tolist() == first


def hidden(groups: list[int], classes: list[int], sizes: list[int], k: int) -> list[int]:
    order = np.arange(len(groups))
    hide = np.full(len(groups), 5)
    split_classes(order, np.array(groups), np.array(classes), np.array(sizes), k, hide)
    return hide.tolist()


def test_the_smallest_classes_of_a_group_are_hidden_until_the_others_match_enough() -> None:
    # One group: one alone, one alone, a pair, three. For k = 3 both alone are hidden; the pair then matches 2 + 2.
    sizes = [1, 1, 2, 2, 3, 3, 3]
    assert hidden([0] * 7, [0, 1, 2, 2, 3, 3, 3], sizes, 3) == [1, 1, 0, 0, 0, 0, 0]
    assert hidden([0] * 7, [0, 1, 2, 2, 3, 3, 3], sizes, 2) == [1, 0, 0, 0, 0, 0, 0]
    assert hidden([0] * 7, [0, 1, 2, 2, 3, 3, 3], sizes, 1) == [0] * 7
    assert hidden([0] * 7, [0, 1, 2, 2, 3, 3, 3], sizes, 5) == [1, 1, 1, 1, 0, 0, 0]


def test_what_is_hidden_in_one_group_does_not_count_in_another() -> None:
    assert hidden([0, 0, 1, 1], [0, 1, 2, 3], [1, 1, 1, 1], 2) == [1, 0, 1, 0]
    # One class that is in two groups is looked at in each.
    assert hidden([0, 1, 1], [4, 4, 5], [1, 1, 2], 2) == [1, 1, 0]
