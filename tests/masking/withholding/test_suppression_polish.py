"""Polished releases keep every promise, cost no more, and are the best of tiny tables."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.masking.withholding.test_fewest_values import readable, tables
from tests.reference import fewest_values as twin
from tests.reference import masking_classic
from tests.stand_ins import instead

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.withholding import suppression_polish
from discreet.masking.withholding.suppression import LocalSuppression
from discreet.progress import listening

LEVELS = tuple("abcdef")


def microdata(keys):
    schema = Schema([Attribute(f"k{j}", Nominal(LEVELS), "key") for j in range(keys.shape[1])])
    columns = {f"k{j}": [LEVELS[v - 1] if v else None for v in keys[:, j]] for j in range(keys.shape[1])}
    import pyarrow as pa

    return dc.Microdata(pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()}), schema)


def released(masker, keys):
    masked = masker.mask(microdata(keys)).microdata
    return list(zip(*(masked.column(name).to_pylist() for name in masked.schema.names), strict=True))


def hidden(rows, after, costs):
    assert all(b is None or a == b for one, two in zip(rows, after, strict=True) for a, b in zip(one, two, strict=True))
    pairs = (
        (j, a, b) for one, two in zip(rows, after, strict=True) for j, (a, b) in enumerate(zip(one, two, strict=True))
    )
    return sum(costs[j] for j, a, b in pairs if a is not None and b is None)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_the_best_release_of_tiny_tables(seed, missing):
    for keys, k, costs in tables(30 + seed, 12, most=8 if missing == "category" else 6):
        importance = {f"k{j}": float(cost) for j, cost in enumerate(costs)}
        after = released(LocalSuppression(k, missing=missing, importance=importance, polish=3), keys)
        rows = readable(keys)
        named = [tuple(None if v is None else LEVELS[v - 1] for v in row) for row in rows]
        assert min(masking_classic.class_sizes(after, missing)) >= k
        least = (twin.least_category if missing == "category" else twin.least_wildcard)(rows, k, tuple(costs))
        assert hidden(named, after, costs) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_blocks_keep_the_promise_of_everybody_else(missing, monkeypatch):
    """Many small blocks: each is decided about while the others show what they show."""
    monkeypatch.setattr(suppression_polish, "_PAIRS", 1)
    rng = np.random.default_rng(3)
    keys = np.minimum(rng.geometric(0.4, (250, 4)), 6)
    keys[rng.random(keys.shape) < 0.03] = 0
    named = [tuple(None if v == 0 else LEVELS[v - 1] for v in row) for row in keys]
    plain = released(LocalSuppression(3, missing=missing), keys)
    better = released(LocalSuppression(3, missing=missing, polish=8), keys)
    assert min(masking_classic.class_sizes(better, missing)) >= 3
    assert hidden(named, better, [1] * 4) < hidden(named, plain, [1] * 4)
    assert better == released(LocalSuppression(3, missing=missing, polish=8), keys)


def test_with_wildcards_nobody_loses_more_than_needed():
    for keys, k, costs in tables(50, 6, most=6):
        rows = readable(keys)
        after = released(LocalSuppression(k, missing="wildcard", polish=2), keys)
        for i, row in enumerate(after):
            gone = [j for j, value in enumerate(row) if value is None and rows[i][j] is not None]
            assert len(gone) <= twin.need(rows, i, k, [1] * len(costs))


def test_what_cannot_be_polished_is_refused():
    keys = np.array([[1, 1], [1, 2], [2, 1], [2, 2]])
    with pytest.raises(ParameterError, match="polish must be None with l, combinations or levels"):
        LocalSuppression(2, polish=1, combinations=1).mask(microdata(keys))
    with pytest.raises(ParameterError, match="a time must look like"):
        LocalSuppression(2, polish="soon").mask(microdata(keys))


@pytest.mark.parametrize(("settled", "sizes"), [(False, [8000, 3000, 3000, 3000, 3000]), (True, [1, 2, 4, 8, 16])])
def test_rounds_without_success_try_other_sizes_and_end(monkeypatch, settled, sizes):
    """Blocks become smaller where programmes do not come to their end, and larger where these find nothing."""
    keys = np.array([(a, b, 1) for a in range(1, 9) for b in range(1, 9)])  # everybody stands out
    seen = []
    cut = suppression_polish._CategorySearch.blocks
    monkeypatch.setattr(suppression_polish, "_PAIRS", sizes[0])
    monkeypatch.setattr(
        suppression_polish._CategorySearch,
        "blocks",
        lambda search, turn, pairs: seen.append((turn, pairs)) or cut(search, turn, 1.0),
    )
    monkeypatch.setattr(suppression_polish._CategorySearch, "improve", lambda *_: settled)
    after = suppression_polish.polished_hiding(keys, np.zeros_like(keys), 2, np.ones(3), programmes=9)
    assert not after.any()
    assert seen == list(enumerate(sizes))


def test_a_programme_that_cannot_be_written_leaves_something_to_find(monkeypatch):
    keys = np.array([[1, 1], [1, 2], [2, 1], [2, 2], [3, 3]])
    search = suppression_polish._WildcardSearch(
        suppression_polish.distinct_rows(keys), np.zeros_like(keys), 2, np.ones(2)
    )
    monkeypatch.setattr(suppression_polish, "wildcard_programme", lambda *_arguments, **_options: None)
    assert search.improve(search.open, lambda *_: (None, True)) is False


def test_time_is_shared_among_blocks(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(suppression_polish, "time", instead(suppression_polish.time, monotonic=lambda: clock[0]))
    timed = suppression_polish._Budget(None, 10.0)
    counted = suppression_polish._Budget(2, None)
    assert timed._left(4) == 1.25  # half of the time for one round, a quarter of that for a block
    assert counted._left(4) is None
    assert not timed.ends
    assert not counted.ends
    clock[0] = 109.9
    assert timed._left(4) == pytest.approx(0.1)
    assert not timed.ends
    clock[0] = 109.0
    assert timed._left(4) == pytest.approx(0.5)
    clock[0] = 110.0
    assert timed.ends


class Asked:
    """A programme that answers as it is told, and remembers up to what it was narrowed and for how long it ran."""

    def __init__(self, bound, *answers):
        self.bound, self.answers, self.cost, self.limits, self.given = bound, list(answers), np.ones(1), [], []

    def relaxed(self, seconds):
        self.given.append(seconds)
        return None if self.bound is None else SimpleNamespace(bound=self.bound)

    def narrowed(self, _relaxation, limit):
        self.limits.append(limit)
        return self

    def solved(self, seconds, nodes):
        self.given.append((seconds, nodes))
        paid, finished = self.answers.pop(0)
        return None if paid is None else np.array([float(paid)]), 0.0, finished


@pytest.mark.parametrize(
    ("asked", "ceiling", "programmes", "limits", "best", "finished"),
    [
        (Asked(None), 200.0, 9, [], None, False),  # no time for the linear programme
        (Asked(200.0), 200.0, 9, [], None, True),  # nothing can be better
        (Asked(199.9, (None, True)), 200.0, 9, [200.0], None, True),
        # Near the bound first, then farther away, then up to what is known.
        (Asked(100.0, (101.0, True)), 200.0, 9, [102.0], 101.0, True),
        (Asked(100.0, (None, True), (107.0, True)), 200.0, 9, [102.0, 108.0], 107.0, True),
        (Asked(100.0, (None, True), (None, True), (150.0, True)), 200.0, 9, [102.0, 108.0, 200.0], 150.0, True),
        (Asked(100.0, (None, True), (None, True), (None, True)), 200.0, 9, [102.0, 108.0, 200.0], None, True),
        (Asked(10.0, (None, True), (None, True), (12.5, True)), 13.0, 9, [12.0, 12.0, 13.0], 12.5, True),
        # What did not come to its end is not tried at more length.
        (Asked(100.0, (101.0, False)), 200.0, 9, [102.0], 101.0, False),
        (Asked(100.0, (None, False)), 200.0, 9, [102.0], None, False),
        # The last programme that there is a budget for is tried near the bound alone.
        (Asked(100.0, (None, True)), 200.0, 1, [102.0], None, False),
        # No better than what is known is none.
        (Asked(100.0, (None, True), (None, True), (200.0, True)), 200.0, 9, [102.0, 108.0, 200.0], None, True),
    ],
)
def test_a_programme_is_solved_near_its_bound_first(asked, ceiling, programmes, limits, best, finished):
    budget, heard = suppression_polish._Budget(programmes, None), []
    with listening(lambda *said: heard.append(said)):
        values, ended = budget.solve(asked, ceiling, 3)
    assert heard == [("polishing", 1, programmes)]
    assert asked.limits == limits
    assert (None if values is None else float(values[0]), ended) == (best, finished)
    assert asked.given == [None] + [(None, 50)] * len(limits)


def test_a_time_is_told_and_shared(monkeypatch):
    clock, heard = [100.0], []
    monkeypatch.setattr(suppression_polish, "time", instead(suppression_polish.time, monotonic=lambda: clock[0]))
    budget = suppression_polish._Budget(None, 10.0)
    with listening(lambda *said: heard.append(said)):
        for now in (100.0, 102.5, 130.0):
            clock[0] = now
            asked = Asked(100.0, (101.0, True))
            budget.solve(asked, 200.0, 2)
            if now == 102.5:
                assert asked.given == [1.875, (1.875, None)]
    assert heard == [("polishing", 0, 1000), ("polishing", 250, 1000), ("polishing", 1000, 1000)]
    assert suppression_polish._Budget(None, None).ends


def test_of_more_keys_than_can_be_gone_through_nothing_is_polished():
    keys = np.ones((3, 13), np.int64)
    after = np.zeros_like(keys)
    assert suppression_polish.polished_hiding(keys, after, 2, np.ones(13), wildcard=True, programmes=1) is after


def searched(keys, after, k=2, costs=(1.0, 10.0)):
    keys = np.array(keys)
    return suppression_polish._CategorySearch(
        suppression_polish.distinct_rows(keys), np.array(after), k, np.array(costs)
    )


def test_a_search_knows_what_its_release_costs():
    keys = [[1, 1], [2, 0], [1, 1], [1, 2]]
    search = searched(keys, [[1, 0], [0, 0], [0, 1], [1, 2]])
    assert search.cost == 10.0 + 1.0 + 1.0
    assert search.open.tolist() == [1, 2]  # of 1 1, 1 2 and 2 – the first has two records
    assert search._paid(np.array([0])) == 11.0
    assert search._paid(np.array([2, 1])) == 1.0
    assert search._paid(np.zeros(0, np.int64)) == 0.0
    assert search._records_of(np.array([0, 2])).tolist() == [0, 2, 1]
    rows, counts = search._others(np.array([0]))
    assert (rows.tolist(), counts.tolist()) == ([[0, 0], [1, 2]], [1, 1])


def test_a_release_is_taken_only_if_it_is_better_and_keeps_its_promise():
    keys, worst = [[1, 1], [1, 1], [1, 2], [1, 2]], [[0, 0]] * 4
    for members, shown, numbers, taken in [
        ([0, 1], [[1, 0], [1, 0]], [2, 2], [[1, 0]] * 4),
        ([0, 1], [[1, 1], [1, 2]], [2, 2], keys),
        ([0, 0, 1], [[1, 1], [1, 0], [1, 0]], [1, 1, 2], worst),  # one record would be alone
        ([0, 1], [[1, 1], [1, 2]], [1, 2], worst),  # a record would be nowhere
        ([0, 1], [[0, 0], [0, 0]], [2, 2], worst),  # no better
    ]:
        search = searched(keys, worst)
        prices = np.array([float((np.array(row) == 0) @ [1.0, 10.0]) for row in shown])
        search._take(np.array(members), np.array(shown), np.array(numbers), prices)
        assert search.released.tolist() == taken


@pytest.mark.parametrize(
    ("turn", "pairs", "expected"),
    [
        (0, 1e9, [[0, 3, 1, 4, 2]]),
        (1, 1e9, [[0, 1, 2, 3, 4]]),
        (0, 1.0, [[0, 3, 1, 4, 2]]),  # twenty at least
    ],
)
def test_blocks_are_neighbours_in_one_order_of_keys(turn, pairs, expected):
    """Different records 1 1, 1 2, 1 3, 2 1 and 2 2, all of which stand out: by the last key first, or by the first."""
    keys = [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2]]
    search = searched(keys, [[0, 0]] * 5)
    assert [block.tolist() for block in search.blocks(turn, pairs)] == expected


def test_blocks_are_cut_elsewhere_in_every_round():
    keys = np.array([[a, b] for a in range(1, 10) for b in range(1, 6)])
    search = searched(keys, np.zeros_like(keys))
    assert search._width() == 6.0  # four sets of keys, and half as much again
    order = sorted(range(45), key=lambda i: (keys[i, 1], keys[i, 0]))
    blocks = search.blocks(0, 20 * 6.0)
    assert [len(block) for block in blocks] == [15, 15, 15]
    assert np.concatenate(blocks).tolist() == order
    moved = np.concatenate(search.blocks(2, 20 * 6.0))
    assert moved.tolist() == np.roll(order, 2 * 20 // 3).tolist()
    assert [len(block) for block in search.blocks(0, 23 * 6.0)] == [23, 22]
    assert [len(block) for block in search.blocks(0, 45 * 6.0)] == [45]
