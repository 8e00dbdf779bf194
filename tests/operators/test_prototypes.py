"""Prototypes against their twins, and what every prototype must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.scales import Sequence
from discreet.data.scales.dissimilarities import OSSOWA, Hamming, LongestCommonSubsequence
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError, UnknownNameError
from discreet.operators import prototypes
from discreet.operators.operator_text import as_dissimilarity, as_sequence_operator
from discreet.operators.prototypes import (
    MajorityByPosition,
    Medoid,
    OrderedElementScoring,
    prototype_length,
    sequence_operator_named,
    sequence_operator_names,
)

SEQUENCES = st.lists(st.integers(0, 4), max_size=7)
GROUPS = st.lists(SEQUENCES, min_size=1, max_size=6)
OPERATORS = [
    OrderedElementScoring(),
    OrderedElementScoring(longest=1),
    MajorityByPosition(),
    Medoid(),
    Medoid(Hamming()),
]


def weights_for(group, data):
    return data.draw(st.lists(st.integers(1, 4), min_size=len(group), max_size=len(group)))


@given(group=GROUPS, data=st.data(), longest=st.integers(1, 4))
def test_ordered_element_scoring(group, data, longest):
    weights = weights_for(group, data)
    assert OrderedElementScoring(longest)(group, weights) == reference.oesp(group, weights, longest)


@given(group=GROUPS, data=st.data())
def test_majority_by_position(group, data):
    weights = weights_for(group, data)
    assert MajorityByPosition()(group, weights) == reference.majority(group, weights)


@given(group=GROUPS, data=st.data())
def test_medoid(group, data):
    weights = weights_for(group, data)
    chosen = reference.medoid(group, weights, reference.lcs)
    assert Medoid(LongestCommonSubsequence())(group, weights) == group[chosen]


@pytest.mark.parametrize("operator", OPERATORS, ids=repr)
@given(group=GROUPS, data=st.data())
def test_a_prototype_is_plausible(operator, group, data):
    weights = weights_for(group, data)
    prototype = operator(group, weights)
    lengths = [len(s) for s in group]
    assert max(min(lengths), min(1, max(lengths))) <= len(prototype) <= max(lengths)
    assert set(prototype) <= {event for s in group for event in s}
    assert operator([group[0]] * 3) == group[0]


@pytest.mark.parametrize("operator", OPERATORS, ids=repr)
@given(groups=st.lists(GROUPS, min_size=1, max_size=4), data=st.data())
def test_many_groups_at_once_are_the_groups_one_by_one(operator, groups, data):
    labelled = [(g, s) for g, group in enumerate(groups) for s in group]
    order = data.draw(st.permutations(range(len(labelled))))
    # The order of groups may be mixed; that within a group decides ties of the medoid and is kept.
    order = sorted(order, key=lambda i: (order.index(i) % 3, i))
    found = operator.by_label(EncodedSequences.of([labelled[i][1] for i in order]), [labelled[i][0] for i in order])
    for g, group in enumerate(groups):
        mine = [labelled[i][1] for i in order if labelled[i][0] == g]
        assert sorted(mine) == sorted(group)
        assert found.codes[found.offsets[g] : found.offsets[g + 1]].tolist() == operator(mine)


def test_a_weight_is_as_many_copies():
    group = [[0, 1, 2], [3, 1], [3, 4, 2, 2]]
    for operator in OPERATORS:
        assert operator(group, [1, 3, 2]) == operator([group[0]] + [group[1]] * 3 + [group[2]] * 2)


def test_medoids_of_many_groups_in_batches(monkeypatch):
    rng = np.random.default_rng(0)
    collection = EncodedSequences.of([rng.integers(0, 5, rng.integers(1, 6)).tolist() for _ in range(60)])
    labels = np.arange(60) % 7
    whole = Medoid().by_label(collection, labels)
    monkeypatch.setattr("discreet.operators.prototypes._PAIRS", 50)
    again = Medoid().by_label(collection, labels)
    np.testing.assert_array_equal(whole.codes, again.codes)
    np.testing.assert_array_equal(whole.offsets, again.offsets)


def test_patterns_keep_runs_of_events_together():
    # "0 1" happens in two of the three; event by event, 0 is ahead at the second place.
    group = [[0, 0, 0], [1, 0, 1], [0, 1, 0]]
    assert OrderedElementScoring(longest=1)(group) == [0, 0, 1]
    assert OrderedElementScoring(longest=2)(group) == [0, 1, 0]


def test_reading():
    assert sequence_operator_names() == (
        *("dtw-barycentre", "frequent-items", "majority", "mean-path", "medoid", "oesp"),
        *("pointwise-mean", "pointwise-median", "shared-terms"),
    )
    assert as_sequence_operator("medoid", Hamming()) == Medoid(Hamming())
    assert as_sequence_operator("oesp", Hamming()) == OrderedElementScoring()
    assert as_sequence_operator(MajorityByPosition(), Hamming()) == MajorityByPosition()
    assert as_dissimilarity("X", Hamming()) == Hamming()
    assert as_dissimilarity("X", "oss-owa") == OSSOWA()
    with pytest.raises(UnknownNameError, match="no operator on sequences named 'mean'"):
        sequence_operator_named("mean")
    with pytest.raises(ParameterError, match="X: quantifier must be None where distance is an object"):
        as_dissimilarity("X", OSSOWA(), "power:2")
    with pytest.raises(ParameterError, match="X: quantifier must be None for the distance 'hamming'"):
        as_dissimilarity("X", "hamming", "power:2")


def test_bad_input():
    two = EncodedSequences.of([[0], [1]])
    for labels in ([0], [0, -1], [0, 2], [1, 1]):
        with pytest.raises(DataError, match="MajorityByPosition: labels"):
            MajorityByPosition().by_label(two, labels)
    for weights in ([0, 1], [0.5, 1.0]):
        with pytest.raises(ParameterError, match="weights must be counts of at least 1"):
            MajorityByPosition().by_label(two, [0, 0], weights)
    with pytest.raises(DataError, match="1 of 2 sequences are missing"):
        MajorityByPosition().by_label(EncodedSequences.of([[0], None]), [0, 0])
    with pytest.raises(ParameterError, match="OrderedElementScoring: longest must be an integer of at least 1; got 0"):
        OrderedElementScoring(0)
    with pytest.raises(ParameterError, match="Medoid: distance must be a Dissimilarity; got str"):
        Medoid("lcs")


def test_a_prototype_is_as_long_as_the_mean_halves_up():
    lengths, weights = np.array([1, 2, 0, 1, 0, 0, 0, 9]), np.array([1, 1, 5, 1, 2, 1, 3, 1])
    groups = np.array([0, 2, 4, 6, 8])
    # 3/2 is two; of one in six an event is left; nothing of nothing; 9/4 is two.
    assert prototype_length(lengths, weights, groups).tolist() == [2, 1, 0, 2]
    assert prototype_length(np.array([1, 2]), np.array([3, 1]), np.array([0, 2])).tolist() == [1]


def test_groups_are_compared_so_many_pairs_at_a_time(monkeypatch):
    def batches(pairs, *sizes):
        monkeypatch.setattr(prototypes, "_PAIRS", pairs)
        return list(prototypes._batches(np.array(sizes)))

    # Groups of 2, 3 and 1 have 4, 9 and 1 pairs.
    assert batches(14, 2, 3, 1) == [(0, 3)]
    assert batches(13, 2, 3, 1) == [(0, 2), (2, 3)]
    assert batches(12, 2, 3, 1) == [(0, 1), (1, 3)]
    assert batches(1, 2, 3, 1) == [(0, 1), (1, 2), (2, 3)]
    group = EncodedSequences.of([[0, 1], [0], [0, 1], [2], [2, 2], [2, 3]])
    labels = [0, 0, 0, 1, 1, 1]
    for pairs in (1, 9, 10**6):
        monkeypatch.setattr(prototypes, "_PAIRS", pairs)
        found = Medoid(Hamming()).by_label(group, labels)
        assert [found.codes[a:b].tolist() for a, b in zip(found.offsets, found.offsets[1:], strict=False)] == [
            Medoid(Hamming())([[0, 1], [0], [0, 1]]),
            Medoid(Hamming())([[2], [2, 2], [2, 3]]),
        ]


@pytest.mark.parametrize(
    ("labels", "weights", "words"),
    [
        ([0], None, "labels and weights must have one entry for each of 2 sequences"),
        ([0, 0], [1], "labels and weights must have one entry for each of 2 sequences"),
        ([0, 0], [1, 0], "weights must be counts of at least 1"),
        ([0, 0], [1.0, 2.0], "weights must be counts of at least 1"),
        ([0, -1], None, "labels must run from 0"),
        ([0, 2], None, "labels must run from 0 to the number of groups less one, each of them used"),
    ],
)
def test_groups_that_are_none_are_refused(labels, weights, words):
    with pytest.raises((DataError, ParameterError), match=f"MajorityByPosition: {words}"):
        MajorityByPosition().by_label(EncodedSequences.of([[0], [1]]), labels, weights)


def test_an_operator_that_says_nothing_joins_events_and_hides_nobody():
    operator = MajorityByPosition()
    assert (operator.contents, operator.scales) == ({"events"}, {"sequence"})
    assert operator.bound_to(Sequence("ab")) is operator
    one = EncodedSequences.of([[0], [1]])
    assert operator.dominated(one, np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)) == 0
    assert Medoid(Hamming()).bound_to(Sequence("ab")).distance == Hamming().comparing("Medoid", Sequence("ab"))
