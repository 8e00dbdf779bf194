"""Distances that are equal but for rounding are ties, and no others are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.kernels.linking.nearest_list import enter, tied_up_to
from discreet.linkage.shared import number_search
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.unshared import hub_search
from discreet.masking.microaggregation.numbers.mdav import MDAV


def numbers(x):
    schema = Schema(Attribute(f"v{j}", Numeric(), "key") for j in range(x.shape[1]))
    return Microdata(pl.DataFrame({f"v{j}": x[:, j] for j in range(x.shape[1])}), schema)


def means_of_pairs(n, dims, offset, seed=0):
    """A file of lognormals, its release as means of pairs, and the mate of every record."""
    x = np.random.default_rng(seed).lognormal(size=(n, dims)) * np.logspace(0, 3, dims) + offset
    released = MDAV(k=2, decimals="exact").mask(numbers(x)).microdata
    y = released.numeric(released.schema.names)
    _, group = np.unique(y, axis=0, return_inverse=True)
    group = group.ravel()
    mate = np.array([np.flatnonzero((group == group[i]) & (np.arange(n) != i))[0] for i in range(n)])
    return numbers(x), released, mate


def tied_with(links, j):
    tied = links.tied[links.tied_offsets[j] : links.tied_offsets[j + 1]]
    return set(np.flatnonzero(np.isin(links.classes, tied)).tolist())


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis", "manhattan", "max"])
@pytest.mark.parametrize("offset", [0.0, -1e3, 1e9])
@pytest.mark.parametrize("dims", [1, 2, 5])
def test_the_mean_of_a_pair_is_as_far_from_both(dims, offset, metric):
    a, b, mate = means_of_pairs(300, dims, offset)
    release, original = DistanceLinkage(metric=metric).link_both(a, b)
    own = np.array([release.best[j] in (j, mate[j]) for j in range(300)])
    assert own.mean() > 0.8, "few means have a stranger as their nearest"
    assert all(tied_with(release, j) == {j, mate[j]} for j in np.flatnonzero(own))
    assert (release.ties >= 2).mean() >= 0.99 * own.mean()
    assert (original.ties == 2).all()
    assert release.evaluate().probability[own] == pytest.approx(0.5)
    assert release.evaluate().probability[~own] == pytest.approx(0.0)
    shared = release.ties > 1
    assert (release.second_score[shared] == release.score[shared]).all()
    assert (release.best[shared] < release.second[shared]).all()


def test_in_one_dimension_ties_are_those_of_exact_numbers():
    a, b, _ = means_of_pairs(120, 1, 7.0)
    x, y = a.numeric(a.schema.names)[:, 0], b.numeric(b.schema.names)[:, 0]
    links = DistanceLinkage().link(a, b)
    for j in range(120):
        # A mean is off by half a unit in its last place.
        gaps = [abs(Fraction(float(u)) - Fraction(float(y[j]))) for u in x]
        near = min(gaps) + Fraction(float(np.spacing(y[j])))
        assert tied_with(links, j) == {i for i in range(120) if gaps[i] <= near}


@pytest.mark.parametrize("weights", [None, {"v0": 0.3, "v1": 7.0}])
def test_weights_do_not_untie(weights):
    a, b, mate = means_of_pairs(200, 3, 50.0, seed=3)
    links = DistanceLinkage(weights=weights).link(a, b)
    own = [j for j in range(200) if links.best[j] in (j, mate[j])]
    assert len(own) > 100
    assert all(tied_with(links, j) == {j, mate[j]} for j in own)


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis", "manhattan", "max"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_continuous_numbers_are_not_tied(offset, metric):
    rng = np.random.default_rng(5)
    x = rng.lognormal(size=(3000, 3)) + offset
    links = DistanceLinkage(metric=metric).link(numbers(x), numbers(x + 0.05 * rng.normal(size=x.shape)))
    assert (links.ties == 1).all()
    assert (links.score < links.second_score).all()


def test_what_is_met_exactly_is_not_tied_with_its_neighbour_in_the_last_place():
    x = np.array([[1.0], [np.nextafter(1.0, 2.0)], [3.0]])
    links = DistanceLinkage().link(numbers(x), numbers(x))
    assert links.ties.tolist() == [1, 1, 1]
    assert links.best.tolist() == [0, 1, 2]


def test_rough_distances_first_or_not(monkeypatch):
    a, b, _ = means_of_pairs(400, 4, 1e4, seed=1)
    usual = DistanceLinkage().link(a, b)
    monkeypatch.setattr(number_search, "_MOST_ROUGH", -1.0)
    plain = DistanceLinkage().link(a, b)
    assert usual.ties.tolist() == plain.ties.tolist()
    assert usual.best.tolist() == plain.best.tolist()
    assert usual.second.tolist() == plain.second.tolist()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_levels_whose_terms_are_added_in_another_sequence(metric):
    # 1/10 + 2/10 + 3/10 in any sequence is one distance, though not one sum of floats.
    steps = [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (4, 3, 3)]
    schema = Schema(Attribute(f"v{j}", Ordinal(tuple(range(10))), "key") for j in range(3))

    def file(rows):
        return Microdata(pl.DataFrame(rows, schema=["v0", "v1", "v2"], orient="row"), schema)

    assert DistanceLinkage(metric=metric).link(file(steps), file([(0, 0, 0)])).ties.tolist() == [6]
    mixed = Schema([*schema, Attribute("x", Numeric(), "key")])

    def with_number(rows):
        table = pl.DataFrame([(*row, 1.5) for row in rows], schema=["v0", "v1", "v2", "x"], orient="row")
        return Microdata(table, mixed)

    links = DistanceLinkage(metric=metric).link(with_number(steps), with_number([(0, 0, 0)]))
    assert links.ties.tolist() == [6]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("hubness", [0, 3])
def test_all_pairs_of_points(metric, hubness):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(100, 4)).repeat(2, axis=0) + 0.1 * rng.normal(size=(200, 4))
    y = x.reshape(100, 2, 4).mean(axis=1)
    found = hub_search.search(x, y, metric, 0, InProcess())
    own = np.flatnonzero(found.best // 2 == np.arange(100))
    assert own.size > 90
    assert found.ties[own].tolist() == [2] * own.size
    assert (found.second[own] == found.best[own] + 1).all()
    again = hub_search.search(x, rng.normal(size=(50, 4)), metric, hubness, InProcess())
    assert again.ties.tolist() == [1] * 50


def test_a_list_of_the_nearest_does_not_depend_on_the_sequence():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sums = 1.0 + rng.integers(0, 4, 12) * 1e-13 + rng.integers(0, 2, 12)
        near, who = np.full(4, np.inf), np.array([-1, 0])
        mine, kept = np.empty(12, dtype=np.int64), np.empty(12)
        for c in rng.permutation(12):
            if sums[c] <= near[2]:
                enter(c, sums[c], False, 0.0, False, True, near, who, mine, kept)
        ((order, ties),) = twin.best(sums[None, :], [0.0])
        assert sorted(mine[: who[1]].tolist()) == ties
        assert near[0] == sums.min()
        if len(ties) == 1:
            assert (who[0], near[1]) == (order[1], sums[order[1]])


def test_the_limit_of_a_tie():
    assert tied_up_to(0.0, 0.1, True) == 0.0
    assert tied_up_to(np.inf, 0.1, True) == np.inf
    assert tied_up_to(4.0, 0.5, True) == pytest.approx(6.25)
    assert tied_up_to(4.0, 0.5, False) == pytest.approx(4.5)
    assert 4.0 < tied_up_to(4.0, 0.0, True) < 4.0 + 1e-11


def test_a_nominal_scale_and_numbers():
    x = np.random.default_rng(6).lognormal(size=100)
    mean = x.reshape(50, 2).mean(axis=1).repeat(2)
    level = np.repeat(["a", "b"], 50)
    schema = Schema([Attribute("c", Nominal(("a", "b")), "key"), Attribute("x", Numeric(), "key")])
    a, b = (Microdata(pl.DataFrame({"c": level, "x": v}), schema) for v in (x, mean))
    links = DistanceLinkage().link(a, b)
    own = links.best // 2 == np.arange(100) // 2
    assert own.any()
    assert (links.ties[own] == 2).all()
