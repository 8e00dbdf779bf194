from __future__ import annotations

import numpy as np
import pytest
from tests.battery import microdata

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair
from discreet.datasets import business
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.intruder_scenarios import IntruderScenarios
from discreet.measures.risk.linked import DistanceLinkageRisk


def pair_of(data):
    names = data.schema.of_scale("numeric", "ordinal", "nominal", among=data.schema.keys)
    return Pair(data, data, names, None, InProcess())


def test_every_scenario_is_a_distance_based_linkage():
    data = business(150)
    masked = MDAV(k=3, random_state=0).mask(data)
    keys = list(data.schema.keys)
    result = IntruderScenarios([keys[:2], keys[:5], keys], noise=[0.0]).measure(data, masked)
    expected = [DistanceLinkageRisk(attributes=keys[:k]).measure(data, masked) for k in (2, 5, len(keys))]
    assert [one["percent"] for one in result.details["scenarios"]] == pytest.approx([e.value for e in expected])
    assert result.value == max(e.value for e in expected)
    first = result.details["scenarios"][0]
    assert first["interval_percent"] == pytest.approx(expected[0].details["interval_percent"])
    assert first["chance_percent"] == pytest.approx(100 / 150)


def test_knowing_less_exactly_finds_fewer():
    data = business(300)
    keys = list(data.schema.keys)[:3]
    scenarios = IntruderScenarios([keys], noise=[0.0, 0.05, 0.5, 5.0]).measure(data, data).details["scenarios"]
    rates = [one["percent"] for one in scenarios]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 95
    assert rates[-1] < 10


def test_by_default_numbers_and_categories_are_tried_alone():
    data = microdata()
    scenarios = IntruderScenarios(noise=[0.0]).measure(data, data).details["scenarios"]
    assert [len(one["known"]) for one in scenarios] == [7, 3, 4]


def test_errors_are_of_the_stated_size_and_follow_the_records():
    data = microdata(400)
    measure = IntruderScenarios(noise=[0.25])
    blurred = measure._blurred(pair_of(data), 0.25)
    before, after = data.encoded("wealth"), blurred.encoded("wealth")
    assert np.std(after - before) == pytest.approx(0.25 * np.std(before), rel=0.15)
    assert np.mean(data.encoded("grade") != blurred.encoded("grade")) == pytest.approx(0.25, abs=0.07)
    order = np.random.default_rng(0).permutation(400)
    again = measure._blurred(pair_of(data.take(order)), 0.25)
    assert again.encoded("wealth") == pytest.approx(after[order])
    assert (again.encoded("fuel") == blurred.encoded("fuel")[order]).all()


def test_draws_are_uniform_and_streams_and_equal_records_differ():
    data = business(2000)
    pair = pair_of(data)
    draws = record_draws(pair, pair.names, 0)
    assert np.abs(np.sort(draws) - (np.arange(2000) + 0.5) / 2000).max() < 0.04
    for other in (record_draws(pair, pair.names, 1), record_draws(pair, pair.names, 0, 1)):
        assert abs(np.corrcoef(draws, other)[0, 1]) < 0.08
    same = data.take(np.zeros(500, dtype=np.int64))
    equal = record_draws(pair_of(same), same.schema.keys, 0)
    assert np.unique(equal).size == 500
    assert np.mean(equal < 0.5) == pytest.approx(0.5, abs=0.08)
