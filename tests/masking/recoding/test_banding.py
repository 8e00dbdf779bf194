"""Numbers into bands: against ten-line definitions, on written bytes, on every ground, and what is refused."""

from __future__ import annotations

import csv
import datetime as dt
from collections import Counter
from statistics import mean, median

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales.semantics import IntervalSemantics
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.recoding import banding
from discreet.masking.recoding.banding import Banding


def table(numbers, scale=None, **fields):
    schema = dc.Schema([dc.Attribute("age", scale or dc.Numeric(), "key", **fields)])
    return dc.Microdata(pa.table({"age": numbers}), schema)


def released(masker, numbers, scale=None, **fields):
    return masker.mask(table(numbers, scale, **fields)).microdata.column("age").to_pylist()


@given(st.lists(st.one_of(st.integers(0, 110), st.none()), min_size=3, max_size=40))
def test_labels_of_given_breaks_are_those_of_the_definition(ages):
    names = {0: "0–14", 15: "15–29", 30: "30–74", 75: "75+"}
    expected = [None if a is None else names[max(b for b in names if b <= a)] for a in ages]
    assert released(dc.Banding("0,15,30,75+"), pa.array(ages, pa.int64())) == expected


@pytest.mark.parametrize("release", ["midpoint", "mean", "median"])
@given(ages=st.lists(st.integers(0, 110), min_size=3, max_size=40))
def test_numbers_that_stand_for_bands_are_those_of_the_definition(release, ages):
    edges = [0, 15, 30, 75]
    members = {edge: [a for a in ages if edge == max(b for b in edges if b <= a)] for edge in edges}
    middle = {0: 7, 15: 22, 30: 52, 75: 75}  # of the whole numbers in each
    top = {0: 14, 15: 29, 30: 74, 75: 1e9}
    aggregate = {"midpoint": lambda m, _: m, "mean": lambda _, a: mean(a), "median": lambda _, a: median(a)}[release]
    after = released(dc.Banding("0,15,30,75+", release=release), pa.array(ages))
    assert all(isinstance(a, int) for a in after)
    for age, number in zip(ages, after, strict=True):
        edge = max(b for b in edges if b <= age)
        stands = aggregate(middle[edge], members[edge]) if len(members[edge]) >= 3 else middle[edge]
        assert abs(number - min(stands, top[edge])) <= 0.5 + 1e-9
        assert edge <= number <= top[edge]


@given(st.lists(st.integers(-(10**6), 10**6).map(lambda x: x / 100), min_size=8, max_size=60), st.integers(2, 6))
def test_bands_of_equal_count_hold_about_equally_many_and_tell_no_extreme(numbers, bands):
    masked = dc.Banding(f"count:{bands}").mask(table(numbers))
    labels = masked.microdata.column("age").to_pylist()
    ordered = sorted(zip(numbers, labels, strict=True))
    runs = [label for place, (_, label) in enumerate(ordered) if not place or ordered[place - 1][1] != label]
    assert len(runs) == len(set(runs)) <= bands, "a band is a run of neighbours"
    if len(set(numbers)) == len(numbers):
        sizes = Counter(labels).values()
        assert max(sizes) - min(sizes) <= 1
    written = " ".join(dict.fromkeys(labels)).replace("–", " ").replace("<", " ").replace("+", " ").split()
    edges = {float(part) for part in written if part not in ("to", "any")}
    assert min(numbers) not in edges, "nobody is below the least number"


@given(st.lists(st.integers(0, 30), min_size=6, max_size=40), st.integers(2, 8))
def test_min_count_leaves_no_smaller_band(numbers, least):
    for rule in ("width:3", "0,5,10,15,31", "optimal:5", "count:7", "equal:9"):
        labels = released(dc.Banding(rule, min_count=least), pa.array(numbers))
        assert min(Counter(labels).values()) >= min(least, len(numbers))


def test_what_is_found_is_written_as_the_intruder_would_read_it(tmp_path):
    """Judged on the bytes alone: no cell of the file is a number of a record, and no edge is an extreme."""
    rng = np.random.default_rng(1)
    incomes = np.round(rng.lognormal(10, 1, 400), 2)
    for rule in ("nice:8", "equal:6", "log:5", "count:5", "optimal:5"):
        path = tmp_path / f"{rule.replace(':', '-')}.csv"
        dc.write(dc.Banding(rule).mask(table(incomes)), path)
        with path.open(encoding="utf-8", newline="") as file:
            cells = [row["age"] for row in csv.DictReader(file)]
        assert len(cells) == 400
        parts = {
            part for cell in set(cells) for part in cell.replace("–", " ").replace("<", " ").replace("+", " ").split()
        }
        assert not {float(part) for part in parts} & set(incomes.tolist()), rule
        for cell, income in zip(cells, incomes, strict=True):
            low, _, high = cell.partition("–<")
            if cell.startswith("<"):
                assert income < float(cell[1:])
            elif cell.endswith("+"):
                assert income >= float(cell[:-1])
            else:
                assert float(low) <= income < float(high)


def test_a_wide_column_of_few_digits_is_coded_as_text_at_the_top():
    assert released(dc.Banding("width:1,90+"), pa.array([88, 89, 90, 104])) == ["88", "89", "90+", "90+"]


def test_missing_values_and_codes_stay():
    ages = pa.array([3, -9, None, 40, 80])
    masked = dc.Banding("0,30,75+").mask(table(ages, missing=(-9,)))
    assert masked.microdata.column("age").to_pylist() == ["0–29", "-9", None, "30–74", "75+"]
    assert masked.provenance.changed == {"age": 3}


def test_bands_without_open_ends_know_how_far_apart_they_are():
    scale = dc.Banding("width:10").mask(table(pa.array([3, 15, 29]))).microdata.schema["age"].scale
    assert scale.levels == ("0–9", "10–19", "20–29")
    assert scale.semantics.low == (0.0, 10.0, 20.0)


def test_dates_by_breaks_by_the_calendar_and_by_count():
    days = [dt.date(1981, 5, 1), dt.date(1990, 1, 1), dt.date(1999, 12, 31), dt.date(2004, 2, 29)]
    column = pa.array([f"{day:%d.%m.%Y}" for day in days])
    scale = dc.Date("%d.%m.%Y")
    assert released(dc.Banding("<1990,2000+"), column, scale) == ["<1990", "1990 to 1999", "1990 to 1999", "2000+"]
    assert released(dc.Banding("nice:3"), column, scale) == [
        "1980 to 1989",
        "1990 to 1999",
        "1990 to 1999",
        "2000 to 2009",
    ]
    assert len(set(released(dc.Banding("count:2"), column, scale))) == 2
    assert released(dc.Banding("<1990,2000+", release="midpoint"), column, scale)[1:3] == ["01.01.1995", "01.01.1995"]
    with pytest.raises(ParameterError, match="not by width"):
        released(dc.Banding("width:10"), column, scale)


@pytest.mark.parametrize(
    "masker",
    [
        dc.Banding("<20,40,60+", release="median"),
        dc.Banding("count:4"),
        dc.Banding("log:4", min_count=9),
        dc.Banding("equal:4", release="midpoint"),
        dc.Banding("optimal:3", release="median"),
    ],
    ids=lambda masker: str(masker.bands),
)
def test_files_in_batches_give_the_same(masker, tmp_path):
    rng = np.random.default_rng(2)
    numbers = pa.table({"age": pa.array(rng.integers(1, 90, 200), mask=rng.random(200) < 0.1)})
    schema = table([1]).schema
    masked = masker.mask(dc.Microdata(numbers, schema))
    pq.write_table(numbers, tmp_path / "in.parquet", row_group_size=37)
    provenance, _ = masker.mask_into(
        ParquetSource(tmp_path / "in.parquet", schema), ParquetTarget(tmp_path / "out"), StreamingEngine(2, batch=29)
    )
    streamed = pq.read_table(tmp_path / "out")
    assert streamed.column("age").to_pylist() == masked.microdata.column("age").to_pylist()
    assert provenance.notes == masked.provenance.notes


def test_no_promise_is_made():
    assert dc.Banding("nice:3", min_count=5).mask(table(np.arange(40))).provenance.guarantees == ()


@pytest.mark.parametrize(
    ("masker", "error", "sentence"),
    [
        (dc.Banding("20,30"), DataError, "3 of 4 numbers of column 'age' lie outside of its breaks"),
        (dc.Banding("0,10,20,25,90+", empty="refuse"), DataError, "2 of 5 bands of column 'age' have no record"),
        (dc.Banding("30,20"), ParameterError, "breaks of 'age' must ascend; break 2 of 2"),
        (dc.Banding("width:0.0001"), ParameterError, "'age' would have more than 1000 bands"),
        (dc.Banding({"age": "nice:3"}, attributes=["other"]), ParameterError, "bands names 'age'"),
        (dc.Banding("ten"), ParameterError, "bands must be "),
        (dc.Banding({"age": 7}), ParameterError, "bands must be "),
    ],
    ids=["outside", "empty", "descending", "narrow", "unmasked", "words", "number"],
)
def test_bad_input_gets_its_sentence(masker, error, sentence):
    with pytest.raises(error, match=sentence):
        masker.mask(table(pa.array([4, 21, 77, 83])))


def test_no_logarithm_of_zero_by_count():
    with pytest.raises(DataError, match="2 of 4 numbers of column 'age' are 0 or less"):
        dc.Banding("log:3").mask(table(pa.array([0, -3, 5, 9])))


def test_a_column_without_numbers_and_a_constant_one():
    assert released(dc.Banding("nice:3"), pa.array([None, None, None], pa.int64())) == [None, None, None]
    assert released(dc.Banding("optimal:3"), pa.array([7, 7, 7])) == ["any", "any", "any"]
    assert released(dc.Banding("nice:3"), pa.array([7, 7, 7])) == ["7", "7", "7"]


def test_a_column_of_levels_is_named():
    people = pl.DataFrame({"fuel": ["gas", "oil"]})
    schema = dc.Schema([dc.Attribute("fuel", dc.Nominal(["gas", "oil"]), "key")])
    with pytest.raises(ParameterError, match="attribute 'fuel' is nominal"):
        dc.Banding({"fuel": "nice:3"}).mask(people, schema)


def test_given_bands_stay_as_named_where_they_are_empty_and_small_ones_are_remarked_on():
    masked = dc.Banding("0,15,30,75+").mask(table([20, 21, 22, 40, 41, 80]))
    assert masked.microdata.column("age").to_pylist() == [*["15–29"] * 3, *["30–74"] * 2, "75+"]
    notes = " ".join(masked.provenance.notes)
    assert "age: 1 of 4 bands have no record; the given breaks are kept as named." in notes
    assert "age: 2 of 4 bands have fewer than 3 records: 3 records stand nearly alone in this column." in notes


def test_a_weight_is_put_into_bands_as_a_number_only():
    schema = dc.Schema([dc.Attribute("age", dc.Numeric(), "key"), dc.Attribute("w", dc.Numeric(), "weight")])
    people = pa.table({"age": [20, 30, 40, 50], "w": [1.5, 2.5, 3.5, 4.5]})
    with pytest.raises(ParameterError, match="'w' is the survey weight, which a label cannot be"):
        dc.Banding({"w": "0,3,5"}).mask(people, schema)
    masked = dc.Banding({"w": "0,3,5"}, release="midpoint").mask(people, schema)
    assert masked.microdata.column("w").to_pylist() == [1.5, 1.5, 4.0, 4.0]


def test_the_middle_of_whole_numbers_is_that_of_the_numbers_in_the_band():
    after = released(dc.Banding("0,3,4,7,12", release="midpoint"), pa.array(range(12), pa.int64()))
    assert after == [1] * 3 + [3] + [5] * 3 + [10] * 5, "the last edge is in its band"
    halves = released(dc.Banding("0,3,12", release="midpoint"), pa.array([x / 2 for x in range(24)]))
    assert set(halves) == {1.5, 7.5}


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("present", "number", "ranks"),
    [
        (8, 2, [4, 5]),
        (9, 3, [3, 4, 6, 7]),
        (10, 4, [2, 3, 5, 6, 8, 9]),  # halves go to the even: 2.5 and 7.5
        (2, 5, [1, 2]),  # of two records there is one cut
        (1, 3, []),
        (8, 1, []),
    ],
)
def test_ranks_on_either_side_of_cuts(present, number, ranks):
    assert banding._ranks(present, number) == ranks


def ages(*values):
    schema = dc.Schema([dc.Attribute("age", dc.Numeric(), "key", missing=("-9",))])
    return dc.Microdata(pa.table({"age": pa.array(values, pa.int64())}), schema)


AGES = ages(3, 4, 5, 16, 17, 41, 77, None)


@pytest.mark.parametrize(
    ("rule", "options", "expected"),
    [
        ("0,15,30,75+", {}, ["0–14"] * 3 + ["15–29"] * 2 + ["30–74", "75+", None]),
        ("0,15,30,75+", {"release": "midpoint"}, [7, 7, 7, 22, 22, 52, 75, None]),
        # Of three records the mean and the median; of fewer the middle, because they would be told.
        ("0,15,30,75+", {"release": "mean"}, [4, 4, 4, 22, 22, 52, 75, None]),
        ("0,15,30,75+", {"release": "median"}, [4, 4, 4, 22, 22, 52, 75, None]),
        ("0,15,80", {"release": "median"}, [4, 4, 4, 29, 29, 29, 29, None]),  # between 17 and 41
        ("0,15,80", {"release": "mean"}, [4, 4, 4, 38, 38, 38, 38, None]),  # 151 / 4 is rounded
        ("0,15,30,75+", {"min_count": 2}, ["0–14"] * 3 + ["15–29"] * 2 + ["30+", "30+", None]),
        ("0,15,30,75+", {"min_count": 3}, ["0–14"] * 3 + ["15+"] * 4 + [None]),
        ("count:2", {}, ["<17"] * 4 + ["17+"] * 3 + [None]),
        ("optimal:2", {}, ["<20"] * 5 + ["20+"] * 2 + [None]),
    ],
)
def test_bands_of_a_few_ages(rule, options, expected):
    found = Banding(rule, **options).mask(AGES).microdata.column("age").to_pylist()
    assert found == expected


def test_notes_of_bands_by_hand():
    masked = Banding("0,15,30,60,75+").mask(AGES)
    assert masked.provenance.details == {"bands": {"age": 5}}
    alone = "age: 3 of 5 bands have fewer than 3 records: 4 records stand nearly alone in this column. "
    joins = "min_count=3 (/3) joins such bands to their neighbours."
    empty = "age: 1 of 5 bands have no record; the given breaks are kept as named."
    assert [note for note in masked.provenance.notes if note.startswith("age")] == [alone + joins, empty]
    mean = Banding("0,50,75+", release="mean").mask(AGES)
    assert mean.provenance.notes[0].startswith(
        "age: 1 of 3 bands have fewer than 3 records, and are released by their middle: 1 record stands nearly alone"
    )
    one = Banding("0,99").mask(AGES)
    assert "age has one band and is constant now." in one.provenance.notes
    with pytest.raises(dc.DiscreetError, match="Banding: 1 of 5 bands of column 'age' have no record"):
        Banding("0,15,30,60,75+", empty="refuse").mask(AGES)
    assert Banding("0,15,30,75+", empty="refuse").mask(AGES).provenance.details == {"bands": {"age": 4}}


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("5,15,99", "Banding: 2 of 7 numbers of column 'age' lie outside of its breaks"),
        ("0,15,77", None),  # the last break belongs to the last band
        ("0,15,76", "Banding: 1 of 7 numbers of column 'age' lie outside of its breaks"),
    ],
)
def test_numbers_outside_are_counted(rule, said):
    if said is None:
        assert Banding(rule).mask(AGES).microdata.column("age").to_pylist()[6] == "15–77"
        return
    with pytest.raises(dc.DiscreetError, match=said):
        Banding(rule).mask(AGES)


def test_logarithms_of_nothing_are_counted():
    with pytest.raises(dc.DiscreetError, match="Banding: 2 of 4 numbers of column 'age' are 0 or less and have no"):
        Banding("log:3").mask(ages(0, -5, 3, 70))
    assert Banding("log:2").mask(ages(1, 5, 3, 70)).microdata.column("age").to_pylist() == [
        "1–9",
        "1–9",
        "1–9",
        "10–99",
    ]


def test_columns_without_numbers_are_one_band():
    nothing = ages(None, None)
    for rule in ("nice:4", "count:3", "optimal:3", "width:5", "log:3"):
        assert Banding(rule).mask(nothing).microdata.column("age").to_pylist() == [None, None]


def test_codes_that_are_labels_now_are_none_any_more():
    schema = dc.Schema([dc.Attribute("age", dc.Numeric(), "key", missing=("0–14", "-9"))])
    masked = Banding("0,15,30").mask(dc.Microdata(pa.table({"age": ["3", "20", "-9"]}), schema))
    assert masked.microdata.schema["age"].missing == ("-9",)
    assert masked.microdata.schema["age"].scale.semantics == IntervalSemantics((0, 15), (15, 30))
    opened = Banding("0,15+").mask(AGES).microdata.schema["age"].scale
    assert opened == dc.Ordinal(("0–14", "15+"))


def test_which_columns_are_banded():
    schema = dc.Schema(
        [
            dc.Attribute("a", dc.Numeric(), "key"),
            dc.Attribute("b", dc.Numeric(), "other"),
            dc.Attribute("w", dc.Numeric(), "weight"),
        ]
    )
    assert Banding("nice:3").columns_for(schema) == ("a",)
    assert Banding({"b": "nice:3"}).columns_for(schema) == ("b",)
    assert Banding({"w": "nice:3"}, release="mean").columns_for(schema) == ("w",)
    with pytest.raises(dc.DiscreetError, match="Banding: 'w' is the survey weight, which a label cannot be"):
        Banding({"w": "nice:3"}).columns_for(schema)
    with pytest.raises(dc.DiscreetError, match="Banding: bands names 'b', which is not masked"):
        Banding({"a": "nice:3", "b": "nice:3"}, attributes=["a"]).columns_for(schema)
