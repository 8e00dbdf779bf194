"""Say where the time of the tests goes: the test functions that take longest, all their cases together.

    python -m pytest --durations=0 -q > durations.txt; python tools/time_of_tests.py durations.txt [--first 60]

Reads what pytest says with ``--durations=0``. Functions that are in `tests/slow.txt` have a star.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

SLOW = Path(__file__).parents[1] / "tests" / "slow.txt"
LINE = re.compile(r"^([0-9.]+)s (?:call|setup|teardown) +(\S+?)(?:\[.*)?$")


def time_of(text: str) -> tuple[Counter[str], Counter[str]]:
    r"""Return seconds and cases by test function, of what pytest printed.

    Examples
    --------
    >>> seconds, cases = time_of("1.50s call tests/a/test_b.py::test_c[1]\n0.25s call tests/a/test_b.py::test_c[x y]")
    >>> seconds, cases
    (Counter({'tests/a/test_b.py::test_c': 1.75}), Counter({'tests/a/test_b.py::test_c': 2}))
    """
    seconds: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for line in text.splitlines():
        if timed := LINE.match(line):
            seconds[timed[2]] += float(timed[1])
            cases[timed[2]] += " call " in line
    return seconds, cases


def main() -> None:
    """Read the times and print the longest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("durations", type=Path)
    parser.add_argument("--first", type=int, default=60)
    options = parser.parse_args()
    seconds, cases = time_of(options.durations.read_text(encoding="utf-8"))
    listed = {line.split()[0] for line in SLOW.read_text(encoding="utf-8").splitlines() if line[:1] not in {"", "#"}}
    print(f"{sum(seconds.values()):8.1f} s in all")
    for name, took in seconds.most_common(options.first):
        star = "*" if name.removeprefix("tests/") in listed else " "
        print(f"{took:8.1f} s {cases[name]:5} {star} {name}")


if __name__ == "__main__":
    main()
