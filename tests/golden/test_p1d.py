"""P1d (Torra, "OWA operators in data modeling and re-identification"): Table II."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from discreet.operators import OWAModel, WeightedMeanModel

CODES = {
    "iris.csv": {"Iris-setosa": 1.0, "Iris-versicolor": 2.0, "Iris-virginica": 3.0},
    "abalone.csv": {"M": 1.0, "F": 2.0, "I": 3.0},
    "ionosphere.csv": {"g": 1.0, "b": 0.0},
}
# The paper prints 37.5189 for abalone's weighted mean, cut off from 37.51898; all others are rounded or cut alike.
TABLE_II = {
    "iris.csv": (3.1544, 6.3197),
    "abalone.csv": (37.5190, 43.8082),
    "ionosphere.csv": (55.9145, 62.9477),
}


def scaled_examples(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Codes for words, constant columns left out, everything on [0, 1]; the last column is the result."""
    with file.open(newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    codes = CODES[file.name]
    table = np.array([[codes[cell] if cell in codes else float(cell) for cell in row] for row in rows])
    table = table[:, np.ptp(table, axis=0) > 0]
    table = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    return table[:, :-1], table[:, -1]


@pytest.mark.parametrize("name", TABLE_II)
def test_table_ii(data_dir: Path, name: str) -> None:
    X, y = scaled_examples(data_dir / "uci" / name)
    weighted_mean, owa = TABLE_II[name]
    assert WeightedMeanModel().fit(X, y).distance_ == pytest.approx(weighted_mean, abs=1e-4)
    assert OWAModel().fit(X, y).distance_ == pytest.approx(owa, abs=1e-4)


def test_the_files_have_the_sizes_of_the_paper(data_dir: Path) -> None:
    shapes = [scaled_examples(data_dir / "uci" / name)[0].shape for name in TABLE_II]
    assert shapes == [(150, 4), (4177, 8), (351, 33)]
