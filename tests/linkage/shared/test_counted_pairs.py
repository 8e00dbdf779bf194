"""Distinct records with frequencies say the same as all records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.linkage.nearest import evaluate_rows
from discreet.linkage.shared import counted_pairs
from discreet.linkage.shared.agreement import _quantiles, chance_of
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage

NAMES = ("town", "size", "income")
SCHEMA = Schema(
    Attribute(name, scale, "key")
    for name, scale in zip(NAMES, (Nominal("abcd"), Ordinal("stuvw"), Numeric()), strict=True)
)


def released(n=120, seed=0):
    """Rows of an original and its release, and how many records each stands for."""
    rng = np.random.default_rng(seed)
    first = [rng.choice([*"abcd", None], n), rng.choice([*"stuvw", None], n), np.round(rng.normal(20, 9, n))]
    second = [np.where(rng.random(n) < 0.3, rng.permutation(column), column) for column in first]
    columns = [*first, *second]
    rows = pl.DataFrame({f"{j}": column.tolist() for j, column in enumerate(columns)}).unique(maintain_order=True)
    frequencies = rng.integers(1, 6, len(rows))
    both = [rows.select(rows.columns[:3]), rows.select(rows.columns[3:])]
    a, b = (Microdata(side.rename(dict(zip(side.columns, NAMES, strict=True))), SCHEMA) for side in both)
    return a, b, frequencies.astype(np.int64)


@pytest.mark.parametrize("compared", [False, True])
@pytest.mark.parametrize("options", [{}, {"missing": "agree", "bins": 5}, {"term_frequency": True}, {"m": "em"}])
def test_links_of_rows_that_stand_for_several_records(options, compared, monkeypatch):
    if compared:
        monkeypatch.setattr(counted_pairs, "MOST_PATTERNS", 1)
    a, b, frequencies = released()
    every = np.repeat(np.arange(len(a)), frequencies)
    linker, whole = ProbabilisticLinkage(**options), ProbabilisticLinkage(**options)
    expanded = [whole.agreement(a.take(every), b.take(every), name) for name in NAMES]
    counted = [linker.agreement(a, b, name, frequencies) for name in NAMES]
    for one, other in zip(expanded, counted, strict=True):
        assert chance_of(one) == pytest.approx(chance_of(other, frequencies))
        assert all(np.array_equal(x, y) for x, y in zip(one.classes, other.classes, strict=True))
    links = whole.link_models(expanded, InProcess(), ("known",))
    rows = linker.link_models(counted, InProcess(), ("known",), frequencies=(frequencies, frequencies))
    assert linker.thresholds_ == whole.thresholds_
    first = np.concatenate([[0], np.cumsum(frequencies)])[:-1]
    for estimator, pair in links.items():
        for one, other in zip(pair, rows[estimator], strict=True):
            for name in ("score", "second_score", "ties", "decision"):
                assert np.array_equal(getattr(one, name)[first], getattr(other, name)), name
            linked, by_row = one.evaluate(), evaluate_rows(other, frequencies)
            assert by_row.expected == pytest.approx(linked.expected)
            assert (by_row.optimistic, by_row.pessimistic) == (linked.optimistic, linked.pessimistic)
            assert (by_row.n, by_row.chance) == (linked.n, linked.chance)


def test_a_file_is_packed_once_for_both_directions():
    a, b, _ = released()
    linker = ProbabilisticLinkage()
    files = PackedFiles.of([linker.agreement(a, b, name) for name in NAMES])
    first, second = files.by_level
    back = files.swapped()
    assert back.by_level[0] is second
    assert back.by_level[1] is first
    again = PackedFiles.of([agreement.swapped() for agreement in files.agreements]).by_level
    assert np.array_equal(again[0], second)
    assert np.array_equal(again[1], first)


@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(0, 5)), min_size=1, max_size=30, unique_by=lambda pair: pair[0]
    ),
    st.integers(2, 25),
)
def test_quantiles_of_counted_values_are_those_of_all(pairs, bins):
    values, counts = (np.array(column) for column in zip(*sorted(pairs), strict=True))
    if not counts.sum():
        counts[0] = 1
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    values = values / 7
    assert _quantiles(values, counts, shares).tolist() == np.quantile(np.repeat(values, counts), shares).tolist()
