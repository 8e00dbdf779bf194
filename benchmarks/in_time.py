"""Series, trajectories and query logs: speed of their distances against plain twins, and 20,000 records protected.

    python benchmarks/in_time.py [--quick]

1. Pairs of records a CPU second, of every distance and of its definition in plain Python, in one run.
2. k-sized clustering of 20,000 records, k = 5: CPU seconds and the peak of memory.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import discreet as dc
from discreet.operators.operator_text import as_dissimilarity

TABLES = {"LOAD": dc.datasets.loads, "WAY": dc.datasets.trips, "SEARCHES": dc.datasets.searches}
DISTANCES = {"LOAD": ("euclidean", "dtw"), "WAY": ("synchronous", "frechet"), "SEARCHES": ("weighted-jaccard",)}


def plain_euclidean(s: list[int], r: list[int], span: float) -> float:
    """Compute it by its definition."""
    return math.sqrt(sum(min(abs(x - y) / span, 1.0) ** 2 for x, y in zip(s, r, strict=True)) / len(s))


def plain_dtw(s: list[int], r: list[int], span: float) -> float:
    """Compute it by its definition, with a window of a tenth."""
    band = len(s) // 10
    lines = [[math.inf] * (len(r) + 1) for _ in range(len(s) + 1)]
    lines[0][0] = 0.0
    for i in range(1, len(s) + 1):
        for j in range(max(1, i - band), min(len(r), i + band) + 1):
            far = min(abs(s[i - 1] - r[j - 1]) / span, 1.0) ** 2
            lines[i][j] = far + min(lines[i - 1][j - 1], lines[i - 1][j], lines[i][j - 1])
    return math.sqrt(lines[-1][-1] / len(s))


def plain_terms(s: list[int], r: list[int], _: float) -> float:
    """Compute it by its definition."""
    a, b = ({code for code in log if code > 1} for log in (s, r))
    return sum(map(math.log, a ^ b)) / (sum(map(math.log, a | b)) or 1.0)


PLAIN: dict[str, Callable[[list[int], list[int], float], float]] = {
    "euclidean": plain_euclidean,
    "dtw": plain_dtw,
    "weighted-jaccard": plain_terms,
}


def seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(column: str, n: int) -> None:
    """Print pairs a CPU second of every distance, and how many times those of its plain twin."""
    table = TABLES[column](n)
    encoded = table.encoded(column)
    codes = [one.tolist() for one in np.split(encoded.codes, encoded.offsets[1:-1])]
    for name in DISTANCES[column]:
        distance = as_dissimilarity("benchmark", name, scale=table.schema[column].scale)
        comparison = distance.compare(encoded)
        comparison.rows([0])
        rate = n * n / seconds(comparison.matrix)
        line = f"{column:9} {name:17} {rate / 1e6:8.2f} M pairs/s"
        if name in PLAIN:
            span = float(getattr(distance, "span", None) or 1.0)
            pairs = [(s, r) for s in codes[:60] for r in codes[-60:]]
            values = [PLAIN[name](s, r, span) for s, r in pairs]
            ours = comparison.rows(np.arange(60), np.arange(n - 60, n)).ravel()
            assert np.abs(ours - values).max() < 1e-9
            plain = len(pairs) / seconds(
                lambda name=name, pairs=pairs, span=span: [PLAIN[name](s, r, span) for s, r in pairs]
            )
            line += f"  {rate / plain:7.0f} × plain"
        print(line, flush=True)


def main() -> None:
    """Print both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2,000 records instead of 20,000")
    asked = parser.parse_args()
    for column in TABLES:
        speed(column, 500 if asked.quick else 1000)
    for column, make in TABLES.items():
        table = make(2000 if asked.quick else 20_000)
        spent = seconds(lambda column=column, table=table: dc.KSHC(k=5, attributes=[column]).mask(table))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{column:9} kshc, {len(table)} records: {spent:.1f} CPU s, peak so far {peak:.2f} GB", flush=True)


if __name__ == "__main__":
    main()
