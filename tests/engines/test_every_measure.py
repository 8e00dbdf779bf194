"""Every example of every measure says the same in memory and in files, whatever the size of a batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from tests.battery import OTHER_SCHEMA, SCHEMA, microdata, schema_for

from discreet import catalogue
from discreet.contracts.engine import TablePair
from discreet.data.microdata import Microdata
from discreet.engines.memory import MemoryEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, DiscreetError
from discreet.io.stored_parquet import ParquetSource
from discreet.statistics.question import Need

EXAMPLES = [
    pytest.param(m, id=f"{m.name}-{i}") for c in catalogue.measures().values() for i, m in enumerate(c.examples())
]
N = 90
BATCHES = (7, 40, 131_072)


def permuted(data: Microdata, seed: int) -> Microdata:
    """A release in which every column is in an order of its own."""
    rng = np.random.default_rng(seed)
    table = data.to_arrow()
    for attribute in data.schema:
        if attribute.role not in ("identifier", "weight"):
            column = table.column(attribute.name).take(rng.permutation(len(data)))
            table = table.set_column(table.column_names.index(attribute.name), attribute.name, column)
    return Microdata(table, data.schema)


def with_gaps(data: Microdata, seed: int) -> Microdata:
    """The table with a tenth of every column missing."""
    rng = np.random.default_rng(seed)
    table = data.to_arrow()
    for attribute in data.schema:
        if attribute.role in ("key", "confidential", "other"):
            column = table.column(attribute.name).combine_chunks()
            gaps = pa.array(rng.random(len(data)) < 0.1)
            column = column.filter(pc.invert(gaps)).take(_places(gaps))
            table = table.set_column(table.column_names.index(attribute.name), attribute.name, column)
    return Microdata(table, data.schema)


def _places(gaps: pa.Array) -> pa.Array:
    held = ~gaps.to_numpy(zero_copy_only=False)
    return pa.array(np.cumsum(held) - 1, mask=~held)


def tables(scales: frozenset[str] | None = None) -> dict[str, tuple[Microdata, Microdata]]:
    original = microdata(N, scales=scales)
    release = permuted(original, 1)
    return {
        "unmasked": (original, original),
        "permuted": (original, release),
        "gaps": (with_gaps(original, 3), with_gaps(release, 4)),
    }


def all_tables() -> dict[str, tuple[Microdata, Microdata]]:
    """The pairs of tables by name, those of what runs in time beside the others."""
    in_time = tables(OTHER_SCHEMA["load"].scale.answers - {"sequence"})
    return tables() | {f"{name}, in time": pair for name, pair in in_time.items()}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The pairs of tables in memory, and the same in files."""
    folder = tmp_path_factory.mktemp("stored")
    return {name: (pair, in_files(folder, name, pair)) for name, pair in all_tables().items()}


def case_of(measure, case):
    """The name of the tables that a measure can look at."""
    return case if schema_for(measure.scales) is SCHEMA else f"{case}, in time"


def in_files(folder, name, pair):
    """The tables of a pair as files."""
    sources = []
    for which, table in zip(("original", "release"), pair, strict=True):
        path = folder / f"{name}-{which}.parquet"
        pa.parquet.write_table(table.to_arrow(), path, row_group_size=25)
        sources.append(ParquetSource(path, table.schema))
    return tuple(sources)


def told(measure, original, release, engine):
    """What a measure says, or why it says nothing."""
    try:
        return measure.measure(original, release, engine=engine)
    except DiscreetError as error:
        return error


def assert_alike(here, there):
    if isinstance(here, DiscreetError):
        assert (type(there), str(there)) == (type(here), str(here))
        return
    assert not isinstance(there, DiscreetError), there
    assert there.value == pytest.approx(here.value, rel=1e-9, abs=1e-9)
    assert there.sentence == here.sentence
    assert there.per_attribute == pytest.approx(here.per_attribute, rel=1e-9, abs=1e-9)
    assert there.in_score == here.in_score
    assert_same_details(here.details, there.details)


def assert_same_details(here, there):
    """Figures agree but for rounding, and everything else is the same, however deep it lies."""
    if isinstance(here, dict):
        assert there.keys() == here.keys()
        for name, detail in here.items():
            assert_same_details(detail, there[name])
    elif isinstance(here, (list, tuple)):
        assert len(there) == len(here)
        for one, other in zip(here, there, strict=True):
            assert_same_details(one, other)
    elif isinstance(here, (int, float)) and not isinstance(here, bool):
        assert there == pytest.approx(here, rel=1e-9, abs=1e-9, nan_ok=True)
    else:
        assert there == here


@pytest.mark.parametrize("measure", EXAMPLES)
@pytest.mark.parametrize("case", ["unmasked", "permuted", "gaps"])
def test_a_measure_says_the_same_in_memory_and_in_files(stored, case, measure):
    in_memory, in_files = stored[case_of(measure, case)]
    here = told(measure, *in_memory, MemoryEngine())
    for batch in BATCHES:
        assert_alike(here, told(measure, *in_files, StreamingEngine(2, batch=batch)))


@pytest.mark.parametrize("measure", EXAMPLES)
def test_what_needs_less_than_all_records_is_never_handed_all(stored, measure, monkeypatch):
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", N - 1)
    monkeypatch.setattr("discreet.statistics.different_pairs._FEW", 20)  # equal rows become one while blocks merge
    in_memory, in_files = stored[case_of(measure, "permuted")]
    for batch in BATCHES:
        there = told(measure, *in_files, StreamingEngine(2, batch=batch))
        if measure.need is Need.ALL:
            assert isinstance(there, DataError)
            expected = f"{type(measure).__name__} needs all records at once; the files have {N}, and up to {N - 1} are"
            assert str(there).startswith(expected)
        else:
            assert_alike(told(measure, *in_memory, MemoryEngine()), there)


def test_equal_questions_share_their_passes(stored, monkeypatch):
    """An assessment reads files as often as its longest chain of questions, not as often as it has measures."""
    _, in_files = stored["permuted"]
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", N - 1)
    engine, passes = StreamingEngine(2, batch=40), []
    fold = engine.fold_blocks
    monkeypatch.setattr(engine, "fold_blocks", lambda *asked: passes.append(len(asked[1])) or fold(*asked))
    measures = [cls() for cls in catalogue.measures().values() if cls.default and cls().need is not Need.ALL]
    tables = TablePair(*in_files)
    fitting = [one for one in measures if one.applies_to(in_files[0].schema, in_files[1].schema)]
    engine.answer(tables, {one.name: one.measured(one.scope(tables, None, engine)) for one in fitting})
    assert len(passes) <= 4 < len(fitting), passes
