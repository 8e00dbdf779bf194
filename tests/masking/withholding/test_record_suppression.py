from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import hyp2f1
from tests.battery import microdata

import discreet as dc
from discreet.data.guarantees import still_true
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.units import PerUnit
from discreet.masking.withholding.record_suppression import RecordSuppression

LEVELS = tuple("abc")
SCHEMA = Schema(
    [
        Attribute("x", Nominal(LEVELS), "key"),
        Attribute("y", Nominal(LEVELS), "key"),
        Attribute("w", Numeric(), "weight"),
        Attribute("home", Nominal(tuple(range(8))), "other"),
    ]
)
RECORD = st.tuples(
    st.sampled_from([*LEVELS, None]), st.sampled_from([*LEVELS, None]), st.floats(1, 60), st.integers(0, 7)
)


def table(rows):
    return pa.table(
        {
            "x": pa.array([row[0] for row in rows], pa.string()),
            "y": pa.array([row[1] for row in rows], pa.string()),
            "w": [float(row[2]) for row in rows],
            "home": pa.array([row[3] for row in rows], pa.int64()),
        }
    )


def alike(one, other, reading):
    pairs = zip(one[:2], other[:2], strict=True)
    return all(a == b or (reading == "wildcard" and None in (a, b)) for a, b in pairs)


def stands_out(one, present, k, threshold, reading):
    """The definition, of one record among those present."""
    others = [other for other in present if alike(one, other, reading)]
    if k is not None and len(others) < k:
        return True
    if threshold is None:
        return False
    f = len(others)
    p = f / max(f, sum(other[2] for other in others))
    return p**f / f * hyp2f1(f, f, f + 1, 1 - p) > threshold * (1 + 1e-9)


def who_leaves(rows, k, threshold, reading, households):
    """By the definition, one turn after the other; those who leave for company are not among them."""
    gone: set[int] = set()
    while True:
        if households:
            torn = {rows[i][3] for i in gone}
            gone |= {i for i, row in enumerate(rows) if row[3] in torn}
        present = [row for i, row in enumerate(rows) if i not in gone]
        out = {i for i, r in enumerate(rows) if i not in gone and stands_out(r, present, k, threshold, reading)}
        if not out:
            return gone
        gone |= out


@given(
    st.lists(RECORD, min_size=4, max_size=30),
    st.sampled_from([(2, None), (3, None), (None, 0.05), (3, 0.1)]),
    st.sampled_from(["category", "wildcard"]),
    st.booleans(),
)
def test_as_the_definition_says(rows, asked, reading, households):
    k, threshold = asked
    masker = RecordSuppression(k, threshold=threshold, missing=reading, limit=1)
    masker.set_params(household="home" if households else None)
    expected = who_leaves(rows, k, threshold, reading, households)
    try:
        masked = masker.mask(table(rows), SCHEMA)
    except DataError as error:
        assert "would have to leave" in str(error)
        # Too few in company bring others down with them; without company, everybody had to leave anyhow.
        assert len(expected) == len(rows) or 0 < len(expected) < (k or 3)
        return
    stay = masked.provenance.rows.tolist()
    gone = set(range(len(rows))) - set(stay)
    assert stay == sorted(stay)
    if not 0 < len(expected) < (k or 3):
        assert gone == expected
    assert expected <= gone
    assert len(gone) == 0 or len(gone) >= (k or 3), "nobody leaves alone"
    present = [rows[i] for i in stay]
    assert not [one for one in present if stands_out(one, present, k, threshold, reading)]
    if households:
        assert not {rows[i][3] for i in gone} & {row[3] for row in present}
    assert masked.microdata.column("x").to_pylist() == [row[0] for row in present]
    assert masked.provenance.details["records_dropped"] == len(gone)
    assert still_true(masked.provenance.guarantees, masked.microdata.to_polars())[1] == []
    assert len(masked.provenance.guarantees) == (k is not None) + (threshold is not None)


def test_the_promise_is_counted_on_what_is_written(tmp_path):
    rows = [("a", "a", 5.0, 0)] * 20 + [("b", "c", 5.0, 1)] * 3 + [("c", "c", 5.0, 2)]
    masked = RecordSuppression(4, limit=0.2).mask(table(rows), SCHEMA)
    dc.write(masked, tmp_path / "release.csv")
    with (tmp_path / "release.csv").open() as file:
        written = [(row["x"], row["y"]) for row in csv.DictReader(file)]
    assert written == [("a", "a")] * 20
    assert [promise.k for promise in masked.provenance.guarantees] == [4]


def test_one_who_stands_out_leaves_in_company():
    rows = [("a", "a", 5.0, 0)] * 9 + [("b", "b", 5.0, 1)] * 4 + [("c", "c", 5.0, 2)]
    masked = RecordSuppression(4, limit=0.5).mask(table(rows), SCHEMA)
    assert masked.microdata.column("x").to_pylist() == ["a"] * 6 + ["b"] * 4
    assert masked.provenance.rows.tolist() == [0, 1, 2, 3, 4, 5, 9, 10, 11, 12]


def test_nobody_leaves_where_nobody_stands_out():
    rows = [("a", "a", 5.0, 0)] * 9
    masked = RecordSuppression(4).mask(table(rows), SCHEMA)
    assert len(masked) == 9
    assert masked.provenance.details["records_dropped"] == 0


def test_the_reasons_are_not_told():
    rows = [("a", "a", 5.0, 0)] * 90 + [("c", "c", 5.0, 2)]
    masked = RecordSuppression(5, limit=0.1).mask(table(rows), SCHEMA)
    assert set(masked.provenance.details) == {"records_dropped", "share_dropped"}
    assert masked.provenance.details["records_dropped"] == 5


def test_codes_of_missing_values_count_as_they_are_written():
    schema = Schema([Attribute("x", Nominal(("a", "b")), "key", missing=("-8", "-9"))])
    data = pl.DataFrame({"x": ["a"] * 10 + ["-8"] * 2 + ["-9"] * 2})
    masked = RecordSuppression(3, limit=0.5).mask(data, schema)
    assert masked.to_native()["x"].to_list() == ["a"] * 10
    anything = RecordSuppression(3, limit=0.5, missing="wildcard").mask(data, schema)
    assert anything.to_native()["x"].to_list() == data["x"].to_list(), "cells stay as they came"


def test_outliers_leave():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(300, 2))
    numbers[40], numbers[41], numbers[42] = (9, -9), (8, 8), (30, 0)
    schema = Schema([Attribute(name, Numeric(), "key") for name in "uv"])
    masked = RecordSuppression(None, outliers=0.99999).mask(pl.DataFrame(numbers, schema=list("uv")), schema)
    assert sorted(set(range(300)) - set(masked.provenance.rows.tolist())) == [40, 41, 42]
    assert masked.provenance.guarantees == ()


def test_outliers_and_classes_together():
    rng = np.random.default_rng(3)
    income = rng.normal(100, 10, 200)
    income[7] = 1000.0
    job = ["a"] * 4 + ["b"] * 4 + ["c"] * 192
    schema = Schema([Attribute("income", Numeric(), "key"), Attribute("job", Nominal(("a", "b", "c")), "key")])
    data = pl.DataFrame({"income": income, "job": job})
    masked = RecordSuppression(4, outliers=0.999999).mask(data, schema)
    assert sorted(set(range(200)) - set(masked.provenance.rows.tolist())) == [4, 5, 6, 7], "the outlier's class as well"
    assert masked.provenance.guarantees[0].attributes == ("job",)


def test_strata_each_for_itself():
    data = microdata(200)
    masked = RecordSuppression(5, attributes=["fuel"], strata=["region"], limit=0.3).mask(data)
    counts = masked.microdata.to_polars().group_by("fuel", "region").len()["len"]
    assert counts.min() >= 5
    assert masked.provenance.guarantees[0].strata == ("region",)
    assert len(masked) == 200 - masked.provenance.details["records_dropped"]


def test_once_for_each_household():
    rows = [("a", "a", 1.0, home) for home in range(7) for _ in range(2)] + [("b", "b", 1.0, 7)] * 3
    masked = PerUnit(RecordSuppression(2, limit=0.5), "home").mask(table(rows), SCHEMA)
    kept = masked.microdata.column("home").to_pylist()
    assert sorted(set(kept)) == [0, 1, 2, 3, 4, 5]
    assert masked.provenance.guarantees[0].unit == "home"
    with pytest.raises(DataError, match="'x' differs within 1 of 8 units"):
        PerUnit(RecordSuppression(2, limit=0.5), "home").mask(table([*rows, ("c", "a", 1.0, 3)]), SCHEMA)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"k": None}, "k must be given, or threshold, or outliers"),
        ({"outliers": 0.9}, "outliers must be None where none of 2 keys is numeric"),
        ({"household": "nobody"}, "household 'nobody' is not in the table"),
        ({"household": "home", "strata": ["home"]}, "household must be None with strata"),
    ],
)
def test_what_cannot_be_done_is_said(parameters, sentence):
    with pytest.raises(ParameterError, match=sentence):
        RecordSuppression(**parameters).mask(table([("a", "a", 1.0, 0)] * 9), SCHEMA)


def test_numbers_alone_are_not_shared():
    with pytest.raises(ParameterError, match="k must be None"):
        RecordSuppression(3, outliers=0.9, attributes=["income"]).mask(microdata(60))


def test_more_than_the_limit_is_refused_with_the_count():
    rows = [("a", "a", 5.0, 0)] * 17 + [("c", "c", 5.0, 2)] * 3
    with pytest.raises(DataError, match=r"4 of 20 records would have to leave, .* limit of 0.1 allows, 2") as caught:
        RecordSuppression(4, limit=0.1).mask(table(rows), SCHEMA)
    assert "bands" in caught.value.hint
    with pytest.raises(DataError, match="every one of 3 records would have to leave"):
        RecordSuppression(4, limit=1).mask(table(rows[-3:]), SCHEMA)


UNWEIGHTED = Schema([attribute for attribute in SCHEMA if attribute.name != "w"])


@pytest.mark.parametrize(
    ("k", "threshold", "sizes", "promised"),
    [
        (None, 0.25, [9, 4], 4),  # a risk of 1/4 takes four alike
        (None, 0.26, [9, 4], 4),
        (None, 0.34, [9, 4, 3], 3),
        (2, 0.25, [9, 4], 4),
        (5, 0.25, [9], 5),
    ],
)
def test_without_weights_a_risk_is_one_over_those_alike(k, threshold, sizes, promised):
    rows = [("a", "a", 5.0, 0)] * 9 + [("b", "b", 5.0, 1)] * 4 + [("c", "c", 5.0, 2)] * 3
    for schema, weighted in ((SCHEMA, False), (UNWEIGHTED, True)):
        data = table(rows) if schema is SCHEMA else table(rows).drop_columns(["w"])
        masked = RecordSuppression(k, threshold=threshold, weighted=weighted, limit=0.9).mask(data, schema)
        counts = masked.microdata.to_polars()["x"].value_counts()["count"].sort(descending=True).to_list()
        assert counts == sizes
        (promise,) = masked.provenance.guarantees
        assert (promise.k, promise.risk, promise.weight, promise.wildcard) == (promised, None, None, False)


def test_with_weights_two_promises_are_made():
    rows = [("a", "a", 50.0, 0)] * 9 + [("b", "b", 50.0, 1)] * 4
    masked = RecordSuppression(3, threshold=0.5, missing="wildcard").mask(table(rows), SCHEMA)
    promises = masked.provenance.guarantees
    assert [(one.k, one.risk, one.weight, one.wildcard) for one in promises] == [
        (3, None, None, True),
        (1, 0.5, "w", True),
    ]
    alone = RecordSuppression(None, threshold=0.5).mask(table(rows), SCHEMA)
    assert [(one.k, one.risk) for one in alone.provenance.guarantees] == [(1, 0.5)]


def test_the_limit_is_reached_and_not_exceeded():
    rows = [("a", "a", 5.0, 0)] * 15 + [("c", "c", 5.0, 2)] * 5
    masked = RecordSuppression(6, limit=0.3).mask(table(rows), SCHEMA)
    # Five stand out, and a sixth leaves with them: six of twenty.
    assert masked.provenance.details == {"records_dropped": 6, "share_dropped": 0.3}
    assert "Survey weights are as they were: totals are of the records released, and not of all." in (
        masked.provenance.notes
    )
    with pytest.raises(DataError, match=r"6 of 20 records would have to leave, .* limit of 0.29 allows, 5"):
        RecordSuppression(6, limit=0.29).mask(table(rows), SCHEMA)
    nobody = RecordSuppression(2).mask(table(rows), SCHEMA)
    assert not [note for note in nobody.provenance.notes if "Survey weights" in note]
    plain = RecordSuppression(6, limit=0.3).mask(table(rows).drop_columns(["w"]), UNWEIGHTED)
    assert not [note for note in plain.provenance.notes if "Survey weights" in note]
