"""The problems of Torra and Nin (P2, section 4.2): files that are split by attributes."""

from __future__ import annotations

import csv

import numpy as np

from discreet.microdata import table_of_numbers

SPLITS = {
    "abalone": (
        "uci/abalone.csv",
        ["Height", "Whole weight", "Viscera weight"],
        ["Length", "Diameter", "Shucked weight", "Shell weight"],
    ),
    "ionosphere": (
        "uci/ionosphere.csv",
        [f"V{i}" for i in (5, 7, 9, 11, 13, 20)],
        [f"V{i}" for i in (15, 17, 19, 21, 23, 30)],
    ),
    "census": (
        "sdc/CASCrefmicrodata.csv",
        ["AFNLWGT", "EMCONTRB", "PTOTVAL", "TAXINC", "POTHVAL", "PEARNVAL", "WSALVAL"],
        ["AGI", "FEDTAX", "STATETAX", "INTVAL", "FICA", "ERNVAL"],
    ),
    # Columns are numbered from 1 on the raw file of 32; V2 is the diagnosis, benign 1 and malignant 0.
    "wdbc": (
        "uci/wdbc.csv",
        [f"V{i}" for i in (2, 3, 4, 6, 7, 8, 10, 12, 13, 18, 20, 26, 29, 32)],
        [f"V{i}" for i in (5, 9, 15, 16, 19, 22, 23, 24, 25, 27, 28, 30)],
    ),
    "water-treatment": (
        "uci/water-treatment.csv",
        ["PH-E", "DBO-E", "SS-E", "SSV-E", "SED-E", "COND-E", "DBO-D", "SSV-D", "DBO-S", "RD-DBO-S", "RD-DQO-S"],
        "PH-P DBO-P SS-P SSV-P SED-P COND-P PH-D DQO-D COND-D SS-S SED-S COND-S RD-DBO-G RD-DQO-G".split(),  # noqa: SIM905
    ),
}
# Tables V–VIII, distance-based: rows ranging and standardisation, columns OWA with Q^e, Q^s, Q^t, then Sugeno.
PRINTED = {
    "abalone": [[6.5, 5.9, 6.7, 4.8, 4.2, 6.7], [9.9, 7.9, 8.8, 5.6, 6.5, 7.0]],
    "ionosphere": [[14.4, 21.8, 21.9, 11.6, 20.3, 21.9], [5.7, 7.9, 8.6, 6.4, 6.9, 8.0]],
    "census": [[7.1, 9.5, 7.5, 6.1, 8.6, 7.5], [8.4, 8.8, 9.9, 4.3, 3.6, 5.0]],
    "wdbc": [[5.0, 7.0, 4.4, 5.5, 5.8, 4.4], [10.8, 15.8, 18.2, 3.3, 4.6, 5.1]],
}


def _number(cell):
    return np.nan if cell == "?" else float({"B": 1, "M": 0}.get(cell, cell))


def load(data_dir, name):
    """The two halves of a problem, records in rows."""
    path, first, second = SPLITS[name]
    with (data_dir / path).open(newline="") as lines:
        header, *rows = csv.reader(lines)
    if name == "wdbc":
        header = [f"V{i}" for i in range(1, 33)]
    places = {column: header.index(column) for column in (*first, *second)}
    return tuple(np.array([[_number(row[places[c]]) for c in names] for row in rows]) for names in (first, second))


def table(values, prefix):
    """Numbers as a table of keys."""
    return table_of_numbers({f"{prefix}{j}": np.ascontiguousarray(column) for j, column in enumerate(values.T)})


def draw(halves, n, rng):
    """Both halves of n records drawn at random, and where the second half's records are in the first: shuffled."""
    rows = rng.choice(len(halves[0]), n, replace=False)
    order = rng.permutation(n)
    return table(halves[0][rows], "a"), table(halves[1][rows[order]], "b"), order
