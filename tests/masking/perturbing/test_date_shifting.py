"""Dates moved by a person's offset: intervals stay, nobody stays, and the seed alone gives nothing back."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from tests.masking.dates_table import COLUMNS, SCHEMA, dates, dates_table

import discreet as dc

DAY = {"born": 1.0, "admitted": 1.0, "seen": 86_400.0, "discharged": 1.0}


def offsets(masked: dc.Microdata, original: dc.Microdata) -> np.ndarray:
    return np.stack([(masked.encoded(name) - original.encoded(name)) / DAY[name] for name in COLUMNS], axis=1)


def test_all_dates_of_a_person_move_alike_and_no_two_persons_need_to() -> None:
    original = dates(300)
    masked = dc.DateShifting(100, person="person", random_state=1).mask(original).microdata
    moved = offsets(masked, original)
    assert (moved == moved[:, :1]).all(), "one offset a record, in every column"
    people = np.array(original.column("person").to_pylist())
    by_person = {person: set(moved[people == person, 0]) for person in set(people)}
    assert all(len(days) == 1 for days in by_person.values())
    sizes = np.abs(moved[:, 0])
    assert sizes.min() >= 1
    assert sizes.max() <= 100
    assert len({next(iter(days)) for days in by_person.values()}) > 50
    assert 20 < np.mean([next(iter(days)) > 0 for days in by_person.values()]) * 100 < 80


def test_weeks_keep_the_day_of_the_week_and_least_is_kept() -> None:
    original = dates(200)
    moved = offsets(dc.DateShifting(60, least=15, keep_weekday=True, random_state=2).mask(original).microdata, original)
    assert set(np.abs(moved).ravel()) == {21.0, 28.0, 35.0, 42.0, 49.0, 56.0}


def test_the_seed_and_the_release_do_not_give_the_offsets_back() -> None:
    """An intruder with the release, the seed and the source draws again from what he has, for everybody he knows."""
    original = dates(300)
    masker = dc.DateShifting(180, person="person", random_state=1)
    released = masker.mask(original).microdata
    truth = offsets(released, original)[:, 0]
    # He joins the persons he knows to the release, and runs the published method with the published seed on it.
    people = original.to_arrow().column("person")
    guess = dc.Microdata(released.to_arrow().add_column(0, "person", people), SCHEMA)
    drawn = offsets(masker.mask(guess).microdata, guess)[:, 0]
    persons = np.unique(np.array(people.to_pylist()), return_index=True)[1]
    assert (drawn == truth)[persons].mean() < 0.05
    assert (drawn == -truth)[persons].mean() < 0.05
    # Nor does one changed date of somebody else leave the offsets as they were.
    other = dates_table(300)
    born = other["born"].to_pylist()
    born[0] = born[1]
    other = other.set_column(1, "born", pa.array(born))
    again = dc.Microdata(other, SCHEMA)
    assert (offsets(masker.mask(again).microdata, again)[:, 0] == truth)[persons].mean() < 0.05


def test_a_date_that_is_left_out_is_told_of() -> None:
    masked = dc.DateShifting(30, attributes=["born"], random_state=1).mask(dates())
    assert any("Dates that were not moved (3: admitted, seen, discharged)" in note for note in masked.provenance.notes)


def test_a_record_without_a_person_moves_alone() -> None:
    table = dates_table(50)
    table = table.set_column(0, "person", pa.array([None] * 50, pa.string()))
    original = dc.Microdata(table, SCHEMA)
    moved = offsets(dc.DateShifting(300, person="person", random_state=1).mask(original).microdata, original)[:, 0]
    assert len(set(moved)) > 30


def test_what_is_refused() -> None:
    with pytest.raises(dc.errors.ParameterError, match="in whole weeks"):
        dc.DateShifting(6, keep_weekday=True).mask(dates())
    with pytest.raises(dc.errors.UnknownNameError, match="nobody"):
        dc.DateShifting(6, person="nobody").mask(dates())


@pytest.mark.parametrize(
    ("days", "least", "weekly", "offsets"),
    [
        (3, 1, False, [1, 2, -1, -3, -3]),
        (5, 3, False, [3, 4, -3, -5, -5]),
        (4, 4, False, [4, 4, -4, -4, -4]),
        (27, 1, True, [7, 14, -7, -21, -21]),
        (20, 8, True, [14, 14, -14, -14, -14]),
        (20, 7, True, [7, 7, -7, -14, -14]),
    ],
)
def test_offsets_by_hand(days: int, least: int, weekly: bool, offsets: list[int]) -> None:
    masker = dc.DateShifting(days, least=least, keep_weekday=weekly)
    drawn = SimpleNamespace(uniform=lambda rows: np.array([0.0, 0.2, 0.5, 0.99, 1.0])[rows])
    draws = SimpleNamespace(child=lambda name: drawn if name == "record" else None)
    moved = masker._offsets(SimpleNamespace(draws=draws), SimpleNamespace(rows=np.arange(5)))
    assert moved.tolist() == offsets


def test_persons_by_hand() -> None:
    schema = dc.Schema([
        dc.Attribute("who", dc.Nominal(("",)), "identifier", ("?",)),
        dc.Attribute("day", dc.Date(), "key"),
        dc.Attribute("moment", dc.DateTime(), "key"),
    ])  # fmt: skip
    table = pa.table({
        "who": ["b", "a", None, "b", "?"], "day": ["2020-01-01"] * 4 + [None], "moment": ["2020-01-01 10:30"] * 5,
    })  # fmt: skip
    original = dc.Microdata(table, schema)
    draws = SimpleNamespace(
        child=lambda _: SimpleNamespace(uniform=lambda _: np.array([0.3, 0.3, 0.3, 0.3, 0.8])),
        integer=lambda kind, text: {("person", "a"): 0, ("person", "b"): 2**61}[kind, text],
    )
    plan = SimpleNamespace(draws=draws, names=("day", "moment"))
    masker = dc.DateShifting(4, person="who")
    moved = masker.apply(plan, SimpleNamespace(original=original, rows=np.arange(5)))
    days = moved["day"] - original.encoded("day")
    assert days.tolist()[:4] == [-1, 1, 3, -1]
    assert np.isnan(days[4])
    unit = 86_400_000_000 // original.schema["moment"].scale.micros
    assert (moved["moment"] - original.encoded("moment")).tolist() == [-unit, unit, 3 * unit, -unit, -3 * unit]


def test_offsets_that_cannot_be_are_refused_and_all_others_are_not() -> None:
    for days, least, weekly, said in (
        (3, 4, False, "at least 4 days; got 3"),
        (6, 1, True, "at least 1 days in whole weeks; got 6"),
        (13, 8, True, "at least 8 days in whole weeks; got 13"),
    ):
        with pytest.raises(dc.errors.ParameterError, match=f"DateShifting: days must leave an offset of {said}"):
            dc.DateShifting(days, least=least, keep_weekday=weekly).columns_for(SCHEMA)
    for days, least, weekly in ((3, 3, False), (7, 7, True), (14, 8, True)):
        assert dc.DateShifting(days, least=least, keep_weekday=weekly).columns_for(SCHEMA)


def test_nothing_is_told_where_every_date_moves() -> None:
    notes = dc.DateShifting(30, random_state=1).mask(dates(20)).provenance.notes
    assert not any("not moved" in note for note in notes)
