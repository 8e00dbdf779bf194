"""Which key to protect first: against data on which the part in SUDA2 scores gives the wrong order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.exposure import expose
from discreet.evaluation.ranking import rank_keys
from discreet.measures.risk.equal_keys import IndividualRisk
from discreet.measures.risk.special_uniques import SpecialUniques


def survey(n=400):
    """Years and pay single people out; town and trade have many levels, and a few records are alone in them."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "town": rng.integers(0, 12, n),
            "trade": rng.integers(0, 12, n),
            "years": rng.integers(16, 90, n),
            "sex": rng.integers(0, 2, n),
        }
    )
    return dc.microdata(
        frame,
        Schema(
            [
                Attribute("town", Nominal(range(12)), "key"),
                Attribute("trade", Nominal(range(12)), "key"),
                Attribute("years", Numeric(), "key"),
                Attribute("sex", Nominal([0, 1]), "key"),
            ]
        ),
    )


def left(data, names):
    return IndividualRisk(attributes=list(names)).measure(data, data).details["expected_reidentifications"]


def test_the_order_is_that_of_the_risk_without_each_key():
    data = survey()
    ranked = rank_keys(data)
    for key in ranked:
        others = [name for name in data.schema.keys if name != key.name]
        assert key.without == pytest.approx(left(data, others))
        assert key.alone == pytest.approx(left(data, [key.name]))
        assert key.now == pytest.approx(left(data, data.schema.keys))
        assert key.falls == pytest.approx(key.now - key.without)
    without = [key.without for key in ranked]
    assert without == sorted(without)
    assert ranked[0].name == "years"
    assert ranked[-1].name == "sex"


def test_shares_of_scores_give_another_order():
    """Two keys that say the same have the largest shares, and leaving either out changes nothing."""
    first, second = range(1, 31), range(30)
    frame = pl.DataFrame(
        {
            "phone": [*first, *(0 for _ in second)],
            "mail": [*first, *(0 for _ in second)],
            "street": [*(6 for _ in first), *(i % 6 for i in second)],
            "house": [*(6 for _ in first), *(i // 6 for i in second)],
        }
    )
    data = dc.microdata(frame, Schema(Attribute(name, Nominal(range(31)), "key") for name in frame.columns))
    shares = SpecialUniques().measure(data, data).per_attribute
    assert shares["phone"] == shares["mail"] > 2 * shares["street"]
    ranked = {key.name: key for key in rank_keys(data)}
    assert list(ranked)[:2] == ["street", "house"], "six streets tell more than five houses"
    assert ranked["phone"].falls == ranked["mail"].falls == 0
    assert ranked["house"].falls > 20
    assert list(expose(data, data).by_key) == list(ranked)


def test_of_keys_that_are_each_enough_the_one_that_risks_more_alone_comes_first():
    frame = pl.DataFrame({"sex": [0, 1] * 20, "pay": np.arange(40) * 1.5, "debt": np.repeat(np.arange(20), 2) + 0.5})
    attributes = [Attribute("sex", Nominal([0, 1]), "key")]
    attributes += [Attribute(name, Numeric(), "key") for name in ("debt", "pay")]
    ranked = rank_keys(dc.microdata(frame, Schema(attributes)))
    assert [key.without for key in ranked] == [40.0, 40.0, 40.0]
    assert [key.name for key in ranked] == ["pay", "debt", "sex"]


def test_weights_and_missing_codes_count():
    frame = pl.DataFrame({"x": [1, -8, -9, 1], "w": [10.0, 2.0, 5.0, 10.0]})
    schema = Schema([Attribute("x", Numeric(), "key", (-8, -9)), Attribute("w", Numeric(), "weight")])
    data = dc.microdata(frame, schema)
    assert rank_keys(data)[0].uniques_now == 2
    assert rank_keys(data, weights=data.weights())[0].now < rank_keys(data)[0].now
    assert rank_keys(data)[0].without == 1.0, "nobody is told from anybody"
