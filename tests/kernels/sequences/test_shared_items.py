"""Items that only one of two sets has: counted and weighed, by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.shared_items import JACCARD, SORENSEN, unshared_items, unshared_weight

LEFT = [[], [0], [1, 3], [0, 1, 2, 3], [4], [0, 4], [1, 2]]
RIGHT = [[], [0], [3], [1, 3], [0, 2, 4], [4], [0, 1, 2, 3, 4]]
WEIGHTS = [0.5, 1.0, 2.0, 4.0, 8.0]  # sums of them are exact
A, B = EncodedSequences.of(LEFT), EncodedSequences.of(RIGHT)
ENCODED = (A.codes, A.offsets, B.codes, B.offsets)
WHICH, AMONG = np.array([6, 0, 3, 1, 2, 5, 4]), np.array([2, 6, 0, 5, 1, 4, 3])


def share(left: list[int], right: list[int], by: str) -> float:
    either, both = set(left) | set(right), set(left) & set(right)
    if not either:
        return 0.0
    if by == "weight":
        return float(sum(Fraction(WEIGHTS[i]) for i in either - both) / sum(Fraction(WEIGHTS[i]) for i in either))
    return len(either - both) / (len(either) if by == "jaccard" else len(left) + len(right))


@pytest.mark.parametrize("by", ["jaccard", "sorensen", "weight"])
def test_shares_are_those_of_sets(by: str) -> None:
    kernel: Any = unshared_weight if by == "weight" else unshared_items
    last = np.array(WEIGHTS) if by == "weight" else {"jaccard": JACCARD, "sorensen": SORENSEN}[by]
    found = kernel(*ENCODED, WHICH, AMONG, False, last)
    assert found.tolist() == [share(LEFT[i], RIGHT[j], by) for i in WHICH for j in AMONG]
    pairs = kernel(*ENCODED, WHICH, AMONG, True, last)
    assert pairs.tolist() == [share(LEFT[i], RIGHT[j], by) for i, j in zip(WHICH, AMONG, strict=True)]
    assert kernel(*ENCODED, WHICH[:0], AMONG, False, last).tolist() == []


def test_weights_add_up_alike_both_ways() -> None:
    rng = np.random.default_rng(4)
    sets = [np.flatnonzero(rng.random(30) < 0.5).tolist() for _ in range(12)]
    data, weights = EncodedSequences.of(sets), rng.lognormal(0, 4, 30)
    everybody = np.arange(12)
    encoded = (data.codes, data.offsets, data.codes, data.offsets)
    found = unshared_weight(*encoded, everybody, everybody, False, weights).reshape(12, 12)
    assert found.tobytes() == found.T.copy().tobytes()
    assert not found.diagonal().any()


@pytest.mark.parametrize("kernel", [unshared_items, unshared_weight])
def test_who_is_told_to_stop_stops(kernel: Any, stops: Any) -> None:
    with stops():
        kernel(*ENCODED, WHICH, AMONG, True, np.array(WEIGHTS) if kernel is unshared_weight else JACCARD)
