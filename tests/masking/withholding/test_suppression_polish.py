"""Polished releases keep every promise, cost no more, and are the best of tiny tables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.masking.withholding.test_fewest_values import readable, tables
from tests.reference import fewest_values as twin
from tests.reference import masking_classic

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.withholding import suppression_polish
from discreet.masking.withholding.suppression import LocalSuppression

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
    monkeypatch.setattr(suppression_polish.time, "monotonic", lambda: clock[0])
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
