"""SPSS, Stata and SAS: what a file says about itself comes in, stays true, and goes out."""

from __future__ import annotations

import builtins
import datetime as dt
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet import io, workflow
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, MissingExtraError, ParameterError
from discreet.io import read_table, statistical
from discreet.release.protocol_parts import Step

SEX = {1: "male", 2: "female", 9: "no answer"}
EDU = {1: "none", 2: "primary", 3: "secondary", 4: "tertiary", -8: "refused", -9: "do not know"}
FUEL = {"g": "gas", "o": "oil", "w": "wood"}


def survey(n=60):
    rng = np.random.default_rng(0)
    born = [dt.date(1950, 1, 1) + dt.timedelta(days=365 * int(x)) for x in rng.integers(0, 9, n)]
    return pl.DataFrame(
        {
            "ID": [f"p{i}" for i in range(n)],
            "sex": rng.choice([1.0, 2.0, 9.0], n, p=[0.45, 0.45, 0.1]),
            "edu": rng.choice([1.0, 2.0, 3.0, 4.0, -8.0], n),
            "fuel": rng.choice(["g", "o", "w"], n),
            "born": born,
            "seen": [dt.datetime(2020, 1, 1, 12, 30) + dt.timedelta(hours=int(h)) for h in rng.integers(0, 5, n)],  # noqa: DTZ001
            "income": np.round(rng.lognormal(10, 1, n), 2),
        }
    )


@pytest.fixture
def sav(tmp_path):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        survey(),
        str(path),
        file_label="A survey",
        note="made by a test",
        column_labels={"sex": "Sex of person", "edu": "Education", "income": "Income a year"},
        variable_value_labels={
            "sex": {float(k): v for k, v in SEX.items()},
            "edu": {float(k): v for k, v in EDU.items()},
            "fuel": FUEL,
        },
        missing_ranges={"sex": [9.0], "edu": [{"lo": -9.0, "hi": -1.0}]},
        variable_measure={"sex": "nominal", "edu": "ordinal", "fuel": "nominal", "income": "scale"},
        variable_format={"sex": "F1.0", "income": "F10.2"},
    )
    return path


def meta(path):
    return pyreadstat.read_sav(str(path), user_missing=True, output_format="polars")


# ------------------------------------------------------------------------------------------------------------ reading


def test_the_schema_is_what_the_file_says(sav):
    proposal = dc.inspect(sav)
    schema = proposal.schema
    assert schema["sex"].scale == Nominal([1, 2])
    assert schema["sex"].missing == (9,)
    assert schema["sex"].label == "Sex of person"
    assert schema["edu"].scale == Ordinal([1, 2, 3, 4])
    assert schema["edu"].missing == (-9, -8)  # a range names the codes that occur or have a label
    assert schema["fuel"].scale == Nominal(["g", "o", "w"])
    assert schema["income"].scale == Numeric()
    assert schema["ID"].role == "identifier"
    assert "the file says ordinal" in proposal.reasons["edu"]
    assert "the file says nominal" in proposal.reasons["sex"]
    assert proposal.missing["edu"] == int((survey()["edu"] == -8).sum())
    assert proposal.value_labels["sex"] == SEX


def test_codes_that_are_nearly_all_different_are_an_identifier(tmp_path):
    frame = pl.DataFrame({"no": [float(7000 + i) for i in range(40)], "area": [1.0, 2.0, 3.0, 4.0] * 10})
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_measure={"no": "nominal", "area": "nominal"})
    proposal = dc.inspect(tmp_path / "a.sav")
    assert proposal.schema["no"].role == "identifier"
    assert proposal.schema["no"].scale.levels == ("",)
    assert proposal.reasons["no"].endswith("it will not be released")
    assert proposal.schema["area"].scale == Nominal([1, 2, 3, 4])


def test_codes_that_all_have_labels_are_categories_for_that_reason(tmp_path):
    frame = pl.DataFrame({"sex": [1.0, 2.0] * 20, "age": [float(20 + i) for i in range(40)]})
    labels = {"sex": {1: "man", 2: "woman"}}
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_value_labels=labels)
    proposal = dc.inspect(tmp_path / "a.sav")
    assert proposal.schema["sex"].scale == Nominal([1, 2])
    assert "all its codes have labels" in proposal.reasons["sex"]


def test_only_some_codes_with_labels_are_numbers(tmp_path):
    frame = pl.DataFrame({"age": [float(i) for i in range(90)], "late": [97.0, 1.0, 2.0] * 30})
    labels = {"age": {89.0: "89 and more"}, "late": {97.0: "never"}}
    pyreadstat.write_dta(
        frame,
        str(tmp_path / "a.dta"),
        variable_value_labels={n: {int(k): v for k, v in d.items()} for n, d in labels.items()},
    )
    schema = dc.inspect(tmp_path / "a.dta").schema
    assert schema["age"].scale == Numeric()
    assert schema["late"].scale.levels == (1, 2, 97)


def test_whole_numbers_are_whole_and_dates_are_dates(sav):
    table, origin = read_table(sav)
    kinds = {name: str(table.column(name).type) for name in table.column_names}
    assert kinds["sex"] == "int64"
    assert kinds["income"] == "double"
    assert kinds["born"].startswith("date32")
    assert kinds["seen"].startswith("timestamp")
    assert origin["labels"].title == "A survey"
    assert origin["labels"].notes == ("made by a test",)


def test_a_protocol_proposed_for_it_shows_the_labels_in_comments_and_runs(sav, tmp_path):
    plan = workflow.propose(sav)
    assert "# 1 = none; 2 = primary" in plan.to_toml()
    assert plan.release["masked"] == "survey-masked.sav"
    done = workflow.run(plan, folder=tmp_path, before=False)
    paths = done.write(tmp_path / "out")
    frame, known = meta(paths["masked"])
    assert "ID" not in frame.columns
    assert known.column_names_to_labels["edu"] == "Education"


def test_empty_text_is_missing(tmp_path):
    pyreadstat.write_sav(pl.DataFrame({"a": ["x", "", None], "b": [1.0, 2.0, None]}), str(tmp_path / "a.sav"))
    table, _ = read_table(tmp_path / "a.sav")
    assert table.column("a").to_pylist() == ["x", None, None]
    assert table.column("b").to_pylist() == [1, 2, None]


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
def test_pieces_are_joined(tmp_path, monkeypatch, ending):
    frame = pl.DataFrame({"a": [float(i) for i in range(23)], "b": ["x", "", "yy"] * 7 + ["z", "z"]})
    data = Microdata(frame, Schema([Attribute("a", Numeric()), Attribute("b", Nominal(["x", "", "yy", "z"]))]))
    dc.write(data, tmp_path / f"a{ending}")
    whole, _ = read_table(tmp_path / f"a{ending}")
    monkeypatch.setattr(statistical, "_PIECE", 5)
    pieces, _ = read_table(tmp_path / f"a{ending}")
    assert pieces.equals(whole)
    assert pieces.num_rows == 23


@pytest.mark.parametrize("ending", [".sav", ".dta", ".parquet", ".xlsx"])
def test_a_look_at_a_file_holds_few_columns_at_a_time_and_sees_the_same(sav, tmp_path, monkeypatch, ending):
    data = dc.read(sav)
    target = tmp_path / f"a{ending}"
    dc.write(data, target)
    whole = dc.inspect(target)
    monkeypatch.setattr(io, "_CELLS", 2 * 60)
    widths = [table.num_columns for table, _ in io.read_groups(target)]
    assert widths == ([7] if ending == ".xlsx" else [2, 2, 2, 1])
    assert dc.inspect(target) == whole


# ----------------------------------------------------------------------------------------------------- masked and back


def test_an_spss_file_is_masked_and_read_back_with_labels_that_fit(sav, tmp_path):
    original = dc.read(sav)
    steps = [
        Step("adjacent-merging", {"max_levels": 2, "attributes": ["edu"]}),
        Step("level-map", {"maps": {"fuel": {"g": "x", "o": "x"}}}),
        Step("local-suppression", {"k": 5, "attributes": ["sex"]}),
        Step("mdav", {"k": 4, "attributes": ["income"]}),
    ]
    masked = workflow.Chain(steps, seed=1).mask(original)
    dc.write(masked, tmp_path / "masked.sav")
    frame, known = meta(tmp_path / "masked.sav")
    labels = known.variable_value_labels
    # Merged: one code for two categories, called by both; those that vanished are not listed, missing codes included.
    assert labels["edu"] == {1.0: "none / primary", 3.0: "secondary / tertiary", -8.0: "refused"}
    assert set(frame["edu"].drop_nulls()) <= {1.0, 3.0, -8.0}
    assert labels["fuel"] == {"w": "wood", "x": "gas / oil"}
    assert labels["sex"] == SEX
    assert known.column_names_to_labels["sex"] == "Sex of person"
    assert known.missing_ranges == {"sex": [{"lo": 9.0, "hi": 9.0}], "edu": [{"lo": -9.0, "hi": -1.0}]}
    assert known.variable_measure["edu"] == "ordinal"
    assert known.variable_measure["income"] == "scale"
    assert known.original_variable_types["sex"] == "F1.0"
    assert not known.file_label
    assert not known.notes
    # What was not masked is what it was, codes for missing values included.
    before = survey()
    assert frame["born"].to_list() == before["born"].to_list()
    assert frame["seen"].to_list() == before["seen"].to_list()
    assert (frame["edu"] == -8).sum() == (before["edu"] == -8).sum()
    again = dc.read(tmp_path / "masked.sav")
    assert again.schema["edu"].scale == Ordinal([1, 3])


def test_categories_that_got_names_become_codes_with_labels(sav, tmp_path):
    original = dc.read(sav)
    rows = [["1", "low"], ["2", "low"], ["3", "high"], ["4", "high"]]
    masked = workflow.Chain([Step("hierarchy-recoding", {"hierarchies": {"edu": rows}})]).mask(original)
    dc.write(masked, tmp_path / "m.sav")
    frame, known = meta(tmp_path / "m.sav")
    labels = known.variable_value_labels["edu"]
    codes = {text: code for code, text in labels.items()}
    assert {"low", "high", "refused"} <= set(codes)
    assert codes["refused"] == -8.0
    assert len(set(codes.values())) == len(codes)
    before = survey()["edu"].to_list()
    for old, new in zip(before, frame["edu"].to_list(), strict=True):
        assert labels[new] == {1: "low", 2: "low", 3: "high", 4: "high", -8: "refused"}[old]


def test_some_categories_named_and_some_kept(sav, tmp_path):
    original = dc.read(sav)
    masked = workflow.Chain([Step("level-map", {"maps": {"edu": {"3": "upper", "4": "upper"}}})]).mask(original)
    dc.write(masked, tmp_path / "m.sav")
    frame, known = meta(tmp_path / "m.sav")
    labels = known.variable_value_labels["edu"]
    assert labels[1.0] == "none"
    assert labels[2.0] == "primary"
    assert "upper" in labels.values()
    assert "secondary" not in labels.values()
    assert set(frame["edu"].drop_nulls()) <= set(labels)


def test_drawing_methods_keep_every_label_that_occurs(sav, tmp_path):
    original = dc.read(sav)
    masked = workflow.protect(original, "pram", theta=0.3, random_state=1, attributes=["edu"])
    dc.write(masked, tmp_path / "m.sav")
    labels = meta(tmp_path / "m.sav")[1].variable_value_labels["edu"]
    assert labels[1.0] == "none"
    assert labels[4.0] == "tertiary"


def test_a_masked_date_is_a_date(sav, tmp_path):
    original = dc.read(sav)
    levels = sorted({str(day) for day in survey()["born"]})
    schema = original.schema.replacing(Attribute("born", Ordinal(levels), "key"))
    masked = workflow.protect(dc.read(sav, schema), "top-coding", p=3, attributes=["born"])
    dc.write(masked, tmp_path / "m.sav")
    frame, _ = meta(tmp_path / "m.sav")
    assert frame["born"].dtype == pl.Date
    assert str(frame["born"].max()) == levels[-3]


# -------------------------------------------------------------------------------------------------------- every format


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt", ".parquet", ".arrow", ".feather", ".xlsx", ".csv"])
def test_a_release_of_an_spss_file_can_be_written_in_every_format(sav, tmp_path, ending):
    original = dc.read(sav)
    masked = workflow.Chain([Step("global-recoding", {"attributes": ["edu"]}), Step("mdav", {"k": 4})]).mask(original)
    target = tmp_path / f"m{ending}"
    dc.write(masked, target)
    table, origin = read_table(target)
    native = masked.to_native()
    assert table.column_names == native.column_names
    for name in ("sex", "edu", "fuel"):
        assert table.column(name).to_pylist() == native.column(name).to_pylist()
    assert table.column("income").to_pylist() == pytest.approx(native.column("income").to_pylist())
    if ending != ".csv":
        days = [value.date() if isinstance(value, dt.datetime) else value for value in table.column("born").to_pylist()]
        assert days == native.column("born").to_pylist()
    if ending in {".sav", ".zsav", ".dta", ".parquet", ".arrow", ".feather"}:
        assert " / " in str(origin["labels"].values["edu"])
        assert origin["labels"].variables["sex"] == "Sex of person"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_stata_letters_of_missing_values_come_back(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"x": pd.Series([1.0, 2.0, "a", "b", None, 1.0], dtype=object), "y": [1, 2, 3, 4, 5, 6]})
    pyreadstat.write_dta(
        frame,
        str(tmp_path / "a.dta"),
        missing_user_values={"x": ["a", "b"]},
        variable_value_labels={"x": {1: "one", 2: "two", "a": "refused"}},
    )
    data = dc.read(tmp_path / "a.dta")
    assert data.to_arrow().column("x").to_pylist() == [1, 2, None, None, None, 1]
    ordered = workflow.Chain([Step("record-order")], seed=3).mask(data)
    dc.write(ordered, tmp_path / "b.dta")
    values, known = pyreadstat.read_dta(str(tmp_path / "b.dta"), user_missing=True, output_format="dict")
    expected = [[1.0, 2.0, "a", "b", None, 1.0][row] for row in ordered.provenance.rows]
    assert list(values["x"]) == expected
    assert known.variable_value_labels["x"] == {1: "one", 2: "two", "a": "refused"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=min(25, settings().max_examples))
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(-1e9, 1e9, allow_nan=False)),
            st.one_of(
                st.none(),
                st.text(
                    st.characters(codec="utf-8", exclude_characters="\0", categories=["L", "N"]), min_size=1, max_size=9
                ),
            ),
            st.one_of(st.none(), st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))),
        ),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from([".sav", ".dta", ".xpt", ".arrow", ".parquet", ".xlsx"]),
)
def test_values_survive_the_round_trip(tmp_path, rows, ending):
    x, words, days = (list(column) for column in zip(*rows, strict=True))
    if ending in {".xpt", ".xlsx"} and (
        all(w is None for w in words) or all(d is None for d in days) or all(v is None for v in x)
    ):
        return  # an empty column has no type there
    frame = pl.DataFrame(
        {
            "x": pl.Series(x, dtype=pl.Float64),
            "w": pl.Series(words, dtype=pl.String),
            "d": pl.Series(days, dtype=pl.Date),
        }
    )
    schema = Schema([Attribute("x", Numeric()), Attribute("w", Nominal(("",))), Attribute("d", Nominal(("",)))])
    dc.write(Microdata(frame, schema), tmp_path / f"a{ending}")
    table, _ = read_table(tmp_path / f"a{ending}")
    numbers = [float("nan") if value is None else value for value in table.column("x").to_pylist()]
    assert numbers == pytest.approx([float("nan") if v is None else v for v in x], rel=1e-12, nan_ok=True)
    if ending != ".xlsx":  # a sheet of digits is a sheet of numbers
        assert [w or None for w in table.column("w").to_pylist()] == words
        assert [v.date() if isinstance(v, dt.datetime) else v for v in table.column("d").to_pylist()] == days


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("ending", [".sav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".arrow", ".parquet"])
@pytest.mark.parametrize(
    "content", [b"", b"SECRET4711 is no data file\n" * 20, b"$FL2@(#) SPSS DATA FILE" + b"\0" * 300]
)
def test_a_file_that_is_not_what_its_ending_says_is_refused(tmp_path, ending, content):
    path = tmp_path / f"a{ending}"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_table(path)
    assert "SECRET" not in str(caught.value)
    assert f"a{ending}" in caught.value.message


def test_a_file_that_was_cut_short_is_refused(sav, tmp_path):
    (tmp_path / "cut.sav").write_bytes(sav.read_bytes()[:-200])
    with pytest.raises(FileError, match="not a SPSS file that can be read"):
        read_table(tmp_path / "cut.sav")


def test_unknown_endings_and_options_are_refused(tmp_path, sav):
    (tmp_path / "a.xls").write_bytes(b"x")
    with pytest.raises(FileError, match="unknown ending") as caught:
        read_table(tmp_path / "a.xls")
    assert ".sav" in caught.value.hint
    assert ".xlsx" in caught.value.hint
    with pytest.raises(ParameterError, match="delimiter cannot be set for a .sav file"):
        read_table(sav, delimiter=";")


@pytest.mark.parametrize(
    ("ending", "library"),
    [
        (".sav", "pyreadstat"),
        (".dta", "pyreadstat"),
        (".xpt", "pyreadstat"),
        (".sas7bdat", "pyreadstat"),
        (".xlsx", "fastexcel"),
    ],
)
def test_an_absent_extra_is_named_with_the_line_to_type(tmp_path, monkeypatch, ending, library):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name == library:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    (tmp_path / f"a{ending}").write_bytes(b"x" * 100)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=library) as caught:
        read_table(tmp_path / f"a{ending}")
    assert caught.value.hint == "pip install 'discreet[files]'"


@pytest.mark.parametrize(("ending", "library"), [(".sav", "pyreadstat"), (".xlsx", "xlsxwriter")])
def test_an_absent_extra_leaves_nothing_half_written(tmp_path, monkeypatch, ending, library):
    real = builtins.__import__
    data = Microdata(pl.DataFrame({"x": [1.5, 2.5]}), Schema([Attribute("x", Numeric(), "key")]))

    def absent(name, *args, **kwargs):
        if name == library:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError, match=library):
        dc.write(data, tmp_path / f"a{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("ending", "name"), [(".sav", "a b"), (".dta", "x" * 33), (".xpt", "1st"), (".sav", "=cmd()")])
def test_a_name_that_the_format_has_no_room_for_is_named(tmp_path, ending, name):
    data = Microdata(pl.DataFrame({name: [1.5, 2.5]}), Schema([Attribute(name, Numeric(), "key")]))
    with pytest.raises(FileError, match="1 of 1 column names cannot be written") as caught:
        dc.write(data, tmp_path / f"a{ending}")
    assert "Rename the columns" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_fails_leaves_neither_file_nor_value(tmp_path, monkeypatch):
    data = Microdata(pl.DataFrame({"x": ["SECRET4711", "b"]}), Schema([Attribute("x", Nominal(["SECRET4711", "b"]))]))

    def fails(*_, **__):
        raise ValueError("SECRET4711 does not fit")

    monkeypatch.setattr(pyreadstat, "write_sav", fails)
    with pytest.raises(FileError) as caught:
        dc.write(data, tmp_path / "a.sav")
    assert "SECRET" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_sas_files_are_read_and_the_binary_kind_is_not_written(tmp_path):
    data = Microdata(pl.DataFrame({"x": [1.5, 2.5]}), Schema([Attribute("x", Numeric(), "key")]))
    with pytest.raises(FileError, match="cannot be written") as caught:
        dc.write(data, tmp_path / "a.sas7bdat")
    assert ".xpt" in caught.value.hint


def test_a_table_without_labels_writes_what_its_schema_says(tmp_path):
    frame = pl.DataFrame({"x": [1.5, 2.5, -9.0], "s": ["a", "b", "?"], "ok": [True, False, None]})
    schema = Schema(
        [
            Attribute("x", Numeric(), "key", missing=(-9,), label="Size"),
            Attribute("s", Ordinal(["a", "b"]), "key", missing=("?",)),
            Attribute("ok", Nominal([False, True])),
        ]
    )
    dc.write(Microdata(frame, schema), tmp_path / "a.sav")
    values, known = meta(tmp_path / "a.sav")
    assert known.column_names_to_labels["x"] == "Size"
    assert known.variable_measure == {"x": "scale", "s": "ordinal", "ok": "nominal"}
    assert known.missing_ranges["x"] == [{"lo": -9.0, "hi": -9.0}]
    assert values["ok"].to_list() == [1.0, 0.0, None]
    assert dc.read(tmp_path / "a.sav").schema["s"].missing == ("?",)


def test_whole_numbers_stay_whole_in_stata(tmp_path):
    """Up to the last number before those that stand for missing values."""
    columns = {
        "small": [-127, 100, 3],
        "wide": [32741, 0, None],
        "most": [2147483620, -2147483647, 1],
        "beyond": [2147483621, 0, 1],
        "empty": [None, None, None],
        "part": [0.5, 1.0, 2.0],
    }
    table = dc.microdata(pl.DataFrame(columns, schema_overrides={"empty": pl.Int64}))
    dc.write(table, tmp_path / "x.dta")
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_stata(tmp_path / "x.dta")
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert (kinds["small"], kinds["most"]) == ("int32", "int32")
    assert (kinds["beyond"], kinds["part"]) == ("float64", "float64")
    assert frame["wide"].tolist()[:2] == [32741, 0]
    assert frame["wide"].isna().tolist() == [False, False, True]
    assert frame["empty"].isna().all()
    assert frame["most"].tolist() == columns["most"]
    assert frame["beyond"].tolist() == columns["beyond"]


def test_how_numbers_are_shown_comes_back_and_the_width_of_text_is_found_anew(sav):
    data = dc.read(sav)
    labels = data.origin["labels"]
    shown = statistical._spss_options(data, labels, {}, pl.from_arrow(data.to_arrow()))["variable_format"]
    assert (shown["sex"], shown["income"]) == ("F1.0", "F10.2")
    assert labels.formats["fuel"].startswith("A")
    assert not {"fuel", "born", "seen"} & shown.keys()


def test_how_stata_shows_numbers_comes_back(tmp_path):
    frame = pl.DataFrame({"x": [1.25, 2.5, 3.75] * 10, "y": ["a", "b", "c"] * 10})
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), variable_format={"x": "%12.4f"})
    dc.write(dc.protect(dc.read(tmp_path / "a.dta"), "mdav", k=3, attributes=["x"]), tmp_path / "b.dta")
    shown = pyreadstat.read_dta(str(tmp_path / "b.dta"), output_format="polars")[1].original_variable_types
    assert shown["x"] == "%12.4f"


# ------------------------------------------------------------------------------------------------------- part by part


@pytest.mark.parametrize(
    ("words", "labels", "missing", "codes", "texts"),
    [
        # What was a code stays it, a name gets the next free one, and codes that no record has keep their names.
        (["2", "1", None, "2"], {1: "one", 2: "two"}, [], [2, 1, None, 2], {1: "one", 2: "two"}),
        (["low", "2", "high"], {1: "one", 2: "two", 7: "more"}, [], [9, 2, 8],
         {1: "one", 7: "more", 2: "two", 8: "high", 9: "low"}),
        (["low", "2"], {1: "one"}, [9], [10, 2], {1: "one", 2: "2", 10: "low"}),
        (["low"], {1: "one"}, [{"lo": 5, "hi": 20}, "x"], [21], {1: "one", 21: "low"}),
        (["b", "a"], {"a": "all"}, [], [2, 1], {1: "all", 2: "b"}),
        (["-3", "x"], {-3: "none"}, [], [-3, 1], {-3: "none", 1: "x"}),
        (["1.5", "x"], {1: "one"}, [], [1.5, 2], {1: "one", 1.5: "1.5", 2: "x"}),
        (["1", "01"], {1: "one"}, [], [1, 2], {1: "one", 2: "01"}),
        (["inf", "nan"], {1: "one"}, [], [2, 3], {1: "one", 2: "inf", 3: "nan"}),
    ],
)  # fmt: skip
def test_categories_as_codes(words, labels, missing, codes, texts):
    series, named = statistical._as_codes(pl.Series("x", words), labels, Labels(missing={"x": missing}))
    assert (series.dtype, series.to_list()) == (pl.Float64, codes)
    assert named == texts


def test_labels_of_codes_have_the_type_of_their_column():
    labels = {1: "one", 2.5: "half", 3.0: "three", "a": "letter"}
    assert statistical._of_type(labels, pl.String) == {"1": "one", "2.5": "half", "3.0": "three", "a": "letter"}
    whole = statistical._of_type(labels, pl.Int64)
    assert (whole, [type(code) for code in whole]) == ({1: "one", 3: "three"}, [int, int])
    real = statistical._of_type(labels, pl.Float64)
    assert (real, {type(code) for code in real}) == ({1.0: "one", 2.5: "half", 3.0: "three"}, {float})
    assert statistical._of_type(labels, pl.Date()) == {}


@pytest.mark.parametrize(
    ("values", "format_", "labels", "written", "named"),
    [
        (["1", "x"], "", {1: "one"}, [1.0, 2.0], {1.0: "one", 2.0: "x"}),
        (["a", "b"], "", {"a": "one"}, ["a", "b"], {"a": "one"}),
        (["a", "b"], "A8", {"a": "one"}, ["a", "b"], {"a": "one"}),
        (["a", "b"], "F8.2", {"a": "one"}, [1.0, 2.0], {1.0: "one", 2.0: "b"}),
        (["a", "b"], "n3", {"a": "one"}, [1.0, 2.0], {1.0: "one", 2.0: "b"}),
        (["a", "b"], "F8", {}, ["a", "b"], None),
        (["a", "b"], "", {True: "yes"}, ["a", "b"], {"True": "yes"}),
        ([True, False], "", {1: "yes"}, [1, 0], {1: "yes"}),
        ([1.5, 2.0], "", {2: "two", "a": "?"}, [1.5, 2.0], {2.0: "two"}),
        ([1, 2], "", {2.5: "no"}, [1, 2], {}),
    ],
)
def test_columns_as_the_codes_that_they_were(values, format_, labels, written, named):
    scale = Numeric() if isinstance(values[0], float) else Nominal(values)
    table = Microdata(pl.DataFrame({"x": values}), Schema([Attribute("x", scale)]))
    about = Labels(values={"x": labels}, formats={"x": format_} if format_ else {})
    frame, found = statistical._coded(table, about)
    assert frame["x"].to_list() == written
    assert found == ({} if named is None else {"x": named})


@pytest.mark.parametrize(
    ("values", "entries", "declared", "written"),
    [
        ([1.5], [9, 8, 7, 6], (), [9.0, 8.0, 7.0]),
        ([1.5], None, (-9, -8), [-9.0, -8.0]),
        ([1.5], [{"lo": 5, "hi": 9}, 3, 4], (), [{"lo": 5, "hi": 9}, 3.0]),
        ([1.5], [{"lo": 5, "hi": 9}, {"lo": 1, "hi": 2}], (), [{"lo": 5, "hi": 9}]),
        ([1.5], [{"lo": 5, "hi": 5}, 3], (), [5.0, 3.0]),
        ([1.5], ["a", 3], (), [3.0]),
        (["x"], ["a", "much longer"], (), ["a", "much lon"]),
        (["x"], [{"lo": "a", "hi": "a"}, "b", "c", "d"], (), ["a", "b", "c"]),
        ([1.5], [], (-9,), None),
    ],
)
def test_missing_codes_of_spss(values, entries, declared, written):
    scale = Nominal(values) if isinstance(values[0], str) else Numeric()
    table = Microdata(pl.DataFrame({"x": values}), Schema([Attribute("x", scale, missing=declared)]))
    labels = Labels(missing={} if entries is None else {"x": entries})
    found = statistical._spss_missing(table, labels, pl.DataFrame({"x": values}))
    assert found == ({} if written is None else {"x": written})


def test_what_spss_is_told():
    table = Microdata(
        pl.DataFrame({"x": [1.5], "s": ["a"], "d": [dt.date(2020, 1, 1)], "o": [1]}),
        Schema([Attribute("x", Numeric()), Attribute("s", Ordinal(["a"])), Attribute("d", dc.Date()),
                Attribute("o", Nominal([1]))]),
    )  # fmt: skip
    formats = {"x": "F8.2", "s": "F3", "d": "F8", "o": "N4", "gone": "F1"}
    labels = Labels(measures={"o": "scale"}, notes=("a", "b"), formats=formats, source=".zsav")
    frame = pl.from_arrow(table.to_arrow())
    assert statistical._spss_options(table, labels, {"s": {"a": "t"}}, frame) == {
        "variable_value_labels": {"s": {"a": "t"}},
        "variable_measure": {"x": "scale", "s": "ordinal", "d": "scale", "o": "scale"},
        "missing_ranges": {},
        "note": ["a", "b"],
        "variable_format": {"x": "F8.2", "o": "N4"},
    }
    other = Labels(formats={"x": "COMMA8.2", "o": "F4"}, source=".dta")
    assert statistical._spss_options(table, other, {}, frame).keys() == {
        "variable_value_labels", "variable_measure", "missing_ranges",
    }  # fmt: skip
    odd = Labels(formats={"x": "COMMA8.2", "o": "F"}, source=".sav")
    assert statistical._spss_options(table, odd, {}, frame)["variable_format"] == {}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([-2147483647, 2147483620], pl.Int32), ([-2147483648, 0], pl.Int64), ([0, 2147483621], pl.Int64),
        ([None, 5], pl.Int32), ([None, None], pl.Int64), ([1.0, 2.0], pl.Float64),
    ],
)  # fmt: skip
def test_whole_numbers_in_the_type_of_stata(values, kind):
    series = pl.Series("x", values, pl.Float64 if 1.0 in values and kind == pl.Float64 else pl.Int64)
    found = statistical._stata_whole(series)
    assert (found.dtype, found.to_list()) == (kind, values)


def test_what_stata_is_told():
    frame = pl.DataFrame({"x": [1.0, None, None, 4.0], "y": [1, 2, 3, 4], "s": ["a"] * 4, "z": [1.5, None, 1, 1]})
    tags = {
        "x": pa.chunked_array([["b", "a", None, "c"]]), "z": pa.chunked_array([[None] * 4]),
        "s": pa.chunked_array([["q"] * 4]),
    }  # fmt: skip
    scales = {"x": Numeric(), "y": Numeric(), "s": Nominal(["a"]), "z": Numeric()}
    schema = Schema([Attribute(name, scale) for name, scale in scales.items()])
    table = Microdata(frame, schema, origin={"verbatim_missing": tags})
    named = {
        "x": {1: "one", 2.5: "half", "a": "all", "b": "not there"},
        "y": {7: "seven"},
        "s": {"a": "t"},
        "z": {2.5: "h"},
    }
    formats = {"x": "%9.2f", "y": "%12.0gc", "s": "%9s", "z": "%td", "gone": "%9.2f"}
    labels = Labels(values=named, formats=formats, source=".dta")
    written, options = statistical._with_stata(table, labels, named, frame, {"file_label": "t"})
    assert {series.name: series.to_list() for series in written} == {
        "x": [1.0, "a", None, 4.0], "y": [1, 2, 3, 4], "s": ["a"] * 4, "z": [1.5, None, 1, 1],
    }  # fmt: skip
    assert [series.dtype for series in written] == [pl.Object, pl.Int32, pl.String, pl.Float64]
    assert options == {
        "file_label": "t",
        "variable_value_labels": {"x": {1: "one", "a": "all"}, "y": {7: "seven"}},
        "missing_user_values": {"x": ["a"]},
        "variable_format": {"x": "%9.2f", "y": "%12.0gc"},
    }
    plain = Microdata(frame, schema)
    _, options = statistical._with_stata(plain, Labels(formats=formats, source=".sav"), {}, frame, {})
    assert options == {"variable_value_labels": {}, "missing_user_values": None}


@pytest.mark.parametrize(
    ("ending", "good", "bad"),
    [
        (".sav", ["a" * 64, "ä.@#$1"], ["a" * 65, "1a", "a b", ""]),
        (".zsav", ["a" * 64], ["a" * 65]),
        (".dta", ["a" * 32, "_a1", "ä"], ["a" * 33, "a.b", "1a"]),
        (".xpt", ["a" * 32, "_a1"], ["a" * 33, "ä", "1a"]),
    ],
)
def test_names_that_a_format_has_room_for(ending, good, bad):
    def check(names):
        statistical._check_names(SimpleNamespace(names=names), ending, "Known")

    check(good)
    for name in bad:
        with pytest.raises(FileError, match="1 of 2 column names cannot be written to a Known file"):
            check([good[0], name])


def test_a_name_of_64_letters_goes_out_and_comes_in(tmp_path):
    table = Microdata(pl.DataFrame({"a" * 64: [1.5, 2.5]}), Schema([Attribute("a" * 64, Numeric())]))
    dc.write(table, tmp_path / "a.sav")
    assert read_table(tmp_path / "a.sav")[0].column_names == ["a" * 64]


def test_letters_are_taken_out_of_numbers_and_empty_text_is_missing():
    kinds = SimpleNamespace(readstat_variable_types={"t": "string", "x": "double", "e": "double", "y": "double"})
    piece = pl.DataFrame([
        pl.Series("t", ["a", "", None]), pl.Series("x", [1.5, "a", None], dtype=pl.Object),
        pl.Series("e", [None, None, None]), pl.Series("y", [1, 2, 3]),
    ])  # fmt: skip
    clean, letters = statistical._cleaned(piece, kinds)
    assert clean.to_dict(as_series=False) == {
        "t": ["a", None, None], "x": [1.5, None, None], "e": [None] * 3, "y": [1, 2, 3],
    }  # fmt: skip
    assert clean["e"].dtype == pl.Float64
    assert {name: series.to_list() for name, series in letters.items()} == {"x": [None, "a", None]}
    joined = statistical._joined_letters([letters, {}], [clean, clean.head(2)])
    assert {name: column.to_pylist() for name, column in joined.items()} == {"x": [None, "a", None, None, None]}


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1.0, 2.0], [1, 2]), ([1.0, None], [1, None]), ([1.0, float("nan")], [1, None]), ([1.5, 1.0], [1.5, 1.0]),
        ([2.0**53 - 1], [2**53 - 1]), ([2.0**53], [2.0**53]), ([-(2.0**53)], [-(2.0**53)]), ([None], [None]),
        ([float("inf")], [float("inf")]),
    ],
)  # fmt: skip
def test_numbers_that_are_all_whole_are_whole(values, read):
    table = statistical._plain_types(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64), "s": ["a"] * len(values)}))
    found = table.column("x").to_pylist()
    assert (found, [type(one) for one in found]) == (read, [type(one) for one in read])
    assert table.column("s").type == pa.string()


def test_what_metadata_say_becomes_labels():
    empty = SimpleNamespace(
        file_label=None, notes=None, column_names_to_labels=None, variable_value_labels=None, variable_measure=None,
        missing_ranges=None, original_variable_types=None,
    )  # fmt: skip
    assert statistical._labels(empty, ".dta") == Labels(source=".dta")
    full = SimpleNamespace(
        file_label="t", notes=["n"], column_names_to_labels={"x": "size", "y": None},
        variable_value_labels={"x": {1.0: "one", 1.5: 2, "a": "b"}}, variable_measure={"x": "scale", "y": "unknown"},
        missing_ranges={"x": (9.0,)}, original_variable_types={"x": "F8", "y": ""},
    )  # fmt: skip
    codes = {1: "one", 1.5: "2", "a": "b"}
    assert statistical._labels(full, ".sav") == Labels(
        "t", ("n",), {"x": "size"}, {"x": codes}, {"x": "scale"}, {"x": [9.0]}, {"x": "F8"}, ".sav"
    )


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt"])
def test_the_same_table_gives_the_same_bytes_with_no_time_in_them(tmp_path, ending):
    spss = (b"01 Jan 0000:00:00", b"17 Nov 2612:34:56")
    stamp, other = {
        ".dta": (b"01 Jan 2000 00:00", b"17 Nov 2026 12:34"), ".xpt": (b"01JAN00:00:00:00", b"17NOV26:12:34:56"),
    }.get(ending, spss)  # fmt: skip
    table = Microdata(pl.DataFrame({"x": [1.5, 2.5]}), Schema([Attribute("x", Numeric())]))
    path = tmp_path / f"a{ending}"
    dc.write(table, path)
    content = path.read_bytes()
    assert stamp in content
    # A time of day that stands where the format keeps it is set, and nothing else is.
    path.write_bytes(content.replace(stamp, other))
    assert path.read_bytes() != content
    statistical._without_time(path, ending)
    assert path.read_bytes() == content


def test_formats_of_a_catalogue_are_found_with_the_width_that_they_are_shown_in(monkeypatch):
    named = {"SEX": {1.0: "man", 2.0: "woman"}, "AGE5": {1.0: "young"}, "$town": {"a": "A"}}
    library = SimpleNamespace(read_sas7bcat=lambda _: (None, SimpleNamespace(value_labels=named)))
    monkeypatch.setattr(statistical, "_library", lambda _: library)
    columns = {"a": "SEX8.", "b": "sex", "c": "AGE5", "d": "AGE58.2", "e": None, "f": "BEST12.", "g": "$TOWN3."}
    found = statistical._from_catalogue(Path("f.sas7bcat"), SimpleNamespace(original_variable_types=columns))
    assert found == {"a": named["SEX"], "b": named["SEX"], "c": named["AGE5"], "g": named["$town"]}
    assert statistical._from_catalogue(Path("f.sas7bcat"), SimpleNamespace(original_variable_types=None)) == {}

    def broken(path):
        raise ValueError(path)

    library.read_sas7bcat = broken
    with pytest.raises(FileError, match="'f.sas7bcat' is not a catalogue of SAS formats that can be read"):
        statistical._from_catalogue(Path("f.sas7bcat"), SimpleNamespace(original_variable_types={}))


def test_a_catalogue_lies_beside_a_file_of_sas_by_its_name_or_by_the_usual_one(tmp_path):
    path = tmp_path / "a.sas7bdat"
    assert statistical._catalogue_of(path) is None
    (tmp_path / "formats.sas7bcat").write_text("")
    assert statistical._catalogue_of(path) == tmp_path / "formats.sas7bcat"
    (tmp_path / "a.sas7bcat").write_text("")
    assert statistical._catalogue_of(path) == tmp_path / "a.sas7bcat"
    assert statistical._catalogue_of(tmp_path / "a.sav") is None


def test_columns_as_they_stand_with_every_way_to_be_missing(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"x": pd.Series([1.0, "a", None], dtype=object), "y": [1.5, 2.5, 3.5], "t": ["a", "", "b"]})
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), missing_user_values={"x": ["a"]})
    found = statistical.read_plainly(tmp_path / "a.dta", ".dta", ("t", "x"))
    assert found.to_dict(as_series=False) == {"x": ["1.0", "a", None], "t": ["a", None, "b"]}


def test_the_columns_of_a_file_are_listed_without_its_records(sav, tmp_path):
    names, records = statistical.list_statistical(sav)
    assert (names, records) == (["ID", "sex", "edu", "fuel", "born", "seen", "income"], 60)
    (tmp_path / "bad.sav").write_bytes(b"no")
    with pytest.raises(FileError, match="bad.sav' is not a SPSS file that can be read"):
        statistical.list_statistical(tmp_path / "bad.sav")
    some, _ = statistical.read_statistical(sav, columns=["edu", "ID"])
    assert sorted(some.column_names) == ["ID", "edu"]
