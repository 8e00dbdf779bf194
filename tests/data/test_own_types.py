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
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError

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
