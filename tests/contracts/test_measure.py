"""What a measure is by default, what it looks at, and what it says of what it cannot compare."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.contracts.engine import InProcess, TablePair
from discreet.contracts.measure import Measure
from discreet.errors import SchemaError, UnknownNameError
from discreet.statistics.question import Need

SCHEMA = dc.Schema(
    [
        dc.Attribute("id", dc.Numeric(), "identifier"),
        dc.Attribute("x", dc.Numeric(), "key"),
        dc.Attribute("c", dc.Nominal(("a", "b")), "key"),
        dc.Attribute("s", dc.Numeric(), "confidential"),
        dc.Attribute("o", dc.Numeric(), "other"),
        dc.Attribute("w", dc.Numeric(), "weight"),
    ]
)


def people(schema=SCHEMA, **cells):
    whole = {
        "id": [1.0, 2.0], "x": [1.0, 2.0], "c": ["a", "b"], "s": [1.0, 2.0], "o": [1.0, 2.0], "w": [1.0, 1.0],
    }  # fmt: skip
    return dc.Microdata(pl.DataFrame({name: (whole | cells)[name] for name in schema.names}), schema)


class Plain(Measure):
    """A measure that says nothing of itself but what it must."""

    name = "plain"
    kind = "loss"
    title = "Plain"
    scales = frozenset({"numeric"})

    def __init__(self, attributes=None):
        self.attributes = attributes

    def _measure(self, pair):
        return self.result(len(pair.names), f"{len(pair.names)} columns.", {"x": 1}, {"names": list(pair.names)})


class Known(Plain):
    """A risk of keys alone."""

    name = "known"
    kind = "risk"
    keys_only = True
    in_score = True


def test_a_measure_that_says_nothing_of_itself():
    flags = (
        "keys_only",
        "in_score",
        "sees_removed",
        "needs_numbers",
        "counts_equal_keys",
        "in_headline",
        "knows_masking",
    )
    assert [getattr(Measure, name) for name in flags] == [False] * len(flags)
    assert (Measure.default, Measure.sees_shuffling, Measure.need) == (True, True, Need.ALL)
    assert (Measure.low, Measure.high, Measure.unit, Measure.formula, Measure.reference) == (0.0, 100.0, "%", "", "")
    assert (Measure.joins, Measure.first_look) == ((), 0)
    assert Plain().put_together([]) is None
    assert Plain().is_told(None) is True


def test_it_looks_at_what_is_released_or_at_keys_or_at_what_is_named():
    assert Plain().columns_for(SCHEMA) == ("x", "s", "o")
    assert Known().columns_for(SCHEMA) == ("x",)
    assert Plain(["o", "c", "x"]).columns_for(SCHEMA) == ("x", "o")
    with pytest.raises(UnknownNameError, match="zz"):
        Plain(["zz"]).columns_for(SCHEMA)
    assert Plain().applies_to(SCHEMA)
    assert not Plain(["c"]).applies_to(SCHEMA)
    assert Plain(["x"]).applies_to(SCHEMA, SCHEMA)
    assert not Plain(["x"]).applies_to(SCHEMA, SCHEMA.select(["c", "s"]))
    with pytest.raises(SchemaError) as told:
        Known(["c"]).measure(people(), people())
    assert "Known: the schema has no attribute that the measure can look at." in str(told.value)
    assert "It looks at numeric keys." in str(told.value)
    with pytest.raises(SchemaError, match="It looks at numeric attributes"):
        Plain(["c"]).measure(people(), people())


def test_the_columns_of_everything_are_not_those_that_are_released_untouched():
    scope = Plain(["o"]).scope(TablePair(people(), people(SCHEMA.select(["x", "o", "w"]))), None, InProcess())
    assert scope.everything == (("x", "c", "s", "o", "w"), ("x", "o", "w"))
    assert (scope.names, scope.n, scope.weight) == (("o",), 2, "w")
    scope = Plain(["x"]).scope(TablePair(people(), people()), None, InProcess())
    assert scope.everything == (("x", "c", "s", "w"),) * 2


def test_what_is_released_on_another_scale_is_told_where_it_is_a_risk():
    ranges = SCHEMA.replacing(dc.Attribute("x", dc.Nominal(("low", "high")), "key"))
    both = ranges.replacing(dc.Attribute("s", dc.Nominal(("low", "high")), "confidential"))
    cells = {"x": ["low", "high"], "s": ["low", "high"]}
    after = people(ranges, x=cells["x"])
    loss = Plain().measure(people(), after)
    assert (loss.value, loss.sentence) == (2.0, "2 columns.")
    assert loss.details == {"names": ["s", "o"], "not_compared": ["x"]}
    one = Known(["x", "o"]).measure(people(), after)
    assert one.sentence == "1 columns. Not compared: x, which is released on a scale of another kind."
    assert not one.in_score, "no key is looked at"
    two = Known(["x", "s", "o"]).measure(people(), people(both, **cells))
    assert two.sentence == "1 columns. Not compared: x, s, which are released on a scale of another kind."
    whole = Known().measure(people(), people())
    assert (whole.in_score, whole.details, dict(whole.per_attribute)) == (True, {"names": ["x"]}, {"x": 1})
    assert (whole.name, whole.title, whole.kind, whole.unit) == ("known", "Plain", "risk", "%")
