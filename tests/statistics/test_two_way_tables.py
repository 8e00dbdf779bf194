"""Tables of every two attributes, counted by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.statistics.small import CUTS, answer, blocks, joined, table

from discreet.data.levels import join_levels
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.statistics.two_way_tables import TwoWayTables


def listed(cells):
    return [tuple(map(float, one)) for one in zip(cells.rows, cells.columns, cells.counts, strict=True)]


@pytest.mark.parametrize("cut", CUTS)
def test_the_tables_of_two_attributes_before_and_after(cut):
    question = TwoWayTables(("s", "t"), (joined("s"), joined("t")))
    tables = answer(question, blocks(cut))
    first, second = tables.tables["s", "t"]
    assert listed(first) == [(0, 0, 2), (0, 1, 1), (1, 1, 2), (3, 0, 1)]
    assert listed(second) == [(0, 0, 2), (0, 1, 2), (2, 1, 1), (3, 1, 1)]
    assert tables.sizes == {"s": 4, "t": 4}
    weighed = answer(TwoWayTables(("s", "t"), (joined("s"), joined("t")), "w"), blocks(cut))
    first, second = weighed.tables["s", "t"]
    assert listed(first) == [(0, 0, 4), (0, 1, 1), (1, 1, 3), (3, 0, 2)]
    assert listed(second) == [(0, 0, 4), (0, 1, 3), (2, 1, 2), (3, 1, 1)]


def test_what_is_looked_at():
    question = TwoWayTables(("s", "t"), (joined("s"), joined("t")), "w")
    assert (question.original, question.released) == (("s", "t", "w"), ("s", "t"))


def test_tables_of_different_sizes_keep_their_cells():
    wide = ("a", "b", "c", "d", "e")
    one = table(wide, s=["e", "d", "e", "e"], w=[1.0] * 4)
    two = table(("a", "b"), t=["b", "b", "a", "b"], w=[1.0] * 4)
    schema = Schema([one.schema["s"], two.schema["t"], one.schema["w"]])
    both = Microdata(pa.table({"s": one.column("s"), "t": two.column("t"), "w": one.column("w")}), schema)
    levels = tuple(join_levels(both.schema[name].scale, both.schema[name].scale) for name in "st")
    for cut in ((4,), (3, 1)):
        tables = answer(TwoWayTables(("s", "t"), levels), blocks(cut, both, both))
        assert listed(tables.tables["s", "t"][0]) == [(3, 1, 1), (4, 0, 1), (4, 1, 2)]
