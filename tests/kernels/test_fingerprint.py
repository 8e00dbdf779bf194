"""Sums over the cells of a column, in whole numbers of Python."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.fingerprint import add_cells
from discreet.kernels.jit import PlainTwin

FULL = (1 << 64) - 1


def mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & FULL
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & FULL
    return z ^ (z >> 31)


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
def test_every_value_counts_at_its_own_position(plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def takes(_twin: PlainTwin, work: float) -> bool:
        asked.append(work)
        return plain

    monkeypatch.setattr(PlainTwin, "takes", takes)
    bits, positions, salt = [0, 5, 2**63, FULL, 5], [0, 1, 2, 10**12, 4], 0xDEADBEEFCAFEF00D
    first, second = FULL, 7
    for value, position in zip(bits, positions, strict=True):
        cell = mixed((mixed((value + salt) & FULL) + (position + 1) * 0x9E3779B97F4A7C15) & FULL)
        first, second = (first + cell) & FULL, (second + mixed(cell ^ salt)) & FULL
    sums = np.array([FULL, 7], dtype=np.uint64)
    add_cells(np.array(bits, dtype=np.uint64), np.array(positions), np.uint64(salt), sums)
    assert sums.tolist() == [first, second]
    # In two parts, in another order, and with a part that is empty.
    parts = np.array([FULL, 7], dtype=np.uint64)
    for these in ([4, 2], [], [3, 0, 1]):
        add_cells(
            np.array([bits[i] for i in these], dtype=np.uint64),
            np.array([positions[i] for i in these], dtype=np.int64),
            np.uint64(salt),
            parts,
        )
    assert parts.tolist() == [first, second]
    assert asked == [5, 2, 0, 3]
