from __future__ import annotations

from math import log

import polars as pl
import pytest

from discreet.data.guarantees import Guarantee, Tally, recount_of
from discreet.data.risk_recount import RiskRecount


def promise(risk, **more):
    return Guarantee("risk-suppression", ("x", "y"), 1, risk=risk, weight="w", **more)


def tally(guarantee, *frames):
    count = recount_of(guarantee)
    assert isinstance(count, RiskRecount)
    for frame in frames:
        count.add(frame)
    return count.tally()


FRAME = pl.DataFrame({"x": ["a", "a", "b"], "y": ["1", "1", ""], "w": ["10", "30,0", "17.0"]})
ALONE = log(17) / 16


@pytest.mark.parametrize(("risk", "short"), [(ALONE, 0), (ALONE - 1e-6, 1), (0.01, 3)])
def test_classes_are_counted_with_the_weights_as_text(risk, short):
    assert tally(promise(risk), FRAME) == Tally(1, short)
    assert tally(promise(risk), FRAME[:1], FRAME[1:]) == Tally(1, short), "parts add up"


def test_a_gap_agrees_with_everything_where_the_promise_reads_it_so():
    more = pl.concat([FRAME, pl.DataFrame({"x": ["b"], "y": ["2"], "w": ["400"]})])
    assert tally(promise(0.1), more).short == 1
    assert tally(promise(0.1, wildcard=True), more).short == 0
    coded = more.with_columns(pl.col("y").replace("", "-9"))
    assert tally(promise(0.1, wildcard=True), coded).short == 1
    assert tally(promise(0.1, wildcard=True, missing={"y": ("-9",)}), coded).short == 0


def test_a_household_counts_once_with_its_mean_weight():
    home = pl.DataFrame({"x": ["a"] * 3, "y": ["1"] * 3, "w": [10.0, 20.0, 30.0], "house": [5, 5, 5]})
    assert tally(promise(log(20) / 19, unit="house"), home).short == 0
    assert tally(promise(log(20) / 19 - 1e-6, unit="house"), home).short == 3
    assert tally(promise(0.05), home).short == 0, "as single records three share their keys"


def test_a_record_without_a_household_is_one_of_its_own():
    home = pl.DataFrame({"x": ["a"] * 4, "y": ["1"] * 4, "w": [10.0] * 4, "house": [5, 5, -1, None]})
    for codes, size in (((), 3), ((-1,), 3), ((5,), 4), ((7,), 3)):
        told = promise(1.0, unit="house", missing={"house": codes})
        assert tally(told, home) == Tally(size, 0)
    twice = home.with_columns(house=pl.Series([5, 5, -1, -1]))
    assert tally(promise(1.0, unit="house"), twice) == Tally(2, 0)
    assert tally(promise(1.0, unit="house", missing={"house": (-1,)}), twice) == Tally(3, 0)
    assert tally(promise(1.0, unit="house"), twice.drop("house")) == Tally(4, 0)


def test_strata_keep_records_apart():
    both = FRAME.with_columns(land=pl.Series(["n", "s", "n"]))
    assert tally(promise(1.0), both) == Tally(1, 0)
    two = both[:2]
    assert tally(promise(1.0), two) == Tally(2, 0)
    assert tally(promise(1.0, strata=("land",)), two) == Tally(1, 0)
    assert tally(promise(1.0, strata=("land",), wildcard=True), two.with_columns(y=pl.lit(""))) == Tally(1, 0)
    assert tally(promise(1.0, wildcard=True), two.with_columns(pl.lit("").alias("x"), y=pl.lit(""))) == Tally(2, 0)
    assert tally(promise(1.0), two.drop("x", "y")) is None
    assert tally(promise(1.0), two[:0]) is None


def test_without_weights_nothing_can_be_counted():
    assert tally(promise(0.001), FRAME.drop("w")) is None


def test_says_what_it_is():
    assert promise(0.05).subject == "individual risks of at most 0.05"
    assert promise(0.05).to_dict()["risk"] == 0.05
    assert "No unit of house has an individual risk above 0.05 by its x, y" in promise(0.05, unit="house").sentence


def test_a_weight_that_is_no_number_weighs_nothing():
    # Nobody else stands behind such a record: it is counted as alone in the population too.
    odd = pl.DataFrame({"x": ["a", "b"], "y": ["1", "2"], "w": ["none", ' "17,0" ']})
    assert tally(promise(1.0), odd).short == 0
    assert tally(promise(ALONE), odd).short == 1
    assert tally(promise(0.999), odd[:1]).short == 1
    assert tally(promise(ALONE), odd[1:]).short == 0
    pair = pl.DataFrame({"x": ["a", "a"], "y": ["1", "1"], "w": ["none", "17"]})
    heavy = pl.DataFrame({"x": ["a", "a"], "y": ["1", "1"], "w": ["8.5", "8.5"]})
    for risk in (0.1, 0.12, 0.14, 0.16, 0.2):
        assert tally(promise(risk), pair) == tally(promise(risk), heavy)
