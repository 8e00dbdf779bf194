from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.statistics import loglinear
from discreet.statistics.counts import Combinations
from discreet.statistics.loglinear import KeyCells, KeyTable, fit_main_effects, fit_margins

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


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["offset", "covariate", "both"])
def test_interactions_with_an_offset_or_a_covariate_equal_a_regression(seed, kind):
    rows, counts, totals, full, cells = draw(seed)
    pairs = [(rows[:, 0] == 1) & (rows[:, 1] == b) for b in (1, 2)]
    design = np.column_stack([levels(rows), *(column.astype(float) for column in pairs)])
    offset, known = np.zeros(len(rows)), {}
    if kind != "covariate":
        rates = np.where(full, 1.0 + rows.sum(axis=1), 0.5)
        offset, known = np.log(rates), {"start": rates[full], "empty": 0.5}
    if kind != "offset":
        design, known = np.column_stack([design, totals]), {**known, "covariate": totals[full]}
    found = fit_margins(cells, counts[full], [(0, 1), (2,)], **known)
    assert found == pytest.approx(poisson_regression(design, counts, offset)[full], rel=1e-6)


@pytest.mark.parametrize(
    "fit", [fit_main_effects, lambda *args, **known: fit_margins(*args, [(0,), (1,), (2,)], **known)]
)
def test_a_search_that_does_not_end_is_refused(monkeypatch, fit):
    _, counts, totals, full, cells = draw(2)
    monkeypatch.setattr(loglinear, "_TURNS", 2)
    hint = "Leave out a rare key." if fit is fit_main_effects else "Leave an interaction out."
    with pytest.raises(DataError, match="no finite fit for this table of keys") as caught:
        fit(cells, counts[full], start=totals[full], empty=0.01, covariate=totals[full])
    assert caught.value.hint == hint
    assert len(fit(cells, counts[full])) == full.sum(), "without an offset, one turn and a look are enough"


def test_a_table_of_as_many_cells_as_are_allowed_is_fitted(monkeypatch):
    _, counts, _, full, cells = draw(1)
    monkeypatch.setattr(loglinear, "MOST_CELLS", 24)
    assert len(fit_margins(cells, counts[full], [(0, 1), (2,)])) == full.sum()
    monkeypatch.setattr(loglinear, "MOST_CELLS", 23)
    with pytest.raises(DataError, match="3 keys have more than 23 of them"):
        fit_margins(cells, counts[full], [(0, 1), (2,)])


def test_a_table_of_nothing_is_fitted_by_nothing():
    cells = KeyCells((np.array([0, 1]), np.array([0, 1])), (2, 2), np.array([1, 1]), np.ones(2))
    for fit in (fit_main_effects, lambda *args, **known: fit_margins(*args, [(0,), (1,)], **known)):
        assert fit(cells, np.array([3.0, 0.0]), covariate=np.zeros(2)) == pytest.approx([3.0, 0.0])


def test_the_cells_of_a_table():
    combinations = Combinations(
        np.array([[7, 3], [7, 9], [-2, 3]]),
        np.array([[False, False], [False, False], [True, True]]),
        np.array([1, 2, 4]),
        np.array([0.5, 1.0, 2.0]),
    )
    assert KeyTable().whole is True
    cells = KeyTable().summarise(combinations)
    assert [column.tolist() for column in cells.columns] == [[1, 1, 0], [0, 1, 0]]
    assert (cells.sizes, cells.gaps) == ((2, 2), 1)
    assert (cells.counts.tolist(), cells.totals.tolist()) == ([1, 2, 4], [0.5, 1.0, 2.0])


def test_sixteen_million_cells_are_too_many():
    one = np.zeros(1, dtype=np.int64)
    cells = KeyCells((one, one), (4097, 4096), one + 1, np.ones(1))
    with pytest.raises(DataError) as caught:
        fit_margins(cells, np.ones(1), [(0, 1)])
    assert caught.value.message == (
        "A log-linear model with interactions is fitted over every cell: 2 keys have more than 16,777,216 of them."
    )
    assert caught.value.hint == "Name fewer keys, recode those with many levels, or leave the interactions out."
