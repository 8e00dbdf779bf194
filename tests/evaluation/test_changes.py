"""What is told of a masking's changes, beside counts made cell by cell."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.block import Block
from discreet.data.microdata import microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.changes import (
    CellCounts,
    CellTally,
    changes_told,
    column_changes,
    suppressions_by_group,
    suppressions_told,
)

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


# --------------------------------------------------------------------------------------------------- cells that differ


def pair(before, after, old=None, new=None):
    old, new = old or dc.Numeric(), new or old or dc.Numeric()

    def table(cells, scale):
        kind = pl.Float64 if scale.kind == "numeric" else pl.String
        return microdata(pl.DataFrame({"x": cells}, schema={"x": kind}), Schema([Attribute("x", scale, "key")]))

    return table(before, old), table(after, new)


LETTERS, TURNED = dc.Nominal(("a", "b", "c")), dc.Nominal(("c", "b", "z", "a"))
NUMBERS = dc.Nominal(("1", "2"))


@pytest.mark.parametrize(
    ("tables", "counts"),
    [
        (pair([1.0, 2.0, None, 4.0, None], [1.0, 3.0, None, None, 5.0]), (4, 2, 1)),
        (pair(["a", "b", None, "c", None], ["a", "c", None, None, "b"], LETTERS), (4, 2, 1)),
        # Levels are compared by their names, wherever they stand; one that is new is another value.
        (pair(["a", "b", "c", "a"], ["a", "b", "c", "z"], LETTERS, TURNED), (4, 1, 0)),
        (pair(["a", "b", "c", None], ["b", "b", "a", None], LETTERS, TURNED), (3, 2, 0)),
        # A number that is released as a word is the same where it is written the same.
        (pair(["1", "2", None], ["1", "1", "2"], NUMBERS, dc.Ordinal(("1", "2"))), (3, 2, 0)),
        (pair([], []), (0, 0, 0)),
    ],
)
def test_cells_are_counted_by_what_they_hold(tables, counts):
    assert CellCounts().summarise(Block(np.arange(len(tables[0])), *tables)).columns == {"x": counts}


def test_a_number_that_became_a_word_is_compared_as_it_is_written():
    before = microdata(pl.DataFrame({"x": [1, 2, 3, None]}), Schema([Attribute("x", dc.Numeric(), "key")]))
    after = microdata(pl.DataFrame({"x": ["1", "1", None, None]}), Schema([Attribute("x", NUMBERS, "key")]))
    assert CellCounts().summarise(Block(np.arange(4), before, after)).columns == {"x": (3, 1, 1)}


def test_sequences_are_compared_as_a_whole():
    trips = dc.datasets.itineraries(6)
    turned = trips.take(np.array([0, 1, 3, 2, 4, 5]))
    (visits,) = trips.schema.keys
    same = sum(a == b for a, b in zip(trips.column(visits).to_pylist(), turned.column(visits).to_pylist(), strict=True))
    assert CellCounts().summarise(Block(np.arange(6), trips, turned)).columns == {visits: (6, 6 - same, 0)}


def test_counts_of_parts_add_up():
    before, after = tables({0, 1, 10}, {5})
    whole = CellCounts(("region",)).summarise(Block(np.arange(20), before, after))
    parts = [
        CellCounts(("region",)).summarise(Block(rows, before.take(rows), after.take(rows)))
        for rows in (np.arange(7), np.arange(7, 20))
    ]
    merged = parts[0].merge(parts[1])
    assert merged.columns == whole.columns == {"region": (18, 0, 0), "wage": (20, 0, 3), "age": (18, 0, 1)}
    assert merged.domains["region"].tolist() == whole.domains["region"].tolist()
    # By region: records; cells that held a region, a wage or an age; cells that hold none any more.
    assert whole.domains["region"].tolist()[0] == [10, 28, 3]
    assert whole.domains["region"].tolist()[-1] == [2, 4, 0]


def test_asked_of_files_it_names_its_columns():
    asked = CellCounts(("region",), ("wage", "region"))
    assert (asked.original, asked.released) == (("wage", "region"), ("wage", "region"))


@pytest.mark.parametrize(
    ("moved", "suppressed", "loss", "told"),
    [
        (0, 0, 0.0, (0, 0, 0.0, False)),
        (0, 0, 4.0, (0, 0, None, False)),
        (2, 0, 4.0, (None, 0, None, True)),
        (2, 1, 4.06, (None, None, 4.1, False)),
        (3, 0, 4.0, (3, 0, 4.0, False)),
        (7, 0, 4.0, (7, 0, 4.0, False)),
        (8, 0, 4.0, (None, 0, 4.0, False)),
        (10, 0, None, (10, 0, None, False)),
    ],
)
def test_what_a_column_lost_is_told_where_enough_cells_changed(moved, suppressed, loss, told):
    tally = CellTally({"x": (10, moved, suppressed)}, {})
    (one,) = changes_told(tally, {} if loss is None else {"x": loss}, 3)
    assert (one.name, one.cells) == ("x", 10)
    assert (one.changed, one.suppressed, one.loss, one.few) == told


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([[3, 9, 3], [0, 0, 0], [0, 0, 0]], [("a", 3, 33.0)]),
        ([[3, 9, 2], [5, 10, 0], [0, 0, 0]], [("a", 3, None), ("b", 5, 0.0)]),
        ([[2, 4, 2], [1, 2, 1], [0, 0, 0]], [("", 3, 50.0)]),
        ([[2, 4, 2], [0, 0, 0], [0, 0, 0]], []),
        ([[2, 4, 2], [9, 9, 9], [1, 2, 1]], [("b", 9, 100.0), ("", 3, 50.0)]),
        ([[3, 0, 0], [0, 0, 0], [0, 0, 0]], [("a", 3, 0.0)]),
    ],
)
def test_shares_of_groups_by_hand(groups, expected):
    released = Schema([Attribute("r", dc.Nominal(("a", "b")), "key")])
    found = suppressions_told(CellTally({"x": (9, 0, 1)}, {"r": np.array(groups)}), released, 3)
    assert [(one.domain, one.level, one.records, one.percent) for one in found] == [("r", *one) for one in expected]
    assert suppressions_told(CellTally({"x": (9, 5, 0)}, {"r": np.array(groups)}), released, 3) == ()
