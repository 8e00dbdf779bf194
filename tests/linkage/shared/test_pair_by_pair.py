"""Pairs compared one by one, against the lattice and against plain loops."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError
from discreet.linkage.record_classes import classes_of_codes
from discreet.linkage.shared import counted_pairs, pair_by_pair
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.estimation import ESTIMATORS, estimate
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pair_by_pair import compare_patterns
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage


def problem(seed, n_a=80, n_b=60, missing="ignore"):
    rng = np.random.default_rng(seed)
    coarse = np.arange(12) // 4
    agreements = []
    for j in range(5):
        a = rng.integers(-1 if j % 2 else 0, 12 if j < 2 else 4, n_a)
        b = np.where(rng.random(n_b) < 0.3, rng.integers(-1, 4, n_b), np.resize(a, n_b))
        agreements.append(nested(f"v{j}", a, b, [coarse], missing) if j < 2 else equality(f"v{j}", a, b, missing))
    return agreements


def listed(agreements, engine=None):
    first, second = (classes_of_codes([getattr(c, side) for c in agreements]) for side in "ab")
    return compare_patterns(agreements, first, second, engine or InProcess())


@pytest.mark.parametrize("missing", ["ignore", "disagree", "agree"])
@pytest.mark.parametrize("pairs", [50, 1 << 25])
@pytest.mark.parametrize("tabulated", [0, 1 << 18])
def test_patterns_are_those_of_the_lattice(missing, pairs, tabulated, monkeypatch):
    monkeypatch.setattr(pair_by_pair, "_PAIRS", pairs)
    monkeypatch.setattr(pair_by_pair, "_MOST_TABULATED", tabulated)
    monkeypatch.setattr(pair_by_pair, "_FIRST_BITS", 4)  # so that the table has to grow
    agreements = problem(3, missing=missing)
    dense = count_patterns(PackedFiles.of(agreements), InProcess())
    sparse = listed(agreements, MemoryEngine(workers=2))
    for name in ("between", "within", "own"):
        full = np.zeros(dense.shape, dtype=np.int64)
        full[tuple(sparse.states.T)] = getattr(sparse, name)
        assert np.array_equal(full, getattr(dense, name)), name


def test_a_table_of_all_patterns_lists_the_same_in_the_same_sequence(monkeypatch):
    agreements = problem(8, missing="disagree")
    tabulated = listed(agreements)
    monkeypatch.setattr(pair_by_pair, "_MOST_TABULATED", 0)
    met = listed(agreements)
    for name in ("states", "between", "within", "own"):
        assert np.array_equal(getattr(tabulated, name), getattr(met, name)), name


@pytest.mark.parametrize("how", ESTIMATORS)
def test_estimates_do_not_depend_on_how_pairs_were_counted(how):
    agreements = problem(5, n_a=100, n_b=100)
    one, other = (
        estimate(counts, agreements, how)
        for counts in (count_patterns(PackedFiles.of(agreements), InProcess()), listed(agreements))
    )
    for x, y in zip((*one.m, *one.u), (*other.m, *other.u), strict=True):
        assert x == pytest.approx(y, abs=1e-9)


def numbers(n, width, seed):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, width)), 1)
    names = [f"v{j}" for j in range(width)]
    schema = Schema(Attribute(name, Numeric(), "key") for name in names)
    masked = np.where(rng.random(x.shape) < 0.2, rng.permutation(x), x)
    return Microdata(pl.DataFrame(x, schema=names), schema), Microdata(pl.DataFrame(masked, schema=names), schema)


def test_links_are_those_of_the_lattice(monkeypatch):
    a, b = numbers(150, 5, 0)
    linker = ProbabilisticLinkage(bins=6, m="em")
    lattice = linker.link(a, b)
    limits = linker.thresholds_
    monkeypatch.setattr(counted_pairs, "MOST_PATTERNS", 1)
    pairwise = linker.link(a, b, engine=MemoryEngine(workers=2))
    for name in ("best", "second", "ties", "tied", "tied_offsets", "decision"):
        assert np.array_equal(getattr(lattice, name), getattr(pairwise, name)), name
    assert pairwise.score == pytest.approx(lattice.score, abs=1e-6)
    assert pairwise.second_score == pytest.approx(lattice.second_score, abs=1e-6)
    assert linker.thresholds_ == pytest.approx(limits, abs=0.01)


def test_more_patterns_than_a_lattice_can_hold():
    a, b = numbers(120, 14, 1)  # 3 to the 14th patterns
    linker = ProbabilisticLinkage(bins=5, m="known")
    links = linker.link(a, b)
    assert links.evaluate().rate > 0.95
    table = np.zeros((120, 120))
    from discreet.linkage.shared.agreement import agreements_on

    for agreement, weight in zip(
        agreements_on("x", a, b, a.schema.names, bins=5), linker.model_.attribute_weights(), strict=True
    ):
        for j, i in np.ndindex(120, 120):
            table[j, i] += weight[twin.state(agreement, i, j)]
    assert links.score == pytest.approx(table.max(axis=1), abs=1e-6)
    assert np.array_equal(links.best, table.argmax(axis=1))
    with pytest.raises(DataError, match="needs all patterns"):
        ProbabilisticLinkage(bins=5, dependence="pairs").link(a, b)
