"""The monotonicity study of the CWOW-median (Domingo-Ferrer and Torra 2002, Tables 5 to 17), drawn again.

In each draw, N values fall uniformly on l levels; some of them are then raised, and the CWOW-median with Q(x) = x and
equal weights is taken before and after. A cell counts the draws in which it fell.

Scenario 1
    one pair of levels α < β is drawn, and up to K of the values at α move to β;
scenario 2
    K pairs are drawn one after the other, and each moves one value from its α, if there is one, to its β.

Every cell has its own stream of random numbers, derived from the seed, scenario, K, l and N: the counts do not depend
on the number of threads, nor on which cells are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from discreet.errors import ParameterError
from discreet.kernels.monotonicity import count_violations
from discreet.papers.p1b_tables import LEVELS, PRINTED, SOURCES
from discreet.parameters import Choice, Integer, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["TableComparison", "compare_table", "simulate_violations"]

_REPRODUCIBLE = 30
_PRINTED_DRAWS = 10_000


def simulate_violations(
    scenario: int,
    moves: int,
    *,
    levels: Sequence[int] = LEVELS,
    sources: Sequence[int] = SOURCES,
    draws: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> IntArray:
    """Count the violations of monotonicity for every size of scale and number of values.

    Parameters
    ----------
    scenario : {1, 2}
        How values are raised; see the module's description.
    moves : int
        K, how many values are raised at most.
    levels, sources : sequence of int
        Rows l (at least 2) and columns N (at least 1).
    draws : int
        Draws in each cell.
    seed : int
        Where the random numbers start.
    threads : int, optional
        By default as many as there are processors; the counts are the same.

    Returns
    -------
    array of int, one row per size of scale

    Examples
    --------
    On two or three levels the median never falls:

    >>> simulate_violations(1, 1, levels=(2, 3), sources=(5, 10), draws=200).tolist()
    [[0, 0], [0, 0]]
    """
    whole = {"moves": Integer(1), "draws": Integer(1), "seed": Integer(0), "levels": Integer(2), "sources": Integer(1)}
    if scenario not in (1, 2):
        raise ParameterError(f"simulate_violations: scenario must be 1 or 2; got {scenario!r}.")
    check_parameters("simulate_violations", {"moves": moves, "draws": draws, "seed": seed}, whole)
    cells = [(int(size), int(count)) for size in levels for count in sources]
    for size, count in cells:
        check_parameters("simulate_violations", {"levels": size, "sources": count}, whole)

    def count_cell(cell: tuple[int, int]) -> int:
        size, count = cell
        stream = np.random.SeedSequence([seed, scenario, moves, size, count])
        state = np.asarray(stream.generate_state(1, np.uint64), dtype=np.uint64)
        counts, filled = np.empty((2, size), dtype=np.int64)
        return int(count_violations(count, moves, scenario == 1, draws, state, counts, filled))

    # The dearest cells first, so that no thread is left alone with one at the end.
    order = sorted(range(len(cells)), key=lambda place: -(cells[place][1] + 2 * cells[place][0]))
    found = np.empty(len(cells), dtype=np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        found[order] = list(pool.map(count_cell, [cells[place] for place in order]))
    return found.reshape(len(levels), len(sources))


@dataclass(frozen=True)
class TableComparison:
    """A printed table beside the counts drawn again; rows of up to 30 levels are comparable.

    `z` compares cell by cell, `pooled_z` the sum over all comparable cells.
    """

    table: int
    scenario: int
    moves: int
    printed: IntArray
    simulated: IntArray
    z: FloatArray
    pooled_z: float

    @property
    def comparable(self) -> int:
        """Number of cells in the rows of up to 30 levels."""
        return int(self.z.size)

    def beyond(self, sigmas: float = 3.0) -> int:
        """Return how many comparable cells differ by more than `sigmas` standard errors."""
        return int((np.abs(self.z) > sigmas).sum())


def compare_table(table: int, *, draws: int = 10_000, seed: int = 0, threads: int | None = None) -> TableComparison:
    """Draw a printed table again and compare it cell by cell.

    The z-scores are those of two binomial counts with a common probability, for the rows of up to 30 levels. The
    printed rows for 50 and 100 levels do not follow from the paper's description; ours stand on their own.

    Parameters
    ----------
    table : int
        Between 5 and 17.
    draws, seed, threads : int
        As in `simulate_violations`; the printed tables are of 10,000 draws.
    """
    known = Choice(tuple(str(number) for number in PRINTED))
    check_parameters("compare_table", {"table": str(table)}, {"table": known})
    source = PRINTED[table]
    printed = np.array(source.counts, dtype=np.int64)
    simulated = simulate_violations(source.scenario, source.moves, draws=draws, seed=seed, threads=threads)
    rows = [place for place, size in enumerate(LEVELS) if size <= _REPRODUCIBLE]
    z = _z_scores(printed[rows], _PRINTED_DRAWS, simulated[rows], draws)
    cells = z.size
    sums = printed[rows].sum(keepdims=True), simulated[rows].sum(keepdims=True)
    pooled = _z_scores(sums[0], cells * _PRINTED_DRAWS, sums[1], cells * draws).item()
    return TableComparison(table, source.scenario, source.moves, printed, simulated, z, pooled)


def _z_scores(a: IntArray, n_a: int, b: IntArray, n_b: int) -> FloatArray:
    pooled = (a + b) / (n_a + n_b)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    # Two counts of zero agree.
    return np.divide(a / n_a - b / n_b, error, out=np.zeros(a.shape), where=error > 0)
