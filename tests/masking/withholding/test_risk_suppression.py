from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import hyp2f1

import discreet as dc
from discreet.contracts.masked import Masked
from discreet.data.guarantees import still_true
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import BrokenGuaranteeError, DataError, ParameterError
from discreet.masking.withholding import risk_suppression
from discreet.masking.withholding.risk_suppression import RiskSuppression

LEVELS = tuple("abc")
NAMES = "xyz"
SCHEMA = Schema([*(Attribute(name, Nominal(LEVELS), "key") for name in NAMES), Attribute("w", Numeric(), "weight")])
RECORD = st.tuples(*[st.sampled_from([*LEVELS, None])] * 3, st.floats(1, 60))


def table(rows):
    columns = {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(NAMES)}
    return pa.table({**columns, "w": [float(row[3]) for row in rows]})


def risks(rows, reading, weighted=True):
    """The definition, record by record: E[1/F | f] with F negative binomial, or 1/f."""
    result = []
    for one in rows:
        alike = [
            other
            for other in rows
            if all(
                a == b or (reading == "wildcard" and (a in {None, ""} or b in {None, ""}))
                for a, b in zip(one[:3], other[:3], strict=True)
            )
        ]
        f = len(alike)
        p = f / max(f, sum(float(other[3]) for other in alike))
        result.append(p**f / f * hyp2f1(f, f, f + 1, 1 - p) if weighted else 1 / f)
    return result


def released(masked):
    return list(zip(*(masked.microdata.column(name).to_pylist() for name in [*NAMES, "w"]), strict=True))


@given(
    st.lists(RECORD, min_size=6, max_size=25),
    st.sampled_from([0.05, 0.2, 0.5]),
    st.sampled_from(["category", "wildcard"]),
    st.booleans(),
)
def test_no_record_is_above_the_threshold(rows, threshold, reading, weighted):
    masker = RiskSuppression(threshold, missing=reading, weighted=weighted)
    everybody = risks([(None, None, None, row[3]) for row in rows], reading, weighted)[0]
    if everybody > threshold * (1 + 1e-9):
        with pytest.raises(DataError, match="above"):
            masker.mask(table(rows), SCHEMA)
        return
    masked = masker.mask(table(rows), SCHEMA)
    after = released(masked)
    assert max(risks(after, reading, weighted)) <= threshold * (1 + 1e-9)
    assert all(a in (b, None) for one, two in zip(rows, after, strict=True) for b, a in zip(one, two, strict=True))
    before = risks(rows, reading, weighted)
    assert masked.provenance.details["records_above"] == sum(risk > threshold * (1 + 1e-9) for risk in before)
    if reading == "wildcard":
        for risk, was, now in zip(before, rows, after, strict=True):
            assert risk > threshold * (1 - 1e-9) or was == now, "whoever is safe keeps every value"
    assert still_true(masked.provenance.guarantees, masked.microdata.to_polars())[1] == []


def test_only_the_keys_that_may_go_do():
    rows = [("a", "a", "a", 9.0)] * 5 + [("a", "b", "a", 1.0), ("a", "b", "c", 2.0)]
    masked = RiskSuppression(0.4, suppress=["z"], missing="wildcard").mask(table([*rows, rows[-1], rows[-1]]), SCHEMA)
    assert masked.provenance.details["suppressed"] == {"x": 0, "y": 0, "z": 1}
    with pytest.raises(DataError, match=r"RiskSuppression: 2 records have an individual risk above 0\.3 even without"):
        RiskSuppression(0.3, suppress=["z"]).mask(table(rows), SCHEMA)
    with pytest.raises(ParameterError, match="suppress names 'w', which is not among the keys"):
        RiskSuppression(0.4, suppress=["w"]).mask(table(rows), SCHEMA)


def test_as_sdcmicro_on_the_data_of_its_authors(data_dir):
    """Its example: `Key4` of what is above 0.15. Gaps agree with everything; all others keep their values."""
    path = data_dir / "sdc" / "francdat.csv"
    if not path.exists():
        pytest.skip("francdat.csv is not there")
    frame = pl.read_csv(path)
    keys = ["Key1", "Key2", "Key3", "Key4"]
    data = dc.survey(frame, keys=keys, weight="w", nominal=keys, others="other")
    with pytest.raises(DataError, match="2 records have an individual risk"):
        # Records 4 and 7 agree with nobody on the other keys: it hides their values and leaves them at risk.
        RiskSuppression(0.15, suppress=["Key4"], missing="wildcard").mask(data)
    masked = RiskSuppression(0.15, missing="wildcard").mask(data)
    # log(17)/16, log(8)/7 and log(5)/4 are above; 541, and pairs of 110 and 84.5, are not.
    assert masked.provenance.details["records_above"] == 3
    assert masked.provenance.details["suppressed"] == {"Key1": 2, "Key2": 0, "Key3": 0, "Key4": 3}


@pytest.mark.parametrize("reading", ["category", "wildcard"])
def test_the_promise_is_counted_on_the_bytes(reading, tmp_path):
    rows = [("abc"[i % 3], "abc"[i % 2], "abc"[(i * i) % 3], 1.0 + i % 7) for i in range(40)] + [("c", "c", "c", 1.5)]
    masked = RiskSuppression(0.1, missing=reading).mask(table(rows), SCHEMA)
    (promise,) = masked.provenance.guarantees
    assert promise.sentence.startswith("No record has an individual risk above 0.1 by its x, y, z, counted with the")
    dc.write(masked, tmp_path / "safe.csv")
    with (tmp_path / "safe.csv").open(newline="") as file:
        _, *written = csv.reader(file)
    assert max(risks([(*row[:3], float(row[3])) for row in written], reading)) <= 0.1 + 1e-9
    frame = pl.DataFrame(written, schema=[*NAMES, "w"], orient="row")
    alone = frame.with_columns(pl.when(pl.int_range(frame.height) == 0).then(pl.lit("q")).otherwise("x").alias("x"))
    assert still_true([promise], frame)[1] == []
    assert still_true([promise], alone)[1] == [promise], "a value that nobody else has"
    light = frame.with_columns(pl.lit("1").alias("w"))
    assert still_true([promise], light)[1] == [promise], "with lighter weights the risk is above"
    assert still_true([promise], frame.drop("w"))[1] == [], "without weights nobody can count it"


def test_a_file_that_breaks_the_promise_is_not_put_in_place(tmp_path):
    rows = [("abc"[i % 3], "a", "b", 1.0 + i % 7) for i in range(60)]
    masked = RiskSuppression(0.1).mask(table(rows), SCHEMA)
    promise = replace(masked.provenance.guarantees[0], risk=0.001)
    broken = Masked(masked.microdata, replace(masked.provenance, guarantees=(promise,)))
    with pytest.raises(BrokenGuaranteeError, match=r"60 records have an individual risk above 0\.001 by their x, y, z"):
        dc.write(broken, tmp_path / "unsafe.csv")
    assert not (tmp_path / "unsafe.csv").exists()


# ------------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize(
    ("tried", "order", "sets"),
    [
        (99, [2, 0], ["z", "x", "xz"]),
        (99, [1, 2, 0], ["y", "z", "x", "yz", "xy", "xz", "xyz"]),
        (4, [1, 2, 0], ["y", "z", "x", "yz", "xyz"]),
        (2, [1, 2, 0], ["y", "z", "yz", "xyz"]),
        (7, [1, 2, 0], ["y", "z", "x", "yz", "xy", "xz", "xyz"]),
    ],
)
def test_sets_come_by_size_and_end_with_all_keys(tried, order, sets, monkeypatch):
    monkeypatch.setattr(risk_suppression, "_TRIED", tried)
    found = risk_suppression._sets(order, 3)
    assert ["".join("xyz"[j] for j in np.flatnonzero(mask)) for mask in found] == sets


@pytest.mark.parametrize(
    ("threshold", "least"), [(0.5, 2), (0.34, 3), (1 / 3, 3), (0.33, 4), (0.1, 10), (0.099, 11), (0.9, 2), (0.01, 100)]
)
def test_the_smallest_class_of_a_threshold(threshold, least):
    assert risk_suppression.smallest_class(threshold) == least


@pytest.mark.parametrize(
    ("rows", "threshold", "suppress", "expected"),
    [
        # Without weights a risk of 1/2 needs two alike. The last agrees with nobody: the smallest class joins it.
        ("aaa aaa aaa baa baa cba", 0.5, None, "aaa aaa aaa ... ... ..."),
        # Those of the smallest class are not enough for 1/4: all of the next come as well.
        ("aaa aaa aaa aaa baa baa baa baa cba", 0.25, None, "... ... ... ... baa baa baa baa ..."),
        # Only z may go: whoever agrees on x and y with the one who stands out joins, the smallest class first.
        ("aaa aaa aaa aab aab aac", 0.5, ["z"], "aaa aaa aaa aa. aa. aa."),
        ("aab aaa aab aaa aaa aac", 0.5, ["z"], "aa. aaa aa. aaa aaa aa."),
        # Two who stand out are enough for each other.
        ("aaa aaa aab aac", 0.5, ["z"], "aaa aaa aa. aa."),
        ("aaa aaa abb abc acb acc", 0.5, ["z", "y"], "aaa aaa ab. ab. ac. ac."),
        # The order says which goes first; of two classes that could join the last one, the first does.
        ("aaa aaa abb acb abc", 0.5, ["y", "z"], "a.. a.. a.b a.b a.."),
    ],
)
def test_releases_by_hand(rows, threshold, suppress, expected):
    records = [(*row, 1.0) for row in rows.split()]
    masked = RiskSuppression(threshold, suppress=suppress, weighted=False).mask(table(records), SCHEMA)
    after = ["".join(value or "." for value in row[:3]) for row in released(masked)]
    assert " ".join(after) == expected


def test_details_and_transitions():
    records = [(*row, 1.0) for row in ("aaa", "aaa", "aab", "aab", "aab", "aac", "aac", "aac")]
    masked = RiskSuppression(0.4, suppress=["z"], weighted=False).mask(table(records), SCHEMA)
    details = {name: masked.provenance.details[name] for name in ("records_above", "suppressed", "records_touched")}
    assert details == {"records_above": 2, "suppressed": {"x": 0, "y": 0, "z": 5}, "records_touched": 5}
    expected = np.eye(4, dtype=bool)
    expected[:, 3] = True
    assert {name: possible.tolist() for name, possible in masked.provenance.transitions.items()} == {
        name: expected.tolist() for name in NAMES
    }
    (promise,) = masked.provenance.guarantees
    assert (promise.k, promise.risk, promise.weight, promise.wildcard) == (3, None, None, False)
    weighted = RiskSuppression(0.9, missing="wildcard").mask(table(records), SCHEMA)
    (promise,) = weighted.provenance.guarantees
    assert (promise.k, promise.risk, promise.weight, promise.wildcard) == (1, 0.9, "w", True)


def test_keys_with_most_values_go_first():
    masker = RiskSuppression(0.5)
    assert masker._order(("x", "y", "z"), np.array([[1, 1, 1], [1, 2, 2], [2, 3, 1]])) == [1, 0, 2]
    assert RiskSuppression(0.5, suppress=["z", "x"])._order(("x", "y", "z"), np.zeros((1, 3))) == [2, 0]
    assert risk_suppression._as_keys(np.array([0, -1, 2, 0])).tolist() == [2, 0, 3, 2]
    assert risk_suppression._as_keys(np.array([1.5, np.nan, 0.5])).tolist() == [3, 0, 2]
