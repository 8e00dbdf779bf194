from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from tests.battery import microdata

from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records.sorted_groups import SortedGroups
from discreet.reproduction.subjects.interval_negation import DEGREE, NEGATION
from discreet.reproduction.subjects.sorted_example import BUILT, RECORDS, YEARS


def test_table_3_of_the_aggregation_paper_through_the_public_interface():
    """Domingo-Ferrer and Torra 2002, Table 3: all 21 masked records as printed."""
    schema = Schema(
        [
            Attribute("BUILT", Ordinal(BUILT, YEARS), "key"),
            Attribute("DEGREE", Ordinal(DEGREE, NEGATION.semantics()), "key"),
        ]
    )
    table = pa.table({"BUILT": [r[0] for r in RECORDS], "DEGREE": [r[1] for r in RECORDS]})
    masked = SortedGroups(k=3, by="BUILT").mask(table, schema)
    after = masked.microdata.to_arrow().to_pydict()
    assert list(zip(after["BUILT"], after["DEGREE"], strict=True)) == [(r[2], r[3]) for r in RECORDS]
    assert np.bincount(masked.labels).tolist() == [3] * 7


@pytest.mark.parametrize("n", [3, 4, 5, 6, 20])
def test_groups_are_runs_of_the_sorted_attribute(n):
    data = microdata(n)
    masked = SortedGroups(3, by="age").mask(data)
    sizes = np.bincount(masked.labels)
    assert sizes[:-1].tolist() == [3] * (len(sizes) - 1)
    assert 3 <= sizes[-1] <= 5
    age = data.encoded("age")
    ends = [(age[masked.labels == g].min(), age[masked.labels == g].max()) for g in range(len(sizes))]
    assert all(a[1] <= b[0] for a, b in pairwise(ends))


def test_the_attribute_to_sort_by_has_an_order_and_is_masked():
    for by in ("fuel", "note", "nowhere"):
        with pytest.raises(ParameterError, match="by must be a masked attribute with an order; 5 of 7 have one"):
            SortedGroups(by=by).mask(microdata())
    only = Schema([Attribute("n", Nominal(("a", "b")), "key")])
    with pytest.raises(ParameterError, match="0 of 1 have one"):
        SortedGroups(2).mask(pa.table({"n": ["a", "b", "a"]}), only)


def test_equal_values_stay_in_their_order_and_missing_ones_come_last():
    schema = Schema(
        [
            Attribute("n", Nominal(("a", "b")), "key"),
            Attribute("o", Ordinal(("p", "q")), "key"),
            Attribute("x", Numeric(), "key"),
        ]
    )
    table = pa.table(
        {"n": ["a"] * 7, "o": ["q", None, "p", "q", "p", None, "p"], "x": [1.0, 9.0, 2.0, None, 8.0, 3.0, 4.0]}
    )
    masked = SortedGroups(2).mask(table, schema)
    # The first with an order is o: p at 2, 4 and 6, q at 0 and 3, and nothing at 1 and 5.
    assert masked.labels.tolist() == [1, 2, 0, 2, 0, 2, 1]
    assert masked.provenance.details["blocks"] == [{"attributes": ["n", "o", "x"], "groups": 3, "by": "o"}]
    assert SortedGroups(3, by="x").mask(table, schema).labels.tolist() == [0, 1, 0, 1, 1, 0, 1]
    assert SortedGroups(7).mask(table, schema).labels.tolist() == [0] * 7
