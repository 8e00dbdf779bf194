"""What is told of a masking's changes, beside counts made cell by cell."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.microdata import microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.changes import column_changes, suppressions_by_group

SCHEMA = Schema(
    [
        Attribute("id", Numeric(), "identifier"),
        Attribute("region", Nominal(["n", "s", "w"]), "key"),
        Attribute("wage", Numeric(), "key"),
        Attribute("age", Numeric(), "key"),
    ]
)
REGIONS = ["n"] * 10 + ["s"] * 6 + ["w"] * 2 + [None] * 2
BEFORE = pl.DataFrame(
    {"id": range(20), "region": REGIONS, "wage": [float(i) for i in range(20)], "age": [None] * 2 + [30.0] * 18}
)


def tables(lost_wages, lost_ages=()):
    wages = [None if i in lost_wages else float(i) for i in range(20)]
    ages = [None if i in lost_ages or i < 2 else 30.0 for i in range(20)]
    after = BEFORE.with_columns(pl.Series("wage", wages), pl.Series("age", ages))
    return microdata(BEFORE, SCHEMA), microdata(after, SCHEMA)


def told(*lost, smallest):
    groups = suppressions_by_group(*tables(*lost), ["region", "wage", "nowhere"], smallest)
    return [(group.domain, group.level, group.records, group.percent) for group in groups]


def test_groups_are_told_by_themselves_and_small_ones_together():
    # Of 10 in the north: 10 regions, 10 wages, 8 ages; 5 wages and 2 ages are gone, so 7 of 28.
    lost = ({0, 1, 2, 3, 4, 10, 11, 12, 16, 17, 18}, {5, 6})
    assert told(*lost, smallest=3) == [
        ("region", "n", 10, 25.0),
        ("region", "s", 6, round(100 * 3 / 18)),
        ("region", "", 4, round(100 * 3 / 10)),
    ]


def test_few_suppressions_are_not_counted_and_groups_that_stay_small_not_shown():
    assert told({0, 1, 10, 11, 12, 13, 14}, smallest=5) == [("region", "n", 10, None), ("region", "s", 6, 28.0)]


def test_where_nothing_was_suppressed_nothing_is_told():
    assert told((), smallest=1) == []


@pytest.mark.parametrize(
    ("lost", "smallest", "suppressed"), [(3, 3, 3), (2, 3, None), (0, 3, 0), (17, 3, 17), (18, 3, None), (20, 3, 20)]
)
def test_a_count_is_told_where_neither_it_nor_its_rest_is_small(lost, smallest, suppressed):
    changes = {one.name: one for one in column_changes(*tables(set(range(lost))), {"wage": 12.34}, smallest)}
    assert "id" not in changes
    assert changes["wage"].cells == 20
    assert changes["wage"].suppressed == suppressed
    assert changes["wage"].changed == 0
    assert changes["wage"].few == (0 < lost < smallest)
    assert changes["wage"].loss == (12.3 if lost >= smallest else None)
    assert changes["age"].loss is None
