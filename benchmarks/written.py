"""What our word costs: the fingerprint that keys all draws, and the count of a promise on the written file.

    python benchmarks/written.py [--quick]

1,000,000 × 10 numbers (200,000 with ``--quick``), MDAV by blocks, k = 5, to CSV and Parquet, each as a share of masking
and writing in the same run; and the fingerprint as a share of reading, masking and writing by additive noise, the
fastest method that draws. The goal is at most 5 %.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import discreet as dc
from discreet.data.keyed_draws import fingerprint
from discreet.data.schema import Attribute, Schema
from discreet.io.recount import count_written


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
        began, cpu = time.perf_counter(), time.process_time()
        fingerprint({name: frame[name].to_numpy() for name in frame.columns})
        wall, spent = time.perf_counter() - began, time.process_time() - cpu
        print(f"fingerprint: {wall:.3f} s ({spent:.3f} CPU s), {100 * spent / masking_cpu:.2f} % of masking by MDAV")
        source = Path(folder) / "original.csv"
        frame.write_csv(source)
        began, cpu = time.perf_counter(), time.process_time()
        table = dc.read(source, schema)
        dc.write(dc.AdditiveNoise(0.1).mask(table), Path(folder) / "noisy.csv")
        whole, whole_cpu = time.perf_counter() - began, time.process_time() - cpu
        print(f"noise, CSV to CSV: {whole:.1f} s; the fingerprint is {100 * spent / whole_cpu:.2f} % of its CPU time")


if __name__ == "__main__":
    main()
