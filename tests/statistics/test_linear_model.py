"""Linear models from moments that merge, beside least squares on the records."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, after, answer, before, blocks, joined, table

from discreet.data.microdata import table_of_numbers
from discreet.statistics.linear_model import LinearModel, ModelMoments, ModelResiduals, Predictor, SideMoments

LEVELS = Predictor("s", joined("s"), (0, 2))
"""The levels a and c have a column each; b, the one left out, is told by neither."""


def test_columns_of_records_that_lack_nothing():
    model = LinearModel("y", (Predictor("x"), LEVELS), "w")
    assert model.names == ("y", "x", "s")
    assert model.original == ("y", "x", "s", "w")
    assert LinearModel("y", (Predictor("x"),)).original == ("y", "x")
    (first, first_weights), (second, second_weights) = model.sides(blocks((6,))[0])
    # x, whether a, whether c, and y as the last; the fourth lacks x before, the fifth x and s after.
    assert first.tolist() == [[1, 1, 0, 1], [2, 0, 0, 0], [3, 1, 0, 2], [5, 0, 0, 2], [6, 1, 0, 0]]
    assert first_weights.tolist() == [1, 2, 1, 1, 3]
    assert second.tolist() == [[1, 1, 0, 1], [2, 0, 1, 1], [4, 1, 0, 2], [4, 1, 0, 1], [6, 1, 0, 0]]
    assert second_weights.tolist() == [1, 2, 1, 2, 3]
    plain = LinearModel("y", (Predictor("x"),)).sides(blocks((6,))[0])
    assert plain[0][1].tolist() == [1] * 5


def test_an_outcome_that_happens_or_not():
    above = LinearModel("y", (Predictor("x"),), usual=(None, 0))
    (first, _), (second, _) = above.sides(blocks((6,))[0])
    assert first[:, -1].tolist() == [1, 0, 1, 1, 0]
    assert second[:, -1].tolist() == [1, 1, 1, 1, 0]
    other = LinearModel("s", (Predictor("y"),), usual=(joined("s"), 0))
    (first, _), (second, _) = other.sides(blocks((6,))[0])
    assert first[:, -1].tolist() == [0, 1, 0, 1, 0]  # another level than a
    assert second[:, -1].tolist() == [0, 1, 0, 0, 0]
    lacking = LinearModel("x", (Predictor("y"),), usual=(None, 0))
    assert len(lacking.sides(blocks((6,))[0])[0][0]) == 5


@pytest.mark.parametrize("cut", CUTS)
def test_what_is_asked_and_counted(cut):
    question = ModelMoments(LinearModel("y", (Predictor("x"),), "w"))
    assert (question.original, question.released) == (("y", "x", "w"), ("y", "x"))
    both = answer(question, blocks(cut))
    assert (both.before.records, both.after.records) == (5, 5)
    assert (both.weight, both.records) == (10, 6)
    assert answer(ModelMoments(LinearModel("y", (Predictor("x"),))), blocks(cut)).weight == 6


def fitted(columns, weights):
    """Solve the weighted least squares on the records themselves."""
    design = np.column_stack([np.ones(len(columns)), columns[:, :-1]])
    inverse = np.linalg.inv(design.T @ (design * weights[:, None]))
    solution = inverse @ (design.T @ (weights * columns[:, -1]))
    return solution, np.diagonal(inverse), columns[:, -1] - design @ solution


N = 60
RNG = np.random.default_rng(8)
A, B = RNG.normal(1e4, 2.0, N), RNG.normal(-3.0, 0.1, N)
LINE = {"a": A, "b": B, "same": np.full(N, 7.0), "y": 2 * A - 5 * B + RNG.normal(size=N)}
BEFORE = table_of_numbers(LINE)
AFTER = table_of_numbers({**LINE, "y": A + RNG.normal(size=N)})


@pytest.mark.parametrize("cut", [(N,), (1, 29, 30)])
@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_coefficients_and_residuals_are_those_of_least_squares(cut, unit):
    model = LinearModel("y", (Predictor("a"), Predictor("same"), Predictor("b")))
    parts = blocks(cut, BEFORE, AFTER)
    both = answer(ModelMoments(model), parts)
    fits = tuple(side.solved(unit) for side in (both.before, both.after))
    squares = answer(ModelResiduals(model, fits), parts)
    for fit, table_, told in zip(fits, (BEFORE, AFTER), (squares.before, squares.after), strict=True):
        columns = table_.numeric(("a", "b", "y"))
        solution, leverage, residuals = fitted(columns - [1e4, 0, 0], np.full(N, 1 / unit))
        assert fit.used.tolist() == [0, 2]  # a column that never varies explains nothing
        assert fit.solution[1:] / fit.scale == pytest.approx(solution[1:], rel=1e-6)
        assert fit.leverage[1:] / fit.scale**2 == pytest.approx(leverage[1:], rel=1e-6)
        assert fit.leverage[0] == pytest.approx(unit / N)
        assert fit.middle == pytest.approx(table_.numeric(("a", "same", "b", "y")).mean(axis=0), rel=1e-9)
        assert fit.residuals(table_.numeric(("a", "same", "b", "y"))) == pytest.approx(residuals, abs=1e-5)
        assert told == pytest.approx((residuals**2).sum(), rel=1e-6)
    question = ModelResiduals(model, fits)
    assert question.original == question.released == ("y", "a", "same", "b")


def test_weights_weigh_and_nobody_with_none_counts():
    weights = RNG.integers(0, 4, N).astype(float)
    columns = BEFORE.numeric(("a", "b", "y")) - [1e4, 0, 2e4]
    for cut in ((N,), (7, 53), (1,) * N):
        places = np.split(np.arange(N), np.cumsum(cut)[:-1])
        moments = [SideMoments.of(columns[rows], weights[rows]) for rows in places]
        whole = moments[0]
        for later in moments[1:]:
            whole = whole.merge(later)
        fit = whole.solved(1.0)
        solution, leverage, _ = fitted(columns, weights)
        assert fit.solution[1:] / fit.scale == pytest.approx(solution[1:], rel=1e-6)
        assert fit.leverage[1:] / fit.scale**2 == pytest.approx(leverage[1:], rel=1e-6)
        assert whole.records == N


def test_nothing_to_fit():
    empty = SideMoments.of(np.empty((0, 2)), np.empty(0))
    assert (empty.plain, empty.weighted, empty.records, empty.solved(1.0)) == (None, None, 0, None)
    light = SideMoments.of(np.array([[1.0, 2.0], [2.0, 3.0]]), np.zeros(2))
    assert light.records == 2
    assert light.solved(1.0) is None
    some = SideMoments.of(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2))
    for one, two in ((empty, some), (some, empty), (light, some), (some, light)):
        fit = one.merge(two).solved(1.0)
        assert fit.solution[1] / fit.scale[0] == pytest.approx(2.0)
    model = LinearModel("y", (Predictor("x"),))
    sums = answer(ModelResiduals(model, (None, None)), blocks((2, 4)))
    assert (sums.before, sums.after) == (0, 0)
    first, second = table(x=[None] * 5 + [1.0], y=[1.0] * 6), after()
    both = answer(ModelMoments(model), blocks((2, 4), first, second))
    assert both.before.records == 1
    assert len(before()) == 6
