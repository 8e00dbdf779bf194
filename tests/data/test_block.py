from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.block import Block
from discreet.data.levels import JoinedLevels, join_levels
from discreet.data.microdata import Microdata, table_of_numbers
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema


def words(cells, levels):
    return Microdata(pa.table({"x": cells}), Schema([Attribute("x", Nominal(levels), "key")]))


def test_a_block_is_as_long_as_its_records_and_shows_none_of_them():
    block = Block(np.array([7, 9]), table_of_numbers({"x": np.array([0.5, 1.5])}))
    assert len(block) == 2
    assert repr(block) == "Block(2 records)"
    assert block.release is None


def test_what_several_questions_look_at_is_made_once():
    block, made = Block(np.arange(2), table_of_numbers({"x": np.array([0.5, 1.5])})), []
    for _ in range(2):
        assert block.once("a", lambda: made.append("a") or "first") == "first"
    assert block.once("b", lambda: "second") == "second"
    assert made == ["a"]


def test_levels_before_and_after_stand_on_one_list():
    block = Block(np.arange(3), words(["b", None, "a"], ["a", "b"]), words(["c", "a", None], ["a", "c"]))
    joined = join_levels(Nominal(["a", "b"]), Nominal(["a", "c"]))
    before, after = block.levels("x", joined)
    assert (before.tolist(), after.tolist()) == ([1, 3, 0], [2, 0, 3])
    assert block.levels("x", joined)[0] is before


@pytest.mark.parametrize(
    ("size", "kind"),
    [(128, np.int8), (129, np.int16), (32_768, np.int16), (32_769, np.int32)],
)
def test_levels_are_kept_in_as_few_bytes_as_they_need(size, kind):
    block = Block(np.arange(2), words(["a", None], ["a"]), words(["a", None], ["a"]))
    before, after = block.levels("x", JoinedLevels(1, size, (size - 2,)))
    assert (before.dtype, after.dtype) == (kind, kind)
    assert (before.tolist(), after.tolist()) == ([0, size - 1], [size - 2, size - 1])
