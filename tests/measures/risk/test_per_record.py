"""The figure behind a measure of equal keys, record by record, by hand."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.measures.risk.equal_keys import SampleUniques

# Three clerks, two judges, one bishop; what each weighs, and what each is ill with.
FRAME = pl.DataFrame(
    {
        "job": ["clerk", "judge", "clerk", "bishop", "judge", "clerk"],
        "w": [2.0, 1.0, 3.0, 4.0, 3.0, 5.0],
        "ill": ["a", "a", "b", "c", "a", "a"],
    }
)
SIZES = np.array([3, 2, 3, 1, 2, 3])
JOBS = dc.Attribute("job", dc.Nominal(["clerk", "judge", "bishop"]), "key")
PLAIN = dc.Microdata(FRAME.select("job"), dc.Schema([JOBS]))
WEIGHED = dc.Microdata(FRAME.select("job", "w"), dc.Schema([JOBS, dc.Attribute("w", dc.Numeric(), "weight")]))
SICK = dc.Microdata(
    FRAME.select("job", "ill"), dc.Schema([JOBS, dc.Attribute("ill", dc.Nominal(["a", "b", "c"]), "confidential")])
)


def test_guesses() -> None:
    assert dc.ProsecutorRisk().per_record(PLAIN, PLAIN) == pytest.approx(1 / SIZES)
    assert SampleUniques().per_record(PLAIN, PLAIN).tolist() == [0, 0, 0, 1, 0, 0]
    assert dc.RecordsWorthAttack(gain=5, cost=2).per_record(PLAIN, PLAIN).tolist() == [0, 1, 0, 1, 1, 0]
    assert dc.RecordsWorthAttack(gain=6, cost=2).per_record(PLAIN, PLAIN).tolist() == [0, 1, 0, 1, 1, 0]


def test_the_population_is_the_file_the_weights_or_a_file() -> None:
    assert dc.JournalistRisk().per_record(PLAIN, PLAIN) == pytest.approx(1 / SIZES)
    assert dc.JournalistRisk().per_record(WEIGHED, WEIGHED) == pytest.approx(1 / np.array([10, 4, 10, 4, 4, 10]))
    people = dc.Microdata(pl.DataFrame({"job": ["clerk"] * 8 + ["bishop"] * 2 + ["judge"]}), dc.Schema([JOBS]))
    found = dc.JournalistRisk(population=people).per_record(PLAIN, PLAIN)
    assert found == pytest.approx(1 / np.array([8, 2, 8, 2, 2, 8]))  # no fewer than are in the file


def test_a_number_is_the_same_in_either_file_and_a_gap_is_no_number() -> None:
    age = dc.Schema([dc.Attribute("age", dc.Numeric(), "key")])
    release = dc.Microdata(pl.DataFrame({"age": [31, 40, None]}), age)
    people = dc.Microdata(pl.DataFrame({"age": [31.0, 31.0, 40.0, None, None, None]}), age)
    found = dc.JournalistRisk(population=people).per_record(release, release)
    assert found == pytest.approx([1 / 2, 1, 1 / 3])


def test_uniques_of_a_sample_are_alone_in_the_population_by_its_share() -> None:
    found = dc.UniquenessOfRecords(24).per_record(PLAIN, PLAIN)
    assert found.tolist() == [0, 0, 0, 0.25, 0, 0]
    assert dc.UniquenessOfRecords().per_record(PLAIN, PLAIN).tolist() == [0, 0, 0, 1, 0, 0]
    assert dc.UniquenessOfRecords(3).per_record(PLAIN, PLAIN).max() == 1


def test_distances_of_confidential_values() -> None:
    # In the file a, b, c have 4/6, 1/6, 1/6; of clerks 2/3, 1/3, 0; of judges 1, 0, 0; of the bishop 0, 0, 1.
    found = dc.TCloseness().per_record(SICK, SICK)
    assert found == pytest.approx([1 / 6, 1 / 3, 1 / 6, 5 / 6, 1 / 3, 1 / 6])
    diverse = dc.LDiversityViolations(2).per_record(SICK, SICK)
    assert diverse.tolist() == [0, 1, 0, 1, 1, 0]


def test_individual_risk_of_pairs_and_of_those_alone() -> None:
    # Weights of 1, 3 are shares of 2/4; one of weight 4 has the logarithm of 1/π over 1/π − 1.
    alone = math.log(4) / 3
    found = dc.IndividualRisk().per_record(WEIGHED, WEIGHED)
    assert found[3] == pytest.approx(alone)
    assert (found[[0, 2, 5]] == found[0]).all()
    assert found[1] == found[4] < 1 / 2
