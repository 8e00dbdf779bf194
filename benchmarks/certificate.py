"""Certificates and polish, measured: bounds, gaps and times.

    python benchmarks/certificate.py            # bounds of the reference files, k = 2 … 5
    python benchmarks/certificate.py --quick    # k = 2 and 3, ten seconds each
    python benchmarks/certificate.py --full     # fifteen minutes each, polish, and 100,000 records
    python benchmarks/certificate.py --business # the synthetic company accounts alone, 100,000 records

"naive" is the bound from nearest distances alone. "relaxation" and "known" are figures of another implementation.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import discreet as dc
from discreet.evaluation.certifying import least_squared_error
from discreet.kernels.groups.bounds import ListedPrices
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.pricing import squared_distances
from discreet.masking.microaggregation.numbers.refinement import refined

HERE = Path(__file__).parent
RELAXATION = {
    "Tarragona": {2: 8.8026, 3: 13.8574, 4: 17.0430, 5: 20.1201},
    "CASCrefmicrodata": {2: 2.7300, 3: 4.6460, 4: 6.0020, 5: 7.2095},
}
KNOWN = {
    "Tarragona": {2: 8.8155, 3: 14.4675, 4: 17.0959, 5: 20.1504},
    "CASCrefmicrodata": {2: 2.7587, 3: 4.6700, 4: 6.0598, 5: 7.2734},
}


def squared_error(points: np.ndarray, labels: np.ndarray) -> float:
    sizes = np.bincount(labels)
    return sum(float(np.sum((x - (np.bincount(labels, x) / sizes)[labels]) ** 2)) for x in points.T)


def nearest_bound(points: np.ndarray, k: int) -> float:
    return float(np.sort(squared_distances(points), axis=1)[:, 1:k].sum()) / (2 * k)


def measure_files(folder: Path, ks: list[int], seconds: float, polish: str) -> None:
    print(f"\nat most {seconds:g} s for a bound, {polish} for refinement with polish; losses in percent of SST")
    print(f"{'file':<18} {'k':>2} {'naive':>8} {'bound':>8} {'relaxation':>10} {'wall':>6} {'CPU':>6} ", end="")
    print(f"{'MDAV':>8} {'polished':>8} {'known':>8} {'gap %':>7}")
    for name, goals in RELAXATION.items():
        path = folder / f"{name}.csv"
        if not path.exists():
            print(f"{name:<18} not found in {folder}")
            continue
        points = np.loadtxt(path, delimiter=",", skiprows=1)
        points = (points - points.mean(axis=0)) / points.std(axis=0)
        scale = 100.0 / float((points**2).sum())
        for k in ks:
            start = mdav(points, k)
            wall, cpu = time.perf_counter(), time.process_time()
            bound, _ = least_squared_error(points, k, start, seconds)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            labels = refined("benchmark", points, k, start, polish, 1, polish=True)
            loss = squared_error(points, labels)
            row = f"{name:<18} {k:>2} {nearest_bound(points, k) * scale:>8.4f} {bound * scale:>8.4f} {goals[k]:>10.4f}"
            row += f" {wall:>6.0f} {cpu:>6.0f} {squared_error(points, start) * scale:>8.4f} {loss * scale:>8.4f}"
            print(f"{row} {KNOWN[name][k]:>8.4f} {100 * (loss / bound - 1):>7.2f}", flush=True)


def measure_size(n: int, k: int, seconds: float) -> None:
    points = np.random.default_rng(0).standard_normal((n, 10))
    total = float(((points - points.mean(axis=0)) ** 2).sum())
    labels = mdav(points, k)
    wall, cpu = time.perf_counter(), time.process_time()
    bound, method = least_squared_error(points, k, labels, seconds)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    loss = squared_error(points, labels)
    print(
        f"\n{n:,} x 10 Gaussian, k = {k}: bound {100 * bound / total:.4f} by {method} in {wall:.0f} s ({cpu:.0f} CPU)"
    )
    print(f"MDAV {100 * loss / total:.4f}: gap {100 * (loss / bound - 1):.1f} %")


def measure_business(n: int, ks: list[int], budget: str) -> None:
    """Print what any method could gain over MDAV where a few hundred records carry most of the error."""
    accounts = dc.datasets.business(n)
    names = [attribute.name for attribute in accounts.schema if attribute.role == "key"]
    points = accounts.numeric(tuple(names))
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    total = float((points**2).sum())
    print(f"\nbusiness({n:,}), {len(names)} attributes, budget {budget}; losses in percent of SST")
    print(f"{'k':>2} {'naive':>8} {'bound':>8} {'MDAV':>8} {'gap %':>7} {'gain at most':>12}   wall    CPU")
    for k in ks:
        labels = mdav(points, k)
        with ThreadPoolExecutor() as workers:
            naive = 100.0 * float(ListedPrices(points, k, workers).values.sum()) / total
        cpu = time.process_time()
        proof = dc.certify(accounts, labels, k, budget=budget, attributes=names)
        cpu = time.process_time() - cpu
        row = f"{k:>2} {naive:>8.4f} {proof.bound:>8.4f} {proof.value:>8.4f} {proof.gap:>7.2f}"
        print(f"{row} {100 * (1 - proof.bound / proof.value):>11.2f}% {proof.seconds:>6.0f} {cpu:>6.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--quick", action="store_true", help="k = 2 and 3, ten seconds each")
    scope.add_argument("--full", action="store_true", help="fifteen minutes each, and 100,000 records")
    scope.add_argument("--business", action="store_true", help="100,000 company accounts, k = 3, 5, 10")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data" / "sdc")
    options = parser.parse_args()
    least_squared_error(np.random.default_rng(0).standard_normal((60, 2)), 3, None, 1.0)
    if options.quick:
        measure_files(options.data, [2, 3], 10.0, "5s")
        measure_size(5_000, 5, 10.0)
        measure_business(5_000, [3, 5], "10s")
    elif options.full:
        measure_files(options.data, [2, 3, 4, 5], 900.0, "5m")
        measure_size(100_000, 5, 120.0)
        measure_business(100_000, [3, 5, 10], "2min")
    elif options.business:
        measure_business(100_000, [3, 5, 10], "2min")
    else:
        measure_files(options.data, [2, 3, 4, 5], 120.0, "60s")
        measure_size(20_000, 5, 60.0)
        measure_business(20_000, [3, 5, 10], "60s")


if __name__ == "__main__":
    main()
