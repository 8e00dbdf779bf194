"""A whole assessment by number of records: CPU and wall seconds, and what counting and searching patterns take of them.

    python benchmarks/whole_assessment.py
    python benchmarks/whole_assessment.py 10000 30000 100000
    python benchmarks/whole_assessment.py 1000000
    python benchmarks/whole_assessment.py 100000 --memory

``dc.assess`` of ``housing(n)`` after MDAV, every call on tables of its own; kernels are compiled before by a file of a
tenth of the size and by a first call, so the figure is of a warm one. On two cores that nobody else uses, a call takes
about the CPU seconds of its main thread and half of the others: the column ``two cores``, for machines that are loaded.

With ``--memory``, how much memory every measure takes by itself beyond the two tables, then one, ten and all of them
beside the most that a single one takes, each in a process of its own (Linux). Kernels are loaded before, by a smaller
file, and freed memory is given back: what is counted is what the records need.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import discreet as dc
from discreet.linkage.shared import counted_pairs, probabilistic

STEPS = ((counted_pairs, "count_patterns"), (counted_pairs, "count_coarsely"), (counted_pairs, "compare_patterns"),
         (probabilistic, "best_in_both_directions"), (probabilistic, "best_by_comparison"))  # fmt: skip

ONE, LAST = "probabilistic-linkage", 10
"""The measure of the first row of the memory table, and how many are in the second: the linkages are among them."""

WARM = 6_000
"""Records with which every kernel is loaded that larger files need."""


def timed(step: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """Return a step that also adds up its CPU time."""

    def run(*arguments: Any, **options: Any) -> Any:
        start = time.process_time()
        answer = step(*arguments, **options)
        seconds.append(time.process_time() - start)
        return answer

    return run


def tables(records: int, engine: Any = None) -> tuple[Any, Any]:
    """Return an original and its release."""
    original = dc.datasets.housing(records)
    return original, dc.MDAV(k=3).mask(original, engine=engine)


def assessed(records: int) -> tuple[float, float, float, float]:
    """Return CPU and wall seconds of one assessment, the CPU seconds of this thread, and gigabytes at the most."""
    pair = tables(records)
    forget_peak()
    cpu, wall, main = time.process_time(), time.perf_counter(), time.thread_time()
    dc.assess(*pair)
    return time.process_time() - cpu, time.perf_counter() - wall, time.thread_time() - main, in_status("VmHWM") / 1e6


def forget_peak() -> None:
    """Let the most memory of this process be what it holds now."""
    Path("/proc/self/clear_refs").write_text("5")


def in_status(name: str) -> int:
    """Return a figure of this process, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def measured(records: int, names: list[str]) -> None:
    """Print the megabytes that some measures, or all, take beyond the tables."""
    alone = dc.MemoryEngine(workers=1)  # what other threads free is kept for other threads, and would be counted off
    for small in (2_000, WARM):
        dc.assess(*tables(small, alone), engine=alone)
    pair = tables(records, alone)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    forget_peak()
    before = in_status("VmRSS")
    dc.measure(*pair, names or None)
    print((in_status("VmHWM") - before) / 1e3, flush=True)


def needed(records: int, names: list[str]) -> float:
    """Return the megabytes that some measures, or all, take in a process of their own."""
    command = [sys.executable, __file__, str(records), "--measures", *names]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compared(records: int) -> None:
    """Print what every measure takes by itself, and what several take beside the most of one."""
    names = [one.name for one in dc.assess(*tables(2_000)).measurements]
    alone = {}
    for name in names:
        alone[name] = needed(records, [name])
        print(f"{records:>9,} {name:<24} {alone[name]:>6.0f}", flush=True)
    apart = [name for name in names if name != "combined-linkage"]  # which the linkages are put together to
    print(f"{'records':>9} {'measures':>9} {'MB':>6} {'most of one':>12}", flush=True)
    for some in ([ONE], apart[-LAST:], []):
        members = some or names
        most = max(alone[name] for name in members)
        print(f"{records:>9,} {len(members):>9} {needed(records, some):>6.0f} {most:>12.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 30_000])
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--measures", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.measures is not None:
        measured(arguments.records[0], arguments.measures)
        return
    if arguments.memory:
        for records in arguments.records:
            compared(records)
        return
    counting: list[float] = []
    searching: list[float] = []
    for room, name in STEPS:
        setattr(room, name, timed(getattr(room, name), searching if name.startswith("best") else counting))
    heads = f"{'records':>9} {'CPU s':>8} {'wall s':>8} {'two cores':>10} {'counting':>9} {'searching':>10} {'GB':>6}"
    print(heads, flush=True)
    assessed(2_000)
    assessed(10_000)
    for records in arguments.records:
        counting.clear(), searching.clear()
        cpu, wall, own, peak = assessed(records)
        figures = f"{records:>9,} {cpu:>8.1f} {wall:>8.1f} {own + (cpu - own) / 2:>10.1f}"
        print(f"{figures} {sum(counting):>9.1f} {sum(searching):>10.1f} {peak:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
