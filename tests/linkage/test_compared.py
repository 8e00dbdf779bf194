"""Pairs compared one by one, against the lattice and against plain loops."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.reference import linkage as twin

from discreet.base import InProcess
from discreet.engines.local import LocalEngine
from discreet.errors import DataError
from discreet.linkage import compared, probabilistic
from discreet.linkage.compared import compare_patterns, distinct_codes
from discreet.linkage.estimation import ESTIMATORS, estimate
from discreet.linkage.patterns import count_patterns, equality, nested
from discreet.linkage.probabilistic import ProbabilisticLinkage
from discreet.microdata import Microdata
from discreet.scales import Numeric
from discreet.schema import Attribute, Schema


def problem(seed, n_a=80, n_b=60, missing="ignore"):
    rng = np.random.default_rng(seed)
    coarse = np.arange(12) // 4
    chains = []
    for j in range(5):
        a = rng.integers(-1 if j % 2 else 0, 12 if j < 2 else 4, n_a)
        b = np.where(rng.random(n_b) < 0.3, rng.integers(-1, 4, n_b), np.resize(a, n_b))
        chains.append(nested(f"v{j}", a, b, [coarse], missing) if j < 2 else equality(f"v{j}", a, b, missing))
    return chains


def listed(chains, engine=None):
    first, second = distinct_codes([c.a for c in chains]), distinct_codes([c.b for c in chains])
    return compare_patterns(chains, first, second, engine or InProcess())


@pytest.mark.parametrize("missing", ["ignore", "disagree", "agree"])
@pytest.mark.parametrize("pairs", [50, 1 << 25])
def test_patterns_are_those_of_the_lattice(missing, pairs, monkeypatch):
    monkeypatch.setattr(compared, "_PAIRS", pairs)
    monkeypatch.setattr(compared, "_FIRST_BITS", 4)  # so that the table has to grow
    chains = problem(3, missing=missing)
    dense = count_patterns(chains, InProcess())
    sparse = listed(chains, LocalEngine(workers=2))
    for name in ("between", "within", "own"):
        full = np.zeros(dense.shape, dtype=np.int64)
        full[tuple(sparse.states.T)] = getattr(sparse, name)
        assert np.array_equal(full, getattr(dense, name)), name


@pytest.mark.parametrize("how", ESTIMATORS)
def test_estimates_do_not_depend_on_how_pairs_were_counted(how):
    chains = problem(5, n_a=100, n_b=100)
    one, other = (estimate(counts, chains, how) for counts in (count_patterns(chains, InProcess()), listed(chains)))
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
    monkeypatch.setattr(probabilistic, "MOST_PATTERNS", 1)
    pairwise = linker.link(a, b, engine=LocalEngine(workers=2))
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
    from discreet.linkage.comparison import chains_of

    for chain, weight in zip(
        chains_of("x", a, b, a.schema.names, bins=5), linker.model_.attribute_weights(), strict=True
    ):
        for j, i in np.ndindex(120, 120):
            table[j, i] += weight[twin.state(chain, i, j)]
    assert links.score == pytest.approx(table.max(axis=1), abs=1e-6)
    assert np.array_equal(links.best, table.argmax(axis=1))
    with pytest.raises(DataError, match="needs all patterns"):
        ProbabilisticLinkage(bins=5, dependence="pairs").link(a, b)
