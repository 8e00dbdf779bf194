from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, check_grad, minimize

from discreet.errors import DataError, NotFittedError, ParameterError
from discreet.operators import (
    OWA,
    WOWA,
    ChoquetIntegral,
    ChoquetModel,
    FuzzyMeasure,
    Interpolated,
    OperatorModel,
    OWAModel,
    QuasiWeightedMean,
    QuasiWeightedMeanModel,
    WeightedMean,
    WeightedMeanModel,
    WOWAModel,
)
from discreet.operators.learning.choquet_learning import _monotone_rows
from discreet.operators.learning.quadratic import solve_inside, solve_on_simplex
from discreet.operators.learning.wowa_learning import _Examples

MODELS = [
    WeightedMeanModel(),
    OWAModel(),
    QuasiWeightedMeanModel("log"),
    WOWAModel(),
    ChoquetModel(),
    ChoquetModel(k=2),
]


def by_rows(operator, X: np.ndarray) -> np.ndarray:
    return operator.batch(X.ravel(), np.arange(0, X.size + 1, X.shape[1]))


def noisy_examples(seed: int, rows: int = 200, n: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.05, 1, (rows, n))
    return X, np.clip(X @ rng.dirichlet(np.ones(n)) + 0.2 * rng.normal(size=rows), 0.01, None)


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 40), st.booleans())
def test_weights_on_the_simplex_satisfy_the_optimality_conditions(seed: int, n: int, m: int, twins: bool) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(m, n)), rng.normal(size=m)
    if twins:
        A[:, -1] = A[:, 0]
    w = solve_on_simplex(A.T @ A, A.T @ b).x
    assert w.min() >= 0
    assert w.sum() == pytest.approx(1)
    gradient = A.T @ (A @ w - b)
    # At the minimum no source has a smaller slope than those in use.
    assert gradient.min() >= gradient @ w - 1e-6 * (1 + np.abs(gradient).max())


@pytest.mark.parametrize("seed", range(5))
def test_weights_on_the_simplex_agree_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, b = rng.random((100, 8)), rng.random(100)
    found = solve_on_simplex(A.T @ A, A.T @ b).x
    other = minimize(
        lambda w: ((A @ w - b) ** 2).sum(),
        np.full(8, 1 / 8),
        jac=lambda w: 2 * A.T @ (A @ w - b),
        bounds=[(0, 1)] * 8,
        constraints=LinearConstraint(np.ones((1, 8)), 1, 1),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert ((A @ found - b) ** 2).sum() <= other.fun + 1e-8
    assert found == pytest.approx(other.x, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_measures_agree_with_scipy(k: int) -> None:
    X, y = noisy_examples(k)
    model = ChoquetModel(k=k).fit(X, y)
    subsets = model._subsets(4)
    rows = _monotone_rows(4, subsets)
    design = model._design(X)
    other = minimize(
        lambda m: ((design @ m - y) ** 2).sum(),
        np.where(np.bitwise_count(subsets) == 1, 0.25, 0.0),
        jac=lambda m: 2 * design.T @ (design @ m - y),
        constraints=[LinearConstraint(np.ones((1, subsets.size)), 1, 1), LinearConstraint(rows, 0, np.inf)],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    assert model.distance_ == pytest.approx(other.fun, abs=1e-6)
    assert (rows @ model.measure_.mobius()[subsets]).min() >= -1e-9
    assert model.measure_.additivity() <= k


def test_twin_columns_share_their_weight() -> None:
    rng = np.random.default_rng(0)
    one = rng.random(50)
    X = np.column_stack([one, one, rng.random(50)])
    assert WeightedMeanModel().fit(X, one).weights_ == pytest.approx([0.5, 0.5, 0], abs=1e-5)


def test_what_made_the_examples_is_found_again() -> None:
    rng = np.random.default_rng(7)
    X = rng.uniform(0.1, 1, (300, 4))
    w, p = np.array([0.4, 0.0, 0.5, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
    assert WeightedMeanModel().fit(X, by_rows(WeightedMean(w), X)).weights_ == pytest.approx(w, abs=1e-6)
    assert OWAModel().fit(X, by_rows(OWA(weights=w), X)).weights_ == pytest.approx(w, abs=1e-6)
    quasi = QuasiWeightedMeanModel("power:-1").fit(X, by_rows(QuasiWeightedMean("power:-1", w), X))
    assert quasi.weights_ == pytest.approx(w, abs=1e-6)
    wowa = WOWAModel().fit(X, by_rows(WOWA(Interpolated(w.tolist()), p), X))
    assert wowa.source_weights_ == pytest.approx(p, abs=1e-3)
    assert wowa.place_weights_ == pytest.approx(w, abs=1e-3)
    measure = FuzzyMeasure.sugeno_lambda([0.2, 0.3, 0.1, 0.2])
    assert ChoquetModel().fit(X, by_rows(ChoquetIntegral(measure), X)).measure_.values == pytest.approx(
        measure.values, abs=1e-6
    )


def test_wider_families_come_nearer() -> None:
    X, y = noisy_examples(3)
    distance = {type(model).__name__: model.fit(X, y).distance_ for model in (WeightedMeanModel(), OWAModel())}
    wowa = WOWAModel().fit(X, y).distance_
    nested = [ChoquetModel(k).fit(X, y).distance_ for k in (1, 2, 3, None)]
    assert nested[0] == pytest.approx(distance["WeightedMeanModel"], abs=1e-6)
    assert all(later <= earlier + 1e-7 for earlier, later in pairwise(nested))
    assert wowa <= min(distance.values())
    assert nested[-1] <= wowa + 1e-7


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_distance_is_what_predictions_miss(model: OperatorModel) -> None:
    X, y = noisy_examples(4)
    model.fit(X, y)
    predicted = model.predict(X)
    if isinstance(model, QuasiWeightedMeanModel):
        missed = ((np.log(predicted) - np.log(y)) ** 2).sum()
    else:
        missed = ((predicted - y) ** 2).sum()
    assert model.distance_ == pytest.approx(missed, rel=1e-6)
    assert model.score(X, y) == pytest.approx(1 - ((predicted - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_blocks_teach_what_the_whole_teaches(model: OperatorModel) -> None:
    X, y = noisy_examples(5)
    whole = model.fit(X, y).predict(X)
    distance, rows = model.distance_, model.n_rows_
    fresh = type(model)(**model._parameters())
    for start in range(0, len(X), 37):
        fresh.partial_fit(X[start : start + 37], y[start : start + 37])
    assert fresh.n_rows_ == rows == len(X)
    assert fresh.distance_ == pytest.approx(distance)
    assert fresh.predict(X) == pytest.approx(whole, abs=1e-4)
    # Fitting again forgets.
    assert fresh.fit(X, y).n_rows_ == len(X)


def test_a_long_design_is_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy_examples(6)
    expected = ChoquetModel().fit(X, y).distance_
    monkeypatch.setattr("discreet.operators.learning.models._BLOCK", 11)
    assert ChoquetModel().fit(X, y).distance_ == pytest.approx(expected)


def test_gradients_of_the_wowa_are_right() -> None:
    X, y = noisy_examples(8, rows=40)
    examples = _Examples(X, y)
    rng = np.random.default_rng(1)
    w = rng.dirichlet(np.ones(4))
    p = rng.dirichlet(np.ones(4))
    # The last share is always 1, so that the distance is defined for any p; moving one p moves the shares.
    assert check_grad(lambda v: examples.distance(v, w), lambda v: examples.gradients(v, w)[1], p) < 1e-4
    assert check_grad(lambda v: examples.distance(p, v), lambda v: examples.gradients(p, v)[2], w) < 1e-4


def test_interior_points_reach_the_minimum_in_few_steps() -> None:
    X, y = noisy_examples(9, rows=60, n=6)
    model = ChoquetModel().fit(X, y)
    subsets = model._subsets(6)
    start = np.where(np.bitwise_count(subsets) == 1, 1 / 6, 0.0)
    rows = _monotone_rows(6, subsets)
    found = solve_inside(model._matrix[:-1, :-1], model._matrix[:-1, -1], start, rows)
    assert found.steps < 60
    assert (rows @ found.x).min() > 0
    assert found.x.sum() == pytest.approx(1)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_show_themselves(model: OperatorModel) -> None:
    fresh = type(model)(**model._parameters())
    assert repr(fresh).startswith(type(model).__name__ + "(")
    assert fresh._repr_html_().startswith("<code>")
    with pytest.raises(NotFittedError, match="nothing has been learned yet"):
        fresh.predict([[1, 2, 3, 4]])
    X, y = noisy_examples(11)
    fresh.fit(X, y)
    assert "200 rows, distance " in repr(fresh)
    assert fresh._repr_html_().startswith("<table>")


def test_column_names_are_shown_and_escaped() -> None:
    import pandas as pd

    X, y = noisy_examples(12, n=2)
    model = WeightedMeanModel().fit(pd.DataFrame(X, columns=["age", "<b>"]), y)
    assert "age: 0." in repr(model)
    assert "&lt;b&gt;" in model._repr_html_()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1, 2]], [1, 2], "X must be rows × sources and y one result a row"),
        ([1, 2], [1, 2], "X must be rows × sources"),
        (np.zeros((0, 2)), [], "X must be rows × sources"),
        ([["a", "b"]], [1], "X and y must be numbers"),
        ([[1, np.nan], [1, 2]], [1, 2], "1 of 2 rows or results are not"),
        ([[1, 2]], [np.inf], "1 of 1 rows or results are not"),
    ],
)
def test_bad_examples_are_refused(X, y, message: str) -> None:
    for model in MODELS:
        with pytest.raises(DataError, match=f"{type(model).__name__}: .*{message}|{message}"):
            type(model)(**model._parameters()).fit(X, y)


def test_bad_parameters_are_refused() -> None:
    X, y = noisy_examples(13)
    with pytest.raises(ParameterError, match="k must be None or an integer of at least 1; got 0"):
        ChoquetModel(k=0).fit(X, y)
    with pytest.raises(ParameterError, match="k must be smaller for 14 sources; got None"):
        ChoquetModel().fit(np.ones((3, 14)), np.ones(3))
    with pytest.raises(ParameterError, match="max_rounds must be an integer of at least 0; got -1"):
        _ = WOWAModel(max_rounds=-1).fit(X, y).operator_
    with pytest.raises(DataError, match="must have 4 sources, as the rows before; got 3"):
        WeightedMeanModel().fit(X, y).partial_fit(X[:, :3], y)
    with pytest.raises(DataError, match="values must be of at least"):
        QuasiWeightedMeanModel("log").fit(X - 2, y)


def test_without_rounds_the_better_of_both_starts_is_taken() -> None:
    X = np.random.default_rng(6).uniform(0, 1, (80, 3))
    p = np.array([0.7, 0.2, 0.1])
    by_source = WOWAModel(max_rounds=0).fit(X, X @ p)
    assert by_source.distance_ == pytest.approx(0, abs=1e-6)
    assert by_source.source_weights_ == pytest.approx(p, abs=1e-4)
    by_place = WOWAModel(max_rounds=0).fit(X, np.sort(X)[:, ::-1] @ p)
    assert by_place.distance_ == pytest.approx(0, abs=1e-6)
    assert by_place.place_weights_ == pytest.approx(p, abs=1e-4)


def test_a_model_shows_what_counts_in_four_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(6).uniform(0, 1, (20, 2))
    model = WeightedMeanModel().fit(X, X @ np.array([0.5, 0.5]))
    monkeypatch.setattr(WeightedMeanModel, "_importance", lambda _: {"a": 0.9999, "b": 6e-5, "c": 4e-5})
    assert repr(model).splitlines()[-1] == "  a: 0.9999, b: 0.0001"


def test_what_a_model_shows_is_written_out() -> None:
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0.25, 0.75, 1.0])
    model = WeightedMeanModel().fit(X, y + 0.5)
    assert repr(WeightedMeanModel()) == "WeightedMeanModel()"
    assert repr(QuasiWeightedMeanModel("log")) == "QuasiWeightedMeanModel(generator='log')"
    # Each result is missed by a half, which no weights can mend.
    assert repr(model) == "WeightedMeanModel()\n  3 rows, distance 0.75\n  source 0: 0.7500, source 1: 0.2500"
    assert model._repr_html_() == (
        "<table><caption>WeightedMeanModel: 3 rows, distance 0.75</caption><tr><th>source</th><th>weight</th></tr>"
        "<tr><td>source 0</td><td>0.7500</td></tr><tr><td>source 1</td><td>0.2500</td></tr></table>"
    )
    assert list(OWAModel().fit(X, y)._importance()) == ["place 1", "place 2"]
    assert WeightedMeanModel()._repr_html_() == "<code>WeightedMeanModel()</code>"


def test_a_score_is_the_share_of_the_spread_that_is_met() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    model = WeightedMeanModel().fit(X, [0.0, 1.0, 2.0])
    assert model.score(X, [0.0, 1.0, 2.0]) == pytest.approx(1.0)
    # Around 1, results spread by 8, and predictions miss them by 2.
    assert model.score(X, [-1.0, 1.0, 3.0]) == pytest.approx(0.75)
    # Results that do not spread are met, or not.
    assert model.score(X[1:2], [1.0]) == 1.0
    assert model.score(X[:2], [1.0, 1.0]) == 0.0


def test_names_are_those_of_the_columns_until_it_is_fitted_again() -> None:
    import pandas as pd

    X, y = noisy_examples(14, n=2)
    model = WeightedMeanModel().fit(pd.DataFrame(X, columns=["age", "wage"]), y)
    assert model._labels() == ["age", "wage"]
    assert model.partial_fit(X, y)._labels() == ["age", "wage"]
    assert model.n_rows_ == 400
    assert model.fit(X, y)._labels() == ["source 0", "source 1"]
    assert (model.n_rows_, model.n_sources_) == (200, 2)


def test_an_operator_is_learned_once_and_anew_after_more_rows() -> None:
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    model = WeightedMeanModel().fit(X, [0.0, 1.0])
    first = model.operator_
    assert model.operator_ is first
    assert first.weights.tolist() == pytest.approx([1.0, 0.0], abs=1e-8)
    model.partial_fit(X, [1.0, 0.0])
    assert model.weights_.tolist() == pytest.approx([0.5, 0.5], abs=1e-8)
    # Halfway between four results, each missed by a half.
    assert model.distance_ == pytest.approx(1.0)


def test_blocks_of_a_long_design_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy_examples(15)
    whole = WeightedMeanModel().fit(X, y)
    monkeypatch.setattr("discreet.operators.learning.models._BLOCK", 7)
    cut = WeightedMeanModel().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert cut._matrix == pytest.approx(whole._matrix)
    rows = np.column_stack([X, y])
    assert whole._matrix == pytest.approx(rows.T @ rows)
