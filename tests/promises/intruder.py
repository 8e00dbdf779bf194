"""The intruder: he holds the release, the source, all parameters, the seed, and a tenth of the records; not the rest.

He runs the very masker with the very seed on other data of the same shape and takes its draws: what was added to a
number, which rank went where, which level became which, which rows were kept. Then he undoes the release with them.

What chance finds is measured, not derived: the same arithmetic with seeds that were not used. Both are counted on the
records that he does not know.
"""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.promises import judge, tables

Cells = dict[str, list[str]]
"""A file: cells by column."""

PLACEBOS = 8


def cells_of(path: Path) -> Cells:
    """Read a file into columns of text."""
    header, rows = judge.read_cells(path)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def columns_of(table: tables.Survey) -> Cells:
    """Return a survey as columns of text."""
    return {name: table.column(name) for name in table.header}


def with_cells(table: tables.Survey, cells: Cells) -> tables.Survey:
    """Return a survey that holds other cells, identifiers apart: what the intruder makes up as original."""
    columns = [table.column(name) if name == "person" else cells.get(name, table.column(name)) for name in table.header]
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def surrogates(
    original: tables.Survey, other: tables.Survey, release: Cells, known: Sequence[int], deals: int
) -> list[tables.Survey]:
    """Return what the intruder can feed the masker.

    Strange data; the release; the release with the records he knows; and the release with its cells dealt anew, so that
    every position is seen with many values.
    """
    result = [other]
    if len(release["serial"]) == len(original.rows):
        result.append(with_cells(original, release))
        if release["serial"] != original.column("serial"):
            return result  # the records stand elsewhere: he does not know where to put his own
        mended = {name: list(release[name]) for name in tables.SCALES}
        for name, column in mended.items():
            for row in known:
                column[row] = original.column(name)[row]
        result.append(with_cells(original, mended))
        for deal in range(deals):
            rng = random.Random(deal)  # noqa: S311 - a table, not a secret
            dealt = {name: rng.sample(release[name], len(release[name])) for name in tables.SCALES}
            result.append(with_cells(original, dealt))
    return result


# ----------------------------------------------------------------------------------------------------- undoing numbers


def numbers(cells: Sequence[str]) -> np.ndarray:
    """Return a column as numbers."""
    return np.array([float(cell) for cell in cells])


def undo_number(original: Cells, release: Cells, runs: list[tuple[Cells, Cells]], name: str, known: list[int]) -> float:
    """Return how many unknown numbers come back to within a hundredth of a standard deviation, by the best trick."""
    truth, seen = numbers(original[name]), numbers(release[name])
    unknown = np.setdiff1d(np.arange(truth.size), known)
    near = 0.01 * truth.std()
    hits = 0
    for before, after in runs:
        s, r = numbers(before[name]), numbers(after[name])
        added = r - s
        spread = float((added[known] ** 2).sum())
        # What was added there, scaled so that it explains best what was added to the records he knows.
        scale = float((added[known] * (seen - truth)[known]).sum()) / spread if spread > 0 else 0.0
        guesses = [seen - scale * added]
        with np.errstate(all="ignore"):
            factor = np.where((s != 0) & (r != 0), r / np.where(s != 0, s, 1.0), 1.0)
            guesses.append(seen / factor)
        guesses.append(_by_ranks(s, r, seen))
        changed = np.abs(seen - truth) > near  # a number that was left alone needs no undoing
        hits = max(hits, *(int((np.abs(g - truth) <= near)[unknown][changed[unknown]].sum()) for g in guesses))
    return hits


def _by_ranks(s: np.ndarray, r: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the released values sent back along the ranks that were exchanged in another table."""
    if s.size != seen.size:
        return seen
    ranks_before, ranks_after = np.argsort(np.argsort(s, kind="stable")), np.argsort(np.argsort(r, kind="stable"))
    back = np.empty(s.size, dtype=np.int64)
    back[ranks_after] = ranks_before
    ordered = np.sort(seen)
    return ordered[back[np.argsort(np.argsort(seen, kind="stable"))]]


def shared_noise(original: Cells, release: Cells, runs: list[tuple[Cells, Cells]], name: str) -> float:
    """Return how closely what was added to the records follows what the same seed adds to strange data."""
    moved = numbers(release[name]) - numbers(original[name])
    before, after = runs[0]
    return abs(_correlation(moved, numbers(after[name]) - numbers(before[name])))


def shared_values(release: Cells, runs: list[tuple[Cells, Cells]], name: str) -> float:
    """Return how closely released numbers follow, place by place, those that the same seed releases of strange data."""
    _, after = runs[0]
    ranks = [np.argsort(np.argsort(numbers(cells[name]), kind="stable")) for cells in (release, after)]
    return abs(_correlation(ranks[0].astype(float), ranks[1].astype(float)))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else 0.0


# -------------------------------------------------------------------------------------------------- undoing categories


def undo_category(
    original: Cells, release: Cells, runs: list[tuple[Cells, Cells]], name: str, known: list[int]
) -> float:
    """Return how many changed categories of unknown records come back: what became this level at this place?"""
    truth, seen = original[name], release[name]
    hits = 0
    for row in range(len(seen)):
        if row in known or truth[row] == seen[row]:
            continue
        came = Counter(before[name][row] for before, after in runs if after[name][row] == seen[row])
        came.pop(seen[row], None)
        hits += bool(came) and came.most_common(1)[0][0] == truth[row]
    return hits


def shared_changes(original: Cells, release: Cells, runs: list[tuple[Cells, Cells]], name: str) -> float:
    """Return how closely the cells that were changed are those that the same seed changes in strange data."""
    before, after = runs[0]
    here = np.array([a != b for a, b in zip(original[name], release[name], strict=True)], dtype=float)
    there = np.array([a != b for a, b in zip(before[name], after[name], strict=True)], dtype=float)
    return abs(_correlation(here, there))


# ------------------------------------------------------------------------------------------------------ undoing places


def same_places(original: Cells, release: Cells, runs: list[tuple[Cells, Cells]]) -> float:
    """Return how many released records came from where the same seed took the record of that place in another table."""
    here = {serial: place for place, serial in enumerate(original["serial"])}
    hits = 0
    for before, after in runs:
        there = {serial: place for place, serial in enumerate(before["serial"])}
        pairs = zip(release["serial"], after["serial"], strict=False)
        hits = max(hits, sum(here[a] == there[b] for a, b in pairs))
    return hits


# ------------------------------------------------------------------------------------------------------ more than luck


def more_than_luck(attack: Callable[[int], float], seed: int, least: float) -> str:
    """Say by how much an attack with the right seed beats the same attack with wrong ones; nothing where it does not.

    Six standard deviations of what wrong seeds find, never less than `least`, and, of counts, never less than five
    standard deviations of a Poisson number of that mean.
    """
    right = attack(seed)
    wrong = [attack(seed + 1_000 + placebo) for placebo in range(PLACEBOS)]
    mean, spread = statistics.mean(wrong), statistics.stdev(wrong)
    margin = least + 5.0 * math.sqrt(mean) if least >= 1 else least
    return f"{right:.3g} against {mean:.3g} by luck" if right > mean + max(6.0 * spread, margin) else ""


# ---------------------------------------------------------------------------------------------- guessing the generator

STEP, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
WORD = (1 << 64) - 1


def split_mix(start: np.ndarray | int, places: np.ndarray) -> np.ndarray:
    """Return the numbers in [0, 1) that SplitMix64 with this start draws at these places."""
    with np.errstate(over="ignore"):
        z = np.asarray(start, dtype=np.uint64) + (places.astype(np.uint64) + np.uint64(1)) * np.uint64(STEP)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


def start_of_split_mix(uniforms: np.ndarray, places: Sequence[int]) -> int | None:
    """Return the start of SplitMix64 that draws these numbers at these places, from one of them, checked on the rest.

    The function is invertible. A number has 53 bits of 64; eleven are tried, and the last six that arithmetic blurs.
    """
    high = int(uniforms[0] * 2**53) + np.arange(-64, 65)
    words = (high.astype(np.uint64)[:, None] << np.uint64(11)) | np.arange(2048, dtype=np.uint64)[None, :]
    z = words.ravel()
    with np.errstate(over="ignore"):
        z = z ^ (z >> np.uint64(31)) ^ (z >> np.uint64(62))
        z = z * np.uint64(pow(MIX_2, -1, 1 << 64))
        z = z ^ (z >> np.uint64(27)) ^ (z >> np.uint64(54))
        z = z * np.uint64(pow(MIX_1, -1, 1 << 64))
        z = z ^ (z >> np.uint64(30)) ^ (z >> np.uint64(60))
    starts = z - np.uint64((places[0] + 1) * STEP & WORD)
    for place, uniform in zip(places[1:], uniforms[1:], strict=True):
        starts = starts[np.abs(split_mix(starts, np.array(place)) - uniform) < 1e-12]
    return int(starts[0]) if starts.size else None


def normal_to_uniform(draws: np.ndarray) -> np.ndarray:
    """Return the uniform numbers behind normal ones."""
    return np.array([0.5 * math.erfc(-draw / math.sqrt(2)) for draw in draws])


def streams_of_numpy(seed: int, n: int, p: int) -> list[np.ndarray]:
    """Return the normal draws that a script with numpy's generators and this seed would most likely make."""
    made = [np.random.Generator(kind(seed)) for kind in (np.random.PCG64, np.random.Philox, np.random.MT19937)]
    made = [generator.standard_normal((n, p)) for generator in made]
    made.append(np.random.default_rng(seed).standard_normal((p, n)).T)
    made.append(np.random.RandomState(seed).standard_normal((n, p)))  # what old scripts do
    return made
