"""Optimal matching by hand, and what costs may be."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales.dissimilarities.optimal_matching import OptimalMatching, transition_costs
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError

COSTS = np.array([[0.0, 0.5, 2.0], [0.5, 0.0, 1.0], [2.0, 1.0, 0.0]])


@pytest.mark.parametrize(
    ("distance", "first", "second", "cost", "most"),
    [
        (OptimalMatching(), [0, 1], [1, 0], 2, 4),  # delete and insert one
        (OptimalMatching(1.0, 1.0), [0, 1], [0, 2], 1, 4),
        (OptimalMatching(0.5, 2.0), [0], [1], 1, 1),  # two indels are cheaper than an exchange
        (OptimalMatching(1.0, COSTS), [0, 1, 2], [1, 1, 2], 0.5, 6),
        (OptimalMatching(1.0, COSTS), [0, 2], [2, 0], 2, 4),
        (OptimalMatching(2.0), [0, 0], [], 4, 4),
        (OptimalMatching(), [], [], 0, 1),
    ],
)
def test_the_cheapest_way_over_the_dearest(distance, first, second, cost, most):
    assert distance(first, second) == pytest.approx(cost / most)
    assert distance(second, first) == pytest.approx(cost / most)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"indel": 0}, "indel must be"),
        ({"indel": -1.0}, "indel must be"),
        ({"substitution": "dear"}, "substitution must be a number or a matrix"),
        ({"substitution": -1.0}, "finite and not negative; got shape"),
        ({"substitution": np.inf}, "finite and not negative"),
        ({"substitution": np.ones((2, 3))}, r"square matrix, finite and not negative; got shape \(2, 3\)"),
        ({"substitution": np.ones((2, 2, 2))}, "square matrix"),
        ({"substitution": np.ones((2, 2))}, "symmetric with a zero diagonal"),
        ({"substitution": [[0, 1], [2, 0]]}, "symmetric with a zero diagonal"),
    ],
)
def test_costs_that_are_none(parameters, message):
    with pytest.raises(ParameterError, match=message):
        OptimalMatching(**parameters)


def test_more_events_than_costs_are_refused():
    distance = OptimalMatching(1.0, COSTS[:2, :2])
    assert distance([0, 1], [1]) == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="substitution has 2 rows; the sequences use 3 events"):
        distance([0, 2], [1])


def test_equal_ones_are_equal():
    one, other = OptimalMatching(1.0, COSTS), OptimalMatching(1.0, COSTS.tolist())
    assert one == other
    assert hash(one) == hash(other)
    assert one != OptimalMatching(0.5, COSTS)
    assert one != OptimalMatching(1.0, 2 * COSTS)
    assert one != "optimal-matching"
    assert repr(one) == "OptimalMatching(indel=1.0, substitution=3 × 3 costs)"
    assert repr(OptimalMatching()) == "OptimalMatching(indel=1.0, substitution=2.0)"


def test_costs_from_what_follows_what():
    # 0 → 1 twice and 0 → 0 once, 1 → 2 once; pairs do not reach over the end of a sequence.
    sequences = EncodedSequences.of([[0, 0, 1], [], [0, 1, 2]])
    expected = [[0, 2 - 2 / 3, 2], [2 - 2 / 3, 0, 1], [2, 1, 0]]
    assert transition_costs(sequences) == pytest.approx(np.array(expected))
    assert transition_costs(sequences, 4)[3].tolist() == [2, 2, 2, 0]
    assert transition_costs(EncodedSequences.of([[0], [1]])).tolist() == [[0, 2], [2, 0]]
    assert transition_costs(EncodedSequences.of([[]]), 2).tolist() == [[0, 2], [2, 0]]
    with pytest.raises(ParameterError, match="n_codes must be at least 3; got 2"):
        transition_costs(sequences, 2)
