from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

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
