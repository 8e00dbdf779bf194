from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.battery import microdata
from tests.reference import masking_classic as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.perturbing.pram import (
    PRAM,
    _possible,
    _within,
    evened,
    frequency_matrix,
    invariant_matrix,
    redrawn,
    uniform_matrix,
)

FUELS = Schema([Attribute("fuel", Nominal(("gas", "oil", "wood", "sun")), "key")])
COUNTS = st.lists(st.integers(0, 30), min_size=2, max_size=7).filter(lambda c: sum(c) > 0)


def fuels(n=20_000, shares=(0.5, 0.3, 0.15, 0.05), seed=0):
    codes = np.random.default_rng(seed).choice(4, n, p=shares)
    return Microdata(pa.table({"fuel": np.array(["gas", "oil", "wood", "sun"])[codes]}), FUELS)


def test_the_papers_matrix():
    """Torra 2004, section 4.1: T = (4, 2, 2), θ = 0.4."""
    expected = [[1 - 0.4 * 2 / 4, 0.4 * 2 / 4 / 2, 0.4 * 2 / 4 / 2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    assert np.allclose(frequency_matrix(np.array([4.0, 2.0, 2.0]), 0.4), expected, atol=1e-15)


@pytest.mark.parametrize(
    "masker", [PRAM(0.9), PRAM(0.4, design="uniform"), PRAM(0.4, design="uniform", invariant=True)]
)
def test_empirical_transitions_match_the_matrix(masker):
    """χ² of every row of observed transitions against the matrix, at 0.1 % over all rows."""
    data = fuels()
    masked = masker.set_params(random_state=5).mask(data)
    matrix = np.array(masked.provenance.details["matrices"]["fuel"])
    before, after = data.encoded("fuel"), masked.microdata.encoded("fuel")
    observed = np.bincount(before * 4 + after, minlength=16).reshape(4, 4)
    expected = matrix * observed.sum(axis=1, keepdims=True)
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert statistic < chi2.ppf(0.999, 4 * 3)
    # The test can fail: rows in another order are far off.
    wrong = np.roll(matrix, 1, axis=0) * observed.sum(axis=1, keepdims=True)
    assert ((observed - wrong) ** 2 / wrong).sum() > 10 * chi2.ppf(0.999, 12)


@given(COUNTS, st.floats(0.01, 0.99))
def test_matrices_are_stochastic_and_invariant_ones_keep_counts(counts, theta):
    counts = np.array(counts, dtype=float)
    own = np.random.default_rng(int(counts.sum())).dirichlet(np.ones(counts.size), counts.size)
    plain, even = frequency_matrix(counts, theta), uniform_matrix(counts, theta)
    for matrix in (plain, even, invariant_matrix(even, counts), invariant_matrix(own, counts)):
        assert (matrix >= -1e-12).all()
        assert np.allclose(matrix.sum(axis=1), 1)
    for matrix in (
        plain,
        invariant_matrix(even, counts),
        invariant_matrix(own, counts),
        invariant_matrix(plain, counts),
    ):
        assert np.allclose(counts @ matrix, counts, atol=1e-9 * max(1, counts.sum()))
    for matrix in (plain, even, invariant_matrix(plain, counts)):
        assert (matrix[counts > 0][:, counts == 0] == 0).all(), "a level that nobody has is never drawn"


def test_invariant_pram_keeps_expected_marginals():
    data = fuels(2000)
    before = np.bincount(data.encoded("fuel"), minlength=4)
    total = np.zeros(4)
    for seed in range(200):
        masked = PRAM(0.5, design="uniform", invariant=True, random_state=seed).mask(data)
        total += np.bincount(masked.microdata.encoded("fuel"), minlength=4)
    assert np.abs(total / 200 - before).max() < 6


@given(st.integers(1, 6), st.integers(0, 60), st.integers(0, 100))
def test_draws_are_those_of_the_twin(levels, n, seed):
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.ones(levels), levels)
    matrix[rng.random(matrix.shape) < 0.3] = 0.0
    matrix[np.diag_indices(levels)] += 0.1
    matrix /= matrix.sum(axis=1, keepdims=True)
    codes = rng.integers(-1, levels, n).astype(np.int32)
    draws = np.random.default_rng(seed).random(n)
    found = redrawn(codes, matrix, draws)
    assert found.tolist() == twin.randomise(codes, matrix, draws)


def test_own_matrix_within_strata_never_brings_a_new_level():
    rng = np.random.default_rng(0)
    region = np.repeat(["north", "south"], 300)
    codes = np.where(region == "north", rng.integers(0, 2, 600), rng.integers(2, 4, 600))
    table = pa.table({"fuel": np.array(["gas", "oil", "wood", "sun"])[codes], "region": region})
    schema = Schema([*FUELS, Attribute("region", Nominal(("north", "south")), "stratum")])
    everywhere = {"fuel": np.full((4, 4), 0.25)}
    for masker in (
        PRAM(0.9),
        PRAM(0.9, design="uniform"),
        PRAM(matrix=everywhere),
        PRAM(matrix=everywhere, invariant=True),
    ):
        masked = masker.clone().set_params(strata=["region"], random_state=1).mask(table, schema)
        after = masked.microdata.encoded("fuel")
        assert set(after[:300]) == {0, 1}
        assert set(after[300:]) == {2, 3}
        assert masked.provenance.changed["fuel"] > 100
    assert set(PRAM(matrix=everywhere, random_state=1).mask(table, schema).microdata.encoded("fuel")[:300]) == {
        0,
        1,
        2,
        3,
    }


def test_weights_count_in_frequencies():
    table = pa.table({"fuel": ["gas"] * 2 + ["oil"] * 2, "w": [1.0, 1.0, 3.0, 3.0]})
    schema = Schema([FUELS["fuel"], Attribute("w", Numeric(), "weight")])
    kept = PRAM(0.3).mask(table, schema).provenance.details["kept"]["fuel"]
    assert np.allclose(kept, [0.7, 0.9, 1, 1])
    kept = PRAM(0.3, weighted=False).mask(table, schema).provenance.details["kept"]["fuel"]
    assert np.allclose(kept, [0.7, 0.7, 1, 1])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(3), "must have 4 rows, one a level; got 3"),
        (np.eye(4) * 0.9 + np.diag([0.1, 0.1, 0, 0.1]), "1 do not, the first row 2 with 0.9"),
        (
            np.eye(4) + np.eye(4, k=1) * 0.5 - np.eye(4, k=-1) * 0.5,
            "must hold probabilities; 3 rows do not, the first row 1",
        ),
        (np.full((4, 4), np.nan), "must hold probabilities; 4 rows do not, the first row 0"),
    ],
)
def test_matrices_that_are_not_stochastic_are_refused_by_row(matrix, message):
    with pytest.raises(ParameterError, match=message):
        PRAM(matrix={"fuel": matrix}).mask(microdata())


def test_a_matrix_for_an_attribute_that_is_not_masked_is_refused():
    with pytest.raises(ParameterError, match="'income', which is not masked"):
        PRAM(matrix={"income": np.eye(2)}).mask(microdata())
    with pytest.raises(ParameterError, match="matrix must be None or a mapping"):
        PRAM(matrix={"fuel": [1, 2]}).mask(microdata())


@pytest.mark.parametrize("theta", [0, 1, -0.5, 9])
def test_theta_is_between_0_and_1(theta):
    with pytest.raises(ParameterError, match="theta must be a number above 0 and below 1"):
        PRAM(theta).mask(microdata())


@given(COUNTS, st.floats(0.01, 0.99), st.integers(1, 4))
def test_neighbours_are_all_that_a_level_reaches_and_counts_are_kept(counts, theta, width):
    counts = np.array(counts, dtype=float)
    place = {level: rank for rank, level in enumerate(np.flatnonzero(counts))}
    even = uniform_matrix(counts, theta, neighbours=width)
    plain = frequency_matrix(counts, theta, neighbours=width)
    for matrix in (plain, even, evened(even, counts)):
        assert (matrix >= -1e-12).all()
        assert np.allclose(matrix.sum(axis=1), 1)
        for i, j in np.argwhere(matrix > 0):
            assert i == j or abs(place[i] - place[j]) <= width
    for matrix in (plain, evened(even, counts)):
        assert np.allclose(counts @ matrix, counts)
    if len(place) > 1:
        assert np.isclose((1 - np.diagonal(plain)).max(), theta * (_neighbours(counts, width) / _most(counts, width)))
        assert np.allclose(np.diagonal(even)[counts > 0], 1 - theta)
        assert (np.diagonal(evened(even, counts))[counts > 0] < 1).all(), "every level is left for some other"


def _near(counts, width):
    ranks = range(int((counts > 0).sum()))
    return [sum(0 < abs(i - j) <= width for j in ranks) for i in ranks]


def _most(counts, width):
    return max(_near(counts, width))


def _neighbours(counts, width):
    """Of the level that is left most often, how many neighbours, a level weighing by how rare it is."""
    present = counts[counts > 0]
    return max(near * present.min() / size for near, size in zip(_near(counts, width), present, strict=True))


@pytest.mark.parametrize("options", [{}, {"design": "uniform"}, {"design": "uniform", "invariant": True}])
def test_the_release_moves_to_neighbours_only(options):
    data = fuels(4000)
    masked = PRAM(0.9, neighbours=1, random_state=3, **options).mask(data)
    steps = np.abs(masked.microdata.encoded("fuel") - data.encoded("fuel"))
    assert steps.max() == 1
    assert masked.provenance.changed["fuel"] > 100
    assert not masked.provenance.transitions["fuel"][0, 2]


def test_own_matrices_are_not_narrowed_and_old_seeds_draw_as_before():
    swap = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]
    masked = PRAM(matrix={"fuel": swap}, neighbours=1, random_state=1).mask(fuels(100))
    assert masked.provenance.changed["fuel"] > 0
    assert "neighbours" not in PRAM(0.5)._purpose(("fuel",))
    assert '"neighbours": 2' in PRAM(0.5, neighbours=2)._purpose(("fuel",))


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize("counts", [[5.0, 0.0], [0.0, 0.0, 7.0], [0.0]])
@pytest.mark.parametrize("neighbours", [None, 1])
def test_one_level_has_nowhere_to_go(counts, neighbours):
    for build in (frequency_matrix, uniform_matrix):
        assert build(np.array(counts), 0.5, neighbours=neighbours).tolist() == np.eye(len(counts)).tolist()


@pytest.mark.parametrize(
    ("build", "counts", "neighbours", "expected"),
    [
        (uniform_matrix, [4, 2, 2], None, [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]),
        (uniform_matrix, [4, 0, 2], None, [[0.6, 0, 0.4], [0, 1, 0], [0.4, 0, 0.6]]),
        (uniform_matrix, [4, 2, 2], 1, [[0.6, 0.4, 0], [0.2, 0.6, 0.2], [0, 0.4, 0.6]]),
        (uniform_matrix, [4, 0, 2], 1, [[0.6, 0, 0.4], [0, 1, 0], [0.4, 0, 0.6]]),  # neighbours among those that occur
        (frequency_matrix, [4, 2, 0], None, [[0.8, 0.2, 0], [0.4, 0.6, 0], [0, 0, 1]]),
        (frequency_matrix, [4, 0, 2], 1, [[0.8, 0, 0.2], [0, 1, 0], [0.4, 0, 0.6]]),
        (frequency_matrix, [4, 2, 8], 1, [[0.9, 0.1, 0], [0.2, 0.6, 0.2], [0, 0.05, 0.95]]),
        (frequency_matrix, [4, 2, 8], 2, [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.05, 0.05, 0.9]]),
    ],
)
def test_matrices_by_hand(build, counts, neighbours, expected):
    found = build(np.array(counts, dtype=float), 0.4, neighbours=neighbours)
    assert found.tolist() == [pytest.approx(row, abs=1e-15) for row in expected]


def test_flows_are_evened_and_draws_turned_back_by_hand():
    counts, matrix = np.array([8.0, 2.0, 0.0]), np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    # Four go one way and one the other: one of eight, and one of two, is left on both ways.
    assert evened(matrix.copy(), counts).tolist() == [[0.875, 0.125, 0], [0.5, 0.5, 0], [0, 0, 1]]
    # After the first draw a level says nothing: the second takes 8 of 10.
    assert invariant_matrix(matrix, counts).tolist() == [
        pytest.approx([0.8, 0.2, 0]),
        pytest.approx([0.8, 0.2, 0]),
        [0, 0, 1],
    ]


def test_an_own_matrix_is_shared_out_among_the_levels_that_occur():
    matrix = np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0], [0.2, 0.3, 0.5]])
    assert _within(matrix, np.array([True, True, False])).tolist() == [
        pytest.approx([2 / 3, 1 / 3, 0]),
        [0, 1, 0],
        pytest.approx([0.4, 0.6, 0]),
    ]
    assert _possible(matrix).tolist() == [
        [True, True, True, False],
        [False, False, True, False],
        [True, True, True, False],
        [False, False, False, True],
    ]


def test_the_last_level_that_can_be_takes_what_rounding_leaves():
    matrix = np.array([[0.25, 0.5, 0.25 - 1e-9, 0.0], [0.0, 1.0, 0.0, 0.0]])
    matrix = np.vstack([matrix, np.eye(4)[2:]])
    draws = np.array([0.0, 0.2499, 0.25, 0.7499, 0.75, 1.0 - 2**-53, 0.999, 0.5])
    codes = np.array([0, 0, 0, 0, 0, 0, 1, -1], dtype=np.int32)
    assert redrawn(codes, matrix, draws).tolist() == [0, 0, 1, 1, 2, 2, 1, -1]


@pytest.mark.parametrize("matrix", ["ab", [["x"]], [[1, 0]], [1.0], [[[1.0]]], [[1.0, 0], [1.0]], None])
def test_what_is_no_square_table_is_refused(matrix):
    with pytest.raises(ParameterError, match="matrix must be None or a mapping"):
        PRAM(matrix={"fuel": matrix}).mask(microdata())


def test_large_matrices_are_told_by_their_diagonal(monkeypatch):
    masked = PRAM(0.5, random_state=1).mask(fuels(50))
    assert np.shape(masked.provenance.details["matrices"]["fuel"]) == (4, 4)
    monkeypatch.setattr("discreet.masking.perturbing.pram._SHOWN", 4)
    assert "fuel" in PRAM(0.5, random_state=1).mask(fuels(50)).provenance.details["matrices"]
    monkeypatch.setattr("discreet.masking.perturbing.pram._SHOWN", 3)
    again = PRAM(0.5, random_state=1).mask(fuels(50))
    assert again.provenance.details["matrices"] == {}
    assert again.provenance.details["kept"] == masked.provenance.details["kept"]
