"""Tallies of bands add up over any blocks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.block import Block
from discreet.masking.recoding.band_names import Bands
from discreet.statistics.band_tallies import BandTallies, DistinctNumbers
from discreet.statistics.exact_sum import nearest

SCHEMA = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])


def blocks(numbers, cut):
    whole = dc.Microdata(pa.table({"x": numbers}), SCHEMA)
    rows = np.arange(len(numbers))
    parts = [whole.take(part) for part in (rows[:cut], rows[cut:])]
    return Block(rows, whole), [Block(part, table) for part, table in zip((rows[:cut], rows[cut:]), parts, strict=True)]


@given(st.lists(st.one_of(st.integers(-9, 30).map(float), st.none()), min_size=2, max_size=30), st.data())
def test_parts_merge_to_the_whole(numbers, data):
    cut = data.draw(st.integers(1, len(numbers) - 1))
    whole, parts = blocks(pa.array(numbers, pa.float64()), cut)
    question = BandTallies.of({"x": Bands((0.0, 10.0, 20.0), closed=True)})
    tally = question.summarise(parts[0]).merge(question.summarise(parts[1]))
    present = [x for x in numbers if x is not None]
    members = [[x for x in present if 0 <= x < 10], [x for x in present if 10 <= x <= 20]]
    assert tally.counts["x"].tolist() == [len(m) for m in members] == question.summarise(whole).counts["x"].tolist()
    assert [nearest(total) for total in tally.sums["x"]] == [sum(m) for m in members]
    assert tally.outside["x"] == sum(x < 0 or x > 20 for x in present)
    distinct = DistinctNumbers(("x",))
    values, counts = distinct.summarise(parts[0]).merge(distinct.summarise(parts[1])).columns["x"]
    assert values.tolist() == sorted(set(present))
    assert counts.tolist() == [present.count(x) for x in sorted(set(present))]
