"""Which names are times, and which columns are the course of one thing."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inferring.looking import Look
from discreet.data.inferring.state_runs import find_state_runs, time_in_name


@pytest.mark.parametrize("name", ["a1", "a9", "d3", "t0", "q7", "item12", "x2001y", "income", "m5"])
def test_names_of_questions_are_no_times(name):
    assert time_in_name(name) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a15", "a16"),
        ("wave1", "wave2"),
        ("1999", "2000"),
        ("Dec.93", "Jan.94"),
        ("2019-12", "2020-01"),
        ("age9", "age10"),
    ],
)
def test_times_follow_each_other(first, second):
    one, other = time_in_name(first), time_in_name(second)
    assert one[:2] == other[:2]
    assert other.place == one.place + 1


def answers(names, stay=0.9, n=200):
    """Columns in which most people go on answering as they did."""
    rng = np.random.default_rng(4)
    columns = [rng.choice(["no", "yes"], n)]
    for _ in names[1:]:
        columns.append(np.where(rng.random(n) < stay, columns[-1], rng.choice(["no", "yes"], n)))
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


def test_a_battery_of_questions_is_no_course_and_waves_are():
    battery = dc.inspect(answers([f"a{i}" for i in range(1, 9)])).schema
    assert len(battery) == 8
    assert not battery.of_scale("sequence")
    waves = dc.inspect(answers([f"wave{i}" for i in range(1, 9)])).schema
    assert len(waves.of_scale("sequence")) == 1


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("2019-12", ("", "year-month", 12 * 2019 + 12)),
        ("work_2019m07", ("work", "year-month", 12 * 2019 + 7)),
        ("y201901", ("y", "year-month", 12 * 2019 + 1)),
        ("Jan93", ("", "month", 12 * 1993)),
        ("dec.1993", ("", "month", 12 * 1993 + 11)),
        ("Jan.49", ("", "month", 12 * 2049)),
        ("Jan.50", ("", "month", 12 * 1950)),
        ("Jan.00", ("", "month", 12 * 2000)),
        ("Jan", ("", "month", 0)),
        ("status mar", ("status ", "month", 2)),
        ("status_mar", ("status_", "month", 2)),
        ("summar", None),  # a word that ends so
        ("1850", ("", "number", 1850)),
        ("1849", None),
        ("2100", ("", "number", 2100)),
        ("2101", None),
        ("a10", ("a", "number", 10)),
        ("a9", None),
        (" Week_3 ", ("week", "number", 3)),
        ("item12", None),
        ("wave12345", None),
        ("wave", None),
        ("", None),
    ],
)
def test_the_time_that_a_column_is_named_after(name, time):
    assert time_in_name(name) == time


def looks(names, states=("a", "b"), n=40, change=1, **more):
    """Columns in which so many of the records move on from each to the next."""
    places, result = [i % len(states) for i in range(n)], []
    for number, name in enumerate(names):
        for j in range(change):
            places[(number * change + j) % n] += 1
        column = pa.array([states[place % len(states)] for place in places])
        result.append(Look(name, column, column, **more))
    return result


def runs(columns, apart=None):
    return [[look.name for look in run] for run in find_state_runs(columns, apart)]


WAVES = [f"wave{i}" for i in range(1, 7)]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (WAVES, [WAVES]),
        (WAVES[:5], []),
        ([*WAVES[:3], "other", *WAVES[3:]], []),
        ([*WAVES, "other", *(f"age{i}" for i in range(20, 26))], [WAVES, [f"age{i}" for i in range(20, 26)]]),
        ([*WAVES, *(f"wave{i}" for i in range(10, 17))], [WAVES, [f"wave{i}" for i in range(10, 17)]]),
        ([*WAVES, *(f"age{i}" for i in range(7, 13))], [WAVES, [f"age{i}" for i in range(7, 13)]]),
        (list(reversed(WAVES)), []),
        (["wave1", "wave3", "wave5", "wave7", "wave9", "wave11"], []),
    ],
)
def test_runs_are_times_in_a_row(names, found):
    assert runs(looks(names)) == found


def test_a_column_that_somebody_named_is_no_position():
    columns = looks([*WAVES, "wave7"])
    assert runs(columns, lambda name: name == "wave7") == [WAVES]
    assert runs(columns, lambda name: name == "wave4") == []
    assert runs(columns, lambda name: False) == [[*WAVES, "wave7"]]  # noqa: ARG005 - a name that nobody gave


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"change": 15}, 1),
        ({"change": 16}, 0),  # six in ten agree, and more have to
        ({"states": ("a",)}, 0),
        ({"states": (1, 2, 3)}, 1),
        ({"states": (1.5, 2.5)}, 0),
        ({"states": tuple("abcdefgh")}, 1),  # a fifth of forty
        ({"states": tuple("abcdefghi")}, 0),
        ({"states": tuple("abcdefghijklmnopqrst"), "n": 100}, 1),
        ({"states": tuple("abcdefghijklmnopqrstu"), "n": 200}, 0),
        ({"label": "Work"}, 0),
    ],
)
def test_the_same_few_states_that_most_records_keep(more, found):
    assert len(runs(looks(WAVES, **more))) == found


def test_empty_cells_agree_with_each_other_and_lists_or_dates_are_no_states():
    empty = [pa.array(["a", "b", *[None] * 38]) for _ in WAVES]
    assert len(runs([Look(n, c, c.drop_null()) for n, c in zip(WAVES, empty, strict=True)])) == 1
    for cells in ([["a"], ["b"]] * 20, [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 20, [None] * 40):
        column = pa.array(cells)
        assert runs([Look(name, column, column.drop_null()) for name in WAVES]) == []
