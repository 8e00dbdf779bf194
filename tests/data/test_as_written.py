from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.masking.perturbing.pram import PRAM


def written(values, scale, missing=(), **origin):
    frame = values if isinstance(values, pa.Table) else pa.table({"x": pa.array(values)})
    return Microdata(frame, Schema([Attribute("x", scale, "key", tuple(missing))]), origin=origin or None).as_written(
        "x"
    )


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(st.lists(st.sampled_from([1, 2, 3, -8, -9, None]), min_size=1, max_size=20))
def test_missing_codes_are_told_apart_and_negative(cells):
    for scale in (Numeric(), Nominal([1, 2, 3]), Ordinal([3, 1, 2])):
        codes = written(pa.array(cells, pa.int64()), scale, (-8, -9)).tolist()
        assert same_partition(codes, cells)
        assert [code < 0 for code in codes] == [cell in (None, -8, -9) for cell in cells]
        assert all(code == -1 for code, cell in zip(codes, cells, strict=True) if cell is None)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_all_libraries_show_the_same(library):
    columns = {"x": [1.5, 2.0, None, 1.5, -9.0]}
    table = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[library](columns)
    schema = Schema([Attribute("x", Numeric(), "key", (-9,))])
    codes = Microdata(table, schema).as_written("x").tolist()
    assert same_partition(codes, ["1.5", "2", "", "1.5", "-9"])


def test_numbers_count_by_value_and_text_by_what_it_shows():
    assert same_partition(written([0.0, -0.0, 1e150, 0.1 + 0.2, 0.3], Numeric()).tolist(), [0, 0, 1, 2, 3])
    texts = ["1", "1.0", " 1", "1", "2"]
    assert same_partition(written(texts, Numeric()).tolist(), texts)
    assert same_partition(written(["1", " 1", "2"], Nominal([1, 2])).tolist(), [0, 1, 2])
    assert same_partition(written(["true", "True", "false"], Nominal([True, False])).tolist(), [0, 1, 2])


def test_text_codes_of_missing_cells_are_told_apart():
    cells = ["a", "?", "NA", None, "a", "?"]
    codes = written(cells, Nominal(["a"]), ("?", "NA")).tolist()
    assert same_partition(codes, cells)
    assert codes[3] == -1


def test_sequences_count_by_their_events():
    lists = pa.array([["a", "b"], ["b", "a"], [], None, ["a", "b"]], pa.list_(pa.string()))
    codes = written(lists, Sequence("ab")).tolist()
    assert same_partition(codes, ["ab", "ba", "", None, "ab"])
    assert codes[3] < 0 <= codes[2]


def test_text_that_a_reader_remembers_is_what_is_written(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("x,y\n1.5,1\n1.50,2\n1.5,3\n")
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric())])
    data = dc.read(path, schema)
    assert same_partition(data.as_written("x").tolist(), ["1.5", "1.50", "1.5"])
    masked = data.replacing({"x": data.encoded("x").copy()})
    assert same_partition(masked.as_written("x").tolist(), [0, 0, 0]), "what is masked is written anew"


def test_it_is_kept_until_the_column_changes():
    frame = pl.DataFrame({"x": ["a", "b", "?", "a"] * 10})
    data = Microdata(frame, Schema([Attribute("x", Nominal(["a", "b"]), "key", ("?",))]))
    first = data.as_written("x")
    assert data.as_written("x") is first
    assert not first.flags.writeable
    assert data.select(["x"]).as_written("x") is first
    masked = PRAM(0.9, random_state=1).mask(data).microdata
    assert same_partition(masked.as_written("x").tolist(), masked.to_native()["x"].to_list())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_classes_are_those_of_the_written_file(tmp_path, ending):
    rng = np.random.default_rng(2)
    n = 200
    frame = pl.DataFrame(
        {
            "sex": rng.choice(["f", "m", "?", "NA"], n),
            "years": pl.Series([None if v == 0 else -8 if v == 1 else int(v) for v in rng.integers(0, 9, n)]),
            "pay": rng.integers(0, 4, n) / 4,
        }
    )
    schema = Schema(
        [
            Attribute("sex", Nominal(["f", "m"]), "key", ("?", "NA")),
            Attribute("years", Numeric(), "key", (-8,)),
            Attribute("pay", Numeric(), "key"),
        ]
    )
    data = Microdata(frame, schema)
    path = tmp_path / f"out.{ending}"
    dc.write(data, path)
    if ending == "csv":
        rows = [tuple(line.split(",")) for line in path.read_text().splitlines()[1:]]
    else:
        rows = pl.read_parquet(path).rows()
    counts = Counter(rows)
    codes = list(zip(*(data.as_written(name).tolist() for name in data.names), strict=True))
    assert same_partition(codes, rows)
    uniques = dc.measure(data, data, ["uniques"])[0]
    assert uniques.details["uniques"] == sum(c == 1 for c in counts.values())
    anonymity = dc.measure(data, data, ["k-anonymity"])[0]
    assert anonymity.details["smallest_group"] == min(counts.values())
    assert "as the file shows it" in anonymity.sentence
