"""Both directions of linkage against the whole table of distances or weights, read by rows and by columns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.engines.memory import MemoryEngine
from discreet.linkage.shared import counted_pairs
from discreet.linkage.shared.agreement import agreements_on
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.sequence_distance import SequenceLinkage
from discreet.linkage.shared.yardstick import prepare
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.recoding.global_recoding import GlobalRecoding

NAMES = ("income", "age", "wealth", "size", "grade", "fuel", "owner")


def files(n=70):
    data = microdata(n)
    released = PRAM(0.4, random_state=3).mask(MDAV(k=3).mask(data).microdata).microdata
    return data, released


def chances(table):
    """The chance of every row to name its own column, where the least entries of the row are tied."""
    least = table <= table.min(axis=1, keepdims=True) + 1e-9
    return np.where(np.diagonal(least), 1 / least.sum(axis=1), 0.0)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "max", "mahalanobis"])
@pytest.mark.parametrize("recoded", [False, True])
def test_distances_are_read_by_rows_and_by_columns(metric, recoded):
    data, released = files()
    names = NAMES
    if recoded:
        released = GlobalRecoding(2, category="rest", attributes=["fuel"]).mask(released).microdata
        names = ("fuel", "size", "grade")
    linker = DistanceLinkage(attributes=names, metric=metric)
    release, original = linker.link_both(data, released)
    terms = prepare("test", data, released, names, metric)
    table = terms.scores(terms.matrix(slice(None)))
    assert release.evaluate().probability == pytest.approx(chances(table))
    assert original.evaluate().probability == pytest.approx(chances(table.T))
    assert release.best.tolist() == linker.link(data, released).best.tolist()
    assert (original.n_a, original.n_b) == (len(released), len(data))


@pytest.mark.parametrize("compared", [False, True])
def test_weights_are_the_same_in_both_directions(compared, monkeypatch):
    data, released = files()
    if compared:
        monkeypatch.setattr(counted_pairs, "MOST_PATTERNS", 1)
    linker = ProbabilisticLinkage(attributes=NAMES)
    release, original = linker.link_both(data, released)
    usual = ProbabilisticLinkage(attributes=NAMES)
    assert release.best.tolist() == usual.link(data, released).best.tolist()
    weights = np.zeros((len(data), len(data)))
    agreements = agreements_on("test", data, released, NAMES)
    for agreement, weight in zip(agreements, linker.model_.attribute_weights(), strict=True):
        weights += weight[agreement.state(agreement.a[None, :], agreement.b[:, None])]
    assert release.evaluate().probability == pytest.approx(chances(-weights))
    assert original.evaluate().probability == pytest.approx(chances(-weights.T))


def test_one_count_serves_several_models():
    data, released = files()
    linker = ProbabilisticLinkage(attributes=NAMES)
    links = linker.link_models([linker.agreement(data, released, name) for name in NAMES], MemoryEngine(1), ("known",))
    for estimator, (release, _) in links.items():
        alone = ProbabilisticLinkage(attributes=NAMES, m=estimator).link(data, released)
        assert release.best.tolist() == alone.best.tolist()
        assert release.score == pytest.approx(alone.score)


def test_pairs_are_looked_at_where_that_is_less_work(monkeypatch):
    data, released = files()
    counted = ProbabilisticLinkage(attributes=NAMES).link(data, released)
    monkeypatch.setattr(counted_pairs, "_SMALL", 0)
    assert counted_pairs.pairs_are_compared(agreements_on("test", data, released, NAMES), len(data), len(data))
    assert ProbabilisticLinkage(attributes=NAMES).link(data, released).evaluate().expected == pytest.approx(
        counted.evaluate().expected
    )


def test_any_linker_goes_both_ways():
    trips = dc.datasets.itineraries(40)
    masked = dc.protect(trips, "sequence-mdav", k=3)
    release, original = SequenceLinkage(attributes=trips.schema.keys).link_both(trips, masked)
    assert release.best.tolist() == SequenceLinkage(attributes=trips.schema.keys).link(trips, masked).best.tolist()
    assert original.n_b == len(trips)
