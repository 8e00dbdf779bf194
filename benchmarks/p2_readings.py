"""Readings of P2's probabilistic linkage (section 2.1) beside the 48 cells of Tables V to VIII, in plain NumPy.

    OMP_NUM_THREADS=1 python benchmarks/p2_readings.py [executions] [word of a label …]

The paper says that EM estimates the probabilities and that they are prorated where numbers agree in part. Open is which
numbers agree for the estimation, over which difference agreement falls to none, what becomes of an estimate of 0 or 1,
and how ties are counted. A cell differs beyond three standard errors, as in `discreet papers p2`; the draws are fresh.
The data folder is that of the tests: environment variable DISCREET_DATA.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.linkage.unshared.normalisation import normalise
from discreet.linkage.unshared.representatives import FAMILIES, family, representatives
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects.representatives_files import PRINTED, draw, halves
from discreet.reproduction.verdicts import sampled

DATA = DataFolder(os.environ.get("DISCREET_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
NORMS = ("ranging", "standard")
SEED = 5  # `discreet papers` draws from 0


@dataclass(frozen=True)
class Reading:
    """How two files of representatives are linked."""

    unit: str = "range"  # of the tolerance: range or standard deviation of a column in both files, or 1
    tolerance: float = 0.25  # numbers agree within it, when EM counts patterns
    prorated: str = "tolerance"  # over which difference agreement falls from 1 to 0; "no" for agreement or none
    likelihoods: bool = False  # whether likelihoods are prorated instead of their logarithms
    bound: float = 0.0  # estimates are kept so far from 0 and 1
    fixed_u: bool = False  # u is the share of all pairs that agree, not estimated
    start: tuple[float, float, float] = (0.8, 0.2, 0.01)  # m, u and the share of matches
    steps: int = 1000

    def correct(self, x: np.ndarray, y: np.ndarray, truth: np.ndarray) -> float:
        """Return the correct links of the second file's records to the first's; ties are shared."""
        both = np.concatenate([x, y])
        ranges = np.maximum(np.ptp(both, axis=0), 1e-300)
        unit = {"range": ranges, "sd": np.maximum(both.std(axis=0), 1e-300), "one": np.ones(x.shape[1])}[self.unit]
        gaps = np.abs(x[:, None] - y[None])
        agree = gaps <= self.tolerance * unit
        span = ranges if self.prorated == "range" else self.tolerance * unit
        share = agree.astype(float) if self.prorated == "no" else np.clip(1 - gaps / span, 0, 1)
        m, u = self.estimated(agree)
        if self.bound:
            m, u = (np.clip(one, self.bound, 1 - self.bound) for one in (m, u))
        if self.likelihoods:
            weight = np.log(np.prod(share * m + (1 - share) * (1 - m), axis=2))
            weight = weight - np.log(np.prod(share * u + (1 - share) * (1 - u), axis=2))
        else:
            high, low = np.log(m / u), np.log((1 - m) / (1 - u))
            between = share * high + (1 - share) * low
            weight = np.where(share == 1, high, np.where(share == 0, low, between)).sum(axis=2)
        # Infinity less infinity is no weight: such a pair is taken only where no other has one.
        weight = np.where(np.isnan(weight), -2e300, np.clip(weight, -1e300, 1e300))
        tied = weight >= weight.max(axis=0) - 1e-9
        return float((tied[truth, np.arange(len(y))] / tied.sum(axis=0)).sum())

    def estimated(self, agree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return m and u by EM over the patterns of agreement."""
        bits = 1 << np.arange(agree.shape[2])
        codes, counts = np.unique(agree @ bits, return_counts=True)
        patterns = ((codes[:, None] & bits) > 0).astype(float)
        m, u = (np.full(patterns.shape[1], one) for one in self.start[:2])
        matches, total = self.start[2], counts.sum()
        if self.fixed_u:
            u = counts @ patterns / total
        for _ in range(self.steps):
            matched = matches * np.prod(m**patterns * (1 - m) ** (1 - patterns), axis=1)
            other = (1 - matches) * np.prod(u**patterns * (1 - u) ** (1 - patterns), axis=1)
            belief = counts * matched / (matched + other)
            new = belief @ patterns / belief.sum()
            if not self.fixed_u:
                u, matches = (counts - belief) @ patterns / (total - belief.sum()), belief.sum() / total
            moved, m = np.abs(new - m).max(), new
            if not moved > 1e-6:
                break
        return m, u


READINGS = {
    "unbounded, range 0.25": Reading(),
    "unbounded, range 0.25, prorated over the range": Reading(prorated="range"),
    "unbounded, range 0.2": Reading(tolerance=0.2),
    "unbounded, range 0.1": Reading(tolerance=0.1),
    "unbounded, range 0.1, prorated over the range": Reading(tolerance=0.1, prorated="range"),
    "unbounded, range 0.075": Reading(tolerance=0.075),
    "unbounded, range 0.075, prorated over the range": Reading(tolerance=0.075, prorated="range"),
    "unbounded, range 0.05": Reading(tolerance=0.05),
    "unbounded, range 0.05, prorated over the range": Reading(tolerance=0.05, prorated="range"),
    "unbounded, sd 0.25": Reading("sd", 0.25),
    "unbounded, sd 0.5": Reading("sd", 0.5),
    "unbounded, sd 0.75": Reading("sd", 0.75),
    "unbounded, sd 0.75, prorated over the range": Reading("sd", 0.75, "range"),
    "unbounded, sd 0.75, from (0.9, 0.1, 0.1)": Reading("sd", 0.75, start=(0.9, 0.1, 0.1)),
    "unbounded, sd 1": Reading("sd", 1.0),
    "unbounded, absolute 0.2": Reading("one", 0.2),
    "unbounded, sd 0.75, 20 steps": Reading("sd", 0.75, steps=20),
    "unbounded, sd 0.75, u fixed": Reading("sd", 0.75, fixed_u=True),
    "unbounded, sd 0.75, likelihoods": Reading("sd", 0.75, likelihoods=True),
    "unbounded, sd 0.5, not prorated": Reading("sd", 0.5, "no"),
    "bounded by 1e-6, range 0.25": Reading(bound=1e-6),
    "bounded by 1e-6, sd 0.75": Reading("sd", 0.75, bound=1e-6),
}


def study(readings: dict[str, Reading], executions: int) -> None:
    """Print by reading how many of 48 cells differ, and which."""
    links = {label: {name: np.zeros((executions, 2, 6)) for name in PRINTED} for label in readings}
    for name in PRINTED:
        rng, parts = np.random.default_rng(SEED), halves(DATA, name)
        for run in range(executions):
            a, b, truth = draw(parts, 100, rng)
            for row, norm in enumerate(NORMS):
                first, second = (np.nan_to_num(normalise(side, norm)) for side in (a, b))
                for column, operators in enumerate(FAMILIES):
                    functions = family(operators, ends="plain")
                    files = representatives(first, functions), representatives(second, functions)
                    for label, reading in readings.items():
                        links[label][name][run, row, column] = reading.correct(*files, truth)
    for label, by_file in links.items():
        differing, shown = [], []
        for name, values in by_file.items():
            for row, norm in enumerate(("N1", "N2")):
                for column in range(6):
                    own = values[:, row, column]
                    spread = max(float(own.std(ddof=1)), 1e-9)
                    error = spread * np.sqrt(1 / executions + 1 / 10)
                    printed = PRINTED[name][2 * row + 1][column]
                    cell = sampled(printed, float(own.mean()), error, degrees=executions - 1)
                    text = f"{name} {norm} {FAMILIES[column]} {printed} {own.mean():.1f}"
                    if cell.verdict == "differs":
                        differing.append(text)
                    elif column == 2:
                        shown.append(text)
        print(f"{label}: {len(differing)} of 48 differ (printed, ours)")
        print("    " + "; ".join(differing))
        print("    OWA Q^t within: " + "; ".join(shown), flush=True)


if __name__ == "__main__":
    executions = next((int(word) for word in sys.argv[1:] if word.isdigit()), 40)
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    chosen = {label: one for label, one in READINGS.items() if all(word in label for word in words)}
    start = time.process_time()
    with np.errstate(all="ignore"):
        study(chosen, executions)
    print(f"{executions} executions, {time.process_time() - start:.0f} CPU s")
