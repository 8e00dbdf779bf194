"""The shapes of sequences: into lists and back without loss, in every kind of frame."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.data.sequence_shapes import (
    declare_sequence,
    from_long,
    from_points,
    from_states,
    from_text,
    grid_cells,
    to_long,
    to_states,
    to_text,
)
from discreet.errors import DataError, ParameterError, SchemaError

EVENTS = st.text(alphabet="abcé ", min_size=1, max_size=3).filter(lambda word: "|" not in word)
KINDS = {"arrow": lambda t: t, "polars": pl.from_arrow, "pandas": lambda t: t.to_pandas()}


def rows(frame):
    """The rows of any kind of frame, lists as lists, NaN as None."""
    table = (
        frame
        if isinstance(frame, pa.Table)
        else (
            frame.to_arrow() if isinstance(frame, pl.DataFrame) else pa.Table.from_pandas(frame, preserve_index=False)
        )
    )
    return [{k: None if v != v else v for k, v in row.items()} for row in table.to_pylist()]


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@given(paths=st.lists(st.none() | st.lists(EVENTS, max_size=5), max_size=8))
def test_text_and_back(paths):
    table = pa.table({"n": pa.array(range(len(paths))), "path": pa.array(paths, pa.list_(pa.string()))})
    text = to_text(table, "path", delimiter="|")
    assert text["path"].to_pylist() == [None if p is None else "|".join(p) for p in paths]
    assert rows(from_text(text, "path", delimiter="|")) == rows(table)


@given(paths=st.lists(st.lists(EVENTS, max_size=5), min_size=1, max_size=8), data=st.data())
def test_long_and_back_with_times_in_any_order_of_rows(paths, data):
    times = [
        sorted(data.draw(st.lists(st.integers(0, 99), min_size=len(p), max_size=len(p), unique=True))) for p in paths
    ]
    table = pa.table(
        {
            "who": [f"p{i}" for i in range(len(paths))],
            "sex": ["f", "m"] * (len(paths) // 2) + ["f"] * (len(paths) % 2),
            "event": pa.array(paths, pa.list_(pa.string())),
            "time": pa.array(times, pa.list_(pa.int64())),
        }
    )
    long = to_long(table, identifier="who", event="event", times="time")
    assert long.num_rows == sum(max(len(p), 1) for p in paths)
    shuffled = long.take(pa.array(data.draw(st.permutations(range(long.num_rows))), type=pa.int64()))
    back = from_long(shuffled, identifier="who", time="time", event="event", keep_times=True)
    assert sorted(rows(back), key=lambda row: row["who"]) == sorted(rows(table), key=lambda row: row["who"])


@given(paths=st.lists(st.lists(EVENTS, max_size=5), min_size=1, max_size=8))
def test_states_and_back(paths):
    table = pa.table({"n": pa.array(range(len(paths))), "path": pa.array(paths, pa.list_(pa.string()))})
    names = [f"m{j}" for j in range(5)]
    states = to_states(table, "path", names)
    assert states.column_names == ["n", *names]
    assert rows(from_states(states, names, name="path")) == rows(table)


def test_every_kind_of_frame_comes_back_as_its_kind(kind):
    text = kind(pa.table({"who": ["x", "y", "z"], "path": ["a b a", "c", ""]}))
    lists = from_text(text, "path")
    assert type(lists) is type(text)
    assert rows(to_text(lists, "path")) == rows(text)
    long = to_long(lists, identifier="who", event="path")
    assert type(long) is type(text)
    assert [row["time"] for row in rows(long)] == [1, 2, 3, 1, None]
    assert rows(from_long(long, identifier="who", time="time", event="path")) == rows(lists)
    states = to_states(lists, "path")
    assert rows(from_states(states, ["path1", "path2", "path3"], name="path")) == rows(lists)
    declared = declare_sequence(lists, "path")
    assert declared.schema["path"].scale.alphabet == ("a", "b", "c")
    assert declared.encoded("path").offsets.tolist() == [0, 3, 4, 4]


def test_a_pandas_index_is_no_column():
    frame = pa.table({"who": ["x", "y"], "path": ["a b", "c"]}).to_pandas().set_axis(["r1", "r2"], axis=0)
    assert list(from_text(frame, "path").columns) == ["who", "path"]


def test_events_that_are_numbers_keep_their_kind(kind):
    frame = kind(pa.table({"who": [1, 1, 2], "t": [2.5, 1.5, 0.0], "page": [7, 3, 7]}))
    lists = from_long(frame, identifier="who", time="t", event="page")
    assert rows(lists) == [{"who": 1, "page": [3, 7]}, {"who": 2, "page": [7]}]
    assert declare_sequence(lists, "page").schema["page"].scale.alphabet == (3, 7)
    assert rows(to_states(lists, "page", ["a", "b"])) == [{"who": 1, "a": 3, "b": 7}, {"who": 2, "a": 7, "b": None}]


@pytest.mark.parametrize(
    "times",
    [
        ["10", "9", "8.5"],
        ["2009-03-19 05:46:37", "2009-03-19 05:46:30", "2008-12-01 00:00:00"],
        ["2009-03-19", "2009-03-18", "2008-03-19"],
        ["2009-03-19T05:46:37Z", "2009-03-19T05:46:30Z", "2008-12-01T00:00:00Z"],
        [3, 2, 1],
    ],
)
def test_unsorted_times_are_put_in_order(times):
    table = pa.table({"who": ["x"] * 3, "t": times, "e": ["c", "b", "a"]})
    assert from_long(table, identifier="who", time="t", event="e")["e"].to_pylist() == [["a", "b", "c"]]


def test_equal_times_keep_the_order_of_rows():
    table = pa.table({"who": ["x", "y", "x", "x"], "t": [2, 1, 1, 1], "e": ["z", "q", "b", "a"]})
    assert from_long(table, identifier="who", time="t", event="e")["e"].to_pylist() == [["b", "a", "z"], ["q"]]


def test_collapse_counts_an_event_that_follows_itself_once():
    table = pa.table({"who": ["x"] * 4 + ["y"] * 2, "t": [1, 2, 3, 4, 1, 2], "e": ["a", "a", "b", "a", "a", "a"]})
    lists = from_long(table, identifier="who", time="t", event="e", collapse=True)
    assert lists["e"].to_pylist() == [["a", "b", "a"], ["a"]]


def test_gaps_in_states():
    table = pa.table({"id": [1, 2, 3], "m1": ["a", None, ""], "m2": [None, "b", None], "m3": ["c", "", None]})
    with pytest.raises(DataError, match="2 states are missing before the last one, in 2 of 3 records"):
        from_states(table, ["m1", "m2", "m3"])
    dropped = from_states(table, ["m1", "m2", "m3"], gaps="drop")
    assert dropped["sequence"].to_pylist() == [["a", "c"], ["b"], []]


def test_life_courses(data_dir):
    frame = pl.read_csv(data_dir / "uci" / "biofam.csv", infer_schema_length=None)
    ages = [f"a{age}" for age in range(15, 31)]
    lists = from_states(frame, ages, name="life")
    assert lists["life"].list.len().unique().to_list() == [16]
    assert lists.columns.index("life") == frame.columns.index("a15")
    back = to_states(lists, "life", ages)
    assert back.equals(frame)
    assert len(declare_sequence(lists.select("life"), "life").schema["life"].scale.alphabet) == 8


def test_alphabets_of_thousands_of_events():
    rng = np.random.default_rng(0)
    paths = [[f"cell{c}" for c in rng.integers(0, 5000, 30)] for _ in range(400)]
    data = declare_sequence(to_text(pa.table({"path": paths}), "path"), "path")
    assert len(data.schema["path"].scale.alphabet) > 4000
    assert data.schema["path"].scale.decode(data.encoded("path")).to_pylist() == paths


def test_declaring_keeps_the_rest_of_the_schema():
    schema = Schema([Attribute("size", Numeric(), "confidential"), Attribute("path", Sequence(("a", "b")), "other")])
    data = Microdata(pa.table({"size": [1.0, 2.0], "path": ["a>b", "b"]}), schema)
    declared = declare_sequence(data, "path", delimiter=">", alphabet=["b", "a", "z"])
    assert declared.schema["size"] == schema["size"]
    assert declared.schema["path"].role == "key"
    assert declared.encoded("path").codes.tolist() == [1, 0, 0]


def test_grid_cells():
    cells = grid_cells(
        [0.0, 0.0, 0.009, -0.001, 60.0, 60.0], [0.0, 0.009, 0.0, 0.0, 10.0, 10.017], size=1000
    ).to_pylist()
    assert cells[0] == "0:0"
    assert cells[1] == "0:1"
    assert cells[2] == "1:0"
    assert cells[3] == "-1:0"
    # A thousand metres are twice as many degrees of longitude on the sixtieth parallel.
    assert cells[4] != cells[5]
    assert cells[4].split(":")[0] == cells[5].split(":")[0]


def test_bad_shapes_are_named_without_their_values():
    table = pa.table({"who": ["SECRET", "SECRET"], "path": ["a b", "b"]})
    with pytest.raises(DataError, match="Column 'who': 1 of 2 identifiers repeat") as caught:
        to_long(table, identifier="who", event="path")
    assert "SECRET" not in str(caught.value)
    with pytest.raises(SchemaError, match="no column 'visits'"):
        from_text(table, "visits")
    with pytest.raises(DataError, match="Column 'who': 1 of 2 identifiers are missing"):
        from_long(pa.table({"who": ["x", None], "t": [1, 2], "e": ["a", "b"]}), identifier="who", time="t", event="e")
    for bad in ({"t": [1, None], "e": ["a", "b"]}, {"t": [1, 2], "e": ["a", None]}, {"t": [1, None], "e": ["a", None]}):
        with pytest.raises(DataError, match="1 of 2 rows have no value"):
            from_long(pa.table({"who": ["x", "x"], **bad}), identifier="who", time="t", event="e")
    with pytest.raises(DataError, match="'t': the times are text that is neither numbers nor dates") as caught:
        long = pa.table({"who": ["x", "x"], "t": ["noon", "SECRET"], "e": ["a", "b"]})
        from_long(long, identifier="who", time="t", event="e")
    assert "SECRET" not in str(caught.value)
    with pytest.raises(DataError, match="Column 'sex' has more than one value for 1 of 1 values of 'who'"):
        long = pa.table({"who": ["x", "x"], "t": [1, 2], "e": ["a", "b"], "sex": ["f", "m"]})
        from_long(long, identifier="who", time="t", event="e")
    with pytest.raises(DataError, match="Column 'who': 1 of 2 identifiers are missing"):
        to_long(pa.table({"who": ["x", None], "path": ["a b", "a"]}), identifier="who", event="path")
    with pytest.raises(DataError, match="Column 'path': 1 of 2 sequences are missing"):
        to_long(pa.table({"who": ["x", "y"], "path": ["a b", None]}), identifier="who", event="path")
    with pytest.raises(DataError, match="1 of 1 lists of times do not fit"):
        to_long(pa.table({"who": ["x"], "e": [["a", "b"]], "t": [[1]]}), identifier="who", event="e", times="t")
    with pytest.raises(DataError, match="must hold a list of times"):
        to_long(pa.table({"who": ["x"], "e": [["a"]], "t": [1]}), identifier="who", event="e", times="t")
    with pytest.raises(DataError, match="1 of 2 events are empty or hold the delimiter"):
        to_text(pa.table({"e": [["a b", "c"]]}), "e")
    with pytest.raises(DataError, match="the longest sequence has 2 events; 1 columns are named"):
        to_states(pa.table({"e": [["a", "c"]]}), "e", ["x"])
    with pytest.raises(SchemaError, match="column 'x' would appear twice"):
        to_states(pa.table({"x": [1], "e": [["a"]]}), "e", ["x"])
    with pytest.raises(SchemaError, match="has a column 'e' already"):
        from_states(pa.table({"e": [1], "m": ["a"]}), ["m"], name="e")
    with pytest.raises(ParameterError, match="gaps must be one of 'error', 'drop'; got 'skip'"):
        from_states(pa.table({"m": ["a"]}), ["m"], gaps="skip")
    with pytest.raises(ParameterError, match="columns must be a list of different names"):
        from_states(pa.table({"m": ["a"]}), ["m", "m"])
    with pytest.raises(DataError, match="Column 'n': A sequence must be text or a list"):
        declare_sequence(pa.table({"n": [1.5, 2.5, 3.5]}), "n")
    with pytest.raises(DataError, match="Column 'e' holds no event in 2 records"):
        declare_sequence(pa.table({"e": ["", " "]}), "e")
    with pytest.raises(DataError, match="grid_cells: 1 of 2 points have no place"):
        grid_cells([0.0, 91.0], [0.0, 0.0])
    with pytest.raises(ParameterError, match="size must be a number above 0"):
        grid_cells([0.0], [0.0], size=0)


def test_columns_that_are_no_events_stay_in_their_places():
    long = pa.table(
        {"sex": ["f", "f", None], "who": ["x", "x", "y"], "at": [2, 1, 1], "page": ["b", "a", "c"], "n": [1, 1, 2]}
    )
    lists = from_long(long, identifier="who", time="at", event="page", keep_times=True)
    assert list(lists.to_pydict().items()) == [
        ("who", ["x", "y"]), ("sex", ["f", None]), ("n", [1, 2]), ("page", [["a", "b"], ["c"]]), ("at", [[1, 2], [1]]),
    ]  # fmt: skip
    wide = pa.table({"n": [1, 2], "path": [["a", "b"], None], "who": ["x", "y"]})
    assert list(to_states(wide, "path", ["p", "q", "r"]).to_pydict().items()) == [
        ("n", [1, 2]), ("p", ["a", None]), ("q", ["b", None]), ("r", [None, None]), ("who", ["x", "y"]),
    ]  # fmt: skip
    back = to_long(wide.slice(0, 1), identifier="who", event="path", time="when")
    assert list(back.to_pydict().items()) == [
        ("n", [1, 1]), ("when", [1, 2]), ("path", ["a", "b"]), ("who", ["x", "x"]),
    ]  # fmt: skip


def test_times_of_their_own_stand_beside_their_events_and_empty_sequences_have_none():
    table = pa.table({"who": [1, 2, 3], "e": [["a", "b"], [], ["c"]], "t": [[5, 9], [], [7]]})
    assert to_long(table, identifier="who", event="e", times="t").to_pydict() == {
        "who": [1, 1, 2, 3], "time": [5, 9, None, 7], "e": ["a", "b", None, "c"],
    }  # fmt: skip
    assert to_long(table, identifier="who", event="e").to_pydict() == {
        "who": [1, 1, 2, 3], "t": [[5, 9], [5, 9], [], [7]], "time": [1, 2, None, 1], "e": ["a", "b", None, "c"],
    }  # fmt: skip
    for wrong in ([[5, 9], [1], [7]], [[5, 9], None, []]):
        with pytest.raises(DataError, match="Column 't': 1 of 3 lists of times do not fit"):
            to_long(table.set_column(2, "t", pa.array(wrong)), identifier="who", event="e", times="t")


def test_one_row_without_time_and_event_is_an_empty_sequence_and_two_are_not():
    alone = pa.table({"who": ["x", "y", "y"], "t": [None, 1, 2], "e": [None, "a", "b"]})
    assert from_long(alone, identifier="who", time="t", event="e")["e"].to_pylist() == [[], ["a", "b"]]
    for lacking, cells in (
        ("e", {"t": [1, 1, 2], "e": [None, "a", "b"]}),
        ("t", {"t": [None, 1, 2], "e": ["c", "a", "b"]}),
    ):
        with pytest.raises(DataError, match=f"Column '{lacking}': 1 of 3 rows have no value"):
            from_long(pa.table({"who": ["x", "y", "y"], **cells}), identifier="who", time="t", event="e")
    none = pa.table({"who": pa.array([], pa.string()), "t": pa.array([], pa.int64()), "e": pa.array([], pa.string())})
    assert from_long(none, identifier="who", time="t", event="e").to_pydict() == {"who": [], "e": []}
    for collapse in (False, True):
        apart = pa.table({"who": ["x", "y"], "t": [1, 1], "e": ["a", "a"]})
        lists = from_long(apart, identifier="who", time="t", event="e", collapse=collapse)
        assert lists["e"].to_pylist() == [["a"], ["a"]]


@pytest.mark.parametrize(
    ("columns", "cells", "kind"),
    [
        ({"a": [1, 2], "b": [1.5, None]}, [[1.0, 1.5], [2.0]], pa.float64()),
        ({"a": [1, 2], "b": ["x", ""]}, [["1", "x"], ["2"]], pa.string()),
        ({"a": [1, 2], "b": [None, None]}, [[1], [2]], pa.int64()),
        ({"a": [None, None], "b": [None, None]}, [[], []], pa.string()),
        ({"a": pa.array([1, 2], pa.int8()), "b": pa.array([3, 4], pa.int64())}, [[1.0, 3.0], [2.0, 4.0]], pa.float64()),
        ({"a": [True, False], "b": [1, 2]}, [["true", "1"], ["false", "2"]], pa.string()),
        ({"a": ["", ""], "b": ["", ""]}, [[], []], pa.string()),
    ],
)
def test_states_of_several_types_get_one(columns, cells, kind):
    column = from_states(pa.table(columns), ["a", "b"])["sequence"]
    assert column.type.value_type == kind
    assert column.to_pylist() == cells


def test_a_gathered_sequence_stands_where_its_first_position_stood():
    table = pa.table({"id": [1], "m2": ["b"], "x": [5], "m1": ["a"]})
    gathered = from_states(table, ["m1", "m2"], name="way")
    assert list(gathered.to_pydict().items()) == [("id", [1]), ("way", [["a", "b"]]), ("x", [5])]
    assert from_states(table, ["m1"], name="m1").to_pydict()["m1"] == [["a"]], "a position may give its name"
    with pytest.raises(ParameterError, match="list of different names"):
        from_states(table, [])


def test_positions_are_called_as_the_schema_lists_them():
    listed = Sequence(("a", "b"), columns=("jan", "feb", "mar"))
    table = Microdata(pa.table({"way": [["a", "b"], ["b"]]}), Schema([Attribute("way", listed, "key")]))
    assert to_states(table, "way").to_pydict() == {"jan": ["a", "b"], "feb": ["b", None], "mar": [None, None]}
    assert to_states(table, "way", ["u", "v"]).to_pydict() == {"u": ["a", "b"], "v": ["b", None]}
    with pytest.raises(SchemaError, match="column 'u' would appear twice"):
        to_states(table, "way", ["u", "v", "u"])


def test_points_become_trajectories():
    told = {"identifier": "who", "time": "at", "x": "e", "y": "n"}
    rows = pa.table({"who": ["x", "y", "x", "x"], "at": [90, 8, 7, 191], "e": [1.5, 2.0, 1.0, 0.5], "n": [0, 0, 1, 3]})
    ways = from_points(rows, **told, name="way")
    assert ways.to_pydict() == {"who": ["x", "y"], "way": [["7,1,1", "90,1.5,0", "191,0.5,3"], ["8,2,0"]]}
    for pause, cuts in ((101, [3]), (100, [2, 1]), (83, [2, 1]), (82, [1, 1, 1])):
        lengths = [len(way) for who, way in _pairs(from_points(rows, **told, pause=pause)) if who == "x"]
        assert lengths == cuts
    halves = rows.set_column(1, "at", pa.array([90.5, 8.0, 7.0, 191.0]))
    assert from_points(halves, **told)["trajectory"].to_pylist()[0] == ["7,1,1", "90.5,1.5,0", "191,0.5,3"]
    none = from_points(rows.slice(0, 0), **told)
    assert none.to_pydict() == {"who": [], "trajectory": []}


def _pairs(table):
    return list(zip(*table.to_pydict().values(), strict=True))


def test_days_of_points_and_moments_before_the_epoch():
    told = {"identifier": "who", "time": "at", "x": "e", "y": "n"}
    times = [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)]
    rows = pa.table({"who": [1, 1], "at": times, "e": [1, 2], "n": [3, 4]})
    assert from_points(rows, **told, daily=True)["trajectory"].to_pylist() == [["86399,1,3"], ["0,2,4"]]
    assert from_points(rows, **told)["trajectory"].to_pylist() == [
        ["1969-12-31 23:59:59,1,3", "1970-01-01 00:00:00,2,4"]
    ]
    half = rows.set_column(1, "at", pa.array([1_500_000, 86_400_250_000], pa.timestamp("us")))
    assert from_points(half, **told, daily=True)["trajectory"].to_pylist() == [["1.5,1,3"], ["0.25,2,4"]]
    days = rows.set_column(1, "at", pa.array([date(2020, 1, 2), date(2020, 1, 1)]))
    assert from_points(days, **told)["trajectory"].to_pylist() == [
        ["2020-01-01 00:00:00,2,4", "2020-01-02 00:00:00,1,3"]
    ]
    both = pa.table({"who": [1, 1], "at": [1, 2], "e": [None, 5], "n": pa.array([None, None], pa.int64())})
    with pytest.raises(DataError, match="Column 'e': 1 of 2 values are missing"):
        from_points(both, **told)
    for place, name in enumerate(("who", "at", "e", "n")):
        holed = rows.set_column(place, name, pa.array([None, rows[name][1].as_py()]))
        with pytest.raises(DataError, match=f"Column '{name}': 1 of 2 values are missing"):
            from_points(holed, **told)


@pytest.mark.parametrize("size", [500.0, 1000.0, 250_000.0])
def test_cells_are_those_of_a_slow_twin(size):
    rng = np.random.default_rng(8)
    north, east = [*rng.uniform(-90, 90, 60), 90, -90, 0], [*rng.uniform(-180, 180, 60), 180, -180, 0]
    expected = []
    for latitude, longitude in zip(north, east, strict=True):
        row = math.floor(latitude * 111_320 / size)
        narrow = max(math.cos(math.radians((row + 0.5) * size / 111_320)), 0.001)
        expected.append(f"{row}:{math.floor(longitude * narrow * 111_320 / size)}")
    assert grid_cells(north, east, size=size).to_pylist() == expected


@pytest.mark.parametrize(("north", "east"), [([90.001], [0]), ([0], [-180.001]), ([math.nan], [0]), ([0, 0], [0])])
def test_points_off_the_map_have_no_cell(north, east):
    with pytest.raises(DataError, match="points have no place on the map"):
        grid_cells(north, east)
    assert grid_cells([90, -90], [180, -180]).null_count == 0
    assert grid_cells([48.2], [16.37]).to_pylist() == grid_cells([48.2], [16.37], size=500).to_pylist()


def test_a_declared_sequence_keeps_codes_and_label_of_its_column():
    schema = Schema([Attribute("path", Sequence(("a",)), "other", missing=("?",), label="Way")])
    data = Microdata(pa.table({"path": ["a", None]}), schema, origin={"by": "hand"})
    declared = declare_sequence(data, "path", role="confidential")
    assert declared.schema["path"] == Attribute("path", Sequence(("a",)), "confidential", missing=("?",), label="Way")
    assert declared.origin == {"by": "hand"}


def test_missing_events_and_sequences_in_text():
    assert to_text(pa.table({"n": [1, 2], "e": [["a"], None]}), "e").to_pydict() == {"n": [1, 2], "e": ["a", None]}
    with pytest.raises(DataError, match="2 of 3 events are empty or hold the delimiter"):
        to_text(pa.table({"e": [["", "b"], ["a>"]]}), "e", delimiter=">")
