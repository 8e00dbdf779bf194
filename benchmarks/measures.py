"""Every default measure on a mixed file of 100,000 × 10, and the frequency risks beside their peer's figures.

    python benchmarks/measures.py [--quick]

Times are CPU seconds of this process, compilation excluded (every measure runs once on a small file first); memory is
what Python objects reach during the measure, beside the two tables. The peer figures are those of sdcMicro 5.8.1 for
100,000 × 8; naive twins are the loops of tests/reference on a part of the records, scaled by their known cost.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.reference import measures as reference

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.measures.risk.equal_keys import IndividualRisk
from discreet.measures.risk.special_uniques import SpecialUniques
from discreet.statistics.key_frequencies import key_frequencies
from discreet.statistics.written_levels import level_codes

LEVELS = (2, 3, 5, 8, 12, 20)
KEYS = (2, 4, 5, 6, 7, 9, 12, 20)


def mixed(n: int, seed: int = 0) -> tuple[Microdata, Microdata]:
    """Make a file of 4 numbers, 6 categories and a weight, two of them confidential, and a perturbed version."""
    rng = np.random.default_rng(seed)
    wealth = rng.normal(size=n)
    before: dict[str, Any] = {f"x{j}": np.exp(wealth * 0.5 + rng.normal(size=n)) for j in range(4)}
    after = {name: values * np.exp(0.1 * rng.normal(size=n)) for name, values in before.items()}
    attributes = [Attribute(name, Numeric(), "confidential" if name == "x3" else "key") for name in before]
    for j, size in enumerate(LEVELS):
        name = f"c{j}"
        codes = np.clip((wealth + rng.normal(size=n)) * size / 5 + size / 2, 0, size - 1).astype(np.int64)
        before[name] = codes
        after[name] = np.where(rng.random(n) < 0.1, rng.integers(0, size, n), codes)
        scale = Ordinal(range(size)) if j % 2 else Nominal(range(size))
        attributes.append(Attribute(name, scale, "confidential" if j == 2 else "key"))
    before["w"] = after["w"] = rng.uniform(5, 50, n)
    schema = Schema([*attributes, Attribute("w", Numeric(), "weight")])
    return Microdata(pa.table(before), schema), Microdata(pa.table(after), schema)


def keyed(n: int, missing: float = 0.0, seed: int = 0) -> Microdata:
    """Make a file of 8 categorical keys and a weight."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for j, size in enumerate(KEYS):
        codes = np.minimum(rng.geometric(2.5 / size, n) - 1, size - 1) if size > 2 else rng.integers(0, 2, n)
        columns[f"k{j}"] = pa.array(codes, mask=rng.random(n) < missing)
    columns["w"] = rng.uniform(5, 50, n)
    schema = [Attribute(f"k{j}", Nominal(range(size)), "key") for j, size in enumerate(KEYS)]
    return Microdata(pa.table(columns), Schema([*schema, Attribute("w", Numeric(), "weight")]))


def cpu(function: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return min(times)


def peak(function: Callable[[], Any]) -> float:
    tracemalloc.start()
    function()
    reached = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return reached


def default_measures(n: int) -> None:
    small, large = mixed(500), mixed(n)
    for table in large:
        table.validate()
    print(f"\nDefault measures, {n:,} × 10 mixed\n{'measure':24s}{'value':>10s}{'CPU s':>9s}{'MB':>8s}")
    total = 0.0
    for name, cls in catalogue.measures().items():
        measure = cls()
        if not cls.default or not measure.applies_to(large[0].schema) or name.endswith("-linkage"):
            continue  # linkage has its own benchmark
        measure.measure(*small)
        taken = cpu(lambda measure=measure: measure.measure(*large), 2)
        memory = peak(lambda measure=measure: measure.measure(*large))
        total += taken
        print(f"{name:24s}{measure.measure(*large).value:10.3f}{taken:9.3f}{memory:8.0f}")
    print(f"{'all of them':24s}{'':10s}{total:9.3f}")
    for name in ("propensity", "suda2", "il", "actbil", "eigenvalues"):
        measure = catalogue.method("measure", name)()
        measure.measure(*small)
        taken = cpu(lambda measure=measure: measure.measure(*large), 1)
        print(f"{name + ' (not default)':24s}{measure.measure(*large).value:10.3f}{taken:9.3f}")


def frequency_risks(n: int) -> None:
    print(f"\nFrequency risks, {n:,} × 8 keys; peer: sdcMicro 5.8.1 at 100,000")
    print(f"{'job':32s}{'CPU s':>9s}{'peer':>9s}{'ratio':>8s}{'MB':>7s}")
    for data in (keyed(500), keyed(500, 0.01)):
        SpecialUniques().measure(data, data)
        IndividualRisk().measure(data, data)
    plain, gaps = keyed(n).validate(), keyed(n, 0.01).validate()
    names = plain.schema.keys
    jobs: list[tuple[str, Callable[[], Any], float]] = [
        ("frequencies", lambda: key_frequencies(plain, names, plain.weights()), 0.145),
        ("individual risk", lambda: IndividualRisk().measure(plain, plain), 0.25),
        ("SUDA2, up to 3 keys", lambda: SpecialUniques().measure(plain, plain), 0.26),
        ("SUDA2, all 8 keys", lambda: SpecialUniques(8).measure(plain, plain), 0.26),
        ("individual risk, 1 % missing", lambda: IndividualRisk().measure(gaps, gaps), 4.4),
    ]
    for label, job, peer in jobs:
        taken = cpu(job)
        shown = f"{peer:9.3f}{peer / taken:7.1f}x" if n == 100_000 else f"{'':17s}"
        print(f"{label:32s}{taken:9.3f}{shown}{peak(job):7.0f}")


def naive_twins() -> None:
    print(f"\nNaive twins, 300 records\n{'job':32s}{'ours s':>9s}{'twin s':>9s}{'ratio':>9s}")
    data = keyed(300)
    rows = list(zip(*(level_codes(data, name)[0].tolist() for name in data.schema.keys), strict=True))
    jobs: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        (
            "frequencies",
            lambda: key_frequencies(data, data.schema.keys),
            lambda: reference.agreeing(rows, [1.0] * 300, wildcard=True),
        ),
        (
            "SUDA2, up to 3 keys",
            lambda: SpecialUniques().per_record(data, data),
            lambda: reference.minimal_uniques(rows, 3),
        ),
    ]
    for label, ours, twin in jobs:
        ours()
        fast, slow = cpu(ours), cpu(twin, 1)
        print(f"{label:32s}{fast:9.4f}{slow:9.3f}{slow / fast:8.0f}x")


def main() -> None:
    n = 10_000 if "--quick" in sys.argv[1:] else 100_000
    default_measures(n)
    frequency_risks(n)
    naive_twins()


if __name__ == "__main__":
    main()
