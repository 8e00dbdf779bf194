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


@pytest.mark.parametrize("compared", [False, True])
@pytest.mark.parametrize("options", [{}, {"term_frequency": True}, {"missing": "disagree"}])
def test_rows_of_either_file_stand_for_their_own_number_of_records(options, compared, monkeypatch):
    if compared:
        monkeypatch.setattr(counted_pairs, "MOST_PATTERNS", 1)
    a, b, frequencies = released(60)
    others = np.random.default_rng(5).integers(1, 4, len(b))
    linker, whole = ProbabilisticLinkage(**options), ProbabilisticLinkage(**options)
    every, each = np.repeat(np.arange(len(a)), frequencies), np.repeat(np.arange(len(b)), others)
    expanded = [whole.agreement(a.take(every), b.take(each), name) for name in NAMES]
    counted = [linker.agreement(a, b, name, frequencies) for name in NAMES]
    links = whole.link_models(expanded, InProcess())["anchored"]
    rows = linker.link_models(counted, InProcess(), frequencies=(frequencies, others))["anchored"]
    for one, other, counts in zip(links, rows, (others, frequencies), strict=True):
        first = np.cumsum(counts) - counts
        for name in ("score", "second_score", "ties"):
            assert getattr(one, name)[first] == pytest.approx(getattr(other, name)), name
    assert linker.model_.prior == whole.model_.prior


def test_the_truth_of_rows_counts_as_often_as_the_first_file_has_them():
    a, b, frequencies = released(60)
    linker = ProbabilisticLinkage(m="known")
    agreements = [linker.agreement(a, b, name, frequencies) for name in NAMES]
    linker.link_models(agreements, InProcess(), frequencies=(frequencies, np.ones(len(b), dtype=np.int64)))
    for name, m, u, ignored in zip(NAMES, linker.model_.m, linker.model_.u, linker.model_.ignored, strict=True):
        pairs = list(zip(a.column(name).to_pylist(), b.column(name).to_pylist(), frequencies.tolist(), strict=True))
        if name == "income":
            continue
        agreeing = sum(n for x, y, n in pairs if x is not None and x == y) / frequencies.sum()
        assert m[-1] == pytest.approx(max(agreeing, u[-1]))
        assert ignored


@pytest.mark.parametrize(
    ("shape", "n_a", "n_b", "dependent", "compared"),
    [
        ((2, 2), 10, 10, False, False),
        ((1 << 10, 1 << 10), 5000, 4999, True, False),
        ((1 << 10, (1 << 10) + 1), 5, 5, True, True),
        # More than fifty million pairs, and more than twice as many patterns as records.
        ((100, 101), 5000, 5001, False, True),
        ((100, 101), 5000, 5001, True, False),
        ((100, 101), 5000, 5000, False, False),
        ((100, 100), 5000, 5001, False, False),
    ],
)
def test_pairs_are_looked_at_where_there_are_fewer_of_them_than_rows(shape, n_a, n_b, dependent, compared):
    class States:
        has_classes = True

        def __init__(self, states):
            self.states = states

    agreements = [States(states) for states in shape]
    assert counted_pairs.pairs_are_compared(agreements, n_a, n_b, dependent=dependent) == compared
    agreements[-1].has_classes = False
    assert counted_pairs.pairs_are_compared(agreements, n_a, n_b, dependent=dependent)


def test_pairs_swapped_are_those_of_the_files_in_each_others_place():
    a, b, frequencies = released(40)
    linker = ProbabilisticLinkage()
    agreements = [linker.agreement(a, b, name) for name in NAMES]
    for compared in (False, True):
        pairs = counted_pairs.count_pairs(agreements, InProcess(), (frequencies, None), compared=compared)
        back = pairs.swapped()
        assert back.first is pairs.second
        assert back.second is pairs.first
        assert back.frequencies[0] is None
        assert back.frequencies[1] is frequencies
        assert (back.files is None) == (pairs.files is None) == compared
        assert [one.a.tolist() for one in back.agreements] == [one.b.tolist() for one in pairs.agreements]
        assert pairs.counts.n_a == frequencies.sum()


def test_a_pattern_occurs_that_has_a_pair_and_of_nobody_nothing_is_known():
    a, b, frequencies = released(40)
    linker = ProbabilisticLinkage(missing="disagree", bins=None)
    agreements = [linker.agreement(a, b, name) for name in NAMES]
    pairs = counted_pairs.count_pairs(agreements, InProcess(), compared=False)
    assert pairs.occurring.tolist() == (pairs.counts.between > 0).tolist()
    assert counted_pairs.count_pairs(agreements, InProcess(), compared=True).occurring is None
    frequencies[3] = 0
    for some in ((frequencies, None), (None, frequencies)):
        assert counted_pairs.count_pairs(agreements, InProcess(), some, compared=False).occurring is None
