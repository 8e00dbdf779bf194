from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.reference import measures as reference

from discreet import catalogue
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.datasets import business, housing
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.evaluation.score import categorical_score, continuous_score, mean_score, relative_losses, weighted_score
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.measures.loss.category_moves import CategoryDistance
from discreet.measures.loss.category_tables import TableLoss
from discreet.measures.loss.category_uncertainty import EntropyBasedLoss
from discreet.measures.risk.intervals import RankIntervalDisclosure
from discreet.workflow import assess


def m(kind, value, name="m", *, in_score=True, unit="%"):
    return Measurement(name, "", kind, value, 0, 100, unit, "", in_score=in_score)


def test_mean_of_means():
    score = mean_score([m("loss", 10, "a"), m("loss", 20, "b"), m("risk", 5, "c")])
    assert (score.loss, score.risk, score.value) == (15, 5, 10)
    assert score.ingredients == {"a": 10, "b": 20, "c": 5}


def test_what_the_papers_do_not_average_is_left_out():
    others = [m("loss", 90, "d", in_score=False), m("risk", 90, "e", in_score=False)]
    score = mean_score([m("loss", 10, "a"), m("risk", 5, "c"), *others])
    assert (score.loss, score.risk) == (10, 5)
    assert score.ingredients == {"a": 10, "c": 5}


def test_where_nothing_is_marked_the_users_choice_counts():
    score = mean_score([m("loss", 10, "a", in_score=False), m("loss", 20, "b", in_score=False), m("risk", 5, "c")])
    assert score.loss == 15
    assert set(score.ingredients) == {"a", "b", "c"}


def test_a_loss_beyond_the_range_counts_as_ruined():
    assert mean_score([m("loss", 400, "a"), m("risk", 0, "b")]).value == 50
    assert weighted_score([m("loss", 400, "a")], {"a": 1}).value == 100


def test_both_kinds_are_needed():
    with pytest.raises(DataError, match="at least one risk"):
        mean_score([m("loss", 1)])


def test_the_papers_measures_are_marked():
    marked = {name for name, cls in catalogue.measures().items() if cls.in_score and "sequence" not in cls.scales}
    assert {"il1s", "dist", "ctbil", "ebil"} <= marked
    assert {name for name in marked if catalogue.measures()[name].kind == "loss"} == {"il1s", "dist", "ctbil", "ebil"}
    assert all(cls.default for name, cls in catalogue.measures().items() if name in marked)


def test_the_papers_score_averages_the_linkage_rates_and_no_other_risk():
    data = housing(150)
    score = assess(data, PRAM(0.5, random_state=0).mask(data)).papers
    assert score.name == "mean"
    risks = set(score.ingredients) & set(catalogue.measures("risk"))
    assert risks == {"distance-linkage", "probabilistic-linkage"}
    assert set(score.ingredients) - risks == {"il1s", "dist", "ctbil", "ebil"}


def test_a_users_own_score():
    measured = [m("loss", 10, "a"), m("loss", 30, "b"), m("risk", 50, "c"), m("risk", 90, "d")]
    score = weighted_score(measured, {"a": 1, "b": 2, "c": 0.5})
    assert score.value == pytest.approx((10 + 60 + 25) / 3.5)
    assert score.loss == pytest.approx(70 / 3)
    assert score.risk == 50
    assert score.ingredients == {"a": 10, "b": 30, "c": 50}
    assert "b 57 %" in score.sentence


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"x": 1}, "'x' was not measured"),
        ({"a": -1}, "the weight of 'a' must be a number of at least 0"),
        ({"a": True}, "the weight of 'a' must be a number of at least 0"),
        ({"a": 0}, "a weight above 0"),
        ({}, "a weight above 0"),
        ({"bits": 1}, "'bits' is in bits, not in percent"),
    ],
)
def test_weights_that_cannot_be_used(weights, message):
    with pytest.raises(ParameterError, match=message):
        weighted_score([m("loss", 10, "a"), m("loss", 3, "bits", unit="bits")], weights)


def table(numbers):
    names = [f"c{j}" for j in range(numbers.shape[1])]
    schema = Schema(Attribute(name, Numeric(), "key") for name in names)
    return Microdata(pl.DataFrame(dict(zip(names, numbers.T, strict=True))), schema)


@pytest.mark.parametrize("seed", range(3))
def test_relative_losses_equal_their_definitions(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(5, 1, size=(40, 3))
    x[0, 0] = x[1, 0] = 0.0
    y = x + rng.normal(size=(40, 3)) * 0.1
    y[1, 0] = 0.0
    found = relative_losses(table(x), table(y), ["c0", "c1", "c2"])

    def relative(a, b):
        return abs(a - b) / abs(a) if a else float(b != a)

    pairs = [(i, j) for i in range(3) for j in range(i + 1)]
    a, b = x.T.tolist(), y.T.tolist()
    expected = {
        "il1": np.mean([relative(u, v) for u, v in zip(x.ravel(), y.ravel(), strict=True)]),
        "il2": np.mean([relative(reference.mean(u), reference.mean(v)) for u, v in zip(a, b, strict=True)]),
        "il3": np.mean(
            [relative(reference.covariance(a[i], a[j]), reference.covariance(b[i], b[j])) for i, j in pairs]
        ),
        "il4": np.mean(
            [relative(reference.covariance(u, u), reference.covariance(v, v)) for u, v in zip(a, b, strict=True)]
        ),
        "il5": np.mean(
            [abs(reference.correlation(a[i], a[j]) - reference.correlation(b[i], b[j])) for i, j in pairs if i != j]
        ),
    }
    assert found == pytest.approx({name: min(100 * loss, 100) for name, loss in expected.items()})


def linked(original, masked, linker, names):
    method = catalogue.method("linker", linker)(attributes=list(names))
    return 100 * method.link(original, masked).evaluate().rate


def test_the_continuous_score_is_put_together_as_its_formula_says():
    data = business(80)
    masked = MDAV(k=3).mask(data)
    keys = data.schema.keys
    score = continuous_score(data, masked)
    dld, pld = (
        np.mean([linked(data, masked, which, keys[:k]) for k in range(1, 8)]) for which in ("distance", "probabilistic")
    )
    losses = relative_losses(data, masked.microdata, keys)
    disclosed = RankIntervalDisclosure().measure(data, masked).value
    expected = 0.5 * np.mean(list(losses.values())) + 0.125 * dld + 0.125 * pld + 0.25 * disclosed
    assert score.value == pytest.approx(expected)
    assert set(score.ingredients) == {"il1", "il2", "il3", "il4", "il5", "dld", "pld", "id"}
    own = continuous_score(data, masked, known=[list(keys[:2])])
    assert own.ingredients["dld"] == pytest.approx(linked(data, masked, "distance", keys[:2]))
    unmasked = continuous_score(data, data)
    assert unmasked.loss == 0
    assert unmasked.ingredients["id"] == 100


def test_the_categorical_score_is_the_mean_of_loss_and_risk():
    data = housing(150)
    masked = PRAM(0.9, random_state=0).mask(data)
    keys = data.schema.of_scale("ordinal", "nominal", among=data.schema.keys)
    score = categorical_score(data, masked)
    losses = [c().measure(data, masked).value for c in (CategoryDistance, TableLoss, EntropyBasedLoss)]
    risks = [linked(data, masked, which, keys) for which in ("distance", "probabilistic")]
    assert score.loss == pytest.approx(np.mean(losses))
    assert score.risk == pytest.approx(np.mean(risks))
    assert score.value == pytest.approx((np.mean(losses) + np.mean(risks)) / 2)
    assert set(score.ingredients) == {"dist", "ctbil", "ebil", "distance-linkage", "probabilistic-linkage"}


def test_scores_say_which_of_them_fits_the_schema():
    with pytest.raises(SchemaError, match="no numeric key"):
        continuous_score(*[Microdata(pl.DataFrame({"a": [1.5]}), Schema([Attribute("a", Numeric())]))] * 2)
    with pytest.raises(SchemaError, match="no categorical key"):
        categorical_score(business(10), business(10))
