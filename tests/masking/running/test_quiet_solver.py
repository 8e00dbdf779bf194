"""Programmes solved by hand, bounds that do not rest on the solver, and what is left out of a narrowed one."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.stand_ins import instead

from discreet.masking.running import quiet_solver
from discreet.masking.running.quiet_solver import Programme, Relaxation, solver_kept_quiet


def programme(cost, *, lower=None, upper=1.0, whole=True, rows=(), at_least=(), sums=(), equal=()):
    n = len(cost)
    return Programme(
        cost=np.array(cost, dtype=float),
        lower=np.zeros(n) if lower is None else np.array(lower, dtype=float),
        upper=np.full(n, upper, dtype=float),
        whole=np.full(n, whole),
        rows=csr_matrix(np.array(rows, dtype=float).reshape(len(at_least), n)),
        at_least=np.array(at_least, dtype=float),
        sums=csr_matrix(np.array(sums, dtype=float).reshape(len(equal), n)),
        equal=np.array(equal, dtype=float),
    )


# Two of three, and one more; the halves that a linear programme finds are no whole numbers.
COVER = programme([2.0, 3.0, 4.0], rows=[[1, 1, 0], [0, 1, 1], [1, 0, 1]], at_least=[1, 1, 1])
CASES = [
    (COVER, 4.5, 5.0),
    (replace(COVER, whole=np.zeros(3, dtype=bool)), 4.5, 4.5),
    (programme([2.0, 3.0], sums=[[1, 1]], equal=[1]), 2.0, 2.0),
    (programme([2.0, 3.0], upper=4.0, sums=[[1, 1]], equal=[3], rows=[[0, 1]], at_least=[1]), 7.0, 7.0),
    (programme([2.0, -3.0], upper=4.0), -12.0, -12.0),
    (programme([2.0, 3.0], lower=[1.0, 0.0], upper=4.0), 2.0, 2.0),
    (programme([2.0, 3.0], lower=[1.0, 1.0], upper=4.0, rows=[[2, 2]], at_least=[5]), 6.0, 7.0),
    (programme([]), 0.0, 0.0),
]


@pytest.mark.parametrize(("asked", "linear", "best"), CASES)
def test_bounds_and_solutions_of_programmes_solved_by_hand(asked, linear, best):
    for seconds in (None, 60.0):
        relaxed = asked.relaxed(seconds)
        assert relaxed.bound == pytest.approx(linear, abs=1e-6)
        assert relaxed.bound <= linear
        assert float(asked.cost @ relaxed.values) == pytest.approx(linear)
        values, bound, finished = asked.solved(seconds)
        assert finished
        assert float(asked.cost @ values) == pytest.approx(best)
        assert (asked.lower - 1e-9 <= values).all()
        assert (values <= asked.upper + 1e-9).all()
        assert bound == pytest.approx(best, abs=1.1e-3)
        assert bound <= best


def test_a_reduced_cost_is_what_an_unknown_adds():
    relaxed = programme([2.0, 3.0, 7.0], sums=[[1, 1, 1]], equal=[1]).relaxed()
    assert relaxed.values == pytest.approx([1.0, 0.0, 0.0])
    # The dual may be anything from 2 to 3 less the first; the bound is what counts with it.
    assert relaxed.reduced[1] - relaxed.reduced[0] == pytest.approx(1.0)
    assert relaxed.reduced[2] - relaxed.reduced[0] == pytest.approx(5.0)


def test_a_bound_is_summed_here_whatever_the_solver_says(monkeypatch):
    """Prices that are wrong give a lower bound, never one that is too high."""

    class Answer:
        status, x = 0, np.array([1.0, 1.0, 0.0])

        class ineqlin:  # noqa: N801 - the name of the solver
            marginals = np.array([-1.0, 5.0, -9.0])

    monkeypatch.setattr("scipy.optimize.linprog", lambda *_arguments, **_options: Answer)
    bound, values, reduced = COVER.relaxed()
    # Prices 1, 0 and 9: of the costs 2, 3, 4 are left 2 − 1 − 9, 3 − 1 and 4 − 9.
    assert reduced.tolist() == [-8.0, 2.0, -5.0]
    assert bound == pytest.approx(10.0 - 8.0 - 5.0, abs=1e-8)
    assert bound < -3.0
    assert values.tolist() == [1.0, 1.0, 0.0]
    Answer.status = 1
    assert COVER.relaxed() is None


def test_what_cannot_be_part_of_anything_as_cheap_is_left_out():
    asked = programme([2.0, 3.0, 4.0, 5.0], lower=[0, 0, 0, 1], upper=3.0, sums=[[1, 1, 1, 1]], equal=[2])
    relaxation = Relaxation(7.0, np.zeros(4), np.array([0.0, 1.0, 2.0, 9.0]))
    assert asked.narrowed(relaxation, 8.5).upper.tolist() == [3.0, 3.0, 0.0, 3.0]
    assert asked.narrowed(relaxation, 8.0).upper.tolist() == [3.0, 3.0, 0.0, 3.0]
    assert asked.narrowed(relaxation, 7.9).upper.tolist() == [3.0, 0.0, 0.0, 3.0]
    assert asked.narrowed(relaxation, 9.0).upper.tolist() == [3.0] * 4
    assert asked.upper.tolist() == [3.0] * 4


def test_programmes_without_a_solution_end_without_one():
    values, bound, finished = programme([1.0, 1.0], sums=[[1, 1]], equal=[3]).solved()
    assert values is None
    assert bound == -np.inf
    assert finished
    assert programme([1.0, 1.0], sums=[[1, 1]], equal=[3]).relaxed() is None


def test_limits_reach_the_solver(monkeypatch):
    given = []

    class Answer:
        status, x, fun, mip_dual_bound = 1, None, None, None

    def record(*_arguments, options, **_others):
        given.append(options)
        return Answer

    monkeypatch.setattr("scipy.optimize.milp", record)
    monkeypatch.setattr("scipy.optimize.linprog", record)
    for seconds, nodes in [(None, None), (2.5, None), (-1.0, 7)]:
        values, bound, finished = COVER.solved(seconds, nodes)
        assert (values, bound, finished) == (None, -np.inf, False)
        assert COVER.relaxed(seconds) is None
    assert given == [
        {"mip_rel_gap": 1e-9},
        {},
        {"mip_rel_gap": 1e-9, "time_limit": 2.5},
        {"time_limit": 2.5},
        {"mip_rel_gap": 1e-9, "time_limit": 0.01, "node_limit": 7},
        {"time_limit": 0.01},
    ]
    Answer.mip_dual_bound, Answer.status, Answer.x = 4.0, 1, [1, 0, 1]
    values, bound, finished = COVER.solved()
    assert (values.tolist(), bound, finished) == ([1.0, 0.0, 1.0], 4.0 - 1e-3, False)


def test_without_standard_output_nothing_is_kept_quiet(monkeypatch):
    def closed(_number):
        raise OSError

    with monkeypatch.context() as patched:  # until pytest itself wants them again
        patched.setattr(quiet_solver, "os", instead(quiet_solver.os, dup=closed))
        patched.setattr(quiet_solver, "os", instead(quiet_solver.os, dup2=None))
        with solver_kept_quiet():
            entered = True
    assert entered


def test_standard_output_is_back_after_an_error_and_no_file_stays_open(capfd):
    free = os.dup(1)
    os.close(free)
    with pytest.raises(ZeroDivisionError), solver_kept_quiet():
        os.write(1, b"a solver's own words\n")
        raise ZeroDivisionError
    os.write(1, b"ours\n")
    assert capfd.readouterr().out == "ours\n"
    again = os.dup(1)
    os.close(again)
    assert again == free
