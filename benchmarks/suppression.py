"""Local suppression, measured: values that go missing, before and after polishing, and what any release needs.

    python benchmarks/suppression.py                    # all files, both readings, k = 2, 3, 5
    python benchmarks/suppression.py --quick            # sdcMicro's test data alone
    python benchmarks/suppression.py --polish 2m --budget 2m

The files are those of the folder DISCREET_DATA (by default ../shared/data). sdcMicro's figures are
quoted, not run here; it reads a missing value as matching every value.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import polars as pl

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema

HERE = Path(__file__).parent
FILES = {
    "testdata": ("sdc/testdata.csv", ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]),
    "biofam": ("uci/biofam.csv", ["sex", "nat_1_02", "plingu02", "p02r01", "p02r04", "cspfaj", "cspmoj"]),
    "adult": ("arx/adult.csv", ["sex", "age", "race", "marital-status", "education"]),
}
SDCMICRO = {("testdata", 2): 157, ("testdata", 3): 293, ("testdata", 5): 500}


def read_keys(path: Path, names: list[str]) -> dc.Microdata:
    """Return the keys as levels, whatever a reader would take them for."""
    lines = path.read_text().split("\n", 1)[0]
    separator = ";" if lines.count(";") > lines.count(",") else ","
    frame = pl.read_csv(path, separator=separator, infer_schema=False, columns=names).select(names)
    scales = {name: Nominal(sorted(frame[name].drop_nulls().unique().to_list())) for name in names}
    return dc.Microdata(frame, Schema([Attribute(name, scales[name], "key") for name in names]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--files", nargs="+", default=list(FILES))
    parser.add_argument("--readings", nargs="+", default=["category", "wildcard"])
    parser.add_argument("--k", nargs="+", type=int, default=[2, 3, 5])
    parser.add_argument("--polish", default="1m", help="a time, or a number of integer programmes")
    parser.add_argument("--budget", default="1m")
    options = parser.parse_args()
    polish = int(options.polish) if options.polish.isdigit() else options.polish
    folder = Path(os.environ.get("DISCREET_DATA", HERE.parent.parent / "shared" / "data"))
    header = (
        "file",
        "records",
        "keys",
        "missing",
        "k",
        "sdcMicro",
        "plain",
        "s",
        "polished",
        "s",
        "bound",
        "gap %",
        "s",
    )
    print(" | ".join(header))
    for name in ["testdata"] if options.quick else options.files:
        path, keys = FILES[name]
        data = read_keys(folder / path, keys)
        for missing in options.readings:
            for k in options.k:
                begin = time.process_time()
                plain = dc.LocalSuppression(k, missing=missing).mask(data)
                first = time.process_time()
                polished = dc.LocalSuppression(k, missing=missing, polish=polish).mask(data)
                second = time.process_time()
                proof = dc.certify(data, polished, budget=options.budget)
                third = time.process_time()
                peer = SDCMICRO.get((name, k), "") if missing == "wildcard" else ""
                cells = sum(plain.provenance.details["suppressed"].values())
                row = (name, len(data), len(keys), missing, k, peer, cells, f"{first - begin:.2f}", proof.cells)
                row += (f"{second - first:.0f}", f"{proof.bound:g}", f"{proof.gap:.2f}", f"{third - second:.0f}")
                print(" | ".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main()
