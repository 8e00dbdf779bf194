from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.reproduction.subjects import median_monotonicity
from discreet.reproduction.subjects.median_monotonicity import (
    LEVELS,
    SOURCES,
    PrintedCounts,
    _reason,
    _table,
    _z_scores,
    compare_table,
    simulate_violations,
)
from discreet.reproduction.subjects.printed_monotonicity import PRINTED


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


@pytest.mark.parametrize(
    ("scenario", "size", "printed", "words"),
    [
        (1, 30, 9_999, "beyond 3 standard errors"),
        (1, 50, 3_000, "impossible as described"),
        (2, 50, 3_000, "the printed row for l = 50 does not follow from the description; ours stands on its own"),
        # One draw in ten moves: 1,000 of 10,000, and three roots of it more are chance.
        (1, 50, 10_000 * (1 - 0.98**5) + 3 * (10_000 * (1 - 0.98**5)) ** 0.5 - 1, "the printed row for l = 50"),
        (1, 50, 10_000 * (1 - 0.98**5) + 3 * (10_000 * (1 - 0.98**5)) ** 0.5 + 1, "impossible as described"),
    ],
)
def test_why_a_cell_differs(scenario, size, printed, words):
    assert _reason(scenario, size, 5, printed).startswith(words)


def counts_of(monkeypatch, number, change):
    """Return a table whose counts are the printed ones, but for some."""
    source = PRINTED[number]
    printed = np.array(source.counts, dtype=np.int64)
    simulated = change(printed.copy())
    z = _z_scores(printed, 10_000, simulated, 10_000)
    found = PrintedCounts(number, source.scenario, source.moves, printed, simulated, z, 0.5)
    monkeypatch.setattr(median_monotonicity, "compare_table", lambda *_, **__: found)
    return _table(number, 10_000)


def test_a_table_of_what_is_printed_agrees_and_a_cell_far_off_does_not(monkeypatch):
    table = counts_of(monkeypatch, 5, lambda counts: counts)
    assert {cell.verdict for _, _, cell in table.cells} == {"sampling"}
    assert (table.name, table.corner, len(table.rows)) == ("Table 5", "l \\ N", len(LEVELS))
    assert table.columns == tuple(str(count) for count in SOURCES)
    assert "Rows up to l = 30: 0 of " in table.note
    assert "all cells together z = -0.50" in table.note

    def far(counts):
        counts[0, 1] += 900
        return counts

    other = counts_of(monkeypatch, 5, far)
    (cell,) = (cell for _, _, cell in other.cells if cell.verdict == "differs")
    assert cell is other.rows[0].cells[1]
    assert (cell.difference, cell.ours) == (900, str(int(cell.printed) + 900))
    assert cell.z > 3
    assert cell.reason == "beyond 3 standard errors"
    assert "Rows up to l = 30: 1 of " in other.note
