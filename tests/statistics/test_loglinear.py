from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.statistics import loglinear
from discreet.statistics.loglinear import KeyCells, fit_main_effects, fit_margins

SIZES = (2, 3, 4)


def poisson_regression(design, response, offset):
    """Iteratively reweighted least squares over every cell, as the textbook has it."""
    means = response + 0.1
    linear = np.log(means)
    for _ in range(400):
        working = linear - offset + (response - means) / means
        root = np.sqrt(means)
        weights = np.linalg.lstsq(design * root[:, None], working * root, rcond=None)[0]
        linear = design @ weights + offset
        means = np.exp(linear)
    return means


def draw(seed):
    rng = np.random.default_rng(seed)
    rows = np.array(list(itertools.product(*map(range, SIZES))))
    counts = rng.poisson(rng.lognormal(0.5, 1, len(rows)))
    totals = counts * rng.uniform(3, 9, len(rows))
    full = counts > 0
    cells = KeyCells(tuple(rows[full].T), SIZES, counts[full], totals[full])
    return rows, counts.astype(float), totals, full, cells


def levels(rows):
    return np.column_stack(
        [np.ones(len(rows)), *((rows[:, j] == v).astype(float) for j, s in enumerate(SIZES) for v in range(1, s))]
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["plain", "offset", "covariate", "slopes", "slopes and offset"])
def test_main_effects_equal_a_regression_over_every_cell(seed, kind):
    rows, counts, totals, full, cells = draw(seed)
    design = np.column_stack([np.ones(len(rows)), rows]) if "slopes" in kind else levels(rows)
    offset = np.zeros(len(rows))
    known = {}
    if "offset" in kind:
        rates = np.divide(counts, totals, out=np.zeros(len(rows)), where=full) + 0.1
        offset, known = np.log(rates), {"start": rates[full], "empty": 0.1}
    if kind == "covariate":
        design, known = np.column_stack([design, totals]), {"covariate": totals[full]}
    if "slopes" in kind:
        known["slopes"] = {j: np.arange(float(s)) for j, s in enumerate(SIZES)}
    found = fit_main_effects(cells, counts[full], **known)
    assert found == pytest.approx(poisson_regression(design, counts, offset)[full], rel=1e-6)


@pytest.mark.parametrize("seed", [1, 2, 3])  # every margin of two keys holds records
def test_interactions_equal_a_regression_over_every_cell(seed):
    rows, counts, _, full, cells = draw(seed)
    both = [(rows[:, 0] == a) & (rows[:, 1] == b) for a in range(1, 2) for b in range(1, 3)]
    design = np.column_stack([levels(rows), *(column.astype(float) for column in both)])
    found = fit_margins(cells, counts[full], [(0, 1), (2,)])
    assert found == pytest.approx(poisson_regression(design, counts, np.zeros(len(rows)))[full], rel=1e-6)


def test_without_interactions_both_ways_agree():
    _, counts, totals, full, cells = draw(9)
    known = {"start": totals[full] / counts[full], "empty": 2.0}
    over_all = fit_margins(cells, counts[full], [(0,), (1,), (2,)], **known)
    assert fit_main_effects(cells, counts[full], **known) == pytest.approx(over_all, rel=1e-9)


def test_too_many_cells_are_refused(monkeypatch):
    _, counts, _, full, cells = draw(1)
    monkeypatch.setattr(loglinear, "MOST_CELLS", 10)
    with pytest.raises(DataError, match="more than 10"):
        fit_margins(cells, counts[full], [(0, 1), (2,)])
