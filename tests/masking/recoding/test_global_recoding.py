from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.masking.recoding.global_recoding import GlobalRecoding

FUELS = ("gas", "oil", "wood", "sun")
SCHEMA_FUEL = Schema([Attribute("fuel", Nominal(FUELS), "key"), Attribute("w", Numeric(), "weight")])
TABLE = pa.table({"fuel": ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 2 + ["sun"], "w": [1.0] * 9 + [50.0]})


def fuels(masker):
    return masker.mask(TABLE, SCHEMA_FUEL).microdata.column("fuel").to_pylist()


def test_the_rarest_levels_become_one():
    assert fuels(GlobalRecoding(2, weighted=False)) == ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 3
    assert fuels(GlobalRecoding(3, weighted=False)) == ["gas"] * 4 + ["oil"] * 6


def test_frequencies_are_weighted():
    """With its weight, sun is the most frequent level; wood and oil are the rarest."""
    assert fuels(GlobalRecoding(2)) == ["gas"] * 4 + ["oil"] * 5 + ["sun"]


def test_a_new_category_makes_a_new_level():
    masked = GlobalRecoding(2, category="other", weighted=False).mask(TABLE, SCHEMA_FUEL)
    assert masked.microdata.schema["fuel"].scale == Nominal(("gas", "oil", "other"))
    assert masked.microdata.column("fuel").to_pylist()[-3:] == ["other"] * 3
    assert masked.provenance.changed["fuel"] == 3
    possible = masked.provenance.transitions["fuel"]
    assert possible.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_p_beyond_the_levels_makes_a_constant_and_says_so():
    masked = GlobalRecoding(4).mask(TABLE, SCHEMA_FUEL)
    assert len(set(masked.microdata.column("fuel").to_pylist())) == 1
    assert "now constant (1): fuel" in masked.provenance.notes[0]


def test_levels_nobody_has_are_not_counted():
    table = TABLE.filter(pa.array([True] * 9 + [False]))
    after = GlobalRecoding(2, weighted=False).mask(table, SCHEMA_FUEL).microdata.column("fuel").to_pylist()
    assert after == ["gas"] * 4 + ["oil"] * 5


@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.integers(1, 7))
def test_recoding_never_splits_a_level_and_leaves_the_frequent_alone(codes, p):
    schema = Schema([Attribute("x", Nominal(tuple("abcdef")), "key")])
    masked = GlobalRecoding(p).mask(pa.table({"x": [list("abcdef")[c] for c in codes]}), schema)
    after, codes = masked.microdata.encoded("x"), np.array(codes)
    images = {level: set(after[codes == level]) for level in set(codes)}
    assert all(len(image) == 1 for image in images.values())
    counts = np.bincount(codes, minlength=6)
    assert len(set(after)) == max(1, (counts > 0).sum() - p + 1)


def test_an_attribute_is_constant_where_no_more_than_p_of_its_levels_occur():
    table = TABLE.filter(pa.array([True] * 9 + [False]))  # gas, oil and wood occur, sun does not
    said = "Attributes in which p or fewer levels occur, now constant (1): fuel."
    assert said in GlobalRecoding(3).mask(table, SCHEMA_FUEL).provenance.notes
    assert said not in GlobalRecoding(2).mask(table, SCHEMA_FUEL).provenance.notes
