"""Three intruders who guess, by hand: in the file, in the population, and with a file of it."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.measures.risk.guesses import JournalistRisk, MarketerRisk, ProsecutorRisk

SCHEMA = Schema([Attribute("age", Numeric(), "key"), Attribute("fuel", Nominal(["gas", "oil"]), "key")])
WEIGHTED = Schema([*SCHEMA, Attribute("w", Numeric(), "weight")])
FRAME = pl.DataFrame({"age": [31, 31, 40, 40, 40], "fuel": ["gas", "gas", "oil", "oil", "gas"]})


def table(frame=FRAME, schema=SCHEMA):
    return Microdata(frame, schema)


def test_a_prosecutor_is_told_whole():
    result = ProsecutorRisk(threshold=0.5).measure(table(), table())
    assert result.value == 100
    assert result.sentence == (
        "An intruder who knows 2 keys and that the target is in the file is right with a chance of up to 100.0 %; 1 "
        "records exceed 50 %."
    )
    figures = {"highest_percent": 100, "mean_percent": 60, "threshold_percent": 50, "records_at_risk": 1}
    assert {name: result.details[name] for name in figures} == figures
    lower = ProsecutorRisk(threshold=0.49).measure(table(), table())
    assert lower.details["records_at_risk"] == 5
    assert ProsecutorRisk().threshold == 0.2


@pytest.mark.parametrize(
    ("weights", "highest", "mean", "source"),
    [
        (None, 100, 60, "the file itself"),
        ([2.0, 2.0, 1.0, 4.0, 8.0], 25, (2 * 25 + 2 * 20 + 12.5) / 5, "survey weights"),
        ([0.5, 0.5, 1.0, 4.0, 8.0], 50, (2 * 50 + 2 * 20 + 12.5) / 5, "survey weights"),  # never fewer than in the file
    ],
)
def test_groups_of_the_population_by_weights(weights, highest, mean, source):
    data = table() if weights is None else table(FRAME.with_columns(w=pl.Series(weights)), WEIGHTED)
    one = JournalistRisk().measure(data, data)
    assert one.value == one.details["highest_percent"] == pytest.approx(highest)
    assert one.details["population_from"] == source
    assert one.sentence == (
        f"An intruder who knows 2 keys and the population is right about a record with a chance of up to "
        f"{highest:.1f} %; {one.details['records_at_risk']} records exceed 20 %."
    )
    all_of_them = MarketerRisk().measure(data, data)
    assert all_of_them.value == all_of_them.details["mean_percent"] == pytest.approx(mean)
    assert all_of_them.sentence == (
        f"An intruder who matches the whole file with the population on 2 keys is right about {mean:.2f} % of the "
        "records."
    )
    assert all_of_them.details["population_from"] == source


def test_a_file_of_the_population_is_counted_by_what_its_cells_say():
    people = pl.DataFrame(
        {"age": [31.0] * 4 + [40.0] * 5 + [7.0], "fuel": ["gas"] * 4 + ["oil"] + ["gas"] * 3 + [None, "oil"]}
    )
    population = table(people)
    result = MarketerRisk(population=population).measure(table(), table())
    # Four of 31 with gas; one of 40 with oil, where the file has two; three of 40 with gas.
    assert result.value == pytest.approx(100 * (2 / 4 + 2 / 2 + 1 / 3) / 5)
    assert result.details["highest_percent"] == pytest.approx(50)
    assert result.details["records_at_risk"] == 5
    assert result.details["population_from"] == "population file"
    assert JournalistRisk(population=population).per_record(table(), table()) == pytest.approx(
        [1 / 4, 1 / 4, 1 / 2, 1 / 2, 1 / 3]
    )


def test_missing_cells_are_values_as_they_are_written():
    schema = Schema([Attribute("age", Numeric(), "key", (-8, -9))])
    data = table(pl.DataFrame({"age": [-8, -9, -9, None, 5]}), schema)
    people = table(pl.DataFrame({"age": [-8] * 4 + [-9] * 8 + [None] * 2 + [5] * 5}), schema)
    risk = JournalistRisk(population=people)
    assert risk.per_record(data, data) == pytest.approx([1 / 4, 1 / 8, 1 / 8, 1 / 2, 1 / 5])
    assert risk.measure(data, data).value == pytest.approx(50)
