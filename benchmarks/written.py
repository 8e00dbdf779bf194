"""What it costs to count a promise again on the written file, as a share of masking and writing it, in one run.

    python benchmarks/written.py [--quick]

1,000,000 × 10 numbers (200,000 with ``--quick``), MDAV by blocks, k = 5, to CSV and Parquet. The goal is at most 5 %.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import discreet as dc
from discreet.io.recount import count_written
from discreet.schema import Attribute, Schema


def main() -> None:
    """Mask once, write in both formats, and time the count by itself on the file that was written."""
    n = 200_000 if "--quick" in sys.argv else 1_000_000
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"x{j}": rng.normal(size=n) for j in range(10)})
    schema = Schema([Attribute(name, dc.Numeric(), "key") for name in frame.columns])
    dc.MDAV(k=5, search="blocks").mask(frame[:2000], schema)  # compiled before the clock starts
    began, cpu = time.perf_counter(), time.process_time()
    masked = dc.MDAV(k=5, search="blocks").mask(frame, schema)
    masking, masking_cpu = time.perf_counter() - began, time.process_time() - cpu
    print(f"{n:,} × 10: masked in {masking:.1f} s ({masking_cpu:.1f} CPU s)")
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".csv", ".parquet"):
            path = Path(folder) / f"masked{ending}"
            began, cpu = time.perf_counter(), time.process_time()
            dc.write(masked, path)
            writing, writing_cpu = time.perf_counter() - began, time.process_time() - cpu
            began, cpu = time.perf_counter(), time.process_time()
            count_written(path, ending, masked.provenance.guarantees, records=n)
            wall, spent = time.perf_counter() - began, time.process_time() - cpu
            share, share_cpu = wall / (masking + writing), spent / (masking_cpu + writing_cpu)
            print(
                f"{ending}: written and counted in {writing:.2f} s; the count alone {wall:.2f} s ({spent:.2f} CPU s): "
                f"{100 * share:.1f} % of masking and writing ({100 * share_cpu:.1f} % of CPU)"
            )


if __name__ == "__main__":
    main()
