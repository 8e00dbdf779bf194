"""Losses with intervals: what other samples would have shown."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dc
from discreet.datasets import business
from discreet.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def release():
    table = business(60)
    return table, dc.MDAV(k=5).mask(table)


def test_intervals_are_quantiles_of_losses_of_samples(release):
    table, masked = release
    (found,) = dc.loss_intervals(table, masked, ["il1s"], level=0.8, replicates=15, random_state=3)
    rng = np.random.default_rng(3)
    figures = []
    for _ in range(15):
        rows = rng.integers(0, 60, 60)
        figures.append(dc.IL1s().measure(table.take(rows), masked.microdata.take(rows)).value)
    assert (found.low, found.high) == pytest.approx(np.quantile(figures, [0.1, 0.9]).tolist())
    assert found.value == dc.IL1s().measure(table, masked).value
    assert "80 % of samples" in found.sentence


def test_the_usual_losses_are_those_that_fit(release):
    names = [one.measure for one in dc.loss_intervals(*release, replicates=10)]
    assert {"il1s", "means", "variances"} <= set(names)
    assert "ctbil" not in names


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"measures": ["uniques"]}, ParameterError, "is a risk"),
        ({"level": 1.0}, ParameterError, "level must be below 1"),
        ({"replicates": 3}, ParameterError, "replicates must be"),
        ({"measures": []}, DataError, "no loss can be taken"),
    ],
)
def test_bad_input_gets_its_sentence(release, arguments, error, words):
    with pytest.raises(error, match=words):
        dc.loss_intervals(*release, **arguments)
