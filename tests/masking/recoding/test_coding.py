from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SCHEMA, SIZES, microdata, sample, with_nulls

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.banding import Banding
from discreet.masking.recoding.coding import FEWEST_CODED, BottomCoding, TopCoding

SCHEMA_SIZE = Schema([Attribute("size", Ordinal(SIZES), "key")])
TABLE = pa.table({"size": ["xs", "s", "m", "l", "xl", "xl"]})


def test_the_last_p_levels_become_one():
    assert TopCoding(2).mask(TABLE, SCHEMA_SIZE).microdata.column("size").to_pylist() == ["xs", "s", "m", "l", "l", "l"]
    assert BottomCoding(3).mask(TABLE, SCHEMA_SIZE).microdata.column("size").to_pylist() == [
        "m",
        "m",
        "m",
        "l",
        "xl",
        "xl",
    ]


def test_the_scale_is_kept_without_a_new_category_and_changed_with_one():
    assert TopCoding(2).mask(TABLE, SCHEMA_SIZE).microdata.schema == SCHEMA_SIZE
    labelled = TopCoding(2, category="large").mask(TABLE, SCHEMA_SIZE).microdata
    assert labelled.schema["size"].scale == Ordinal(("xs", "s", "m", "large"))
    assert labelled.column("size").to_pylist() == ["xs", "s", "m", "large", "large", "large"]
    bottom = BottomCoding(2, category="small").mask(TABLE, SCHEMA_SIZE).microdata
    assert bottom.schema["size"].scale == Ordinal(("small", "m", "l", "xl"))
    grades = TopCoding(2, category="6+", attributes=["grade"]).mask(microdata())
    assert grades.microdata.schema["grade"].scale.levels == ("1", "2", "3", "4", "5", "6+")
    assert set(grades.microdata.column("grade").to_pylist()) <= set(grades.microdata.schema["grade"].scale.levels)
    assert grades.provenance.transitions["grade"].shape == (8, 7)


def test_intervals_are_joined():
    years = IntervalSemantics((0, 1, 2), (1, 2, 5))
    schema = Schema([Attribute("y", Ordinal(("a", "b", "c"), years), "key")])
    masked = TopCoding(2, category="late").mask(pa.table({"y": ["a", "b", "c"]}), schema)
    assert masked.microdata.schema["y"].scale.semantics == IntervalSemantics((0, 1), (1, 5))


def test_p_beyond_the_levels_makes_a_constant_and_says_so():
    masked = TopCoding(9).mask(TABLE, SCHEMA_SIZE)
    assert set(masked.microdata.column("size").to_pylist()) == {"xs"}
    assert "now constant (1): size" in masked.provenance.notes[0]


def test_unordered_levels_are_coded_in_declared_order_and_a_note_says_so():
    masked = TopCoding(1, attributes=["fuel", "size"]).mask(microdata())
    assert any("order in which their levels are declared (1): fuel" in note for note in masked.provenance.notes)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.integers(1, 6))
def test_bottom_coding_mirrors_top_coding(codes, p):
    mirrored = Schema([Attribute("size", Ordinal(SIZES[::-1]), "key")])
    table = pa.table({"size": [SIZES[c] for c in codes]})
    top = TopCoding(p).mask(table, SCHEMA_SIZE).microdata.column("size").to_pylist()
    assert top == BottomCoding(p).mask(table, mirrored).microdata.column("size").to_pylist()


def cut_size(values, threshold):
    return int((np.asarray(values) >= threshold).sum())


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.floats(0.01, 0.99))
def test_a_share_of_numbers_is_coded(values, share):
    table, schema = pa.table({"x": values}), Schema([Attribute("x", Numeric(), "key")])
    after = TopCoding(share=share).mask(table, schema).microdata.encoded("x")
    cut = int(np.ceil(share * len(values)))
    threshold = np.sort(values)[-cut]
    assert after.tolist() == np.minimum(values, threshold).tolist()
    mean = TopCoding(share=share, replacement="mean").mask(table, schema).microdata.encoded("x")
    if cut_size(values, threshold) < FEWEST_CODED:
        assert mean == pytest.approx(after, rel=1e-5), "the mean of one or two numbers would tell them"
    else:
        # Kept to the digits that the column has: six significant ones where it has all that there are.
        assert mean.mean() == pytest.approx(np.mean(values), abs=max(0.5, 1e-5 * np.abs(values).max()))


def test_thresholds_and_missing_values():
    data = Microdata(with_nulls(sample(), "income", [3]), SCHEMA)
    masked = TopCoding(threshold={"income": 5000.0}, attributes=["income", "age"], share=0.1).mask(data)
    income = masked.microdata.encoded("income")
    assert np.isnan(income[3])
    assert np.nanmax(income) == 5000.0
    assert masked.provenance.changed["age"] > 0
    unreached = TopCoding(threshold=1e12, attributes=["income"]).mask(data)
    assert unreached.provenance.changed["income"] == 0


def test_bad_parameters_are_refused():
    for broken in (TopCoding(0), TopCoding({"size": 0}), TopCoding(1.5)):
        with pytest.raises(ParameterError, match="TopCoding: p must be"):
            broken.mask(microdata())
    with pytest.raises(ParameterError, match="p names 1 attributes that are not masked, the first 'nowhere'"):
        TopCoding({"nowhere": 1}).mask(microdata())
    with pytest.raises(ParameterError, match="share must be a number above 0 and below 1"):
        TopCoding(share=5).mask(microdata())


def test_a_share_within_strata_has_its_own_threshold_in_each():
    schema = Schema([Attribute("wage", Numeric(), "key"), Attribute("town", Nominal(("a", "b")), "stratum")])
    table = pa.table({"wage": [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0], "town": ["a"] * 4 + ["b"] * 4})
    assert TopCoding(share=0.5).mask(table, schema).microdata.encoded("wage").tolist() == [1, 2, 3, 4, 10, 10, 10, 10]
    within = TopCoding(share=0.5, strata=["town"]).mask(table, schema).microdata
    assert within.encoded("wage").tolist() == [1, 2, 3, 3, 10, 20, 30, 30]


def test_a_new_category_within_strata_is_declared_once():
    data = microdata()
    plain, within = (TopCoding(2, category="6+", attributes=["grade"], strata=s).mask(data) for s in (None, ["region"]))
    assert within.microdata.schema == plain.microdata.schema
    assert within.microdata.column("grade").to_pylist() == plain.microdata.column("grade").to_pylist()


@pytest.mark.parametrize(
    ("masker", "bands", "labels"),
    [
        (TopCoding(category="90+"), "width:1,90+", ["17", "18", "89", "90+", "90+"]),
        (BottomCoding(category="<18"), "width:1,<18", ["<18", "18", "89", "90", "91"]),
    ],
)
def test_a_text_for_numbers_is_a_band(masker, bands, labels):
    ages = pa.table({"age": [17, 18, 89, 90, 91]})
    schema = Schema([Attribute("age", Numeric(), "key")])
    with pytest.raises(ParameterError, match="category must be None where only numbers are coded") as caught:
        masker.mask(ages, schema)
    assert bands in caught.value.hint
    assert Banding({"age": bands}).mask(ages, schema).microdata.column("age").to_pylist() == labels


# ------------------------------------------------------------------------------------------------------ by hand

WAGES = pa.table({"x": pa.array([10, 20, 30, 40, 50, 90, None], pa.int64())})
NUMBER = Schema([Attribute("x", Numeric(), "key")])


@pytest.mark.parametrize(
    ("masker", "expected"),
    [
        (TopCoding(threshold=40), [10, 20, 30, 40, 40, 40]),
        (BottomCoding(threshold=30), [30, 30, 30, 40, 50, 90]),
        # Three coded numbers: their mean and their median; of two the threshold.
        (TopCoding(threshold=40, replacement="mean"), [10, 20, 30, 60, 60, 60]),
        (TopCoding(threshold=40, replacement="median"), [10, 20, 30, 50, 50, 50]),
        (TopCoding(threshold=30, replacement="median"), [10, 20, 45, 45, 45, 45]),
        (TopCoding(threshold=50, replacement="mean"), [10, 20, 30, 40, 50, 50]),
        (TopCoding(threshold=50, replacement="median"), [10, 20, 30, 40, 50, 50]),
        (BottomCoding(threshold=30, replacement="mean"), [20, 20, 20, 40, 50, 90]),
        (BottomCoding(threshold=40, replacement="median"), [25, 25, 25, 25, 50, 90]),
        (BottomCoding(threshold=20, replacement="median"), [20, 20, 30, 40, 50, 90]),
        # Of six a third are two, and a share of 0.34 three.
        (TopCoding(share=1 / 3), [10, 20, 30, 40, 50, 50]),
        (TopCoding(share=0.34), [10, 20, 30, 40, 40, 40]),
        (BottomCoding(share=0.34), [30, 30, 30, 40, 50, 90]),
        (BottomCoding(share=0.01), [10, 20, 30, 40, 50, 90]),
        (TopCoding(share=0.5, replacement="mean"), [10, 20, 30, 60, 60, 60]),
    ],
)
def test_numbers_are_coded_by_hand(masker, expected):
    assert masker.mask(WAGES, NUMBER).microdata.column("x").to_pylist() == [*expected, None]


def test_a_column_without_numbers_is_coded_to_nothing():
    nothing = pa.table({"x": pa.array([None, None], pa.float64())})
    for replacement in ("threshold", "mean", "median"):
        masked = TopCoding(share=0.5, replacement=replacement).mask(nothing, NUMBER)
        assert masked.microdata.missing("x").all()


@pytest.mark.parametrize(
    ("masker", "expected"),
    [
        (TopCoding(1), ["xs", "s", "m", "l", "xl", "xl"]),
        (TopCoding(5), ["xs"] * 6),
        (BottomCoding(1), ["xs", "s", "m", "l", "xl", "xl"]),
        (BottomCoding(4), ["l"] * 4 + ["xl"] * 2),
        (BottomCoding(5), ["xl"] * 6),
        (TopCoding({"size": 3}), ["xs", "s", "m", "m", "m", "m"]),
    ],
)
def test_levels_are_coded_by_hand(masker, expected):
    masked = masker.mask(TABLE, SCHEMA_SIZE)
    assert masked.microdata.column("size").to_pylist() == expected
    constant = [note for note in masked.provenance.notes if "now constant" in note]
    assert constant == (
        ["Attributes with p levels or fewer, now constant (1): size."] if len(set(expected)) == 1 else []
    )
