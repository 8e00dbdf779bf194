"""Which sets of events are tried, and what is said where not all of them are."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.measures.risk.sequence_knowledge import KnownEvents

SCHEMA = dc.Schema([dc.Attribute("visits", dc.Sequence("abcd"), "key")])
SAMPLED = " sets of events was tried: with all sets it may be more."


def measured(measure, before, after=None):
    return measure.measure(pl.DataFrame({"visits": before}), pl.DataFrame({"visits": after or before}), SCHEMA)


@pytest.mark.parametrize(
    ("known", "draws", "length", "places"),
    [
        (1, 3, 3, [[0], [1], [2]]),
        (2, 3, 3, [[0, 1], [0, 2], [1, 2]]),
        (5, 1, 3, [[0, 1, 2]]),
        (2, 9, 0, [[]]),
    ],
)
def test_all_sets_where_they_are_few(known, draws, length, places):
    assert KnownEvents(known=known, draws=draws)._places(length, b"key") == places


def test_a_sample_of_sets_where_they_are_many_depends_on_sequence_and_seed():
    tried = KnownEvents(known=2, draws=2)._places(3, b"key")
    assert len(tried) == 2
    assert all(len(set(places)) == 2 and places == sorted(places) for places in tried)
    long = KnownEvents(known=3, draws=5)._places(50, b"key")
    assert long == KnownEvents(known=3, draws=5)._places(50, b"key")
    assert long != KnownEvents(known=3, draws=5)._places(50, b"other")
    assert long != KnownEvents(known=3, draws=5, random_state=1)._places(50, b"key")


def test_a_sample_is_told():
    few = measured(KnownEvents(known=1, draws=3), ["a b c", "d"])
    assert SAMPLED not in few.sentence
    some = measured(KnownEvents(known=1, draws=2), ["a b c", "d"])
    assert some.sentence.endswith(f" Of longer sequences a sample of 2{SAMPLED}")


def test_the_order_counts_only_where_it_is_known():
    before, after = ["a b", "b a", "c"], ["a b", "b a", "c"]
    ordered = measured(KnownEvents(known=2), before, after)
    assert ordered.value == 100
    assert "of a person, in their order, singles out 3 of 3 records" in ordered.sentence
    any_order = measured(KnownEvents(known=2, ordered=False), before, after)
    assert any_order.value == pytest.approx(100 / 3)
    assert any_order.details["by_attribute"]["visits"] == {
        "unique": 1, "records": 3, "unique_before_percent": pytest.approx(100 / 3),
        "mean_chance_percent": pytest.approx(200 / 3), "mean_chance_before_percent": pytest.approx(200 / 3),
    }  # fmt: skip
    assert "Knowing 2 events of a person, in any order, singles out 1 of 3" in any_order.sentence
