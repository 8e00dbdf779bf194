from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SCHEMA, microdata, sample, with_nulls
from tests.reference import masking_classic as twin

from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.kernels.groups.mondrian_split import split_table
from discreet.masking.microaggregation.records.mondrian import Mondrian


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
