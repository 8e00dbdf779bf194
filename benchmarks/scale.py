"""Files larger than memory: time, memory and loss against the number of records and the size of blocks.

    python benchmarks/scale.py --quick          # 50,000 and 200,000 records, loss on 20,000
    python benchmarks/scale.py                  # 1, 5 and 20 million records, loss on 100,000
    python benchmarks/scale.py --records 20000000 --no-loss --folder /tmp

Every size runs in a process of its own, so that its peak of memory is its own. The input is written in chunks: ten
numbers with four factors behind them. Protected by MDAV, k = 5, in blocks of 50,000; assessed by the measures for large
tables. The loss against the method in one block is that of `MDAV` on the same 100,000 records.
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

from discreet.data.microdata import table_of_numbers
from discreet.engines.streaming import StreamingEngine
from discreet.evaluation.assessing import assess, protect
from discreet.io.reading import scan
from discreet.masking.microaggregation.numbers.mdav import MDAV

COLUMNS, K, CHUNK = 10, 5, 500_000
KEYS = table_of_numbers({f"x{j}": np.zeros(2) for j in range(COLUMNS)}).schema


def values(n: int, seed: int) -> np.ndarray:
    """Ten skewed numbers that depend on four factors."""
    loadings = np.random.default_rng(0).normal(size=(4, COLUMNS))
    rng = np.random.default_rng(seed)
    return np.exp(0.4 * (rng.normal(size=(n, 4)) @ loadings)) + 0.3 * rng.normal(size=(n, COLUMNS))


def generate(path: Path, n: int) -> None:
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(COLUMNS)])
    with pq.ParquetWriter(path, schema) as writer:
        for seed, start in enumerate(range(0, n, CHUNK)):
            block = values(min(CHUNK, n - start), seed + 1)
            writer.write_table(pa.table({f"x{j}": block[:, j] for j in range(COLUMNS)}), row_group_size=100_000)


def run_one(n: int, folder: Path, block_size: int, workers: int) -> None:
    source, release = folder / f"records-{n}.parquet", folder / f"masked-{n}.parquet"
    start = time.perf_counter()
    generate(source, n)
    generated = time.perf_counter() - start
    engine = StreamingEngine(workers, folder=str(folder))
    figures = {"records": n, "generate_s": generated, "megabytes": source.stat().st_size / 1e6}
    for stage in ("protect", "assess"):
        wall, cpu = time.perf_counter(), time.process_time()
        if stage == "protect":
            table, masker = scan(source, KEYS), MDAV(K, random_state=1)
            protect(table, masker, output=release, engine=engine, block_size=block_size)
        else:
            found = assess(scan(source, KEYS), scan(release, KEYS), engine=engine)
            figures |= {m.name: m.value for m in found.measurements if m.name in {"sse", "il1s", "k-anonymity"}}
            figures["linked"] = next(m.value for m in found.measurements if m.name == "distance-linkage")
        figures |= {f"{stage}_s": time.perf_counter() - wall, f"{stage}_cpu_s": time.process_time() - cpu}
        figures[f"{stage}_peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    release.unlink()
    source.unlink()
    print(json.dumps(figures))


def sizes(counts: list[int], folder: str | None, block_size: int, workers: int) -> None:
    print(f"MDAV k={K}, blocks of {block_size}, {COLUMNS} columns, {workers} threads")
    heads = (
        "records",
        "file MB",
        "protect s",
        "cpu s",
        "assess s",
        "cpu s",
        "µs/record",
        "peak GB",
        "SSE %",
        "linked %",
    )
    print("  ".join(f"{head:>10}" for head in heads))
    for n in counts:
        with tempfile.TemporaryDirectory(dir=folder) as inside:
            command = [sys.executable, __file__, "--one", str(n), "--folder", inside]
            command += ["--block-size", str(block_size), "--workers", str(workers)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        f = json.loads(told.splitlines()[-1])
        assert f["k-anonymity"] == 0.0
        total = f["protect_s"] + f["assess_s"]
        row = (
            f"{n:>10}", f"{f['megabytes']:>10.0f}", f"{f['protect_s']:>10.1f}", f"{f['protect_cpu_s']:>10.1f}",
            f"{f['assess_s']:>10.1f}", f"{f['assess_cpu_s']:>10.1f}", f"{1e6 * total / n:>10.1f}",
            f"{max(f['protect_peak_gb'], f['assess_peak_gb']):>10.2f}", f"{f['sse']:>10.3f}", f"{f['linked']:>10.2f}",
        )  # fmt: skip
        print("  ".join(row), flush=True)


def losses(n: int, blocks: list[int]) -> None:
    """Information loss in blocks against the method in one block."""
    x = values(n, 1)
    table = table_of_numbers({f"x{j}": x[:, j] for j in range(COLUMNS)})
    total = ((x - x.mean(axis=0)) ** 2).sum(axis=0)

    def loss(masked: np.ndarray) -> float:
        return float((100.0 * ((masked - x) ** 2).sum(axis=0) / total).mean())

    cpu = time.process_time()
    whole = loss(MDAV(K, random_state=1).mask(table).microdata.numeric(KEYS.names))
    alone = f"in one block {whole:.4f} % ({time.process_time() - cpu:.1f} s)"
    print(f"\nLoss (SSE/SST) of MDAV k={K} on {n} × {COLUMNS}; {alone}")
    print(f"{'block':>10}  {'loss %':>10}  {'difference':>10}  {'cpu s':>10}")
    with tempfile.TemporaryDirectory() as inside:
        source, release = Path(inside) / "x.parquet", Path(inside) / "y.parquet"
        pq.write_table(pa.table({f"x{j}": x[:, j] for j in range(COLUMNS)}), source)
        for size in blocks:
            cpu = time.process_time()
            protect(scan(source, KEYS), MDAV(K, random_state=1), output=release, block_size=size)
            masked = pq.read_table(release)
            here = loss(np.stack([masked[f"x{j}"].to_numpy() for j in range(COLUMNS)], axis=1))
            print(
                f"{size:>10}  {here:>10.4f}  {100 * (here / whole - 1):>+9.2f}%  {time.process_time() - cpu:>10.1f}",
                flush=True,
            )
            assert here < 1.02 * whole
            release.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--records", type=int, nargs="*")
    parser.add_argument("--no-loss", action="store_true")
    parser.add_argument("--folder")
    parser.add_argument("--block-size", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        run_one(given.one, Path(given.folder), given.block_size, given.workers)
        return
    counts = given.records or ([50_000, 200_000] if given.quick else [1_000_000, 5_000_000, 20_000_000])
    sizes(counts, given.folder, given.block_size, given.workers)
    if not given.no_loss:
        n = 20_000 if given.quick else 100_000
        losses(n, [2_000, 10_000] if given.quick else [2_000, 5_000, 10_000, 20_000, 50_000])


if __name__ == "__main__":
    main()
