"""The different rows of two files, counted by hand."""

from __future__ import annotations

import pytest
from tests.statistics.small import CUTS, answer, blocks, joined

from discreet.errors import DataError
from discreet.statistics import value_counts
from discreet.statistics.both_rows import BothRows


def counted(question, cut):
    rows = answer(question, blocks(cut))
    assert (rows.rows[1:] > rows.rows[:-1]).all()
    return sorted(zip(rows.before.tolist(), rows.after.tolist(), strict=True)), rows.blank


@pytest.mark.parametrize("cut", CUTS)
def test_rows_of_either_file(cut):
    # s before: a 3, b 2, missing 1; after: a 4, c 1, missing 1.
    by_level = BothRows(("s",), (joined("s"),), ("s",))
    assert (by_level.original, by_level.released) == (("s",), ("s",))
    assert counted(by_level, cut) == ([(0, 1), (1, 1), (2, 0), (3, 4)], 1)
    # x before: 1 2 3 – 5 6; after: 1 2 4 4 – 6.
    assert counted(BothRows(("x",), (None,), ("x",)), cut) == ([(0, 2), (1, 0), (1, 0), *[(1, 1)] * 4], 1)
    both = BothRows(("s", "x"), (joined("s"), None), ("s", "x"))
    # Before: a1 b2 a3 – b5 a6, after: a1 c2 a4 a4 – a6; the rows without a cell are not of one record.
    assert counted(both, cut) == ([(0, 1), (0, 2), (1, 0), (1, 0), (1, 0), (1, 1), (1, 1), (1, 1)], 1)


@pytest.mark.parametrize("cut", CUTS)
def test_a_column_that_is_not_released_is_missing_there(cut):
    kept = BothRows(("s", "y"), (joined("s"), None), ("s",))
    # Before: a1 b0 a2 –1 b2 a0, all different; after: a– c– a– a– –– a–.
    assert counted(kept, cut) == ([(0, 1), (0, 1), (0, 4), *[(1, 0)] * 6], 1)
    nothing = BothRows(("y",), (None,), ())
    assert counted(nothing, cut) == ([(0, 6), (2, 0), (2, 0), (2, 0)], 6)


@pytest.mark.parametrize("names", [("s", "t"), ("t", "s")])
def test_which_column_has_a_value_tells_rows_apart(names):
    rows = BothRows(names, (joined("t"),) * 2, names)
    # Before: ab bb aa –a bb aa; after: ab cb aa ab –b aa.
    assert counted(rows, (6,)) == ([(0, 1), (0, 1), (1, 0), (1, 2), (2, 0), (2, 2)], 0)


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(value_counts, "MOST_DIFFERENT", 6)
    with pytest.raises(DataError, match="There are 7 different records"):
        counted(BothRows(("x",), (None,), ("x",)), (1,) * 6)
