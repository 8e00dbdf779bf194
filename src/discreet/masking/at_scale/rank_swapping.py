"""Rank swapping at scale: within blocks of records drawn at random, ranks being those of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import ROW, Block
from discreet.draws import Draws
from discreet.errors import ParameterError
from discreet.kernels.swap import swap_partners
from discreet.masking.at_scale.plan import Plan, TableJob, at_scale, refuse
from discreet.masking.hiding import too_few
from discreet.masking.swapping import FEWEST_SWAPPED, RankSwapping
from discreet.typing import FloatArray, IntArray

__all__ = ["RankGrid"]

PART = "#part"
# Values whose exact ranks are counted: the bound on a rank difference is loose by the records between two of them.
_GRID = 4000
# Blocks must hold so many windows that a window inside them is a fair share of the whole.
_IN_BLOCK = 0.98
_PER_BLOCK = 20


@dataclass(frozen=True)
class RankGrid:
    """Exact ranks of some values of a column, the last of them infinity.

    Attributes
    ----------
    values : (m,) float64
    below, up_to : (m,) int64
        How many records are smaller, and how many are at most that large.
    """

    values: FloatArray
    below: IntArray
    up_to: IntArray

    def apart(self, low: FloatArray, high: FloatArray) -> IntArray:
        """Return how many records can lie between two values at most, those equal to either not counted."""
        above = np.searchsorted(self.values, high, side="left")
        under = np.searchsorted(self.values, low, side="right") - 1
        not_above = np.where(under >= 0, self.up_to[under], 0)
        return np.asarray(np.maximum(self.below[above] - not_above, 0))


@dataclass(frozen=True)
class _CountGrid:
    grids: Mapping[str, FloatArray]

    def __call__(self, block: Block) -> Block:
        result = {}
        for name, grid in self.grids.items():
            column = np.sort(_numbers(block[name]))
            result[name] = np.stack([np.searchsorted(column, grid, side=side) for side in ("left", "right")])
        return result


def _numbers(column: Any) -> FloatArray:
    if column.dtype.kind == "i":
        return np.asarray(column[column >= 0], dtype=np.float64)
    return np.asarray(column[~np.isnan(column)])


@dataclass(frozen=True)
class _Deal:
    """Deal records into blocks by their draws."""

    parts: int
    draws: Draws

    def __call__(self, block: Block) -> Block:
        shares = self.draws.uniform(block[ROW])
        return {**block, PART: np.minimum((shares * self.parts).astype(np.int64), self.parts - 1)}


@dataclass(frozen=True)
class _Swap:
    """Swap within a block, and undo what may be farther apart than the window."""

    names: tuple[str, ...]
    windows: Mapping[str, int]
    grids: Mapping[str, RankGrid]
    draws: Draws

    def __call__(self, block: Block) -> Block:
        order = np.argsort(block[ROW], kind="stable")
        records = {name: column[order] for name, column in block.items()}
        rng = self.draws.generator(int(records[ROW][0]))
        result: dict[str, Any] = {ROW: records[ROW]}
        for name in self.names:
            column, grid = records[name], self.grids[name]
            present = np.flatnonzero(column >= 0 if column.dtype.kind == "i" else ~np.isnan(column))
            result[name] = column.copy()
            if present.size < 2:
                continue
            whole = int(grid.up_to[-1])
            share = 1.0 if present.size == whole else _IN_BLOCK
            window = max(1, int(share * self.windows[name] * present.size / whole))
            ranked = present[np.argsort(column[present], kind="stable")]
            partners = np.empty(ranked.size, dtype=np.int64)
            swap_partners(window, rng.random(ranked.size), np.empty(ranked.size + 1, dtype=np.int64), partners)
            values = column[ranked]
            other = values[partners]
            if present.size < whole:
                low, high = np.minimum(values, other), np.maximum(values, other)
                far = grid.apart(low.astype(np.float64), high.astype(np.float64))
                # With `far` records between them, the ranks of two values differ by one more.
                other = np.where(far < self.windows[name], other, values)
            result[name][ranked] = other
        return result


@at_scale.register(RankSwapping)
def _swapping(masker: RankSwapping, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    engine = job.engine
    rows = engine.open(job.source, job.names)
    sample = engine.sample(rows, 200_000, job.n, job.draws.integer("sample"))
    grids = {}
    for name in job.names:
        values = np.unique(_numbers(sample[name]))
        if values.size > _GRID:
            values = values[np.unique(np.linspace(0, values.size - 1, _GRID).astype(np.int64))]
        grids[name] = np.append(values, np.inf)
    counts = engine.fold(rows, _CountGrid(grids))
    ranks = {name: RankGrid(grids[name], *counts[name].astype(np.int64)) for name in job.names}
    windows = {}
    parts = max(1, -(-job.n // job.block_size))
    # Dealt at random, so many values leave practically no block with one alone, which would stay as it is.
    fewest = FEWEST_SWAPPED if parts == 1 else _PER_BLOCK * parts
    for name in job.names:
        present = int(ranks[name].up_to[-1])
        if 0 < present < fewest:
            raise too_few("RankSwapping", name, present, fewest)
        windows[name] = int(masker.p * present / 100) if masker.window is None else min(masker.window, present)
        if windows[name] < 1 and present > 1:
            raise ParameterError(
                f"RankSwapping: p must reach at least one rank; {masker.p:g} percent of {present} values of "
                f"{name!r} do not.",
                hint="Use a larger p, or window=1.",
            )
    kinds = {ROW: "int", **job.kinds()}
    dealt = engine.apply(rows, _Deal(parts, job.draws.child("deal")), {**kinds, PART: "int"})
    swapped = engine.split(dealt, PART, parts, _Swap(job.names, windows, ranks, job.draws.child("swap")), kinds)
    return Plan(swapped, details={"window": windows, "blocks": parts})
