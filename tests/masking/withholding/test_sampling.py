from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.withholding.record_order import RecordOrder
from discreet.masking.withholding.sampling import Sampling


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


@pytest.mark.parametrize(("share", "left"), [(0.5, 2), (0.7, 4), (0.01, 1), (0.99, 5)])
def test_a_share_is_rounded_and_weights_grow_by_what_is_left(share, left):
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("w", dc.Numeric(), "weight")])
    data = dc.Microdata(pa.table({"x": np.arange(5.0), "w": [1.0, 2.0, 3.0, 4.0, 5.0]}), schema)
    masked = Sampling(share, random_state=3).mask(data)
    assert masked.provenance.details["records_dropped"] == 5 - left
    assert masked.microdata.encoded("w") == pytest.approx(data.encoded("w")[masked.provenance.rows] * 5 / left)
    whole = Sampling(size=5).mask(data)
    assert whole.provenance.rows.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ParameterError, match="Sampling: strata must be categorical; 'x' is numeric"):
        Sampling(0.5, strata=["x"]).mask(data)


def test_a_stratum_may_be_taken_whole():
    Sampling(size=2)._check_strata([3, 2, 2])
    Sampling(0.1)._check_strata([1, 1])
    with pytest.raises(ParameterError, match="of every stratum; 2 of 3 strata have fewer than 3"):
        Sampling(size=3)._check_strata([3, 2, 2])
