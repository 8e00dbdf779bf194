"""What stands between the items of a cell, and which items there are."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.scales.item_text import items_in, mark_between
from discreet.errors import DataError


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        ([], " "),
        (["a", "b"], " "),
        (["a b"], " "),
        (["a; b", "c; d"], "; "),
        (["a; b", "c;d"], ";"),  # not every one has its blank
        (["a, b"], ", "),
        (["a,b c"], ","),
        (["a, b;c"], ";"),
        (["a | b"], " | "),
        (["a | b", "c|d"], "|"),
    ],
)
def test_the_mark_between_items(texts, mark):
    assert mark_between(pa.array(texts, pa.string())) == mark


@pytest.mark.parametrize(
    ("column", "missing", "delimiter", "items", "mark"),
    [
        (pa.array(["b;a", None, "c;;a"]), (), None, ["a", "b", "c"], ";"),
        (pa.array(["b;a", "none"]), ("none",), None, ["a", "b"], ";"),
        (pa.array(["b;a", "c"]), (), "|", ["b;a", "c"], "|"),
        (pa.array([["b", None], ["a"], None]), (), None, ["a", "b"], " "),
        (pa.array([[2], [1]], pa.large_list(pa.int64())), (), ";", [1, 2], ";"),
        (pa.array([None], pa.float64()), (), None, [], " "),
        (pa.array([], pa.string()), (), None, [], " "),
    ],
)
def test_the_items_of_a_column(column, missing, delimiter, items, mark):
    assert items_in(column, missing, delimiter) == (items, mark)


def test_numbers_are_no_sets():
    with pytest.raises(DataError, match="Sets of items must be text or lists"):
        items_in(pa.array([1.5, 2.5]))
