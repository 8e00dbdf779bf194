"""Distances of levels: the table by its definition, and steps between places by the table."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.data.scales import Nominal, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.linkage.shared.level_terms import as_seen, level_steps, level_table, unchanged_steps


def scales(seed):
    """Return pairs of scales: equal, with fewer levels, in another order, with merged levels, with others."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    levels = list(range(n))
    fewer = [level for level in levels if rng.random() < 0.6] or levels[:1]
    renamed = [level if rng.random() < 0.7 else f"{level}'" for level in map(str, levels)]
    cut = sorted(rng.choice(n, int(rng.integers(1, n + 1)), replace=False).tolist())
    runs = [(first, past) for first, past in zip([0, *cut], [*cut, n], strict=True) if past > first]
    merged = [f"{first}–{past}" if past - first > 1 else str(first) for first, past in runs]
    others = rng.permutation([*map(str, levels), "x", "y", "z"])[: 1 + int(rng.integers(n + 3))].tolist()
    texts = list(map(str, levels))
    pairs = [(levels, levels), (levels, fewer), (fewer, levels), (levels, rng.permutation(levels).tolist())]
    return pairs + [(texts, other) for other in (renamed, merged, others)] + [(others, texts)]


def meaning(n, seed):
    rng = np.random.default_rng(seed)
    bounds = np.cumsum(rng.random(n + 1) + 0.01) * 10.0 ** rng.integers(-2, 3)
    return IntervalSemantics(bounds[:-1], bounds[1:])


@pytest.mark.parametrize("seed", range(40))
def test_the_table_is_that_of_the_definition(seed):
    for first, second in scales(seed):
        for a, b in [
            (Nominal(first), Nominal(second)), (Ordinal(first), Ordinal(second)),
            (Ordinal(first, meaning(len(first), seed)), Ordinal(second, meaning(len(second), seed))),
        ]:  # fmt: skip
            assert np.array_equal(level_table(a, b), twin.level_table(a, b)), (a, b)


@pytest.mark.parametrize("seed", range(40))
def test_steps_between_places_are_the_table(seed):
    found = {"nominal": 0, "ordinal": 0}
    for first, second in scales(seed):
        for kind in (Nominal, Ordinal):
            a, b = kind(first), kind(second)
            steps = level_steps(a, b)
            if steps is None:
                # Only what stands for several others or for none is not on a line.
                assert len(a) < 2 or (kind is Ordinal and not set(second) <= set(first))
                continue
            found[kind.kind] += 1
            places = steps.a_places[:, None].astype(np.int64), steps.b_places[None, :]
            assert np.array_equal(steps.distances[np.abs(places[0] - places[1])], level_table(a, b)), (a, b)
            assert (np.diff(steps.distances) >= 0).all()
            assert (np.diff(steps.a_places) > 0).all()
    assert len(scales(seed)[0][0]) < 2 or min(found.values()) >= 3


def test_a_level_that_stands_for_one_other_is_where_that_is():
    a, b = Ordinal(("a", "b", "c", "d")), Ordinal(("a", "B", "c", "d"))
    assert level_steps(a, b).b_places.tolist() == [0, 1, 2, 3, 7]
    assert level_steps(a, Ordinal(("a", "b and c", "d"))) is None
    assert level_steps(a, Ordinal(("a", "b", "between", "c", "d"))) is None
    assert level_steps(a, Nominal(("a", "B"))) is None
    assert level_steps(Ordinal(("a", "b"), meaning(2, 0)), Ordinal(("a", "b"))) is None


def test_what_was_left_alone_is_infinitely_far_from_all_else():
    steps = unchanged_steps(3)
    apart = np.abs(steps.a_places[:, None] - steps.b_places[None, :])
    assert np.array_equal(steps.distances[apart], np.where(np.eye(4) == 1.0, 0.0, np.inf))


def test_a_matrix_that_does_not_speak_of_missing_values():
    allowed = np.array([[True, False], [False, True]])
    assert as_seen(allowed, (2, 2)) is allowed
    assert as_seen(allowed, (3, 3)).tolist() == [[True, False, True], [False, True, True], [False, False, True]]


def test_a_table_with_few_columns_needs_no_table_of_all_levels_with_each_other():
    many = tuple(range(6_000))
    for kind, released in [(Ordinal, (0, "1 or more")), (Nominal, (0, "*"))]:
        a, b = kind(tuple(map(str, many))), kind(tuple(map(str, released)))
        tracemalloc.start()
        try:
            table = level_table(a, b)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert table.shape == (6_001, 3)
        assert peak < 6_000**2 / 5
