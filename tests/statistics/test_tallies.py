"""Tables of counts, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, joined

from discreet.statistics import tallies
from discreet.statistics.tallies import (
    Cells,
    LevelTransitions,
    TableDifferences,
    count_cells,
    count_levels,
    cramers_v,
)


def listed(cells):
    return [tuple(map(float, one)) for one in zip(cells.rows, cells.columns, cells.counts, strict=True)]


@pytest.mark.parametrize("dense", [0, 1 << 16])
def test_cells_row_after_row(monkeypatch, dense):
    monkeypatch.setattr(tallies, "_DENSE", dense)
    rows, columns = np.array([1, 0, 1, 1]), np.array([2, 6, 2, 0])
    cells = count_cells(rows, columns, 7, 9, np.array([1.0, 2.0, 0.5, 4.0]))
    assert listed(cells) == [(0, 6, 2), (1, 0, 4), (1, 2, 1.5)]


@pytest.mark.parametrize("cut", CUTS)
def test_what_every_level_became(cut):
    question = LevelTransitions(("s", "t"), (joined("s"), joined("t")))
    assert (question.original, question.released) == (("s", "t"), ("s", "t"))
    plain = answer(question, blocks(cut))
    # a, b, c and the missing value are 0 to 3.
    assert listed(plain.cells["s"]) == [(0, 0, 3), (1, 2, 1), (1, 3, 1), (3, 0, 1)]
    assert listed(plain.cells["t"]) == [(0, 0, 2), (0, 1, 1), (1, 1, 3)]
    assert (plain.sizes, plain.weight) == ({"s": 4, "t": 4}, 6.0)
    question = LevelTransitions(("s",), (joined("s"),), "w")
    assert question.original == ("s", "w")
    weighed = answer(question, blocks(cut))
    assert listed(weighed.cells["s"]) == [(0, 0, 5), (1, 2, 2), (1, 3, 1), (3, 0, 2)]
    assert weighed.weight == 10.0


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("largest", [None, 3])
@pytest.mark.parametrize("dense", [0, 1 << 16])
def test_differences_of_tables(monkeypatch, cut, largest, dense):
    monkeypatch.setattr(tallies, "_DENSE", dense)
    if largest:
        monkeypatch.setattr(tallies, "LARGEST", largest)
    names = ("s", "t")
    sums = answer(TableDifferences(names, (joined("s"), joined("t")), (("s",), names), "w"), blocks(cut))

    def read(table):
        rows = sums.cells[table]
        places = rows.view(np.int64).reshape(-1, len(table)) if largest else np.stack(
            np.unravel_index(rows, (4,) * len(table)), axis=1)  # fmt: skip
        pairs = zip(map(tuple, places.tolist()), sums.differences[table].tolist(), strict=True)
        return {cell: difference for cell, difference in pairs if difference}

    # Before a weighs 5, b 3 and the missing 2; after a 7, c 2 and the missing 1.
    assert read(("s",)) == {(0,): -2, (1,): 3, (2,): -2, (3,): 1}
    # Cells before: ab 1, bb 3, aa 4, –a 2; after: ab 3, cb 2, aa 4, –b 1.
    assert read(names) == {(0, 1): -2, (1, 1): 3, (3, 0): 2, (2, 1): -2, (3, 1): -1}
    assert sums.gaps == {"s": True, "t": False}
    assert sums.weight == 10.0
    assert answer(TableDifferences(names, (joined("s"), joined("t")), (("s",),)), blocks(cut)).weight == 6.0


def test_levels_are_counted_by_weight():
    assert count_levels(np.array([0, 2, 2]), 4, np.array([1.0, 2.0, 0.5])).tolist() == [1, 0, 2.5, 0]


@pytest.mark.parametrize(
    ("table", "v"),
    [
        ([[5, 0], [0, 5]], 1.0),
        ([[4, 4], [2, 2]], 0.0),
        # χ² = Σ (observed − 5)²/5 = 4 · 9/5 = 7.2 of 20 records, on one degree: √0.36.
        ([[8, 2], [2, 8]], 0.6),
        # Three by three with a full diagonal: χ² = 2 n.
        ([[3, 0, 0], [0, 3, 0], [0, 0, 3]], 1.0),
        # Two by three: χ²/n = 4²/(4·4) + … − 1 = 1, over one degree.
        ([[4, 0, 0], [0, 2, 2]], 1.0),
        ([[3, 4]], 0.0),
        ([[3], [4]], 0.0),
    ],
)
def test_cramers_v(table, v):
    rows, columns = np.nonzero(table)
    counts = np.array(table, dtype=float)[rows, columns]
    assert cramers_v(Cells(rows, columns, counts)) == pytest.approx(v, abs=1e-12)
