from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SCHEMA, microdata, sample, with_nulls
from tests.reference import masking_classic as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.values.swap import swap_partners
from discreet.masking.perturbing import swapping
from discreet.masking.perturbing.swapping import RankSwapping, _reachable

NUMBERS = Schema([Attribute("x", Numeric(), "key")])


def partners_of(n, window, draws):
    partners = np.empty(n, dtype=np.int64)
    swap_partners(window, draws, partners)
    return partners


@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 1000))
def test_partners_are_those_of_the_twin(n, window, seed):
    draws = np.random.default_rng(seed).random(n)
    assert partners_of(n, window, draws).tolist() == twin.swap_partners(n, window, draws)


@pytest.mark.parametrize(("n", "window"), [(32, 31), (33, 32), (64, 1), (65, 64), (700, 35), (1000, 1), (1000, 2000)])
def test_partners_of_many_ranks_are_those_of_the_twin(n, window):
    draws = np.random.default_rng(n).random(n)
    assert partners_of(n, window, draws).tolist() == twin.swap_partners(n, window, draws)


@pytest.mark.parametrize("window", [1, 2, 5, 40])
def test_levels_are_reached_whose_ranks_are_near(window):
    ranked = np.sort(np.random.default_rng(window).choice([0, 2, 3, 4, 7], 40))
    ranks = [np.flatnonzero(ranked == level) for level in range(9)]
    expected = [
        [a == b or any(abs(i - j) <= window for i in ranks[a] for j in ranks[b]) if max(a, b) < 9 else a == b
         for b in range(10)] for a in range(10)
    ]  # fmt: skip
    assert _reachable(ranked, 9, window).tolist() == expected


def test_which_of_many_levels_are_reached_takes_a_byte_a_pair():
    tracemalloc.start()
    try:
        possible = _reachable(np.arange(2_000), 2_000, 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert possible[:-1, :-1].sum() == 7 * 2_000 - 2 * (1 + 2 + 3)
    assert peak < 2 * 2_000**2


@pytest.mark.parametrize("p", [1, 2.5, 5, 9, 100])
def test_two_swapped_ranks_never_differ_by_more_than_p_percent_of_n(p):
    """Torra 2004, section 4.1. Values are their own ranks here."""
    n = 1000
    original = np.random.default_rng(3).permutation(n).astype(float)
    masked = RankSwapping(p, random_state=1).mask(pa.table({"x": original}), NUMBERS)
    moved = np.abs(masked.microdata.encoded("x") - original)
    assert 0.6 * p * n / 100 < moved.max() <= p * n / 100
    assert sorted(masked.microdata.encoded("x")) == sorted(original)


@given(st.lists(st.integers(0, 6), min_size=5, max_size=60), st.integers(1, 100), st.integers(0, 99))
def test_the_bound_holds_with_ties_and_the_values_stay(values, p, seed):
    if p * len(values) < 100:
        return
    table = pa.table({"x": np.array(values, dtype=float)})
    after = RankSwapping(p, random_state=seed).mask(table, NUMBERS).microdata.encoded("x")
    assert sorted(after.tolist()) == sorted(values)
    ranks = np.empty(len(values), dtype=int)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    ordered = np.sort(values)
    window = int(p * len(values) / 100)
    for rank, value in zip(ranks, after, strict=True):
        assert value in ordered[max(0, rank - window) : rank + window + 1]


@pytest.mark.parametrize("p", [0.05, 0.5, 0.999, 0, -3, 101, float("nan")])
def test_fractions_are_refused_with_a_hint(p):
    with pytest.raises(ParameterError, match="^RankSwapping: p must be a number at least 1 and at most 100") as error:
        RankSwapping(p).mask(microdata())
    assert "p is in percent: for 5 percent write p=5" in str(error.value)


def test_less_than_one_rank_is_refused():
    with pytest.raises(ParameterError, match="1 percent of 60 values of 'income' do not"):
        RankSwapping(1).mask(microdata())


def test_window_in_ranks_allows_less_than_one_percent():
    original = np.arange(1000.0)
    masked = RankSwapping(window=3, random_state=0).mask(pa.table({"x": original}), NUMBERS)
    assert np.abs(masked.microdata.encoded("x") - original).max() <= 3


def test_swapping_stays_in_its_stratum():
    data = microdata(200)
    masked = RankSwapping(20, strata=["region"], random_state=0).mask(data)
    regions = np.array(data.column("region").to_pylist())
    for region in ("north", "south"):
        inside = regions == region
        for name in ("income", "fuel"):
            assert sorted(masked.microdata.encoded(name)[inside]) == sorted(data.encoded(name)[inside])
    assert masked.provenance.details["n_strata"] == 2
    assert masked.provenance.changed["income"] > 100


def test_missing_values_stay_where_they_are():
    data = Microdata(with_nulls(sample(), "income", [3, 17]), SCHEMA)
    after = RankSwapping(20, random_state=0).mask(data).microdata
    assert np.flatnonzero(after.missing("income")).tolist() == [3, 17]


def test_transitions_tell_what_the_window_allows():
    data = microdata(300)
    masked = RankSwapping(2, random_state=0).mask(data)
    possible = masked.provenance.transitions["grade"]
    assert possible.shape == (8, 8)
    assert not possible.all()
    assert possible[np.diag_indices(8)].all()
    assert possible[data.encoded("grade"), masked.microdata.encoded("grade")].all()


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("masker", "size", "window"),
    [
        (RankSwapping(5), 100, 5),
        (RankSwapping(5), 99, 4),
        (RankSwapping(5), 19, 0),
        (RankSwapping(100), 7, 7),
        (RankSwapping(window=9), 100, 9),
        (RankSwapping(window=9), 7, 7),
    ],
)
def test_windows_in_ranks(masker, size, window):
    assert masker._window(size) == window


def test_windows_that_reach_nobody_are_refused():
    masker = RankSwapping(5)
    assert masker._reaching("x", 20) == 1
    assert masker._reaching("x", 1) == 0
    with pytest.raises(ParameterError, match="p must reach at least one rank; 5 percent of 19 values of 'x' do not"):
        masker._reaching("x", 19)


def test_windows_of_one_rank_are_told():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("s", Nominal(("a", "b")), "stratum")])
    table = pa.table({"x": np.arange(40.0) ** 2, "s": ["a"] * 10 + ["b"] * 30})
    notes = RankSwapping(5).mask(table.slice(0, 39), schema).provenance.notes
    said = "Attributes with a window of one rank (1): x; neighbours are exchanged for certain, which anybody can undo."
    assert said in notes
    assert said not in RankSwapping(5).mask(table, schema).provenance.notes
    with pytest.raises(ParameterError) as caught:
        RankSwapping(10, strata=["s"]).mask(table, schema)
    assert str(caught.value).startswith(
        "RankSwapping: p must reach at least two ranks of every stratum; 10 percent of the values of 'x' do not in 1 "
    )
    assert RankSwapping(20, strata=["s"], random_state=1).mask(table, schema).provenance.changed["x"] > 0
    assert said in RankSwapping(window=1, strata=["s"]).mask(table, schema).provenance.notes


def test_levels_that_can_take_anothers_place_by_hand():
    """Ranks 0 to 5 are of levels 0 0 1 3 3 4; nobody has level 2."""
    ranked = np.array([0, 0, 1, 3, 3, 4])
    for window, pairs in [
        (1, {(0, 1), (1, 3), (3, 4)}),
        (2, {(0, 1), (0, 3), (1, 3), (3, 4)}),
        (3, {(0, 1), (0, 3), (1, 3), (1, 4), (3, 4)}),
        (4, {(0, 1), (0, 3), (0, 4), (1, 3), (1, 4), (3, 4)}),
    ]:
        expected = np.eye(6, dtype=bool)
        for a, b in pairs:
            expected[a, b] = expected[b, a] = True
        assert swapping._reachable(ranked, 5, window).tolist() == expected.tolist()
