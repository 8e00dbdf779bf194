from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError, ParameterError
from discreet.measures.risk.loglinear_risk import LogLinearRisk

KEYS = ["urbrur", "roof", "walls", "relat", "sex"]


@pytest.fixture(scope="module")
def survey(data_dir):
    schema = Schema(
        [*(Attribute(k, Numeric(), "key") for k in KEYS), Attribute("sampling_weight", Numeric(), "weight")]
    )
    return pl.read_csv(data_dir / "sdc" / "testdata.csv").select(schema.names), schema


@pytest.mark.parametrize(
    ("method", "printed"),
    [
        ("default", (0.0273999559, 0.0641831033)),
        ("ce", (0.0250276243, 0.0616422192)),
        ("pml", (0.0273999559, 0.0641831033)),
    ],
)
def test_the_figures_that_sdcmicro_prints(survey, method, printed):
    """modRisk of sdcMicro on its test data, main effects, codes taken for numbers as its glm does."""
    data, schema = survey
    found = LogLinearRisk(method, linear=KEYS).measure(data, data, schema).details["modrisk"]
    assert found == pytest.approx(printed, abs=5e-11)


def simulated(seed, fraction):
    """A population that follows the model, and a sample of it."""
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet(np.full(size, 0.6)) for size in (12, 15, 10, 4)]
    population = np.stack([rng.choice(share.size, 60_000, p=share) for share in shares], axis=1)
    _, label, size = np.unique(population, axis=0, return_inverse=True, return_counts=True)
    drawn = np.flatnonzero(rng.random(len(population)) < fraction)
    frame = pl.DataFrame(population[drawn], schema=list("abcd"))
    sizes = size[label.ravel()[drawn]]
    _, own, count = np.unique(population[drawn], axis=0, return_inverse=True, return_counts=True)
    alone = count[own.ravel()] == 1
    return frame, int((sizes[alone] == 1).sum()), float((1.0 / sizes[alone]).sum())


@pytest.mark.parametrize("method", ["default", "ce", "pml"])
def test_uniques_and_matches_of_a_known_population(method):
    schema = Schema([*(Attribute(k, Nominal(range(15)), "key") for k in "abcd"), Attribute("w", Numeric(), "weight")])
    found, uniques, matches = [], 0, 0.0
    for seed in range(3):
        frame, alone, correct = simulated(seed, 0.05)
        frame = frame.with_columns(w=pl.lit(20.0))
        details = LogLinearRisk(method).measure(frame, frame, schema).details
        found.append((details["expected_population_uniques"], details["expected_correct_matches"]))
        uniques, matches = uniques + alone, matches + correct
    assert np.sum(found, axis=0) == pytest.approx([uniques, matches], rel=0.25)


def people(**columns):
    return pl.DataFrame({"a": [0, 0, 1, 1, 2], "b": [0, 1, 1, 1, 0], **columns}), Schema(
        [Attribute("a", Numeric(), "key"), Attribute("b", Numeric(), "key")]
    )


def test_without_a_fraction_the_file_is_the_population():
    data, schema = people()
    risk = LogLinearRisk().measure(data, data, schema)
    assert risk.details["expected_population_uniques"] == 3.0
    assert risk.value == 60.0
    assert "whole population" in risk.sentence


def test_interactions_saturate():
    data, schema = people()
    risk = LogLinearRisk(interactions=["a:b"], sampling_fraction=0.5).measure(data, data, schema)
    assert risk.details["expected_population_uniques"] == pytest.approx(3 * np.exp(-0.5 / 0.5))


@pytest.mark.parametrize("text", ["a", "a:a", "a:zz", ""])
def test_strange_interactions_are_refused(text):
    data, schema = people()
    with pytest.raises(ParameterError, match="interactions"):
        LogLinearRisk(interactions=[text]).measure(data, data, schema)


def test_a_slope_needs_numbers():
    data, schema = people()
    with pytest.raises(ParameterError, match="numeric keys"):
        LogLinearRisk(linear=["zz"]).measure(data, data, schema)
    with pytest.raises(ParameterError, match="with interactions"):
        LogLinearRisk(linear=["a"], interactions=["a:b"]).measure(data, data, schema)
    gaps = data.with_columns(a=pl.Series([None, 0, 1, 1, 2]))
    with pytest.raises(MissingValueError, match="'a'"):
        LogLinearRisk(linear=["a"]).measure(gaps, gaps, schema)
