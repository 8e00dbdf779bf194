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


def test_figures_are_told_by_column():
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xyz"])
    before = pl.DataFrame({"x": [2.0, -4.0, None, 0.0], "y": [1.0, 1.0, 1.0, 1.0], "z": [5.0, 5.0, 5.0, 5.0]})
    after = pl.DataFrame({"x": [3.0, -2.0, 9.0, 0.0], "y": [1.0, 1.0, None, 3.0], "z": [5.0, 5.0, 5.0, 5.0]})
    result = dc.IL1().measure(before, after, schema)
    # ½ and ½ of three; 2 of three.
    assert result.per_attribute == pytest.approx({"x": 100 / 3, "y": 200 / 3, "z": 0})
    assert result.value == pytest.approx(100 / 3)
    assert result.sentence == "Numbers moved by 33.3 % of what they were on average, most in y."
    assert dc.IL1().measure(before, before, schema).sentence == "No number moved."
    none = pl.DataFrame({"x": [None, None, 1.0, None], "y": [1.0] * 4, "z": [1.0] * 4})
    with pytest.raises(MissingValueError, match=r"^IL1: column 'x' has no record with a value in both files\."):
        dc.IL1().measure(before, none, schema)
