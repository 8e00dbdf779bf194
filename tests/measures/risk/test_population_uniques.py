from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.measures.risk.population_uniques import PopulationUniques

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
