"""How far trajectories moved, which cells they pass through and how long they are, written out point by point."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.reference import paths as reference
from tests.statistics.small import answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, Trajectory
from discreet.data.scales.trajectory import EARTH
from discreet.data.schema import Attribute, Schema
from discreet.statistics.path_parts import PathParts

SPAN = 4.0
PLANE = Trajectory(step=1.0, pace=1.0, span=SPAN, geographic=False)
GLOBE = Trajectory(step=0.01, pace=1.0, span=5000.0, geographic=True)


def written(flat: list[float] | None) -> str | None:
    return None if flat is None else ";".join(f"{t:g},{x:g},{y:g}" for t, x, y in reference.points(flat))


def ways(rows: list[list[float] | None], scale: Trajectory = PLANE, weights: list[float] | None = None) -> Microdata:
    columns: dict[str, Any] = {"way": pa.array([written(row) for row in rows], pa.string())}
    attributes = [Attribute("way", scale, "key")]
    if weights:
        columns["w"] = pa.array(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pa.table(columns), Schema(attributes))


def drawn(seed: int, n: int) -> list[list[float] | None]:
    """Return paths, the first empty, the second missing; times are shared and repeated."""
    rng = np.random.default_rng(seed)
    rows: list[list[float] | None] = [[], None] if seed % 2 else [None, []]
    while len(rows) < n:
        count = rng.integers(1, 6)
        times, places = np.sort(rng.integers(0, 6, count)), rng.integers(-6, 7, (count, 2))
        rows.append([float(x) for t, p in zip(times, places, strict=True) for x in (t, *p)])
    return [rows[i] for i in rng.permutation(n)]


def there(path: list[tuple[float, ...]], t: float, rank: int) -> tuple[float, ...]:
    same = [p[1:] for p in path if p[0] == t]
    return same[min(rank, len(same) - 1)] if same else tuple(reference.held(path, t))


def expected(
    before: list, after: list, weights: list[float], size: float
) -> tuple[list[float], list[Counter], list[Counter]]:
    moved = [0.0, 0.0, 0.0]
    cells: list[Counter] = [Counter(), Counter()]
    lengths: list[Counter] = [Counter(), Counter()]
    for one, other, w in zip(before, after, weights, strict=True):
        if one is None or other is None:
            continue
        sides = [reference.points(one), reference.points(other)]
        for i, p in enumerate(sides[0]):
            moved[0] += w
            rank = sum(q[0] == p[0] for q in sides[0][:i])
            far = math.dist(p[1:], there(sides[1], p[0], rank)) if sides[1] else math.inf
            moved[1] += w * (far / (far + SPAN) if sides[1] else 1.0)
            moved[2] += w * far if sides[1] else 0.0
        for k, side in enumerate(sides):
            for _, x, y in side:
                cells[k][math.floor(x / size) * 2**31 + math.floor(y / size)] += w
            total = sum(math.dist(p[1:], q[1:]) for p, q in itertools.pairwise(side))
            lengths[k][round(total / (SPAN * 0.01))] += w
    return moved, cells, lengths


def listed(tally: Any) -> dict[int, float]:
    assert tally.codes.tolist() == sorted(set(tally.codes.tolist()))
    return dict(zip(tally.codes.tolist(), tally.weights.tolist(), strict=True))


@pytest.mark.parametrize("cut", [(14,), (1, 13), (5, 0, 9), (1,) * 14])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [None, 2.0])
def test_what_trajectories_are_made_of(cut: tuple[int, ...], weighted: bool, size: float | None) -> None:
    before, after = drawn(1, 14), drawn(2, 14)
    weights = [1.0 + i % 3 for i in range(14)]
    original, release = ways(before, weights=weights), ways(after)
    question = PathParts.asked(("way",), (original.schema, release.schema), size, "w" if weighted else None)
    assert question.scales == ((PLANE, PLANE),)
    sums = answer(question, blocks(cut, original, release))
    moved, cells, lengths = expected(before, after, weights if weighted else [1.0] * 14, size or SPAN / 10)
    assert sums.moved["way"].tolist() == pytest.approx(moved)
    assert [listed(side) for side in sums.cells["way"]] == [dict(side) for side in cells]
    assert [listed(side) for side in sums.lengths["way"]] == [dict(side) for side in lengths]


def test_the_first_of_one_time_meets_the_first() -> None:
    before, after = [[1.0, 0, 0, 1.0, 9, 9, 1.0, 4, 4]], [[1.0, 0, 0, 1.0, 9, 9]]
    sums = answer(
        PathParts.asked(("way",), (ways(before).schema, ways(after).schema), None, None),
        blocks((1,), ways(before), ways(after)),
    )
    # The third meets the second, the last that there is.
    assert sums.moved["way"].tolist() == pytest.approx([3, math.sqrt(50) / (math.sqrt(50) + SPAN), math.sqrt(50)])


def test_cells_of_the_globe_are_as_wide_as_high() -> None:
    degree = math.radians(1) * EARTH
    rows = [[0.0, 60.0, 10.0, 1.0, 60.004, 10.0], [0.0, 0.0, 10.0], [0.0, -30.0, -5.0]]
    files = ways(rows, GLOBE)
    question = PathParts.asked(("way",), (files.schema, files.schema), 1000.0, None)
    sums = answer(question, blocks((3,), files, files))
    codes = Counter()
    for row in rows:
        for _, north, east in reference.points([round(x, 2) for x in row]):
            high = math.floor(north * degree / 1000 + 1e-9)
            middle = math.radians((high + 0.5) * 1000 / degree)
            codes[high * 2**31 + math.floor(east * degree * math.cos(middle) / 1000)] += 1
    assert listed(sums.cells["way"][0]) == listed(sums.cells["way"][1]) == dict(codes)
    assert sums.moved["way"].tolist() == [4.0, 0.0, 0.0]


def test_steps_of_the_release_are_read_as_those_of_the_original() -> None:
    coarse = Trajectory(step=2.0, pace=1.0, span=SPAN, geographic=False)
    before, after = ways([[0.0, 3, 5]]), ways([[0.0, 4, 6]], coarse)
    sums = answer(PathParts.asked(("way",), (before.schema, after.schema), None, None), blocks((1,), before, after))
    assert sums.moved["way"][2] == pytest.approx(math.sqrt(2))


def test_without_a_span_the_unit_of_coordinates_is_one():
    scale = Trajectory(step=1.0, pace=1.0, geographic=False)
    assert not scale.span
    before, after = ways([[0.0, 3.0, 3.0]], scale), ways([[0.0, 3.0, 6.0]], scale)
    sums = answer(PathParts.asked(("way",), (before.schema, after.schema), None, None), blocks((1,), before, after))
    # Three units away: 3 / (3 + 1); cells of a tenth of one.
    assert sums.moved["way"].tolist() == pytest.approx([1, 0.75, 3])
    assert [side.codes.tolist() for side in sums.cells["way"]] == [[30 * 2**31 + 30], [30 * 2**31 + 60]]
    assert [side.codes.tolist() for side in sums.lengths["way"]] == [[0], [0]]
