from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SCHEMA, microdata, sample, with_nulls
from tests.reference import masking_classic as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.values.swap import swap_partners
from discreet.masking.perturbing.swapping import RankSwapping

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
