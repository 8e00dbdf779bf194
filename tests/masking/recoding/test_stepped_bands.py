"""Bands of a rule that needs only between what the numbers of a column lie."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from discreet.data.scales import Date, Numeric
from discreet.errors import ParameterError
from discreet.masking.recoding.band_names import Bands
from discreet.masking.recoding.band_rule import MOST_BANDS, BandRule
from discreet.masking.recoding.stepped_bands import rule_bands


def bands(rule: str, reach: tuple[float, float] = (17, 90), *, whole: bool = True) -> Bands:
    return rule_bands("Banding", "age", BandRule.of(rule), Numeric(), reach, whole=whole)


@pytest.mark.parametrize(
    ("rule", "reach", "edges"),
    [
        ("width:10", (17, 90), tuple(range(10, 101, 10))),
        ("equal:4", (17, 90), (0, 30, 60, 90, 120)),
        ("nice:8", (17, 90), (0, 20, 40, 60, 80, 100)),
        ("log:3", (1, 1000), (1, 100, 10_000)),
        ("0,20,60", (17, 90), (0, 20, 60)),
    ],
)
def test_edges_by_hand(rule: str, reach: tuple[float, float], edges: tuple[float, ...]) -> None:
    found = bands(rule, reach)
    assert found.edges == edges
    assert (found.low_open, found.high_open) == (False, False)
    # Breaks that somebody wrote take in the last number.
    assert found.closed == (rule == "0,20,60")


def test_open_ends() -> None:
    assert bands("width:10,<20,60+") == Bands((20, 30, 40, 50, 60), True, True)
    assert bands("0,20,60+") == Bands((0, 20, 60), False, True, closed=False)
    assert bands("<20,60") == Bands((20, 60), True, False, closed=True)
    assert bands("width:20,60+").edges[-1] == 60
    assert bands("width:20,<40").edges[0] == 40


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(ParameterError, match="no logarithm"):
        bands("log:3", (0, 90))
    assert bands("log:3", (0.5, 90)).edges[0] > 0
    for rule in ("count:3", "optimal:3"):
        with pytest.raises(ParameterError, match="need the records of a column"):
            bands(rule)
    with pytest.raises(ParameterError, match=f"more than {MOST_BANDS} bands"):
        bands("width:1", (0, MOST_BANDS + 0.5))
    assert len(bands("width:1", (0.5, MOST_BANDS - 0.5)).edges) == MOST_BANDS + 1


@pytest.mark.parametrize(
    ("number", "first", "last", "edges"),
    [
        (12, "2020-02-10", "2021-01-05", ("2020-02-01", "2020-03-01", 13, "2021-02-01")),  # twelve months
        (11, "2020-02-10", "2021-01-05", ("2020-01-01", "2020-04-01", 6, "2021-04-01")),  # five quarters
        (4, "2018-02-10", "2021-01-05", ("2018-01-01", "2019-01-01", 5, "2022-01-01")),  # four years
        (3, "2018-02-10", "2021-01-05", ("2010-01-01", "2020-01-01", 3, "2030-01-01")),  # two decades
        (1, "1985-02-10", "2021-01-05", ("1980-01-01", "1990-01-01", 6, "2030-01-01")),  # decades are the coarsest
    ],
)
def test_dates_have_the_finest_unit_of_which_there_are_no_more(
    number: int, first: str, last: str, edges: tuple[str, str, int, str]
) -> None:
    day = Date()
    low, high = day.encode([first, last]).tolist()
    found = rule_bands("Banding", "when", BandRule.of(f"nice:{number}"), day, (low, high), whole=True).edges
    written = [one.isoformat() for one in day.decode(np.array(found)).to_pylist() if isinstance(one, dt.date)]
    assert (written[0], written[1], len(found), written[-1]) == edges


def test_other_rules_of_dates_are_refused() -> None:
    with pytest.raises(ParameterError, match="not by width"):
        rule_bands("Banding", "when", BandRule.of("width:10"), Date(), (0, 9), whole=True)
