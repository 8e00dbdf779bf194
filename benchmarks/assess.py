"""An assessment against its naive twin: every measure run alone by ``.measure()``, each preparing the tables anew.

    python benchmarks/assess.py
    python benchmarks/assess.py --quick     # the small file alone

CPU seconds of a warm call, the least of several; tables are new every time, so that nothing encoded before is used.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import discreet as dc
from discreet import catalogue
from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError


def least(job: Callable[[Microdata, Masked], object], records: int, calls: int) -> float:
    """Return the least CPU time of so many calls after a first one, each with tables of its own."""
    seconds = []
    for _ in range(calls + 1):
        original = dc.datasets.housing(records)
        masked = dc.MDAV(k=3).mask(original)
        start = time.process_time()
        job(original, masked)
        seconds.append(time.process_time() - start)
    return min(seconds[1:])


def alone(original: Microdata, masked: Masked) -> None:
    """Take every default measure by itself, on tables that nobody has encoded yet."""
    for cls in catalogue.measures().values():
        measure = cls()
        if not measure.default or not measure.applies_to(original.schema, masked.microdata.schema):
            continue
        fresh = Microdata(original.to_native(), original.schema)
        release = Microdata(masked.microdata.to_native(), masked.microdata.schema)
        try:
            measure.measure(fresh, release)
        except DiscreetError:
            continue  # an assessment says why; here it is the time that counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'records':>8} {'assess, CPU s':>14} {'alone, CPU s':>13} {'ratio':>6}")
    for records, calls in ((2_000, 10), (20_000, 3))[: 1 if arguments.quick else 2]:
        together, apart = least(dc.assess, records, calls), least(alone, records, calls)
        print(f"{records:>8,} {together:>14.3f} {apart:>13.3f} {together / apart:>6.2f}")


if __name__ == "__main__":
    main()
