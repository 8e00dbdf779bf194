from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.reproduction.subjects.median_monotonicity import _z_scores, compare_table, simulate_violations


def test_counts_do_not_depend_on_threads_or_on_the_other_cells():
    cells = {"levels": (4, 10, 20), "sources": (5, 15, 40), "draws": 1_500, "seed": 3}
    one = simulate_violations(2, 4, **cells, threads=1)
    assert one.tolist() == simulate_violations(2, 4, **cells, threads=3).tolist()
    assert simulate_violations(2, 4, levels=(10,), sources=(15,), draws=1_500, seed=3).item() == one[1, 1]


def test_a_seed_reproduces_and_another_differs():
    cells = {"levels": (20,), "sources": (10, 15, 20, 25), "draws": 2_000}
    first = simulate_violations(1, 1, **cells, seed=0)
    assert first.tolist() == simulate_violations(1, 1, **cells, seed=0).tolist()
    assert first.tolist() != simulate_violations(1, 1, **cells, seed=1).tolist()


def test_z_scores_of_equal_and_of_different_counts():
    z = _z_scores(np.array([0, 50, 100]), 10_000, np.array([0, 50, 200]), 10_000)
    assert z[:2].tolist() == [0.0, 0.0]
    assert z[2] == pytest.approx(-100 / np.sqrt(2 * 10_000 * 0.015 * 0.985))


def test_a_wrong_scenario_is_noticed(monkeypatch):
    from dataclasses import replace

    from discreet.reproduction.subjects.printed_monotonicity import PRINTED

    monkeypatch.setitem(PRINTED, 16, replace(PRINTED[16], scenario=1))
    assert compare_table(16, draws=2_000).beyond(3.0) > 20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate_violations(3, 1), "scenario must be 1 or 2; got 3"),
        (lambda: simulate_violations(1, 0), "moves must be an integer of at least 1; got 0"),
        (lambda: simulate_violations(1, 1, levels=(1,)), "levels must be an integer of at least 2; got 1"),
        (lambda: simulate_violations(1, 1, sources=(0,)), "sources must be an integer of at least 1; got 0"),
        (lambda: compare_table(4), "table must be one of '5'"),
    ],
)
def test_bad_parameters_are_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
