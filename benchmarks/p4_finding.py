"""The finding of Domingo-Ferrer and Torra (2002) on the bundled survey: linkage falls where information is lost.

    python benchmarks/p4_finding.py [--quick]

36 masked files × 5 groups of attributes of ``housing(1000)`` (300 records with ``--quick``).
"""

from __future__ import annotations

import sys
import time

from discreet.datasets import housing
from discreet.engines.memory import MemoryEngine
from discreet.reproduction.subjects.link_study import linkage_study


def main() -> None:
    n = 300 if "--quick" in sys.argv[1:] else 1000
    begin = time.perf_counter()
    study = linkage_study(housing(n), housing(5 * n, random_state=1), engine=MemoryEngine())
    print(study.to_text())
    print(f"{time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
