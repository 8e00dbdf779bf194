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
from discreet.linkage.shared.pair_by_pair import best_by_comparison, compare_patterns
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.progress import listening


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


def test_levels_that_need_more_bits_than_a_pair_has_are_refused():
    codes = np.array([0, 1, 2])
    coarse = [np.array([0, 0, 1]), np.array([0, 0, 1])]
    # Four states take two bits, two states one: 31 attributes of the first kind are as many as fit.
    four, two = nested("v", codes, codes, coarse), equality("w", codes, codes)
    classes = classes_of_codes([codes])
    full = compare_patterns([four] * 31, classes, classes, InProcess())
    assert full.states.tolist() == [[0] * 31, [2] * 31, [3] * 31]
    assert (full.between.tolist(), full.within.tolist(), full.own.tolist()) == ([4, 2, 3], [4, 2, 0], [0, 0, 3])
    with pytest.raises(DataError, match="The levels of 32 attributes need 63 bits a pair; at most 62 can be used"):
        compare_patterns([*[four] * 31, two], classes, classes, InProcess())


def test_a_list_of_patterns_says_how_many_there_are():
    agreements = problem(3)
    found = listed(agreements)
    assert repr(found) == f"PatternList({len(found.states)} patterns of 80 × 60 pairs)"
    assert (found.names, found.shape) == (("v0", "v1", "v2", "v3", "v4"), (4, 4, 3, 3, 3))


def test_what_is_compared_is_told_wave_by_wave(monkeypatch):
    monkeypatch.setattr(pair_by_pair, "_MOST_TABULATED", 0)
    monkeypatch.setattr(pair_by_pair, "_PAIRS", 40)
    monkeypatch.setattr(pair_by_pair, "_WAVE", 2)
    a, b = np.arange(10), np.arange(5, 25)
    agreement = equality("v", a, b)
    first, second = classes_of_codes([a]), classes_of_codes([b])
    told = []
    with listening(lambda *report: told.append(report)):
        counts = compare_patterns([agreement], first, second, InProcess())
        arrays, tied, order = best_by_comparison([agreement], [np.array([-1.0, 2.5])], first, second, InProcess())
    # Four records at a time: the second file has five such blocks, the first has three.
    assert told == [
        ("comparing the files", 2, 5), ("comparing the files", 4, 5), ("comparing the files", 5, 5),
        ("comparing the first file", 2, 3), ("comparing the first file", 3, 3),
        ("linking", 2, 5), ("linking", 4, 5), ("linking", 5, 5),
    ]  # fmt: skip
    assert (counts.between.tolist(), counts.within.tolist(), counts.own.tolist()) == ([195, 5], [90, 0], [0, 10])
    best, cost, other, other_cost, classes = arrays
    assert best.tolist() == [5, 6, 7, 8, 9, *[0] * 15]
    assert cost.tolist() == [-2.5] * 5 + [1.0] * 15
    assert other.tolist() == [0] * 5 + [1] * 15
    assert (other_cost.tolist(), classes.tolist()) == ([1.0] * 20, [1] * 5 + [10] * 15)
    assert (order.tolist(), [part.size for part in tied]) == (list(range(20)), [4, 31, 40, 40, 40])


def test_the_only_record_has_no_second():
    agreement = equality("v", np.array([3]), np.array([3, 1]))
    first, second = classes_of_codes([agreement.a]), classes_of_codes([agreement.b])
    arrays, *_ = best_by_comparison([agreement], [np.array([0.0, 1.0])], first, second, InProcess())
    assert [array.tolist() for array in arrays] == [[0, 0], [-1.0, 0.0], [-1, -1], [np.inf, np.inf], [1, 1]]
