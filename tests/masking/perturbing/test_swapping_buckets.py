from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import masking_classic as twin

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.values.swap import swap_into
from discreet.masking.perturbing.swapping_buckets import BucketSwapping

NUMBERS = Schema([Attribute("x", Numeric(), "key")])


def partners_of(lows, highs, draws):
    n = len(lows)
    partners = np.empty(n, dtype=np.int64)
    swap_into(np.array(lows, dtype=np.int64), np.array(highs, dtype=np.int64), np.asarray(draws, dtype=float),
              np.empty(n + 1, dtype=np.int64), partners)  # fmt: skip
    return partners.tolist()


@given(st.integers(1, 50), st.integers(0, 1000))
def test_partners_are_those_of_the_twin(n, seed):
    draws = np.random.default_rng(seed)
    lows = draws.integers(0, n, n)
    highs = np.minimum(lows + draws.integers(0, 6, n), n - 1)
    shares = draws.random(n)
    assert partners_of(lows, highs, shares) == twin.swap_into(lows.tolist(), highs.tolist(), shares)


def test_six_ranks_by_hand():
    # 0 goes to 4; 1 wants 4, which is taken: 3 and 5 are as near, and the lower one is taken; 2 wants 2: 5 is left.
    assert partners_of([4, 4, 2, 0, 0, 0], [4, 4, 2, 0, 0, 0], [0.0] * 6) == [4, 3, 5, 1, 0, 2]


@pytest.mark.parametrize("buckets", [1, 4, 20])
def test_the_values_stay_and_buckets_are_drawn_half_as_often_each(buckets):
    """Nin, Herranz and Torra 2008: from bucket r to s with a probability in proportion to 2^-(s-r+1)."""
    n = 20_000
    rng = np.random.default_rng(1)
    lows, highs = BucketSwapping(buckets)._goals(n, rng)
    size = n // buckets
    own, goal = np.arange(n) // size, lows // size
    assert (highs == lows + size - 1).all()
    assert (goal >= own).all()
    steps = goal[own == 0]
    weights = 0.5 ** (np.arange(buckets) + 1)
    expected = weights / weights.sum()
    seen = np.bincount(steps, minlength=buckets) / steps.size
    assert np.abs(seen - expected).max() < 5 * np.sqrt(0.25 / steps.size)
    original = np.random.default_rng(3).permutation(1000).astype(float)
    masked = BucketSwapping(buckets, random_state=1).mask(pa.table({"x": original}), NUMBERS)
    assert sorted(masked.microdata.encoded("x")) == sorted(original)
    assert (masked.microdata.encoded("x") != original).mean() > 0.9


def test_no_window_is_certain():
    # With a fixed window the largest difference is that window; here some value goes far beyond its bucket.
    original = np.random.default_rng(3).permutation(2000).astype(float)
    moved = np.abs(
        BucketSwapping(20, random_state=5).mask(pa.table({"x": original}), NUMBERS).microdata.encoded("x") - original
    )
    assert np.median(moved) < 200
    assert moved.max() > 400


def test_every_level_that_occurs_may_become_every_other():
    schema = Schema([Attribute("x", Nominal(["a", "b", "c"]), "key")])
    masked = BucketSwapping(2, random_state=1).mask(pa.table({"x": ["a", "b"] * 10}), schema)
    possible = masked.provenance.transitions["x"]
    assert possible.tolist() == [
        [True, True, False, False], [True, True, False, False], [False, False, True, False], [False, False, False, True]
    ]  # fmt: skip


def test_buckets_of_one_value_are_refused():
    with pytest.raises(ParameterError, match="buckets must leave at least two values in each; 4 are too many for 'x'"):
        BucketSwapping(4).mask(pa.table({"x": np.arange(7.0)}), NUMBERS)


def test_the_seed_alone_undoes_nothing():
    """Draws follow from the values too: who runs the method with the seed on the release gets other exchanges."""
    original = np.random.default_rng(3).permutation(500).astype(float)
    masked = BucketSwapping(10, random_state=1).mask(pa.table({"x": original}), NUMBERS).microdata.encoded("x")
    again = BucketSwapping(10, random_state=1).mask(pa.table({"x": masked}), NUMBERS).microdata.encoded("x")
    assert (again == original).mean() < 0.05
