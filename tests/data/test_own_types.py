"""Every masker on every library and type: what went in as Int16 or as an ordered category comes out so."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

import discreet as dc
from discreet import catalogue
from discreet.data.frames import as_narwhals
from discreet.data.own_types import take_rows, with_new_values
from discreet.data.scales import Date, Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError

N = 40
DRAW = np.random.default_rng(0)
NUMBERS, PLACES = DRAW.integers(30, 90, N), np.r_[np.arange(4), DRAW.integers(0, 4, N - 4)]
WORDS = [("gas", "oil", "wood", "sun")[i] for i in PLACES]
LEVELS = ("gas", "oil", "wood", "sun")
CENTS = [decimal.Decimal(int(n)) / 4 for n in NUMBERS]
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=int(n)) for n in NUMBERS]
MOMENTS = [dt.datetime(2020, 1, 1, 5, tzinfo=dt.UTC) + dt.timedelta(days=int(n)) for n in NUMBERS]
SPANS = [dt.timedelta(hours=int(n)) for n in NUMBERS]

SCALES = {
    "number": Numeric(),
    "truth": Nominal((False, True)),
    "word": Nominal(LEVELS),
    "order": Ordinal(LEVELS),
    "code": Nominal((0, 1, 2, 3)),
}
_WIDTHS = ("8", "16", "32", "64")


def of_pandas():
    whole = [f"{sign}{kind}{w}" for kind in ("int", "Int") for sign in ("", "u") for w in _WIDTHS]
    whole = [word.replace("uInt", "UInt") for word in whole]
    for kind in [*whole, "float32", "float64", "Float32", "Float64", "int16[pyarrow]", "double[pyarrow]"]:
        yield kind, "number", pd.Series(NUMBERS).astype(kind)
    yield "decimal", "number", pd.Series(CENTS, dtype=pd.ArrowDtype(pa.decimal128(10, 2)))
    yield "bool", "truth", pd.Series(PLACES > 1)
    yield "boolean", "truth", pd.Series(PLACES > 1).astype("boolean")
    yield "category", "word", pd.Series(pd.Categorical(WORDS, sorted(LEVELS)))
    yield "ordered", "order", pd.Series(pd.Categorical(WORDS, LEVELS, ordered=True))
    yield "category of codes", "code", pd.Series(pd.Categorical(PLACES))
    for kind in ("object", "string", "str"):
        yield kind, "word", pd.Series(WORDS, dtype=kind)
    for kind in ("int16", "Int16", "float64"):
        yield f"codes in {kind}", "code", pd.Series(PLACES).astype(kind)


def of_polars():
    whole = [getattr(pl, f"{kind}{w}") for kind in ("Int", "UInt") for w in _WIDTHS]
    for kind in (*whole, pl.Float32, pl.Float64):
        yield str(kind), "number", pl.Series(NUMBERS).cast(kind)
    yield "decimal", "number", pl.Series(CENTS).cast(pl.Decimal(10, 2))
    yield "bool", "truth", pl.Series(PLACES > 1)
    yield "categorical", "word", pl.Series(WORDS).cast(pl.Categorical)
    yield "enum", "order", pl.Series(WORDS).cast(pl.Enum(LEVELS))
    yield "text", "word", pl.Series(WORDS)
    yield "codes", "code", pl.Series(PLACES).cast(pl.Int16)


def of_arrow():
    whole = [getattr(pa, f"{kind}{w}")() for kind in ("int", "uint") for w in _WIDTHS]
    for kind in (*whole, pa.float32(), pa.float64()):
        yield str(kind), "number", pa.array(NUMBERS).cast(kind)
    yield "decimal", "number", pa.array(CENTS, pa.decimal128(10, 2))
    yield "bool", "truth", pa.array(PLACES > 1)
    small = pa.array(PLACES, pa.int8())
    yield "dictionary", "word", pa.DictionaryArray.from_arrays(small, pa.array(LEVELS))
    yield "ordered", "order", pa.DictionaryArray.from_arrays(small, pa.array(LEVELS), ordered=True)
    yield "dictionary of codes", "code", pa.array(PLACES).dictionary_encode()
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        yield str(kind), "word", pa.array(WORDS, kind)
    yield "codes", "code", pa.array(PLACES, pa.int16())


FRAMES = {"pandas": (of_pandas, pd.DataFrame), "polars": (of_polars, pl.DataFrame), "arrow": (of_arrow, pa.table)}
SCHEMA = [
    Attribute("wage", Numeric(), "key"),
    Attribute("fuel", Nominal(LEVELS), "key"),
    Attribute("region", Nominal(("north", "south")), "stratum"),
    Attribute("weight", Numeric(), "weight"),
    Attribute("illness", Nominal(LEVELS), "confidential"),
]
REST = {
    "wage": [1.5 * i for i in range(N)],
    "fuel": WORDS,
    "region": ["north"] * 20 + ["south"] * 20,
    "weight": [1.0] * N,
    "illness": WORDS,
}


def type_of(frame, name="x"):
    """The type as its library names it; of an enum without its levels, which the gate cleans."""
    kind = frame.schema.field(name).type if isinstance(frame, pa.Table) else frame[name].dtype
    return "Enum" if isinstance(kind, pl.Enum) else str(kind)


def masked(masker, values, scale, make):
    schema = Schema([Attribute("x", scale, "key"), *SCHEMA])
    frame = make({"x": values, **REST})
    copy = masker.clone()
    if "random_state" in copy.get_params():
        copy.set_params(random_state=1)
    return frame, copy.mask(frame, schema)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("cls", catalogue.maskers().values(), ids=lambda cls: cls.name)
def test_every_column_comes_back_in_its_type(cls, library):
    columns, make = FRAMES[library]
    tried, drifted = 0, defaultdict(list)
    masker = next((m for m in cls.examples() if fits(m)), None)
    if masker is None:
        pytest.skip("its examples name columns of another table")
    for _, scale, values in columns():
        if SCALES[scale].kind not in masker.scales:
            continue
        frame, release = masked(masker, values, SCALES[scale], make)
        before, after = type_of(frame), type_of(release.to_native())
        tried += 1
        if before != after and not excused(frame, release.to_native(), after):
            drifted[before].append(after)
    assert not drifted, f"{dict(drifted)}"
    assert tried or cls.scales == {"sequence"}


NAMED = {"attributes", "renumber", "columns", "hierarchy", "risk", "similar"}
"""Parameters that list columns."""


def fits(masker):
    """Whether an example is about keys in general, and not about columns of the battery's table."""
    params = masker.get_params(deep=False)
    named = [v for k, v in params.items() if k in {*NAMED, "importance", "by", "axis"}]
    named += [[v] for k, v in params.items() if k in {"latitude", "longitude"}]
    maps = [v for k, v in params.items() if isinstance(v, dict)]
    return not any(isinstance(v, (list, tuple, dict)) and v for v in named) and not maps


def excused(frame, release, after):
    """Whether the type that went in cannot hold what came out: text, beyond its range, or missing in NumPy."""
    cells = release["x"].to_pylist() if isinstance(release, pa.Table) else release["x"].to_list()
    given = frame["x"].to_pylist() if isinstance(frame, pa.Table) else frame["x"].to_list()
    if any(isinstance(value, str) for value in cells) and not any(isinstance(value, str) for value in given):
        return True  # labels of bands, or of levels that were joined
    numbers = [value for value in cells if value is not None and value is not pd.NA]
    if len(numbers) < len(cells) and after.lower().removeprefix("u") in {"int8", "int16", "int32", "int64"}:
        return True
    limits = np.iinfo(type_of(frame).lower().split("[")[0])
    return after.lower() == "int64" and (min(numbers) < limits.min or max(numbers) > limits.max)


def others():
    """Columns that nobody masks, of types that have no scale."""
    return {
        "day": pa.array(DAYS),
        "moment": pa.array(MOMENTS, pa.timestamp("us", "Europe/Oslo")),
        "naive": pa.array([m.replace(tzinfo=None) for m in MOMENTS], pa.timestamp("ns")),
        "span": pa.array(SPANS, pa.duration("us")),
        "clock": pa.array([dt.time(int(n) % 24) for n in NUMBERS], pa.time64("us")),
        "cents": pa.array(CENTS, pa.decimal128(12, 2)),
        "tiny": pa.array(PLACES, pa.int8()),
        "flag": pa.array(PLACES > 1),
    }


UNTOUCHED = Schema(
    [
        Attribute("age", Numeric(), "key"),
        *(Attribute(name, Nominal(("",)), "other") for name in others()),
    ]
)


def table_of_others():
    return pa.table({"age": pa.array(NUMBERS, pa.int16()), **others()})


@pytest.mark.parametrize("library", FRAMES)
def test_columns_that_nobody_masks_come_back_to_the_bit(library):
    frame = {
        "pandas": lambda: table_of_others().to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: pl.from_arrow(table_of_others()),
        "arrow": table_of_others,
    }[library]()
    released = dc.MDAV(k=3).fit_transform(frame, schema=UNTOUCHED)
    for name in others():
        assert type_of(released, name) == type_of(frame, name)
        assert list(released[name]) == list(frame[name])
    assert type_of(released, "age") == type_of(frame, "age")


def test_files_give_types_back_as_far_as_they_have_them(tmp_path):
    release = dc.MDAV(k=3).mask(table_of_others(), UNTOUCHED)
    expected = release.to_native()
    dc.write(release, tmp_path / "m.parquet")
    assert pq.read_table(tmp_path / "m.parquet").equals(expected)
    dc.write(release, tmp_path / "m.arrow")
    assert pa.feather.read_table(tmp_path / "m.arrow").equals(expected)
    dc.write(release, tmp_path / "m.csv")
    first = (tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
    assert first[0] == str(expected.column("age")[0].as_py())
    assert first[1] == DAYS[0].isoformat()
    kept = release.microdata.select(["age", "tiny", "flag", "day"])
    for ending, reader in ((".sav", pyreadstat.read_sav), (".dta", pyreadstat.read_dta)):
        dc.write(kept, tmp_path / f"m{ending}")
        frame, _ = reader(str(tmp_path / f"m{ending}"))
        assert frame["age"].tolist() == expected.column("age").to_pylist()
        assert [str(day)[:10] for day in frame["day"]] == [day.isoformat() for day in DAYS]
    dc.write(kept, tmp_path / "m.xlsx")
    sheet = pl.read_excel(tmp_path / "m.xlsx")
    assert sheet["age"].to_list() == expected.column("age").to_pylist()
    assert sheet["age"].dtype.is_integer()


def test_numbers_become_fractions_only_where_a_method_makes_them():
    frame = pd.DataFrame({"x": pd.Series(NUMBERS, dtype="Int16"), "y": NUMBERS * 2})
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    assert dc.MDAV(k=3, decimals="exact").fit_transform(frame, schema=schema).dtypes.tolist() == ["Float64", "float64"]
    assert dc.Rounding(2.5).fit_transform(frame, schema=schema).dtypes.tolist() == ["Float64", "float64"]
    assert dc.Rounding(5).fit_transform(frame, schema=schema).dtypes.tolist() == ["Int16", "int64"]


def test_recoded_categories_stay_categories_and_ordered_ones_ordered():
    frame = pd.DataFrame({"size": pd.Categorical(WORDS, LEVELS, ordered=True)})
    schema = Schema([Attribute("size", Ordinal(LEVELS), "key")])
    released = dc.AdjacentMerging(max_levels=2).fit_transform(frame, schema=schema)["size"]
    assert isinstance(released.dtype, pd.CategoricalDtype)
    assert released.dtype.ordered
    assert len(released.dtype.categories) == 2
    enum = pl.DataFrame({"size": pl.Series(WORDS, dtype=pl.Enum(LEVELS))})
    assert isinstance(dc.AdjacentMerging(max_levels=2).fit_transform(enum, schema=schema)["size"].dtype, pl.Enum)


@pytest.mark.parametrize("name", ["mdav", "sampling", "record-order"])
def test_an_index_comes_back_only_where_it_is_asked_for(name):
    index = pd.MultiIndex.from_arrays([list("ab") * (N // 2), np.arange(N)], names=["site", "person"])
    frame = pd.DataFrame({"x": NUMBERS, "y": np.arange(N)}, index=index)
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "other")])
    release = catalogue.maskers()[name]().mask(frame, schema)
    assert isinstance(release.to_native().index, pd.RangeIndex)
    back = release.to_native(index=frame.index)
    assert back.index.names == ["site", "person"]
    assert back.index.get_level_values("person").tolist() == back["y"].tolist()
    with pytest.raises(ParameterError, match="index has 2 entries"):
        release.to_native(index=frame.index[:2])


def test_files_that_are_released_in_parts_keep_their_types(tmp_path):
    numbers = np.tile(NUMBERS, 3)
    pq.write_table(
        pa.table({"x": pa.array(numbers, pa.uint8()), "y": pa.array(numbers, pa.int16())}), tmp_path / "o.parquet"
    )
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    for masker, kinds in (
        (dc.MDAV(k=3), ["uint8", "int16"]),
        (dc.TopCoding(), ["uint8", "int16"]),
        (dc.Rounding(2.5), ["double", "double"]),
        (dc.AdditiveNoise(random_state=1), ["int64", "int64"]),
    ):
        target = tmp_path / f"{masker.name}.parquet"
        dc.protect(dc.scan(tmp_path / "o.parquet", schema), masker, output=target, block_size=16)
        assert [str(kind) for kind in pq.read_schema(target).types] == kinds


def new_values(column, values, scale, kinds=None):
    frame = as_narwhals(
        column if isinstance(column, (pa.Table, pl.DataFrame, pd.DataFrame)) else pa.table({"x": column})
    )
    return with_new_values(frame, {"x": pa.array(values)}, {"x": scale}, kinds)


WIDE = 10**10


@pytest.mark.parametrize(
    ("came", "values", "kinds", "kind", "cells"),
    [
        (pa.int8(), [1.0, None], None, pa.int8(), [1, None]),
        (pa.int8(), [1.0, 200.0], None, pa.int64(), [1, 200]),
        (pa.int8(), [1.5, 200.0], None, pa.float64(), [1.5, 200.0]),
        (pa.int8(), [1.0], {}, pa.int8(), [1]),
        (pa.int8(), [1.0], {"x": "own"}, pa.int8(), [1]),
        (pa.int8(), [1.0], {"x": "int64"}, pa.int64(), [1]),
        (pa.int8(), [1.0], {"x": "float64"}, pa.float64(), [1.0]),
        (pa.float32(), [1.5, None], None, pa.float32(), [1.5, None]),
        (pa.float32(), [1.0], {"x": "int64"}, pa.float32(), [1.0]),
        (pa.decimal128(6, 2), [1.256, None], None, pa.decimal128(6, 2), [decimal.Decimal("1.26"), None]),
        (pa.decimal128(6, 2), [float(WIDE)], None, pa.float64(), [float(WIDE)]),
        (pa.bool_(), [1.5], None, pa.float64(), [1.5]),
        (pa.null(), [1.5], None, pa.float64(), [1.5]),
        (pa.int8(), [1], None, pa.int8(), [1]),
    ],
)
def test_numbers_take_the_nearest_type_that_holds_them(came, values, kinds, kind, cells):
    column = new_values(pa.nulls(len(values), came), values, Numeric(), kinds).column("x")
    assert column.type == kind
    assert column.to_pylist() == cells


@pytest.mark.parametrize("kinds", [{"x": "own"}, {"x": "int64"}, {}])
def test_a_table_in_parts_refuses_numbers_that_do_not_fit_the_type_it_said(kinds):
    with pytest.raises(DataError, match="Whole numbers became others in a table that is released in parts"):
        new_values(pa.nulls(1, pa.int8()), [1.5], Numeric(), kinds)


@pytest.mark.parametrize(
    ("came", "values", "scale", "kind", "cells"),
    [
        (pa.int8(), [2, 1], Nominal([1, 2]), pa.int8(), [2, 1]),
        (pa.int8(), [300, 1], Nominal([1, 300]), pa.int64(), [300, 1]),
        (pa.int8(), ["1-2", "3"], Nominal(["1-2", "3"]), pa.string(), ["1-2", "3"]),
        (pa.large_string(), ["b", None], Nominal(["b"]), pa.large_string(), ["b", None]),
        (pa.string(), [1, 2], Nominal([1, 2]), pa.int64(), [1, 2]),
        (pa.date32(), ["2020-01-02"], Nominal(["2020-01-02"]), pa.date32(), [dt.date(2020, 1, 2)]),
        (pa.date32(), ["2020"], Nominal(["2020"]), pa.string(), ["2020"]),
        (pa.string(), [dt.date(2020, 1, 2)], Date(), pa.date32(), [dt.date(2020, 1, 2)]),
    ],
)
def test_levels_take_the_type_of_their_column_where_it_holds_them(came, values, scale, kind, cells):
    column = new_values(pa.nulls(len(values), came), values, scale).column("x")
    assert column.type == kind
    assert column.to_pylist() == cells


def words_of(*levels, ordered=False, index=None):
    return pa.DictionaryArray.from_arrays(pa.array([0] * 3, index or pa.int8()), list(levels), ordered=ordered)


@pytest.mark.parametrize(
    ("before", "values", "scale", "dictionary"),
    [
        (words_of("z", "a"), ["a", "z", "a"], Nominal(["z", "m", "a"]), ["z", "a"]),
        (words_of("z", "a"), ["a", None, "?"], Nominal(["z", "a"]), ["a", "?"]),  # codes come after the levels
        (words_of("z", "a", ordered=True), ["q", "z", "q"], Ordinal(["z", "q"]), ["z", "q"]),
        (words_of(5, 6), [6, 5, 6], Nominal([6, 5]), [6, 5]),
        (words_of(5, 6), ["5-6", "7", "5-6"], Nominal(["7", "5-6"]), ["7", "5-6"]),
        (words_of(5, 6), ["5", "x", "5"], Nominal([6, 5]), ["5", "x"]),
        (words_of("5", "6"), ["6", "5", "6"], Nominal([6, 5]), ["6", "5"]),
    ],
)
def test_levels_of_a_dictionary_stand_in_the_order_of_their_scale(before, values, scale, dictionary):
    column = new_values(before, values, scale).column("x")
    assert column.to_pylist() == values
    assert column.chunk(0).dictionary.to_pylist() == dictionary
    assert (column.type.ordered, column.type.index_type) == (before.type.ordered, pa.int8())


@pytest.mark.parametrize(("count", "index"), [(127, pa.int8()), (128, pa.int32())])
def test_a_dictionary_gets_wider_codes_where_its_own_do_not_reach(count, index):
    levels = [f"w{i:03d}" for i in range(count)]
    column = new_values(
        pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int8()), ["w"]), levels, Nominal(levels)
    )
    assert column.column("x").type.index_type == index
    assert column.column("x").to_pylist() == levels
    numbers = new_values(words_of("1", "2"), [1.5, 2.5, 3.5], Numeric())
    assert numbers.column("x").type == pa.float64()


@pytest.mark.parametrize(
    ("before", "values", "kind", "cells"),
    [
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["b", None], pl.Enum(["b", "a"]), ["b", None]),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["q", "a"], pl.Enum(["a", "q"]), ["q", "a"]),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), ["?", "a"], pl.Enum(["a", "?"]), ["?", "a"]),
        (pl.Series(["a", "b"], dtype=pl.Categorical), ["q", None], pl.Categorical, ["q", None]),
        (pl.Series(["a", "b"]), ["q", None], pl.String, ["q", None]),
        (pl.Series([1, 2], dtype=pl.Int16), ["q", None], pl.String, ["q", None]),
    ],
)
def test_levels_in_polars(before, values, kind, cells):
    column = new_values(pl.DataFrame({"x": before}), values, Nominal(["a", "b", "q"]))["x"]
    assert column.dtype == kind
    assert column.to_list() == cells


@pytest.mark.parametrize(
    ("before", "values", "scale", "kind"),
    [
        (pd.Series([1, 2], dtype="int16"), [1.0, 2.0], Numeric(), "int16"),
        (pd.Series([1, 2], dtype="int16"), [1.0, None], Numeric(), "Int16"),
        (pd.Series([1, 2], dtype="Int16"), [1.0, None], Numeric(), "Int16"),
        (pd.Series([1, 2], dtype="Int16"), [1.5, None], Numeric(), "Float64"),
        (pd.Series([1, 2], dtype="int16"), [1.5, None], Numeric(), "float64"),
        (pd.Series([1, 2], dtype="Int8"), [1.0, 300.0], Numeric(), "Int64"),
        (pd.Series([1.5, 2.5], dtype="Float32"), [1.5, None], Numeric(), "Float32"),
        (pd.Series([True, False]), [True, None], Nominal([False, True]), "boolean"),
        (pd.Series([True, False]), [True, False], Nominal([False, True]), "bool"),
        (pd.Series([True, False], dtype="boolean"), [True, None], Nominal([False, True]), "boolean"),
        (pd.Series(["a", "b"], dtype=object), ["a", None], Nominal(["a"]), "object"),
        (pd.Series(["a", "b"], dtype="string"), ["a", None], Nominal(["a"]), "string"),
        (pd.Series([1, 2], dtype="int64[pyarrow]"), [1.0, None], Numeric(), "int64[pyarrow]"),
    ],
)
def test_values_in_pandas(before, values, scale, kind):
    before = before.set_axis([7, 9])
    column = new_values(pd.DataFrame({"x": before}), values, scale)["x"]
    assert str(column.dtype) == kind
    assert [None if pd.isna(one) else one for one in column.tolist()] == values
    assert column.index.tolist() == [7, 9]


@pytest.mark.parametrize(
    ("levels", "ordered", "scale", "values", "listed", "in_order"),
    [
        (["b", "a"], True, Ordinal(["b", "a"]), ["a", None], ["b", "a"], True),
        (["b", "a"], False, Nominal(["b", "a"]), ["a", None], ["b", "a"], False),
        (["b", "a"], True, Ordinal(["b", "q"]), ["q", "b"], ["b", "q"], True),
        (["b", "a"], True, Nominal(["b", "q"]), ["q", "b"], ["b", "q"], False),
        (["b", "a"], False, Ordinal(["b", "q"]), ["q", "b"], ["b", "q"], False),
    ],
)
def test_categories_in_pandas(levels, ordered, scale, values, listed, in_order):
    frame = pd.DataFrame({"x": pd.Categorical(["a", "b"], levels, ordered=ordered)})
    column = new_values(frame, values, scale)["x"]
    assert (column.cat.categories.tolist(), column.cat.ordered) == (listed, in_order)
    assert [None if pd.isna(one) else one for one in column.tolist()] == values


def test_other_columns_stay_and_rows_are_taken():
    frame = pa.table({"y": [1, 2], "x": [3, 4], "z": ["a", "b"]})
    assert new_values(frame, [5, 6], Numeric()).to_pydict() == {"y": [1, 2], "x": [5, 6], "z": ["a", "b"]}
    plain = pl.DataFrame({"x": [1]})
    assert with_new_values(as_narwhals(plain), {}, {}) is plain
    views = pa.table({"n": [1, 2, 3], "v": pa.array(["a", None, "c"], pa.string_view())})
    taken = take_rows(views, [2, 0, 2])
    assert taken.to_pydict() == {"n": [3, 1, 3], "v": ["c", "a", "c"]}
    assert taken.schema == views.schema


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_moments_in_polars_keep_their_unit(unit):
    moments = [dt.datetime(2020, 1, day, 5) for day in (1, 2, 3)]  # noqa: DTZ001 - a column without a zone
    frame = pl.DataFrame({"x": pl.Series(moments, dtype=pl.Datetime(unit))})
    data = dc.Microdata(frame, Schema([Attribute("x", dc.DateTime(), "key")]))
    released = data.replacing({"x": data.encoded("x")[::-1].copy()}).to_native()["x"]
    assert released.dtype == pl.Datetime(unit)
    assert released.to_list() == moments[::-1]
