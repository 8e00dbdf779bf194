"""What the cells lost: by hand on every scale, whatever became of a column, and the same block by block."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Attribute, Nominal, Numeric, Ordinal, Schema
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.engines.streaming import StreamingEngine
from discreet.io import write_table
from discreet.io.stored_parquet import ParquetSource
from discreet.measures.loss.cell_loss import CellLoss
from discreet.measures.loss.cells_lost import clipping


def nominal(values, released, levels, new_levels=None):
    """Return two tables of one unordered key."""
    before = Microdata(pl.DataFrame({"x": values}), Schema([Attribute("x", Nominal(levels), "key")]))
    after = Microdata(pl.DataFrame({"x": released}), Schema([Attribute("x", Nominal(new_levels or levels), "key")]))
    return before, after


def test_unordered_levels_lose_all_or_nothing():
    assert CellLoss().measure(*nominal(list("aabb"), list("abbb"), ["a", "b"])).value == 25.0


def test_ordered_levels_lose_their_difference_of_ranks():
    schema = Schema([Attribute("x", Ordinal(["s", "m", "l"]), "key")])
    a, b = pl.DataFrame({"x": ["s", "m", "l", "s"]}), pl.DataFrame({"x": ["l", "l", "l", "s"]})
    assert CellLoss().measure(a, b, schema).value == pytest.approx(100 * (1 + 0.5) / 4)


def test_a_merged_level_loses_the_share_of_levels_it_stands_for():
    # a and b became "ab": one of the three other levels each; c and d are as they were.
    tables = nominal(list("abcd"), ["ab", "ab", "c", "d"], list("abcd"), ["ab", "c", "d"])
    assert CellLoss().measure(*tables).value == pytest.approx(100 * (2 / 3) / 4)


def test_a_band_that_does_not_hold_the_level_is_untrue():
    # Two of three a became "ab"; the third became "cd", which stands for others.
    tables = nominal(list("aaabcd"), ["ab", "ab", "cd", "ab", "cd", "cd"], list("abcd"), ["ab", "cd"])
    assert CellLoss().measure(*tables).value == pytest.approx(100 * (5 / 3 + 1) / 6)


def test_a_renamed_level_loses_nothing():
    assert CellLoss().measure(*nominal(list("aabb"), list("xxyy"), ["a", "b"], ["x", "y"])).value == 0.0


def test_suppressed_and_invented_cells_are_lost_and_empty_ones_do_not_count():
    tables = nominal(["a", "a", None, None], [None, "a", "a", None], ["a", "b"])
    assert CellLoss().measure(*tables).value == pytest.approx(100 * 2 / 3)


def test_blanking_a_confidential_number_is_a_loss():
    schema = Schema([Attribute("age", Numeric(), "key"), Attribute("income", Numeric(), "confidential")])
    a = pl.DataFrame({"age": np.arange(20.0), "income": np.arange(20.0)})
    blanked = a.with_columns(income=pl.Series([None] * 10 + list(range(10, 20)), dtype=pl.Float64))
    found = CellLoss().measure(a, blanked, schema)
    assert found.per_attribute == {"age": 0.0, "income": 50.0}
    assert found.value == 25.0
    assert found.details["worst"] == "income"
    assert found.details["beside_the_keys"] == ["income"]
    # A column that is no key and was left alone does not water the loss down.
    assert CellLoss().measure(a, a, schema).details["counted"] == ["age"]


def test_one_outlier_does_not_hide_the_changes_of_others():
    values = np.append(np.arange(100.0), 1e9)
    moved = np.append(np.arange(100.0)[::-1], 1e9)
    schema = Schema([Attribute("x", Numeric(), "key")])
    found = CellLoss().measure(pl.DataFrame({"x": values}), pl.DataFrame({"x": moved}), schema).value
    without = CellLoss().measure(pl.DataFrame({"x": values[:-1]}), pl.DataFrame({"x": moved[:-1]}), schema).value
    assert found == pytest.approx(without, rel=0.1)
    assert found > 30


def test_numbers_by_hand():
    x, y = np.arange(10.0), np.arange(10.0) + np.array([0.0] * 8 + [1.0, 100.0])
    low, high = sorted(x)[1], sorted(x)[8]  # one record at either end
    unit = np.sqrt(2.0) * np.clip(x, low, high).std()
    found = CellLoss().measure(pl.DataFrame({"x": x}), pl.DataFrame({"x": y})).value
    assert found == pytest.approx(100 * (1 / unit + 1) / 10)
    assert clipping(10) == (0.15, 0.85)


def test_a_number_that_became_a_range_loses_the_spread_within_it():
    x = np.array([1.0, 1.0, 5.0, 9.0, 9.0, 5.0])
    before = Microdata(pl.DataFrame({"x": x}), Schema([Attribute("x", Numeric(), "key")]))
    ranges = ["low", "low", "low", "high", "high", "high"]
    after = Microdata(pl.DataFrame({"x": ranges}), Schema([Attribute("x", Nominal(["low", "high"]), "key")]))
    unit = np.sqrt(2.0) * np.clip(x, 1.0, 9.0).std()
    within = np.sqrt(2.0) * np.array([1.0, 1.0, 5.0]).std()
    assert CellLoss().measure(before, after).value == pytest.approx(100 * within / unit)


def test_records_and_columns_that_are_not_released_are_lost():
    data = dc.datasets.housing(60)
    sampled = dc.methods("masker")["sampling"](random_state=1).mask(data)
    found = CellLoss().measure(data, sampled)
    assert found.details["records_not_released"] == 60 - len(sampled)
    assert found.per_attribute["METRO"] == pytest.approx(100 * (60 - len(sampled)) / 60)
    removed = dc.methods("masker")["identifiers"](remove=["INCOME"]).mask(data)
    lost = CellLoss().measure(data, removed)
    assert lost.per_attribute["INCOME"] == 100.0
    assert dc.assess(data, removed).score.loss == lost.value > 0


MASKERS = ["mdav", "pram", "rank-swapping", "local-suppression", "global-recoding", "mixed-mdav", "rounding"]


@pytest.mark.parametrize("method", [*MASKERS, "identifiers"])
def test_block_by_block_is_the_same_figure(method, tmp_path):
    data = dc.datasets.housing(150)
    masker = dc.methods("masker")[method]
    drawn = {"random_state": 3} if "random_state" in masker.parameter_names() else {}
    assert_same_at_scale(data, masker(**drawn).mask(data), tmp_path)


def test_sequences_and_ranges_are_the_same_block_by_block(tmp_path):
    trips = dc.datasets.itineraries(60)
    assert_same_at_scale(trips, dc.methods("masker")["sequence-mdav"](k=3).mask(trips), tmp_path)
    data = Microdata(pl.DataFrame({"x": np.arange(40.0)}), Schema([Attribute("x", Numeric(), "key")]))
    ranges = Schema([Attribute("x", Nominal(["low", "high"]), "key")])
    coarse = Microdata(pl.DataFrame({"x": ["low"] * 25 + ["high"] * 14 + [None]}), ranges)
    assert_same_at_scale(data, Masked(coarse, Provenance("ranges", {}, ("x",), 40)), tmp_path)


def assert_same_at_scale(data, masked, folder):
    """Compare the figure in memory with that of blocks of 37 records."""
    write_table(data, folder / "a.parquet", [])
    write_table(masked.microdata, folder / "b.parquet", [])
    sources = (
        ParquetSource(folder / "a.parquet", data.schema),
        ParquetSource(folder / "b.parquet", masked.microdata.schema),
    )
    blocks = CellLoss().measure(*sources, engine=StreamingEngine(1, batch=37))
    whole = CellLoss().measure(data, masked.microdata)
    assert blocks.value == pytest.approx(whole.value, abs=1e-9)
    assert blocks.per_attribute == pytest.approx(whole.per_attribute, abs=1e-9)
    assert blocks.sentence == whole.sentence


def test_every_masker_that_changes_a_cell_shows_a_loss():
    data = dc.datasets.housing(80)
    coded = dc.methods("masker")["top-coding"](attributes=["INCOME"]).mask(data)
    changed = sum(coded.provenance.changed.values())
    assert changed > 0
    assert CellLoss().measure(data, coded).value > 0
