"""Groups a second of every registered operator: one batch call against a plain loop over single calls.

One million values in groups of five (operators with a fixed number of sources get groups of their size). The loop is
timed on a part of the groups and scaled. Run it as ``python benchmarks/operators.py [name …]``; the peer library
pyfmtools, which takes one collection at a time, is compared with where it is installed.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import discreet.operators
from discreet.operators import OWA, ChoquetIntegral, FuzzyMeasure, Power, SugenoIntegral, WeightedMean
from discreet.operators.operator import Operator, operator_named, operator_names

N_VALUES = 1_000_000
GROUP = 5
LOOPED = 2_000
TARGET = 100
DENSITIES = [0.1, 0.2, 0.15, 0.3, 0.05]

for module in pkgutil.walk_packages(discreet.operators.__path__, "discreet.operators."):
    importlib.import_module(module.name)

# Integrals are benchmarked on five sources; other operators with the first of their examples that fits.
CHOSEN: dict[str, Operator] = {
    "choquet-integral": ChoquetIntegral(FuzzyMeasure.sugeno_lambda(DENSITIES)),
    "sugeno-integral": SugenoIntegral(FuzzyMeasure.sugeno_lambda(DENSITIES)),
}


def representative(name: str) -> Operator:
    if name in CHOSEN:
        return CHOSEN[name]
    examples = operator_named(name).examples()
    return next((one for one in examples if one.arity is None), examples[0])


def best_of(function: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def draw(operator: Operator, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray | None]:
    low, high = operator.domain
    if "numeric" in operator.scales:
        values = rng.uniform(max(low, 0.001), min(high, 1.0), N_VALUES // size * size)
    else:
        values = rng.integers(0, int(min(high, 9)) + 1, N_VALUES // size * size).astype(np.int32)
    if not operator.weighted or operator.arity is not None:
        return values, None
    if operator.weight_kind == "real":
        return values, rng.uniform(0.1, 1.0, values.size)
    top = int(high) if operator.weight_kind == "level" else 3
    weights = rng.integers(1, top + 1, values.size).astype(np.float64)
    weights[::size] = top
    return values, weights


def measure(name: str, rng: np.random.Generator) -> tuple[int, float, float]:
    """Return the group size, and groups a second of the batch and of the loop."""
    operator = representative(name)
    size = operator.arity or GROUP
    values, weights = draw(operator, rng, size)
    offsets = np.arange(0, values.size + 1, size, dtype=np.int64)
    groups = offsets.size - 1
    few = slice(0, 10 * size)
    operator.batch(values[few], offsets[:11], None if weights is None else weights[few])

    def loop() -> None:
        for start in range(0, LOOPED * size, size):
            part = slice(start, start + size)
            operator(values[part], None if weights is None else weights[part])

    batch = best_of(lambda: operator.batch(values, offsets, weights), 3)
    return size, groups / batch, LOOPED / best_of(loop, 2)


def peers(rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    """Yield groups a second of pyfmtools for the operators it shares with us."""
    import pyfmtools

    measure = FuzzyMeasure.sugeno_lambda(DENSITIES)
    weights = Power(2.0).weights(GROUP)
    kit = pyfmtools.fm_init(GROUP)
    values = rng.random((LOOPED, GROUP))
    # Both libraries index a subset by its bits, and give the first weight of an OWA to the largest value.
    for name, function, vector, operator in (
        ("choquet-integral", pyfmtools.Choquet, measure.values.copy(), ChoquetIntegral(measure)),
        ("sugeno-integral", pyfmtools.Sugeno, measure.values.copy(), SugenoIntegral(measure)),
        ("owa", pyfmtools.OWA, weights, OWA(weights=weights)),
        ("weighted-mean", pyfmtools.WAM, weights, WeightedMean(weights)),
    ):
        assert abs(function(values[0], vector, kit) - operator(values[0])) < 1e-9, name
        seconds = best_of(lambda f=function, v=vector: [f(row, v, kit) for row in values], 2)
        yield name, LOOPED / seconds


def main() -> None:
    rng = np.random.default_rng(1)
    names = sys.argv[1:] or list(operator_names())
    print(f"{N_VALUES:,} values; the loop is timed on {LOOPED:,} groups")
    print(f"{'operator':28} {'size':>4} {'batch, groups/s':>16} {'loop, groups/s':>16} {'ratio':>8}")
    found = {}
    for name in names:
        size, batch, loop = measure(name, rng)
        found[name] = batch
        mark = "" if batch / loop >= TARGET else f"  below {TARGET}"
        print(f"{name:28} {size:4d} {batch:16,.0f} {loop:16,.0f} {batch / loop:8,.0f}{mark}", flush=True)
    try:
        for name, speed in peers(rng):
            if name in found:
                print(f"pyfmtools {name:18} {GROUP:4d} {speed:16,.0f} {'ours, times:':>16} {found[name] / speed:8,.0f}")
    except ImportError:
        print("pyfmtools: not installed")


if __name__ == "__main__":
    main()
