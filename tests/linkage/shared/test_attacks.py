"""Attacks that know the masking, attacks together, and attacks within blocks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.linkage.shared.test_probabilistic import NAMES, masked

from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing
from discreet.errors import DataError, SchemaError
from discreet.linkage.combined import combine
from discreet.linkage.shared.blocking import BlockedLinkage
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.masking_aware import MaskingAwareLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.yardstick import prepare
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.perturbing.pram import PRAM

NUMBERS = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])


def released(microdata, method="made", **fields):
    names = tuple(microdata.schema.keys)
    return Masked(microdata, Provenance(method, {}, names, len(microdata), **fields))


def test_what_the_masking_cannot_do_is_infinitely_far():
    schema = Schema([Attribute("v", Nominal(("p", "q", "r")), "key"), Attribute("w", Nominal(("s", "t")), "key")])
    a = Microdata(pl.DataFrame({"v": ["p", "q", "r"], "w": ["s", "t", "s"]}), schema)
    b = Microdata(pl.DataFrame({"v": ["q", "q", "r"], "w": ["s", "t", "t"]}), schema)
    possible = np.array([[True, True, False], [False, True, False], [False, False, True]])
    links = MaskingAwareLinkage().link(a, released(b, transitions={"v": possible}))
    # The first release can come from p or q; q differs on w. The third can only come from r.
    assert links.best.tolist() == [0, 1, 2]
    assert links.ties.tolist() == [2, 1, 1]
    nobody = MaskingAwareLinkage().link(a, released(b, transitions={"v": np.zeros((3, 3), dtype=bool)}))
    assert nobody.best.tolist() == [-1, -1, -1]
    assert nobody.evaluate().expected == 0


def test_knowing_the_transitions_finds_clearly_more():
    data = housing(500)
    rng = np.random.default_rng(0)
    values, transitions = {}, {}
    for name in NAMES:
        size = len(data.schema[name].scale)
        possible = np.eye(size, dtype=bool) | np.eye(size, k=1, dtype=bool)
        codes = data.encoded(name)
        values[name] = np.where(rng.random(500) < 0.4, np.minimum(codes + 1, size - 1), codes).astype(np.int32)
        transitions[name] = possible
    release = released(data.replacing(values), transitions=transitions)
    plain = DistanceLinkage(attributes=NAMES).link(data, release).evaluate()
    aware = MaskingAwareLinkage(attributes=NAMES).link(data, release).evaluate()
    assert aware.expected > 1.1 * plain.expected
    terms = prepare("test", data, release.microdata, tuple(NAMES), possible=transitions)
    assert np.isfinite(terms.matrix(slice(None)).diagonal()).all(), "the true pair is always possible"


def swapped(x, window, rng):
    order = np.argsort(x)
    moved = order.copy()
    for start in range(0, x.size - window, 2 * window):
        moved[start : start + window], moved[start + window : start + 2 * window] = (
            order[start + window : start + 2 * window],
            order[start : start + window],
        )
    result = np.empty_like(x)
    result[order] = x[moved]
    return result


def test_a_rank_swapping_is_searched_within_its_window():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 5))
    names = [f"v{j}" for j in range(5)]
    schema = Schema(Attribute(name, Numeric(), "key") for name in names)
    y = np.stack([swapped(x[:, j], 60, rng) for j in range(5)], axis=1)
    a = Microdata(pl.DataFrame(x, schema=names), schema)
    b = Microdata(pl.DataFrame(y, schema=names), schema)
    release = released(b, "rank-swapping", details={"window": dict.fromkeys(names, 60)})
    plain = DistanceLinkage().link(a, release).evaluate()
    aware = MaskingAwareLinkage().link(a, release)
    assert aware.evaluate().expected > plain.expected
    assert np.array_equal(aware.best, MaskingAwareLinkage(p=10).link(a, b).best)
    ranks = np.argsort(np.argsort(x, axis=0), axis=0)
    of_release = np.stack([np.searchsorted(np.sort(x[:, j]), y[:, j]) for j in range(5)], axis=1)
    possible = (np.abs(ranks[None] - of_release[:, None]) <= 60).all(axis=2)
    terms = ((x[None] - y[:, None]) / x.std(axis=0)) ** 2
    table = np.where(possible, terms.sum(axis=2), np.inf)
    assert np.array_equal(aware.best, table.argmin(axis=1))
    assert possible[np.arange(600), np.arange(600)].all()


def test_a_microaggregation_is_searched_within_its_groups():
    x = np.array([0.0, 0.1, 5.0, 5.2, 9.0, 9.4])
    labels = np.repeat([0, 1, 2], 2)
    centres = np.array([x[labels == g].mean() for g in range(3)])[labels]
    y = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    a = Microdata(pl.DataFrame({"x": x, "y": y}), NUMBERS)
    b = Microdata(pl.DataFrame({"x": centres, "y": y + 0.9}), NUMBERS)
    release = Masked(b, Provenance("mdav", {}, ("x", "y"), 6, labels=labels, grouped=("x",)))
    links = MaskingAwareLinkage().link(a, release)
    assert (labels[links.best] == labels).all()


@pytest.mark.parametrize(("k", "blocks", "least"), [(5, 2, 1.0), (10, 3, 1.05), (20, 3, 1.15)])
def test_a_real_microaggregation_by_blocks_is_attacked_better_with_its_provenance(k, blocks, least):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 7)) + 0.7 * rng.normal(size=(600, 1))
    names = [f"v{j}" for j in range(7)]
    data = Microdata(pl.DataFrame(x, schema=names), Schema(Attribute(name, Numeric(), "key") for name in names))
    release = MDAV(k, blocks=blocks).mask(data)
    plain = DistanceLinkage().link(data, release).evaluate().expected
    aware = MaskingAwareLinkage().link(data, release).evaluate().expected
    assert aware >= least * plain
    part = names[:5]  # a block that is known in part does not mislead
    plain = DistanceLinkage(attributes=part).link(data, release).evaluate().expected
    assert MaskingAwareLinkage(attributes=part).link(data, release).evaluate().expected > 0.95 * plain


def test_a_real_categorical_microaggregation_is_attacked_better_with_its_provenance():
    data = housing(500)
    release = KModes(6, n_vars=3, attributes=NAMES, random_state=0).mask(data)
    plain = DistanceLinkage(attributes=NAMES).link(data, release).evaluate().expected
    aware = MaskingAwareLinkage(attributes=NAMES).link(data, release).evaluate().expected
    assert aware > 1.05 * plain


def test_of_a_pram_the_likeliest_original_is_found():
    data = housing(300)
    names = NAMES[:4]
    release = PRAM(0.9, design="uniform", attributes=names[:3], random_state=0).mask(data)
    linker = MaskingAwareLinkage(attributes=names)
    links = linker.link(data, release)
    likelihood = np.ones((300, 300))
    for name in names[:3]:
        matrix = np.array(release.provenance.details["matrices"][name])
        likelihood *= matrix[data.encoded(name)[None, :], release.microdata.encoded(name)[:, None]]
    # The fourth attribute was left alone.
    likelihood *= data.encoded(names[3])[None, :] == release.microdata.encoded(names[3])[:, None]
    assert links.score == pytest.approx(-np.log(likelihood.max(axis=1)), abs=1e-6)
    best = np.isclose(likelihood, likelihood.max(axis=1, keepdims=True), rtol=1e-6)
    assert np.array_equal(links.ties, best.sum(axis=1))
    plain = DistanceLinkage(attributes=names).link(data, release).evaluate().expected
    assert links.evaluate().expected > 1.1 * plain
    together = MaskingAwareLinkage(attributes=names, one_to_one=True).link(data, release)
    taken = together.best[together.best >= 0]
    assert len(set(taken.tolist())) == taken.size


def test_attacks_together_find_more_than_each():
    data = housing(500)
    release = masked(data, NAMES, 0.25)
    links = [linker(attributes=NAMES).link(data, release) for linker in (DistanceLinkage, ProbabilisticLinkage)]
    union = combine(links)
    assert union.expected > max(union.each.values())
    assert union.both < min(union.each.values())
    assert list(union.each) == ["distance", "probabilistic"]
    assert union.frequency == pytest.approx(np.mean([one.evaluate().probability for one in links], axis=0))
    assert combine([links[0], links[0]]).each.keys() == {"distance", "distance 2"}
    assert "of 500" in repr(union)
    with pytest.raises(DataError, match="at least one attack"):
        combine([])


def test_blocks_are_linked_apart():
    data = housing(300)
    release = masked(data, NAMES)
    names = [*NAMES, "SCH"]
    blocked = BlockedLinkage(by=["SCH"], attributes=names).link(data, release)
    school = data.encoded("SCH")
    assert (school[blocked.best] == school).all()
    whole = DistanceLinkage(attributes=names).link(data, release)
    assert (blocked.score[whole.best == blocked.best] <= whole.score[whole.best == blocked.best]).all()
    by_weight = BlockedLinkage(by=["SCH"], attributes=names, linker=ProbabilisticLinkage(m="em")).link(data, release)
    assert by_weight.higher_is_better
    with pytest.raises(SchemaError, match="there is no attribute 'nowhere' in both files to block by"):
        BlockedLinkage(by=["nowhere"], attributes=NAMES).link(data, release)


def test_a_block_that_the_first_file_lacks_has_no_link():
    schema = Schema([Attribute("t", Nominal(("u", "v")), "key"), Attribute("x", Numeric(), "key")])
    a = Microdata(pl.DataFrame({"t": ["u", "u"], "x": [1.0, 2.0]}), schema)
    b = Microdata(pl.DataFrame({"t": ["u", "v"], "x": [1.0, 2.0]}), schema)
    links = BlockedLinkage(by=["t"]).link(a, b)
    assert links.best.tolist() == [0, -1]
    assert links.evaluate().expected == 1
