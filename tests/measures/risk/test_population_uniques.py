from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.measures.risk.population_uniques import PopulationUniques
from discreet.statistics.class_sizes import SizeTable
from discreet.statistics.population_uniqueness import estimate_uniqueness

SCHEMA = Schema([Attribute("job", Nominal(range(2000)), "key"), Attribute("w", Numeric(), "weight")])


def sample(fraction, seed=0):
    rng = np.random.default_rng(seed)
    members = 1 + rng.negative_binomial(0.8, 0.4, 1500)
    population = np.repeat(np.arange(members.size), members)
    drawn = population[rng.random(population.size) < fraction]
    return pl.DataFrame({"job": drawn, "w": np.full(drawn.size, population.size / drawn.size)}), int(
        (members == 1).sum()
    )


@pytest.mark.parametrize("model", ["dankar", "pitman", "zayatz", "snb"])
def test_weights_and_fraction_say_the_same(model):
    data, _ = sample(0.3)
    weighted = PopulationUniques(model).measure(data, data, SCHEMA)
    fraction = 1.0 / data["w"][0]
    told = PopulationUniques(model, sampling_fraction=fraction).measure(data, data, SCHEMA)
    assert weighted.value == pytest.approx(told.value, rel=1e-6)
    assert 0 <= weighted.value <= 100 * weighted.details["sample_uniques"] / len(data)


def test_dankars_choice_is_near_the_truth():
    data, truth = sample(0.5, 2)
    details = PopulationUniques().measure(data, data, SCHEMA).details
    assert details["model"] in ("snb", "zayatz")
    assert details["population_uniques"][details["model"]] == pytest.approx(truth, rel=0.2)


def test_a_file_that_is_the_population():
    data = pl.DataFrame({"job": [1, 2, 2], "w": [1.0, 1.0, 1.0]})
    risk = PopulationUniques().measure(data, data, SCHEMA)
    assert risk.details["expected_in_file"] == 1.0
    assert "whole population" in risk.sentence


def test_no_solution_is_said():
    data = pl.DataFrame({"job": [0] * 3 + [1] * 3 + [2, 3, 4]})
    with pytest.raises(DataError, match="no solution"):
        PopulationUniques("snb", sampling_fraction=0.5).measure(data, data, Schema([SCHEMA["job"]]))


@pytest.mark.parametrize(("model", "name"), [("dankar", "dankar, which takes {}"), ("pitman", "pitman")])
def test_estimates_are_told_whole(model, name):
    data = pl.DataFrame({"job": [1, 2, 3, 4, 4, 5, 5, 6, 6, 6], "w": [2.0] * 10})
    result = PopulationUniques(model).measure(data, data, SCHEMA)
    sizes = SizeTable(np.array([1, 2, 3]), np.array([3, 2, 1]), np.array([3, 4, 3]), 0, 1.5)
    estimates = estimate_uniqueness(sizes, 20.0)
    inside = min(estimates.of(model) * 10 / 20, 3.0)
    assert result.value == pytest.approx(10 * inside)
    assert result.sentence == (
        f"About {inside:.1f} of 10 records are alone on their 1 key in a population of 20 "
        f"({name.format(estimates.chosen)}); 3 are in the file."
    )
    assert result.details == {
        "keys": ["job"], "perturbative": None, "missing": "category", "population": 20,
        "model": estimates.chosen if model == "dankar" else model, "expected_in_file": pytest.approx(inside),
        "population_uniques": {one: pytest.approx(estimates.of(one)) for one in ("pitman", "zayatz", "snb")},
        "sample_uniques": 3,
    }  # fmt: skip


def test_weights_that_add_up_to_less_than_the_file_are_a_census():
    data = pl.DataFrame({"job": [1, 2, 2], "w": [0.5, 0.5, 0.5]})
    result = PopulationUniques().measure(data, data, SCHEMA)
    assert (result.details["population"], result.details["expected_in_file"]) == (3, 1)
    assert result.sentence.endswith(" The file was taken for the whole population.")
    unweighted = pl.DataFrame({"job": [1, 2, 2]})
    assert PopulationUniques().measure(unweighted, unweighted, Schema([SCHEMA["job"]])).details["population"] == 3
