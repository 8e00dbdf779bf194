from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.naive_bayes import GaussianNB

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, MissingExtraError, ParameterError, UnknownNameError
from discreet.measures.loss.learning import ClassificationLoss, ClusteringLoss
from discreet.measures.record_draws import record_draws

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


def classified(before, after, outcome, predictors, folds, seed):
    """Accuracies of naive Bayes, part by part: of the original, of the release, of the most frequent class."""
    names = tuple(name for name in before.names if name in (outcome, *predictors))
    draws = record_draws(Pair(before, after, names, None, InProcess()), names, seed)
    parts = [min(int(draw * folds), folds - 1) for draw in draws]
    classes = []
    middle = np.nanmedian(before.encoded("x"))
    for side in (before, after):
        column = side.encoded(outcome)
        codes = np.where(np.isnan(column), -1, column > middle) if outcome == "x" else column
        classes.append(np.asarray(codes, dtype=int))
    shown = {"home": ("own", "rent"), "sick": ("no", "yes")}
    features = []
    for side in (before, after):
        frame, columns = side.to_polars(), []
        for name in names:
            if name == "x" and name != outcome:
                columns.append(np.nan_to_num(side.encoded("x"), nan=float(np.nanmean(side.encoded("x")))))
            elif name != outcome:
                columns += [
                    (frame[name] == level).fill_null(value=False).cast(float).to_numpy() for level in shown[name]
                ]
                if any(one.to_polars()[name].null_count() for one in (before, after)):
                    columns.append(frame[name].is_null().cast(float).to_numpy())
        features.append(np.stack(columns, axis=1))
    right, usual, counted = [0, 0], 0, 0
    for part in range(folds):
        tested = [i for i in np.argsort(draws) if parts[i] == part and classes[0][i] >= 0]
        for side in (0, 1):
            trained = [i for i in np.argsort(draws) if parts[i] != part and classes[side][i] >= 0]
            known, truth = features[side][trained], classes[side][trained]
            centre, scale = known.mean(axis=0), known.std(axis=0)
            scale[scale == 0] = 1
            model = GaussianNB().fit((known - centre) / scale, truth)
            right[side] += int((model.predict((features[0][tested] - centre) / scale) == classes[0][tested]).sum())
            if side == 0:
                usual += int((classes[0][tested] == np.bincount(truth).argmax()).sum())
        counted += len(tested)
    return 100 * right[0] / counted, 100 * right[1] / counted, 100 * usual / counted


def with_holes(data, seed):
    rng = np.random.default_rng(seed)
    frame = data.to_polars()
    holes = {n: pl.when(pl.Series(rng.random(len(frame)) < 0.1)).then(None).otherwise(pl.col(n)) for n in frame.columns}
    return Microdata(frame.with_columns(**holes), SCHEMA)


@pytest.mark.parametrize(("outcome", "predictors"), [("sick", ["x", "home"]), ("x", ["sick", "home"]), ("sick", ["x"])])
@pytest.mark.parametrize(("folds", "seed"), [(3, 0), (4, 7)])
@pytest.mark.parametrize("holes", [False, True])
def test_accuracies_are_those_of_models_trained_part_by_part(outcome, predictors, folds, seed, holes):
    before, after = table(3, n=90), table(4, n=90)
    if holes:
        before, after = with_holes(before, 1), with_holes(after, 2)
    measure = ClassificationLoss(outcome, predictors, model="naive-bayes", folds=folds, random_state=seed)
    result = measure.measure(before, after)
    first, second, base = classified(before, after, outcome, predictors, folds, seed)
    left = min(max(100 * (second - base) / (first - base), 0), 100) if first > base else None
    assert result.details == {
        "accuracy_before": pytest.approx(first), "accuracy_after": pytest.approx(second),
        "most_frequent": pytest.approx(base), "gain_left": None if left is None else pytest.approx(left),
    }  # fmt: skip
    assert result.value == pytest.approx(max(first - second, 0))
    assert result.sentence == (
        f"A classifier trained on the release names {second:.1f} % of original records rightly, one trained on the "
        f"original {first:.1f} %, and always naming the most frequent level {base:.1f} %."
    )


def test_an_outcome_that_never_varies_is_always_named():
    data = table(n=40)
    same = Microdata(data.to_polars().with_columns(sick=pl.lit("yes")), SCHEMA)
    result = ClassificationLoss("sick").measure(same, same)
    assert result.value == 0
    assert result.details == {
        "accuracy_before": 100, "accuracy_after": 100, "most_frequent": 100, "gain_left": None,
    }  # fmt: skip


def test_outcomes_and_predictors_must_be_there():
    data = table(n=40)
    nothing = Microdata(data.to_polars().with_columns(x=pl.lit(None, dtype=pl.Float64)), SCHEMA)
    with pytest.raises(DataError, match=r"^ClassificationLoss: column 'x' has no value in the original\."):
        ClassificationLoss("x").measure(nothing, data)
    silent = Microdata(data.to_polars().with_columns(sick=pl.lit(None, dtype=pl.String)), SCHEMA)
    with pytest.raises(DataError, match="ClassificationLoss: there are too few records with an outcome to train on"):
        ClassificationLoss("sick").measure(silent, data)
    alone = Schema([SCHEMA["x"]])
    only = Microdata(data.to_polars().select("x"), alone)
    with pytest.raises(ParameterError, match="'x' must be a released attribute with one value"):
        ClassificationLoss("x").measure(only, only)
    measure = ClassificationLoss("sick", ["x"])
    assert measure.columns_for(SCHEMA) == ("x", "sick")
    assert ClassificationLoss("sick").columns_for(SCHEMA) == ("x", "home", "sick")
    with pytest.raises(UnknownNameError):
        ClassificationLoss("sick", ["age"]).columns_for(SCHEMA)


def test_clusters_of_records_that_are_all_alike():
    data = table(n=30)
    flat = Microdata(data.to_polars().with_columns(x=pl.lit(1.5), home=pl.lit("own"), sick=pl.lit("no")), SCHEMA)
    assert ClusteringLoss().measure(flat, flat).value == 0
    apart = ClusteringLoss(clusters=2).measure(data, flat)
    assert apart.value == 100
    assert apart.details == {"adjusted_rand": 0, "mutual_information": 0}
    assert apart.sentence == (
        "The 2 clusters of the release agree with those of the original by 0.0 % (0 as by chance, 100 the same)."
    )


def test_clusters_that_lie_far_apart_are_found_whatever_stands_between():
    before = pl.DataFrame({"x": [0.1, 0.2, 0.3, 9.1, 9.2, 9.3, 20.1, 20.2]})
    after = pl.DataFrame({"x": [0.1, 0.2, 9.4, 9.1, 9.2, 9.3, 20.1, 20.2]})
    result = ClusteringLoss(clusters=3).measure(before, after)
    # Three, three and two became two, four and two: of 28 pairs, 7 and 8 are together, and 5 of them in both.
    together, first, second, pairs = 1 + 3 + 1, 3 + 3 + 1, 1 + 6 + 1, 28
    chance = first * second / pairs
    rand = (together - chance) / ((first + second) / 2 - chance)
    assert result.details["adjusted_rand"] == pytest.approx(rand)
    assert result.value == pytest.approx(100 * (1 - rand))
    few = ClusteringLoss(clusters=9).measure(before, before)
    assert few.value == 0, "no more clusters than different records"
