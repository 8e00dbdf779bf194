"""Losses of series by hand: spans met exactly, gaps, times that one file lacks, series that do not vary."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import MissingValueError
from discreet.measures.loss.series_losses import SeriesAutocorrelation, SeriesError, SeriesProfile, _profile

LOSSES = [SeriesError, SeriesProfile, SeriesAutocorrelation]


def measured(measure, before, after, *, span=10, weights=None, further=None):
    scale = dc.TimeSeries(step=1, span=span)
    attributes = [dc.Attribute("load", scale, "key")]
    columns, others = {"load": before}, {"load": after}
    if further:
        attributes.append(dc.Attribute("heat", scale, "key"))
        columns["heat"], others["heat"] = further
    if weights:
        attributes.append(dc.Attribute("w", dc.Numeric(), "weight"))
        columns["w"] = others["w"] = weights
    lists = {"load": pl.List(pl.Float64)}
    return measure.measure(
        *(pl.DataFrame(one, schema_overrides=lists) for one in (columns, others)), dc.Schema(attributes)
    )


def test_errors_of_readings():
    # 1, 10 and 12 of 10 off, one gap that was none, one reading more: 0.1 + 1 + 1 + 1 + 1 of five.
    found = measured(SeriesError(), [[1, 0, 0, 5]], [[2, 10, 12, None, 7]])
    assert found.value == pytest.approx(100 * 4.1 / 5)
    assert found.details["mean_difference"] == {"load": pytest.approx(8.2)}
    assert found.sentence == "A reading lies 82.00 % of the range of readings from its original on average."
    found = measured(SeriesError(weighted=True), [[1], [1]], [[1], [6]], weights=[1.0, 3.0])
    assert found.value == pytest.approx(100 * 3 * 0.5 / 4)


def test_means_of_a_time():
    # Means 2, 4 and none became 5, 4 and 1; a time that one lacks counts whole.
    found = measured(SeriesProfile(), [[1, 4], [3, None]], [[5, 4], [5, 4, 1]])
    assert found.value == pytest.approx(100 * (0.3 + 0 + 1) / 3)
    assert found.details["largest_change_percent"] == {"load": 100.0}
    assert found.sentence.endswith("and by 100.00 % at the time that changed most.")
    assert measured(SeriesProfile(), [[1, 4, 9]], [[1, 4]]).value == pytest.approx(100 / 3)
    # At most 1, and gaps everywhere are no time at all.
    assert measured(SeriesProfile(), [[0, None]], [[30, None]]).value == 100.0
    assert measured(SeriesProfile(), [[0, 0]], [[3, 9]], span=9).value == pytest.approx(100 * (1 / 3 + 1) / 2)
    found = measured(SeriesProfile(weighted=True), [[0], [4]], [[4], [0]], weights=[1.0, 3.0])
    assert found.value == pytest.approx(100 * (3 - 1) / 10)
    found = measured(SeriesProfile(weighted=True), [[2], [5]], [[4], [4]], weights=[0.5, 0.25])
    assert found.value == pytest.approx(100 * (4 - 3) / 10)


def test_correlation_with_the_reading_before():
    # Around means of 1: −1 1 −1 1 has −3 of 4, −1 −1 1 1 has 1 of 4.
    found = measured(SeriesAutocorrelation(), [[0, 2, 0, 2]], [[0, 0, 2, 2]])
    assert found.value == 50.0
    assert found.details == {"before": {"load": -0.75}, "after": {"load": 0.25}}
    assert found.sentence.endswith("within each series, was -0.750 and is 0.250.")
    # What does not vary has none, and a gap counts as the mean.
    found = measured(SeriesAutocorrelation(), [[3, 3, 3]], [[0, None, 2]])
    assert found.details == {"before": {"load": 0.0}, "after": {"load": 0.0}}
    found = measured(SeriesAutocorrelation(weighted=True), [[0, 2], [0, 1, 2]], [[1, 1], [1, 1, 1]], weights=[3.0, 1.0])
    assert found.details["before"]["load"] == pytest.approx((3 * -1 + 0) / (3 * 2 + 2))


@pytest.mark.parametrize("measure", LOSSES)
def test_several_series_count_alike(measure):
    one, other = [[0, 2, 0, 2]], [[0, 0, 2, 6]]
    alone = measured(measure(), one, other).value
    both = measured(measure(), one, one, further=(one, other))
    assert alone > 0
    assert both.per_attribute == {"load": 0.0, "heat": pytest.approx(alone)}
    assert both.value == pytest.approx(alone / 2)
    assert "heat" not in both.sentence


@pytest.mark.parametrize(("before", "after"), [(1, 4), (4, 1)])
def test_a_file_whose_series_end_earlier_lacks_the_later_times(before, after):
    sides = [np.stack([np.ones(size), np.full(size, 3.0)]) for size in (before, after)]
    assert _profile(*sides, 10.0).tolist() == [0.0, 1.0, 1.0, 1.0]


def test_who_notices_that_series_changed_hands():
    assert [measure.sees_shuffling for measure in LOSSES] == [True, False, False]
    assert not any(measure().weighted for measure in LOSSES)


@pytest.mark.parametrize("measure", LOSSES)
def test_nothing_to_compare_is_said(measure):
    with pytest.raises(MissingValueError, match="'load' has no record with readings in either file"):
        measured(measure(), [[1], None, []], [None, [1], [None]])
