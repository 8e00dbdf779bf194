"""State tables: named by ranges, gathered into one attribute, recognised by their names and what they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.inference import propose_schema
from discreet.data.inferring.state_runs import time_in_name
from discreet.data.state_columns import StateTable, as_one_column, declared_tables, gather, in_order, parse_states
from discreet.errors import SchemaError

COLUMNS = ["id", "Jul.93", "Aug.93", "Sep.93", "sex", "a..b", "x=1"]


@pytest.mark.parametrize(
    ("text", "name", "columns"),
    [
        ("Jul.93..Sep.93", "Jul.93..Sep.93", ("Jul.93", "Aug.93", "Sep.93")),
        ("'Jul.93'..'Sep.93'", "Jul.93..Sep.93", ("Jul.93", "Aug.93", "Sep.93")),
        ("course=Jul.93..Aug.93", "course", ("Jul.93", "Aug.93")),
        ("Sep.93,Jul.93", "Sep.93..Jul.93", ("Sep.93", "Jul.93")),
        ("*.93", "Jul.93..Sep.93", ("Jul.93", "Aug.93", "Sep.93")),
        ("sex..a..b", "sex..a..b", ("sex", "a..b")),
        ("a..b,x=1", "a..b..x=1", ("a..b", "x=1")),
        ("x=1,sex", "x=1..sex", ("x=1", "sex")),
    ],
)
def test_a_range_a_list_or_a_pattern(text, name, columns):
    assert parse_states(text, COLUMNS) == StateTable(name, columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Sep.93..Jul.93", "stands after"),
        ("Jul.93..Oct.93", "column"),
        ("Jul.93", "at least two"),
        ("Jul.93,Jul.93", "named twice"),
        ("sex=Jul.93..Sep.93", "already"),
        ("nothing*", "column"),
        ("", "at least two"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message):
    with pytest.raises(SchemaError, match=message):
        parse_states(text, COLUMNS)


def test_a_refusal_speaks_of_what_was_asked_for():
    for scale, word in (("sequence", "states"), ("series", "series"), ("trajectory", "trajectory")):
        with pytest.raises(SchemaError) as refusal:
            parse_states("Jul.93", COLUMNS, scale)
        assert refusal.value.message == f"{word}: a table of them has at least two columns."


cells = st.one_of(st.none(), st.sampled_from(["", "a", "b", "c"]))


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=8))
def test_a_row_of_states_is_what_stands_before_its_last_one(rows):
    lists = as_one_column([pa.array([row[j] for row in rows], pa.string()) for j in range(3)]).to_pylist()
    for row, states in zip(rows, lists, strict=True):
        padded = [*states, *[""] * (3 - len(states))]
        assert padded == [cell or "" for cell in row]
        assert not states or states[-1] != ""


@pytest.mark.parametrize("library", ["polars", "pandas", "arrow"])
def test_frames_come_back_as_their_own_kind_and_the_columns_are_one(library):
    table = pa.table({"m1": [1, 2], "sex": ["f", "m"], "m2": [1.0, None], "m3": ["x", "y"]})
    frame = {"polars": pl.from_arrow, "pandas": lambda t: t.to_pandas(), "arrow": lambda t: t}[library](table)
    wide, origin = gather(frame, None, [StateTable("m", ("m1", "m2", "m3"))])
    assert type(wide) is type(frame)
    lists = wide["m"].to_list() if library != "arrow" else wide["m"].to_pylist()
    assert [list(states) for states in lists] == [["1", "1", "x"], ["2", "", "y"]]
    assert origin["column_order"] == ("m1", "sex", "m2", "m3")
    assert isinstance(frame, (pl.DataFrame, pd.DataFrame, pa.Table))


def test_a_schema_that_lists_columns_gathers_whatever_table_it_is_joined_with():
    schema = dc.Schema(
        [
            dc.Attribute("sex", dc.Nominal(["f", "m"]), "key"),
            dc.Attribute("life", dc.Sequence(["home", "work"], columns=["y1", "y2"]), "key"),
        ]
    )
    assert dc.Schema.from_toml(schema.to_toml()) == schema
    table = dc.microdata(pl.DataFrame({"y1": ["home", "work"], "sex": ["f", "m"], "y2": ["work", None]}), schema)
    assert table.names == ("life", "sex")
    assert table.encoded("life").offsets.tolist() == [0, 2, 3]
    with pytest.raises(SchemaError, match="1 of its 2 columns are not in the table, the first 'y2'"):
        dc.microdata(pl.DataFrame({"y1": ["home"], "sex": ["f"]}), schema)
    assert declared_tables(schema, ["life", "sex"]) == []


def test_a_column_is_a_position_of_one_sequence_only():
    frame = pl.DataFrame({"m1": ["a"], "m2": ["b"], "m3": ["a"]})
    with pytest.raises(SchemaError, match="states of two attributes"):
        dc.survey(frame, states=["m1..m2", "m2..m3"])


@pytest.mark.parametrize("columns", ["m1", ["m1", "m1"], [1]])
def test_columns_of_a_scale_are_different_names(columns):
    with pytest.raises(SchemaError, match="Sequence: "):
        dc.Sequence(["a"], columns=columns)


def test_columns_go_back_to_their_places():
    assert in_order(["life", "b"], ["a", "m1", "b", "m2"], {"life": ("m1", "m2")}) == ["m1", "b", "m2"]


# ------------------------------------------------------------------------------------------------------- recognising


def courses(names, states="ABCD", n=120, stay=0.9, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row = [rng.choice(list(states))]
        for _ in names[1:]:
            row.append(row[-1] if rng.random() < stay else rng.choice(list(states)))
        rows.append(row)
    return pl.DataFrame(rows, schema=list(names), orient="row")


MONTHS = [f"{month}.{year}" for year in (93, 94) for month in ("Jan", "Feb", "Mar", "Apr", "May", "Jun")]


@pytest.mark.parametrize(
    "names",
    [
        [f"a{age}" for age in range(15, 31)],
        ["jan00", "feb00", "mar00", "apr00", "may00", "jun00", "jul00"],
        ["Nov.99", "Dec.99", "Jan.00", "Feb.00", "Mar.00", "Apr.00"],
        [f"wave_{i}" for i in range(1, 8)],
        [str(year) for year in range(1990, 1999)],
        [f"2004-{month:02}" for month in range(1, 10)],
    ],
    ids=lambda names: names[0],
)
def test_columns_named_after_times_in_a_row_are_one_sequence(names):
    frame = courses(names).with_columns(pl.Series("sex", ["f", "m"] * 60))
    schema = propose_schema(frame).schema
    assert schema.names == (f"{names[0]}..{names[-1]}", "sex")
    attribute = schema[f"{names[0]}..{names[-1]}"]
    assert (attribute.scale.columns, attribute.role) == (tuple(names), "key")
    assert "120 records" in repr(dc.microdata(frame))


@pytest.mark.parametrize(
    "frame",
    [
        courses([f"q{i}" for i in range(1, 12)]),  # questions
        courses([f"a{age}" for age in range(15, 31)], stay=0.0),  # nobody stays what he is
        courses([f"a{age}" for age in range(15, 20)]),  # too few
        courses([f"a{age}" for age in range(15, 31, 2)]),  # times with gaps
        courses(MONTHS).select(MONTHS[0], MONTHS[2], MONTHS[1], *MONTHS[3:6]),  # out of order
        pl.DataFrame({f"y{i}": [float(j) + 0.5 + i for j in range(60)] for i in range(1, 9)}),  # quantities
    ],
)
def test_other_columns_stay_apart(frame):
    assert propose_schema(frame).schema.names == tuple(frame.columns)


def test_who_names_a_column_by_itself_keeps_it():
    frame = courses([f"a{age}" for age in range(15, 31)])
    assert dc.survey(frame, keys=["a15"]).names[0] == "a15"
    assert dc.survey(frame, others="key").names == ("a15..a30",)


def test_times_in_names():
    assert time_in_name("Jan.00").place == time_in_name("Dec.99").place + 1
    assert time_in_name("status_mar94").stem == "status_"
    assert [time_in_name(name) for name in ("salmon3", "income2004")] == [None, None]


def test_what_the_writer_wants_to_know_of_gathered_columns():
    table = pa.table({"m2": [2.0, None], "sex": ["f", "m"], "m1": [1, 2], "r1": ["x", "y"], "r2": [None, None]})
    kept = {
        "verbatim": {"m1": pa.array(["01", "02"]), "sex": pa.array(["F", "M"])},
        "styles": {"m1": "a", "sex": "b"},
        "verbatim_missing": {"r1": pa.array(["z", "z"])},
        "states": {"old": {}},
        "by": "hand",
    }
    wide, origin = gather(table, kept, [StateTable("m", ("m1", "m2")), StateTable("r", ("r1", "r2"))])
    assert list(wide.to_pydict().items()) == [
        ("m", [["01", "2"], ["02"]]), ("sex", ["f", "m"]), ("r", [["x"], ["y"]]),
    ]  # fmt: skip
    assert origin == {
        "verbatim": {"sex": kept["verbatim"]["sex"]},
        "styles": {"sex": "b"},
        "verbatim_missing": {},
        "states": {
            "old": {},
            "m": {"m1": pa.string(), "m2": pa.float64()},
            "r": {"r1": pa.string(), "r2": pa.null()},
        },
        "column_order": ("m2", "sex", "m1", "r1", "r2"),
        "by": "hand",
    }
    assert kept["styles"] == {"m1": "a", "sex": "b"}, "what came in stays"
    ordered = gather(table, {"column_order": ("x",)}, [StateTable("m", ("m1", "m2"))])[1]
    assert ordered["column_order"] == ("x",)
    same, known = gather(table, {"by": "hand"}, [])
    assert same is table
    assert known == {"by": "hand"}


@pytest.mark.parametrize(
    ("column", "remembered", "states"),
    [
        (pa.array([1.0, 2.0]), None, ["1", "2"]),
        (pa.array([1.5, 2.0]), None, ["1.5", "2"]),
        (pa.array([True, False]), None, ["true", "false"]),
        (pa.array(["a", "b"]).dictionary_encode(), None, ["a", "b"]),
        (pa.array([1, 2]), pa.array(["1.0", "2.0"]), ["1.0", "2.0"]),
        (pa.array([1, 2]), pa.array(["1.0"]), ["1", "2"]),  # remembered of another table
    ],
)
def test_states_are_what_a_file_shows(column, remembered, states):
    origin = {} if remembered is None else {"verbatim": {"m1": remembered}}
    wide, _ = gather(pa.table({"m1": column, "m2": ["x", "y"]}), origin, [StateTable("m", ("m1", "m2"))])
    assert [cell[0] for cell in wide["m"].to_pylist()] == states


def test_lists_are_no_positions():
    with pytest.raises(SchemaError, match="Column 'm1' holds lists, and cannot be one position"):
        gather(pa.table({"m1": [["a"]], "m2": ["x"]}), None, [StateTable("m", ("m1", "m2"))])


def test_tables_of_a_file_that_wait_to_be_gathered():
    listed = [
        {"name": "m", "columns": ["m1", "m2"]},
        {"name": "gone", "columns": ["g1", "g2"]},
        {"name": "here", "columns": ["m1", "m3"]},
        {"name": "m3", "columns": ["m3", "m4"]},
        {"name": "odd", "columns": "m1"},
        {"name": "none", "columns": []},
        {"name": "plain"},
    ]
    found = declared_tables(listed, ["m1", "m2", "m3", "m4", "here"])
    assert found == [StateTable("m", ("m1", "m2")), StateTable("m3", ("m3", "m4"))]
    with pytest.raises(SchemaError, match="'m': 1 of its 2 columns are not in the table, the first 'm2'"):
        declared_tables(listed[:1], ["m1"])


def test_ends_that_are_not_there_are_named():
    for text, absent in (("Jul.93..Oct.93", "Oct.93"), ("Jun.93..Jul.93", "Jun.93")):
        with pytest.raises(SchemaError, match=f"no column named '{absent}'"):
            parse_states(text, COLUMNS)
    with pytest.raises(SchemaError, match="states: column 'Sep.93' stands after 'Jul.93' in the table"):
        parse_states("Sep.93..Jul.93", COLUMNS)
    assert parse_states("Jul.93=Jul.93..Aug.93", COLUMNS).name == "Jul.93"
    assert parse_states(" course = Jul.93 , Aug.93 ,", COLUMNS) == StateTable("course", ("Jul.93", "Aug.93"))


def test_new_columns_come_last():
    assert in_order(["new", "life", "a", "more"], ["a", "m1"], {"life": ["m1"]}) == ["a", "m1", "new", "more"]
