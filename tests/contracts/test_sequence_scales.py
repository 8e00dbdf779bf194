"""Every masker, linker and measure takes every scale of sequences, or says in a sentence that it does not."""

from __future__ import annotations

import json
from collections import Counter

import polars as pl
import pyarrow as pa
import pytest
from tests.battery import other_sample

from discreet import catalogue
from discreet.cli.main import _code
from discreet.data.microdata import Microdata
from discreet.data.scales import ItemSet, QueryLog, Sequence, TimeSeries, Trajectory
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError
from discreet.masking.microaggregation.sequences.sequence_groups import SequenceMicroaggregation

COLUMNS = ("load", "way", "asked")
OWN = {scale.own_distance for scale in (Sequence, ItemSet, TimeSeries, Trajectory, QueryLog)}


def table(column, n=40):
    """A table of one key, which is a sequence of some kind."""
    from tests.battery import OTHER_SCHEMA

    return Microdata(other_sample(n).select([column]), Schema([OTHER_SCHEMA[column]]))


def examples(classes):
    return [pytest.param(m, id=f"{m.name}-{i}") for c in classes.values() for i, m in enumerate(c.examples())]


def refused(error, method, column):
    """Say whether a refusal is one sentence that names the method, its column or its scale, and no cell."""
    said = str(error)
    assert said.count("\n") == 0
    assert not any(cell in said for cell in other_sample(40).column(column).to_pylist())
    return any(
        word in said for word in (type(method).__name__, column, "scale", "schema", "prototype", "distance", "Medoid")
    )


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("masker", examples(catalogue.maskers()))
def test_a_masker_masks_it_or_says_no(masker, column):
    data = table(column)
    copy = masker.clone()
    if "random_state" in copy.get_params():
        copy.set_params(random_state=1)
    try:
        masked = copy.mask(data)
    except DiscreetError as error:
        assert refused(error, masker, column)
        return
    if isinstance(masker, SequenceMicroaggregation):
        assert min(Counter(map(str, masked.microdata.column(column).to_pylist())).values()) >= masker.k


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("linker", examples(catalogue.linkers()))
def test_a_linker_links_it_or_says_no(linker, column):
    data = table(column)
    try:
        links = linker.clone().link(data, data)
    except DiscreetError as error:
        assert refused(error, linker, column)
        return
    assert links.evaluate().rate > 0.5


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("measure", examples(catalogue.measures()))
def test_a_measure_measures_it_or_says_no(measure, column):
    data = table(column)
    moved = data.take([*range(1, 40), 0])
    try:
        result = measure.clone().measure(data, Microdata(moved.to_native(), data.schema))
    except DiscreetError as error:
        assert refused(error, measure, column) or "attribute" in str(error) or "weight" in str(error)
        return
    assert measure.low <= result.value <= measure.high
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("cls", [c for c in catalogue.maskers().values() if issubclass(c, SequenceMicroaggregation)])
def test_every_group_method_takes_it_by_its_own_distance(cls, column):
    data = table(column)
    masked = cls(3).mask(data)
    released = Counter(map(str, masked.microdata.column(column).to_pylist()))
    assert 1 < len(released) < 20
    assert min(released.values()) >= 3
    assert Attribute(column, data.schema[column].scale).scale.own_distance in OWN


@pytest.mark.parametrize("width", [pa.list_, pa.large_list])
@pytest.mark.parametrize(
    ("scale", "cells", "text"),
    [
        (TimeSeries(step=0.1, delimiter=";"), [[1.5, None], [2.0]], ["1.5;", "2.0"]),
        (TimeSeries(step=0.1), [[1.5, 3.0], [2.0]], ["1.5 3.0", "2.0"]),
        (Trajectory(step=0.1, pace=1, geographic=False), [["0,1.0,2.0", "9,1.0,2.5"], []], ["0,1.0,2.0;9,1.0,2.5", ""]),
        (QueryLog(["rome", "tax"]), [["rome tax", "tax"], None], ["rome tax | tax", None]),
        (Sequence(["a", "b"], ">"), [["a", "b"], None], ["a>b", None]),
    ],
)
def test_lists_of_any_width_and_in_chunks_are_written_as_text(scale, cells, text, width):
    words = pa.string() if width is pa.list_ else pa.large_string()
    inner = pa.float64() if isinstance(scale, TimeSeries) else words
    chunks = pa.chunked_array([pa.array([cell], width(inner)) for cell in cells])
    written = scale.to_text(chunks)
    assert written.to_pylist() == text


@pytest.mark.parametrize(("column", "scale"), [("load", "series"), ("way", "trajectory"), ("asked", "queries")])
def test_a_file_of_lists_is_written_as_a_file_of_text(column, scale, tmp_path):
    own = table(column).schema[column].scale
    texts = pl.DataFrame({column: other_sample(40).column(column).to_pylist()})
    lists = texts.with_columns(pl.col(column).str.split(own.delimiter))
    if scale == "series":
        lists = lists.with_columns(pl.col(column).cast(pl.List(pl.Float64), strict=False))
    lists.write_parquet(tmp_path / "lists.parquet")
    toml = f'[[attribute]]\nname = "{column}"\nrole = "key"\nscale = "{scale}"\ndelimiter = "{own.delimiter}"\n'
    (tmp_path / "schema.toml").write_text(toml)
    told = ["--schema", str(tmp_path / "schema.toml"), "--method", "kshc", "--k", "3", "-q"]
    assert _code(["protect", str(tmp_path / "lists.parquet"), *told, "-o", str(tmp_path / "out.csv")]) == 0
    cells = pl.read_csv(tmp_path / "out.csv", infer_schema_length=0)[column].to_list()
    assert own.delimiter in cells[0]
    assert min(Counter(cells).values()) >= 3
