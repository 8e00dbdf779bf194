"""Jobs that a peer does too, both in one run, and the results that `make bench-chart` draws.

    python benchmarks/peers.py                          # every job whose peer is installed
    python benchmarks/peers.py --jobs counting nearest  # some of them
    python benchmarks/peers.py --write                  # and keep what was measured in benchmarks/results.json

CPU seconds of the public call on fresh data, least of three, after one call on a few records; what a peer is handed is
ready in the form that it likes best. A job whose peer is not installed is left out and said so; in the results it keeps
what it had. `pip install -e '.[bench]'` installs DuckDB, microagg1d, splink and SciPy; anjana pins what it needs, so it
goes into an environment of its own. Packages of R (sdcMicro, sdcTable, simPop) are on no registry of Python's and are
not run: wherever their figures stand in README.md, they are quoted.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as dc

RESULTS = Path(__file__).with_name("results.json")
LEVELS = (2, 3, 4, 5, 6, 8, 4, 2)


def cpu(work: Callable[[], Any], times: int = 3) -> float:
    """Return the least CPU seconds of some calls."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def counting(n: int) -> tuple[float, float]:
    """Violations of 3-anonymity, which are counts of equal keys, beside a bare GROUP BY."""
    import duckdb

    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"k{i}": rng.integers(0, size, n).astype(str) for i, size in enumerate(LEVELS)})
    scales = {name: dc.Nominal(sorted(frame[name].unique().to_list())) for name in frame.columns}
    schema = dc.Schema([dc.Attribute(name, scale, "key") for name, scale in scales.items()])
    measure = dc.KAnonymityViolations(k=3)

    def ours() -> Any:
        table = dc.microdata(frame, schema)
        return measure.measure(table, table)

    connection = duckdb.connect()
    connection.register("frame", frame)
    sql = f"SELECT count(*) FROM frame GROUP BY {', '.join(frame.columns)}"  # noqa: S608 - names of our own
    ours()
    return cpu(ours), cpu(lambda: connection.execute(sql).fetchnumpy())


def univariate(n: int) -> tuple[float, float]:
    """Optimal groups of one column of numbers."""
    import microagg1d

    values = np.random.default_rng(1).lognormal(size=n)
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])
    masker = dc.IndividualRanking(k=5)
    for size in (1000, n):  # what is compiled for many records too
        masker.mask(dc.microdata(pl.DataFrame({"x": values[:size]}), schema))
    microagg1d.univariate_microaggregation(values[:1000].copy(), k=5)
    ours = cpu(lambda: masker.mask(dc.microdata(pl.DataFrame({"x": values}), schema)))
    return ours, cpu(lambda: microagg1d.univariate_microaggregation(values.copy(), k=5))


def nearest(n: int, k: int = 2) -> tuple[float, float]:
    """Find the nearest and second nearest record of every record; ours counts ties, the peer finds the `k` nearest."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(1)
    values = rng.normal(size=(n, 10))
    moved = values + 0.1 * rng.normal(size=values.shape)
    names = [f"x{j}" for j in range(10)]
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in names])
    tables = [dc.microdata(pl.DataFrame(dict(zip(names, x.T, strict=True))), schema) for x in (values, moved)]
    linker = dc.DistanceLinkage()
    linker.link(*tables)
    return cpu(lambda: linker.link(*tables), 1), cpu(lambda: cKDTree(values).query(moved, k=k), 1)


def second(n: int) -> tuple[float, float]:
    """Do the same beside a peer that finds the nearest alone, which is the goal."""
    return nearest(n, 1)


def linking(n: int) -> tuple[float, float]:
    """Probabilistic linkage of two files of ten categories; splink compares within blocks, ours all pairs."""
    import linkage

    return linkage.case_probabilistic(n)["cpu"], linkage.case_splink(n, 1)["cpu"]


def generalising(n: int) -> tuple[float, float]:
    """Adult with ARX's hierarchies, k = 5, at most 5 % of the records suppressed; ours finds the least loss."""
    import generalisation

    folder = Path(os.environ.get("DISCREET_DATA", "../shared/data")) / "arx"
    names, rows, _, trees = generalisation.load(folder)
    table = pl.DataFrame(rows[:n], schema=names, orient="row")
    ladders = {name: folder / f"adult_hierarchy_{name}.csv" for name in names}
    masker = dc.Generalisation(k=5, hierarchies=ladders, suppression=0.05)
    schema = dc.Schema(
        [dc.Attribute(name, dc.Nominal(sorted({row[0] for row in trees[name]})), "key") for name in names]
    )

    def ours() -> Any:
        return masker.mask(dc.microdata(table, schema))

    ours()
    return cpu(ours), cpu(lambda: generalisation.anjana_loss(names, rows[:n], trees), 1)


JOBS: dict[str, tuple[Callable[[int], tuple[float, float]], int, str, str]] = {
    "counting": (counting, 1_000_000, "duckdb", "k-anonymity of 1,000,000 × 8 keys beside GROUP BY"),
    "univariate": (univariate, 1_000_000, "microagg1d", "optimal groups of 1,000,000 numbers"),
    "nearest": (nearest, 50_000, "scipy", "two nearest of 50,000 × 10 numbers"),
    "second": (second, 100_000, "scipy", "two nearest of 100,000 × 10 beside one nearest"),
    "linking": (linking, 10_000, "splink", "probabilistic linkage of 10,000 × 10 categories"),
    "generalising": (generalising, 30_162, "anjana", "5-anonymity of Adult by generalisation"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", nargs="*", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the records; nothing is kept")
    parser.add_argument("--write", action="store_true", help=f"keep what was measured in {RESULTS.name}")
    options = parser.parse_args()
    measured: dict[str, dict[str, Any]] = {}
    print(f"{'job':52}{'ours':>9}{'peer':>9}  times")
    for name in options.jobs:
        work, n, peer, title = JOBS[name]
        if importlib.util.find_spec(peer) is None:
            print(f"{title:52}{peer} is not installed")
            continue
        ours, theirs = work(n // 10 if options.quick and name != "linking" else n)
        print(f"{title:52}{ours:9.3f}{theirs:9.3f}  {theirs / ours:.1f} {peer}", flush=True)
        measured[name] = {
            "job": name, "title": title, "peer": peer, "version": importlib.metadata.version(peer),
            "ours_cpu_s": round(ours, 3), "peer_cpu_s": round(theirs, 3),
            "command": f"python benchmarks/peers.py --jobs {name}",
        }  # fmt: skip
    if options.write and not options.quick:
        before = json.loads(RESULTS.read_text(encoding="utf-8"))["jobs"] if RESULTS.exists() else []
        results = {one["job"]: one for one in before} | measured
        kept = [results[name] for name in JOBS if name in results]
        RESULTS.write_text(json.dumps({"jobs": kept}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
