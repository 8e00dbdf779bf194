"""Links by joining pattern after pattern, and by comparing, are those of a look at each pair."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.kernels.linking.hashjoin import best_by_comparing, join, meet_by_key, position_of

NOBODY = np.iinfo(np.int64).max


class PackedFiles:
    """Two files packed into words: the first attribute may have two levels of agreement, the others have one."""

    def __init__(self, seed: int, n_a: int, n_b: int, levels: int, words: int, attributes: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.levels = [levels] + [1] * (attributes - 1)
        self.n_a, self.n_b = n_a, n_b
        # By attribute and level the classes of both files; a finer one lies in a coarser, and −1 agrees with nobody.
        self.a, self.b = ([self._drawn(rng, n, count) for count in self.levels] for n in (n_a, n_b))
        at = np.full((attributes, levels), -1)
        ones, flag = np.zeros(at.shape, dtype=np.uint64), np.zeros(at.shape, dtype=np.uint64)
        self.a_words, self.b_words = (np.zeros((n, levels * words), dtype=np.uint64) for n in (n_a, n_b))
        self.flags = np.zeros(words, dtype=np.uint64)
        for j, count in enumerate(self.levels):
            shift = 4 * (j // words) + 50 * (j % words)
            self.flags[j % words] |= np.uint64(8 << shift)
            for level in range(count):
                at[j, level] = level * words + j % words
                ones[j, level], flag[j, level] = 15 << shift, 8 << shift
                for classes, packed in ((self.a, self.a_words), (self.b, self.b_words)):
                    fields = np.where(classes[j][level] < 0, 8, classes[j][level]).astype(np.uint64)
                    packed[:, at[j, level]] |= fields << np.uint64(shift)
        self.stride = np.cumprod([1, *[count + 1 for count in self.levels[:0:-1]]])[::-1].astype(np.int64)
        self.pair = at, ones, flag, self.stride
        self.patterns = int(np.prod([count + 1 for count in self.levels]))
        # Positions of the records: some of a class are followed by a second one.
        self.size = rng.integers(1, 4, n_a)
        self.first = np.cumsum(self.size + 1) - self.size
        self.next = np.where(self.size > 1, self.first + rng.integers(1, 40, n_a), NOBODY)

    @staticmethod
    def _drawn(rng: np.random.Generator, n: int, count: int) -> list[np.ndarray]:
        fine = rng.integers(0, 6, n)
        levels = [fine // 3, fine] if count == 2 else [fine // 2]
        gone = rng.random(n) < 0.15
        return [np.where(gone, -1, level) for level in levels]

    def position(self, c: int, k: int) -> int:
        total = 0
        for j, count in enumerate(self.levels):
            for level in range(count):
                x, y = self.a[j][level][c], self.b[j][level][k]
                if x != y or x < 0:
                    break
                total += int(self.stride[j])
        return total

    def mask(self, pattern: int) -> np.ndarray:
        at, ones, _, _ = self.pair
        result = np.zeros(self.a_words.shape[1], dtype=np.uint64)
        for j, state in enumerate(np.unravel_index(pattern, [count + 1 for count in self.levels])):
            if state:
                result[at[j, state - 1]] |= ones[j, state - 1]
        return result

    def finer(self, pattern: int) -> list[int]:
        """Return the patterns that agree on more."""
        shape = [count + 1 for count in self.levels]
        here = np.unravel_index(pattern, shape)
        others = product(*(range(state, top) for state, top in zip(here, shape, strict=True)))
        return [p for p in (int(np.ravel_multi_index(other, shape)) for other in others) if p != pattern]

    def fresh_state(self) -> tuple[Any, ...]:
        n = self.n_b
        return (
            np.full(n, -1), np.full(n, -1), np.full((n, 2), NOBODY), np.full(n, NOBODY), np.full(n, -1),
            np.zeros(n, dtype=np.int64),
        )  # fmt: skip

    def expected(self, step_of: np.ndarray, k: int) -> tuple[Any, ...]:
        """Return of one record of B the ranks and positions of the best and the second, and the classes tied."""
        steps = [int(step_of[self.position(c, k)]) for c in range(self.n_a)]
        best, *others = sorted(set(steps))
        ties = [c for c in range(self.n_a) if steps[c] == best]
        records = sorted([int(self.first[c]) for c in ties] + [int(self.next[c]) for c in ties])
        second = (
            (others[0], min(int(self.first[c]) for c in range(self.n_a) if steps[c] == others[0]))
            if others
            else (-1, NOBODY)
        )
        return best, ties, int(self.size[ties].sum()), records[:2], second


@pytest.mark.parametrize(("levels", "words"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_the_pattern_of_a_pair(levels: int, words: int) -> None:
    files = PackedFiles(1, 12, 12, levels, words)
    for c, k in product(range(12), range(12)):
        assert position_of(files.a_words, c, files.b_words, k, *files.pair) == files.position(c, k)


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (25, 20), (90, 30), (2060, 9)])
@pytest.mark.parametrize(("levels", "words"), [(1, 1), (2, 2), (2, 1)])
def test_joining_pattern_after_pattern(levels: int, words: int, n_a: int, n_b: int, second: bool) -> None:
    for seed in range(3):
        files = PackedFiles(seed, n_a, n_b, levels, words)
        rng = np.random.default_rng([seed, n_a])
        # The first ranks rise with what is agreed on, others are any, several patterns sharing one.
        step_of = files.patterns - 1 - np.arange(files.patterns) if seed == 0 else rng.integers(0, 5, files.patterns)
        state = files.fresh_state()
        best_step, second_step, lowest, lowest_second, best_class, ties = state
        packed = (
            files.a_words,
            np.ascontiguousarray(files.a_words.T),
            files.first,
            files.next,
            files.size,
            files.b_words,
        )
        active = np.arange(n_b)
        rows: dict[int, list[int]] = {k: [] for k in range(n_b)}
        verified = set()
        for step in range(int(step_of.max()) + 1):
            for pattern in np.flatnonzero(step_of == step).tolist():
                verify = any(step_of[other] >= step for other in files.finer(pattern))
                verified.add(verify)
                owners, owner_rows, ends, tied = join(
                    *packed, active, files.mask(pattern), files.flags, pattern, step, verify, *files.pair, *state
                )
                starts = [0, *ends.tolist()]
                assert starts == sorted(starts)
                assert starts[-1] == tied.size
                for k, row in zip(owners.tolist(), owner_rows.tolist(), strict=True):
                    rows[k] += tied[starts[row] : starts[row + 1]].tolist()
            crowded = active[(best_step[active] == step) & (ties[active] > 1)]
            second_step[crowded], lowest_second[crowded] = step, lowest[crowded, 1]
            active = active[(second_step if second else best_step)[active] < 0]
        assert verified == ({False} if seed == 0 else {True, False})
        for k in range(n_b):
            best, classes, records, positions, following = files.expected(step_of, k)
            assert (best_step[k], sorted(rows[k]), ties[k]) == (best, classes, records)
            assert best_class[k] == classes[0]
            assert lowest[k, 0] == positions[0]
            if records > 1:
                assert lowest[k].tolist() == positions
            elif second:
                assert (second_step[k], lowest_second[k]) == following


def test_nobody_active_and_nobody_alike() -> None:
    files = PackedFiles(7, 5, 3, 1, 1)
    packed = files.a_words, np.ascontiguousarray(files.a_words.T), files.first, files.next, files.size, files.b_words
    files.b[0][0][:] = 5
    for active in (np.arange(0), np.arange(3)):
        files.b_words[:] = 0x777  # a class that nobody of A has
        state = files.fresh_state()
        answer = join(*packed, active, files.mask(7), files.flags, 7, 0, False, *files.pair, *state)
        assert [part.size for part in answer] == [0, 0, 0, 0]
        assert all(np.array_equal(one, other) for one, other in zip(state, files.fresh_state(), strict=True))


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 2), (30, 20), (200, 5), (2049, 4)])
@pytest.mark.parametrize("listed", [True, False])
def test_comparing_some_with_all(n_a: int, n_b: int, listed: bool) -> None:
    files = PackedFiles(9, n_a, n_b, 2, 1)
    rng = np.random.default_rng(n_a)
    step_of = rng.integers(0, 4, files.patterns).astype(np.int32)
    a = np.stack([level for attribute in files.a for level in attribute]).astype(np.int16)
    b = np.stack([level for attribute in files.b for level in attribute])
    b = np.ascontiguousarray(np.where(b < 0, -2, b).T.astype(np.int16))
    active = np.arange(n_b)[::-1].copy()
    before = rng.random(n_b) < 0.3
    state = files.fresh_state()
    best_step, second_step, lowest, lowest_second, best_class, ties = state
    best_step[before] = 3
    classes = np.full(n_b, -9)
    stride = np.repeat(files.stride, files.levels).astype(np.int32)
    tied = best_by_comparing(
        a, files.first, files.next, files.size, b[active], stride, active, step_of, *state, classes, listed
    )
    expected = []
    for i, k in enumerate(active):
        best, who, records, positions, following = files.expected(step_of, int(k))
        assert (best_step[k], ties[k], best_class[k], classes[i]) == (best, records, who[0], len(who))
        assert (second_step[k], lowest_second[k]) == following
        # The second of a class, or the first of the next: whoever asks about ties looks no further.
        assert lowest[k].tolist() == [
            positions[0],
            min(int(files.next[who[0]]), *files.first[who[1:]].tolist(), NOBODY),
        ]
        expected += [] if before[k] or not listed else who
    assert tied.tolist() == expected


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    files = PackedFiles(1, 5, 4, 1, 1)
    packed = files.a_words, np.ascontiguousarray(files.a_words.T), files.first, files.next, files.size, files.b_words
    with stops():
        join(*packed, np.arange(4), files.mask(7), files.flags, 7, 0, False, *files.pair, *files.fresh_state())
    a = np.stack([level for attribute in files.a for level in attribute]).astype(np.int16)
    b = np.ascontiguousarray(np.stack([level for attribute in files.b for level in attribute]).T.astype(np.int16))
    step_of, stride = np.zeros(files.patterns, dtype=np.int32), files.stride.astype(np.int32)
    with stops():
        best_by_comparing(
            a,
            files.first,
            files.next,
            files.size,
            b,
            stride,
            np.arange(4),
            step_of,
            *files.fresh_state(),
            np.zeros(4, int),
            True,
        )


@pytest.mark.parametrize(("levels", "words"), [(1, 1), (2, 2), (1, 2)])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (50, 40), (4100, 7), (6, 300)])
def test_who_has_the_same_key_has_the_same_number(n_a: int, n_b: int, levels: int, words: int) -> None:
    files = PackedFiles(5, n_a, n_b, levels, words)
    active = np.random.default_rng(n_a).permutation(n_b)[: n_b // 2 + 1]
    shape = [count + 1 for count in files.levels]
    columns = np.ascontiguousarray(files.a_words.T)
    for pattern in range(files.patterns):
        group, groups, near, who = meet_by_key(
            files.a_words, columns, files.b_words, active, files.mask(pattern), files.flags
        )
        states = np.unravel_index(pattern, shape)
        keys = [
            [tuple(int(side[j][s - 1][i]) for j, s in enumerate(states) if s) for i in rows]
            for side, rows in ((files.b, active.tolist()), (files.a, range(n_a)))
        ]
        numbers: dict[tuple[int, ...], int] = {}
        expected = [-1 if min(key, default=0) < 0 else numbers.setdefault(key, len(numbers)) for key in keys[0]]
        assert (group.tolist(), groups) == (expected, len(numbers))
        met = [(i, numbers[key]) for i, key in enumerate(keys[1]) if key in numbers]
        assert list(zip(near.tolist(), who.tolist(), strict=True)) == met
