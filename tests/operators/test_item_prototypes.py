"""Prototypes of sets against their twin, and what they must be."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.scales.sequence import EncodedSequences
from discreet.operators.item_prototypes import FrequentItems

SETS = st.lists(st.integers(0, 6), max_size=6, unique=True).map(sorted)
GROUPS = st.lists(SETS, min_size=1, max_size=6)


@given(group=GROUPS, data=st.data())
def test_agrees_with_the_twin(group, data):
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(group), max_size=len(group)))
    assert FrequentItems()(group, weights) == reference.frequent_items(group, weights)


@given(group=GROUPS)
def test_a_prototype_is_a_set_between_the_smallest_and_the_largest(group):
    chosen = FrequentItems()(group)
    sizes = [len(one) for one in group]
    assert min(sizes) <= len(chosen) <= max(sizes)
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set().union(*group)
    assert FrequentItems()([group[0]] * 3) == group[0]


@given(groups=st.lists(GROUPS, min_size=1, max_size=4))
def test_many_groups_at_once_are_the_groups_one_by_one(groups):
    labels = [g for g, group in enumerate(groups) for _ in group]
    together = FrequentItems().by_label(EncodedSequences.of([one for group in groups for one in group]), labels)
    for g, group in enumerate(groups):
        assert together.codes[together.offsets[g] : together.offsets[g + 1]].tolist() == FrequentItems()(group)


@given(group=st.lists(SETS.filter(lambda one: len(one) == 3), min_size=2, max_size=5))
def test_no_other_set_of_its_size_shares_more_with_the_members(group):
    chosen = FrequentItems()(group)
    shared = max(sum(len(set(other) & set(one)) for one in group) for other in combinations(range(7), len(chosen)))
    assert sum(len(set(chosen) & set(one)) for one in group) == shared
