"""The best of all ways to cut a sorted column: against every one of them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.masking.recoding import best_bands
from discreet.masking.recoding.best_bands import best_cuts


def error_of(values, counts, cuts):
    """The sum of squares about the means of the bands."""
    total = 0.0
    for low, high in pairwise([0, *cuts, len(values)]):
        numbers = np.repeat(values[low:high], counts[low:high])
        total += float(((numbers - numbers.mean()) ** 2).sum())
    return total


def least_error(values, counts, bands, least):
    """Try all cuts; infinite where none leaves enough records in every band."""
    results = [np.inf]
    for number in range(bands):
        for cuts in combinations(range(1, len(values)), number):
            sizes = [sum(counts[low:high]) for low, high in pairwise([0, *cuts, len(values)])]
            if min(sizes) >= least:
                results.append(error_of(values, counts, cuts))
    return min(results)


@given(
    st.lists(
        st.tuples(st.integers(-40, 40), st.integers(1, 4)), min_size=1, max_size=9, unique_by=lambda pair: pair[0]
    ),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_no_other_cuts_have_less_error(pairs, bands, least):
    pairs.sort()
    values, counts = np.array([float(v) for v, _ in pairs]), np.array([c for _, c in pairs])
    cuts = best_cuts(values, counts, bands, least).tolist()
    assert cuts == sorted(set(cuts))
    assert len(cuts) < bands or not cuts
    sizes = [int(counts[low:high].sum()) for low, high in pairwise([0, *cuts, len(values)])]
    if counts.sum() >= least:
        assert min(sizes) >= least
        assert error_of(values, counts, cuts) == pytest.approx(least_error(values, counts, bands, least), abs=1e-9)
    else:
        assert not cuts


def test_a_thousand_numbers_are_cut_where_they_clump():
    rng = np.random.default_rng(4)
    values = np.unique(np.concatenate([rng.normal(center, 1.0, 300) for center in (0, 50, 90, 400)]))
    cuts = best_cuts(values, np.ones(values.size, dtype=np.int64), 4)
    assert [float(values[c] - values[c - 1]) > 20 for c in cuts] == [True, True, True]


def test_far_from_zero_the_digits_are_kept():
    values = 1e12 + np.array([0.0, 1.0, 2.0, 10.0, 11.0, 30.0])
    assert best_cuts(values, np.ones(6, dtype=np.int64), 3).tolist() == [3, 5]


def test_too_many_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(best_bands, "MOST_VALUES", 3)
    with pytest.raises(DataError, match="4 different numbers"):
        best_cuts(np.arange(4.0), np.ones(4, dtype=np.int64), 2)
    assert best_cuts(np.arange(3.0), np.ones(3, dtype=np.int64), 3).tolist() == [1, 2]


def test_up_to_five_million_numbers_are_looked_at():
    many = np.broadcast_to(np.int64(1), 5_000_001)
    with pytest.raises(DataError) as caught:
        best_cuts(many, many, 2)
    assert caught.value.message == (
        "There are 5,000,001 different numbers, and the best of all bands is found among up to 5,000,000."
    )
    assert caught.value.hint == "Use bands of equal count, or round the numbers first."
    assert best_cuts(many, many, 1).tolist() == []
