"""Torra, OWA operators in data modeling and re-identification (P1d): Table II.

How well a weighted mean, or an OWA, of the other columns predicts the last one: the least sum of squared differences
over all weights that are positive and sum to one.
"""

from __future__ import annotations

import numpy as np

from discreet.operators import OWAModel, WeightedMeanModel
from discreet.reproduction.public_files import PUBLIC, DataFolder
from discreet.reproduction.verdicts import Cell, Row, Table, exact, not_run
from discreet.typing import FloatArray

__all__ = ["CODES", "TABLE_II", "examples", "tables"]

# Words become the numbers that section IV-B gives them.
CODES: dict[str, dict[str, float]] = {
    "iris": {"Iris-setosa": 1.0, "Iris-versicolor": 2.0, "Iris-virginica": 3.0},
    "abalone": {"M": 1.0, "F": 2.0, "I": 3.0},
    "ionosphere": {"g": 1.0, "b": 0.0},
}

# Distances of the weighted mean and of the OWA.
TABLE_II = {"iris": ("3.1544", "6.3197"), "abalone": ("37.5189", "43.8082"), "ionosphere": ("55.9145", "62.9477")}


def examples(data: DataFolder, name: str) -> tuple[FloatArray, FloatArray]:
    """Return a file with every column on [0, 1] and without constant columns: the others, and the last one."""
    table = data.numbers(name, list(data.columns(name)), CODES[name])
    table = table[:, np.ptp(table, axis=0) > 0]
    table = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    return table[:, :-1], table[:, -1]


def tables(data: DataFolder) -> list[Table]:
    """Return Table II."""
    columns: list[tuple[Cell, Cell]] = []
    for name, (mean, owa) in TABLE_II.items():
        if data.find(name) is None:
            columns.append((not_run(mean, data.needs(name)), not_run(owa, data.needs(name))))
            continue
        X, y = examples(data, name)
        distances = WeightedMeanModel().fit(X, y).distance_, OWAModel().fit(X, y).distance_
        columns.append((exact(mean, distances[0]), exact(owa, distances[1])))
    rows = tuple(Row(label, tuple(column[at] for column in columns)) for at, label in enumerate(("D_WM", "D_OWA")))
    note = (
        f"Iris must be the repository's copy ({PUBLIC['iris'].path}); another copy, with two other rows, gives 3.1565."
    )
    return [Table("Table II", "Optimal distances with learned weights", tuple(TABLE_II), rows, note=note)]
