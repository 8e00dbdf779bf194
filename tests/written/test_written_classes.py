"""k in the written file, read back with plain loops that share nothing with the package: every method and format."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema

K = 4
N = 150
NUMBERS, CATEGORIES = ("age", "debt"), ("hair", "size", "code")

SCHEMA = Schema(
    [
        Attribute("age", Numeric(), "key", missing=(-8, -9)),
        Attribute("debt", Numeric(), "key", missing=(-8.5, "-9.5")),
        Attribute("hair", Nominal(("red", "brown", "grey")), "key", missing=("?", "NA")),
        Attribute("size", Ordinal(("s", "m", "l")), "key", missing=("none",)),
        Attribute("code", Nominal((1, 2, 3)), "key", missing=(-8, -9)),
        Attribute("illness", Nominal(("no", "mild", "severe")), "confidential"),
        Attribute("region", Nominal(("north", "south")), "stratum", missing=("?", "NA")),
    ]
)


def table(n: int = N) -> pa.Table:
    """Numbers and categories in which every way to be missing occurs."""
    rng = np.random.default_rng(3)

    def holes(values, ways, share=0.12):
        return [ways[rng.integers(len(ways))] if rng.random() < share else value for value in values]

    return pa.table(
        {
            "age": pa.array(holes(rng.integers(20, 40, n).tolist(), [-8, -9, None]), pa.int64()),
            "debt": pa.array(holes(rng.choice([0.0, -0.0, 1.5, 2.25], n).tolist(), [-8.5, -9.5, None]), pa.float64()),
            "hair": holes(rng.choice(["red", "brown", "grey"], n, p=[0.6, 0.3, 0.1]).tolist(), ["?", "NA", None]),
            "size": holes(rng.choice(["s", "m", "l"], n).tolist(), ["none", None]),
            "code": pa.array(holes(rng.integers(1, 4, n).tolist(), [-8, -9, None]), pa.int64()),
            "illness": rng.choice(["no", "mild", "severe"], n).tolist(),
            "region": holes(rng.choice(["north", "south"], n).tolist(), ["?", "NA", None], 0.3),
        }
    )


def methods():
    """Every method that forms groups, under every reading of missing values."""
    for name, cls in catalogue.maskers().items():
        if not cls.groups or "sequence" in cls.scales:
            continue
        if not cls.handles_missing:
            continue  # it refuses this table; its own tests judge its bytes
        names = [*(NUMBERS if "numeric" in cls.scales else ()), *(CATEGORIES if "nominal" in cls.scales else ())]
        readings = ["category"]
        if "missing" in cls.parameter_names():
            readings = [r for r in ("pattern", "fill", "category", "wildcard") if cls.parameters["missing"].accepts(r)]
        for reading in readings:
            given = {"k": K, "attributes": names}
            if "missing" in cls.parameter_names():
                given["missing"] = reading
            if "random_state" in cls.parameter_names():
                given["random_state"] = 5
            if name == "refine":
                given["budget"] = 200
            if name == "generalisation":
                given["suppression"] = 0.1  # missing cells stay apart at every step
            yield pytest.param(cls(**given), reading, id=f"{name}-{reading}")


# ------------------------------------------------------------------------------------------------- a stranger's readers


def read_csv(path: Path) -> tuple[list[str], list[tuple]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [tuple(row) for row in rows[1:]]


def of_columns(columns: dict[str, list]) -> tuple[list[str], list[tuple]]:
    return list(columns), [tuple(map(repr, row)) for row in zip(*columns.values(), strict=True)]


def read_parquet(path: Path):
    return of_columns(pq.read_table(path).to_pydict())


def read_arrow(path: Path):
    with pa.OSFile(str(path)) as file:
        return of_columns(pyarrow.ipc.open_file(file).read_all().to_pydict())


def read_xlsx(path: Path):
    import fastexcel

    return of_columns(fastexcel.read_excel(path).load_sheet(0, dtypes="string").to_polars().to_dict(as_series=False))


def read_sav(path: Path):
    import pyreadstat

    return of_columns(
        pyreadstat.read_sav(str(path), user_missing=True, output_format="polars")[0].to_dict(as_series=False)
    )


def read_dta(path: Path):
    import pyreadstat

    return of_columns(
        pyreadstat.read_dta(str(path), user_missing=True, output_format="polars")[0].to_dict(as_series=False)
    )


READERS = {
    ".csv": read_csv, ".parquet": read_parquet, ".arrow": read_arrow, ".xlsx": read_xlsx, ".sav": read_sav,
    ".dta": read_dta,
}  # fmt: skip


def classes(path: Path, names) -> Counter:
    header, rows = READERS[path.suffix](path)
    places = [header.index(name) for name in names if name in header]
    return Counter(tuple(row[place] for place in places) for row in rows)


MISSING = {
    "age": {"-8", "-9"}, "debt": {"-8.5", "-9.5"}, "hair": {"?", "NA"}, "size": {"none"}, "code": {"-8", "-9"},
    "region": {"?", "NA"},
}  # fmt: skip


def is_missing(name: str, cell: str) -> bool:
    text = cell.strip("'")
    return text in {"", "None", "nan"} or text in MISSING[name] or text.removesuffix(".0") in MISSING[name]


def matches(path: Path, names) -> list[int]:
    """For every record, how many it matches where a missing value matches everything."""
    header, rows = READERS[path.suffix](path)
    places = [(name, header.index(name)) for name in names]
    cells = [[None if is_missing(name, row[at]) else row[at] for name, at in places] for row in rows]
    return [
        sum(all(a is None or b is None or a == b for a, b in zip(one, other, strict=True)) for other in cells)
        for one in cells
    ]


# ---------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize(("masker", "reading"), list(methods()))
def test_every_promise_holds_in_every_format(masker, reading, ending, tmp_path):
    masked = masker.mask(Microdata(table(), SCHEMA))
    path = tmp_path / f"masked{ending}"
    dc.write(masked, path)
    assert masked.provenance.guarantees
    told = {name for promise in masked.provenance.guarantees for name in promise.attributes}
    assert told == set(masked.provenance.attributes)
    for promise in masked.provenance.guarantees:
        assert promise.k == K
        assert promise.wildcard == (reading == "wildcard")
        if promise.wildcard:
            assert min(matches(path, promise.attributes)) >= K
        else:
            assert min(classes(path, promise.attributes).values()) >= K


@pytest.mark.parametrize("ending", READERS)
def test_a_masked_column_has_one_text_for_missing(ending, tmp_path):
    masked = dc.LocalSuppression(k=K, attributes=[*NUMBERS, *CATEGORIES]).mask(Microdata(table(), SCHEMA))
    path = tmp_path / f"masked{ending}"
    dc.write(masked, path)
    header, rows = READERS[ending](path)
    for name in (*NUMBERS, *CATEGORIES):
        place = header.index(name)
        ways = {row[place] for row in rows if is_missing(name, row[place])}
        assert len(ways) == 1, name
    if ending == ".csv":
        ways = {row[header.index(n)] for row in rows for n in ("hair", "age") if is_missing(n, row[header.index(n)])}
        assert ways == {"?", "-8"}


def test_a_column_that_is_not_masked_keeps_its_codes(tmp_path):
    masked = dc.LocalSuppression(k=K, attributes=["hair", "size"]).mask(Microdata(table(), SCHEMA))
    dc.write(masked, tmp_path / "masked.csv")
    header, rows = read_csv(tmp_path / "masked.csv")
    assert {row[header.index("code")] for row in rows} == {"1", "2", "3", "-8", "-9", ""}
    assert {row[header.index("region")] for row in rows} == {"north", "south", "?", "NA", ""}


def test_a_method_without_groups_keeps_codes_and_promises_nothing(tmp_path):
    masked = dc.protect(Microdata(table(), SCHEMA), "pram", attributes=["hair"], random_state=1)
    dc.write(masked, tmp_path / "masked.csv")
    header, rows = read_csv(tmp_path / "masked.csv")
    assert {"?", "NA", ""} <= {row[header.index("hair")] for row in rows}
    assert masked.provenance.guarantees == ()


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("method", ["local-suppression", "mixed-mdav", "kmodes"])
def test_strata_that_lack_a_value_are_one_stratum_in_the_file(method, ending, tmp_path):
    names = ["hair", "size"]
    masked = dc.protect(Microdata(table(), SCHEMA), method, k=3, attributes=names, strata=["region"])
    path = tmp_path / f"masked{ending}"
    dc.write(masked, path)
    (promise,) = masked.provenance.guarantees
    assert promise.strata == ("region",)
    assert "within its region" in promise.sentence
    assert min(classes(path, ["region", *names]).values()) >= 3


def test_diversity_is_counted_in_the_file(tmp_path):
    masked = dc.LocalSuppression(k=3, l=2, attributes=["hair", "code"]).mask(Microdata(table(), SCHEMA))
    dc.write(masked, tmp_path / "masked.csv")
    header, rows = read_csv(tmp_path / "masked.csv")
    values: dict[tuple, set] = {}
    for row in rows:
        key = row[header.index("hair")], row[header.index("code")]
        values.setdefault(key, set()).add(row[header.index("illness")])
    assert min(map(len, values.values())) >= 2
    assert "at least 2 different values of illness" in masked.provenance.guarantees[0].sentence


@pytest.mark.parametrize("combinations", [2, [["hair", "age"], ["code"]]])
def test_combinations_are_promised_one_by_one(combinations, tmp_path):
    keys = ["hair", "code", "age"]
    masked = dc.LocalSuppression(k=K, combinations=combinations, attributes=keys).mask(Microdata(table(), SCHEMA))
    dc.write(masked, tmp_path / "masked.csv")
    promised = [promise.attributes for promise in masked.provenance.guarantees]
    wanted = [("age", "hair"), ("age", "code"), ("hair", "code")] if combinations == 2 else [("age", "hair"), ("code",)]
    assert promised == wanted
    for names in promised:
        assert min(classes(tmp_path / "masked.csv", names).values()) >= K


def test_blocks_are_promised_one_by_one(tmp_path):
    masked = dc.KModes(k=K, n_vars=1, attributes=list(CATEGORIES)).mask(Microdata(table(), SCHEMA))
    assert [promise.attributes for promise in masked.provenance.guarantees] == [(name,) for name in CATEGORIES]
    dc.write(masked, tmp_path / "masked.csv")
    for name in CATEGORIES:
        assert min(classes(tmp_path / "masked.csv", [name]).values()) >= K


def test_text_that_stands_for_one_value_is_one_text(tmp_path):
    """``5``, ``5.0`` and ``05`` are one number, ``-0`` and ``0`` too: the file must not tell them apart."""
    texts = ["5", "5.0", "5.00", "0", "-0", "0.0", "-0.0", "1e1", "10"] * 3
    (tmp_path / "o.csv").write_text("x,y\n" + "".join(f"{text},{i % 2}\n" for i, text in enumerate(texts)))
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Nominal((0, 1)), "other")])
    masked = dc.LocalSuppression(k=3).mask(dc.read(tmp_path / "o.csv", schema))
    dc.write(masked, tmp_path / "masked.csv")
    assert sorted(classes(tmp_path / "masked.csv", ["x"]).values()) == [6, 9, 12]


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("dtype", ["plain", "categories"])
def test_frames_of_every_kind(kind, dtype, tmp_path):
    words = pa.table({"hair": table()["hair"], "size": table()["size"]})
    schema = SCHEMA.select(["hair", "size"])
    if kind == "pandas":
        frame = words.to_pandas()
        frame = frame.astype("category") if dtype == "categories" else frame
    elif kind == "polars":
        import polars as pl

        frame = pl.DataFrame(words)
        if dtype == "categories":
            # The list of an Enum has no room for the first missing code of hair.
            hair = frame["hair"].replace("?", "NA").cast(pl.Enum(["red", "brown", "grey", "NA"]))
            frame = frame.with_columns(hair, pl.col("size").cast(pl.Categorical))
    else:
        frame = words
        if dtype == "categories":
            frame = pa.table({name: words[name].dictionary_encode() for name in words.column_names})
    masked = dc.MixedMDAV(k=K).mask(frame, schema)
    for ending in (".csv", ".parquet"):
        dc.write(masked, tmp_path / f"masked{ending}")
        assert min(classes(tmp_path / f"masked{ending}", ["hair", "size"]).values()) >= K


def test_nan_and_null_are_one(tmp_path):
    import polars as pl

    frame = pl.DataFrame({"x": [1.0, float("nan"), None] * 4, "y": ["a"] * 12})
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Nominal(("a",)), "key")])
    masked = dc.LocalSuppression(k=5).mask(frame, schema)
    dc.write(masked, tmp_path / "masked.parquet")
    assert sorted(classes(tmp_path / "masked.parquet", ["x", "y"]).values()) in ([12], [4, 8], [5, 7])
    assert min(classes(tmp_path / "masked.parquet", ["x", "y"]).values()) >= 5


def test_letters_of_stata_are_one(tmp_path):
    import polars as pl
    import pyreadstat

    rng = np.random.default_rng(0)
    age = [("a", "b", None)[i % 3] if i % 7 == 0 else int(v) for i, v in enumerate(rng.integers(1, 4, 80))]
    frame = pl.DataFrame([pl.Series("age", age, dtype=pl.Object), pl.Series("sex", rng.integers(1, 3, 80))])
    pyreadstat.write_dta(frame, str(tmp_path / "o.dta"), missing_user_values={"age": ["a", "b"]})
    schema = Schema([Attribute("age", Numeric(), "key"), Attribute("sex", Nominal((1, 2)), "key")])
    original = dc.read(tmp_path / "o.dta", schema)
    assert original.origin["verbatim_missing"]
    masked = dc.LocalSuppression(k=9).mask(original)
    dc.write(masked, tmp_path / "masked.dta")
    assert min(classes(tmp_path / "masked.dta", ["age", "sex"]).values()) >= 9


def test_missing_codes_of_spss_are_one(tmp_path):
    import polars as pl
    import pyreadstat

    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"q": [(1, 2, 8, 9, None)[i] for i in rng.integers(0, 5, 90)], "sex": rng.integers(1, 3, 90)})
    pyreadstat.write_sav(
        frame, str(tmp_path / "o.sav"), missing_ranges={"q": [8, 9]}, variable_measure={"q": "nominal"},
        variable_value_labels={"q": {1: "yes", 2: "no", 8: "refused", 9: "does not know"}},
    )  # fmt: skip
    masked = dc.LocalSuppression(k=9, attributes=["q"]).mask(dc.read(tmp_path / "o.sav"))
    dc.write(masked, tmp_path / "masked.sav")
    found = classes(tmp_path / "masked.sav", ["q"])
    assert set(found) == {("1.0",), ("2.0",), ("8.0",)}
    assert min(found.values()) >= 9
    assert "made one" in " ".join(masked.provenance.notes)


def test_workbook_with_records_that_lack_everything(tmp_path):
    """Such a record has an empty text in its first cell, or the workbook would end before it: others have it too."""
    frame = pa.table({"hair": ["red", None, None, "red", None] * 4, "size": ["s", None, "m", "m", None] * 4})
    schema = Schema([Attribute("hair", Nominal(("red",)), "key"), Attribute("size", Nominal(("s", "m")), "other")])
    masked = dc.LocalSuppression(k=5).mask(frame, schema)
    dc.write(masked, tmp_path / "masked.xlsx")
    assert sorted(classes(tmp_path / "masked.xlsx", ["hair"]).values()) == [8, 12]
