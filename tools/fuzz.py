"""Run the fuzzers and print what they found.

    python tools/fuzz.py [--cases 2000] [--kind numbers ...] [--first 0]

Every kind runs so many cases (those that start processes a fiftieth of them), each from a seed of its own, so that a
finding comes back with its number. Exit code 1 if anything was found.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).parents[1]
KINDS = ("numbers", "tables", "documents", "options", "endings")
SLOW = {"endings": 50}
"""Kinds of which one case in so many is run."""
LONGEST = 120.0
"""Seconds after which a case counts as one that never ends."""


def run_case(fuzzer: ModuleType, kind: str, number: int) -> str | None:
    """Run one case in a folder of its own; one that does not end is interrupted, and is a finding."""
    rng = np.random.default_rng([KINDS.index(kind), number])
    late = threading.Event()

    def interrupt() -> None:
        late.set()
        os.kill(os.getpid(), signal.SIGINT)

    watch = threading.Timer(LONGEST, interrupt)
    watch.daemon = True
    watch.start()
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            found = fuzzer.case(rng, Path(folder))
    except KeyboardInterrupt:
        if not late.is_set():
            raise
        found = "it never ends"
    finally:
        watch.cancel()
    return "it never ends" if late.is_set() else found


def run_kind(kind: str, first: int, cases: int) -> dict[int, str]:
    """Run the cases of one kind and return what was found, by number."""
    fuzzer = importlib.import_module(f"tests.hardening.fuzzers.{kind}")
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(first, first + cases):
            said = run_case(fuzzer, kind, number)
            if said is not None:
                found[number] = said
    return found


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    total = 0
    for kind in given.kind or KINDS:
        cases = max(1, given.cases // SLOW.get(kind, 1))
        start = time.monotonic()
        found = run_kind(kind, given.first, cases)
        total += len(found)
        print(f"{kind:<10} {cases:>6} cases  {len(found):>4} found  {time.monotonic() - start:7.1f} s", flush=True)
        for said, count in Counter(found.values()).most_common(20):
            number = next(n for n, text in found.items() if text == said)
            print(f"    case {number}{f' and {count - 1} others' if count > 1 else ''}: {said}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
