"""Counting records that share their keys, against the definitions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from discreet.masking.withholding.key_classes import KeyCoder, classes_of, distinct_values, wildcard_counts


@pytest.mark.parametrize("limit", [2**62, 60, 59, 8, 2])
def test_numbers_are_equal_exactly_where_rows_are(limit, monkeypatch):
    """Three, four and five values make 60 combinations: fewer than the limit are one number, others are joined."""
    monkeypatch.setattr("discreet.masking.withholding.key_classes._LIMIT", limit)
    keys = np.array(list(product(range(3), range(4), range(5))) * 2)
    coder = KeyCoder(keys)
    assert coder.comparable == (limit > 60)
    for pattern in product([False, True], repeat=3):
        hidden = np.array(pattern)
        for rows in (slice(None), np.array([7, 3, 60, 119, 0, 67])):
            shown = np.where(hidden, 0, keys[rows])
            numbers = coder.numbers(rows, hidden)
            same = (shown[:, None, :] == shown[None, :, :]).all(axis=2)
            assert ((numbers[:, None] == numbers[None, :]) == same).all()
    if coder.comparable:
        first, second = (coder.numbers(slice(None), np.array(hidden)) for hidden in ([True, False, False], [False] * 3))
        both = np.where(np.array([True, False, False]), 0, keys)
        same = (both[:, None, :] == keys[None, :, :]).all(axis=2)
        assert ((first[:, None] == second[None, :]) == same).all()


def test_no_records_and_no_keys():
    coder = KeyCoder(np.zeros((0, 2), np.int64))
    assert coder.numbers(slice(None), np.zeros(2, bool)).size == 0
    labels, sizes = classes_of(np.zeros(0, np.int64))
    assert (labels.size, sizes.size) == (0, 0)


def test_classes_are_numbered_as_they_appear():
    labels, sizes = classes_of(np.array([9, -4, 9, 2**62, -4, 9]))
    assert labels.tolist() == [0, 1, 0, 2, 1, 0]
    assert sizes.tolist() == [3, 2, 1]


def test_different_values_by_hand():
    labels, values = np.array([0, 0, 2, 2, 2, 0]), np.array([5, 6, 0, 0, 3, 5])
    assert distinct_values(labels, 4, values).tolist() == [2, 0, 2, 0]
    assert distinct_values(np.zeros(0, np.int64), 2, np.zeros(0, np.int64)).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_wildcards_match_as_the_definition_says(seed):
    keys = np.random.default_rng(seed).integers(0, 3, (25, 3))
    match = ((keys[:, None] == keys[None]) | (keys[:, None] == 0) | (keys[None] == 0)).all(axis=2)
    assert wildcard_counts(keys).tolist() == match.sum(axis=1).tolist()
