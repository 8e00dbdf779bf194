"""Torra, OWA operators in data modeling and re-identification (P1d): Table IV.

The records of a file are split at random. In each half every column is aggregated to ten OWA representatives, with
Q(x) = x^(i/5), and the columns of one half are linked to those of the other by them. The paper made one split a file;
here there are many, so that chance can be told apart, and our match of variables stands beside it.
"""

from __future__ import annotations

import numpy as np

from discreet.linkage.unshared.variables import match_columns
from discreet.progress import track
from discreet.reproduction.public_files import DataFolder
from discreet.reproduction.subjects.weight_learning import CODES
from discreet.reproduction.verdicts import Row, Table, not_run, otherwise, ours_only, sampled
from discreet.typing import FloatArray

__all__ = ["TABLE_IV", "correct", "tables", "values"]

TABLE_IV = {"iris": (0, 4), "abalone": (6, 8), "ionosphere": (10, 33)}
"""Re-identified variables, and how many there are."""

_RESTARTS = 20
_UNLIKE = {
    "iris": "the paper's program decides which links to suggest, and of this file it suggested one, which was wrong; "
    "ours matches all of them and cannot abstain",
}
_REASON = {
    "ionosphere": "one split is printed, linked by a program with thresholds; ours matches one to one",
}


def values(data: DataFolder, name: str) -> FloatArray:
    """Return a file without its class, every column on [0, 1], constant columns left out."""
    table = data.numbers(name, list(data.columns(name))[:-1], CODES[name])
    table = table[:, np.ptp(table, axis=0) > 0]
    return np.asarray((table - table.min(axis=0)) / np.ptp(table, axis=0))


def correct(table: FloatArray, method: str, rng: np.random.Generator) -> int:
    """Split the records at random, shuffle the columns of one half, and count those that are found again."""
    order, columns = rng.permutation(len(table)), rng.permutation(table.shape[1])
    half = len(table) // 2
    image, _ = match_columns(table[order[:half]], table[order[half:]][:, columns], method, _RESTARTS, rng)
    return int((columns[image] == np.arange(columns.size)).sum())


def tables(data: DataFolder, *, full: bool = False) -> list[Table]:
    """Return Table IV: mean and standard error over random splits, and our match in an extra column."""
    splits = 100 if full else 20
    rows = []
    for name, (printed, count) in track(TABLE_IV.items(), "P1d: variables", len(TABLE_IV)):
        if data.find(name) is None:
            missing = not_run(str(printed), data.needs(name))
            rows.append(Row(f"{name} ({count} variables)", (missing, not_run("", data.needs(name)))))
            continue
        table = values(data, name)
        cells = []
        for method in ("owa", "both"):
            rng = np.random.default_rng(0)
            matches = np.array([correct(table, method, rng) for _ in range(splits)], dtype=float)
            spread, own = float(matches.std(ddof=1)), float(matches.std(ddof=1)) / np.sqrt(splits)
            if method == "both":
                cells.append(ours_only(float(matches.mean()), error=own))
                continue
            if name in _UNLIKE:
                cells.append(otherwise(printed, float(matches.mean()), _UNLIKE[name], own=own))
                continue
            # One split is printed, so that its own spread is the larger part of the error.
            error = float(np.hypot(spread, own))
            reason = _REASON.get(name, "")
            cells.append(sampled(printed, float(matches.mean()), error, own=own, degrees=splits - 1, known=reason))
        rows.append(Row(f"{name} ({count} variables)", tuple(cells)))
    note = f"Mean ± standard error over {splits} random splits; one split is printed."
    columns = ("OWA representatives", "our match: distributions and correlations")
    return [Table("Table IV", "Number of re-identified variables", columns, tuple(rows), "file", note)]
