"""Cells refined, minimal sets gathered and scores shared are those of sets and dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from discreet.kernels.jit import PlainTwin
from discreet.kernels.values import suda
from discreet.kernels.values.suda import gather_minimal, refine_cells, share_scores


def int32(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.int32)


@pytest.fixture(params=[False, True], ids=["compiled", "plain"])
def both_codes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops as they are compiled, and as they stand."""
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: request.param)


@pytest.mark.usefixtures("both_codes")
@pytest.mark.parametrize("last", [False, True])
def test_cells_are_split_by_a_further_attribute(last: bool) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        d, size, groups = 3 + 3 * seed, 4, 3
        rows = int32(np.flatnonzero(rng.random(d) < 0.8))
        cells, column = int32(rng.integers(0, groups, rows.size)), int32(rng.integers(0, size, d))
        frequency = int32(rng.choice([1, 1, 2, 3], d))
        counts, places = np.zeros(groups * size + 2, dtype=np.int32), int32(np.full(d, 9))
        alone, left, left_cells = (int32(np.full(d, -9)) for _ in range(3))
        found = refine_cells(rows, cells, column, size, frequency, last, counts, places, alone, left, left_cells)
        joint = [(int(cell), int(column[row])) for row, cell in zip(rows, cells, strict=True)]
        records: Counter[tuple[int, int]] = Counter()
        for row, cell in zip(rows, joint, strict=True):
            records[cell] += int(frequency[row])
        unique = [int(row) for row, cell in zip(rows, joint, strict=True) if records[cell] == 1]
        others = [(int(row), cell) for row, cell in zip(rows, joint, strict=True) if records[cell] != 1]
        numbers: dict[tuple[int, int], int] = {}
        named = [numbers.setdefault(cell, len(numbers)) for _, cell in others]
        assert alone[: len(unique)].tolist() == unique
        if last:
            assert found == (len(unique), 0, 0)
        else:
            assert found == (len(unique), len(others), len(numbers))
            assert left[: len(others)].tolist() == [row for row, _ in others]
            assert left_cells[: len(others)].tolist() == named
        assert not counts.any()
        assert alone[len(unique) :].tolist() == [-9] * (d - len(unique))


@pytest.mark.usefixtures("both_codes")
def test_sets_that_hold_another_of_the_same_record_are_dropped() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, d = 6, 5
        first = rng.permutation(n)[:d]
        pairs = list({(int(rng.integers(0, d)), int(rng.integers(1, 32))) for _ in range(4 * seed)})
        rows, subsets = int32([row for row, _ in pairs]), np.array([subset for _, subset in pairs], dtype=np.int64)
        records, kept = np.full(len(pairs), -9), np.full(len(pairs), -9)
        count = gather_minimal(rows, subsets, first, np.zeros(n + 1, dtype=np.int64), records, kept)
        by_record = defaultdict(set)
        for row, subset in pairs:
            by_record[int(first[row])].add(subset)
        expected = [
            (record, subset)
            for record in sorted(by_record)
            for subset in sorted(by_record[record])
            if not any(other != subset and other & subset == other for other in by_record[record])
        ]
        assert list(zip(records[:count].tolist(), kept[:count].tolist(), strict=True)) == expected


@pytest.mark.usefixtures("both_codes")
def test_a_score_goes_to_every_level_of_its_set() -> None:
    rng = np.random.default_rng(9)
    codes = int32(rng.integers(0, 3, (4, 5)))
    records, subsets = rng.integers(0, 5, 12), np.array([0, 1, 2, 8, 15, 9, 6, 4, 3, 12, 5, 10])
    scores = rng.integers(1, 9, 12) / 4
    starts = np.array([0, 3, 6, 9])
    shares = np.full(12, 0.5)
    share_scores(records, subsets, scores, codes, starts, shares)
    expected = [0.5] * 12
    for record, subset, score in zip(records, subsets, scores, strict=True):
        for j in range(4):
            if subset & (1 << j):
                expected[starts[j] + codes[j, record]] += score
    assert shares.tolist() == expected


def test_how_much_is_done_before_the_compiler_is_loaded() -> None:
    for twin in (suda._REFINING, suda._GATHERING, suda._SHARING):
        assert twin._most == 1e5


@pytest.mark.parametrize("name", ["_refine_cells", "_gather_minimal", "_share_scores"])
def test_small_work_is_done_as_it_stands_and_large_work_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def takes(_twin: PlainTwin, work: float) -> bool:
        asked.append(work)
        return len(asked) == 1

    class Loop:
        calls: list[str] = []  # noqa: RUF012 - of this test alone

        def __call__(self, *_: Any) -> int:
            self.calls.append("compiled")
            return 7

        def py_func(self, *_: Any) -> int:
            self.calls.append("plain")
            return 7

    monkeypatch.setattr(PlainTwin, "takes", takes)
    loop = Loop()
    loop.calls = []
    monkeypatch.setattr(suda, name, loop)
    entries, starts = np.zeros(3, dtype=np.int64), np.zeros(6, dtype=np.int64)
    for _ in range(2):
        if name == "_gather_minimal":
            assert gather_minimal(entries, entries, entries, starts, entries, entries) == 7
        elif name == "_refine_cells":
            assert refine_cells(entries) == 7
        else:
            share_scores(entries)
    assert loop.calls == ["plain", "compiled"]
    assert asked == [{"_refine_cells": 3, "_gather_minimal": 18, "_share_scores": 12}[name]] * 2


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    one = np.zeros(1, dtype=np.int64)
    with stops():
        gather_minimal(int32([0]), one + 1, one, np.zeros(2, dtype=np.int64), one.copy(), one.copy())
