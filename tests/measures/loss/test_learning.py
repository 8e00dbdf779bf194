from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingExtraError, ParameterError
from discreet.measures.loss.learning import ClassificationLoss, ClusteringLoss

SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("home", Nominal(("own", "rent")), "key"),
        Attribute("sick", Nominal(("no", "yes", "never")), "confidential"),
    ]
)


def table(seed=0, n=200, flip=0.0):
    rng = np.random.default_rng(seed)
    x, home = rng.normal(size=n), rng.integers(0, 2, n)
    sick = (x + 2 * home + rng.normal(size=n) * 0.3 > 1).astype(int)
    sick = np.where(np.random.default_rng(9).random(n) < flip, 1 - sick, sick)
    columns = {"x": x, "home": [("own", "rent")[i] for i in home], "sick": [("no", "yes")[i] for i in sick]}
    return Microdata(pl.DataFrame(columns), SCHEMA)


@pytest.mark.parametrize("model", ["logistic", "naive-bayes", "random-forest"])
def test_an_outcome_turned_round_is_learnt_the_wrong_way(model):
    result = ClassificationLoss("sick", model=model).measure(table(), table(flip=1.0))
    before, after = result.details["accuracy_before"], result.details["accuracy_after"]
    assert before > 80
    assert after == pytest.approx(100 - before, abs=8), "what is right for one is wrong for the other"
    assert result.value == pytest.approx(before - after)
    assert result.details["gain_left"] == 0


def test_a_little_noise_costs_little_and_nothing_costs_nothing():
    measure = ClassificationLoss("sick")
    assert measure.measure(table(), table()).value == 0
    assert measure.measure(table(), table(flip=0.05)).value < 10 < measure.measure(table(), table(flip=0.6)).value


def test_records_without_an_outcome_do_not_count():
    data = table()
    some = data.to_polars().with_columns(sick=pl.when(pl.int_range(200) < 50).then(None).otherwise(pl.col("sick")))
    kept = Microdata(some, SCHEMA)
    result = ClassificationLoss("sick").measure(kept, kept)
    for figure in ("accuracy_before", "accuracy_after", "most_frequent"):
        named = result.details[figure] * 150 / 100
        assert named == pytest.approx(round(named)), "150 of 200 records are counted"
    everything = Microdata(some.with_columns(sick=pl.lit(None, dtype=pl.String)), SCHEMA)
    with pytest.raises(Exception, match="ClassificationLoss: there are too few records"):
        ClassificationLoss("sick").measure(data, everything)


def test_bad_parameters_are_refused():
    for measure in (ClassificationLoss(), ClassificationLoss("sick", ["sick"])):
        with pytest.raises(ParameterError, match="outcome must name"):
            measure.measure(table(), table())


def test_clusters_equal_those_of_k_means():
    before, after = table(1), table(2)
    shown = (("home", "own"), ("home", "rent"), ("sick", "no"), ("sick", "yes"))
    frames = [side.to_polars() for side in (before, after)]
    sides = [np.stack([f["x"], *[(f[name] == level).cast(float) for name, level in shown]], axis=1) for f in frames]
    middle, spread = sides[0].mean(axis=0), sides[0].std(axis=0)
    labels = [KMeans(4, n_init=20, random_state=3).fit_predict((side - middle) / spread) for side in sides]
    result = ClusteringLoss(clusters=4).measure(before, after)
    assert result.details["adjusted_rand"] == pytest.approx(adjusted_rand_score(*labels), abs=0.15)
    assert ClusteringLoss(clusters=4).measure(before, before).value == 0


@pytest.mark.parametrize(
    ("measure", "module"),
    [(ClassificationLoss("sick"), "sklearn.naive_bayes"), (ClusteringLoss(clusters=2), "sklearn.cluster")],
)
def test_without_the_extra_it_says_what_to_install(measure, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    if module == "sklearn.naive_bayes":
        monkeypatch.delattr("sklearn.naive_bayes", raising=False)
    with pytest.raises(MissingExtraError, match=f"{type(measure).__name__} needs the library scikit-learn") as caught:
        measure.measure(table(), table())
    assert "discreet[learn]" in str(caught.value)
