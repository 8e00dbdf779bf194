from __future__ import annotations

import numpy as np

from discreet.kernels.linking.patterns import coarsen, distinct, pack


def test_pack_puts_fields_side_by_side():
    words = np.zeros((3, 2), dtype=np.uint64)
    pack(np.array([1, 2, 3]), 0, 0, words)
    pack(np.array([7, 0, 7]), 0, 4, words)
    pack(np.array([5, 6, 7]), 1, 60, words)
    assert words[:, 0].tolist() == [0x71, 0x02, 0x73]
    assert (words[:, 1] >> np.uint64(60)).tolist() == [5, 6, 7]


def test_coarsen_merges_what_becomes_equal():
    words = np.array([[0x11], [0x12], [0x21], [0x13]], dtype=np.uint64)
    counts = np.array([[1, 0], [0, 2], [3, 3], [1, 1]], dtype=np.int32)
    up = np.zeros(16, dtype=np.int64)
    up[3] = 9
    out, out_counts, table = np.empty_like(words), np.empty_like(counts), np.empty(16, dtype=np.int32)
    m = coarsen(words, counts, 0, 0, 15, up, 4, table, out, out_counts)
    assert m == 3
    assert out[:m, 0].tolist() == [0x10, 0x20, 0x19]
    assert out_counts[:m].tolist() == [[1, 2], [3, 3], [1, 1]]


def test_distinct_against_numpy():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 9, (5000, 3)).astype(np.uint64) << np.uint64(50)
    label, members, sizes = (np.empty(5000, dtype=np.int64) for _ in range(3))
    m = distinct(words, 14, np.empty(1 << 14, dtype=np.int32), label, members, sizes)
    unique, counts = np.unique(words, axis=0, return_counts=True)
    assert m == len(unique)
    assert np.array_equal(words[members[:m]][label], words)
    assert sorted(sizes[:m]) == sorted(counts)
    assert (np.diff(members[:m]) > 0).all()
