"""Canonical correlations of a match, against the formula one pair at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.linkage.unshared import canonical
from discreet.linkage.unshared.canonical import Whitened, canonical_pairs, gains, improve, solve, whiten

# Uncorrelated columns of mean 0 and variance 1.
X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
Y = np.array([[1.0], [-1.0], [1.0], [1.0]]) - 0.5
Y = Y / Y.std()
ALL = np.arange(4)


def test_one_column_has_its_correlation_less_what_chance_gives() -> None:
    first, second, shrunk, likelihood = canonical_pairs(X, Y, ALL, ALL)
    rho = float((X * Y).mean())
    assert rho == pytest.approx(1 / math.sqrt(3))
    assert likelihood == pytest.approx(-0.5 * 4 * math.log(1 - rho**2))
    # By chance a share of one in four of what is left.
    assert shrunk == pytest.approx([math.sqrt(rho**2 - (1 - rho**2) / 4)])
    assert first * second == pytest.approx(X * Y)
    turned = canonical_pairs(-X, Y, ALL, ALL)
    assert (turned[2], turned[3]) == (pytest.approx(shrunk), pytest.approx(likelihood))
    assert turned[0] * turned[1] == pytest.approx(X * Y)


def test_wider_files_have_more_by_chance_and_the_first_correlation_stays() -> None:
    wide = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    for one, other in ((wide, Y), (Y, wide)):
        _, _, shrunk, _ = canonical_pairs(one, other, ALL, ALL)
        # Squared, 2/3 of it is explained; of the third that is not, chance explains a half.
        assert shrunk == pytest.approx([math.sqrt(2 / 3 - 1 / 6)])
    # Where chance explains all of it, the first correlation counts as it is.
    _, _, shrunk, _ = canonical_pairs(X, np.array([[1.0], [1.0], [1.0], [-1.0]]), ALL[:3], ALL[:3])
    assert shrunk.size == 1
    assert shrunk[0] > 0


def test_a_perfect_match_is_worth_no_more_than_nearly_perfect_ones() -> None:
    _, _, shrunk, likelihood = canonical_pairs(X, X, ALL, ALL)
    assert shrunk.tolist() == [0.995]
    assert likelihood == pytest.approx(-2 * math.log(1 - 0.999**2))


def test_gains_are_those_of_the_formula_averaged_over_views() -> None:
    rng = np.random.default_rng(0)
    files = []
    for width in (2, 3):
        x = whiten(rng.normal(size=(40, width)), 0.0)
        files.append(Whitened(x, whiten(x + 0.5 * rng.normal(size=x.shape), 0.0)))
    rows, columns = np.arange(40), np.arange(40)
    table, worth = gains(files, rows, columns)
    expected, likelihoods = np.zeros((40, 40)), []
    for x, y in files:
        first, second, shrunk, likelihood = canonical_pairs(x, y, rows, columns)
        likelihoods.append(likelihood)
        for i, j in np.ndindex(40, 40):
            for a, b, rho in zip(first[i], second[j], shrunk, strict=True):
                expected[i, j] += rho / (1 - rho**2) * (a * b - rho * (a**2 + b**2) / 2) / 2
    assert table == pytest.approx(expected)
    assert worth == pytest.approx(np.mean(likelihoods))


def test_components_have_unit_variance_and_weak_ones_are_damped() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3)) * [5.0, 1.0, 0.1] + 7
    free = whiten(values, 0.0)
    assert free.T @ free / 50 == pytest.approx(np.eye(3), abs=1e-9)
    damped = whiten(values, 1.0)
    strength = np.linalg.svd((values - values.mean(axis=0)) / np.sqrt(50), compute_uv=False)
    assert (damped**2).mean(axis=0) == pytest.approx(strength**2 / (strength**2 + 1))
    # A column that is another's multiple adds nothing, and no file has more components than a quarter of its records.
    assert whiten(np.column_stack([values, 2 * values[:, 0]]), 0.0).shape == (50, 3)
    assert whiten(values[:8], 0.0).shape == (8, 2)
    assert whiten(values[:7], 0.0).shape == (7, 1)
    assert whiten(values[:3], 0.0).shape == (3, 1)


def test_pairs_have_the_largest_sum() -> None:
    rows, columns = solve(np.array([[5.0, 4.0, 0.0], [4.0, 0.0, 0.0]]))
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
    assert rows.dtype == columns.dtype == np.int64


def test_a_match_is_improved_until_it_stays(monkeypatch) -> None:
    rng = np.random.default_rng(2)
    x = whiten(rng.normal(size=(60, 4)), 0.0)
    files = [Whitened(x, x @ np.linalg.qr(rng.normal(size=(4, 4)))[0])]
    start = np.arange(60), np.concatenate([np.roll(np.arange(12), 1), np.arange(12, 60)])
    evidence = np.zeros((60, 60))
    found = improve(files, *start, evidence)
    assert found.columns.tolist() == list(range(60))
    assert found.objective == pytest.approx(gains(files, found.rows, found.columns)[1])
    # What is known of pairs is added to what they gain, and to what the match is worth.
    evidence[3, 4] = evidence[4, 3] = 1e6
    told = improve(files, *start, evidence)
    assert told.columns[[3, 4]].tolist() == [4, 3]
    table, likelihood = gains(files, told.rows, told.columns)
    assert told.objective == pytest.approx(likelihood + 2e6)
    assert told.table == pytest.approx(table + evidence)
    monkeypatch.setattr(canonical, "_ROUNDS", 0)
    left = improve(files, *start, np.zeros((60, 60)))
    assert left.columns.tolist() == start[1].tolist()
    assert left.objective < found.objective
