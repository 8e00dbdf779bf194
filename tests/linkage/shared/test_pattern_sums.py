"""What estimators ask of counted pairs is the same whether every pattern is held or only those that occur."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.shared.pair_by_pair import PatternList
from discreet.linkage.shared.pattern_counts import PatternCounts

SHAPE = (2, 3, 2)
RNG = np.random.default_rng(0)
BETWEEN, WITHIN, OWN = (RNG.integers(0, 9, SHAPE) for _ in range(3))
EVERY = PatternCounts(BETWEEN, WITHIN, OWN, 10, 20, ("x", "y", "z"))
STATES = np.array(list(np.ndindex(SHAPE)))
LISTED = PatternList(STATES, BETWEEN.ravel(), WITHIN.ravel(), OWN.ravel(), 10, 20, ("x", "y", "z"), SHAPE)
BOTH = pytest.mark.parametrize("counts", [EVERY, LISTED], ids=["every", "listed"])


def summed(numbers, which):
    """Add up the numbers of the patterns that a rule picks, one by one."""
    return float(sum(int(numbers[tuple(one)]) for one in STATES.tolist() if which(one)))


@BOTH
@pytest.mark.parametrize("j", range(3))
def test_margins_by_state(counts, j) -> None:
    assert counts.shape == SHAPE
    assert counts.by_state(j).tolist() == [summed(BETWEEN, lambda one, s=s: one[j] == s) for s in range(SHAPE[j])]
    assert counts.own_by_state(j).tolist() == [summed(OWN, lambda one, s=s: one[j] == s) for s in range(SHAPE[j])]
    halves = counts.margin(counts.between / 2, j)
    assert halves.tolist() == (counts.by_state(j) / 2).tolist()
    assert halves.dtype == np.float64


@BOTH
@pytest.mark.parametrize("least", [(1, 1, 1), (1, 2, 1)])
def test_sets_of_attributes_that_agree(counts, least) -> None:
    agreeing = [[state >= low for state, low in zip(one, least, strict=True)] for one in STATES.tolist()]
    for found, numbers in zip(counts.by_set(least), (BETWEEN, WITHIN, OWN), strict=True):
        expected = np.zeros(8)
        for flags, one in zip(agreeing, STATES.tolist(), strict=True):
            expected[4 * flags[0] + 2 * flags[1] + flags[2]] += numbers[tuple(one)]
        assert found.tolist() == expected.tolist()
    for j in range(3):
        for found, numbers in zip(counts.agreeing_by_state(j, least), (BETWEEN, WITHIN), strict=True):
            expected = [0.0] * SHAPE[j]
            for one in STATES.tolist():
                if all(state >= low for i, (state, low) in enumerate(zip(one, least, strict=True)) if i != j):
                    expected[one[j]] += numbers[tuple(one)]
            assert found.tolist() == expected


@BOTH
def test_products_and_sums_by_pattern(counts) -> None:
    parts = [np.array([2.0, 3.0]), np.array([5.0, 7.0, 11.0]), np.array([13.0, 17.0])]
    product, total = counts.product(parts).ravel(), counts.total(parts).ravel()
    for at, (i, j, k) in enumerate(STATES.tolist()):
        assert product[at] == parts[0][i] * parts[1][j] * parts[2][k]
        assert total[at] == parts[0][i] + parts[1][j] + parts[2][k]


def test_they_say_what_they_are() -> None:
    assert repr(EVERY) == "PatternCounts(12 patterns of 10 × 20 pairs)"
    assert repr(LISTED) == "PatternList(12 patterns of 10 × 20 pairs)"
