"""P2 (Torra and Nin, "Record linkage for database integration using fuzzy integrals"): Tables I–IV."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.chance import probability_at_least, probability_of
from discreet.operators import OWA, Power
from discreet.reproduction.subjects import representatives_example
from discreet.reproduction.subjects.representatives_example import FILE_A, FILE_B, TABLE_III, TABLE_IV


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
            # The last row, 1/100! = 1.0715…E-158, is cut off where all others are rounded.
            rounded = {"1.071E-158": "1.072E-158"}.get(cell, cell)
            digits = len(rounded.upper().split("E")[0].partition(".")[2])
            shown = f"{found:.{digits}E}" if "E" in rounded else f"{found:.{digits}f}"
            assert float(shown) == float(rounded), (r, cell, shown)


def test_tables_have_their_names_and_sizes():
    """Name, title, corner, columns, rows, and the first and the last row."""
    found = representatives_example.tables()
    assert [
        (one.name, one.title, one.corner, len(one.columns), len(one.rows), one.rows[0].label, one.rows[-1].label)
        for one in found
    ] == [
        ("Table III", "Representatives of the ten records", "record", 10, 10, "r1", "r10"),
        ("Table III, file B", "Representatives of the ten records", "record", 10, 10, "r1", "r10"),
        ("Table IV", "Chance of r correct links among 100", "r", 2, 13, "0", "100"),
    ]
