"""Shared terms against their twin, and what they never release."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.scales.sequence import EncodedSequences
from discreet.operators.query_prototypes import SharedTerms

QUERY = st.lists(st.integers(2, 5), min_size=1, max_size=2)
LOGS = st.lists(QUERY, max_size=3).map(lambda qs: [c for i, q in enumerate(qs) for c in ([0] if i else []) + q])
GROUPS = st.lists(LOGS, min_size=2, max_size=5)


@given(groups=st.lists(GROUPS, min_size=1, max_size=3), data=st.data())
def test_agrees_with_the_twin(groups, data):
    weights = [data.draw(st.lists(st.integers(1, 2), min_size=len(g), max_size=len(g))) for g in groups]
    labels = [g for g, group in enumerate(groups) for _ in group]
    logs = EncodedSequences.of([one for group in groups for one in group])
    released = SharedTerms().by_label(logs, labels, [w for group in weights for w in group])
    found = [released.codes[a:b].tolist() for a, b in zip(released.offsets, released.offsets[1:], strict=False)]
    assert found == reference.shared_terms(groups, weights)


@given(group=GROUPS)
def test_what_one_alone_asked_is_never_released(group):
    codes = set(SharedTerms()(group)) - {0, 1}
    for code in codes:
        assert sum(code in log for log in group) >= min(len(group), 3)


def test_how_often_somebody_asks_does_not_make_it_common():
    assert SharedTerms()([[5, 0, 5, 0, 5, 0, 2], [2], [2, 0, 3], [2]]) == [2]


def test_nothing_shared_is_not_told():
    assert SharedTerms()([[2], [3], [4]]) == [1]
    assert SharedTerms()([[], []]) == []
