from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.patterns import coarsen, distinct, pack, refine


def test_pack_puts_fields_side_by_side():
    words = np.zeros((3, 2), dtype=np.uint64)
    pack(np.array([1, 2, 3]), 0, 0, words)
    pack(np.array([7, 0, 7]), 0, 4, words)
    pack(np.array([5, 6, 7]), 1, 60, words)
    assert words[:, 0].tolist() == [0x71, 0x02, 0x73]
    assert (words[:, 1] >> np.uint64(60)).tolist() == [5, 6, 7]


def test_coarsen_merges_what_becomes_equal():
    words = np.array([[0x11], [0x12], [0x21], [0x13]], dtype=np.uint64)
    counts = np.array([[1, 0], [0, 2], [3, 3], [1, 1]], dtype=np.int32)
    up = np.zeros(16, dtype=np.int64)
    up[3] = 9
    out, out_counts, table = np.empty_like(words), np.empty_like(counts), np.empty(16, dtype=np.int32)
    m = coarsen(words, counts, 0, 0, 15, up, 4, table, out, out_counts)
    assert m == 3
    assert out[:m, 0].tolist() == [0x10, 0x20, 0x19]
    assert out_counts[:m].tolist() == [[1, 2], [3, 3], [1, 1]]


def test_distinct_against_numpy():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 9, (5000, 3)).astype(np.uint64) << np.uint64(50)
    label, members, sizes = (np.empty(5000, dtype=np.int64) for _ in range(3))
    m = distinct(words, 14, np.empty(1 << 14, dtype=np.int32), label, members, sizes)
    unique, counts = np.unique(words, axis=0, return_counts=True)
    assert m == len(unique)
    assert np.array_equal(words[members[:m]][label], words)
    assert sorted(sizes[:m]) == sorted(counts)
    assert (np.diff(members[:m]) > 0).all()


@pytest.mark.parametrize("spread", [1, 40_000])
def test_pairs_that_are_looked_at_are_those_of_comparing_all(spread):
    # Attribute 0 has two levels of agreement, the others one; classes of 40,000 and more do not fit into 16 bits.
    rng = np.random.default_rng(spread)
    n, states = 150, (3, 2, 2, 2)
    fine = rng.integers(0, 6, n)
    levels = [fine // 2, fine, *(rng.integers(0, 3, n) for _ in range(3))]
    values = np.stack([np.where(rng.random(n) < 0.1, -1, level * spread) for level in levels]).astype(np.int32)
    values[1, values[0] < 0] = -1
    counts = rng.integers(0, 3, (n, 2)).astype(np.int32)
    strides = np.cumprod([1, *states[:0:-1]])[::-1]
    attribute = np.array([0, 0, 1, 2, 3])
    agrees = (values[:, :, None] == values[:, None, :]) & (values[:, :, None] >= 0)
    states_of = [agrees[attribute == j].sum(axis=0) for j in range(4)]
    weights = np.stack([np.outer(counts[:, 0], counts[:, side]) for side in (1, 0)], axis=2)
    weights[np.arange(n), np.arange(n)] = 0
    expected = np.array(
        [
            weights[np.logical_and.reduce([one >= s for one, s in zip(states_of, at, strict=True)])].sum(axis=0)
            for at in np.ndindex(*states)
        ]
    ).reshape(*states, 2)

    def counted(patterns):
        sums, pairs = np.zeros((24, 2), dtype=np.int64), np.zeros((4, patterns, 2), dtype=np.int64)
        refine(
            values, counts, np.array([0, 1, 0, 0, 0]), strides[attribute], attribute, np.arange(n, dtype=np.int32),
            np.array([n], dtype=np.int32), 0, sums, pairs,
        )  # fmt: skip
        total = np.zeros((*states, 2), dtype=np.int64)
        for j in range(4 if patterns else 0):
            along = np.moveaxis(total, j, 0)
            for level in range(states[j] - 2, -1, -1):
                along[level] += along[level + 1]
            total += pairs[j].reshape(total.shape)
        assert (pairs.sum() > 0) == (patterns > 0)
        return sums.reshape(total.shape) + total

    assert np.array_equal(counted(24), expected)
    assert np.array_equal(counted(0), expected)


@pytest.mark.parametrize(("word", "shift", "words"), [(0, 56, 1), (1, 4, 2), (0, 60, 3), (2, 0, 3)])
def test_coarser_rows_are_counted_where_slots_are_scarce(word, shift, words):
    rng = np.random.default_rng(words)
    fields = np.unique(rng.integers(0, 4, (64, words)), axis=0)
    field = 15 if words > 1 else 255
    fields = rng.permutation(256)[:40, None] if words == 1 else rng.permutation(fields)
    n = len(fields)
    rows = fields.astype(np.uint64) << np.uint64(shift)
    rows |= np.uint64(1) << np.uint64((shift + 32) % 64)  # what another attribute has stays
    counts = rng.integers(0, 5, (n, 2)).astype(np.int32)
    up = rng.integers(0, 3, field + 1)
    expected: dict[tuple[int, ...], list[int]] = {}
    for row, value, (a, b) in zip(rows.tolist(), fields[:, word].tolist(), counts.tolist(), strict=True):
        row[word] += (int(up[value]) - value) << shift
        total = expected.setdefault(tuple(row), [0, 0])
        total[0], total[1] = total[0] + a, total[1] + b
    out, out_counts = np.zeros_like(rows), np.zeros_like(counts)
    bits = (2 * n - 1).bit_length()
    m = coarsen(rows, counts, word, shift, field, up, bits, np.empty(1 << bits, dtype=np.int32), out, out_counts)
    assert 1 < m < n
    assert [tuple(row) for row in out[:m].tolist()] == list(expected)
    assert out_counts[:m].tolist() == list(expected.values())


def test_pairs_count_within_groups_alone_and_from_their_position_on():
    # The second of three attributes has three levels; small groups are looked at, large ones are cut.
    rng = np.random.default_rng(4)
    n, states, base = 900, (2, 4, 2), 16
    fine = rng.integers(0, 27, n)
    values = np.stack([rng.integers(0, 2, n), fine // 9, fine // 3, fine, rng.integers(0, 2, n)]).astype(np.int32)
    values[:, rng.random(n) < 0.05] = -1
    counts = rng.integers(0, 3, (n, 2)).astype(np.int32)
    group = rng.integers(0, 4, n)  # that of the last one is left out
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))[:3]
    order = order[: ends[-1]].astype(np.int32)
    attribute, strides = np.array([0, 1, 1, 1, 2]), np.array([8, 2, 2, 2, 1])
    agrees = (values[:, :, None] == values[:, None, :]) & (values[:, :, None] >= 0)
    place = np.einsum("cij,c->ij", agrees.astype(np.int64), strides)
    weights = np.stack([np.outer(counts[:, 0], counts[:, side]) for side in (1, 0)], axis=2)
    weights[(group[:, None] != group[None, :]) | (group == 3)] = 0
    weights[np.arange(n), np.arange(n)] = 0
    exactly = np.stack([np.bincount(place.ravel(), weights[:, :, s].ravel(), 16) for s in range(2)], axis=1)
    expected = exactly.reshape(*states, 2).astype(np.int64)
    for axis in range(3):
        expected = np.flip(np.cumsum(np.flip(expected, axis), axis), axis)
    for looks in (True, False):
        sums, pairs = np.zeros((32, 2), dtype=np.int64), np.zeros((3, 32 * looks, 2), dtype=np.int64)
        refine(
            values, counts, np.array([0, 0, 1, 1, 0]), strides, attribute, order, ends.astype(np.int32), base, sums,
            pairs,
        )  # fmt: skip
        assert not sums[:base].any()
        assert not pairs[:, :base].any()
        total = np.zeros((*states, 2), dtype=np.int64)
        for j in range(3 * looks):
            along = np.moveaxis(total, j, 0)
            for level in range(states[j] - 2, -1, -1):
                along[level] += along[level + 1]
            total += pairs[j, base:].reshape(total.shape)
        assert (pairs.sum() > 0) == looks
        assert np.array_equal(sums[base:].reshape(total.shape) + total, expected)
