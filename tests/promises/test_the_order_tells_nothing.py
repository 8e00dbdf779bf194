"""Neither the order of a file, nor an index, nor a dictionary says where a record stood or which ones were sampled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.promises import intruder, judge, releases, tables

import discreet as dc

N = 300
SURVEY = tables.survey(N, seed=71, leaving_out=("visits",))
PLACES = {serial: place for place, serial in enumerate(SURVEY.column("serial"))}


def frame():
    """The survey in pandas, categories as such, with an index that says who is who."""
    columns = {name: SURVEY.column(name) for name in SURVEY.header}
    made = pd.DataFrame({n: pd.to_numeric(c) if n in SURVEY.numeric else c for n, c in columns.items()})
    for name in ("size", "fuel", "owner"):
        made[name] = pd.Categorical(made[name], categories=list(dict.fromkeys(made[name])))  # in order of appearance
    made.index = pd.Index([f"row-{place}" for place in range(N)], name="who")
    return made


def written(masker, ending, kind):
    """Mask a frame of some kind and write the release."""
    table = frame() if kind == "pandas" else pl.from_pandas(frame()) if kind == "polars" else \
        pa.Table.from_pandas(frame())  # fmt: skip
    if kind == "arrow":
        table = table.drop_columns(["who"])
    target = releases.folder() / f"order-{masker.name}-{kind}.{ending}"
    schema = dc.Schema.from_toml(SURVEY.toml)
    with releases.quiet():
        dc.write(masker.mask(table, schema), target)
    return target


@pytest.mark.parametrize("ending", tables.FORMATS)
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_no_index_and_no_metadata_go_with_the_file(kind, ending):
    target = written(dc.Sampling(0.3, random_state=6), ending, kind)
    header, rows = judge.read_cells(target)
    assert set(header) == set(SURVEY.header) - {"person"}
    assert not [cell for row in rows for cell in row if cell.startswith("row-")]
    assert b"row-" not in target.read_bytes()
    if ending in {"parquet", "arrow"}:
        read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
        kept = read(target).schema.metadata or {}
        assert b"who" not in b"".join(kept.values())


@pytest.mark.parametrize("method", ["record-order", "sampling"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_dictionary_is_in_no_order_of_the_original(method, kind, ending):
    """Levels in their order of first appearance in the original would say which record came first."""
    masker = dc.RecordOrder(random_state=6) if method == "record-order" else dc.Sampling(0.2, random_state=6)
    target = written(masker, ending, kind)
    read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
    table = read(target)
    for name in ("size", "fuel"):
        column = table.column(name)
        if not pa.types.is_dictionary(column.type):
            continue
        entries = column.combine_chunks().dictionary.to_pylist()
        cells = column.to_pylist()
        allowed = [sorted(entries), [x for x in tables.LEVELS[name] if x in entries], list(dict.fromkeys(cells))]
        assert entries in allowed, name
        assert set(entries) <= set(tables.LEVELS[name])


def test_the_order_of_a_shuffled_file_says_nothing():
    cells = intruder.cells_of(written(dc.RecordOrder(random_state=6), "csv", "polars"))
    came_from = np.array([PLACES[serial] for serial in cells["serial"]], dtype=float)
    assert sorted(came_from) == list(range(N))
    limit = 5.0 / N**0.5
    assert abs(np.corrcoef(came_from, np.arange(N))[0, 1]) < limit
    assert abs(np.corrcoef(came_from[1:], came_from[:-1])[0, 1]) < limit, "neighbours are none any more"
    assert sum(abs(a - b) == 1 for a, b in zip(came_from[1:], came_from[:-1], strict=True)) < 12


def test_a_sample_takes_every_place_alike():
    """Over many seeds no position of the original is drawn more often than chance would."""
    counts = np.zeros(N)
    runs = 60
    for seed in range(runs):
        cells = intruder.cells_of(written(dc.Sampling(0.3, random_state=seed), "csv", "polars"))
        for serial in cells["serial"]:
            counts[PLACES[serial]] += 1
    spread = (runs * 0.3 * 0.7) ** 0.5
    assert np.abs(counts - runs * 0.3).max() < 5 * spread
    assert abs(np.corrcoef(counts, np.arange(N))[0, 1]) < 5.0 / N**0.5
