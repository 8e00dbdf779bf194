"""Classes rolled up are those that are counted anew at the coarser node, in the order of their first rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.lattice import SmallLattice

from discreet.kernels.generalising.rolled import code_at, content_of, gather, leap, number_keys, price_of, roll_up


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 33, 64])
def test_equal_keys_get_one_number_in_order_of_appearance(words: int, count: int) -> None:
    rng = np.random.default_rng(count)
    keys = rng.integers(0, 4, (count + 2, words)) - 1  # the rows beyond are none of theirs
    slots = np.full(max(4, 1 << int(2 * count - 1).bit_length()), 5)
    heads, labels = np.full(count + 2, -7), np.full(count + 2, -7)
    different = number_keys(keys, count, slots, heads, labels)
    numbers: dict[tuple[int, ...], int] = {}
    expected = [numbers.setdefault(tuple(key), len(numbers)) for key in keys[:count].tolist()]
    assert labels.tolist() == [*expected, -7, -7]
    assert different == len(numbers)
    assert heads[:different].tolist() == [expected.index(number) for number in range(different)]
    assert heads[different:].tolist() == [-7] * (count + 2 - different)


@pytest.mark.parametrize("words", [1, 2])
def test_a_full_table_of_slots_still_tells_keys_apart(words: int) -> None:
    # As many different keys as fit: those that fall on one slot, and those at the end of the table, find another.
    count = 512
    keys = np.zeros((count, words), dtype=np.int64)
    keys[:, -1] = np.arange(count) * 1_000_003
    slots, heads, labels = np.full(1024, 3), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    assert number_keys(keys, count, slots, heads, labels) == count
    assert labels.tolist() == heads.tolist() == list(range(count))
    assert sorted(slots.tolist()) == [-1] * 512 + list(range(count))


def test_rows_are_put_together_by_label() -> None:
    _, work = SmallLattice(1, classes=20).tables()
    labels = np.array([2, 0, 2, 1, 0, 2, 9, 9])
    gather(labels, 6, 4, work)
    assert work.ends[:5].tolist() == [0, 2, 3, 6, 6]
    assert work.order[:6].tolist() == [1, 4, 3, 0, 2, 5]
    assert work.ends[5] == work.order[6] == 77


def test_a_code_its_price_and_what_it_tells() -> None:
    lattice = SmallLattice(2)
    key = np.array(lattice.pack((3, 5, 2)))
    assert [code_at(key, field) for field in lattice.ladders.fields] == [3, 5, 2]
    for levels in [(0, 0, 0), (1, 0, 2), (2, 1, 1)]:
        codes = [min(code, lattice.codes[a][levels[a]] - 1) for a, code in enumerate((3, 5, 2))]
        key = np.array(lattice.pack(codes))
        asked = key, np.array(levels), lattice.ladders
        assert price_of(*asked) == lattice.priced(lattice.price, codes, levels)
        assert content_of(*asked) == pytest.approx(lattice.priced(lattice.content, codes, levels))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("confidential", [(), (3,), (3, 2)])
def test_a_step_up_is_what_is_counted_anew(seed: int, confidential: tuple[int, ...]) -> None:
    lattice = SmallLattice(seed, classes=1 + 2 * seed, words=1 + seed % 3, confidential=confidential)
    tables, work = lattice.tables()
    levels, source = [0, 0, 0], 0
    # Into another table and in place, until nothing can be raised.
    for target, a in [(1, seed % 3), (2, (seed + 1) % 3), (2, (seed + 2) % 3)]:
        before = [part[source].copy() for part in tables]
        offsets = lattice.ladders.offsets[a]
        upward = lattice.ladders.upward[offsets[levels[a]] : offsets[levels[a] + 1]]
        roll_up(tables, source, target, lattice.ladders.fields[a], upward, work)
        levels[a] += 1
        assert lattice.read(tables, target) == lattice.classes_at(levels)
        assert not work.tally.any()
        if source != target:
            assert all(np.array_equal(part[source], other) for part, other in zip(tables, before, strict=True))
        source = target


@pytest.mark.parametrize("seed", range(12))
def test_a_leap_is_all_its_steps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lattice = SmallLattice(seed, classes=2 + 3 * seed, words=1 + seed % 3)
    tables, work = lattice.tables(3)
    first = [int(rng.integers(0, h + 1)) for h in lattice.heights]
    second = [int(rng.integers(low, h + 1)) for low, h in zip(first, lattice.heights, strict=True)]
    others, _ = lattice.tables(2)
    leap(lattice.ladders, tables, 0, others, 1, np.zeros(3, dtype=np.int64), np.array(first), work)
    assert lattice.read(others, 1) == lattice.classes_at(first)
    assert lattice.read(tables, 0) == lattice.finest
    leap(lattice.ladders, others, 1, others, 1, np.array(first), np.array(second), work)
    assert lattice.read(others, 1) == lattice.classes_at(second)
