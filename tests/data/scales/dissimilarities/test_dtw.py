"""Time warping: by definition within every window, and what a window may be."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import sequences as reference

import discreet as dc
from discreet.data.scales.dissimilarities.dtw import DynamicTimeWarping
from discreet.data.scales.dissimilarities.euclidean import Euclidean
from discreet.data.scales.measured import GAP
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import ParameterError

SERIES = [[], [0], [3, 5, 1, 1], [3, GAP, 1, 9, 2, 2], [GAP, GAP], [12, 0, 4, 4, 4, 9, 0, 3, 3, 5]]


@pytest.mark.parametrize("window", [0.0, 0.1, 0.3, 1.0])
def test_every_pair_by_definition(window):
    found = DynamicTimeWarping(6.0, window).compare(EncodedSequences.of(SERIES)).matrix()
    expected = np.array([[reference.dtw(s, r, 6.0, window) for r in SERIES] for s in SERIES])
    assert found == pytest.approx(expected)


def test_the_longer_series_may_be_in_the_second_collection():
    short, long = EncodedSequences.of(SERIES[:2]), EncodedSequences.of(SERIES[5:])
    for a, b in ((short, long), (long, short)):
        found = DynamicTimeWarping(6.0, 1.0).compare(a, b).matrix().ravel()
        assert found == pytest.approx([reference.dtw(s, SERIES[5], 6.0, 1.0) for s in SERIES[:2]])


def test_a_tenth_is_the_window_by_default_and_none_is_the_distance_in_place():
    assert DynamicTimeWarping().window == 0.1
    s, r = [0, 0, 9, 0, 4], [0, 9, 0, 0, 4]
    assert DynamicTimeWarping(10, 0)(s, r) == pytest.approx(Euclidean(10)(s, r))
    assert DynamicTimeWarping(10, 0.2)(s, r) == 0.0
    assert DynamicTimeWarping(10, 0.19)(s, r) > 0.0


def test_a_scale_tells_the_span_and_the_window_stays():
    bound = DynamicTimeWarping(window=0.4).bound_to(dc.TimeSeries(step=0.5, span=4.0))
    assert bound == DynamicTimeWarping(span=8.0, window=0.4)


@pytest.mark.parametrize("window", [-0.1, 1.1, "wide", None])
def test_a_window_is_a_share(window):
    with pytest.raises(ParameterError, match="DynamicTimeWarping: window must be"):
        DynamicTimeWarping(window=window)
    with pytest.raises(ParameterError, match="span"):
        DynamicTimeWarping(span=0)
