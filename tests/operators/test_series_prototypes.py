"""Prototypes of series against their twins, and what an intruder can make of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.scales.measured import GAP
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import ParameterError
from discreet.operators.series_prototypes import PointwiseMean, PointwiseMedian, WarpedMean

READINGS = st.one_of(st.integers(-9, 9), st.just(GAP))
GROUPS = st.lists(st.lists(READINGS, max_size=5), min_size=1, max_size=6)
TWINS = [(PointwiseMean(), reference.pointwise_mean), (PointwiseMedian(), reference.pointwise_median)]
EVERY = [PointwiseMean(), PointwiseMedian(), WarpedMean(), WarpedMean(1.0)]


@pytest.mark.parametrize(("operator", "twin"), TWINS)
@given(group=GROUPS, data=st.data())
def test_agrees_with_the_twin(operator, twin, group, data):
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(group), max_size=len(group)))
    assert operator(group, weights) == twin(group, weights)


@pytest.mark.parametrize("operator", EVERY, ids=repr)
@given(groups=st.lists(GROUPS, min_size=1, max_size=4))
def test_many_groups_at_once_are_the_groups_one_by_one(operator, groups):
    labels = [g for g, group in enumerate(groups) for _ in group]
    together = operator.by_label(EncodedSequences.of([one for group in groups for one in group]), labels)
    for g, group in enumerate(groups):
        assert together.codes[together.offsets[g] : together.offsets[g + 1]].tolist() == operator(group)


@pytest.mark.parametrize("operator", EVERY, ids=repr)
@given(one=st.lists(st.integers(-9, 9), min_size=1, max_size=6), n=st.integers(1, 5), data=st.data())
def test_equal_series_stay_and_no_reading_leaves_the_range(operator, one, n, data):
    assert operator([one] * n) == one
    group = [one, *data.draw(st.lists(st.lists(st.integers(-9, 9), min_size=len(one), max_size=len(one)), max_size=4))]
    for code in operator(group):
        assert min(map(min, group)) <= code <= max(map(max, group))


@given(group=st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=2, max_size=5))
def test_a_barycentre_is_no_farther_than_the_mean_it_began_with(group):
    def squares(prototype):
        return sum(reference.dtw(prototype, one, 18.0, 1.0) ** 2 for one in group)

    # Rounding to whole steps may undo a little: half a step a reading.
    assert squares(WarpedMean(1.0)(group)) <= squares(PointwiseMean()(group)) + len(group) * (0.5 / 18) ** 2 + 1e-9


def test_a_shifted_peak_keeps_its_height():
    group = [[0, 0, 9, 0, 0, 0], [0, 0, 0, 9, 0, 0], [0, 0, 0, 9, 0, 0]]
    assert max(PointwiseMean()(group)) == 6
    assert max(WarpedMean(0.5)(group)) == 9


def test_nobody_alone_gives_a_reading():
    # One of five has readings after the second: they would be his own. Of two of three, a mean of two is not released.
    assert PointwiseMean()([[1, 2, 50, 60], [1, 2], [3, 4], [3, 4], [2, 3]]) == [2, 3]
    assert PointwiseMean()([[1, 9], [2, GAP], [3, 7]]) == [2, GAP]


def test_who_knows_all_members_but_one_solves_a_mean_to_its_digits_and_a_median_hardly():
    group = [[10], [14], [19]]
    every = range(40)
    of_mean = [x for x in every if PointwiseMean()([*group[:2], [x]]) == PointwiseMean()(group)]
    of_median = [x for x in every if PointwiseMedian()([*group[:2], [x]]) == PointwiseMedian()(group)]
    assert len(of_mean) == 3  # as coarse as three steps: digits beyond the data would leave one
    assert len(of_median) > 20


def test_two_members_hide_behind_whole_steps():
    released = PointwiseMean()([[3], [6]])  # 4.5 in whole steps
    pairs = [pair for pair in product(range(10), repeat=2) if PointwiseMean()([[x] for x in pair]) == released]
    assert len(pairs) > 10


def test_gaps_stay_gaps_in_a_barycentre():
    assert WarpedMean()([[1, GAP, 3], [1, GAP, 3], [1, 2, 3]]) == [1, GAP, 3]
    assert np.array_equal(WarpedMean()([[], []]), [])


@pytest.mark.parametrize("operator", [PointwiseMean(), WarpedMean()], ids=repr)
def test_one_that_dominates_a_mean_cannot_be_solved_for(operator):
    ordinary = [[i % 5, 100 + i] for i in range(39)]
    outlier = 1_500_000_000
    released = operator([*ordinary, [outlier, 120]])
    assert released[0] in range(5)  # times 40 it would be the outlier
    assert released[1] == pytest.approx(119, abs=1)  # the mean, where nobody dominates
    labels, ones = np.zeros(40, dtype=np.int64), np.ones(40, dtype=np.int64)
    assert operator.dominated(EncodedSequences.of([*ordinary, [outlier, 120]]), labels, ones) == 1
    assert operator.dominated(EncodedSequences.of([*ordinary, [4, 120]]), labels, ones) == 0


def test_of_two_readings_one_that_dominates_leaves_a_gap():
    assert PointwiseMean()([[7, 5000], [8, 3]]) == [8, GAP]
    assert PointwiseMean()([[-9000], [3], [5]]) == [3]
    assert PointwiseMean()([[0], [0], [20]]) == [7]  # rounding hides it


def test_a_masker_says_where_a_mean_was_not_released():
    import discreet as dc

    cells = [f"{i % 5};{100 + i}" for i in range(39)] + ["1500000000;120"]
    schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(delimiter=";"), "key")])
    masked = dc.KSHC(k=20).mask(dc.microdata(pl.DataFrame({"load": cells}), schema))
    assert any(note.startswith("load: at 1 times of groups one record") for note in masked.provenance.notes)
    assert all(int(cell.split(";")[0]) < 5 for cell in masked.microdata.column("load").to_pylist())


@pytest.mark.parametrize(
    ("readings", "weights", "released"),
    [
        # Of sums of 400, 500 and 499, a reading of 400 has all, four fifths, and a little more.
        ([400, 50, 50], None, 167),
        ([400, 50, 49], None, 50),
        ([-400, -50, -49], None, -50),
        ([400, -50, -49], None, -49),
        # Up to ten steps a record rounding hides it.
        ([30, 0, 0], None, 10),
        ([31, 0, 0], None, 0),
        # Several equal records are nobody's own reading.
        ([400, 1, 1], [3, 1, 1], 240),
        ([400, 1], [1, 2], 1),
    ],
)
def test_a_mean_is_released_where_nobody_has_nearly_all_of_it(readings, weights, released):
    assert PointwiseMean()([[one] for one in readings], weights) == [released]


def test_how_often_somebody_dominates_is_counted_by_group():
    series = EncodedSequences.of([[900, 1], [1, 1], [GAP, 1], [5, 5], [900, 900], [4, 4]])
    labels, ones = np.array([0, 0, 0, 1, 1, 1]), np.ones(6, dtype=np.int64)
    for operator in (PointwiseMean(), WarpedMean()):
        assert operator.dominated(series, labels, ones) == 3
        assert operator.dominated(series, labels[::-1].copy(), ones) == 3
    assert PointwiseMedian().dominated(series, labels, ones) == 0
    nothing = EncodedSequences.of([[GAP], []])
    assert PointwiseMean().dominated(nothing, np.array([0, 1]), np.ones(2, dtype=np.int64)) == 0


def test_a_group_of_which_one_dominates_is_released_as_it_began():
    calm = [[0, 9, 0, 0], [0, 9, 0, 0], [0, 0, 9, 0]]
    wild = [[0, 9, 0, 0], [0, 9, 0, 0], [9000, 0, 9, 0]]
    assert WarpedMean(0.5)(calm) == [0, 9, 0, 0]
    assert WarpedMean(0.5)(wild) == PointwiseMean()(wild) == [0, 6, 3, 0]
    together = WarpedMean(0.5).by_label(EncodedSequences.of([*wild, *calm]), [0, 0, 0, 1, 1, 1])
    assert together.codes.tolist() == [0, 6, 3, 0, 0, 9, 0, 0]


def test_a_window_is_a_share():
    for window in (-0.1, 1.1):
        with pytest.raises(ParameterError, match="WarpedMean: window must be"):
            WarpedMean(window)
    assert WarpedMean().window == 0.1
