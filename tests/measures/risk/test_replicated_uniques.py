"""Who is alone with their keys in both files, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.measures.risk.replicated_uniques import ReplicatedUniques

SCHEMA = Schema([Attribute("x", Numeric(), "key"), Attribute("s", Nominal(["a", "b"]), "key")])


def measured(before, after, **options):
    frames = (pl.DataFrame({"x": x, "s": list(s)}) for x, s in (before, after))
    return ReplicatedUniques(**options).measure(*frames, SCHEMA)


def test_uniques_of_both_files_are_counted():
    before = ([1.5, 1.5, 2.5, 3.5, 4.5], "abaab")
    after = ([1.5, 2.5, 2.5, 3.5, 4.5], "aaaba")
    result = measured(before, after)
    # Before all five are alone; after 1.5 a, 3.5 b and 4.5 a are, and the last two nobody was.
    assert result.value == 20
    assert result.details == {"replicated": 1, "unique_before": 5, "unique_after": 3, "keys": ["x", "s"]}
    assert result.sentence == (
        "1 of 5 released records have keys that one person of the original has, and that no other released record has."
    )
    one = measured(before, after, attributes=["x"])
    assert one.details == {"replicated": 2, "unique_before": 3, "unique_after": 3, "keys": ["x"]}
    assert one.value == pytest.approx(40)


def test_nobody_is_alone_in_both():
    result = measured(([1.5, 2.5, 2.5], "aaa"), ([1.5, 1.5, 2.5], "aaa"))
    assert (result.value, result.sentence) == (0, "No combination of keys is unique in both files.")
    assert result.details["unique_before"] == result.details["unique_after"] == 1
