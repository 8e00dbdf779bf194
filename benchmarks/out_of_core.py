"""Files that are masked without being held: CPU seconds, wall time and memory beside a copy and the same in memory.

    python benchmarks/out_of_core.py --quick            # 200,000 records
    python benchmarks/out_of_core.py                    # 2,000,000 × 10
    python benchmarks/out_of_core.py --jobs pram swapping --no-memory

Seven numbers with four factors behind them, rounded to two digits, and three columns of twelve levels, in one Parquet
file compressed with ZSTD. PRAM masks the levels, rank swapping and MDAV (k = 5) the numbers, in blocks of 50,000 as by
default. Every line is a process of its own, which does the job on 20,000 records first: neither compiling nor importing
is counted, and the peak of memory is what is above that. Polars copies the file in the same run.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

NUMBERS, LEVELS, CHUNK = tuple(f"x{j}" for j in range(7)), tuple(f"c{j}" for j in range(3)), 250_000
JOBS = ("copy", "pram", "swapping", "mdav")


def generate(path: Path, n: int) -> None:
    """Write the file a chunk at a time."""
    loadings = np.random.default_rng(0).normal(size=(4, len(NUMBERS)))
    writer: pq.ParquetWriter | None = None
    for seed, start in enumerate(range(0, n, CHUNK)):
        size = min(CHUNK, n - start)
        rng = np.random.default_rng(seed + 1)
        numbers = np.exp(0.4 * (rng.normal(size=(size, 4)) @ loadings)) + 0.3 * rng.normal(size=(size, len(NUMBERS)))
        numbers = np.round(100.0 * numbers, 2)
        columns = {name: pa.array(numbers[:, j]) for j, name in enumerate(NUMBERS)}
        columns |= {name: pa.array([f"level {code:02}" for code in rng.integers(0, 12, size)]) for name in LEVELS}
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    assert writer is not None
    writer.close()


def run_one(job: str, source: Path, release: Path, in_memory: bool) -> None:
    """Do one job and print what it took."""
    import discreet as dc

    schema = dc.Schema(
        (
            *(dc.Attribute(name, dc.Numeric(), "key") for name in NUMBERS),
            *(dc.Attribute(name, dc.Nominal(tuple(f"level {c:02}" for c in range(12))), "key") for name in LEVELS),
        )
    )
    maskers = {
        "pram": lambda: dc.PRAM(attributes=LEVELS, random_state=1),
        "swapping": lambda: dc.RankSwapping(attributes=NUMBERS, random_state=1),
        "mdav": lambda: dc.MDAV(5, attributes=NUMBERS, random_state=1),
    }

    def do(source: Path, release: Path) -> None:
        if job == "copy":
            import polars as pl

            scanned = pl.scan_parquet(source) if source.suffix == ".parquet" else pl.scan_csv(source)
            scanned.sink_parquet(release) if release.suffix == ".parquet" else scanned.sink_csv(release)
        elif in_memory:
            dc.write(maskers[job]().mask(dc.read(source, schema)), release)
        else:
            dc.protect(dc.scan(source, schema), maskers[job](), output=release)

    head, small = source.with_stem("head"), release.with_stem("small")
    do(head, small)
    small.unlink()
    idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    do(source, release)
    figures = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    figures["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle) / 1e3
    print(json.dumps(figures))


def table(kind: str, source: Path, folder: Path, jobs: list[str], memory: bool) -> None:
    """Print a line a job."""
    print(f"\n{kind}, {source.stat().st_size / 1e6:.0f} MB")
    print(f"{'job':>22}  {'CPU s':>7}  {'wall s':>7}  {'peak MB':>8}  {'file MB':>8}")
    for job in jobs:
        for in_memory in (False, True) if memory and job != "copy" else (False,):
            release = folder / f"release{source.suffix}"
            command = [sys.executable, __file__, "--one", job, "--source", str(source), "--release", str(release)]
            told = subprocess.run(
                command + (["--in-memory"] if in_memory else []), check=True, capture_output=True, text=True
            )
            f = json.loads(told.stdout.splitlines()[-1])
            name = f"{job}, in memory" if in_memory else job
            size = release.stat().st_size / 1e6
            print(f"{name:>22}  {f['cpu']:>7.1f}  {f['wall']:>7.1f}  {f['megabytes']:>8.0f}  {size:>8.0f}", flush=True)
            release.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--records", type=int)
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=list(JOBS))
    parser.add_argument("--formats", nargs="*", choices=("parquet", "csv"), default=["parquet"])
    parser.add_argument("--no-memory", action="store_true", help="leave out the same jobs in memory")
    parser.add_argument("--folder")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--release", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--in-memory", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        run_one(given.one, given.source, given.release, given.in_memory)
        return
    n = given.records or (200_000 if given.quick else 2_000_000)
    with tempfile.TemporaryDirectory(dir=given.folder) as inside:
        source = Path(inside) / "records.parquet"
        generate(source, n)
        generate(source.with_stem("head"), 20_000)
        print(f"{n} × {len(NUMBERS) + len(LEVELS)}")
        if "parquet" in given.formats:
            table("Parquet", source, Path(inside), given.jobs, not given.no_memory)
        if "csv" in given.formats:
            import polars as pl

            text = source.with_suffix(".csv")
            for path in (text, text.with_stem("head")):
                pl.scan_parquet(path.with_suffix(".parquet")).sink_csv(path)
            table("CSV", text, Path(inside), [job for job in given.jobs if job != "mdav"], not given.no_memory)


if __name__ == "__main__":
    main()
