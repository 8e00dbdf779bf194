from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.statistics.small import table as hand_counted

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.measures.loss.invented_rows import InventedRows
from discreet.measures.risk.replicated_uniques import ReplicatedUniques


def rows(seed, n=50):
    rng = np.random.default_rng(seed)
    letters = [None if rng.random() < 0.1 else "pqrs"[i] for i in rng.integers(0, 4, n)]
    numbers = [None if rng.random() < 0.1 else float(i) for i in rng.integers(0, 12, n)]
    return list(zip(letters, numbers, strict=True))


def table(records, levels):
    schema = Schema([Attribute("a", Nominal(levels), "key"), Attribute("x", Numeric(), "key")])
    letters, numbers = zip(*records, strict=True)
    return Microdata(pl.DataFrame({"a": letters, "x": pl.Series(numbers, dtype=pl.Float64)}), schema)


@pytest.mark.parametrize("levels", ["pqrs", "srqp", "xspqr"])  # what is declared, and in which order, tells nothing
@pytest.mark.parametrize("seed", range(3))
def test_both_equal_their_definitions(seed, levels):
    before, after = rows(seed), rows(seed + 10)
    tables = table(before, "pqrs"), table(after, levels)
    new = sum(row not in set(before) for row in after)
    assert InventedRows().measure(*tables).value == pytest.approx(2 * new)
    first, second = Counter(before), Counter(after)
    again = sum(first[row] == 1 and count == 1 for row, count in second.items())
    assert ReplicatedUniques().measure(*tables).value == pytest.approx(2 * again)
    assert again
    assert new


def test_an_unmasked_file_invents_nothing_and_replicates_its_uniques():
    records = rows(4)
    data = table(records, "pqrs")
    assert InventedRows().measure(data, data).value == 0
    alone = sum(count == 1 for count in Counter(records).values())
    assert ReplicatedUniques().measure(data, data).value == pytest.approx(2 * alone)


def test_rows_of_both_files_are_told_whole():
    # Before a1 a1 b2 –3 c4, after a1 b2 b2 –3 c5.
    before = hand_counted(("a", "b", "c"), s=["a", "a", "b", None, "c"], x=[1.0, 1.0, 2.0, 3.0, 4.0])
    after = hand_counted(("a", "b", "c"), s=["a", "b", "b", None, "c"], x=[1.0, 2.0, 2.0, 3.0, 5.0])
    invented = InventedRows().measure(before, after)
    assert (invented.value, invented.sentence) == (
        20, "1 of 5 released records (20.0 %) are combinations of values that no record of the original has.",
    )  # fmt: skip
    assert invented.details == {"invented": 1, "without_a_like": 1, "different_before": 4, "different_after": 4}
    assert InventedRows().measure(before, before).sentence == (
        "Every released record is a combination of values that the original has."
    )
    again = ReplicatedUniques().measure(before, after)
    # b2, –3 and c4 were alone; a1, –3 and c5 are.
    assert (again.value, again.sentence) == (
        20,
        "1 of 5 released records have keys that one person of the original has, and that no other released record has.",
    )
    assert again.details == {"replicated": 1, "unique_before": 3, "unique_after": 3, "keys": ["s", "x"]}
    pairs = hand_counted(s=["a", "a"])
    assert ReplicatedUniques().measure(pairs, pairs).sentence == "No combination of keys is unique in both files."
