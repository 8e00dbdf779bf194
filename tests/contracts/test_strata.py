from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from tests.battery import microdata

from discreet.contracts.engine import InProcess
from discreet.contracts.ground import Memory
from discreet.contracts.masker import Masking
from discreet.contracts.strata import (
    ByStratum,
    Sizes,
    Strata,
    StratumSizes,
    StratumStatistics,
    joined,
    joined_shared,
    joined_transitions,
    scattered,
)
from discreet.data.block import Block
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, ParameterError
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.perturbing.swapping import RankSwapping


def test_rows_of_every_stratum():
    data = microdata(50)
    names = ("region", "owner")
    parts = Strata.of(names, Memory(data, InProcess()).ask([StratumSizes(names)])[0]).rows(data)
    assert sorted(np.concatenate(parts).tolist()) == list(range(50))
    for part in parts:
        assert len({tuple(row) for row in data.codes(["region", "owner"])[part]}) == 1
        assert (np.diff(part) > 0).all()


def test_what_is_possible_in_some_stratum():
    rng = np.random.default_rng(0)
    strata = [{"x": rng.random((3, 4)) < 0.3, "y": rng.random((2, 2)) < 0.3} for _ in range(4)]
    for name, possible in joined_transitions(strata).items():
        assert np.array_equal(possible, np.any([one[name] for one in strata], axis=0))
    large = [{"x": np.eye(1_000, dtype=bool)}] * 40
    tracemalloc.start()
    try:
        joined_transitions(large)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * 1_000**2


def test_groups_never_cross_strata():
    data = microdata(200)
    masked = KModes(5, strata=["region"], attributes=["size", "grade", "fuel"]).mask(data)
    region = data.encoded("region")
    assert np.bincount(masked.labels).min() >= 5
    for label in np.unique(masked.labels):
        assert np.unique(region[masked.labels == label]).size == 1
    blocks = KModes(5, n_vars=2, strata=["region"], attributes=["size", "grade", "fuel"]).mask(data)
    assert blocks.labels.shape == (200, 2)
    assert blocks.provenance.details["joint"] is False
    for column in blocks.labels.T:
        assert np.bincount(column).min() >= 5


def test_strata_that_are_too_small_are_counted():
    with pytest.raises(ParameterError, match="2 of 2 strata have fewer than 200"):
        KModes(200, strata=["region"]).mask(microdata(300))


def test_strata_are_no_attributes_to_mask():
    with pytest.raises(ParameterError, match="strata must not be masked; 1 of them would be"):
        RankSwapping(strata=["fuel"], attributes=["fuel", "size"]).mask(microdata())
    with pytest.raises(ParameterError, match="strata must be categorical; 'age' is numeric"):
        RankSwapping(strata=["age"]).mask(microdata())
    assert "fuel" not in RankSwapping(50, strata=["fuel"]).mask(microdata(300)).provenance.attributes


def test_neither_threads_nor_other_strata_matter():
    data = microdata(120)
    one = RankSwapping(20, strata=["region"], random_state=4).mask(data, engine=MemoryEngine(workers=1))
    two = RankSwapping(20, strata=["region"], random_state=4).mask(data, engine=MemoryEngine(workers=2))
    assert one.microdata.to_arrow().equals(two.microdata.to_arrow())


def test_tiny_strata_are_refused_where_a_swap_hides_nothing():
    with pytest.raises(DataError, match=r"'income' has values, but fewer than 5, in \d of \d strata"):
        RankSwapping(50, strata=["region", "fuel"]).mask(microdata(60))
    with pytest.raises(ParameterError, match="p must reach at least two ranks of every stratum.*in 2 of 2 strata"):
        RankSwapping(5, strata=["region"]).mask(microdata(60))


def test_neighbours_that_are_exchanged_for_certain_are_said():
    notes = RankSwapping(window=1, attributes=["income"]).mask(microdata(60)).provenance.notes
    assert any("window of one rank (1): income" in note for note in notes)
    wider = RankSwapping(window=2, attributes=["income"], random_state=1).mask(microdata(60)).provenance.notes
    assert not any("one rank" in note for note in wider)


# ------------------------------------------------------------------------------------------------------------- by hand

LEVELS = {(0, 0): 2, (-1, 1): 1, (0, -1): 3}


def test_strata_stand_in_the_order_of_their_levels():
    strata = Strata.of(("a", "b"), Sizes(LEVELS))
    assert (strata.names, strata.levels, strata.sizes) == (("a", "b"), ((-1, 1), (0, -1), (0, 0)), (1, 3, 2))
    codes = np.array([[0, 0], [-1, 1], [0, -1], [0, 0]], dtype=np.int32)
    assert strata.numbers(codes).tolist() == [2, 0, 1, 2]
    assert strata.numbers(codes[:0]).tolist() == []
    with pytest.raises(DataError, match="strata that were not there"):
        strata.numbers(np.array([[1, 1]], dtype=np.int32))


def test_sizes_of_parts_add_up():
    both = Sizes({(0,): 2, (1,): 3}).merge(Sizes({(1,): 4, (2,): 5}))
    assert both.counts == {(0,): 2, (1,): 7, (2,): 5}
    data = microdata(40)
    asked = StratumSizes(("region",))
    assert (asked.original, asked.released) == (("region",), ())
    found = asked.summarise(Block(np.arange(40), data))
    codes = data.encoded("region").tolist()
    assert found.counts == {(code,): codes.count(code) for code in set(codes)}


@dataclass(frozen=True)
class Sum:
    total: int

    def merge(self, later):
        return Sum(self.total + later.total)


@dataclass(frozen=True)
class Positions:
    """The sum of the positions of some records."""

    original: tuple = ("size",)

    def summarise(self, block):
        return Sum(int(block.rows.sum()))


def test_a_question_is_asked_of_some_strata():
    data = microdata(40)
    codes = data.encoded("region")
    strata = Strata.of(("region",), StratumSizes(("region",)).summarise(Block(np.arange(40), data)))
    asked = ByStratum(Positions(), strata, (1,))
    assert (asked.original, asked.released) == (("region", "size"), ())
    whole = asked.summarise(Block(np.arange(40), data))
    assert list(whole.by_number) == [1]
    level = strata.levels[1][0]
    assert whole.by_number[1].total == int(np.flatnonzero(codes == level).sum())
    parts = [asked.summarise(Block(rows, data.take(rows))) for rows in (np.arange(15), np.arange(15, 40))]
    assert parts[0].merge(parts[1]) == whole
    apart = StratumStatistics({0: Sum(1)}).merge(StratumStatistics({2: Sum(5), 0: Sum(3)}))
    assert apart.by_number == {0: Sum(4), 2: Sum(5)}


def test_what_belongs_to_parts_is_put_in_its_place():
    parts = [np.array([0, 3]), np.array([1]), np.array([2, 4])]
    assert scattered(parts, [np.array([5, 6]), np.array([7]), np.array([8, 9])], 5).tolist() == [5, 7, 8, 6, 9]
    pairs = scattered(parts[:2], [np.array([[1, 2], [3, 4]]), np.array([[5, 6]])], 4)
    assert pairs[[0, 3, 1]].tolist() == [[1, 2], [3, 4], [5, 6]]


def outcome(values, labels=None, rows=None, notes=(), shared=(), **details):
    matrix = np.array([[True, False], [False, bool(notes)]])
    return Masking(
        {"x": np.array(values)}, labels=None if labels is None else np.array(labels), transitions={"c": matrix},
        rows=None if rows is None else np.array(rows), details=details, notes=tuple(notes), shared=shared,
    )  # fmt: skip


def test_outcomes_of_strata_are_one():
    strata = Strata(("a",), ((0,), (1,)), (2, 3))
    parts = [np.array([0, 3]), np.array([1, 2, 4])]
    one = outcome([1.0, 2.0], [0, 1], notes=("A.",), shared=(("x",),), joint=False, records_dropped=1)
    two = outcome([3.0, 4.0, 5.0], [0, 0, 1], notes=("A.", "B."), shared=(("x",),), records_dropped=2)
    both = joined(strata, parts, [one, two])
    assert both.values["x"].tolist() == [1.0, 3.0, 4.0, 2.0, 5.0]
    assert both.labels.tolist() == [0, 2, 2, 1, 3]
    assert (both.rows, both.notes, both.shared) == (None, ("A.", "B."), (("x",),))
    assert both.details == {
        "strata": ["a"], "n_strata": 2, "by_stratum": [one.details, two.details], "joint": False, "records_dropped": 3,
    }  # fmt: skip
    assert both.transitions["c"].tolist() == [[True, False], [False, True]]
    plain = joined(strata, parts, [outcome([1.0, 2.0], rows=[1]), outcome([3.0, 4.0, 5.0], rows=[2, 0])])
    assert plain.rows.tolist() == [1, 3, 4]
    assert plain.labels is None
    assert plain.transitions["c"].tolist() == [[True, False], [False, False]]
    assert plain.details == {"strata": ["a"], "n_strata": 2, "by_stratum": [{}, {}]}


def test_labels_of_blocks_are_counted_on_block_by_block():
    parts = [np.array([0, 1]), np.array([2, 3])]
    strata = Strata(("a",), ((0,), (1,)), (2, 2))
    both = joined(strata, parts, [outcome([1.0, 2.0], [[0, 0], [1, 0]]), outcome([3.0, 4.0], [[0, 0], [0, 1]])])
    assert both.labels.tolist() == [[0, 0], [1, 0], [2, 1], [2, 2]]


def test_what_is_shared_must_be_shared_in_every_stratum():
    assert joined_shared([(("a", "b"), ("c",)), (("c",), ("a", "b"))], ("a", "b", "c")) == (("a", "b"), ("c",))
    assert joined_shared([(("a", "b"),), (("a",),)], ("a", "b")) == (("a",), ("b",))
