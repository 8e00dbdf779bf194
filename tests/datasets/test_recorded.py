"""A seed names a sample: what it holds is the same in every version, since published figures rest on it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from discreet.datasets.budgets import budgets_columns
from discreet.datasets.business import business_columns
from discreet.datasets.housing import housing_columns
from discreet.datasets.itineraries import itineraries_lists
from discreet.datasets.patients import patients_columns

RECORD = Path(__file__).with_name("recorded.json")
N, SEED = 600, 20


def itineraries():
    visits = itineraries_lists(N, SEED)
    return {"codes": visits.codes, "offsets": visits.offsets}


def patients():
    columns = patients_columns(N, SEED)
    return {n: c.astype("datetime64[D]").astype(int) if c.dtype.kind == "M" else c for n, c in columns.items()}


SAMPLES = {
    "budgets": lambda: budgets_columns(N, SEED),
    "business": lambda: business_columns(N, SEED),
    "housing": lambda: housing_columns(N, SEED),
    "itineraries": itineraries,
    "patients": patients,
}


def weighted_sums(name):
    """By column, the sum of its values times their places, words by their order: any value that moves is seen."""
    columns = {}
    for column, values in SAMPLES[name]().items():
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "iufb":
            numbers = np.unique([str(value) for value in values], return_inverse=True)[1]
        columns[column] = float(np.nansum(numbers * np.arange(1.0, len(numbers) + 1)))
    return columns


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_is_the_one_that_was_recorded(name):
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    assert weighted_sums(name) == pytest.approx(recorded, rel=1e-7)


if __name__ == "__main__":
    RECORD.write_text(json.dumps({name: weighted_sums(name) for name in SAMPLES}, indent=1) + "\n", encoding="utf-8")
