"""Frequencies of combinations of keys, and optimal groups of one column, with a peer in the same run."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from discreet.statistics.key_frequencies import key_frequencies

LEVELS = (2, 3, 4, 5, 6, 8, 4, 2)


def cpu(work: Callable[[], Any], times: int = 3) -> float:
    spent = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_SELF)
        work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def counting(n: int, *, text: bool) -> None:
    rng = np.random.default_rng(1)
    codes = {f"k{i}": rng.integers(0, size, n) for i, size in enumerate(LEVELS)}
    frame = pl.DataFrame({name: column.astype(str) if text else column for name, column in codes.items()})
    scales = {name: dc.Nominal(sorted(frame[name].unique().to_list())) for name in frame.columns}
    schema = dc.Schema([dc.Attribute(name, scale, "key") for name, scale in scales.items()])
    fresh = cpu(lambda: key_frequencies(dc.microdata(frame, schema), frame.columns))
    data = dc.microdata(frame, schema)
    key_frequencies(data, frame.columns)
    again = cpu(lambda: key_frequencies(data, frame.columns))
    line = f"| {n:,} × {len(LEVELS)} keys, {'text' if text else 'numbers'} | {fresh:.3f}, once encoded {again:.3f} |"
    try:
        import duckdb
    except ImportError:
        print(line, "DuckDB is not installed |")
        return
    sql = f"SELECT count(*) FROM frame GROUP BY {', '.join(frame.columns)}"  # noqa: S608 - names of our own
    connection = duckdb.connect()
    connection.register("frame", frame)
    peer = cpu(lambda: connection.execute(sql).fetchnumpy())
    print(line, f"DuckDB {peer:.3f}: {fresh / peer:.1f} times |")


def univariate(n: int) -> None:
    values = np.random.default_rng(1).lognormal(size=n)
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])
    masker = dc.IndividualRanking(k=5)
    for size in (1000, n):  # what is compiled for many records too
        masker.mask(dc.microdata(pl.DataFrame({"x": values[:size]}), schema))
    ours = cpu(lambda: masker.mask(dc.microdata(pl.DataFrame({"x": values}), schema)))
    try:
        import microagg1d
    except ImportError:
        print(f"| optimal univariate, {n:,}, public call | {ours:.3f} | microagg1d is not installed |")
        return
    microagg1d.univariate_microaggregation(values[:1000].copy(), k=5)
    peer = cpu(lambda: microagg1d.univariate_microaggregation(values.copy(), k=5))
    print(f"| optimal univariate, {n:,}, public call | {ours:.3f} | microagg1d {peer:.3f}: {ours / peer:.1f} times |")


if __name__ == "__main__":
    records = 100_000 if "--quick" in sys.argv else 1_000_000
    print("| job | CPU s | compared with |\n| --- | --- | --- |")
    counting(records, text=False)
    counting(records, text=True)
    univariate(records)
