"""A release is a function of data, method, seed and block size, never of the engine: every masker's every example.

Three grounds (a table in memory, a file streamed in small batches; Spark in its own file) × three block sizes (none,
one smaller than the table, one larger than it): the same values, the same notes and figures, the same refusals.
"""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from tests.masking.test_releases_stay import cases, tables

from discreet.contracts.changed_counts import CountChanged
from discreet.contracts.engine import TablePair
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DiscreetError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget

SIZES = (None, 48, 1000)
CASES = [pytest.param(masker, id=key) for key, masker in cases()]


def in_memory(masker, table, block_size, engine=None):
    """What comes out of a table in memory: cells, notes, figures; or the refusal."""
    try:
        masked = masker.clone().mask(table, engine=engine, block_size=block_size)
    except DiscreetError as error:
        return {"refused": str(error)}
    return told(masked.microdata.to_arrow(), masked.provenance)


def from_files(masker, source, folder, engine, block_size):
    """The same from a file to a file."""
    target = folder / "out"
    try:
        provenance, schema = masker.clone().mask_into(source, ParquetTarget(target), engine, block_size)
    except DiscreetError as error:
        assert not target.exists(), "a refusal writes nothing"
        return {"refused": str(error)}
    if set(provenance.changed) == {name for name in provenance.attributes if name in schema}:
        # What was counted while it was written is what the files tell.
        tables = TablePair(source, ParquetSource(target, schema))
        counted = engine.summarise(tables, [CountChanged(tuple(provenance.changed))])[0]
        assert counted.counts == provenance.changed
    else:
        # Where other processes write, and where records are brought together, it is counted afterwards.
        elsewhere = not isinstance(engine, StreamingEngine)
        assert elsewhere or block_size is None or len(source) <= block_size or masker.moves_records()
    release = pq.read_table(target)
    assert release.column_names == [name for name in source.schema.names if name in schema]
    return told(release, provenance)


def told(release, provenance):
    facts = {"attributes": provenance.attributes, "removed": provenance.removed, "notes": provenance.notes}
    facts |= {"details": provenance.details, "parameters": provenance.parameters, "seed": provenance.seed}
    facts |= {"guarantees": [promise.sentence for promise in provenance.guarantees]}
    return {"cells": release.to_pydict(), **json.loads(json.dumps(facts, default=repr))}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The tables as files with row groups of an odd size: positions must not depend on them."""
    folder = tmp_path_factory.mktemp("tables")
    sources = {}
    for kind, table in tables().items():
        pq.write_table(table.to_arrow(), folder / f"{kind}.parquet", row_group_size=37)
        sources[kind] = ParquetSource(folder / f"{kind}.parquet", table.schema)
    return sources


@pytest.mark.parametrize("kind", ["whole", "gaps"])
@pytest.mark.parametrize("block_size", SIZES)
@pytest.mark.parametrize("masker", CASES)
def test_the_release_does_not_depend_on_the_engine(masker, block_size, kind, written, tmp_path):
    expected = in_memory(masker, tables()[kind], block_size)
    assert in_memory(masker, tables()[kind], block_size, StreamingEngine(2)) == expected
    streamed = from_files(masker, written[kind], tmp_path, StreamingEngine(2, batch=29), block_size)
    assert streamed == expected


@pytest.mark.parametrize("masker", CASES)
def test_a_block_that_holds_all_records_is_no_block(masker):
    table = tables()["whole"]
    assert in_memory(masker, table, 1000) == in_memory(masker, table, None)
