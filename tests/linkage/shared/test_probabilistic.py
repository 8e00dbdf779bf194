from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.reference import linkage as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing
from discreet.errors import DataError, MissingValueError
from discreet.linkage.assignment import links_from_assignment
from discreet.linkage.record_classes import classes_of_codes
from discreet.linkage.shared.agreement import agreements_on
from discreet.linkage.shared.estimation import Model
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage

NAMES = ["BUILT", "DEGREE", "METRO", "TRAN1", "WHYMOVE", "WHYTON"]


def masked(data, names, rate=0.15, seed=1):
    rng = np.random.default_rng(seed)
    values = {}
    for name in names:
        codes = data.encoded(name)
        drawn = rng.integers(0, len(data.schema[name].scale), len(data)).astype(np.int32)
        values[name] = np.where(rng.random(len(data)) < rate, drawn, codes)
    return data.replacing(values)


@pytest.fixture(scope="module")
def pair():
    data = housing(400)
    return data, masked(data, NAMES)


@pytest.mark.parametrize("parameters", [{}, {"m": "em"}, {"m": "free"}, {"dependence": "pairs"}, {"ordinal_bins": 4}])
def test_links_are_those_of_comparing_all_pairs(pair, parameters):
    a, b = (table.take(np.arange(120)) for table in pair)
    linker = ProbabilisticLinkage(attributes=NAMES[:4], **parameters)
    links = linker.link(a, b)
    agreements = agreements_on("twin", a, b, NAMES[:4], ordinal_bins=parameters.get("ordinal_bins"))
    table = np.round(twin.weight_matrix(agreements, linker.model_.weights()), 9)
    for j, (order, ties) in enumerate(twin.best(-table)):
        assert (links.best[j], links.second[j], links.ties[j]) == (order[0], order[1], len(ties))
        assert links.score[j] == table[j, order[0]]


def test_what_was_learnt_is_told_of_the_model_and_all_pairs(pair):
    linker = ProbabilisticLinkage()
    linker.link(*pair)
    told = linker.diagnosis_
    assert told.model is linker.model_
    assert {row["attribute"] for row in told.table()} == set(linker.model_.names)
    assert told.histogram()[1].sum() == len(pair[0]) * len(pair[1])


def test_term_frequency_adds_what_a_rare_level_is_worth(pair):
    a, b = (table.take(np.arange(100)) for table in pair)
    linker = ProbabilisticLinkage(attributes=NAMES[:3], term_frequency=True)
    links = linker.link(a, b)
    agreements = agreements_on("twin", a, b, NAMES[:3])
    weights = linker.model_.attribute_weights()
    table = np.zeros((100, 100))
    for j, i in np.ndindex(100, 100):
        for agreement, weight, u in zip(agreements, weights, linker.model_.u, strict=True):
            same = agreement.a[i] == agreement.b[j]
            share = (np.sum(agreement.a == agreement.a[i]) + np.sum(agreement.b == agreement.a[i])) / 200
            table[j, i] += weight[1] + np.log2(u[1] / share) if same else weight[0]
    assert links.score == pytest.approx(table.max(axis=1))
    assert all(table[j, links.best[j]] == pytest.approx(table[j].max()) for j in range(100))


def test_known_m_is_the_worst_case_and_anchored_comes_near(pair):
    a, b = pair
    linkers = {m: ProbabilisticLinkage(attributes=NAMES, m=m) for m in ("known", "anchored")}
    found = {m: linker.link(a, b).evaluate().expected for m, linker in linkers.items()}
    assert found["known"] > 250
    assert found["anchored"] > 0.95 * found["known"]


def test_classes_of_links_and_their_probability(pair):
    linker = ProbabilisticLinkage(attributes=NAMES, false_links=1e-4, false_non_links=0.05)
    links = linker.link(*pair)
    upper, lower = linker.thresholds_
    assert np.array_equal(links.decision == 2, links.score >= upper)
    assert np.array_equal(links.decision == 0, links.score <= lower)
    right = links.evaluate().probability
    assert right[links.decision == 2].mean() > right[links.decision == 1].mean()
    assert ((links.probability > 0) & (links.probability <= 1)).all()
    frame = links.to_frame()
    assert set(frame["decision"]) <= {"link", "clerical", "non-link"}


def test_one_to_one_takes_nobody_twice(pair):
    a, b = pair
    links = ProbabilisticLinkage(attributes=NAMES, one_to_one=True).link(a, b)
    assert len(set(links.best.tolist())) == len(a)
    plain = ProbabilisticLinkage(attributes=NAMES).link(a, b)
    assert links.evaluate().expected > plain.evaluate().expected


def test_numbers_agree_on_classes_and_recoded_levels_by_name():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    schema = Schema(Attribute(name, Numeric(), "key") for name in "xyz")
    a = Microdata(pl.DataFrame(x, schema=list("xyz")), schema)
    b = Microdata(pl.DataFrame(x + 0.02 * rng.normal(size=(300, 3)), schema=list("xyz")), schema)
    assert ProbabilisticLinkage(bins=None).link(a, b).evaluate().expected < 5
    assert ProbabilisticLinkage(bins=20).link(a, b).evaluate().expected > 150
    levels = Schema([Attribute("v", Nominal(("p", "q", "r")), "key")])
    merged = Schema([Attribute("v", Nominal(("p", "q or r")), "key")])
    first = Microdata(pl.DataFrame({"v": ["p", "q", "r"]}), levels)
    second = Microdata(pl.DataFrame({"v": ["p", "q or r", "q or r"]}), merged)
    links = ProbabilisticLinkage().link(first, second)
    assert (links.best[0], links.ties[0]) == (0, 1)


def test_bad_input():
    many = Schema(Attribute(f"v{j}", Ordinal((1, 2)), "key") for j in range(21))
    table = Microdata(pl.DataFrame({f"v{j}": [1, 2] for j in range(21)}), many)
    with pytest.raises(DataError, match="21 attributes have too many agreement patterns; at most 20"):
        ProbabilisticLinkage(attributes=table.names).link(table, table)
    one = Schema([Attribute("x", Numeric(), "key")])
    empty = Microdata(pl.DataFrame({"x": [None, None]}, schema={"x": pl.Float64}), one)
    with pytest.raises(MissingValueError, match="column 'x' has no values in the first file"):
        ProbabilisticLinkage().link(empty, empty)
    a = Microdata(pl.DataFrame({"x": [1.0, 2.0]}), Schema([Attribute("x", Numeric(), "key")]))
    with pytest.raises(DataError, match='m="known" needs files of the same records in the same order; got 2 and 1'):
        ProbabilisticLinkage(m="known").link(a, a.take([0]))
    large = Microdata(pl.DataFrame({"x": np.arange(50_001.0)}), Schema([Attribute("x", Numeric(), "key")]))
    with pytest.raises(DataError, match="one-to-one links look at all pairs"):
        ProbabilisticLinkage(one_to_one=True).link(large, large)


def test_of_too_many_keys_those_are_used_that_tell_most_and_named():
    rng = np.random.default_rng(4)
    frame = {f"dull{j}": rng.choice([1, 2], 50, p=[0.9, 0.1]) for j in range(5)}
    frame |= {f"v{j}": rng.integers(1, 5, 50) for j in range(20)}
    many = Schema(Attribute(name, Ordinal((1, 2, 3, 4)), "key") for name in frame)
    table = Microdata(pl.DataFrame(frame), many)
    telling = tuple(f"v{j}" for j in range(20))
    links = ProbabilisticLinkage().link(table, table)
    assert links.attributes == telling
    assert links.best.tolist() == ProbabilisticLinkage(attributes=telling).link(table, table).best.tolist()
    assert [one.attributes for one in ProbabilisticLinkage().link_both(table, table)] == [telling, telling]


def test_of_few_keys_those_that_are_spelled_are_always_used(monkeypatch):
    monkeypatch.setattr("discreet.linkage.shared.probabilistic.MOST_ATTRIBUTES", 2)
    schema = Schema([Attribute("dull", Nominal("ab"), "key"), Attribute("name", Nominal(["anna", "otto"]), "key"),
                     Attribute("town", Nominal("uvwx"), "key")])  # fmt: skip
    frame = {"dull": ["a", "a", "a", "b"], "name": ["anna", "anna", "otto", "otto"], "town": ["u", "v", "w", "x"]}
    table = Microdata(pl.DataFrame(frame), schema)
    assert ProbabilisticLinkage().link(table, table).attributes == ("name", "town")
    dull = ProbabilisticLinkage(similarity=["dull"])
    assert dull.link(table, table).attributes == ("dull", "town")
    assert ProbabilisticLinkage(similarity=["dull", "name"]).link(table, table).attributes == ("dull", "name")
    # Whom somebody names, he gets, however many.
    assert ProbabilisticLinkage(attributes=["dull", "name", "town"]).link(table, table).attributes == table.names
    with pytest.raises(DataError, match="similarity speaks of 'job', which is not among the attributes"):
        ProbabilisticLinkage(similarity=["dull", "job"]).link(table, table)


@pytest.mark.parametrize("dependence", ["independent", "pairs"])
def test_one_to_one_links_have_the_greatest_sum_of_weights(pair, dependence):
    a, b = (table.take(np.arange(25)) for table in pair)
    linker = ProbabilisticLinkage(attributes=NAMES[:3], dependence=dependence, one_to_one=True)
    links = linker.link(a, b)
    weights = twin.weight_matrix(agreements_on("twin", a, b, NAMES[:3]), linker.model_.weights())
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-weights)
    assert links.score == pytest.approx(weights[np.arange(25), links.best])
    assert links.score.sum() == pytest.approx(weights[rows, columns].sum())
    assert links.higher_is_better
    assert (links.second_score == -np.inf).all()


def test_decisions_probabilities_and_evidence_follow_from_the_model(pair):
    a, b = (table.take(np.arange(60)) for table in pair)
    linker = ProbabilisticLinkage(attributes=NAMES[:3], false_non_links=0.2)
    links = linker.link(a, b)
    model = linker.model_
    # By default, one false link in twenty files is accepted.
    usual = ProbabilisticLinkage(attributes=NAMES[:3], false_links=0.05 / 60, false_non_links=0.2)
    usual.link(a, b)
    assert usual.thresholds_ == linker.thresholds_
    assert model.prior == pytest.approx(1 / 60)
    odds = 2.0**links.score / 59
    assert links.probability == pytest.approx(odds / (1 + odds))
    upper, lower = linker.thresholds_
    expected = [2 if score >= upper else 0 if score <= lower else 1 for score in links.score]
    assert links.decision.tolist() == expected
    for one, name, weight in zip(links.evidence, NAMES, model.attribute_weights(), strict=False):
        assert (one.name, one.agreement, one.disagreement) == (name, weight[-1], weight.min())
    assert len(links.evidence) == 3


def test_who_has_no_candidate_is_no_link():
    linker = ProbabilisticLinkage()
    model = Model(("x",), (np.array([0.1, 0.9]),), (np.array([0.9, 0.1]),), 0.5, (False,))
    links = links_from_assignment(
        np.array([0, -1, 1]), np.array([3.0, 5.0, -9.0]), classes_of_codes([np.array([0, 1])]), ("x",), "made"
    )
    classed = linker._classed(links, model, (3.0, -9.0))
    assert classed.decision.tolist() == [2, 0, 0]
    assert classed.probability == pytest.approx([8 / 9, 32 / 33, 1 / 513])
    assert linker.thresholds_ == (3.0, -9.0)
    assert linker._classed(links, model, (3.5, -9.5)).decision.tolist() == [1, 0, 1]


def test_dependent_attributes_need_all_patterns(pair, monkeypatch):
    monkeypatch.setattr("discreet.linkage.shared.counted_pairs.MOST_PATTERNS", 7)
    with pytest.raises(DataError, match='ProbabilisticLinkage: dependence="pairs" needs all patterns'):
        ProbabilisticLinkage(attributes=NAMES[:3], dependence="pairs").link(*pair)
    ProbabilisticLinkage(attributes=NAMES[:2], dependence="pairs").link(*pair)


def test_term_frequency_takes_so_many_levels(pair, monkeypatch):
    linker = ProbabilisticLinkage(attributes=NAMES[:1], term_frequency=True)
    size = agreements_on("twin", *pair, NAMES[:1])[0].size
    monkeypatch.setattr("discreet.linkage.shared.probabilistic._MOST_CODES", size)
    linker.link(*pair)
    monkeypatch.setattr("discreet.linkage.shared.probabilistic._MOST_CODES", size - 1)
    with pytest.raises(DataError, match=f"attribute 'BUILT' has {size} different values; term_frequency takes up to"):
        linker.link(*pair)
