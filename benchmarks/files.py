"""Reading and writing files with labels: time and memory beside the plain library.

    python benchmarks/files.py [--quick]

Each figure is of a process of its own: CPU seconds, and the largest memory it held beyond what it began with. The plain
library is pyreadstat with its default frame, without schema, labels or chunks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MAKE = """
import numpy as np, polars as pl, pyreadstat
rng = np.random.default_rng(0)
n = {n}
frame = pl.DataFrame({{f"x{{j}}": rng.normal(size=n) for j in range(4)}}
    | {{f"c{{j}}": rng.integers(1, 8, n).astype(float) for j in range(5)}} | {{"w": rng.choice(["north", "south"], n)}})
labels = {{f"c{{j}}": {{float(i): f"level {{i}}" for i in range(1, 8)}} for j in range(5)}}
if "{ending}" == ".sav":
    pyreadstat.write_sav(frame, "a.sav", variable_value_labels=labels)
elif "{ending}" == ".dta":
    whole = {{name: {{int(code): text for code, text in known.items()}} for name, known in labels.items()}}
    pyreadstat.write_dta(frame, "a.dta", variable_value_labels=whole)
else:
    pyreadstat.write_xport(frame, "a.xpt")
"""
OURS_READ = "import discreet as dc, discreet.workflow\nbegin()\ndata = dc.read('a{ending}')"
THEIRS_READ = "import pyreadstat, pandas\nbegin()\nframe, meta = pyreadstat.{reader}('a{ending}')"
OURS_WRITE = (
    "import discreet as dc, discreet.workflow\ndata = dc.read('a{ending}')\nbegin()\ndc.write(data, 'b{ending}')"
)
THEIRS_WRITE = (
    "import pyreadstat, pandas\nframe, meta = pyreadstat.{reader}('a{ending}')\nbegin()\n"
    "pyreadstat.{writer}(frame, 'b{ending}')"
)
FRAME = """
import json, resource, time
def begin():
    global cpu, memory
    cpu, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{code}
print(json.dumps([time.process_time() - cpu, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024]))
"""
FORMATS = {".sav": ("read_sav", "write_sav"), ".dta": ("read_dta", "write_dta"), ".xpt": ("read_xport", "write_xport")}


def measured(code: str, folder: Path) -> tuple[float, float]:
    script = FRAME.replace("{code}", code)
    run = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    cpu, memory = json.loads(run.stdout.splitlines()[-1])
    return cpu, memory


def main() -> None:
    n = 20_000 if "--quick" in sys.argv else 500_000
    print(f"{n} records, 10 columns, 5 of them labelled")
    print(f"{'file':<6}{'work':<8}{'ours CPU s':>12}{'plain CPU s':>13}{'ratio':>8}{'ours MB':>10}{'plain MB':>10}")
    for ending, (reader, writer) in FORMATS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subprocess.run([sys.executable, "-c", MAKE.format(n=n, ending=ending)], cwd=folder, check=True)
            for work, ours, theirs in (("read", OURS_READ, THEIRS_READ), ("write", OURS_WRITE, THEIRS_WRITE)):
                a = measured(ours.format(ending=ending), folder)
                b = measured(theirs.format(ending=ending, reader=reader, writer=writer), folder)
                # A writer works in the memory that reading has freed, so that its peak says nothing.
                memory = f"{a[1]:>10.0f}{b[1]:>10.0f}" if work == "read" else ""
                print(f"{ending:<6}{work:<8}{a[0]:>12.2f}{b[0]:>13.2f}{a[0] / b[0]:>8.2f}{memory}")


if __name__ == "__main__":
    main()
