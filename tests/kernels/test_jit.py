from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

from discreet.kernels.grouping import counting_order
from discreet.kernels.jit import Kernel, PlainTwin, exact_kernel, inlined_kernel, lean_kernel


@exact_kernel
def doubled(x: float) -> float:
    return 2.0 * x


@exact_kernel
def quadrupled(x: float) -> float:
    return doubled(doubled(x))


def test_a_kernel_is_compiled_when_it_is_called_and_may_call_others():
    fresh = Kernel(quadrupled.py_func, frozenset({"nsz"}))
    assert not fresh.is_ready
    assert fresh(1.5) == 6.0
    assert fresh.is_ready
    assert (fresh.__name__, fresh.py_func(1.5)) == ("quadrupled", 6.0)


@exact_kernel
def raised(x: float, times: int) -> float:
    for _ in range(times):
        x = doubled(x)
    return x


@exact_kernel
def raised_by_several(x: float, times: int) -> float:
    return raised(raised(raised(x, 2), 3), times)


def test_a_constant_in_a_call_needs_no_code_of_its_own():
    assert raised_by_several(1.0, 4) == 2.0**9
    assert len(raised.dispatcher().signatures) <= 1  # none where the whole was found compiled
    assert raised_by_several.py_func(1.0, 4) == 2.0**9


@inlined_kernel
def row_sum(table: tuple[np.ndarray, np.ndarray], row: int) -> float:
    total = 0.0
    for x in table[0][row]:
        total += x
    return total


@lean_kernel
def sum_of_rows(table: tuple[np.ndarray, np.ndarray], sums: np.ndarray) -> None:
    for i in range(sums.size):
        sums[i] = row_sum(table, i) + table[1][i]


@exact_kernel
def largest_sum(table: tuple[np.ndarray, np.ndarray]) -> float:
    sums = np.empty(table[1].size)
    sum_of_rows(table, sums)
    return sums.max()


def test_kernels_that_count_no_references_read_what_others_made():
    table = np.arange(6.0).reshape(3, 2), np.ones(3)
    sums = np.empty(3)
    before = sys.getrefcount(table[0])
    results = {largest_sum(table) for _ in range(9)}
    for _ in range(9):
        sum_of_rows(table, sums)
    after = sys.getrefcount(table[0])
    assert (results, sums.tolist(), after) == ({10.0}, [2.0, 6.0, 10.0], before)


def test_a_kernel_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(counting_order)) is counting_order  # noqa: S301


@pytest.mark.parametrize(
    "work",
    [
        "dc.MDAV",
        "from discreet.catalogue import describe_methods; describe_methods()",
        "dc.MDAV(k=3).mask(dc.datasets.business(200))",
        "import numpy as np, polars as pl; r = np.random.default_rng(1)\n"  # noqa: ISC004
        "s = dc.microdata(pl.DataFrame({c: r.normal(size=200) for c in 'abcd'})); dc.assess(s, dc.MDAV(k=3).mask(s))",
    ],
)
def test_what_is_small_waits_for_no_compiler(work):
    script = f"import discreet as dc; {work}; import sys; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == "False"


def test_plain_code_works_as_long_as_compiling_costs_more(monkeypatch):
    monkeypatch.undo()  # of what tells all twins of the test suite to step back
    ready, fresh = Kernel(doubled.py_func, frozenset()), Kernel(doubled.py_func, frozenset())
    ready(1.0)
    twin = PlainTwin(10.0, fresh)
    assert [twin.takes(work) for work in (4.0, 7.0, 6.0, 1.0)] == [True, False, True, False]
    assert not PlainTwin(10.0, ready).takes(1.0)
    assert PlainTwin(10.0, ready, fresh).takes(1.0)


@pytest.mark.plain_code
def test_twins_of_small_kernels_are_them_to_the_last_bit():
    from discreet.kernels.fingerprint import _add_cells, add_cells
    from discreet.kernels.grouping import group_order
    from discreet.kernels.values.aggregate_numeric import _mean_groups, mean_groups
    from discreet.kernels.values.population import _expected_inverse, expected_inverse

    rng = np.random.default_rng(5)
    for n in (1, 2, 17, 300):
        bits, rows, salt = rng.integers(0, 2**63, n).astype(np.uint64) * np.uint64(3), rng.permutation(n), np.uint64(n)
        sums, twins = np.array([2**64 - 1, 7], dtype=np.uint64), np.array([2**64 - 1, 7], dtype=np.uint64)
        _add_cells(bits, rows, salt, sums)
        add_cells(bits, rows, salt, twins)
        assert (sums == twins).all()
        labels = rng.integers(0, 1 + n // 4, n)
        labels[: labels.max() + 1] = np.arange(labels.max() + 1)[:n]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64)
        order = np.empty(n, dtype=np.int64)
        counting_order(labels, offsets[:-1].copy(), order)
        assert (group_order(labels, offsets) == order).all()
        values = rng.normal(size=n) * 10.0 ** rng.integers(-8, 8, n)
        means, twin_means = np.empty(offsets.size - 1), np.empty(offsets.size - 1)
        if np.diff(offsets).min() > 0:
            _mean_groups(values, offsets, means)
            mean_groups(values, offsets, twin_means)
            assert means.tobytes() == twin_means.tobytes()
        sizes = rng.integers(1, 60, n)
        shares = np.where(rng.random(n) < 0.2, 1.0, rng.choice([0.001, 0.3, 0.5, 0.7], n))
        risks, twin_risks = np.empty(n), np.empty(n)
        _expected_inverse(sizes, shares, risks)
        expected_inverse(sizes, shares, twin_risks)
        assert risks.tobytes() == twin_risks.tobytes()


@pytest.mark.plain_code
def test_the_search_for_special_uniques_is_the_same_with_plain_loops(monkeypatch):
    from discreet.measures.risk.special_uniques import _shares, minimal_uniques

    rng = np.random.default_rng(2)
    levels = (3, 9, 4, 6)
    codes = [rng.integers(0, size, 120) for size in levels]

    def search():
        uniques = minimal_uniques(codes, levels, 3)
        return uniques, _shares(codes, uniques, np.sqrt(np.arange(uniques.records.size)))

    plain, plain_shares = search()
    monkeypatch.setattr(PlainTwin, "takes", lambda _twin, _work: False)
    compiled, shares = search()
    assert plain.records.size
    assert (plain.records == compiled.records).all()
    assert (plain.subsets == compiled.subsets).all()
    assert all((one == other).all() for one, other in zip(plain_shares, shares, strict=True))
