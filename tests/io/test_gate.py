"""A canary in every place of the original, looked for in the bytes of every release."""

from __future__ import annotations

import functools
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import catalogue
from discreet.contracts.pairing import aligned
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.recoding.hierarchy import Hierarchy

N = 60
ENDINGS = (".csv", ".parquet", ".arrow", ".xlsx", ".sav", ".dta", ".xpt")
FUELS = tuple(f"qfuel{i:02d}" for i in range(30))
SIZES = tuple(f"qsize{i}" for i in range(6))
EVENTS = tuple(f"qevnt{i}" for i in range(5))
HIDDEN = ("qindex", "qperson", "qunused", "qattrs", "qschema", "qfield", "qtitle", "qnote", "qvalue", "qbelow", "qgone")
SCHEMA = Schema(
    [
        Attribute("person", Nominal(("",)), "identifier"),
        Attribute("income", Numeric(), "key", missing=(-9,)),
        Attribute("age", Numeric(), "key"),
        Attribute("size", Ordinal((*SIZES, "qunused1")), "key"),
        Attribute("fuel", Nominal((*FUELS, "qunused2")), "key", missing=("qgone1",)),
        Attribute("visits", Sequence((*EVENTS, "qunused3")), "key"),
        Attribute("code", Nominal(tuple(range(1, 9))), "key"),
        Attribute("remark", Nominal(("a", "b", "qunused4")), "other"),
    ]
)
LABELS = Labels(
    title="qtitle",
    notes=("qnote",),
    variables={"person": "qperson", "income": "Income a year"},
    values={
        "person": {"x": "qperson"},
        "income": {-9: "qvalue1", 123456: "qvalue2"},
        "code": {1: "one", 9: "qvalue3"},
    },
    missing={"code": [9], "income": [-9]},
    source=".sav",
)


def columns():
    rng = np.random.default_rng(5)
    below = np.array([f"qbelow{i:03d}" if i % 4 == 0 else "ab"[i % 2] for i in range(N)])
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in below])]).astype(np.int32)
    valid = np.packbits(np.arange(N) % 4 != 0, bitorder="little").tobytes()
    parts = [pa.py_buffer(valid), pa.py_buffer(offsets), pa.py_buffer("".join(below).encode())]
    return {
        "person": pa.array([f"qperson{i}" for i in range(N)]),
        "income": pa.array(np.round(rng.lognormal(9, 1, N), 2)),
        "age": pa.array(rng.integers(18, 90, N)),
        "size": pa.array([SIZES[i] for i in rng.integers(0, 6, N)]),
        "fuel": pa.array([FUELS[min(i, 29)] for i in rng.geometric(0.1, N) - 1]),
        "visits": pa.array([" ".join(EVENTS[i] for i in rng.integers(0, 5, rng.integers(1, 4))) for _ in range(N)]),
        "code": pa.array(rng.integers(1, 9, N)),
        "remark": pa.Array.from_buffers(pa.string(), N, parts),  # a missing cell with a value under it
    }


def as_arrow():
    made = columns()
    levels = pa.array(["qunused2", *reversed(FUELS), "qunused5"])
    codes = [levels.to_pylist().index(value) for value in made["fuel"].to_pylist()]
    made["fuel"] = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), levels)
    fields = [pa.field(name, array.type, metadata={"about": "qfield"}) for name, array in made.items()]
    return pa.table(list(made.values()), schema=pa.schema(fields, metadata={"made_by": "qschema"}))


def as_pandas():
    frame = pa.table(columns()).to_pandas()
    frame.index = pd.Index([f"qindex{i}" for i in range(N)], name="qindex")
    frame["size"] = pd.Categorical(frame["size"], [*SIZES, "qunused1"], ordered=True)
    frame["fuel"] = pd.Categorical(frame["fuel"], ["qunused2", *reversed(FUELS)])
    frame.attrs = {"source": "qattrs"}
    frame.columns.name = "qattrs"
    return frame


def as_polars():
    made = {name: pl.Series(name, array.to_pylist()) for name, array in columns().items()}
    made["size"] = made["size"].cast(pl.Enum([*SIZES, "qunused1"]))
    made["fuel"] = made["fuel"].cast(pl.Categorical)
    return pl.DataFrame(made)


FRAMES = {"arrow": as_arrow, "pandas": as_pandas, "polars": as_polars}


def raw(path):
    """The bytes of a file, those of a workbook as they are inside."""
    if path.suffix != ".xlsx":
        return path.read_bytes()
    with zipfile.ZipFile(path) as book:
        return b"".join(book.read(name) for name in book.namelist())


@pytest.fixture(autouse=True)
def _uncompressed(monkeypatch):
    monkeypatch.setattr(pq, "write_table", functools.partial(pq.write_table, compression="none"))
    monkeypatch.setattr(pq, "ParquetWriter", functools.partial(pq.ParquetWriter, compression="none"))


def stray(release, content):
    """The words of the original that are in the bytes, and in no cell of the release."""
    cells = {
        word for name in release.names for value in release.column(name).to_pylist() for word in str(value).split(" ")
    }
    gone = [word for word in (*FUELS, *SIZES, *EVENTS) if word not in cells]
    # A declared missing code that nobody had may be what suppressed cells are written as.
    hidden = [word for word in HIDDEN if not any(cell.startswith(word) for cell in cells)]
    if {-9, -9.0, "-9"} & set(release.column("income").to_pylist()):
        content = content.replace(b"qvalue1", b"")  # the label of that code, which a reader of the file needs
    return [word for word in (*hidden, *gone) if word.encode() in content]


def example(cls):
    masker = cls.examples()[0].clone()
    if "random_state" in masker.get_params():
        masker.set_params(random_state=3)
    return masker


OF_THESE_COLUMNS = {
    "hierarchy-recoding": dc.HierarchyRecoding(
        {"fuel": Hierarchy([[level, "some fuel"] for level in (*FUELS, "qunused2")])}
    ),
    "record-swapping": dc.RecordSwapping(["fuel"], rate=0.5, risk=["size"]),
    "t-close-mdav": dc.TCloseMDAV(3, 0.5, sensitive=["fuel"], attributes=["income"]),
    "level-map": dc.LevelMap({"fuel": dict.fromkeys(FUELS[::2], "some fuel")}),
    "generalisation": dc.Generalisation(
        k=3,
        attributes=["fuel"],
        hierarchies={"fuel": Hierarchy([[level, "some fuel", "any fuel"] for level in (*FUELS, "qunused2")])},
        suppression=0.1,
    ),
}


def masked_by(cls, frame):
    data = Microdata(frame, SCHEMA, origin={"labels": LABELS, "declared": SCHEMA})
    return OF_THESE_COLUMNS.get(cls.name, example(cls)).mask(data)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    "cls", [cls for cls in catalogue.maskers().values() if cls.examples()], ids=lambda cls: cls.name
)
def test_nothing_but_cells_leaves(cls, kind, tmp_path):
    masked = masked_by(cls, FRAMES[kind]())
    for ending in ENDINGS:
        path = tmp_path / f"m{ending}"
        dc.write(masked, path)
        assert not stray(masked.microdata, raw(path)), f"{cls.name}, {kind}, {ending}"
    assert not stray(masked.microdata, masked.schema.to_toml().encode())


@pytest.mark.parametrize("kind", FRAMES)
def test_a_table_that_is_taken_out_of_its_release_is_cleaned_as_well(kind, tmp_path):
    taken = dc.protect(Microdata(FRAMES[kind](), SCHEMA, origin={"labels": LABELS}), "sampling", random_state=1)
    loose = taken.microdata.take(range(5)[::-1])
    for ending in ENDINGS:
        dc.write(loose, tmp_path / f"m{ending}")
        assert not stray(loose, raw(tmp_path / f"m{ending}")), ending


def test_out_of_core_nothing_but_cells_leaves(tmp_path):
    pq.write_table(as_arrow(), tmp_path / "o.parquet")
    for masker in (dc.MDAV(k=3), dc.PRAM(random_state=1)):
        target = tmp_path / f"{masker.name}.parquet"
        source = ParquetSource(tmp_path / "o.parquet", SCHEMA)
        masker.mask_into(source, ParquetTarget(target), StreamingEngine(), block_size=20)
        release = Microdata(pq.read_table(target), SCHEMA.select(pq.read_schema(target).names))
        assert not stray(release, target.read_bytes())


# ------------------------------------------------------------------------------------------------------------- frames


@pytest.mark.parametrize("name", ["record-order", "sampling", "mdav", "identifiers"])
def test_a_pandas_frame_comes_back_with_a_fresh_index(name):
    frame = as_pandas()
    masker = example(catalogue.maskers()[name])
    for released in (masker.mask(frame, SCHEMA).to_native(), masker.fit_transform(frame, schema=SCHEMA)):
        assert released.index.equals(pd.RangeIndex(len(released)))
        assert released.index.name is released.columns.name is None
        assert released.attrs == {}
        assert set(released["size"].cat.categories) == set(released["size"].dropna())
        assert list(released["fuel"].cat.categories) == sorted(set(released["fuel"].dropna()))
    assert frame.index.name == "qindex", "the user's own frame is as it was"


def test_ordered_levels_keep_their_order_and_an_enum_loses_what_no_record_has():
    frame = pl.DataFrame({"size": ["l", "s", "l"]}, schema={"size": pl.Enum(["s", "m", "l"])})
    released = dc.protect(frame, "identifiers").to_native()
    assert released["size"].dtype == pl.Enum(["s", "l"])
    levels = pa.DictionaryArray.from_arrays([2, 0, 2], ["s", "m", "l"], ordered=True)
    column = dc.protect(pa.table({"size": levels}), "identifiers").to_native().column("size")
    assert column.type.ordered
    assert column.chunk(0).dictionary.to_pylist() == ["s", "l"]
    assert column.to_pylist() == ["l", "s", "l"]


def test_a_dictionary_lists_what_occurs_in_an_order_that_tells_nothing():
    words = pa.array([f"w{i:03d}" for i in np.random.default_rng(1).permutation(200)]).dictionary_encode()
    schema = Schema([Attribute("w", Nominal(tuple(sorted(words.dictionary.to_pylist()))), "key")])
    for name, size in (("sampling", 20), ("record-order", 200)):
        options = {"share": 0.1} if name == "sampling" else {}
        released = dc.protect(pa.table({"w": words}), name, schema=schema, random_state=1, **options).to_native()
        listed = released.column("w").chunk(0).dictionary.to_pylist()
        assert len(listed) == size
        assert listed == sorted(released.column("w").to_pylist())


# ------------------------------------------------------------------------------------------------ the schema released


def test_the_released_schema_lists_what_occurs_and_reads_the_release_and_is_assessed(tmp_path):
    survey = dc.datasets.housing(300)
    for masked in (
        dc.protect(survey, "mdav", k=5, random_state=1),
        dc.protect(survey, "local-suppression", k=3, attributes=survey.schema.of_scale("ordinal")[:2]),
        dc.protect(survey, "pram", random_state=1),
    ):
        released = masked.schema
        for name in released.of_scale("ordinal", "nominal"):
            present = set(masked.microdata.column(name).drop_null().to_pylist()) - set(released[name].missing)
            listed = {str(level) for level in released[name].scale.levels} - {""}  # nothing left: a level without name
            assert listed == {str(v) for v in present}
            if released[name].scale.kind == "ordinal" and listed:
                order = [survey.schema[name].scale.levels.index(level) for level in released[name].scale.levels]
                assert order == sorted(order)
        dc.write(masked, tmp_path / "m.csv")
        (tmp_path / "m.toml").write_text(released.to_toml(), encoding="utf-8")
        back = dc.read(tmp_path / "m.csv", tmp_path / "m.toml")
        assert back.schema == released
        chosen = ["k-anonymity", "distance-linkage", "il1s", "dist"]
        by_file = {m.name: m.value for m in dc.measure(survey, back, chosen)}
        in_memory = {m.name: m.value for m in dc.measure(survey, masked.microdata, chosen)}
        assert by_file == pytest.approx(in_memory, rel=1e-9)
        dc.attack(survey, back, "distance")


def test_a_merging_that_keeps_a_level_is_still_seen_as_one():
    schema = Schema([Attribute("fuel", Nominal(("gas", "oil", "sun")), "key")])
    original = Microdata(pa.table({"fuel": ["gas", "oil", "sun", "oil", "gas", "sun"]}), schema)
    merged = dc.LevelMap({"fuel": {"oil": "gas"}}).mask(original)
    back = Microdata(merged.to_native(), merged.schema)
    (figure,) = dc.measure(original, back, ["k-anonymity"])
    (expected,) = dc.measure(original, merged, ["k-anonymity"])
    assert figure.value == expected.value
    assert aligned(original, back)[1].schema["fuel"].scale.levels == ("gas", "sun")
