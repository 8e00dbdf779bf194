"""Columns as levels, and as a written file shows them."""

from __future__ import annotations

import pyarrow as pa
from tests.statistics.small import after, table

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.statistics.written_levels import level_codes, written_levels


def test_the_last_code_is_the_missing_value():
    codes, size = level_codes(after(), "s")
    assert (codes.tolist(), size) == ([2, 1, 2, 2, 3, 2], 4)
    codes, size = level_codes(table(x=[5.0, None, 2.0, 5.0]), "x")
    assert (codes.tolist(), size) == ([1, 2, 0, 1], 3)


def test_missing_cells_that_a_file_tells_apart_have_codes_of_their_own():
    schema = Schema([Attribute("x", Numeric(), "key", missing=(-8, -9))])
    data = Microdata(pa.table({"x": [5, -8, 2, -9, None, 5, -8]}), schema)
    levels = written_levels(data, "x")
    assert levels.values == 2
    assert levels.size == 5
    codes = levels.codes.tolist()
    assert codes[0] == codes[5] < 2
    assert codes[2] == 1 - codes[0]
    assert codes[1] == codes[6] >= 2
    assert sorted({codes[1], codes[3], codes[4]}) == [2, 3, 4]
    full = written_levels(table(x=[5.0, 2.0, 5.0]), "x")
    assert (full.size, full.values) == (2, 2)
