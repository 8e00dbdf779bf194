"""Which columns the rules of the safe harbour are for, and which are refused."""

from __future__ import annotations

import pytest

from discreet.data.scales import Date, Nominal, Numeric, Ordinal, Scale
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.harbour_columns import HarbourColumns, find_columns, may_tell_age, refuse_uncovered
from discreet.statistics.census import Reach

NOTHING = HarbourColumns((), (), ())
WORDS = Nominal(["red", "blue", "green"])


def schema(**columns: Scale) -> Schema:
    return Schema([Attribute(name, scale, "key") for name, scale in columns.items()])


def test_names_scales_and_levels_say_which_rule_it_is() -> None:
    table = schema(
        age=Numeric(), alter=Ordinal(["17", "18"]), agegroup=Nominal(["young", "old"]), birth_date=Date(),
        birth_weight=Numeric(), geburtsjahr=Numeric(), zip=Numeric(), place=Nominal(["02138", "02139-1234"]),
        colour=WORDS, rooms=Numeric(),
    )  # fmt: skip
    assert find_columns(table, NOTHING, ()) == HarbourColumns(
        ages=("age", "alter"), births=("birth_date", "geburtsjahr"), codes=("zip", "place")
    )
    kept = find_columns(table, HarbourColumns(("colour",), (), ()), ("age", "zip"))
    assert kept == HarbourColumns(ages=("colour", "alter"), births=("birth_date", "geburtsjahr"), codes=("place",))
    assert kept.all == ("colour", "alter", "birth_date", "geburtsjahr", "place")


def test_most_levels_must_look_like_codes_and_identifiers_are_left_alone() -> None:
    four = Nominal(["02138", "02139", "02140", "02141", "none"])
    assert find_columns(schema(place=four), NOTHING, ()).codes == ()  # four of five are not more than that
    more = Nominal([*four.levels, "02142"])
    assert find_columns(schema(place=more), NOTHING, ()).codes == ("place",)
    hidden = Schema([Attribute("zip", WORDS, "identifier"), Attribute("age", Numeric(), "identifier")])
    assert find_columns(hidden, NOTHING, ()) == NOTHING


@pytest.mark.parametrize(
    ("low", "high", "tells"),
    [(0, 90, True), (0, 89, False), (-1, 95, False), (18, 125, True), (18, 126, False), (1900, 2000, True),
     (1940, 2100, True), (1941, 2000, False), (1850, 2101, False), (1849, 1990, False)],
)  # fmt: skip
def test_numbers_that_may_be_ages_or_years_of_birth(low: float, high: float, tells: bool) -> None:
    assert may_tell_age(Attribute("x", Numeric()), Reach(5, low, high)) == tells
    assert not may_tell_age(Attribute("x", Numeric()), Reach(0, low, high))
    assert not may_tell_age(Attribute("income", Numeric()), Reach(5, low, high))


@pytest.mark.parametrize(
    ("name", "scale", "words"),
    [
        ("agegroup", Ordinal(["0-89", "90-95", "96+"]), "tells ages beyond 90"),
        ("x", Ordinal(["17", "90"]), "may hold ages"),
        ("surname", Nominal(["Abel", "Berg", "Clark"]), "looks like a name"),
        ("city", Nominal(["Ulm", "Bonn"]), "area smaller than a state"),
    ],
)
def test_what_no_rule_is_for_is_refused_unless_somebody_looked(name: str, scale: Scale, words: str) -> None:
    table = schema(**{name: scale})
    with pytest.raises(ParameterError, match=words):
        refuse_uncovered(table, (), ())
    refuse_uncovered(table, (name,), ())
    refuse_uncovered(table, (), (name,))


def test_what_tells_nothing_is_let_out() -> None:
    refuse_uncovered(
        schema(colour=WORDS, country=Nominal(["de", "fr"]), agegroup=Ordinal(["0-44", "45-90"]), city=Nominal(["Ulm"])),
        (), (),
    )  # fmt: skip
