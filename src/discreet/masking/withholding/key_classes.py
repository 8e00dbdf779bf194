"""Classes of records that share their keys: the counting behind k-anonymity, under both readings of missing.

Keys are small positive integers, 0 standing for a missing value. Under the reading "category" two records match where
all keys are equal, missing like any other value; under "wildcard" a missing value matches everything.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.distinct import number_classes
from discreet.typing import BoolArray, IntArray

__all__ = ["KeyCoder", "classes_of", "distinct_values", "wildcard_counts"]

_LIMIT = 2**62


class KeyCoder:
    """Rows of keys as single numbers, equal exactly where the rows are, with any keys left out."""

    def __init__(self, keys: IntArray) -> None:
        self._keys = keys
        self._sizes = [int(size) + 1 for size in keys.max(axis=0, initial=0)]
        self._parts: list[IntArray] = []
        self._full = np.zeros(len(keys), dtype=np.int64)
        radix = 1
        if math.prod(self._sizes) < _LIMIT:
            # What each key adds to the number of its row, so that a hidden key is one subtraction.
            for j, size in enumerate(self._sizes):
                self._parts.append(keys[:, j] * radix)
                self._full += self._parts[-1]
                radix *= size

    def numbers(self, rows: IntArray | slice, hidden: BoolArray) -> IntArray:
        """Return one number for each of the rows, its hidden keys read as missing."""
        if self.comparable:
            result: IntArray = self._full[rows].copy()
            for j in np.flatnonzero(hidden):
                result -= self._parts[j][rows]
            return result
        # Too many combinations for one number: columns are joined one by one and numbered anew where that is needed.
        keys = self._keys[rows]
        result, width = np.zeros(len(keys), dtype=np.int64), 1
        for j in np.flatnonzero(~hidden):
            if width * self._sizes[j] >= _LIMIT:
                result = classes_of(result)[0]
                width = int(result.max(initial=0)) + 1
            result, width = result * self._sizes[j] + keys[:, j], width * self._sizes[j]
        return result

    @property
    def comparable(self) -> bool:
        """Whether numbers of different calls may be compared."""
        return len(self._parts) == len(self._sizes)


def classes_of(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the class of every number, as they appear, and the size of every class.

    Examples
    --------
    >>> labels, sizes = classes_of(np.array([7, 5, 7]))
    >>> labels.tolist(), sizes.tolist()
    ([0, 1, 0], [2, 1])
    """
    bits = max(int(2 * numbers.size).bit_length(), 4)
    labels = np.empty(numbers.size, dtype=np.int64)
    heads = np.empty(max(numbers.size, 1), dtype=np.int64)
    keys = np.ascontiguousarray(numbers, dtype=np.int64)
    count = number_classes(keys, bits, np.empty(2**bits, dtype=np.int64), heads, labels)
    return labels, np.bincount(labels, minlength=count)


def distinct_values(labels: IntArray, n_classes: int, values: IntArray) -> IntArray:
    """Return how many different values each class holds.

    Examples
    --------
    >>> distinct_values(np.array([0, 0, 1, 1]), 2, np.array([5, 6, 7, 7])).tolist()
    [2, 1]
    """
    pairs = np.unique(labels * (int(values.max(initial=0)) + 1) + values)
    return np.bincount(pairs // (int(values.max(initial=0)) + 1), minlength=n_classes)


def wildcard_counts(keys: IntArray) -> IntArray:
    """Return how many records each record matches, itself included, where a missing value matches everything.

    Exact. Records are taken by their pattern of missing keys; two patterns are compared on the keys that neither lacks.
    O(n × patterns).

    Examples
    --------
    >>> wildcard_counts(np.array([[1, 1], [1, 2], [1, 0]])).tolist()
    [2, 2, 3]
    """
    patterns, of_record = np.unique(keys == 0, axis=0, return_inverse=True)
    rows = [np.flatnonzero(of_record.ravel() == p) for p in range(len(patterns))]
    coder, result = KeyCoder(keys), np.zeros(len(keys), dtype=np.int64)
    for a, first in enumerate(rows):
        for b, second in enumerate(rows):
            both = np.concatenate([first, second])
            labels, _ = classes_of(coder.numbers(both, patterns[a] | patterns[b]))
            matches = np.bincount(labels[first.size :], minlength=int(labels.max()) + 1)
            result[first] += matches[labels[: first.size]]
    return result
