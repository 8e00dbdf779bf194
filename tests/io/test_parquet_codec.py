"""A release is compressed as the file it is made from; judged on the bytes, by pyarrow's own metadata."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.io.parquet_codec import packing_of

N = 600


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "wage": rng.normal(size=N),  # all digits, all different
            "age": rng.integers(20, 40, N).astype(float),
            "town": pa.array([f"town {code}" for code in rng.integers(0, 4, N)]),
        }
    )


SCHEMA = dc.Schema(
    [
        dc.Attribute("wage", dc.Numeric(), "confidential"),
        dc.Attribute("age", dc.Numeric(), "key"),
        dc.Attribute("town", dc.Nominal([f"town {code}" for code in range(4)]), "key"),
    ]
)


def codecs(path):
    """By column, how every piece of it is compressed."""
    metadata = pq.read_metadata(path)
    pieces = [metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(3)]
    return {name: {piece.compression for piece in pieces if piece.path_in_schema == name} for name in SCHEMA.names}


def release(source, path, way):
    if way == "in memory":
        dc.write(dc.PRAM(attributes=["town"], random_state=1).mask(dc.read(source, SCHEMA)), path)
    else:
        dc.protect(dc.scan(source, SCHEMA), dc.PRAM(attributes=["town"], random_state=1), output=path)


@pytest.mark.parametrize("way", ["in memory", "streamed"])
@pytest.mark.parametrize("codec", ["zstd", "gzip", "snappy", "brotli", "lz4", "none"])
def test_a_release_keeps_the_compression_of_its_source(tmp_path, people, codec, way):
    source, masked = tmp_path / "people.parquet", tmp_path / "masked.parquet"
    pq.write_table(people, source, compression=codec)
    release(source, masked, way)
    assert codecs(masked) == codecs(source)
    assert all(codec != "snappy" or names == {"SNAPPY"} for names in codecs(masked).values())


@pytest.mark.parametrize("way", ["in memory", "streamed"])
def test_every_column_keeps_its_own(tmp_path, people, way):
    source, masked = tmp_path / "people.parquet", tmp_path / "masked.parquet"
    pq.write_table(people, source, compression={"wage": "zstd", "age": "none", "town": "gzip"})
    release(source, masked, way)
    assert codecs(masked) == {"wage": {"ZSTD"}, "age": {"UNCOMPRESSED"}, "town": {"GZIP"}}


def test_a_chain_keeps_it_too(tmp_path, people):
    source, masked = tmp_path / "people.parquet", tmp_path / "masked.parquet"
    pq.write_table(people, source, compression="zstd")
    steps = [dc.PRAM(attributes=["town"]), dc.RankSwapping(attributes=["age"])]
    dc.protect(dc.scan(source, SCHEMA), dc.Chain(steps, 1), output=masked)
    assert codecs(masked) == codecs(source)


@pytest.mark.parametrize("way", ["in memory", "streamed"])
def test_numbers_that_differ_get_no_dictionary_and_those_that_repeat_do(tmp_path, people, way):
    source, masked = tmp_path / "people.parquet", tmp_path / "masked.parquet"
    pq.write_table(people, source)
    release(source, masked, way)
    columns = [pq.read_metadata(masked).row_group(0).column(c) for c in range(3)]
    assert {c.path_in_schema: c.has_dictionary_page for c in columns} == {"wage": False, "age": True, "town": True}
    assert columns[0].total_uncompressed_size < pq.read_metadata(source).row_group(0).column(0).total_uncompressed_size


def test_what_is_no_parquet_file_says_nothing(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    (tmp_path / "people.csv").write_text("age\n31\n")
    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "last.parquet", compression="gzip")
    assert packing_of([tmp_path / "broken.parquet", tmp_path / "people.csv", tmp_path / "absent.parquet"]) == (
        {},
        "SNAPPY",
    )
    assert packing_of([tmp_path / "broken.parquet", tmp_path / "last.parquet"]) == ({"x": "GZIP"}, "GZIP")
    # A column that was not there is compressed as most are.
    options = packing_of([tmp_path / "last.parquet"]).options(pa.table({"x": [1.0], "new": ["a"]}))
    assert options["compression"] == "GZIP"
