"""Distances of paths against their slow twins, on a plane and on a globe, and where somebody was at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.reference import paths as reference

from discreet.kernels.sequences.paths import EDR, FRECHET, HAUSDORFF, aligned_paths, places_at, synchronous_paths

SPAN = 3.0
RADIUS = 4.0


def drawn(seed: int, n: int, longest: int) -> list[list[float]]:
    """Return flat paths of time, x and y: the first two empty and alone, times shared and repeated."""
    rng = np.random.default_rng(seed)
    result: list[list[float]] = [[], [4, 1, 2]]
    for _ in range(n - 2):
        count = rng.integers(1, longest + 1)
        times, places = np.sort(rng.integers(0, 9, count)), rng.integers(0, 5, (count, 2))
        result.append([float(x) for t, p in zip(times, places, strict=True) for x in (t, *p)])
    return result


def arrays(paths: list[list[float]], *, globe: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, places in three coordinates and where a path starts."""
    points = [point for path in paths for point in reference.points(path)]
    flat = np.array(points, dtype=float).reshape(-1, 3)
    places = np.column_stack((flat[:, 1:], np.zeros(len(flat))))
    if globe:
        places = np.array([on_globe(*point[1:]) for point in points]).reshape(-1, 3)
    offsets = np.concatenate(([0], np.cumsum([len(path) // 3 for path in paths])))
    return np.ascontiguousarray(flat[:, 0]), np.ascontiguousarray(places), offsets


def on_globe(north: float, east: float) -> tuple[float, float, float]:
    north, east = north / 3, east / 3
    return (
        RADIUS * math.cos(north) * math.cos(east), RADIUS * math.cos(north) * math.sin(east), RADIUS * math.sin(north)
    )  # fmt: skip


def over_globe(p: Any, q: Any) -> float:
    chord = math.dist(on_globe(*p[1:]), on_globe(*q[1:]))
    return 2 * RADIUS * math.asin(min(chord / (2 * RADIUS), 1))


WAYS: dict[str, tuple[int, Callable[..., float]]] = {
    "hausdorff": (HAUSDORFF, lambda s, r, apart: reference.hausdorff(s, r, SPAN, apart)),
    "frechet": (FRECHET, lambda s, r, apart: reference.frechet(s, r, SPAN, apart)),
    "edr": (EDR, lambda s, r, apart: reference.edr(s, r, 2.0, apart)),
}


@pytest.mark.parametrize("globe", [False, True])
@pytest.mark.parametrize("name", WAYS)
def test_paths_without_their_times(name: str, globe: bool) -> None:
    left, right = drawn(1, 9, 5), drawn(2, 10, 7)
    kind, twin = WAYS[name]
    apart = over_globe if globe else reference.on_plane
    (_, *a), (_, *b) = arrays(left, globe=globe), arrays(right, globe=globe)
    which, among = np.array([3, 0, 8, 1, 5]), np.array([9, 1, 0, 4, 2, 7])
    rest = SPAN, RADIUS if globe else 0.0, kind, 2.0, 7
    found = aligned_paths(*a, *b, which, among, False, *rest)
    expected = [twin(left[i], right[j], apart) for i in which for j in among]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    found = aligned_paths(*a, *b, which, among[:5], True, *rest)
    expected = [twin(left[i], right[j], apart) for i, j in zip(which, among, strict=False)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_paths_at_the_same_times() -> None:
    left, right = drawn(3, 12, 6), drawn(4, 12, 7)
    a, b = arrays(left), arrays(right)
    which, among = np.array([3, 0, 8, 1, 5, 11]), np.array([9, 1, 0, 4, 2, 7, 11])
    found = synchronous_paths(*a, *b, which, among, False, SPAN, 0.0)
    expected = [reference.synchronous(left[i], right[j], SPAN, reference.on_plane) for i in which for j in among]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    everybody = np.arange(12)
    found = synchronous_paths(*a, *b, everybody, everybody, True, SPAN, 0.0)
    expected = [reference.synchronous(s, r, SPAN, reference.on_plane) for s, r in zip(left, right, strict=True)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    itself = synchronous_paths(*a, *a, everybody, everybody, True, SPAN, 0.0)
    assert itself.tolist() == [0.0] * 12


def test_an_arc_is_longer_than_its_chord_and_half_the_globe_is_the_farthest() -> None:
    # A quarter and a half of the way around, at the same time.
    times, offsets = np.array([1.0]), np.array([0, 1])
    pole = np.array([[0.0, 0.0, RADIUS]])
    one = np.array([0])
    # Rounding may put a place a little outside of the globe.
    beyond = -RADIUS * (1 + 1e-9)
    for place, arc in ([RADIUS, 0.0, 0.0], math.pi / 2), ([0.0, 0.0, -RADIUS], math.pi), ([0.0, 0.0, beyond], math.pi):
        asked = times, pole, offsets, times, np.array([place]), offsets, one, one, True, SPAN, RADIUS
        far = RADIUS * arc
        assert synchronous_paths(*asked)[0] == pytest.approx(far / (far + SPAN))
        found = aligned_paths(
            pole, offsets, np.array([place]), offsets, one, one, True, SPAN, RADIUS, HAUSDORFF, 0.0, 1
        )
        assert found[0] == pytest.approx(far / (far + SPAN))


def test_a_pair_does_not_depend_on_the_one_before_it() -> None:
    # Two paths that are the same, then one point against two far ones: both have to go in.
    _, a_points, a_offsets = arrays([[0.0, 0, 0, 1.0, 1, 1], [0.0, 50, 50]])
    _, b_points, b_offsets = arrays([[0.0, 0, 0, 1.0, 1, 1], [0.0, 0, 0, 1.0, 1, 1]])
    both = np.arange(2)
    found = aligned_paths(a_points, a_offsets, b_points, b_offsets, both, both, True, SPAN, 0.0, EDR, 0.5, 2)
    assert found.tolist() == [0.0, 1.0]


def test_where_somebody_was() -> None:
    paths = [*drawn(5, 8, 6), [2.0, 1, 1, 4.0, 5, 3, 4.0, 9, 9, 8.0, 1, 5]]
    times, places, offsets = arrays(paths)
    moments = np.array([-1.0, 0.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0, 9.0])
    which = np.repeat(np.arange(len(paths)), moments.size)
    found = places_at(times, places, offsets, which, np.tile(moments, len(paths)))
    for row, (i, t) in enumerate(zip(which, np.tile(moments, len(paths)), strict=True)):
        if not paths[i]:
            assert np.isnan(found[row]).all()
        else:
            assert found[row].tolist() == pytest.approx([*reference.held(reference.points(paths[i]), t), 0.0])
    # Of two points of one time the first, and half way from the second to the next.
    last = places_at(times, places, offsets, np.array([8, 8]), np.array([4.0, 6.0]))
    assert last.tolist() == [[5, 3, 0], [5, 7, 0]]


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    times, points, offsets = arrays(drawn(1, 4, 3))
    one = np.array([2])
    with stops():
        synchronous_paths(times, points, offsets, times, points, offsets, one, one, True, SPAN, 0.0)
    with stops():
        aligned_paths(points, offsets, points, offsets, one, one, True, SPAN, 0.0, EDR, 1.0, 5)
    with stops():
        places_at(times, points, offsets, one, np.array([1.0]))
