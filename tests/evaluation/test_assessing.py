"""The verbs on ready methods and on tables in files: what is handed to them is used, or refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc

SCHEMA = dc.Schema(
    [
        dc.Attribute("a", dc.Numeric(), "key"),
        dc.Attribute("g", dc.Nominal(["x", "y", "z"]), "key"),
    ]
)


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    return pl.DataFrame({"a": np.round(rng.lognormal(3, 1, 200), 2), "g": rng.choice(["x", "y", "z"], 200)})


@pytest.fixture
def stored(frame, tmp_path):
    frame.write_parquet(tmp_path / "in.parquet")
    return dc.scan(tmp_path / "in.parquet", SCHEMA)


def test_parameters_beside_a_ready_method_are_refused(frame):
    with pytest.raises(dc.errors.ParameterError, match="MDAV has its parameters already; k cannot be given beside it"):
        dc.protect(frame, dc.MDAV(k=3), k=50)
    with pytest.raises(dc.errors.ParameterError, match="DistanceLinkage has its parameters already; atributes"):
        dc.attack(frame, frame, dc.DistanceLinkage(), atributes=["a"])


@pytest.mark.parametrize("method", ["sampling", "record-order"])
def test_records_that_stand_elsewhere_are_not_counted_as_changed(frame, stored, tmp_path, method):
    written = dc.protect(stored, method, output=tmp_path / "out.parquet", random_state=1)
    in_memory = dc.protect(dc.microdata(frame, SCHEMA), method, random_state=1)
    assert written.provenance.changed == in_memory.provenance.changed == {}
    assert pl.read_parquet(tmp_path / "out.parquet").equals(in_memory.to_native())


def test_where_the_tables_lie_does_not_matter_to_the_headline(frame, stored, tmp_path):
    masked = dc.protect(dc.microdata(frame, SCHEMA), "pram", random_state=1)
    masked.to_native().write_parquet(tmp_path / "masked.parquet")
    release = dc.scan(tmp_path / "masked.parquet", masked.microdata.schema)
    risks = {dc.assess(original, release).score.risk for original in (dc.microdata(frame, SCHEMA), stored)}
    assert risks == {dc.assess(dc.microdata(frame, SCHEMA), masked.microdata).score.risk}


def test_a_file_that_changed_since_it_was_scanned_is_refused(frame, stored, tmp_path):
    frame.head(100).write_parquet(tmp_path / "in.parquet")
    with pytest.raises(dc.errors.DataError, match="had 200 records and has 100 now"):
        dc.protect(stored, "additive-noise", output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_damaged_file_is_told_in_our_words(frame, tmp_path):
    frame.write_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "damaged.parquet").write_bytes(content[:4] + bytes(400) + content[404:])
    with pytest.raises(dc.errors.FileError, match="is not a Parquet file that can be read"):
        dc.protect(dc.scan(tmp_path / "damaged.parquet", SCHEMA), "additive-noise", output=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_no_block_is_no_size_of_a_block(stored, tmp_path):
    with pytest.raises(dc.errors.ParameterError, match="block_size must be None or an integer of at least 8; got 0"):
        dc.protect(stored, "mdav", output=tmp_path / "out.parquet", block_size=0)
