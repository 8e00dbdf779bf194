"""Columns of equal steps have exact differences; others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.centring import centred
from discreet.kernels.groups.lattice import _step, centred_on_lattices


@pytest.mark.parametrize("offset", [0.0, 1e6, -7.3])
@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, np.pi, 1e-150, 1e150])
def test_differences_of_as_many_steps_are_equal(scale, offset):
    integers = np.random.default_rng(0).permutation(np.repeat(np.arange(40), 3)).astype(float)
    values = scale * (integers + offset - integers.mean() - offset)
    points = centred_on_lattices(values[:, None])[:, 0]
    order = np.argsort(integers, kind="stable")
    steps = np.unique(np.diff(points[order]))
    assert steps.size == 2
    assert steps[0] == 0.0
    assert 0.5 <= np.abs(points).max() < 1.0
    assert np.array_equal(points[order], steps[1] * (np.sort(integers) - integers[points == 0.0][0]))


def test_gaps_of_two_and_three_steps():
    values = np.array([[0.0], [2.0], [5.0], [9.0]]) / 7
    points = centred_on_lattices(values)[:, 0]
    step = (points[3] - points[0]) / 9
    assert np.array_equal(points - points[0], step * np.array([0, 2, 5, 9]))


def test_distances_hardly_change():
    values = np.random.default_rng(1).integers(0, 1000, (200, 3)) / np.array([1.7, 2.9, 11.3])
    before, after = centred(values), centred_on_lattices(values)
    factor = np.ptp(after, axis=0) / np.ptp(before, axis=0)
    assert factor == pytest.approx(np.full(3, factor[0]), rel=2e-8)
    assert np.log2(factor[0]) == pytest.approx(round(np.log2(factor[0])), abs=2e-8)


@pytest.mark.parametrize("n", [3, 5, 50, 5000])
def test_continuous_columns_and_constants_stay(n):
    values = np.random.default_rng(n).normal(size=(n, 3))
    values[:, 1] = 4.0
    assert np.array_equal(centred_on_lattices(values), centred(values))


def test_nothing_but_zeros_or_no_records():
    assert centred_on_lattices(np.zeros((3, 2))).tolist() == [[0.0, 0.0]] * 3
    assert centred_on_lattices(np.full((3, 1), 5.0)).tolist() == [[0.0]] * 3


@pytest.mark.parametrize(
    ("distinct", "step"),
    [
        ([], 0.0),
        ([3.0], 0.0),
        ([3.0, 5.0], 2.0),
        ([0.0, 1.0, 2.0**20], 1.0),
        ([0.0, 1.0, 2.0**20 + 1], 0.0),  # too many steps
        ([0.0, 12.0, 25.0], 1.0),  # values at least twelve steps apart
        ([0.0, 13.0, 27.0], 0.0),  # thirteen are too many
        ([0.0, 1.0, 2.0 + 2.0**-29, 4.0], 1.0),
        ([0.0, 1.0, 2.0 + 2.0**-28, 4.0], 1.0),  # as far off its place as a value may be
        ([0.0, 1.0, 2.0 + 2.0**-27, 4.0], 0.0),
    ],
)
def test_the_step_of_a_column(distinct, step):
    assert _step(np.array(distinct)) == step


def test_a_column_on_a_lattice_has_its_middle_at_the_value_nearest_to_its_mean():
    # Steps 0, 1 and 8 with the mean 3, and the largest coordinate put between a half and one.
    points = centred_on_lattices(np.array([[10.0], [11.0], [18.0]]))
    np.testing.assert_array_equal(points / points[2, 0], np.array([[-3.0], [-2.0], [5.0]]) / 5)
    assert 0.5 <= points[2, 0] < 1.0
    np.testing.assert_array_equal(centred_on_lattices(np.full((3, 2), 7.0)), np.zeros((3, 2)))
