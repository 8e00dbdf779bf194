from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import MissingValueError

number = st.one_of(st.none(), st.integers(-5, 5).map(float))


@given(st.lists(st.tuples(number, number), min_size=2, max_size=20))
def test_it_is_its_definition(pairs):
    parts = [(abs(x - y) / abs(x) if x else float(y != 0)) for x, y in pairs if x is not None and y is not None]
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])
    before, after = (pl.DataFrame({"x": [pair[side] for pair in pairs]}, schema={"x": pl.Float64}) for side in (0, 1))
    if not parts:
        with pytest.raises(MissingValueError, match="no record with a value in both"):
            dc.IL1().measure(before, after, schema)
        return
    assert dc.IL1().measure(before, after, schema).value == pytest.approx(100 * sum(parts) / len(parts))


def test_weights_count():
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("w", dc.Numeric(), "weight")])
    before, after = (pl.DataFrame({"x": x, "w": [3.0, 1.0]}) for x in ([2.0, 4.0], [3.0, 4.0]))
    assert dc.IL1(weighted=True).measure(before, after, schema).value == pytest.approx(37.5)
