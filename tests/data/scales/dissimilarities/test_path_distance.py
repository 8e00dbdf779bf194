"""What distances of trajectories share: spans, globes, and places of each collection once."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import paths as reference

import discreet as dc
from discreet.data.scales.dissimilarities.frechet import Frechet
from discreet.data.scales.dissimilarities.hausdorff import Hausdorff
from discreet.data.scales.dissimilarities.path_distance import PathDistance
from discreet.data.scales.dissimilarities.synchronous import Synchronous
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.trajectory import EARTH
from discreet.errors import ParameterError


class Told(PathDistance):
    """What a distance is told."""

    def run(self, prepared, which, among, paired):  # noqa: ARG002
        return np.zeros(which.size if paired else which.size * among.size)


def test_the_span_is_one_and_the_earth_flat_where_nobody_tells():
    assert (Told().reach, Told().radius, Told().unit) == (1.0, 0.0, 1.0)
    assert (Told(span=3).reach, Told(geographic=True).radius) == (3.0, EARTH)


def test_a_scale_tells_what_is_not_told_yet():
    scale = dc.Trajectory(step=0.5, pace=1, span=20.0, geographic=True)
    assert Told().bound_to(scale) == Told(20.0, 0.5, True)
    assert Told(span=3.0).bound_to(scale) == Told(3.0, 0.5, True)
    assert Told(unit=7.0).bound_to(dc.Trajectory(step=0.5, geographic=False)) == Told(None, 0.5, False)
    assert Told(unit=7.0).bound_to(dc.Trajectory(step=0.5)) == Told(None, 0.5, False)
    # One that does not know its steps yet, and one of another kind, tell nothing.
    assert Told(unit=7.0).bound_to(dc.Trajectory()) == Told(unit=7.0)
    assert Told(unit=7.0).bound_to(dc.TimeSeries(step=0.5)) == Told(unit=7.0)


def test_places_are_worked_out_once_for_a_collection():
    a, b = EncodedSequences.of([[0, 2, 4, 5, 6, 8]]), EncodedSequences.of([[1, 3, 3]])
    first, second = Told(unit=0.5).prepare(a, a)
    assert first is second
    first, second = Told(unit=0.5).prepare(a, b)
    assert first.points.tolist() == [[1, 2, 0], [3, 4, 0]]
    assert first.times.tolist() == [0, 5]
    assert (second.points.tolist(), second.offsets.tolist()) == ([[1.5, 1.5, 0]], [0, 1])
    globe, _ = Told(unit=90.0, geographic=True).prepare(b, b)
    assert np.linalg.norm(globe.points, axis=1) == pytest.approx([EARTH])


@pytest.mark.parametrize("span", [0, -2.0, float("inf")])
def test_a_span_is_positive(span):
    with pytest.raises(ParameterError, match="^Hausdorff: span"):
        Hausdorff(span=span)


# --------------------------------------------------------------------------------- each of them, beside its definition

PATHS = [[], [4, 1, 2], [0, 0, 0, 2, 3, 1, 5, 3, 1], [1, 2, 2, 2, 8, 9, 2, 7, 7, 9, 0, 4], [0, -3, 5, 9, 12, 5]]
KINDS = [(Frechet, reference.frechet), (Hausdorff, reference.hausdorff), (Synchronous, reference.synchronous)]


@pytest.mark.parametrize("span", [None, 3.0])
@pytest.mark.parametrize(("cls", "plain"), KINDS)
def test_every_pair_on_a_plane(cls, plain, span):
    # Coordinates are in steps of a half; without a span it is 1.
    found = cls(span=span, unit=0.5).compare(EncodedSequences.of(PATHS)).matrix()
    half = [[x / 2 if i % 3 else x for i, x in enumerate(path)] for path in PATHS]
    expected = [[plain(s, r, span or 1.0, reference.on_plane) for r in half] for s in half]
    assert found == pytest.approx(np.array(expected))


@pytest.mark.parametrize(("cls", "plain"), KINDS)
def test_some_with_some(cls, plain):
    a, b = EncodedSequences.of(PATHS), EncodedSequences.of(PATHS[::-1])
    comparison = cls(span=2.0).compare(a, b)
    expected = [[plain(PATHS[i], PATHS[4 - j], 2.0, reference.on_plane) for j in (1, 0, 3)] for i in (2, 4)]
    assert comparison.rows([2, 4], [1, 0, 3]) == pytest.approx(np.array(expected))
    assert comparison.pairs([2, 4], [1, 0]) == pytest.approx([expected[0][0], expected[1][1]])


@pytest.mark.parametrize(("cls", "plain"), KINDS)
def test_over_the_ground(cls, plain):
    places = [[0, 4820, 1637, 9, 4825, 1640], [0, 4821, 1637, 9, 4800, 1600]]

    def apart(p, q):
        return reference.over_ground(p, q, 0.01)

    found = cls(span=5000.0, unit=0.01, geographic=True)(*places)
    assert found == pytest.approx(plain(*places, 5000.0, apart), rel=1e-6)


@pytest.mark.parametrize("cls", [cls for cls, _ in KINDS])
def test_a_scale_tells_steps_span_and_globe(cls):
    bound = cls().bound_to(dc.Trajectory(step=0.25, pace=1, span=8.0, geographic=True))
    assert bound == cls(span=8.0, unit=0.25, geographic=True)
    assert cls(span=3.0).bound_to(dc.Trajectory(step=0.25, pace=1, span=8.0, geographic=False)) == cls(3.0, 0.25)
