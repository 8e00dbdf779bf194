"""P2 (Torra and Nin, "Record linkage for database integration using fuzzy integrals"): Tables I–IV."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.chance import probability_at_least, probability_of
from discreet.operators import OWA, Power

FILE_A = [
    (0.2, 0.4, 0.2, 0.4),
    (0.1, 0.2, 0.1, 0.2),
    (0.5, 0.6, 0.5, 0.1),
    (0.8, 0.4, 0.4, 0.7),
    (0.9, 0.2, 0.0, 0.0),
    (0.2, 0.2, 0.3, 0.9),
    (0.5, 0.3, 0.2, 1.0),
    (0.0, 0.1, 0.5, 1.0),
    (1.0, 0.0, 0.9, 0.2),
    (0.5, 1.0, 1.0, 0.8),
]
FILE_B = [
    (0.4, 0.2, 0.2, 0.4),
    (0.2, 0.1, 0.1, 0.2),
    (0.1, 0.5, 0.5, 0.6),
    (0.7, 0.4, 0.8, 0.4),
    (0.0, 0.0, 0.9, 0.2),
    (0.9, 0.3, 0.2, 0.2),
    (1.0, 0.2, 0.5, 0.3),
    (1.0, 0.5, 0.0, 0.1),
    (0.2, 0.9, 1.0, 0.0),
    (0.8, 1.0, 0.5, 1.0),
]
# Columns α = 1/5 … 10/5. The cell printed 0.351 is 0.35157.
TABLE_III = """
0.374 0.351 0.332 0.315 0.3 0.287 0.276 0.266 0.257 0.25
0.187 0.176 0.166 0.157 0.15 0.144 0.138 0.133 0.129 0.125
0.553 0.514 0.480 0.451 0.425 0.402 0.382 0.363 0.347 0.33125
0.737 0.685 0.641 0.605 0.575 0.550 0.528 0.510 0.494 0.48125
0.705 0.554 0.437 0.346 0.275 0.220 0.176 0.142 0.115 0.09375
0.742 0.620 0.527 0.455 0.4 0.357 0.324 0.298 0.278 0.2625
0.847 0.728 0.634 0.559 0.5 0.453 0.414 0.383 0.358 0.3375
0.822 0.679 0.566 0.474 0.4 0.340 0.290 0.249 0.216 0.1875
0.874 0.766 0.674 0.594 0.525 0.465 0.413 0.368 0.328 0.29375
0.957 0.919 0.884 0.853 0.825 0.799 0.776 0.755 0.736 0.71875
"""
# n = 100: r, chance of exactly r links, chance of r or more. The last row, 1/100! = 1.0715…E-158, is cut off in the
# paper (1.071E-158), where all others are rounded; it stands here rounded.
TABLE_IV = """
0 0.36787944 1
1 0.36787944 0.63212056
2 0.18393972 0.26424112
3 0.06131324 0.08030140
5 0.00306566 0.00365985
10 1.0138E-7 1.1143E-7
15 2.8132E-13 3.0000E-13
20 1.5121E-19 1.5875E-19
26 9.1219E-28 9.4723E-28
28 1.2066E-30 1.2496E-30
30 1.3869E-33 1.4331E-33
50 1.2096E-65 1.2338E-65
100 1.072E-158 1.072E-158
"""


def representatives(file: list[tuple[float, ...]]) -> np.ndarray:
    values = np.array(file).ravel()
    offsets = np.arange(0, values.size + 1, 4)
    return np.column_stack([OWA(Power(step / 5)).batch(values, offsets) for step in range(1, 11)])


@pytest.mark.parametrize("file", [FILE_A, FILE_B], ids=["A", "B"])
def test_table_iii(file: list[tuple[float, ...]]) -> None:
    printed = np.array([[float(cell) for cell in line.split()] for line in TABLE_III.strip().splitlines()])
    found = representatives(file)
    assert found[0, 1] == pytest.approx(0.35157, abs=5e-6)
    printed[0, 1] = 0.352
    assert np.abs(found[:, :9] - printed[:, :9]).max() <= 0.5e-3 + 1e-9
    assert found[:, 9] == pytest.approx(printed[:, 9], abs=1e-12)


def test_both_files_have_the_same_representatives() -> None:
    assert representatives(FILE_A) == pytest.approx(representatives(FILE_B), abs=1e-14)


def test_table_iv() -> None:
    for line in TABLE_IV.strip().splitlines():
        r, *printed = line.split()
        for cell, found in zip(printed, (probability_of(int(r), 100), probability_at_least(int(r), 100)), strict=True):
            digits = len(cell.upper().split("E")[0].partition(".")[2])
            shown = f"{found:.{digits}E}" if "E" in cell else f"{found:.{digits}f}"
            assert float(shown) == float(cell), (r, cell, shown)
