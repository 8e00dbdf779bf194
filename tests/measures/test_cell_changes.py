"""What cells lost, column by column: every pair of scales, blocks that merge, gaps on either side."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.measures.cell_changes import CellChanges, ClippedNumbers, change_of

BEFORE = Schema(
    [
        Attribute("n", Numeric()),
        Attribute("band", Numeric()),
        Attribute("level", Nominal(["a", "b"])),
        Attribute("way", Sequence(["x", "y"])),
        Attribute("words", Sequence(["x", "y"])),
        Attribute("gone", Numeric()),
    ]
)
AFTER = Schema(
    [
        Attribute("n", Numeric()),
        Attribute("band", Ordinal(["low", "high"])),
        Attribute("level", Nominal(["b", "c"])),
        Attribute("way", Sequence(["y", "x"])),
        Attribute("words", Nominal(["some"])),
    ]
)
ORIGINAL = {
    "n": [1.0, 2.0, None, 4.0, None],
    "band": [10.0, 20.0, None, 40.0, 50.0],
    "level": ["a", "b", None, "a", "a"],
    "way": ["x y", "x", "y", None, "x"],
    "words": ["x", None, "y", None, "x"],
    "gone": [1.0, None, 3.0, 4.0, 5.0],
}
RELEASE = {
    "n": [2.0, 2.0, 3.0, None, None],
    "band": ["low", "low", "high", "high", None],
    "level": ["b", "b", "c", None, "b"],
    "way": ["x y", "y", "y", "x", None],
    "words": ["some", "some", None, None, "some"],
}


def block(rows: slice = slice(None)) -> Block:
    original = {name: cells[rows] for name, cells in ORIGINAL.items()}
    release = {name: cells[rows] for name, cells in RELEASE.items()}
    data, masked = Microdata(pl.DataFrame(original), BEFORE), Microdata(pl.DataFrame(release), AFTER)
    return Block(np.arange(len(data)), data, masked)


QUESTION = CellChanges(tuple(ORIGINAL), BEFORE, AFTER, {"n": 4.0}, {"band": 20.0})


def test_the_kinds_of_a_change() -> None:
    assert [change_of(BEFORE, AFTER, name) for name in ORIGINAL] == [
        ("numeric", "numeric"),
        ("numeric", "categorical"),
        ("categorical", "categorical"),
        ("sequence", "sequence"),
        ("sequence", "categorical"),
        ("numeric", ""),
    ]
    assert QUESTION.original == tuple(ORIGINAL)
    assert QUESTION.released == tuple(RELEASE)


def test_what_cells_lost_by_hand() -> None:
    changed = QUESTION.summarise(block())
    # Lost and counted: a quarter of a unit, nothing, and two cells that one file has alone.
    assert changed.sums["n"].tolist() == [2.25, 4]
    # By band, and for none: numbers, their sum and that of squares about 20; one cell got a band without a number.
    assert changed.sums["band"].tolist() == [[2, -10, 100], [1, 20, 400], [1, 30, 900], [1, 0, 0]]
    # x became y: alphabets are in another order, and it is events that count.
    assert changed.sums["way"].tolist() == pytest.approx([3, 5])
    assert changed.sums["words"].tolist() == [4, 4]  # no rule compares them: every cell that held something is lost
    assert changed.sums["gone"].tolist() == [4, 4]
    assert changed.sizes == {"level": (3, 3)}
    level = changed.cells["level"]
    assert list(zip(level.rows.tolist(), level.columns.tolist(), level.counts.tolist(), strict=True)) == [
        (0, 0, 2.0), (0, 2, 1.0), (1, 0, 1.0), (2, 1, 1.0),
    ]  # fmt: skip


def test_blocks_add_up() -> None:
    whole = QUESTION.summarise(block())
    parts = QUESTION.summarise(block(slice(0, 2))).merge(QUESTION.summarise(block(slice(2, None))))
    for name, sums in whole.sums.items():
        np.testing.assert_allclose(parts.sums[name], sums)
    for part in ("rows", "columns", "counts"):
        np.testing.assert_array_equal(getattr(parts.cells["level"], part), getattr(whole.cells["level"], part))
    assert parts.sizes == whole.sizes


def test_units_are_those_of_clipped_numbers_where_they_vary() -> None:
    question = ClippedNumbers(("n", "band"), ((1.0, 2.0), (20.0, 40.0)))
    assert (question.original, question.released) == (("n", "band"), ())
    spreads = question.summarise(block())
    merged = question.summarise(block(slice(0, 3))).merge(question.summarise(block(slice(3, None))))
    clipped = [np.std([1, 2, 2]), np.std([20, 20, 40, 40])]
    whole = [np.std([1, 2, 4]), np.std([10, 20, 40, 50])]
    for one in (spreads, merged):
        np.testing.assert_allclose(one.units(np.array([True, True])), np.sqrt(2) * np.array(clipped))
        np.testing.assert_allclose(one.units(np.array([True, False])), np.sqrt(2) * np.array([clipped[0], whole[1]]))
        np.testing.assert_allclose(one.middles, [7 / 3, 30])
