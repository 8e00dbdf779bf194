"""Mean paths against their twin, and what they must be."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import paths as reference

from discreet.data.scales import Numeric
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.trajectory import Trajectory
from discreet.operators.path_prototypes import MeanPath

POINTS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(-9, 9), st.integers(-9, 9)), max_size=5, unique_by=lambda p: p[0]
)
PATHS = POINTS.map(lambda points: [part for point in sorted(points) for part in point])
GROUPS = st.lists(PATHS, min_size=1, max_size=5)


@given(group=GROUPS, data=st.data())
def test_agrees_with_the_twin(group, data):
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(group), max_size=len(group)))
    mean, twin = np.array(MeanPath()(group, weights)), np.array(reference.mean_path(group, weights))
    assert mean.shape == twin.shape
    times = mean.reshape(-1, 3)[:, 0]
    assert (np.diff(times) >= 0).all()
    # A mean that lies on a half may be rounded either way, and a place follows from its time.
    if np.array_equal(times, twin.reshape(-1, 3)[:, 0]):
        assert np.abs(mean - twin).max(initial=0) <= 1


@given(group=st.lists(PATHS.filter(bool), min_size=1, max_size=5))
def test_nobody_is_put_outside_the_group(group):
    mean = np.array(MeanPath()(group)).reshape(-1, 3)
    points = np.concatenate([np.array(one).reshape(-1, 3) for one in group])
    assert (mean >= points.min(axis=0)).all()
    assert (mean <= points.max(axis=0)).all()
    assert MeanPath()([group[0]] * 3) == group[0]


@given(groups=st.lists(GROUPS, min_size=1, max_size=4))
def test_many_groups_at_once_are_the_groups_one_by_one(groups):
    labels = [g for g, group in enumerate(groups) for _ in group]
    together = MeanPath().by_label(EncodedSequences.of([one for group in groups for one in group]), labels)
    for g, group in enumerate(groups):
        assert together.codes[together.offsets[g] : together.offsets[g + 1]].tolist() == MeanPath()(group)


def test_the_mean_across_the_date_line_is_there_and_not_on_the_other_side():
    scale = Trajectory(step=0.1, pace=1, span=1000, geographic=True)
    paths = scale.encode(["0,10.0,179.0", "0,10.0,-178.0"])
    mean = MeanPath().bound_to(scale).by_label(paths, [0, 0])
    assert scale.decode(mean).to_pylist() == [["0,10.0,-179.5"]]


def test_a_member_without_points_has_no_say():
    assert MeanPath()([[], [0, 2, 2]]) == [0, 2, 2]
    assert MeanPath()([[], []]) == []


def test_a_scale_tells_the_step_and_whether_it_is_of_the_globe():
    assert MeanPath().bound_to(Trajectory(step=0.5, geographic=False)) == MeanPath(0.5, geographic=False)
    assert MeanPath(3.0).bound_to(Trajectory(step=0.1, geographic=True)) == MeanPath(0.1, geographic=True)
    # What tells no step leaves everything as it was.
    for scale in (Trajectory(), Numeric()):
        assert MeanPath(3.0, geographic=True).bound_to(scale) == MeanPath(3.0, geographic=True)


def test_members_have_their_say_by_weight():
    paths = [[0, 0, 0, 10, 8, 0], [4, 4, 8, 14, 12, 8]]
    # At 3 the first is at 2.4 and the second where it begins; at 13 the first has arrived and the second is at 11.2.
    assert MeanPath()(paths, [1, 3]) == [3, 4, 6, 13, 10, 6]
    # One and two points are one and a half on average, which is two; three to one, one and a quarter.
    assert len(MeanPath()([[0, 0, 0], [0, 4, 4, 10, 8, 8]])) == 6
    assert MeanPath()([[0, 0, 0], [0, 4, 4, 10, 8, 8]], [3, 1]) == [1, 1, 1]


def test_equal_paths_are_their_own_mean_and_others_are_not():
    path = [0, 1, 1, 3, 5, 5, 9, 7, 7]
    assert MeanPath()([path, path]) == path
    assert MeanPath()([path, [], path]) == path
    assert MeanPath()([path, path, [0, 1, 1, 3, 5, 5, 9, 7, 13]]) == [0, 1, 1, 3, 5, 5, 9, 7, 9]
