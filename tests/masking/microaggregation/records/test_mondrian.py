from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SCHEMA, microdata, sample, with_nulls
from tests.reference import masking_classic as twin

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.groups.mondrian_split import split_table
from discreet.masking.microaggregation.records import mondrian
from discreet.masking.microaggregation.records.mondrian import Mondrian
from discreet.statistics.question import Need


@given(st.integers(2, 60), st.integers(1, 3), st.integers(2, 6), st.integers(0, 999))
def test_parts_are_those_of_the_twin(n, q, k, seed):
    rng = np.random.default_rng(seed)
    columns = rng.integers(-1, 5, (q, n)) / 4
    ordered, levels = rng.random(q) < 0.5, np.full(q, 5)
    labels = np.empty(n, dtype=np.int64)
    if k > n:
        return
    split_table(columns, ordered, levels, np.ones(q), k, labels)
    expected = twin.mondrian(columns, ordered, levels, k)
    assert labels.tolist() == expected.tolist()
    assert np.bincount(labels).min() >= k


@pytest.mark.parametrize("release", ["prototype", "range"])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_every_combination_is_shared_by_k_records(release, k):
    data = Microdata(with_nulls(with_nulls(sample(200), "size", [3, 17, 50]), "income", [1, 2]), SCHEMA)
    masked = Mondrian(k, release=release).mask(data)
    rows = zip(*(masked.microdata.column(a).to_pylist() for a in masked.provenance.attributes), strict=True)
    assert min(Counter(rows).values()) >= k


def test_ranges_hold_the_values_they_stand_for():
    data = microdata(80)
    masked = Mondrian(4, release="range").mask(data)
    for before, after in zip(data.column("age").to_pylist(), masked.microdata.column("age").to_pylist(), strict=True):
        low, _, high = after.partition("–")
        assert float(low) <= before <= float(high or low)
    for before, after in zip(data.column("fuel").to_pylist(), masked.microdata.column("fuel").to_pylist(), strict=True):
        assert before in after.split("|")
    assert masked.microdata.schema["age"].scale.kind == "nominal"
    assert masked.microdata.schema["age"].role == "key"
    masked.microdata.encode()


def test_a_wide_attribute_can_be_made_more_important():
    data = microdata(200)
    plain = Mondrian(20, attributes=["age", "grade"]).mask(data).provenance.changed
    heavy = Mondrian(20, attributes=["age", "grade"], importance={"grade": 100.0}).mask(data).provenance.changed
    assert heavy["grade"] < plain["grade"]


def test_ranges_and_strata_do_not_go_together():
    with pytest.raises(ParameterError, match="strata must be None"):
        Mondrian(2, release="range", strata=["region"]).mask(microdata())
    assert len(Mondrian(2, strata=["region"]).mask(microdata())) == 60


FOUR = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("o", Ordinal(tuple("pqrst")), "key"),
        Attribute("n", Nominal(tuple("abc")), "key"),
        Attribute("c", Numeric(), "key"),
    ]
)
RECORDS = pa.table(
    {"x": [10.0, 30.0, None, 20.0], "o": ["q", "s", "r", None], "n": ["c", "a", None, "b"], "c": [7.0, 7.0, None, 7.0]}
)


def test_columns_are_scaled_to_the_unit_interval_and_missing_is_below(monkeypatch):
    seen = []

    def split(*given):
        seen.extend(given)
        given[-1][:] = 0

    monkeypatch.setattr(mondrian, "split_table", split)
    Mondrian(3, importance={"o": 2.5}).mask(RECORDS, FOUR)
    columns, ordered, levels, weights, k, _ = seen
    assert columns.tolist() == [[0, 1, -1, 0.5], [0, 1, 0.5, -1], [1, 0, -1, 0.5], [0, 0, -1, 0]]
    assert ordered.tolist() == [True, True, False, True]
    assert levels.tolist() == [1, 5, 3, 1]
    assert weights.tolist() == [1.0, 2.5, 1.0, 1.0]
    assert k == 3


def test_ranges_by_hand():
    data = Microdata(RECORDS, FOUR)

    def ranges(name, labels):
        return mondrian._ranges(FOUR[name], data.encoded(name), np.array(labels))

    assert ranges("x", [0, 0, 1, 1]) == ["10–30", "20|missing"]
    assert ranges("x", [0, 0, 1, 0]) == ["10–30", "missing"]
    assert ranges("o", [1, 1, 1, 0]) == ["missing", "q–s"]
    assert ranges("o", [0, 1, 2, 0]) == ["q|missing", "s", "r"]
    assert ranges("n", [0, 0, 1, 0]) == ["a|b|c", "missing"]
    assert ranges("n", [0, 1, 1, 0]) == ["b|c", "a|missing"]
    assert ranges("c", [0, 0, 0, 1]) == ["7|missing", "7"]


def test_ranges_are_levels_of_a_new_scale():
    masked = Mondrian(2, release="range").mask(RECORDS, FOUR)
    assert masked.provenance.details["blocks"] == [{"attributes": ["x", "o", "n", "c"], "groups": 2}]
    assert masked.provenance.details["joint"]
    for name in FOUR.names:
        told = masked.microdata.column(name).to_pylist()
        assert masked.microdata.schema[name].scale.levels == tuple(sorted(set(told)))
        assert [told.count(one) >= 2 for one in told] == [True] * 4
    assert Mondrian(2, release="range").need == Need.ALL
    assert Mondrian(2).need == Need.KEY
