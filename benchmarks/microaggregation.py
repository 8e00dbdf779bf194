"""Microaggregation, measured: MDAV, its partitioned form, optimal univariate, refinement.

    python benchmarks/microaggregation.py            # a few minutes
    python benchmarks/microaggregation.py --quick    # under a minute
    python benchmarks/microaggregation.py --full     # to a million records, sixty seconds for each refinement

Times are CPU seconds unless they say "wall". Figures of peers that are not installed here are the ones of the table in
`SDCMICRO`; microagg1d is measured in the same run if it can be imported. The picture goes to benchmarks/out/.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

import discreet as dc
from discreet.evaluation.certifying import least_squared_error
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.partitioned import partitioned_mdav
from discreet.kernels.groups.refine import refine
from discreet.kernels.groups.univariate import optimal_runs
from discreet.masking.microaggregation.numbers.refinement import refined

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.reference.microaggregation import plain_mdav  # noqa: E402

# CPU seconds of sdcMicro 5.8.1's MDAV, k = 5, ten Gaussian columns.
SDCMICRO = {10_000: 0.52, 20_000: 2.05, 50_000: 15.7, 100_000: 72.6}
# What refinement must reach in a minute, and the lowest losses known.
GOALS = {
    "Tarragona": {2: (8.83, 8.8155), 3: (14.51, 14.4675), 4: (17.15, 17.0959), 5: (20.20, 20.1504)}
    | {6: (23.55, 23.4855), 10: (30.25, 30.1572)},
    "CASCrefmicrodata": {2: (2.78, 2.7587), 3: (4.71, 4.6700), 4: (6.10, 6.0598), 5: (7.31, 7.2734)}
    | {6: (8.29, 8.2646), 10: (11.42, 11.3884)},
}
Timed = tuple[float, float, np.ndarray]


def timed(work: Callable[[], np.ndarray]) -> Timed:
    """CPU seconds, wall seconds and result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def loss(values: np.ndarray, labels: np.ndarray) -> float:
    """100·SSE/SST."""
    values = values - values.mean(axis=0)
    sizes = np.bincount(labels)
    within = sum(float(np.sum((x - (np.bincount(labels, x) / sizes)[labels]) ** 2)) for x in values.T)
    return 100.0 * within / float(np.sum(values**2))


def gaussian(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 10))


def framed(values: np.ndarray) -> tuple[pl.DataFrame, dc.Schema]:
    """Return what a user has: a frame of numbers and its schema."""
    names = [f"x{j}" for j in range(values.shape[1])]
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in names])
    return pl.DataFrame(values, schema=names), schema


def measure_mdav(sizes: list[int], workers: ThreadPoolExecutor) -> list[dict[str, object]]:
    print("\nMDAV, k = 5, ten Gaussian columns")
    print(f"{'n':>10} {'exact':>9} {'loss':>8} {'plain':>9} {'ratio':>7} {'sdcMicro':>9} {'ratio':>7} ", end="")
    print(f"{'partitioned':>12} {'wall':>7} {'loss':>8}")
    points: list[dict[str, object]] = []
    for n in sizes:
        values = gaussian(n)
        cpu, _, masked = timed(lambda values=values: dc.MDAV(5).mask(dc.microdata(*framed(values))))
        labels = masked.provenance.labels
        points.append({"n": n, "seconds": cpu, "method": "exact"})
        row = f"{n:>10,} {cpu:>9.3f} {loss(values, labels):>8.4f} "
        if n <= 5_000:
            plain, _, expected = timed(lambda values=values: plain_mdav(values, 5))
            assert np.array_equal(mdav(values, 5), expected)
            points.append({"n": n, "seconds": plain, "method": "plain definition"})
            row += f"{plain:>9.3f} {plain / cpu:>6.0f}x "
        else:
            row += f"{'':>9} {'':>7} "
        if n in SDCMICRO:
            points.append({"n": n, "seconds": SDCMICRO[n], "method": "sdcMicro"})
            row += f"{SDCMICRO[n]:>9.2f} {SDCMICRO[n] / cpu:>6.1f}x "
        else:
            row += f"{'':>9} {'':>7} "
        if n >= 50_000:
            block = min(65_536, n // 4)
            cpu, wall, labels = timed(
                lambda values=values, block=block: partitioned_mdav(values, 5, seed=0, workers=workers, block=block)
            )
            points.append({"n": n, "seconds": cpu, "method": "partitioned"})
            row += f"{cpu:>12.3f} {wall:>7.1f} {loss(values, labels):>8.4f}"
        print(row, flush=True)
    return points


def measure_univariate(sizes: list[int]) -> list[dict[str, object]]:
    try:
        from microagg1d import univariate_microaggregation as peer
    except ImportError:
        peer = None
    print("\nOptimal univariate, k = 5, unsorted values" + ("" if peer else " (microagg1d is not installed)"))
    print(f"{'n':>12} {'ours':>9} {'microagg1d':>11} {'ratio':>7}")
    points: list[dict[str, object]] = []
    masker = dc.IndividualRanking(k=5)
    _, first, _ = timed(lambda: masker.mask(dc.microdata(*framed(np.arange(100.0)[:, None]))))
    print(f"  (first call, compilation or loading: {first:.1f} s wall)")
    if peer:
        peer(np.arange(100.0), 5)
    for n in sizes:
        values = np.random.default_rng(0).standard_normal(n)
        cpu, _, _ = timed(lambda values=values: masker.mask(dc.microdata(*framed(values[:, None]))))
        points.append({"n": n, "seconds": cpu, "method": "optimal univariate"})
        row = f"{n:>12,} {cpu:>9.3f}"
        if peer:
            other, _, _ = timed(lambda values=values: peer(values.copy(), 5))
            points.append({"n": n, "seconds": other, "method": "microagg1d"})
            row += f" {other:>11.3f} {other / cpu:>6.1f}x"
        print(row, flush=True)
    return points


def measure_refinement(folder: Path, ks: list[int], seconds: float) -> None:
    print(f"\nRefinement, {seconds:g} s wall each: loss")
    print(f"{'file':<18} {'k':>3} {'MDAV':>9} {'refined':>9} {'goal':>7} {'known':>9} {'CPU':>6}")
    for name, goals in GOALS.items():
        path = folder / f"{name}.csv"
        if not path.exists():
            print(f"{name:<18} not found in {folder}")
            continue
        values = np.loadtxt(path, delimiter=",", skiprows=1)
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        for k in ks:
            labels = mdav(values, k)
            cpu = time.process_time()
            best = refined("benchmark", values, k, labels, f"{seconds}s", 1, polish=None)  # as MDAV(refine=…) does
            goal, known = goals[k]
            row = f"{name:<18} {k:>3} {loss(values, labels):>9.4f} {loss(values, best):>9.4f} {goal:>7.2f}"
            print(f"{row} {known:>9.4f} {time.process_time() - cpu:>6.0f}", flush=True)


def measure_business(n: int, ks: list[int], seconds: float) -> None:
    """Show what refinement gains on company accounts, and what the certificate proves that anybody could gain."""
    print(f"\nbusiness({n:,}): refinement and then the proof, {seconds:g} s wall each")
    print(f"{'k':>3} {'MDAV':>9} {'refined':>9} {'gain %':>7} {'bound':>9} {'most %':>7}")
    table = dc.datasets.business(n)
    values = table.numeric([a.name for a in table.schema if a.scale.kind == "numeric" and a.role == "key"])
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    for k in ks:
        labels = mdav(values, k)
        better = refined("benchmark", values, k, labels, f"{seconds}s", 1, polish=None)
        bound, _ = least_squared_error(values, k, labels, seconds)
        before, after, least = loss(values, labels), loss(values, better), 100.0 * bound / float((values**2).sum())
        row = f"{k:>3} {before:>9.4f} {after:>9.4f} {100 * (1 - after / before):>7.2f}"
        print(f"{row} {least:>9.4f} {100 * (1 - least / before):>7.2f}", flush=True)


def draw(points: list[dict[str, object]], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    chart = (
        alt.Chart(alt.Data(values=points), title="Microaggregation, k = 5: time against the number of records")
        .mark_line(point=True)
        .encode(
            x=alt.X("n:Q", scale=alt.Scale(type="log"), title="records"),
            y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="CPU seconds"),
            color=alt.Color("method:N", title=None),
        )
        .properties(width=560, height=380)
    )
    chart.save(path)
    print(f"\npicture: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--quick", action="store_true", help="small sizes only")
    scope.add_argument("--full", action="store_true", help="to a million records and ten million values")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data" / "sdc")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    sizes, values, ks, seconds = (
        [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
        [10**5, 10**6],
        [3, 5, 10],
        20.0,
    )
    if options.quick:
        sizes, values, ks, seconds = [1_000, 2_000, 5_000, 10_000], [10**5], [3], 5.0
    if options.full:
        sizes, values, ks, seconds = (
            [*sizes, 200_000, 500_000, 1_000_000],
            [10**5, 10**6, 10**7],
            [2, 3, 4, 5, 6, 10],
            60.0,
        )
    with ThreadPoolExecutor(options.threads) as workers:
        start = time.perf_counter()
        small = gaussian(400)
        labels = mdav(small, 5)
        optimal_runs(small[:, 0].copy(), 5)
        partitioned_mdav(small, 5, seed=0, workers=workers, block=200)
        for _ in refine(small, 5, labels, seed=0, workers=workers, steps=100):
            pass
        print(f"compilation or loading of the kernels: {time.perf_counter() - start:.1f} s wall")
        points = measure_mdav(sizes, workers) + measure_univariate(values)
    measure_refinement(options.data, ks, seconds)
    measure_business(5_000 if options.quick else 100_000, [3, 5, 10] if options.full else [5], seconds)
    draw(points, HERE / "out" / "microaggregation.svg")


if __name__ == "__main__":
    main()
