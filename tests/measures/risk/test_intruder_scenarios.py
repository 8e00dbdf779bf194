from __future__ import annotations

import numpy as np
import pyarrow.parquet
import pytest
from tests.battery import microdata

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair
from discreet.datasets import business
from discreet.engines.streaming import StreamingEngine
from discreet.io.stored_parquet import ParquetSource
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.measures.record_draws import record_draws
from discreet.measures.risk.blurred_knowledge import Blur
from discreet.measures.risk.directions import worse
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


def test_beyond_the_limit_some_are_asked_for_and_each_is_compared_with_everybody(monkeypatch, tmp_path):
    data = business(150)
    masked = MDAV(k=3, random_state=0).mask(data)
    keys = list(data.schema.keys)
    measure = IntruderScenarios([keys[:3], keys], noise=[0.0, 0.2])
    whole = measure.measure(data, masked)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 100)
    asked = measure.measure(data, masked)
    # Everybody is asked for here, and without an error everything is as it was.
    for mine, theirs in zip(asked.details["scenarios"][:2], whole.details["scenarios"][:2], strict=True):
        assert mine["percent"] == pytest.approx(theirs["percent"])
        assert (mine["known"], mine["direction"]) == (theirs["known"], theirs["direction"])
    # With one, the twin is a linkage of what is known at every position.
    deviations = tuple(float(np.std(data.encoded(name))) for name in data.schema.keys)
    known = Blur(data.schema.keys, deviations, 0.2, 0).of(data, np.arange(150), data.schema.keys)
    _, linked = worse(DistanceLinkage(attributes=keys).link_both(known, masked.microdata))
    assert asked.details["scenarios"][3]["percent"] == pytest.approx(100 * max(one.rate for one in linked.values()))
    monkeypatch.setattr("discreet.measures.risk.intruder_scenarios.SAMPLE", 40)
    few = measure.measure(data, masked)
    assert "Compared: a sample of 40 of 150 records, each with everybody." in few.sentence
    assert few.details["exact"] is False
    stored = []
    for name, table in (("original", data), ("masked", masked.microdata)):
        pyarrow.parquet.write_table(table.to_arrow(), tmp_path / f"{name}.parquet")
        stored.append(ParquetSource(tmp_path / f"{name}.parquet", table.schema))
    assert measure.measure(*stored, engine=StreamingEngine(2, batch=31)).sentence == few.sentence


def test_errors_by_position_are_of_the_stated_size():
    data = microdata(400)
    names = ("wealth", "grade")
    blur = Blur(names, (float(np.std(data.encoded("wealth"))), 0.0), 0.25, 3)
    known = blur.of(data, np.arange(400), names)
    off = known.encoded("wealth") - data.encoded("wealth")
    assert np.std(off) == pytest.approx(0.25 * np.std(data.encoded("wealth")), rel=0.15)
    assert np.mean(known.encoded("grade") != data.encoded("grade")) == pytest.approx(0.25, abs=0.07)
    later = blur.of(data.take(np.arange(100, 400)), np.arange(100, 400), ("grade",))
    assert (later.encoded("grade") == known.encoded("grade")[100:]).all()


def test_categories_alone_are_asked_for_too(monkeypatch):
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 50)
    data = microdata(90)
    told = IntruderScenarios([["grade", "fuel"]], noise=[0.0]).measure(data, data)
    expected = DistanceLinkageRisk(attributes=["grade", "fuel"]).measure(data, data)
    assert told.value == pytest.approx(expected.value)


def scenario(percent, known=("x", "y"), noise=0.05, chance=2.5):
    return {
        "known": list(known), "noise": noise, "direction": "release", "percent": percent,
        "interval_percent": [percent - 5, percent + 4], "chance_percent": chance,
    }  # fmt: skip


def test_the_most_and_the_least_successful_are_told():
    tried = [scenario(30.0, noise=0.0), scenario(62.54, ("x",), chance=1.25), scenario(10.0)]
    told = IntruderScenarios()._told(tried)
    assert told.value == 62.54
    assert told.sentence == (
        "Of 3 intruders the most successful, who knows 1 keys with an error of 0.05, re-identifies 62.5 % of the "
        "records; the least successful finds 10.0 %, guessing 1.25 %."
    )
    assert told.details == {"scenarios": tried}
    assert IntruderScenarios()._told(tried, (40, 40)) == told
    few = IntruderScenarios()._told(tried, (39, 40))
    assert few.sentence == told.sentence + (
        " The rate is between 57.5 and 66.5 % with 95 % confidence. Compared: a sample of 39 of 40 records, each with "
        "everybody."
    )
    assert few.details == {"scenarios": tried, "exact": False}
    assert IntruderScenarios()._told([scenario(100.00001)]).value == 100.0


def test_knowledge_without_an_error_is_the_original_itself():
    pair = pair_of(microdata(20))
    assert IntruderScenarios()._blurred(pair, 0.0) is pair.original
