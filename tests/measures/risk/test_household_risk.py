"""Households that are found by any of their members, by hand."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.measures.risk.household_risk import HouseholdRisk

FUEL = Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")
HOME = Attribute("home", Numeric(), "identifier", household=True)
FRAME = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil", "sun", "sun"], "home": [1, 1, 1, 2, None, None]})


def test_a_home_is_found_by_any_of_its_members():
    schema = Schema([FUEL, HOME])
    assert HouseholdRisk().per_record(FRAME, FRAME, schema) == pytest.approx([7 / 8] * 3 + [1 / 2] * 3)
    result = HouseholdRisk().measure(FRAME, FRAME, schema)
    assert result.value == pytest.approx(100 * 4.125 / 6)
    assert result.sentence.startswith(
        "An intruder who knows 1 key finds the households of about 4.1 of 6 records (68.75 %)."
    )
    assert result.details["expected_reidentifications"] == pytest.approx(4.125)
    assert result.details["largest_percent"] == pytest.approx(87.5)


def test_somebody_alone_finds_the_whole_home():
    frame = FRAME.with_columns(fuel=pl.Series(["sun", "gas", "gas", "oil", "oil", "oil"]))
    found = HouseholdRisk("home").per_record(frame, frame, Schema([FUEL, HOME]))
    assert found == pytest.approx([1, 1, 1, 1 / 3, 1 / 3, 1 / 3])


def test_a_sampling_fraction_makes_groups_larger():
    schema = Schema([FUEL, HOME])
    whole = HouseholdRisk(sampling_fraction=1.0).measure(FRAME, FRAME, schema)
    assert whole.value == pytest.approx(100 * 4.125 / 6)
    half = HouseholdRisk(sampling_fraction=0.5).measure(FRAME, FRAME, schema)
    assert half.value < whole.value


def test_missing_keys_agree_with_all_where_asked():
    frame = FRAME.with_columns(fuel=pl.Series(["gas", None, "oil", "oil", "oil", "oil"]))
    schema = Schema([FUEL, HOME])
    apart = HouseholdRisk().per_record(frame, frame, schema)
    assert apart == pytest.approx([1, 1, 1, 1 / 4, 1 / 4, 1 / 4])
    agreeing = HouseholdRisk(missing="any").per_record(frame, frame, schema)
    assert agreeing == pytest.approx([1 - 1 / 2 * 5 / 6 * 4 / 5] * 3 + [1 / 5] * 3)


def test_without_a_household_it_is_asked_for():
    plain = Schema([FUEL, Attribute("home", Numeric(), "identifier")])
    with pytest.raises(ParameterError, match="household must be the name of an attribute; got None") as caught:
        HouseholdRisk().measure(FRAME, FRAME, plain)
    assert caught.value.hint == "Name it, or declare it in the schema: household = true (--household)."
    assert HouseholdRisk("home").measure(FRAME, FRAME, plain).value == pytest.approx(68.75)
