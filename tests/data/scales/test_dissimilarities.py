"""Every dissimilarity against its twin, and the properties it claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import paths
from tests.reference import sequences as reference

from discreet.data.scales.dissimilarities import (
    OSS,
    OSSOWA,
    Hamming,
    Levenshtein,
    LongestCommonSubsequence,
    OptimalMatching,
    compare_all,
    dissimilarity_named,
    dissimilarity_names,
    transition_costs,
)
from discreet.data.scales.dissimilarities.series_distance import SeriesDistance
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError, UnknownNameError

LADDER = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) / 2.0
TWINS = {
    "oss-owa": lambda d, s, r: reference.oss_owa(s, r, d.quantifier or (lambda x: x)),
    "oss": lambda _, s, r: reference.oss(s, r),
    "jaccard": lambda _, s, r: reference.jaccard(s, r),
    "sorensen": lambda _, s, r: reference.sorensen(s, r),
    "euclidean": lambda d, s, r: reference.euclidean(s, r, d.span or SPAN),
    "dtw": lambda d, s, r: reference.dtw(s, r, d.span or SPAN, d.window),
    "weighted-jaccard": lambda _, s, r: reference.weighted_jaccard(s, r),
    "synchronous": lambda d, s, r: paths.synchronous(s, r, d.reach, apart_by(d)),
    "hausdorff": lambda d, s, r: paths.hausdorff(s, r, d.reach, apart_by(d)),
    "frechet": lambda d, s, r: paths.frechet(s, r, d.reach, apart_by(d)),
    "edr": lambda d, s, r: paths.edr(s, r, d.reach / 10 if d.tolerance is None else d.tolerance, apart_by(d)),
    "hamming": lambda _, s, r: reference.hamming(s, r),
    "levenshtein": lambda _, s, r: reference.levenshtein(s, r),
    "lcs": lambda _, s, r: reference.lcs(s, r),
    "optimal-matching": lambda d, s, r: (
        reference.optimal_matching(tuple(s), tuple(r), d.indel, lambda x, y: cost_of(d, x, y))
        / (d.indel * max(len(s) + len(r), 1))
    ),
}
EXAMPLES = [
    pytest.param(d, id=f"{name}-{i}")
    for name in dissimilarity_names()
    for i, d in enumerate(dissimilarity_named(name).examples())
]
SPAN = 4.0
SEQUENCES = st.lists(st.integers(0, 5), max_size=9)
POINTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 5)), max_size=4).map(
    lambda points: [part for point in sorted(points, key=lambda one: one[0]) for part in point]
)


def made_of(distance):
    """What sequences that a distance compares are made of."""
    return POINTS if "trajectory" in distance.contents else SEQUENCES


def apart_by(distance):
    """How far apart two points are: on a plane, or over the ground."""
    return (lambda p, q: paths.over_ground(p, q, distance.unit)) if distance.geographic else paths.on_plane


def cost_of(distance, x, y):
    return distance.substitution if np.ndim(distance.substitution) == 0 else distance.substitution[x, y]


every = pytest.mark.parametrize("distance", EXAMPLES)


@every
@given(data=st.data())
def test_agrees_with_the_definition(distance, data):
    a, b = (data.draw(st.lists(made_of(distance), min_size=1, max_size=most)) for most in (5, 4))
    if isinstance(distance, SeriesDistance) and distance.span is None:
        distance = replace(distance, span=SPAN)
    found = distance.compare(EncodedSequences.of(a), EncodedSequences.of(b)).matrix()
    expected = [[TWINS[distance.name](distance, s, r) for r in b] for s in a]
    np.testing.assert_allclose(found, expected, atol=1e-12 if "trajectory" not in distance.contents else 1e-4)


@every
@given(data=st.data())
def test_is_a_dissimilarity(distance, data):
    collection = data.draw(st.lists(made_of(distance), min_size=1, max_size=6))
    matrix = distance.compare(EncodedSequences.of(collection)).matrix()
    assert (matrix >= 0).all()
    assert (matrix <= 1 + 1e-12).all()
    np.testing.assert_array_equal(matrix, matrix.T)
    assert not np.diag(matrix).any()
    equal = np.array([[s == r for r in collection] for s in collection])
    assert not matrix[equal].any()
    if "definite" in distance.properties:
        assert (matrix[~equal] > 0).all()
    if "triangle" in distance.properties:
        assert (matrix[:, None, :] <= matrix[:, :, None] + matrix[None, :, :] + 1e-12).all()


@every
@given(data=st.data())
def test_rows_pairs_and_matrix_are_the_same_numbers(distance, data):
    collection = data.draw(st.lists(made_of(distance), min_size=2, max_size=6))
    comparison = distance.compare(EncodedSequences.of(collection))
    matrix = comparison.matrix()
    places = st.integers(0, len(collection) - 1)
    which = data.draw(st.lists(places, min_size=1, max_size=6))
    among = data.draw(st.lists(places, min_size=len(which), max_size=len(which)))
    np.testing.assert_array_equal(comparison.rows(which, among), matrix[np.ix_(which, among)])
    np.testing.assert_array_equal(comparison.pairs(which, among), matrix[which, among])
    np.testing.assert_array_equal(comparison.rows(which), matrix[which])
    both = compare_all([distance] * 2, [EncodedSequences.of(collection)] * 2)
    np.testing.assert_allclose(both.matrix(), matrix)
    np.testing.assert_allclose(both.pairs(which, among), matrix[which, among])


@given(
    few=st.sets(st.integers(0, 12), min_size=1, max_size=4), many=st.sets(st.integers(0, 12), min_size=1, max_size=6)
)
def test_repeated_events_are_paired_with_the_least_total(few, many):
    # Event 0 at the given places, fillers that nobody shares elsewhere: what is paired can be read off the mean.
    s = [0 if i in few else 1 for i in range(13)]
    r = [0 if i in many else 2 for i in range(13)]
    pairs = min(len(few), len(many))
    total = (OSSOWA()(s, r) * 26 - (26 - 2 * pairs)) / 2 * 26
    short, long = sorted((sorted(few), sorted(many)), key=len)
    assert round(total, 6) == reference.least_total(short, long)


def test_ties_among_pairings_take_the_lowest_positions_and_stay_symmetric():
    # 5, 6 against 3, 6, 7: shifts 2 and 0, or 1 and 1, total 2 both ways.
    assert reference.best_pairing([5, 6], [3, 6, 7]) == (3, 6)
    s = [0 if i in (5, 6) else 1 for i in range(8)]
    r = [0 if i in (3, 6, 7) else 2 for i in range(8)]
    square = OSSOWA(np.square)
    assert square(s, r) == pytest.approx(reference.oss_owa(s, r, lambda x: x * x))
    assert square(s, r) == square(r, s)


def test_large_alphabets_long_and_very_repetitive_sequences():
    rng = np.random.default_rng(5)
    many_events = [rng.integers(0, 5000, rng.integers(0, 40)).tolist() for _ in range(30)]
    repetitive = [rng.integers(0, 2, rng.integers(60, 150)).tolist() for _ in range(6)]
    for collection in (many_events, repetitive):
        encoded = EncodedSequences.of(collection)
        edits = Levenshtein().compare(encoded).matrix()
        moved = OSSOWA(np.sqrt).compare(encoded).matrix()
        for i, s in enumerate(collection):
            for j, r in enumerate(collection[: i + 1]):
                if i % 5 == 0:
                    assert edits[i, j] == pytest.approx(_edits(s, r) / max(len(s), len(r), 1))
        np.testing.assert_array_equal(moved, moved.T)
        assert not np.diag(moved).any()
    # Two events, many times each: the pairing of each is checked by its total, which the assignment problem knows.
    from scipy.optimize import linear_sum_assignment

    s, r = repetitive[0], repetitive[1]
    total = 0.0
    unpaired = 0
    for event in (0, 1):
        a, b = reference.occurrences(s, event), reference.occurrences(r, event)
        cost = np.abs(np.subtract.outer(a, b))
        total += cost[linear_sum_assignment(cost)].sum()
        unpaired += abs(len(a) - len(b))
    n = len(s) + len(r)
    assert OSSOWA()(s, r) == pytest.approx((unpaired + 2 * total / n) / n)


@pytest.mark.parametrize("length", [1, 62, 63, 64, 65, 66, 128, 129])
def test_edit_distances_around_the_width_of_a_machine_word(length):
    rng = np.random.default_rng(length)
    for _ in range(10):
        s, r = rng.integers(0, 4, length).tolist(), rng.integers(0, 4, rng.integers(1, 140)).tolist()
        assert Levenshtein()(s, r) == pytest.approx(_edits(s, r) / max(len(s), len(r)))
        assert Levenshtein()(r, s) == Levenshtein()(s, r)


def _edits(s, r):
    line = list(range(len(r) + 1))
    for i, x in enumerate(s, start=1):
        corner, line[0] = line[0], i
        for j, y in enumerate(r, start=1):
            corner, line[j] = line[j], min(corner + (x != y), line[j] + 1, line[j - 1] + 1)
    return line[-1]


def test_a_policy_decides_what_is_close():
    path, same_events, same_path = [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [0, 1, 2, 7, 8, 9, 10]
    early, late = OSSOWA(lambda x: x**0.1), OSSOWA(lambda x: x**8)
    assert early(path, same_events) < early(path, same_path)
    assert late(path, same_path) < late(path, same_events)


def test_empty_sequences():
    for d in (OSSOWA(), OSSOWA(np.square), OSS(), Hamming(), Levenshtein(), LongestCommonSubsequence()):
        assert d([], []) == 0
        assert d([], [1, 2]) == 1
        assert d([1], []) == 1


def test_an_improper_quantifier_still_gives_zero_to_equal_sequences():
    assert OSSOWA(lambda x: 0.2 + 0.6 * x)([0, 1], [0, 1]) == 0


def test_optimal_matching_of_2_and_1_is_the_common_subsequence():
    rng = np.random.default_rng(2)
    collection = EncodedSequences.of([rng.integers(0, 4, rng.integers(0, 9)).tolist() for _ in range(20)])
    np.testing.assert_allclose(
        OptimalMatching().compare(collection).matrix(), LongestCommonSubsequence().compare(collection).matrix()
    )


def test_transition_costs():
    # 0 → 1 twice of three, 0 → 0 once; 1 → 2 once of one; nothing follows 2.
    costs = transition_costs(EncodedSequences.of([[0, 0, 1], [], [0, 1, 2]]), 4)
    assert costs[0, 1] == pytest.approx(2 - 2 / 3)
    assert costs[1, 2] == 1
    assert costs[2, 3] == 2
    assert not np.diag(costs).any()
    np.testing.assert_array_equal(costs, costs.T)
    assert OptimalMatching(substitution=costs)([0, 1], [1, 1]) == pytest.approx((2 - 2 / 3) / 4)
    with pytest.raises(ParameterError, match="n_codes must be at least 3; got 2"):
        transition_costs(EncodedSequences.of([[0, 1, 2]]), 2)


def test_bad_parameters_and_data():
    with pytest.raises(UnknownNameError, match="no dissimilarity named 'tea'"):
        dissimilarity_named("tea")
    with pytest.raises(ParameterError, match="OptimalMatching: indel must be a number above 0; got 0"):
        OptimalMatching(indel=0)
    for costs in (-1.0, [[0, 1]], [[0, 1], [2, 0]], [[1, 1], [1, 0]], "dear", [[0, np.nan], [np.nan, 0]]):
        with pytest.raises(ParameterError, match="OptimalMatching: substitution must be"):
            OptimalMatching(substitution=costs)
    with pytest.raises(DataError, match="substitution has 6 rows; the sequences use 8 events"):
        OptimalMatching(substitution=LADDER)([7], [1])
    with pytest.raises(ParameterError, match="OSSOWA: quantifier must be None or a function"):
        OSSOWA("power:2")
    with pytest.raises(ParameterError, match="one finite number for each proportion"):
        OSSOWA(lambda _: 1.0)([0], [1])
    with pytest.raises(ParameterError, match="one finite number for each proportion"):
        OSSOWA(lambda x: x * np.nan)([0], [1])
    two, three = EncodedSequences.of([[0], [1]]), EncodedSequences.of([[0], [1], [2]])
    with pytest.raises(DataError, match="2 sequences cannot be compared with 3 one by one"):
        OSSOWA().compare(two, three).pairs()
    with pytest.raises(DataError, match="Positions must lie between 0 and 2"):
        OSSOWA().compare(two, three).rows([0], [3])


def test_values_are_told_apart_by_repr_and_equality():
    assert OptimalMatching(1.0, LADDER) == OptimalMatching(1.0, LADDER.copy())
    assert OptimalMatching() != OptimalMatching(2.0)
    assert OptimalMatching() != Hamming()
    assert hash(OptimalMatching(1.0, LADDER)) == hash(OptimalMatching(1.0, LADDER.copy()))
    assert repr(OptimalMatching(1.0, LADDER)) == "OptimalMatching(indel=1.0, substitution=6 × 6 costs)"


@pytest.mark.parametrize(("events", "longest"), [(3, 12), (40, 30), (2, 60)])
def test_many_with_many_is_pair_by_pair(events, longest):
    rng = np.random.default_rng(events)
    few, more = (
        EncodedSequences.of([rng.integers(0, events, rng.integers(0, longest)).tolist() for _ in range(n)])
        for n in (30, 300)
    )
    for d in (OSSOWA(np.square), OSSOWA()):
        both, own = d.compare(few, more), d.compare(more)
        rows = np.array([both.rows([i])[0] for i in range(30)])
        assert np.array_equal(both.rows(np.arange(30)), rows)
        some = np.arange(299, 0, -3)
        assert np.array_equal(both.rows(np.arange(10, 30), some), rows[10:, some])
        square = np.array([own.rows([i])[0] for i in range(300)])
        assert np.array_equal(own.rows(np.arange(300)), square)
        assert own.matrix() == pytest.approx(square, abs=1e-15)
