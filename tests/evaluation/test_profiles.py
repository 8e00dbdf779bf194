from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import microdata
from discreet.datasets import business
from discreet.evaluation.pictures import profile, relations, shares


def test_no_bar_stands_for_a_handful_and_no_edge_is_a_value():
    data = business(300)
    for d in profile(data, data):
        values = data.encoded(d.name)
        widths = np.diff(d.edges) / (d.edges[-1] - d.edges[0])
        counts = np.array(d.before) * widths * values.size
        assert counts.min() >= 5 - 1e-6
        assert counts.sum() == pytest.approx(values.size)
        assert d.edges[0] > values.min() or d.edges[-1] < values.max()


def test_constant_and_missing_columns():
    from discreet.data.scales import Numeric
    from discreet.data.schema import Attribute, Schema

    frame = pl.DataFrame({"c": [1.5] * 40, "m": [None] * 39 + [1.5]}, schema={"c": pl.Float64, "m": pl.Float64})
    table = microdata(frame, Schema([Attribute(name, Numeric(), "key") for name in frame.columns]))
    first, _ = profile(table, table)
    assert first.before == pytest.approx(first.after)


def categorical(values, levels=("a", "b", "c", "d")):
    from discreet.data.scales import Nominal
    from discreet.data.schema import Attribute, Schema

    return microdata(pl.DataFrame({"x": values}), Schema([Attribute("x", Nominal(levels), "key")]))


def test_no_level_of_a_handful_is_shown_and_shares_make_a_hundred():
    before = categorical(["a"] * 20 + ["b"] * 9 + ["c"] * 4 + ["d"])
    after = categorical(["a"] * 20 + ["b"] * 4 + ["c"] * 9 + ["d"])
    found = shares(before, after, smallest=5)[0]
    assert found.levels == ("a", "all others")
    assert sum(found.before) == pytest.approx(100)
    assert found.after == pytest.approx((100 * 20 / 34, 100 * 14 / 34))


def test_others_that_are_too_few_take_the_rarest_level_along():
    table = categorical(["a"] * 20 + ["b"] * 9 + ["c"] * 7 + [None])
    found = shares(table, table, smallest=5)[0]
    assert found.levels == ("a", "b", "all others")
    assert found.before[-1] == pytest.approx(100 * 8 / 37)


def test_levels_that_are_new_in_the_release_are_shown_beside_the_old():
    before, after = categorical(["a"] * 9 + ["b"] * 9), categorical(["a or b"] * 18, ("a or b",))
    assert shares(before, after)[0].levels == ("all others",)


def test_correlations_are_those_of_numpy():
    data = business(200)
    from discreet.masking.microaggregation.numbers.mdav import MDAV

    masked = MDAV(k=5).mask(data).microdata
    found = relations(data, masked)
    assert found is not None
    before = np.corrcoef(data.numeric(found.names), rowvar=False)
    after = np.corrcoef(masked.numeric(found.names), rowvar=False)
    np.testing.assert_allclose(found.before, before, atol=1e-9)
    np.testing.assert_allclose(found.change, after - before, atol=1e-9)
    off = np.abs(after - before)[np.triu_indices(len(found.names), 1)]
    assert f"{off.mean():.3f}" in found.sentence
    assert relations(data.select(["TURNOVER"]), data.select(["TURNOVER"])) is None


def test_a_published_picture_is_held_to_more_records():
    data = business(300)
    for five, ten in zip(profile(data, data), profile(data, data, 10), strict=True):
        assert len(ten.edges) <= len(five.edges)
        widths = np.diff(ten.edges) / (ten.edges[-1] - ten.edges[0])
        assert (np.array(ten.before) * widths * 300).min() >= 10 - 1e-6
