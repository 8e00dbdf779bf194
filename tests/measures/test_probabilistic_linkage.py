from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.datasets import business, housing
from discreet.measures.risk.probabilistic_linkage import ProbabilisticLinkageRisk
from discreet.microdata import Microdata
from discreet.scales import Nominal
from discreet.schema import Attribute, Schema


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


def test_of_many_keys_those_that_tell_most_are_taken():
    data = business(200)
    result = ProbabilisticLinkageRisk().measure(data, data)
    assert 4 <= len(result.details["known"]) < 13
    assert result.value > 95
