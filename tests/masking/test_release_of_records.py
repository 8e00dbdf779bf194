"""Maskers that change which records are released, in which order, or which columns: sampling, order, identifiers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.masking.identifiers import Identifiers
from discreet.masking.order import RecordOrder
from discreet.masking.sampling import Sampling
from discreet.scales import Nominal
from discreet.schema import Attribute, Schema


def test_a_sample_holds_records_of_the_original_in_order():
    data = microdata(100)
    masked = Sampling(0.3, random_state=2).mask(data)
    rows = masked.provenance.rows
    assert len(masked) == 30
    assert (np.diff(rows) > 0).all()
    assert masked.microdata.encoded("income").tolist() == data.encoded("income")[rows].tolist()
    assert masked.provenance.details["records_dropped"] == 70
    assert "rows" not in masked.provenance.to_dict(internal=True)


def test_weights_grow_so_that_totals_stay():
    data = microdata(100)
    totals = [Sampling(0.5, random_state=seed).mask(data).microdata.weights().sum() for seed in range(300)]
    assert np.mean(totals) == pytest.approx(data.weights().sum(), rel=0.01)


def test_strata_are_sampled_alike():
    data = microdata(200)
    before = np.bincount(data.encoded("region"))
    masked = Sampling(0.25, strata=["region"], random_state=1).mask(data)
    assert np.bincount(masked.microdata.encoded("region")).tolist() == [round(0.25 * count) for count in before]
    assert masked.provenance.details["records_dropped"] == 200 - len(masked)
    assert len(Sampling(size=7, strata=["region"]).mask(data)) == 14
    with pytest.raises(ParameterError, match="size must be at most the number of records of every stratum; 2 of 2"):
        Sampling(size=150, strata=["region"]).mask(data)
    with pytest.raises(ParameterError, match="size must be at most the number of records, 200; got 201"):
        Sampling(size=201).mask(data)


def test_a_sample_and_a_shuffled_file_can_be_measured():
    data = dc.datasets.business(200)
    for masker in (Sampling(0.5, random_state=0), RecordOrder(random_state=0)):
        verdict = dc.assess(data, masker.mask(data))
        assert verdict["il1s"].value == 0
        assert verdict.score.risk > 50


def test_order_is_a_permutation_that_no_record_shows():
    data = microdata(100)
    masked = RecordOrder(random_state=1).mask(data)
    assert sorted(masked.provenance.rows.tolist()) == list(range(100))
    assert masked.provenance.rows.tolist() != list(range(100))
    assert masked.microdata.encoded("wealth").tolist() == data.encoded("wealth")[masked.provenance.rows].tolist()
    assert str(masked.provenance.rows[0]) not in str(masked.provenance.to_dict()["details"])


def test_identifiers_get_fresh_numbers_that_keep_households_together():
    homes = ["elm 1", "elm 1", "abbey 3", None, "high 9", "abbey 3"]
    schema = Schema(
        [
            Attribute("home", Nominal(("abbey 3", "elm 1", "high 9")), "identifier"),
            Attribute("fuel", Nominal(("gas", "oil")), "key"),
        ]
    )
    table = pa.table({"home": homes, "fuel": ["gas", "oil"] * 3})
    masked = Identifiers(["home"], random_state=3).mask(table, schema)
    after = masked.microdata.column("home").to_pylist()
    assert masked.microdata.schema["home"].role == "other"
    assert after[0] == after[1]
    assert after[2] == after[5]
    assert after[3] is None
    assert {int(v) for v in after if v} == {1, 2, 3}
    assert masked.provenance.removed == ()
    plain = Identifiers().mask(table, schema)
    assert plain.microdata.names == ("fuel",)
    assert plain.provenance.removed == ("home",)


def test_numeric_identifiers_and_further_columns():
    data = dc.datasets.housing(50)
    name = data.schema.of_role("identifier")[0]
    masked = Identifiers([name], remove=["BUILT"], random_state=0).mask(data)
    assert sorted(masked.microdata.column(name).to_pylist()) == list(range(1, 51))
    assert "BUILT" not in masked.microdata.names
    assert masked.provenance.removed == ("BUILT",)
    with pytest.raises(ParameterError, match="1 attributes are to be renumbered and removed"):
        Identifiers([name], remove=[name]).mask(data)
    with pytest.raises(DataError, match="nothing would be left"):
        Identifiers(remove=[n for n in data.names if n != name]).mask(data)
