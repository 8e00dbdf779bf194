"""Points to insert, delete or exchange: by definition, at the tolerance exactly and beyond."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import paths as reference

import discreet as dc
from discreet.data.scales.dissimilarities.edr import RealEditDistance
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import ParameterError

PATHS = [[], [4, 1, 2], [0, 0, 0, 2, 3, 1, 5, 3, 1], [1, 2, 2, 2, 8, 9, 2, 7, 7, 9, 0, 4], [0, -3, 5, 9, 12, 5]]


@pytest.mark.parametrize("tolerance", [0.0, 1.0, 2.5])
def test_every_pair_by_definition(tolerance):
    found = RealEditDistance(tolerance=tolerance, unit=0.5).compare(EncodedSequences.of(PATHS)).matrix()
    half = [[x / 2 if i % 3 else x for i, x in enumerate(path)] for path in PATHS]
    expected = [[reference.edr(s, r, tolerance, reference.on_plane) for r in half] for s in half]
    assert found == pytest.approx(np.array(expected))


def test_some_with_some():
    a, b = EncodedSequences.of(PATHS), EncodedSequences.of(PATHS[::-1])
    comparison = RealEditDistance(tolerance=2).compare(a, b)
    expected = [[reference.edr(PATHS[i], PATHS[4 - j], 2, reference.on_plane) for j in (1, 0, 3)] for i in (2, 4)]
    assert comparison.rows([2, 4], [1, 0, 3]) == pytest.approx(np.array(expected))


def test_places_at_the_tolerance_are_the_same():
    assert RealEditDistance(tolerance=5)([0, 0, 0], [0, 3, 4]) == 0.0
    assert RealEditDistance(tolerance=4.999)([0, 0, 0], [0, 3, 4]) == 1.0


def test_a_tenth_of_the_span_is_the_tolerance_by_default():
    assert RealEditDistance(span=50.0)([0, 0, 0], [0, 3, 4]) == 0.0
    assert RealEditDistance(span=49.9)([0, 0, 0], [0, 3, 4]) == 1.0
    assert RealEditDistance(span=50.0, tolerance=0)([0, 0, 0], [0, 3, 4]) == 1.0
    bound = RealEditDistance().bound_to(dc.Trajectory(step=0.5, pace=1, span=25.0, geographic=False))
    assert bound == RealEditDistance(span=25.0, unit=0.5)
    assert bound([0, 0, 0], [0, 3, 4]) == 0.0


@pytest.mark.parametrize("tolerance", [-1, "near"])
def test_a_tolerance_is_no_less_than_nothing(tolerance):
    with pytest.raises(ParameterError, match="RealEditDistance: tolerance must be"):
        RealEditDistance(tolerance=tolerance)
    with pytest.raises(ParameterError, match="RealEditDistance: span"):
        RealEditDistance(span=0)
