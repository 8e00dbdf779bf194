"""Losses of query logs by hand: shares of terms, frequent queries at their threshold, logs without a term."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.errors import MissingValueError
from discreet.measures.loss.query_losses import FrequentQueries, TermFrequencies

TERMS = ["rome", "rain", "lilburn", "map"]


def measured(measure, before, after, *, weights=None, further=None):
    attributes = [dc.Attribute("asked", dc.QueryLog(TERMS), "key")]
    columns, others = {"asked": before}, {"asked": after}
    if further:
        attributes.append(dc.Attribute("later", dc.QueryLog(TERMS), "key"))
        columns["later"], others["later"] = further
    if weights:
        attributes.append(dc.Attribute("w", dc.Numeric(), "weight"))
        columns["w"] = others["w"] = weights
    frames = [pl.DataFrame(one, schema_overrides={"asked": pl.String}) for one in (columns, others)]
    return measure.measure(*frames, dc.Schema(attributes))


def test_frequencies_of_terms():
    # rome 2, rain 1, map 1 of four; then rome 2, lilburn 1 of three.
    found = measured(TermFrequencies(), ["rome rain", "rome | map"], ["rome lilburn", "rome"])
    assert found.value == pytest.approx(100 * 0.5 * (2 / 3 - 2 / 4 + 1 / 4 + 1 / 4 + 1 / 3))
    assert found.details["terms_kept"] == {"asked": 1}
    assert found.sentence.endswith("of 3 different terms 1 are released.")


def test_frequencies_count_by_weight():
    found = measured(TermFrequencies(weighted=True), ["rome", "rain"], ["rome", "rome"], weights=[3.0, 1.0])
    assert found.value == pytest.approx(25.0)
    assert measured(TermFrequencies(), ["rome", "rain"], ["rome", "rome"]).value == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("before", "after", "value"), [("", "", 0.0), ("rome", "", 100.0), ("", "rome", 100.0), ("*", "*", 0.0)]
)
def test_logs_without_a_term(before, after, value):
    assert measured(TermFrequencies(), [before], [after]).value == value


def test_a_query_is_frequent_from_its_share_on():
    before = ["rome", "rome | rain", "map", "rain map"]
    after = ["rome", "map", "map", "map rain"]
    # From half of the people on: rome alone, then map alone.
    found = measured(FrequentQueries(support=0.5), before, after)
    assert found.value == 100.0
    assert found.details["by_attribute"] == {"asked": {"before": 1, "kept": 0, "added": 1}}
    assert found.sentence == "Of 1 frequent queries 0 still are, and 1 others have become frequent."
    # From a quarter on: rome, rain, map and rain map; then rome, map and map rain, which is another query.
    found = measured(FrequentQueries(support=0.25), before, after)
    assert found.value == pytest.approx(100 * (1 - 2 / 5))
    assert found.details["by_attribute"] == {"asked": {"before": 4, "kept": 2, "added": 1}}
    # From more than half on there is none in either file.
    assert measured(FrequentQueries(support=0.51), before, after).value == 0.0


def test_a_share_of_weights():
    before, after = ["rome", "rain"], ["rain", "rain"]
    found = measured(FrequentQueries(support=0.75, weighted=True), before, after, weights=[3.0, 1.0])
    assert found.details["by_attribute"] == {"asked": {"before": 1, "kept": 0, "added": 1}}
    found = measured(FrequentQueries(support=0.76, weighted=True), before, after, weights=[3.0, 1.0])
    assert found.details["by_attribute"] == {"asked": {"before": 0, "kept": 0, "added": 1}}


def test_a_query_of_every_twentieth_is_frequent_by_default():
    before = ["rome"] + ["map"] * 19
    assert measured(FrequentQueries(), before, ["map"] * 20).value == 50.0
    assert measured(FrequentQueries(), [*before, "map"], ["map"] * 21).value == 0.0


@pytest.mark.parametrize("measure", [TermFrequencies(), FrequentQueries(support=0.5)])
def test_several_logs_count_alike_and_exchanged_ones_count_nothing(measure):
    one, other = ["rome", "rain"], ["map", "rain"]
    alone = measured(measure, one, other).value
    both = measured(measure, one, one[::-1], further=(one, other))
    assert alone > 0
    assert both.per_attribute == {"asked": 0.0, "later": pytest.approx(alone)}
    assert both.value == pytest.approx(alone / 2)


def test_nobody_notices_that_logs_changed_hands():
    for measure in (TermFrequencies(), FrequentQueries()):
        assert not measure.sees_shuffling
        assert not measure.weighted


@pytest.mark.parametrize("measure", [TermFrequencies(), FrequentQueries()])
def test_nothing_to_compare_is_said(measure):
    with pytest.raises(MissingValueError, match="'asked' has no record with a log in both files"):
        measured(measure, ["rome", None], [None, "rain"])
