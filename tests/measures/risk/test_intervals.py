from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import measures as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError
from discreet.measures.risk.intervals import DeviationIntervalDisclosure, RankIntervalDisclosure

TWINS = [
    (RankIntervalDisclosure, reference.rank_interval),
    (DeviationIntervalDisclosure, reference.deviation_interval),
]


def table(*columns):
    names = [f"c{j}" for j in range(len(columns))]
    schema = Schema(Attribute(name, Numeric(), "key") for name in names)
    return Microdata(pl.DataFrame(dict(zip(names, map(np.asarray, columns), strict=True))), schema)


@pytest.mark.parametrize(("measure", "twin"), TWINS)
@pytest.mark.parametrize("largest", [1, 10, 40])
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_definition(measure, twin, largest, seed):
    rng = np.random.default_rng(seed)
    before = np.round(rng.normal(size=(2, 130)), 1)
    after = np.round(before + rng.normal(size=(2, 130)) * 0.3, 1)
    result = measure(largest).measure(table(*before), table(*after))
    expected = [twin(x, y, largest) for x, y in zip(before.tolist(), after.tolist(), strict=True)]
    assert list(result.per_attribute.values()) == pytest.approx(expected)
    assert result.value == pytest.approx(np.mean(expected))


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_rank_intervals_with_many_ties(pairs):
    before, after = ([float(value) for value in column] for column in zip(*pairs, strict=True))
    found = RankIntervalDisclosure(30).measure(table(before), table(after)).value
    assert found == pytest.approx(reference.rank_interval(before, after, 30))


@pytest.mark.parametrize("measure", [RankIntervalDisclosure(), DeviationIntervalDisclosure()], ids=repr)
def test_everything_is_disclosed_unmasked_and_less_with_noise(measure):
    x = np.random.default_rng(0).normal(size=400)
    values = []
    for strength in (0.0, 0.05, 0.2, 1.0):
        found = [
            measure.measure(table(x), table(x + strength * np.random.default_rng(seed).normal(size=400))).value
            for seed in range(5)
        ]
        values.append(np.median(found))
    assert values[0] == 100
    assert values == sorted(values, reverse=True)
    assert values[-1] < 30


def test_missing_values_are_left_out_and_whole_records_counted():
    before = [0.0, 1.0, 2.0, np.nan, 4.0]
    after = [0.0, 9.0, 2.0, 3.0, np.nan]
    other = [0.0, 1.0, 5.0, 3.0, 4.0]
    result = DeviationIntervalDisclosure().measure(table(before, other), table(after, [0.0, 1.0, 9.0, 3.0, 4.0]))
    assert result.per_attribute["c0"] == pytest.approx(200 / 3)
    assert result.details["records_wholly_inside"] == 3  # the first, and those whose other number is missing


def test_intervals_are_told_whole():
    before, after = [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.02, 2.0, 3.5, 4.0]
    other = [1.0, 1.0, 1.0, 1.0, 6.0]
    result = DeviationIntervalDisclosure(2).measure(table(before, other), table(after, other))
    # The deviation is √2: within 1 % are three of five, within 2 % four; the other column stays.
    assert result.per_attribute == pytest.approx({"c0": 70, "c1": 100})
    assert result.sentence == (
        "85.0 % of original numbers lie within 1 to 2 % of a standard deviation of the released ones, most in c1; 4 "
        "of 5 records do with all their numbers."
    )
    assert result.details == {
        "percent_inside": {"1": pytest.approx(80), "2": pytest.approx(90)}, "records_wholly_inside": 4,
    }  # fmt: skip


def test_rank_intervals_are_told_whole():
    before, after = [0.0, 1.0, 2.0, 3.0, 9.0], [0.0, 2.5, 2.0, 3.5, 4.0]
    result = RankIntervalDisclosure(40).measure(table(before), table(after))
    # 1 lies between the first and the second; two ranks below 2.5. 3 is one rank below 3.5; 9 is beyond the end.
    expected = [100 * reference_share for reference_share in [2 / 5] * 19 + [3 / 5] * 20 + [4 / 5]]
    assert list(result.details["percent_inside"].values()) == pytest.approx(expected)
    assert list(result.details["percent_inside"]) == [str(p) for p in range(1, 41)]
    mean = np.mean(expected)
    assert result.sentence == (
        f"80.0 % of original numbers lie within 40 % of ranks of the released ones ({mean:.1f} % averaged over 1 to "
        "40 %), most in c0."
    )


@pytest.mark.parametrize("measure", [DeviationIntervalDisclosure(), RankIntervalDisclosure()], ids=repr)
def test_a_column_without_a_pair_is_named(measure):
    with pytest.raises(MissingValueError, match="column 'c1' has no record with a value in both files"):
        measure.measure(table([1.0, 2.0], [np.nan, 1.0]), table([1.0, 2.0], [1.0, np.nan]))
