from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError, ParameterError
from discreet.measures.risk.loglinear_risk import LogLinearRisk
from discreet.statistics.loglinear import KeyCells, fit_main_effects
from discreet.statistics.question import Need

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


def expected(cells, means, totals):
    """P(F = 1) and E[1/F] of every lone record, where F − 1 is Poisson."""
    rest = [(1 - 1 / total) * mean for count, mean, total in zip(cells, means, totals, strict=True) if count == 1]
    return sum(np.exp(-r) for r in rest), sum((1 - np.exp(-r)) / r if r else 1.0 for r in rest)


def test_risks_follow_from_the_fitted_means():
    # Main effects of two keys of two levels: margins over the total. Counts 1 3 / 2 1 of seven records, each of two.
    frame = pl.DataFrame({"a": [0, 0, 0, 0, 1, 1, 1], "b": [0, 1, 1, 1, 0, 0, 1]})
    schema = Schema([Attribute(n, Nominal(range(2)), "key") for n in "ab"])
    result = LogLinearRisk(sampling_fraction=0.5).measure(frame, frame, schema)
    fitted, counts = [4 * 3 / 7, 4 * 4 / 7, 3 * 3 / 7, 3 * 4 / 7], [1, 3, 2, 1]
    first, second = expected(counts, [2 * mean for mean in fitted], [2, 6, 4, 2])
    peer = expected(counts, fitted, [2, 6, 4, 2])
    assert result.value == pytest.approx(100 * second / 7)
    assert result.sentence == (
        f"Of 2 records that are alone on their 2 keys, about {first:.1f} are so in the population, and {second:.1f} "
        "would be matched correctly, by a log-linear model."
    )
    assert result.details == {
        "keys": ["a", "b"], "perturbative": None, "missing": "category", "method": "default", "sample_uniques": 2,
        "expected_population_uniques": pytest.approx(first), "expected_correct_matches": pytest.approx(second),
        "population": 14, "modrisk": pytest.approx([peer[0] / 4, peer[1] / 4]),
    }  # fmt: skip


@pytest.mark.parametrize("method", ["ce", "pml", "weighted"])
def test_every_method_is_fitted_as_it_says(method):
    frame = pl.DataFrame(
        {"a": [0, 0, 0, 0, 1, 1, 1, 1], "b": [0, 1, 1, 1, 0, 0, 1, 1], "w": [3.0, 1.0, 2.0, 4.0, 5.0, 2.0, 6.0, 1.5]}
    )
    schema = Schema([*(Attribute(n, Nominal(range(2)), "key") for n in "ab"), Attribute("w", Numeric(), "weight")])
    result = LogLinearRisk(method).measure(frame, frame, schema)
    counts, totals = np.array([1.0, 3.0, 2.0, 2.0]), np.array([3.0, 7.0, 7.0, 7.5])
    cells = KeyCells((np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])), (2, 2), counts.astype(int), totals)
    rates = counts / totals
    means, peers = {
        "ce": lambda: (
            fit_main_effects(cells, counts, start=rates, empty=8 / 24.5) / rates,
            fit_main_effects(cells, counts, start=rates + 0.1, empty=0.1),
        ),
        "pml": lambda: (fit_main_effects(cells, totals), fit_main_effects(cells, np.rint(totals * 8 / 24.5))),
        "weighted": lambda: (
            fit_main_effects(cells, counts, covariate=totals) / rates,
            fit_main_effects(cells, counts, covariate=totals),
        ),
    }[method]()
    first, second = expected(counts, means, totals)
    assert result.details["expected_population_uniques"] == pytest.approx(first)
    assert result.details["expected_correct_matches"] == pytest.approx(second)
    assert result.details["modrisk"] == pytest.approx([one / 4 for one in expected(counts, peers, totals)])
    assert result.details["population"] == 24.5


def test_weights_below_the_number_of_records_count_as_the_records():
    frame = pl.DataFrame({"a": [0, 1, 1], "w": [0.25, 0.5, 4.0]})
    schema = Schema([Attribute("a", Nominal(range(2)), "key"), Attribute("w", Numeric(), "weight")])
    result = LogLinearRisk().measure(frame, frame, schema)
    assert result.details["population"] == 1 + 4.5
    assert result.details["expected_population_uniques"] == 1


def test_what_needs_all_records_at_once():
    assert LogLinearRisk().need is Need.DISTINCT
    assert LogLinearRisk(linear=["a"]).need is Need.ALL
    names = ("a", "b", "c", "d")
    assert LogLinearRisk(interactions=["c:a", "a : b"])._terms(names) == [(0, 2), (0, 1), (3,)]
