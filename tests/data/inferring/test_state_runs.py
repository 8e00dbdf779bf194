"""Which names are times, and which columns are the course of one thing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.inferring.state_runs import time_in_name


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
