"""Distances of sequences, against their slow twins: all with all, in pairs, and of some in any order."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.levenshtein import edit_distances
from discreet.kernels.sequences.sequence_distances import common_subsequences, differing_positions, optimal_matching
from discreet.kernels.sequences.shared_items import JACCARD, SORENSEN, unshared_items, unshared_weight

EVENTS = 4
COSTS = np.array([[0.0, 1.0, 2.0, 0.5], [1.0, 0.0, 1.5, 3.0], [2.0, 1.5, 0.0, 1.0], [0.5, 3.0, 1.0, 0.0]])


def drawn(seed: int, n: int, longest: int) -> list[list[int]]:
    """Sequences of codes, the first two empty and alone."""
    rng = np.random.default_rng(seed)
    return [[], [2], *(rng.integers(0, EVENTS, rng.integers(1, longest + 1)).tolist() for _ in range(n - 2))]


def kernels(longest: int, costs: np.ndarray, indel: float) -> dict:
    """By name, what a kernel is called with after the places of the pairs, and its slow twin."""

    def matched(s: list, r: list) -> float:
        prices = (lambda _x, _y: costs[0, 0]) if costs.size == 1 else (lambda x, y: costs[x, y])
        total = reference.optimal_matching(tuple(s), tuple(r), indel, prices)
        return total / (indel * max(len(s) + len(r), 1))

    return {
        "positions": (differing_positions, (), reference.hamming),
        "common": (common_subsequences, (longest,), reference.lcs),
        "matching": (optimal_matching, (longest, indel, costs), matched),
    }


@pytest.mark.parametrize("name", ["positions", "common", "matching"])
@pytest.mark.parametrize(("indel", "costs"), [(1.0, COSTS), (0.75, np.array([[2.0]]))])
def test_kernels_are_their_twins(name: str, indel: float, costs: np.ndarray) -> None:
    left, right = drawn(1, 9, 6), drawn(2, 8, 7)
    a, b = EncodedSequences.of(left), EncodedSequences.of(right)
    kernel, further, twin = kernels(7, costs, indel)[name]
    which, among = np.array([3, 0, 8, 1]), np.array([7, 1, 0, 4, 2])
    found = kernel(a.codes, a.offsets, b.codes, b.offsets, which, among, False, *further)
    expected = [twin(left[i], right[j]) for i in which for j in among]
    assert found.tolist() == pytest.approx(expected)
    found = kernel(a.codes, a.offsets, b.codes, b.offsets, which, among[:4], True, *further)
    assert found.tolist() == pytest.approx([twin(left[i], right[j]) for i, j in zip(which, among[:4], strict=True)])


def test_edits_of_short_and_long_sequences() -> None:
    # Up to 64 events a column is two words; the others go row by row. Both lengths at the border.
    rng = np.random.default_rng(3)
    left = [*drawn(4, 5, 9), *(rng.integers(0, EVENTS, n).tolist() for n in (63, 64, 65))]
    right = [*drawn(5, 5, 9), rng.integers(0, EVENTS, 70).tolist(), [*left[6][:-1], 3]]
    a, b = EncodedSequences.of(left), EncodedSequences.of(right)
    which, among = np.arange(len(left)), np.arange(len(right))
    found = edit_distances(a.codes, a.offsets, b.codes, b.offsets, EVENTS, which, among, False, 70)
    expected = [reference.levenshtein(s, r) for s in left for r in right]
    assert found.tolist() == pytest.approx(expected)
    pairs = edit_distances(a.codes, a.offsets, b.codes, b.offsets, EVENTS, which[1:], among, True, 70)
    assert pairs.tolist() == pytest.approx([reference.levenshtein(left[i + 1], right[i]) for i in range(len(right))])


@pytest.mark.parametrize(("divisor", "twin"), [(JACCARD, reference.jaccard), (SORENSEN, reference.sorensen)])
def test_items_that_only_one_of_two_sets_has(divisor: int, twin) -> None:
    left, right = ([sorted(set(s)) for s in drawn(seed, 7, 4)] for seed in (6, 7))
    a, b = EncodedSequences.of(left), EncodedSequences.of(right)
    which, among = np.array([6, 0, 3, 1]), np.array([2, 0, 5, 1])
    found = unshared_items(a.codes, a.offsets, b.codes, b.offsets, which, among, False, divisor)
    assert found.tolist() == pytest.approx([twin(left[i], right[j]) for i in which for j in among])
    pairs = unshared_items(a.codes, a.offsets, b.codes, b.offsets, which, among, True, divisor)
    assert pairs.tolist() == pytest.approx([twin(left[i], right[j]) for i, j in zip(which, among, strict=True)])


def test_the_weight_of_items_that_only_one_of_two_sets_has() -> None:
    left, right = ([sorted(set(s)) for s in drawn(seed, 7, 4)] for seed in (6, 7))
    weights = np.array([0.5, 1.0, 4.0, 0.25])
    a, b = EncodedSequences.of(left), EncodedSequences.of(right)
    which, among = np.array([6, 0, 3, 1, 5]), np.array([2, 0, 5, 1, 6])

    def twin(i: int, j: int) -> float:
        s, r = set(left[i]), set(right[j])
        return float(weights[list(s ^ r)].sum() / weights[list(s | r)].sum()) if s | r else 0.0

    found = unshared_weight(a.codes, a.offsets, b.codes, b.offsets, which, among, False, weights)
    assert found.tolist() == [twin(i, j) for i in which for j in among]
    pairs = unshared_weight(a.codes, a.offsets, b.codes, b.offsets, which, among, True, weights)
    assert pairs.tolist() == [twin(i, j) for i, j in zip(which, among, strict=True)]
    assert 0.0 < min(x for x in found if x) < 1.0
