"""Newton's turns from sums that merge, beside the log-likelihood itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.statistics.small import answer, blocks

from discreet.data.microdata import table_of_numbers
from discreet.statistics.linear_model import LinearModel, ModelMoments, Predictor, SideMoments
from discreet.statistics.logistic_model import LogisticFit, LogisticTurn, begun

N = 80
RNG = np.random.default_rng(6)
A, B = RNG.normal(50.0, 4.0, N), RNG.normal(0.0, 0.5, N)
HAPPENS = (RNG.random(N) < 1 / (1 + np.exp(-(0.3 * (A - 50) - B)))).astype(float)
BEFORE = table_of_numbers({"a": A, "same": np.full(N, 2.0), "b": B, "y": HAPPENS})
AFTER = table_of_numbers({"a": np.roll(A, 1), "same": np.full(N, 2.0), "b": B, "y": HAPPENS})
MODEL = LinearModel("y", (Predictor("a"), Predictor("same"), Predictor("b")), usual=(None, 0))


def likeliest(table):
    """Return coefficients and standard errors from the likelihood of the records."""
    design = np.column_stack([np.ones(N), table.encoded("a") - 50, table.encoded("b")])

    def loss(solution):
        linear = design @ solution
        return float((np.logaddexp(0, linear) - HAPPENS * linear).sum())

    solution = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    chance = 1 / (1 + np.exp(-design @ solution))
    curvature = design.T @ (design * (chance * (1 - chance))[:, None])
    return solution, np.sqrt(np.diagonal(np.linalg.inv(curvature)))


@pytest.mark.parametrize("cut", [(N,), (1, 39, 40)])
@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_turns_lead_to_the_likeliest_coefficients(cut, unit):
    parts = blocks(cut, BEFORE, AFTER)
    both = answer(ModelMoments(MODEL), parts)
    fits = [begun(both.before), begun(both.after)]
    assert [fit.used.tolist() for fit in fits] == [[0, 2]] * 2
    assert fits[0].middle == pytest.approx([A.mean(), B.mean()])
    assert fits[0].scale == pytest.approx([A.std(), B.std()])
    assert fits[0].solution.tolist() == [0, 0, 0]
    for _ in range(12):
        question = LogisticTurn(MODEL, tuple(fits), unit)
        assert question.original == question.released == ("y", "a", "same", "b")
        sums = answer(question, parts)
        stepped = [fit.stepped(*two) for fit, two in zip(fits, zip(sums.gradients, sums.curvatures, strict=True), strict=True)]  # fmt: skip # noqa: E501
        for fit, (later, change) in zip(fits, stepped, strict=True):
            assert change == pytest.approx(np.abs(later.solution - fit.solution).max(), abs=1e-12)
        fits = [fit for fit, _ in stepped]
    for fit, curvature, table in zip(fits, sums.curvatures, (BEFORE, AFTER), strict=True):
        coefficients, errors = fit.told(3, curvature)
        solution, spread = likeliest(table)
        assert coefficients[[1, 3]] == pytest.approx(solution[1:], rel=1e-4)
        assert errors[[1, 3]] == pytest.approx(spread[1:] * np.sqrt(unit), rel=1e-4)
        assert coefficients.shape == errors.shape == (4,)
        assert np.isnan(coefficients[2])
        assert np.isnan(errors[2])
        middle = coefficients[0] - coefficients[[1, 3]] @ (fit.middle - [50, 0])
        assert middle == pytest.approx(solution[0], rel=1e-4)


def test_where_there_is_no_model():
    assert begun(SideMoments.of(np.empty((0, 2)), np.empty(0))) is None
    assert begun(SideMoments.of(np.ones((2, 2)), np.zeros(2))) is None
    sums = answer(LogisticTurn(MODEL, (None, None), 1.0), blocks((40, 40), BEFORE, AFTER))
    assert [part.size for part in (*sums.gradients, *sums.curvatures)] == [0] * 4


def test_a_column_that_tells_the_outcome_keeps_a_finite_coefficient():
    fit = LogisticFit(np.array([0]), np.array([0.0]), np.array([1.0]), np.array([0.0, 400.0]))
    told = table_of_numbers({"a": np.array([1.0, -1.0]), "y": np.array([1.0, 0.0])})
    model = LinearModel("y", (Predictor("a"),), usual=(None, 0))
    sums = answer(LogisticTurn(model, (fit, fit), 1.0), blocks((2,), told, told))
    chance = 1 / (1 + np.exp(-30.0))
    assert sums.gradients[0] == pytest.approx([0, 2 * (1 - chance)], abs=1e-15)
    assert sums.curvatures[0][0, 0] == pytest.approx(2 * chance * (1 - chance), rel=1e-6)
    later, _ = fit.stepped(*(part[0] for part in (sums.gradients, sums.curvatures)))
    assert np.isfinite(later.solution).all()
    assert later.solution[1] < 1.0  # without a say of the data, the ridge draws it back to nought
