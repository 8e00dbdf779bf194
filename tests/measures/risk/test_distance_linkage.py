from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.datasets import business
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.measures.risk.linked import DistanceLinkageRisk, ProbabilisticLinkageRisk


def test_everybody_is_found_in_an_unmasked_file_of_distinct_records():
    data = business(300)
    result = DistanceLinkageRisk().measure(data, data)
    assert result.value == 100
    assert result.details["chance_percent"] == pytest.approx(100 / 300)


def test_a_shuffled_file_is_linked_at_chance_level():
    data = business(400)
    rates = []
    for seed in range(10):
        masked = data.take(np.random.default_rng(seed).permutation(len(data)))
        rates.append(DistanceLinkageRisk().measure(data, masked).details["expected"])
    assert np.mean(rates) == pytest.approx(1, abs=1)


def test_falls_as_groups_grow_and_stays_near_one_in_k():
    data = business(400)
    values = [DistanceLinkageRisk().measure(data, MDAV(k=k).mask(data)).value for k in (2, 5, 20)]
    assert values == sorted(values, reverse=True)
    assert values[1] < 100 / 2


def test_knowing_less_finds_fewer():
    data = business(400)
    masked = MDAV(k=3).mask(data)
    few = DistanceLinkageRisk(attributes=["TURNOVER"]).measure(data, masked).value
    assert few < DistanceLinkageRisk().measure(data, masked).value


def test_interval_holds_the_rate():
    a = pl.DataFrame({"x": [float(i) for i in range(50)]})
    low, high = DistanceLinkageRisk().measure(a, a).details["interval_percent"]
    assert low < 100 <= high + 1e-9


@pytest.mark.parametrize("risk", [DistanceLinkageRisk, ProbabilisticLinkageRisk])
def test_one_key_is_one_key_in_the_sentence(risk):
    data = business(40)
    first, second = data.schema.of_scale("numeric", among=data.schema.keys)[:2]
    assert "knows 1 true key of" in risk(attributes=[first]).measure(data, data).sentence
    assert "knows 2 true keys of" in risk(attributes=[first, second]).measure(data, data).sentence
