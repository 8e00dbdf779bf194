from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.measures.risk.linked import DistanceLinkageRisk, ProbabilisticLinkageRisk


def test_value_and_detail():
    data = housing(300)
    names = ["BUILT", "DEGREE", "METRO", "TRAN1"]
    rng = np.random.default_rng(0)
    masked = data.replacing({n: np.where(rng.random(300) < 0.2, np.int32(0), data.encoded(n)) for n in names})
    result = ProbabilisticLinkageRisk(attributes=names).measure(data, masked)
    assert 20 < result.value < 100
    assert result.details["known"] == names
    assert result.details["percent_with_known_m"] == pytest.approx(result.value, rel=0.1)
    low, high = result.details["interval_percent"]
    assert low < result.value < high


def test_equal_records_are_at_chance_level():
    schema = Schema([Attribute("v", Nominal(("a", "b")), "key")])
    data = Microdata(pl.DataFrame({"v": ["a"] * 40}), schema)
    assert ProbabilisticLinkageRisk().measure(data, data).value == pytest.approx(2.5)


def test_all_keys_are_compared_and_where_they_are_not_that_is_said(monkeypatch):
    data = dc.datasets.business(60)
    masked = dc.MDAV(k=3).mask(data)
    whole = ProbabilisticLinkageRisk().measure(data, masked)
    assert whole.details["known"] == list(data.schema.keys)
    assert whole.details["complete"]
    assert "left out" not in whole.sentence
    attack = ProbabilisticLinkage(attributes=data.schema.keys).link(data, masked).evaluate()
    assert whole.details["directions"]["release"]["expected"] == pytest.approx(attack.expected)
    monkeypatch.setattr("discreet.measures.risk.linked._MOST_WORK", 1)
    monkeypatch.setattr("discreet.measures.risk.linked._FEW_PATTERNS", 100)
    part = ProbabilisticLinkageRisk().measure(data, masked)
    assert 1 < len(part.details["known"]) < len(data.schema.keys)
    assert not part.details["complete"]
    assert all(name in part.sentence for name in part.details["left_out"])
    assert set(part.details["left_out"]) | set(part.details["known"]) == set(data.schema.keys)
    named = ProbabilisticLinkageRisk(attributes=data.schema.keys).measure(data, masked)
    assert named.value == whole.value


def test_the_worse_direction_is_the_value():
    data = microdata(80)
    masked = PRAM(0.5, random_state=2).mask(MDAV(k=3).mask(data).microdata).microdata
    for measure in (ProbabilisticLinkageRisk, DistanceLinkageRisk):
        values = {d: measure(direction=d).measure(data, masked).value for d in ("release", "original", "worse")}
        assert values["worse"] == max(values["release"], values["original"])
        assert values["release"] != values["original"]
        told = measure().measure(data, masked)
        assert {d: told.details["directions"][d]["percent"] for d in ("release", "original")} == pytest.approx(
            {d: values[d] for d in ("release", "original")}
        )
        assert "The other way round it is" in told.sentence
        assert values[told.details["direction"]] == told.value


def test_a_missing_cell_is_a_value_of_its_own_and_that_is_said():
    frame = pl.DataFrame({"x": ["a", None, "a", "b"], "y": ["a", "a", "b", "b"]})
    schema = Schema([Attribute(name, Nominal("ab"), "key") for name in frame.columns])
    data = Microdata(frame, schema)
    for measure in (ProbabilisticLinkageRisk(), DistanceLinkageRisk()):
        told = measure.measure(data, data)
        assert told.value == 100.0, "who lacks x is found by it"
        assert "A missing cell counts as a value of its own." in told.sentence
    whole = data.select(["y"])
    assert "missing" not in DistanceLinkageRisk().measure(whole, whole).sentence
