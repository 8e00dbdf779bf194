"""PIL with weights, gaps and constants, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks, table

from discreet.errors import MissingValueError
from discreet.measures.loss.improbability import FourthPowers, ProbabilisticLoss, _density, _loss, _quantiles


def improbable(gap, error):
    return 100 * math.erf(gap / error / math.sqrt(2))


@pytest.mark.parametrize(
    ("before", "after", "variance", "loss"),
    [
        (1.0, 1.0, 4.0, 0.0),
        (1.0, 1.0, 0.0, 0.0),
        (1.0, 2.0, 0.0, 100.0),
        (1.0, 2.0, -1e-9, 100.0),
        (1.0, 3.0, 4.0, 68.26894921370858),
        (3.0, 1.0, 1.0, 95.44997361036415),
        (1e6, 1e6 + 5e-7, 1e-30, 0.0),  # what rounding leaves
        (-1e6, -1e6 - 5e-6, 1e-30, 100.0),
        (0.0, -1.0, 1.0, 68.26894921370858),
    ],
)
def test_a_gap_in_standard_errors(before, after, variance, loss):
    assert _loss(before, after, variance) == pytest.approx(loss)


def test_deciles_are_the_first_values_that_reach_them():
    assert _quantiles(np.arange(1.0, 11.0), np.ones(10)).tolist() == list(range(1, 10))
    assert _quantiles(np.array([30.0, 10.0, 20.0]), np.array([2.0, 5.0, 3.0])).tolist() == [10] * 5 + [20] * 3 + [30]
    assert _quantiles(np.array([7.0]), np.array([0.25])).tolist() == [7] * 9


def test_the_density_is_that_of_a_gaussian_kernel():
    values, weights, n = np.array([-1.0, 0.5, 2.0]), np.array([1.0, 2.0, 1.0]), 32
    width = 1.06 * 32**-0.2
    for point in (0.0, 0.5):
        parts = [math.exp(-(((v - point) / width) ** 2) / 2) for v in values]
        expected = (parts[0] + 2 * parts[1] + parts[2]) / 4 / (width * math.sqrt(2 * math.pi))
        assert _density(values, weights, np.array([point]), n) == pytest.approx([expected])


@pytest.mark.parametrize("weighted", [False, True])
def test_means_and_variances_with_weights_and_gaps(weighted):
    w = [1.0, 2.0, 1.0, 3.0, 1.0] if weighted else [1.0] * 5
    first = table(x=[1.0, 2.0, 4.0, None, 9.0], w=[1.0, 2.0, 1.0, 3.0, 1.0])
    second = table(x=[2.0, None, 4.0, 5.0, 8.0], w=[1.0] * 5)
    details = ProbabilisticLoss(weighted=weighted).measure(first, second).details
    sides = []
    for column in ([1.0, 2.0, 4.0, None, 9.0], [2.0, None, 4.0, 5.0, 8.0]):
        held = [(x, weight) for x, weight in zip(column, w, strict=True) if x is not None]
        total = sum(weight for _, weight in held)
        mean = sum(x * weight for x, weight in held) / total
        powers = [sum((x - mean) ** p * weight for x, weight in held) / total for p in (2, 4)]
        sides.append((mean, *powers))
    (mean, square, fourth), (mean_after, square_after, _) = sides
    assert details["means"] == pytest.approx(improbable(abs(mean - mean_after), math.sqrt(square / 4)))
    error = math.sqrt((fourth - square**2) / 4)
    assert details["variances"] == pytest.approx(improbable(abs(square - square_after), error))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("weight", [None, "w"])
def test_products_of_four_deviations_add_up(cut, weight):
    question = FourthPowers(("x", "y"), ((0.0, 3.0), (1.0, 0.0)), weight)
    assert question.original == (("x", "y") if weight is None else ("x", "y", "w"))
    assert question.released == ()
    found = answer(question, blocks(cut))
    # From 3 and 1: x −2 −1 0 – 2 3, y 0 −1 1 0 1 −1, weights 1 2 1 2 1 3.
    w = [1, 2, 1, 1, 3] if weight else [1] * 5
    pairs = list(zip([-2, -1, 0, 2, 3], [0, -1, 1, 1, -1], w, strict=True))
    assert found.records.tolist() == [[0, 5], [5, 0]]
    for name, powers in (("four", (4, 0)), ("three_one", (3, 1)), ("two_two", (2, 2))):
        sums = getattr(found, name)
        assert sums[0, 1] == sum(a ** powers[0] * b ** powers[1] * weight for a, b, weight in pairs)
        assert sums[1, 0] == sum(a ** powers[1] * b ** powers[0] * weight for a, b, weight in pairs)
        assert (sums[0, 0], sums[1, 1]) == (0, 0)


def crossed(x, y):
    """Covariance and correlation of two columns, and what their sampling errors are."""
    x, y = np.array(x), np.array(y)
    a, b, n = x - x.mean(), y - y.mean(), len(x)
    m = {(i, j): float((a**i * b**j).mean()) for i in range(5) for j in range(5)}
    r = m[1, 1] / math.sqrt(m[2, 0] * m[0, 2])
    error = (
        m[2, 2] / m[1, 1] ** 2
        + (m[4, 0] / m[2, 0] ** 2 + m[0, 4] / m[0, 2] ** 2 + 2 * m[2, 2] / (m[2, 0] * m[0, 2])) / 4
        - (m[3, 1] / (m[1, 1] * m[2, 0]) + m[1, 3] / (m[1, 1] * m[0, 2]))
    ) * r**2
    return m[1, 1], r, math.sqrt((m[2, 2] - m[1, 1] ** 2) / n), math.sqrt(error / n)


def test_covariances_and_correlations_of_the_records_that_have_both():
    first = table(x=[1.0, 2.0, 4.0, 7.0, None, 3.0], y=[2.0, 1.0, 5.0, 6.0, 9.0, None])
    second = table(x=[1.0, 3.0, 4.0, 6.0, 2.0, None], y=[2.0, 4.0, 3.0, 6.0, 9.0, 1.0])
    details = ProbabilisticLoss().measure(first, second).details
    covariance, r, covariance_error, r_error = crossed([1.0, 2.0, 4.0, 7.0], [2.0, 1.0, 5.0, 6.0])
    other, r_other, *_ = crossed([1.0, 3.0, 4.0, 6.0, 2.0], [2.0, 4.0, 3.0, 6.0, 9.0])
    assert details["covariances"] == pytest.approx(improbable(abs(covariance - other), covariance_error))
    assert details["correlations"] == pytest.approx(improbable(abs(r - r_other), r_error))


def test_attributes_without_spread_and_attributes_that_never_meet():
    flat = table(x=[1.0, 1.0, 1.0], y=[1.0, 2.0, 4.0])
    tilted = table(x=[1.0, 2.0, 3.0], y=[1.0, 2.0, 4.0])
    assert ProbabilisticLoss().measure(flat, flat).details == {
        "quantiles": 0, "means": 0, "variances": 0, "covariances": 0, "correlations": 0,
    }  # fmt: skip
    moved = ProbabilisticLoss().measure(flat, tilted)
    assert moved.details["correlations"] == 100, "without spread there was no relation, and now there is one"
    assert moved.details["means"] == 50
    assert moved.per_attribute["y"] == 0
    apart = table(x=[1.0, 2.0, None, None], y=[None, None, 3.0, 5.0])
    assert ProbabilisticLoss().measure(apart, apart).details == {"quantiles": 0, "means": 0, "variances": 0}
    met = table(x=[1.0, 2.0, 2.0, 1.0], y=[1.0, 2.0, 3.0, 5.0])
    assert set(ProbabilisticLoss().measure(apart, met).details) == {"quantiles", "means", "variances"}


def test_what_is_improbable_is_said():
    same = table(x=[1.0, 2.0, 4.0])
    assert ProbabilisticLoss().measure(same, same).sentence == (
        "Quantiles, means, variances and relations are unchanged."
    )
    far = ProbabilisticLoss().measure(same, table(x=[101.0, 102.0, 104.0]))
    assert far.details == {"quantiles": pytest.approx(100), "means": pytest.approx(100), "variances": 0}
    assert far.sentence == (
        "Another sample would have come closer to the original's statistics with a probability of 66.7 % on average; "
        "worst for quantiles (100.0 %)."
    )
    assert far.per_attribute == {"x": pytest.approx(200 / 3)}
    for pair in ((same, table(x=[np.nan] * 3)), (table(x=[np.nan] * 3), same)):
        with pytest.raises(MissingValueError, match="ProbabilisticLoss: column 'x' has no value in one of the files"):
            ProbabilisticLoss().measure(*pair)
