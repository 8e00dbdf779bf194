"""Rare levels joined: every level that is left is frequent, and no frequent one is lost without need."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.recoding.rare_levels import rarest_levels

LEVELS = ("a", "b", "c", "d", "e")


def released(masker, values, scale):
    schema = dc.Schema([dc.Attribute("x", scale, "key")])
    return masker.mask(dc.Microdata(pa.table({"x": pa.array(values, pa.string())}), schema))


@given(st.lists(st.sampled_from([*LEVELS, None]), min_size=2, max_size=40), st.integers(2, 9), st.booleans())
def test_every_level_left_is_frequent_and_none_is_joined_in_vain(values, least, ordered):
    scale = dc.Ordinal(LEVELS) if ordered else dc.Nominal(LEVELS)
    after = released(dc.RareLevels(least), values, scale).microdata.column("x").to_pylist()
    counts = Counter(v for v in values if v is not None)
    left = Counter(v for v in after if v is not None)
    assert [v is None for v in values] == [v is None for v in after]
    assert min(left.values(), default=least) >= min(least, sum(counts.values()))
    rare = {level for level, count in counts.items() if count < least}
    joined = {a for a, b in zip(values, after, strict=True) if a != b}
    assert rare <= joined
    # A frequent level joins only where the rare ones are too few, and then no more of them than needed.
    extra = joined - rare
    if extra:
        assert sum(counts[level] for level in joined) - max(counts[level] for level in extra) < least
    assert not joined or left["other"] == sum(counts[level] for level in joined)


@given(st.lists(st.sampled_from(LEVELS), min_size=2, max_size=40), st.integers(2, 9))
def test_on_an_ordered_scale_neighbours_are_joined(values, least):
    masked = released(dc.RareLevels(least, into="nearest"), values, dc.Ordinal(LEVELS))
    after = masked.microdata.column("x").to_pylist()
    assert masked.microdata.schema["x"].scale == dc.Ordinal(LEVELS), "the scale is kept"
    assert min(Counter(after).values()) >= min(least, len(values))
    pairs = sorted(set(zip(values, after, strict=True)))
    assert [b for _, b in pairs] == sorted(b for _, b in pairs), "the order is kept"


def test_a_category_that_is_a_level_takes_the_rare_ones_in():
    values = ["a"] * 5 + ["b"] + ["e"] * 2
    masked = released(dc.RareLevels(3, category="e"), values, dc.Nominal(LEVELS))
    assert Counter(masked.microdata.column("x").to_pylist()) == {"a": 5, "e": 3}
    alone = released(dc.RareLevels(3, category="e"), ["a"] * 5 + ["e"], dc.Nominal(LEVELS))
    assert Counter(alone.microdata.column("x").to_pylist()) == {"e": 6}


def test_nothing_rare_changes_nothing():
    masked = released(dc.RareLevels(2), ["a", "a", "b", "b"], dc.Nominal(LEVELS))
    assert masked.microdata.column("x").to_pylist() == ["a", "a", "b", "b"]
    assert masked.provenance.details == {"levels_left": {"x": 2}}


def test_a_constant_column_is_told():
    masked = released(dc.RareLevels(9), ["a", "a", "b"], dc.Nominal(LEVELS))
    assert "x has one level left and is constant now." in masked.provenance.notes


def test_bad_parameters_are_named():
    with pytest.raises(ParameterError, match="min_count must be an integer of at least 2"):
        released(dc.RareLevels(1), ["a"], dc.Nominal(LEVELS))


@pytest.mark.parametrize(
    ("counts", "least", "host", "rare"),
    [
        ([9, 1, 4, 0], 3, None, [1, 2, 3]),  # one alone is too few, and the next smallest joins it
        ([9, 1, 2, 0], 3, None, [1, 2, 3]),
        ([9, 3, 3], 3, None, []),
        ([9, 2, 3], 3, None, [1, 2]),
        ([0, 0, 5], 3, None, []),  # levels that nobody has are no reason
        ([1, 1], 3, None, [0, 1]),
        ([9, 1, 4], 3, 2, [1]),  # a host that has enough itself
        ([9, 1, 1], 3, 2, [0, 1]),
        ([9, 1, 2], 3, 2, [1]),
        ([9, 5, 2], 3, 2, [1]),  # the host alone is too few: somebody joins it
        ([9, 5, 0], 3, 2, []),
        ([9, 5, 3], 3, 2, []),
        ([5, 5, 1], 3, None, [0, 2]),  # the first of equals
    ],
)
def test_rarest_levels_by_hand(counts, least, host, rare):
    assert rarest_levels(np.array(counts, dtype=float), least, host).tolist() == rare
