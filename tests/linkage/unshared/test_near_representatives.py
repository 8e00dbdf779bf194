"""Representatives pair by pair: within one cell they say what the exact search is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.linkage.unshared.test_structural import latent

from discreet.linkage.unshared.groups_first import _averaged, by_correlation
from discreet.linkage.unshared.hub_search import distances
from discreet.linkage.unshared.near_representatives import log_nearness, near_representatives, sharpness, weights_of
from discreet.linkage.unshared.representatives import representatives
from discreet.linkage.unshared.structural import (
    _QUANTILES,
    VIEWS,
    representative_evidence,
    views_of,
    whitened_stages,
)


def test_in_one_cell_they_are_the_evidence_of_the_exact_search():
    views = views_of(*latent(80, np.random.default_rng(6)))
    files = {name: tuple(representatives(side, _QUANTILES) for side in views[name]) for name in VIEWS}
    everybody = np.arange(80)
    near = near_representatives(files, ("euclidean", "manhattan", "root"), [(everybody, everybody)])
    expected, _ = representative_evidence(views)
    table = near.table(everybody, everybody)
    # Ways that hardly weigh are left out: each at most a fiftieth of the heaviest.
    assert np.abs(table - expected).max() < 0.1 * np.abs(expected).max()
    assert np.corrcoef(table.ravel(), expected.ravel())[0, 1] > 0.999


def test_the_sharpest_way_weighs_most():
    shares, totals = weights_of({("standard", "root"): 0.34, ("standard", "euclidean"): 0.17, ("ranging", "root"): 0.0})
    assert shares["standard", "root"] == pytest.approx(1 / (1 + 0.5**10))
    assert totals == pytest.approx({"standard": 1.0, "ranging": 0.0})
    assert shares["ranging", "root"] == 1.0


def test_ratings_under_several_matches_are_averaged_by_what_each_is_worth():
    rng = np.random.default_rng(7)
    files, everybody = whitened_stages(views_of(*latent(60, rng)))[-1], np.arange(60)
    first, second = (by_correlation(files, everybody, columns)[0] for columns in (everybody, rng.permutation(60)))
    table = _averaged([(1.0, first), (1.0 - 0.2 * np.log(3), second)]).table(everybody, everybody)
    expected = 0.75 * first.table(everybody, everybody) + 0.25 * second.table(everybody, everybody)
    assert table == pytest.approx(expected)


def plain_sharpness(table):
    """Return the same by definition, a row at a time."""
    ratios = []
    for side in (table, table.T):
        width = min(9, side.shape[1])
        near = [sorted(row)[:width] for row in side.tolist()]
        floor = 1e-6 * float(np.median([row[-1] for row in near]))
        gaps = []
        for row in near:
            logs = [math.log(max(value, floor)) for value in row]
            gaps.append([k * (logs[k] - logs[k - 1]) for k in range(1, width)])
        usual = np.mean([gap for row in gaps for gap in row[1:]])
        following = np.mean([min(gap / usual, 3) for row in gaps for gap in row[1:]])
        ratios.append(np.mean([min(row[0] / usual, 3) for row in gaps]) / following)
    n = len(table)
    mutual = [i == int(np.argmin(table[:, int(np.argmin(table[i]))])) for i in range(n)]
    return float(np.mean(ratios) * np.mean(mutual))


@pytest.mark.parametrize(("n", "m"), [(12, 12), (12, 15), (5, 4), (3, 3)])
def test_sharpness_by_definition(n, m):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(max(n, m), 2))
    table = np.abs(x[:n, None] - (x + 0.1 * rng.normal(size=x.shape))[None, :m]).sum(axis=2)
    assert sharpness(table) == pytest.approx(plain_sharpness(table))


def test_sharpness_where_there_is_nothing_to_see():
    # Two candidates have no neighbours after the next, and equal distances no spacing.
    assert sharpness(np.random.default_rng(0).random((5, 2))) == 1.0
    assert sharpness(np.random.default_rng(0).random((2, 5))) == 1.0
    assert sharpness(np.ones((5, 5))) == 0.0


def test_nearness_is_on_the_scale_of_both_neighbourhoods():
    table = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 100.0], [2.0, 8.0, 9.0, 10.0, 11.0, 90.0]])
    found = log_nearness(table)
    # The five nearest of the rows are 3 and 8 away on average, the two of the columns (1 + 2) / 2 and so on.
    for i, j in np.ndindex(2, 6):
        local = math.sqrt([3.0, 8.0][i] * table[:, j].mean())
        assert found[i, j] == pytest.approx(-2 * math.log(table[i, j] / local + 0.2))


def test_ways_are_weighed_within_their_normalisation_and_against_the_usual():
    shares, totals = weights_of({("a", "x"): 0.2, ("a", "y"): 0.1, ("b", "x"): 0.4})
    assert shares == pytest.approx({("a", "x"): 1024 / 1025, ("a", "y"): 1 / 1025, ("b", "x"): 1.0})
    assert totals == pytest.approx({"a": 0.5**10 * (0.4 / 0.34) ** 2, "b": (0.4 / 0.34) ** 2})
    # Where nothing is sharp, all count alike.
    shares, totals = weights_of({("a", "x"): 0.0, ("a", "y"): 0.0})
    assert shares == {("a", "x"): 0.5, ("a", "y"): 0.5}
    assert totals == {"a": 0.0}


def test_slight_ways_are_left_out_and_the_others_add_up():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(30, 2))
    clear, noise = (x, x + 0.01 * rng.normal(size=(30, 2))), (x, rng.normal(size=(30, 2)))
    everybody = np.arange(30)
    near = near_representatives({"clear": clear, "noise": noise}, ["euclidean", "manhattan"], [(everybody, everybody)])
    assert {(part[2]) for part in near.parts} <= {"euclidean", "manhattan"}
    assert all(part[0] is clear[0] and part[1] is clear[1] for part in near.parts)
    some, others = np.array([3, 8, 9]), np.array([8, 3])
    expected = sum(
        weight * log_nearness(distances(second[others], first[some], metric))
        for first, second, metric, weight in near.parts
    )
    assert near.table(some, others) == pytest.approx(expected)
    assert near.table(some, others).shape == (3, 2)
