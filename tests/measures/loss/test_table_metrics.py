from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from tests.measures.loss.test_categories import draw, table
from tests.statistics.small import answer, blocks
from tests.statistics.small import table as hand_counted

from discreet.contracts.engine import InProcess, TablePair
from discreet.errors import DataError, ParameterError
from discreet.measures.loss.table_metrics import TableMetric

METRICS = {
    "absolute": lambda o, p: abs(o - p),
    "relative": lambda o, p: abs(o - p) / max(o, 1),
    "root": lambda o, p: abs(sqrt(o) - sqrt(p)),
    "(o - p) ** 2 / max(o + p, 1)": lambda o, p: (o - p) ** 2 / max(o + p, 1),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("names", [["size"], ["size", "fuel"], ["size", "fuel", "kind"]])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_figure_equals_the_definition(metric, names, weighted):
    before, after, weights = draw(3)
    chosen = [["size", "fuel", "kind"].index(name) for name in names]
    counts = [Counter(), Counter()]
    for side, columns in zip(counts, (before, after), strict=True):
        for row, weight in zip(zip(*(columns[j] for j in chosen), strict=True), weights, strict=True):
            side[row] += weight if weighted else 1
    figures = [METRICS[metric](counts[0][row], counts[1][row]) for row in {*counts[0], *counts[1]}]
    result = TableMetric(attributes=names, metric=metric, weighted=weighted).measure(
        table(before, weights), table(after, weights)
    )
    assert result.value == pytest.approx(np.mean(figures), rel=1e-6)
    assert result.details["percentiles"]["90"] == pytest.approx(np.percentile(figures, 90), rel=1e-6)
    assert result.details["cells"] == len(figures)


@pytest.mark.parametrize("metric", ["o - p - 1000", "o / (p - p)", "o + q", "__import__('os')", "chi"])
def test_what_is_no_metric_is_refused(metric):
    before, after, _ = draw(3)
    with pytest.raises(ParameterError, match="^TableMetric: "):
        TableMetric(attributes=["size"], metric=metric).measure(table(before), table(after))


def test_a_table_is_told_whole():
    before, after = small(list("aabb")), small(list("abbb"))
    result = TableMetric(attributes=["s"]).measure(before, after)
    # a 2 and 1, b 2 and 3; nobody has c.
    assert (result.value, result.sentence) == (
        1, "2 of 2 cells of the table of s differ; by the metric a cell is 1 apart on average, and 1 at most.",
    )  # fmt: skip
    assert result.details == {
        "cells": 2, "differ": 2, "percentiles": dict.fromkeys(("0", "25", "50", "75", "90", "95", "99", "100"), 1.0),
    }  # fmt: skip
    same = TableMetric().measure(before, before)
    assert (same.value, same.sentence) == (0, "The table of s, t is unchanged by the metric.")
    with pytest.raises(ParameterError, match=r"^TableMetric: 'x' must be a released categorical attribute\."):
        TableMetric(attributes=["s", "x"]).measure(before, after)


def small(levels):
    columns = {"s": levels, "t": ["a"] * len(levels), "x": [1.0] * len(levels)}
    return hand_counted(("a", "b", "c"), **columns)


def test_tables_with_too_many_cells_are_refused(monkeypatch):
    data = small(list("ab"))
    # Three levels and the missing one, twice.
    monkeypatch.setattr("discreet.measures.loss.table_metrics.LARGEST", 16)
    assert TableMetric().measure(data, data).value == 0
    monkeypatch.setattr("discreet.measures.loss.table_metrics.LARGEST", 15)
    with pytest.raises(ParameterError, match="a table of 2 attributes has too many cells"):
        TableMetric().measure(data, data)


def test_too_many_cells_that_hold_records_are_refused(monkeypatch):
    monkeypatch.setattr("discreet.statistics.value_counts.MOST_DIFFERENT", 2)
    data = small(list("abc"))
    question = TableMetric(attributes=["s"])
    scope = question.scope(TablePair(data, data), None, InProcess())
    with pytest.raises(DataError, match="There are 3 different cells of a table"):
        answer(question.question(scope), blocks((2, 1), data, data))
