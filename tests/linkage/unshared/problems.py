"""The problems of Torra and Nin (P2, section 4.2): files that are split by attributes."""

from __future__ import annotations

import csv

import numpy as np

from discreet.data.microdata import table_of_numbers
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects import representatives_files

WATER = (
    ["PH-E", "DBO-E", "SS-E", "SSV-E", "SED-E", "COND-E", "DBO-D", "SSV-D", "DBO-S", "RD-DBO-S", "RD-DQO-S"],
    "PH-P DBO-P SS-P SSV-P SED-P COND-P PH-D DQO-D COND-D SS-S SED-S COND-S RD-DBO-G RD-DQO-G".split(),  # noqa: SIM905
)
# Tables V–VIII, distance-based: rows ranging and standardisation, columns OWA with Q^e, Q^s, Q^t, then Sugeno.
PRINTED = {name: [list(rows[0]), list(rows[2])] for name, rows in representatives_files.PRINTED.items()}


def load(data_dir, name):
    """The two halves of a problem, records in rows."""
    if name != "water-treatment":
        return representatives_files.halves(DataFolder(data_dir), name)
    with (data_dir / "uci/water-treatment.csv").open(newline="") as lines:
        header, *rows = csv.reader(lines)
    return tuple(
        np.array(
            [[np.nan if row[header.index(c)] == "?" else float(row[header.index(c)]) for c in names] for row in rows]
        )
        for names in WATER
    )


def table(values, prefix):
    """Numbers as a table of keys."""
    return table_of_numbers({f"{prefix}{j}": np.ascontiguousarray(column) for j, column in enumerate(values.T)})


def draw(halves, n, rng):
    """Both halves of n records drawn at random, and where the second half's records are in the first: shuffled."""
    rows = rng.choice(len(halves[0]), n, replace=False)
    order = rng.permutation(n)
    return table(halves[0][rows], "a"), table(halves[1][rows[order]], "b"), order
