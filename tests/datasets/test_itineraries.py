from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from discreet.datasets.itineraries import _KINDS, MAX_LENGTH, PLACES, ROUTES, _ladder, _transitions, itineraries_lists
from discreet.errors import ParameterError


@pytest.fixture(scope="module", params=(0, 1, 2))
def visits(request):
    return itineraries_lists(1000, request.param)


def sequences_of(visits):
    return [tuple(visits.codes[start:end].tolist()) for start, end in pairwise(visits.offsets)]


def test_parts_have_their_types_and_lengths(visits):
    ids, codes, offsets, alphabet = visits
    assert ids.dtype == np.int64
    assert codes.dtype == np.int32
    assert offsets.dtype == np.int64
    assert np.unique(ids).size == ids.size == 1000
    assert offsets.size == 1001
    assert (offsets[0], offsets[-1]) == (0, codes.size)
    assert alphabet == PLACES


def test_alphabet_is_named_and_all_of_it_is_visited(visits):
    assert 20 <= len(PLACES) <= 30
    assert len(set(PLACES)) == len(PLACES)
    assert np.unique(visits.codes).tolist() == list(range(len(PLACES)))


def test_places_are_visited_unevenly(visits):
    counts = np.bincount(visits.codes)
    assert counts.max() > 2.5 * counts.min()


def test_lengths(visits):
    lengths = np.diff(visits.offsets)
    assert lengths.min() == 1
    assert lengths.max() == MAX_LENGTH == 25
    assert 6 < lengths.mean() < 12
    assert (lengths == 1).mean() < 0.1
    assert (lengths == MAX_LENGTH).mean() < 0.05


def test_same_seed_same_sequences():
    first, second = itineraries_lists(200, 5), itineraries_lists(200, np.random.default_rng(5))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_other_seed_other_sequences():
    first, second = itineraries_lists(200, 5), itineraries_lists(200, 6)
    assert not np.array_equal(first.offsets, second.offsets)


def test_routes_name_places_once():
    for route in ROUTES.values():
        assert set(route) <= set(PLACES)
        assert len(set(route)) == len(route)


@pytest.mark.parametrize("kind", _KINDS)
def test_transitions_are_probabilities(kind):
    rows = _transitions(kind)
    assert rows.min() >= 0
    np.testing.assert_allclose(rows.sum(axis=1), 1)


def test_ladder_never_descends_and_its_rows_end_on_whole_numbers():
    ladder = _ladder()
    assert (np.diff(ladder) >= 0).all()
    tops = ladder[len(PLACES) - 1 :: len(PLACES)]
    np.testing.assert_array_equal(tops, np.arange(1.0, len(PLACES) * len(_KINDS) + 1))


def test_moves_follow_the_typical_routes(visits):
    on_route = {pair for route in ROUTES.values() for pair in pairwise(map(PLACES.index, route))}
    moves = [pair for sequence in sequences_of(visits) for pair in pairwise(sequence)]
    share = np.mean([pair in on_route for pair in moves])
    # Moves at random would be on a route some 30 times in 576.
    assert 0.4 < share < 0.8


@pytest.mark.parametrize("kind", ROUTES)
def test_each_route_is_walked_by_somebody(visits, kind):
    start = tuple(map(PLACES.index, ROUTES[kind][:5]))
    assert sum(sequence[:5] == start for sequence in sequences_of(visits)) >= 2


def test_realised_moves_agree_with_the_transitions():
    """The one search over the ladder draws what the rows say, here for the moves away from the gate."""
    visits = itineraries_lists(40_000, 3)
    starts = visits.offsets[:-1][np.diff(visits.offsets) > 1]
    starts = starts[visits.codes[starts] == 0]
    drawn = np.bincount(visits.codes[starts + 1], minlength=len(PLACES)) / starts.size
    # A length is negative binomial with shape 9; whoever draws 0 or 1 makes no move.
    shares = {
        kind: share * (1 - (9 / (9 + mean)) ** 9 * (1 + 9 * mean / (9 + mean)))
        for kind, (share, mean, *_) in _KINDS.items()
        if kind != "repeater"
    }
    expected = sum(share * _transitions(kind)[0] for kind, share in shares.items()) / sum(shares.values())
    np.testing.assert_allclose(drawn, expected, atol=0.01)


def test_places_are_repeated(visits):
    sequences = sequences_of(visits)
    again = np.mean([len(set(sequence)) < len(sequence) for sequence in sequences])
    at_once = np.mean([any(a == b for a, b in pairwise(sequence)) for sequence in sequences])
    assert 0.4 < again < 0.85
    assert 0.15 < at_once < 0.5


def test_short_visits_are_shared_and_long_ones_single_out(visits):
    sequences = sequences_of(visits)
    counts = Counter(sequences)
    assert counts.most_common(1)[0][1] >= 10
    assert 0.6 < np.mean([counts[sequence] == 1 for sequence in sequences]) < 0.95
    assert all(counts[sequence] == 1 for sequence in sequences if len(sequence) > 18)


def test_a_few_visitors_are_odd():
    sequences = sequences_of(itineraries_lists(5000, 0))
    ride = PLACES.index("Iron Coaster")
    repeaters = sum(len(sequence) > 6 and sequence.count(ride) > 0.6 * len(sequence) for sequence in sequences)
    elsewhere = sum(sequence[0] != PLACES.index("Main Gate") for sequence in sequences)
    assert 3 < repeaters < 60
    assert 50 < elsewhere < 500


def test_one_visitor_is_enough():
    ids, codes, offsets, _ = itineraries_lists(1, 0)
    assert ids.tolist() == [1]
    assert offsets.tolist() == [0, codes.size]


@pytest.mark.parametrize("n", [0, -3, 2.0, "5", None, True])
def test_n_is_checked(n):
    with pytest.raises(ParameterError, match=r"^itineraries: n must be an integer of at least 1; got "):
        itineraries_lists(n)
