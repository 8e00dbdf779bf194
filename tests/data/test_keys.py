from __future__ import annotations

import numpy as np
import pytest

from discreet.data import keys
from discreet.data.keys import LARGEST, distinct_codes, pack


@pytest.mark.parametrize("cells", [1, 5, 300, 10**6, LARGEST])
@pytest.mark.parametrize("n", [0, 1, 2, 500])
@pytest.mark.parametrize("few", [0, 100_000])
def test_different_codes_are_those_of_numpy(monkeypatch, n, cells, few):
    monkeypatch.setattr(keys, "_FEW", few)  # by the kernel, or by sorting, where there are too many codes for a table
    packed = np.random.default_rng(n).choice([0, 3, cells - 1, cells // 2, cells // 3], n) % cells
    _, *expected = np.unique(packed, return_index=True, return_inverse=True, return_counts=True)
    if n == 0 and few == 0 and cells > 1024:
        return  # a kernel has no table for nobody, and nobody asks
    for ours, theirs in zip(distinct_codes(packed, cells), expected, strict=True):
        assert ours.tolist() == theirs.tolist()
        assert ours.dtype == np.int64


def test_combinations_of_more_than_62_bits_are_numbered_anew():
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, 1 << 20, 300) // (1 << 18) * (1 << 18) for _ in range(5)]
    packed, cells = pack(columns, [1 << 20] * 5)
    assert 0 <= packed.min() <= packed.max() < cells <= LARGEST
    _, labels = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    assert (np.unique(packed, return_inverse=True)[1] == labels.ravel()).all()
