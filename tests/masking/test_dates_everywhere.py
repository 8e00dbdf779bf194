"""Every masker on a table of dates: it masks them and writes them as they came, or refuses with a clear word."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.masking.dates_table import COLUMNS, SCHEMA, dates, dates_table, with_gaps

from discreet import catalogue
from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.perturbing.date_shifting import DateShifting
from discreet.masking.recoding.date_coarsening import DateCoarsening
from discreet.masking.recoding.safe_harbour import SafeHarbour

PEOPLE = {"021": 500_000, "036": 14_000, "100": 1_500_000}
OF_DATES: list[Masker] = [
    DateCoarsening("quarter"),
    DateCoarsening({"born": "decade", "seen": "weekday", "admitted": "season"}),
    DateCoarsening("month", release="first"),
    DateShifting(200, person="person"),
    DateShifting(100, keep_weekday=True, least=20),
    SafeHarbour(ages=["age"], births=["born"], codes=["zip"], population=PEOPLE),
]
IDS = [f"{masker.name}-{i}" for i, masker in enumerate(OF_DATES)]
REFUSING = {"multiplicative-noise", "grid-cells", "donut"}
NUMERIC = [cls for cls in catalogue.maskers().values() if "numeric" in cls.scales]


def seeded(masker: Masker) -> Masker:
    copy = masker.clone()
    return copy.set_params(random_state=7) if "random_state" in copy.get_params() else copy


def told(release: pa.Table, provenance: object) -> dict[str, object]:
    facts = {name: getattr(provenance, name) for name in ("attributes", "removed", "notes", "details", "parameters")}
    return {"cells": release.to_pydict(), "types": release.schema.types, **json.loads(json.dumps(facts, default=repr))}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("masker", OF_DATES, ids=IDS)
def test_a_method_on_dates_is_the_same_in_memory_and_in_files(masker: Masker, gaps: bool, tmp_path) -> None:
    table = with_gaps(dates_table(120)) if gaps else dates_table(120)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=37)
    masked = seeded(masker).mask(Microdata(table, SCHEMA))
    expected = told(masked.microdata.to_arrow(), masked.provenance)
    assert told(
        seeded(masker).mask(Microdata(table, SCHEMA), block_size=40).microdata.to_arrow(), masked.provenance
    ) == (expected)
    source = ParquetSource(tmp_path / "in.parquet", SCHEMA)
    engine = StreamingEngine(2, batch=29)
    provenance, _ = seeded(masker).mask_into(source, ParquetTarget(tmp_path / "out"), engine, None)
    assert told(pq.read_table(tmp_path / "out"), provenance) == expected
    assert table.equals(with_gaps(dates_table(120)) if gaps else dates_table(120)), "the input is as it was"


@pytest.mark.parametrize("masker", OF_DATES, ids=IDS)
def test_a_method_on_dates_gives_back_the_kind_of_frame_it_got(masker: Masker) -> None:
    reference = seeded(masker).mask(dates()).microdata.to_arrow()
    for frame in (dates().to_polars(), dates().to_pandas()):
        result = seeded(masker).fit_transform(frame, schema=SCHEMA)
        assert type(result) is type(frame)
        back = pa.Table.from_pandas(result, preserve_index=False) if hasattr(result, "iloc") else result.to_arrow()
        for name in reference.column_names:
            assert back.column(name).to_pylist() == reference.column(name).to_pylist(), name


@pytest.mark.parametrize("masker", OF_DATES, ids=IDS)
def test_a_method_on_dates_checks_at_the_door_and_shows_no_value(masker: Masker) -> None:
    for name in masker.get_params(deep=False):
        broken = masker.clone().set_params(**{name: object()})
        with pytest.raises(ParameterError, match=f"^{type(masker).__name__}: {name} must be "):
            broken.mask(dates())
    with pytest.raises(DataError, match="1 records"):
        masker.mask(dates(1))
    table = dates_table()
    table = table.set_column(1, "born", pa.array(["SECRET-4711"] * 60))
    with pytest.raises(DiscreetError, match="'born'") as caught:
        seeded(masker).mask(Microdata(table, SCHEMA))
    assert "SECRET" not in str(caught.value)
    json.dumps(seeded(masker).mask(dates()).provenance.to_dict(internal=True), allow_nan=False)


def made(cls: type[Masker]) -> list[Masker]:
    """The examples of a masker, made to look at the dates."""
    result = []
    for example in cls.examples():
        masker = seeded(example)
        parameters = masker.get_params(deep=False)
        for name, value in parameters.items():
            if name != "within" and isinstance(value, dict) and {"age", "income"} & set(value):
                masker.set_params(**{name: {"born": 30, "seen": 3600}})
        if parameters.get("importance"):
            masker.set_params(importance={"born": 2.0})
        if parameters.get("predictors"):
            masker.set_params(predictors=["discharged"])
        if parameters.get("ghosts"):
            masker.set_params(ghosts={"ward": ["born", "seen"]})
        if parameters.get("within"):  # bounds of numbers, which dates are refused for
            masker.set_params(within=None)
        if parameters.get("by"):
            masker.set_params(by="born")
        if parameters.get("weighted"):
            masker.set_params(weighted=False)
        if "latitude" in parameters:
            masker.set_params(latitude="born", longitude="seen")
        result.append(masker)
    return result


@pytest.mark.parametrize("cls", NUMERIC, ids=lambda cls: cls.name)
def test_a_method_on_numbers_takes_dates_or_says_why_not(cls: type[Masker]) -> None:
    original = dates(90)
    for masker in made(cls):
        try:
            masked = masker.mask(original)
        except DiscreetError as error:
            assert type(masker).__name__ in str(error), "who refuses says so"
            assert cls.name in REFUSING, str(error)
            continue
        assert cls.name not in REFUSING
        released = masked.microdata.to_arrow()
        assert set(COLUMNS) <= set(released.column_names), "no date is dropped"
        if not masked.provenance.details.get("records_dropped"):
            assert released.num_rows == 90
        for name in COLUMNS:
            if masked.microdata.schema[name].scale == SCHEMA[name].scale:
                assert released.schema.field(name).type == original.to_arrow().schema.field(name).type, cls.name
        # What is written can be read again: no text that is no date, no fraction of a day.
        again = Microdata(released, masked.microdata.schema)
        assert all(len(again.encoded(name)) == released.num_rows for name in released.column_names)


@pytest.mark.parametrize("cls", [c for c in NUMERIC if c.groups], ids=lambda cls: cls.name)
def test_groups_of_dates_hold_at_least_k_in_the_written_cells(cls: type[Masker]) -> None:
    for masker in made(cls):
        try:
            masked = masker.mask(dates(90))
        except DiscreetError:
            continue
        for promise in masked.provenance.guarantees:
            cells = masked.microdata.to_arrow().select(promise.attributes).to_pandas().astype(str)
            assert cells.fillna("").groupby(list(promise.attributes)).size().min() >= promise.k


def test_noise_is_of_days_and_minutes() -> None:
    masked = seeded(catalogue.maskers()["additive-noise"](0.1)).mask(dates(90)).microdata
    moved = masked.encoded("born") - dates(90).encoded("born")
    assert (moved == np.rint(moved)).all()
    assert 100 < np.abs(moved).mean() < 2000
    assert (masked.encoded("seen") % 60 == 0).all()


def test_ranks_of_dates_are_swapped_and_no_date_is_new() -> None:
    masked = seeded(catalogue.maskers()["rank-swapping"](10)).mask(dates(90))
    for name in ("born", "admitted", "seen"):
        before, after = dates(90).column(name).to_pylist(), masked.microdata.column(name).to_pylist()
        assert sorted(before) == sorted(after)
        assert before != after
