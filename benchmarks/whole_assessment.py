"""A whole assessment by number of records: CPU and wall seconds, and what counting and searching patterns take of them.

    python benchmarks/whole_assessment.py
    python benchmarks/whole_assessment.py 10000 30000 100000

``dc.assess`` of ``housing(n)`` after MDAV, every call on tables of its own; kernels are compiled before by a file of a
tenth of the size and by a first call, so the figure is of a warm one.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import discreet as dc
from discreet.linkage.shared import counted_pairs, probabilistic

STEPS = ((counted_pairs, "count_patterns"), (counted_pairs, "compare_patterns"),
         (probabilistic, "best_in_both_directions"), (probabilistic, "best_by_comparison"))  # fmt: skip


def timed(step: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """Return a step that also adds up its CPU time."""

    def run(*arguments: Any, **options: Any) -> Any:
        start = time.process_time()
        answer = step(*arguments, **options)
        seconds.append(time.process_time() - start)
        return answer

    return run


def assessed(records: int) -> tuple[float, float]:
    """Return CPU and wall seconds of one assessment."""
    original = dc.datasets.housing(records)
    masked = dc.MDAV(k=3).mask(original)
    cpu, wall = time.process_time(), time.perf_counter()
    dc.assess(original, masked)
    return time.process_time() - cpu, time.perf_counter() - wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 30_000])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    counting: list[float] = []
    searching: list[float] = []
    for room, name in STEPS:
        setattr(room, name, timed(getattr(room, name), searching if name.startswith("best") else counting))
    print(f"{'records':>9} {'CPU s':>8} {'wall s':>8} {'counting':>9} {'searching':>10}")
    assessed(2_000)
    assessed(10_000)
    for records in arguments.records:
        counting.clear(), searching.clear()
        cpu, wall = assessed(records)
        print(f"{records:>9,} {cpu:>8.1f} {wall:>8.1f} {sum(counting):>9.1f} {sum(searching):>10.1f}", flush=True)


if __name__ == "__main__":
    main()
