"""Distances of series against their slow twins: empty ones, gaps, spans met exactly and bands of every width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.reference import sequences as reference

from discreet.data.scales import EncodedSequences
from discreet.kernels.sequences.series_distances import GAP_CODE, differing_readings, warped_readings

SPAN = 8  # in steps, so that one by it is exact


def drawn(seed: int, n: int, longest: int) -> list[list[int]]:
    """Return series of codes, the first two empty and alone; some readings are gaps, some a whole span apart."""
    rng = np.random.default_rng(seed)
    series = [[], [3], *(rng.integers(0, SPAN + 3, rng.integers(1, longest + 1)).tolist() for _ in range(n - 2))]
    return [[GAP_CODE if rng.random() < 0.15 else x for x in one] for one in series]


def compare(
    kernel: Any, left: list, right: list, which: np.ndarray, among: np.ndarray, paired: bool, *rest: float
) -> list[float]:
    a, b = EncodedSequences.of(left), EncodedSequences.of(right)
    found = kernel(a.codes, a.offsets, b.codes, b.offsets, which, among, paired, 1 / SPAN, *rest)
    return [float(x) for x in found]


def check(kernel: Any, twin: Callable[[list, list], float], *rest: float) -> None:
    left, right = drawn(1, 9, 6), drawn(2, 11, 8)
    which, among = np.array([3, 0, 8, 1, 2, 7]), np.array([10, 1, 0, 4, 2, 9, 8])
    found = compare(kernel, left, right, which, among, False, *rest)
    assert found == pytest.approx([twin(left[i], right[j]) for i in which for j in among], abs=1e-12)
    found = compare(kernel, left, right, which, among[:6], True, *rest)
    assert found == pytest.approx([twin(left[i], right[j]) for i, j in zip(which, among, strict=False)], abs=1e-12)


def test_position_by_position() -> None:
    check(differing_readings, lambda s, r: reference.euclidean(s, r, SPAN))


@pytest.mark.parametrize("window", [0.0, 0.1, 0.25, 0.4, 0.5, 1.0])
def test_warped(window: float) -> None:
    check(warped_readings, lambda s, r: reference.dtw(s, r, SPAN, window), window, 8)


def test_a_span_apart_and_a_gap_are_nothing_in_common() -> None:
    left = [[0], [0], [0], [0], [GAP_CODE], [GAP_CODE], [5]]
    right = [[SPAN - 1], [SPAN], [SPAN + 1], [-SPAN], [GAP_CODE], [7], [GAP_CODE]]
    pairs = np.arange(7)
    for kernel, rest in ((differing_readings, ()), (warped_readings, (0.0, 1))):
        assert compare(kernel, left, right, pairs, pairs, True, *rest) == [7 / 8, 1, 1, 1, 0, 1, 1]


def test_a_gap_is_no_number() -> None:
    assert np.iinfo(np.int32).min == GAP_CODE


def test_a_longer_series_may_be_warped_to_a_shorter() -> None:
    # Readings that stay as they are cost nothing, whatever the band: it is at least as wide as the lengths differ.
    one = [[0, 4, 4, 4, 8]], [[0, 4, 8]]
    nobody = np.zeros(1, dtype=np.int64)
    assert compare(warped_readings, *one, nobody, nobody, True, 0.0, 3) == [0.0]
    assert compare(differing_readings, *one, nobody, nobody, True) == [pytest.approx(np.sqrt(2.25 / 5))]


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    one = [[0, 4]], [[0, 4, 8]]
    nobody = np.zeros(1, dtype=np.int64)
    with stops():
        compare(warped_readings, *one, nobody, nobody, True, 0.0, 3)
    with stops():
        compare(differing_readings, *one, nobody, nobody, True)
