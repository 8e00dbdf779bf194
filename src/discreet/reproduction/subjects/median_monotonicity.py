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
from discreet.kernels.values.monotonicity import count_violations
from discreet.parameters import Choice, Integer, check_parameters
from discreet.progress import track
from discreet.reproduction.subjects.printed_monotonicity import LEVELS, PRINTED, SOURCES
from discreet.reproduction.verdicts import Cell, Curve, CurveFigure, Row, Table
from discreet.typing import FloatArray, IntArray

__all__ = ["PrintedCounts", "compare_table", "figure", "simulate_violations", "tables"]

_REPRODUCIBLE = 30
_PRINTED_DRAWS = 10_000
_LIMIT = 3.0
# What the caption of a table says where it reproduces as something else: scenario and K.
_CAPTIONS = {13: (2, 3)}


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
    violations = np.empty(len(cells), dtype=np.int64)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        violations[order] = list(pool.map(count_cell, [cells[place] for place in order]))
    return violations.reshape(len(levels), len(sources))


@dataclass(frozen=True)
class PrintedCounts:
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


def compare_table(table: int, *, draws: int = 10_000, seed: int = 0, threads: int | None = None) -> PrintedCounts:
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
    numbers = Choice(tuple(str(number) for number in PRINTED))
    check_parameters("compare_table", {"table": str(table)}, {"table": numbers})
    source = PRINTED[table]
    printed = np.array(source.counts, dtype=np.int64)
    simulated = simulate_violations(source.scenario, source.moves, draws=draws, seed=seed, threads=threads)
    rows = [place for place, size in enumerate(LEVELS) if size <= _REPRODUCIBLE]
    z = _z_scores(printed[rows], _PRINTED_DRAWS, simulated[rows], draws)
    cells = z.size
    sums = printed[rows].sum(keepdims=True), simulated[rows].sum(keepdims=True)
    pooled = _z_scores(sums[0], cells * _PRINTED_DRAWS, sums[1], cells * draws).item()
    return PrintedCounts(table, source.scenario, source.moves, printed, simulated, z, pooled)


def _z_scores(a: IntArray, n_a: int, b: IntArray, n_b: int) -> FloatArray:
    pooled = (a + b) / (n_a + n_b)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    # Two counts of zero agree.
    return np.divide(a / n_a - b / n_b, error, out=np.zeros(a.shape), where=error > 0)


def tables(*, full: bool = False) -> list[Table]:
    """Return Tables 5 to 17 beside the counts of 10,000 draws a cell; 100,000 in full, scaled to 10,000."""
    draws = 100_000 if full else 10_000
    return [_table(number, draws) for number in track(PRINTED, "P1b: monotonicity", len(PRINTED))]


def _table(number: int, draws: int) -> Table:
    source, comparison = PRINTED[number], compare_table(number, draws=draws)
    z = -_z_scores(comparison.printed, _PRINTED_DRAWS, comparison.simulated, draws)
    rows = []
    for i, size in enumerate(LEVELS):
        cells = []
        for j, count in enumerate(SOURCES):
            printed, ours = int(comparison.printed[i, j]), float(comparison.simulated[i, j]) * _PRINTED_DRAWS / draws
            agrees = abs(z[i, j]) <= _LIMIT
            reason = "" if agrees else _reason(source.scenario, size, count, printed)
            cells.append(
                Cell(str(printed), f"{ours:g}", "sampling" if agrees else "differs", ours - printed, z=float(z[i, j]),
                     reason=reason)
            )  # fmt: skip
        rows.append(Row(str(size), tuple(cells)))
    beyond = comparison.beyond(_LIMIT)
    note = (
        f"Rows up to l = 30: {beyond} of {comparison.comparable} cells beyond {_LIMIT:g} standard errors, where chance"
        f" lets expect {comparison.comparable * 0.0027:.1f}; all cells together z = {-comparison.pooled_z:+.2f}."
        f" {source.note}"
    )
    if number in _CAPTIONS:
        note += _caption_evidence(number, draws)
    title = f"Violations of monotonicity in 10,000 draws, scenario {source.scenario} with K = {source.moves}"
    return Table(f"Table {number}", title, tuple(map(str, SOURCES)), tuple(rows), "l \\ N", note.strip())


def _reason(scenario: int, size: int, count: int, printed: int) -> str:
    """Say why a cell differs: by chance, or because its row cannot come from the experiment that is described."""
    if size <= _REPRODUCIBLE:
        return f"beyond {_LIMIT:g} standard errors"
    # Without a value at α nothing moves, and what does not move does not fall.
    most = _PRINTED_DRAWS * (1.0 - (1.0 - 1.0 / size) ** count)
    if scenario == 1 and printed > most + _LIMIT * np.sqrt(most):
        return (
            "impossible as described: nothing can fall unless one of the N values is on the level that moves, and that "
            f"happens in 10,000 · (1 − (1 − 1/{size})^N) draws, fewer than are printed"
        )
    return f"the printed row for l = {size} does not follow from the description; ours stands on its own"


def _caption_evidence(number: int, draws: int) -> str:
    """Say how badly a table agrees with its caption."""
    scenario, moves = _CAPTIONS[number]
    rows = [place for place, size in enumerate(LEVELS) if size <= _REPRODUCIBLE]
    levels = [LEVELS[place] for place in rows]
    counts = simulate_violations(scenario, moves, levels=levels, draws=draws)
    z = _z_scores(np.array(PRINTED[number].counts, dtype=np.int64)[rows], _PRINTED_DRAWS, counts, draws)
    return f" As captioned, {int((np.abs(z) > _LIMIT).sum())} of {z.size} cells would be beyond {_LIMIT:g}."


def figure() -> CurveFigure:
    """Return how often monotonicity fails as the number of values grows, printed and drawn again (Table 5)."""
    comparison = compare_table(5)
    curves = []
    for size in (5, 10, 20, 30):
        row = LEVELS.index(size)
        for label, counts in (("printed", comparison.printed), ("ours", comparison.simulated)):
            points = tuple((float(np.log10(n)), float(c) / 100) for n, c in zip(SOURCES, counts[row], strict=True))
            curves.append(Curve(f"l = {size}, {label}", points, dashed=label == "printed"))
    alt = (
        "Share of draws in which the CWOW-median falls although a value rose, against the number of values, for scales "
        "of 5, 10, 20 and 30 levels: at most 2.5 percent, falling for many values; printed and our curves lie together."
    )
    ticks = tuple((float(np.log10(n)), str(n)) for n in (5, 10, 25, 50, 100, 200, 500, 1000))
    title = "Violations of monotonicity by number of values, Table 5"
    return CurveFigure(title, alt, "number of values N", "% of draws", tuple(curves), ticks)
