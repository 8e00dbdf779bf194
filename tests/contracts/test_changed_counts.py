"""Cells that differ, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.contracts.changed_counts import ChangedCounts, CountChanged, _is_written_alike, count_changed


def table(scale, values):
    schema = dc.Schema([dc.Attribute("a", scale, "key")])
    return dc.Microdata(pl.DataFrame({"a": values}, strict=False), schema)


def changed(scale, before, after, other=None):
    first, second = table(scale, before), table(other or scale, after)
    return count_changed(first, second, "a", second.encoded("a"))


def test_numbers_that_are_missing_twice_are_the_same():
    assert changed(dc.Numeric(), [1.0, None, 3.0, None], [1.0, None, 4.0, 2.0]) == 2
    assert changed(dc.Numeric(), [1.0, None], [None, None]) == 1


def test_levels_and_sequences_that_differ_are_counted():
    assert changed(dc.Nominal(("p", "q")), ["p", None, "q", "q"], ["p", None, "p", None]) == 2
    assert changed(dc.Sequence(["p", "q"]), ["p q", "q", "p", "q q"], ["p q", "q p", "q", "q q"]) == 2


def test_of_two_scales_what_is_written_is_compared():
    wider = dc.Nominal(("a", "z", "p", "q"))
    assert changed(dc.Nominal(("p", "q")), ["p", "q", "q", None], ["p", "z", "q", None], wider) == 1
    assert changed(dc.Numeric(), [1.0, 2.0, 3.0], ["1", "a", "3.0"], dc.Nominal(("1", "3.0", "a"))) == 1


@pytest.mark.parametrize(
    ("before", "after", "alike"),
    [
        (9, "9", True), (9.0, "9", True), (9, "9.0", True), (9, "8", False), (9, "nine", False), (9, 9.5, False),
        ("9", "9.0", False), (True, "1", False), (None, "9", False), (9, None, False),
    ],
)  # fmt: skip
def test_a_number_that_became_its_text_is_written_alike(before, after, alike):
    assert _is_written_alike(before, after) is alike


def test_counts_of_parts_add_up():
    assert ChangedCounts({"a": 2, "b": 0}).merge(ChangedCounts({"b": 5, "a": 1})) == ChangedCounts({"a": 3, "b": 5})
    question = CountChanged(("b", "a"))
    assert (question.original, question.released) == (("b", "a"), ("b", "a"))
