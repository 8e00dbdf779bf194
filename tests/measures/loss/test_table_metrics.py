from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from tests.measures.loss.test_categories import draw, table

from discreet.errors import ParameterError
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
