from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.generalisation import keeps

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema

SCHEMA = Schema([Attribute("a", Nominal((0, 1, 2)), "key"), Attribute("s", Nominal((0, 1, 2)), "confidential")])
CASES = [
    (dc.BetaLikenessViolations(0.8), {"kind": "beta", "beta": 0.8}),
    (dc.BetaLikenessViolations(1.5, enhanced=True), {"kind": "beta-enhanced", "beta": 1.5}),
    (dc.DeltaDisclosureViolations(0.7), {"kind": "delta", "delta": 0.7}),
    (dc.AlphaKViolations(0.6, 1), {"kind": "alpha", "alpha": 0.6}),
    (dc.AlphaKViolations(1.0, 3), {"kind": "k", "k": 3}),
]


@pytest.mark.parametrize(("measure", "model"), CASES)
@settings(max_examples=25)
@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=20))
def test_a_measure_counts_the_records_whose_class_breaks_the_definition(measure, model, rows):
    table = pl.DataFrame({"a": [a for a, _ in rows], "s": [s for _, s in rows]})
    shares = {value: count / len(rows) for value, count in Counter(s for _, s in rows).items()}
    members = {a: [s for b, s in rows if b == a] for a, _ in rows}
    broken = [not keeps(model, members[a], 0, shares, [], {}) for a, _ in rows]
    assert measure.measure(table, table, SCHEMA).value == pytest.approx(100 * np.mean(broken))
    assert measure.per_record(table, table, SCHEMA).tolist() == [float(b) for b in broken]
