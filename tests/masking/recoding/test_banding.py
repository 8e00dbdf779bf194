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
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget


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
