"""The distance of readings at the same times: by definition, with a span that is told, or that of what is compared."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import sequences as reference

import discreet as dc
from discreet.data.scales.dissimilarities.euclidean import Euclidean
from discreet.data.scales.measured import GAP
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import ParameterError

SERIES = [[], [0], [3, 5, 1], [3, GAP, 1, 9], [GAP, GAP], [12, 0, 4, 4, 4]]


def test_every_pair_by_definition():
    found = Euclidean(span=6.0).compare(EncodedSequences.of(SERIES)).matrix()
    assert found == pytest.approx(np.array([[reference.euclidean(s, r, 6.0) for r in SERIES] for s in SERIES]))
    assert found == pytest.approx(found.T)


def test_some_with_some_and_one_by_one():
    comparison = Euclidean(span=6.0).compare(EncodedSequences.of(SERIES), EncodedSequences.of(SERIES[::-1]))
    assert comparison.rows([3, 2], [0, 4]) == pytest.approx(
        np.array([[reference.euclidean(SERIES[i], SERIES[5 - j], 6.0) for j in (0, 4)] for i in (3, 2)])
    )
    assert comparison.pairs([5, 1], [1, 2]) == pytest.approx(
        [reference.euclidean(SERIES[5], SERIES[4], 6.0), reference.euclidean(SERIES[1], SERIES[3], 6.0)]
    )


def test_without_a_span_the_range_of_both_counts():
    # From −2 to 8, gaps left out.
    assert Euclidean()([-2, GAP], [8, GAP]) == pytest.approx(0.5**0.5)
    assert Euclidean()([0, 8], [5, -2]) == pytest.approx(((0.5**2 + 1) / 2) ** 0.5)
    # Where all are equal, or nothing is there, a step is the least span.
    assert Euclidean()([3], [3]) == 0.0
    assert Euclidean()([GAP], [GAP]) == 0.0


def test_a_scale_tells_the_span_in_its_steps():
    bound = Euclidean().bound_to(dc.TimeSeries(step=0.5, span=4.0))
    assert bound == Euclidean(span=8.0)
    assert Euclidean(span=3.0).bound_to(dc.TimeSeries(step=0.5, span=4.0)) == Euclidean(span=3.0)
    assert Euclidean().bound_to(dc.TimeSeries(step=0.5)) == Euclidean()
    assert Euclidean().bound_to(dc.Trajectory()) == Euclidean()


@pytest.mark.parametrize("span", [0, -1.0, float("nan")])
def test_a_span_is_positive(span):
    with pytest.raises(ParameterError, match="^Euclidean: span"):
        Euclidean(span=span)
