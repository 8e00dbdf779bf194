"""Time series: read, written, recognised, masked, attacked and measured."""

from __future__ import annotations

import csv
import functools
import operator
from collections import Counter

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.cli.main import _code
from discreet.data.inferring.reading_cells import holds_readings
from discreet.data.scales.measured import GAP, decimals_of, from_steps, step_of, to_steps
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, DiscreetError, ParameterError, SchemaError
from discreet.io.reading import read_release

READINGS = st.lists(st.one_of(st.none(), st.integers(-999, 999).map(lambda n: n / 10)), min_size=2, max_size=6)


@given(st.lists(READINGS, min_size=1, max_size=5))
def test_readings_come_back_from_text_and_from_lists(cells):
    scale = dc.TimeSeries(step=0.1, delimiter=";")
    texts = [";".join("" if x is None else f"{x:.1f}" for x in cell) for cell in cells]
    filled = [cell for cell, text in zip(cells, texts, strict=True) if text.strip()]
    encoded = scale.encode(texts)
    assert [cell for cell, n in zip(scale.decode(encoded).to_pylist(), encoded.lengths, strict=True) if n] == filled
    lists = scale.encode(pa.array(cells, pa.list_(pa.float64())))
    assert scale.decode(lists).to_pylist() == cells
    assert scale.to_text(scale.decode(lists)).to_pylist() == texts


def test_a_missing_series_is_no_empty_one_and_a_code_is_a_gap():
    encoded = dc.TimeSeries(step=1, delimiter=";").encode(["", None, "3;-9;;4"], (-9,))
    assert (encoded.lengths.tolist(), encoded.missing.tolist()) == ([0, 0, 4], [False, True, False])
    assert encoded.codes.tolist() == [3, GAP, GAP, 4]


def test_a_step_is_what_nearly_all_readings_share():
    assert step_of("x", np.append(np.arange(1, 200) / 2, 0.123)) == 0.5
    assert step_of("x", np.random.default_rng(0).normal(100, 5, 50)) == 0.001  # all digits: six are kept
    assert step_of("x", np.array([1.0, 2e9])) == 1  # just fits 32 bits
    assert (decimals_of(0.05), decimals_of(2.5e-7), decimals_of(20)) == (2, 8, 0)
    assert from_steps(to_steps("x", np.array([0.3, np.nan]), 0.1), 0.1).tolist()[0] == 0.3
    with pytest.raises(DataError, match="1 of 2 measurements are more than"):
        to_steps("x", np.array([1.0, 1e9]), 0.1)


@pytest.mark.parametrize(
    "readings",
    [
        np.append(np.round(np.random.default_rng(0).uniform(0.01, 3, 200), 2), 9999999999),
        np.append(np.random.default_rng(0).uniform(0.01, 3, 200), 9999999999),  # with all digits
        np.array([1e12, 0.5]),
    ],
)
def test_a_step_is_not_widened_for_one_that_is_far_out(readings):
    with pytest.raises(DataError, match=f"x: 1 of {readings.size} measurements are more than") as refusal:
        step_of("x", readings)
    assert "9999999999" not in str(refusal.value)


def test_one_large_reading_is_refused_and_not_the_end_of_all_others():
    rng = np.random.default_rng(0)
    cells = [";".join(f"{x:.2f}" for x in rng.uniform(0.01, 3, 8)) for _ in range(30)]
    cells[3] = "9999999999;" + cells[3]
    frame = pl.DataFrame({"load": cells})
    for told in ({}, {"series": "load"}):
        with pytest.raises(DataError, match="'load': series: 1 of 241 .* missing codes .* coarser step"):
            dc.survey(frame, keys="load", **told)
    with pytest.raises(DataError, match="'load': series: 1 of 241"):
        dc.microdata(frame, dc.Schema([dc.Attribute("load", dc.TimeSeries(delimiter=";"), "key")]))
    declared = dc.Attribute("load", dc.TimeSeries(delimiter=";"), "key", missing=(9999999999,))
    scale = dc.microdata(frame, dc.Schema([declared])).schema["load"].scale
    assert scale.step == 0.01
    assert scale.span < 3
    coarse = dc.Attribute("load", dc.TimeSeries(step=10, delimiter=";"), "key")
    assert dc.microdata(frame, dc.Schema([coarse])).schema["load"].scale.step == 10


def test_what_the_refusal_of_a_large_reading_hints_at_helps(tmp_path):
    rng = np.random.default_rng(0)
    cells = [";".join(f"{x:.2f}" for x in rng.uniform(0.01, 3, 8)) for _ in range(30)]
    frame = pl.DataFrame({"load": [*cells[1:], "9999999999;" + cells[0]]})
    beginning = '[[attribute]]\nname = "load"\nrole = "key"\nscale = "series"\n'
    for line, step in (("missing = [9999999999]", 0.01), ("step = 10", 10)):
        path = tmp_path / "schema.toml"
        path.write_text(beginning + line + "\n")
        assert dc.survey(frame, schema=path).schema["load"].scale.step == step


def test_a_schema_travels_and_is_completed_by_the_table():
    schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(delimiter=";"), "key")])
    table = dc.microdata(pl.DataFrame({"load": ["1.5;2.5", "11;3.25"]}), schema)
    assert table.schema["load"].scale == dc.TimeSeries(0.01, 9.5, ";")
    assert dc.Schema.from_toml(table.schema.to_toml()) == table.schema
    assert schema.of_scale("sequence") == schema.of_scale("series") == ("load",)
    assert schema.of_scale("events") == ()


@pytest.mark.parametrize("fields", [{"step": 0}, {"step": "fine"}, {"span": -1}, {"delimiter": ""}, {"columns": "ab"}])
def test_a_declaration_is_checked(fields):
    with pytest.raises(SchemaError, match="TimeSeries: |Sequence: columns"):
        dc.TimeSeries(**fields)


def test_what_is_no_number_is_refused_by_count_and_not_shown():
    with pytest.raises(DataError, match="6 of 18 measurements are no numbers") as refusal:
        dc.survey(pl.DataFrame({"load": ["1;2", "secret"] * 6}), series="load", keys="load")
    assert "secret" not in str(refusal.value)


def test_readings_are_recognised_and_ordinary_columns_are_not():
    load = dc.datasets.loads(60).to_polars()["LOAD"].to_list()
    cells = pl.DataFrame({"load": [";".join(map(str, cell)) for cell in load], "list": load})
    schema = dc.microdata(cells).schema
    assert schema["load"].scale.name == schema["list"].scale.name == "series"
    for texts in (
        [f"0664 {i} 1234 55 66 77 8" for i in range(40)],
        [f"48.{i}, 16.{i}" for i in range(40)],
        [f"{i % 9},{i % 7},2,3,4,5,6" for i in range(40)],
        [f"1.2.{i}" for i in range(40)],
        [f"{i} words, and 2.5 more; of them, some, are, many" for i in range(40)],
        [f"2020-01-{i:02d}" for i in range(1, 29)],
        ["red", "green"] * 20,
    ):
        assert holds_readings(pa.array(texts)) == ""
        assert dc.microdata(pl.DataFrame({"x": texts})).schema["x"].scale.name != "series"
    whole = pl.DataFrame({"x": [[1, 2, 3], [2, 3]] * 5})
    assert dc.microdata(whole).schema["x"].scale.name == "sequence"


@pytest.fixture(scope="module")
def meters():
    return dc.datasets.loads(120, 1)


def released(path, column):
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return [row[header.index(column)] for row in rows], header


METHODS = [
    dc.KSHC(k=4),
    dc.KSHC(k=3, distance="dtw:0.2", prototype="dtw-barycentre:0.2"),
    dc.SequenceMDAV(k=5, prototype="pointwise-median"),
    dc.SequenceMDAV(k=3, distance="dtw", prototype="medoid"),
]


@pytest.mark.parametrize("masker", METHODS, ids=repr)
def test_every_released_series_is_written_at_least_k_times_in_the_digits_of_the_data(meters, masker, tmp_path):
    masked = masker.set_params(attributes=["LOAD"]).mask(meters)
    dc.write(masked, tmp_path / "out.csv")
    cells, _ = released(tmp_path / "out.csv", "LOAD")
    assert min(Counter(cells).values()) >= masker.k
    assert all(len(reading.partition(".")[2]) == 1 for cell in cells for reading in cell.split(";"))
    links = dc.SequenceLinkage(attributes=["LOAD"]).link(meters, masked.microdata)
    assert links.evaluate().rate <= 1 / masker.k + 1e-9
    measure = dc.KnownMoments(attributes=["LOAD"])
    assert measure.measure(meters, masked).value <= 100 / masker.k + 1e-9
    assert measure.measure(meters, meters).value > 80


def test_a_range_of_columns_is_gathered_masked_and_spread_again(tmp_path):
    rng = np.random.default_rng(0)
    hours = np.round(20 + rng.normal(0, 3, (40, 6)), 1)
    readings = {f"h{t}": hours[:, t] for t in range(6)}
    frame = pl.DataFrame({"id": np.arange(40), **readings, "note": ["007", "1.50"] * 20})
    frame = frame.with_columns(pl.when(pl.col("id") == 3).then(None).otherwise(pl.col("h2")).alias("h2"))
    frame.write_csv(tmp_path / "in.csv")
    told = {"series": "heat=h0..h5", "identifiers": "id", "keys": "heat", "others": "other"}
    table = dc.survey(tmp_path / "in.csv", **told)
    assert table.schema["heat"].scale.columns == tuple(f"h{t}" for t in range(6))
    masked = dc.KSHC(k=4).mask(table)
    dc.write(masked, tmp_path / "out.csv")
    notes, header = released(tmp_path / "out.csv", "note")
    assert header == [*(f"h{t}" for t in range(6)), "note"]
    assert notes == ["007", "1.50"] * 20
    rows = list(zip(*(released(tmp_path / "out.csv", f"h{t}")[0] for t in range(6)), strict=True))
    assert min(Counter(rows).values()) >= 4
    again = read_release(tmp_path / "out.csv", table)
    assert dc.measure(table, again, ["series-error"])[0].value == dc.measure(table, masked, ["series-error"])[0].value


def test_two_series_of_different_ranges_count_alike():
    rng = np.random.default_rng(4)
    small, large = np.round(rng.random((30, 4)), 2), np.round(1e5 * rng.random((30, 4)))
    frame = pl.DataFrame({"a": small.tolist(), "b": large.tolist()})
    table = dc.survey(frame, series=["a", "b"], keys=["a", "b"])
    masked = dc.KSHC(k=3).mask(table)
    assert min(Counter(map(str, masked.microdata.to_native().rows())).values()) >= 3
    assert masked.provenance.details["distance"].count("Euclidean") == 2


def test_the_released_declaration_tells_no_range_of_the_original(meters):
    masked = dc.KSHC(k=5, attributes=["LOAD"]).mask(meters)
    before, after = (t.schema["LOAD"].scale.span for t in (meters, dc.microdata(masked.microdata.to_native())))
    assert after < before


@pytest.mark.parametrize("option", [{"distance": "levenshtein"}, {"prototype": "oesp"}, {"prototype": "medoid:lcs"}])
def test_what_is_made_for_events_is_refused(meters, option):
    with pytest.raises(ParameterError, match="scale 'series' holds"):
        dc.KSHC(k=5, attributes=["LOAD"], **option).mask(meters)


@pytest.mark.parametrize("text", ["dtw:wide", "dtw:2", "euclidean:3", "dtw:span=2", "lcs:1"])
def test_a_typed_parameter_of_a_distance_is_checked(meters, text):
    with pytest.raises(ParameterError, match="KSHC: distance must be"):
        dc.KSHC(k=5, distance=text, attributes=["LOAD"]).mask(meters)


def test_gaps_between_blanks_are_refused_where_they_would_be_lost():
    scale = dc.TimeSeries(step=1)
    with pytest.raises(SchemaError, match="1 gaps cannot be written between blanks"):
        scale.to_text(pa.array([[1, None]]))


def test_an_unsettled_scale_says_so():
    with pytest.raises(DiscreetError, match="step is not known yet"):
        dc.TimeSeries().encode(["1 2"])


def test_a_series_over_columns_cannot_be_streamed_and_the_refusal_says_so(tmp_path, capsys):
    wide = pl.DataFrame({f"h{hour}": [0.1 * (i + hour) for i in range(20)] for hour in range(6)})
    wide.write_csv(tmp_path / "wide.csv")
    call = ["protect", str(tmp_path / "wide.csv"), "--series", "load=h0..h5", "--keys", "load", "--method", "kshc"]
    target = tmp_path / "out.csv"
    assert _code([*call, "--k", "4", "--engine", "streaming", "-o", str(target)]) == 2
    assert "gathered from several columns needs the file in memory" in " ".join(capsys.readouterr().err.split())
    assert not target.exists()


def test_a_mean_that_one_record_dominates_is_told_of_also_where_a_file_is_streamed(tmp_path):
    loads = [f"{i % 5};{100 + i}" for i in range(39)] + ["1500000000;120"]
    frame = pl.DataFrame({"load": loads})
    schema = dc.Schema([dc.Attribute("load", dc.TimeSeries(step=1, delimiter=";"), "key")])
    masker = dc.SequenceMDAV(10, prototype="pointwise-mean")
    inside = masker.mask(dc.microdata(frame, schema)).provenance.notes
    assert any("80 % of the sum" in note for note in inside)
    frame.write_parquet(tmp_path / "loads.parquet")
    source = dc.scan(tmp_path / "loads.parquet", schema=schema)
    outside = dc.protect(source, masker, output=tmp_path / "masked.parquet", block_size=20).provenance.notes
    assert set(inside) == set(outside)


def encoded(*series, missing=()):
    """Steps of one: None is a gap, and a name for a series that is missing."""
    codes = [GAP if one is None else one for one in functools.reduce(operator.iadd, series, [])]
    lengths = [len(one) for one in series]
    absent = [place in missing for place in range(len(series))]
    return EncodedSequences(np.array(codes, dtype=np.int32), np.cumsum([0, *lengths]), np.array(absent))


@pytest.mark.parametrize(
    ("cells", "missing", "told", "step", "span"),
    [
        (["1.5;2.5", "11;3.25"], (), {}, 0.01, 9.5),
        (["1;2", "11;;3"], (), {}, 1.0, 10.0),
        (["1;2", "11;-9;3"], (-9,), {}, 1.0, 10.0),
        (["1;2", "-9"], ("-9",), {}, 1.0, 1.0),
        (["5;5", "5"], (), {}, 1.0, 1.0),  # all alike: a step apart is nothing in common
        (["", None], (), {}, 1.0, 1.0),
        (["1.5;2.5"], (), {"step": 0.25}, 0.25, 1.0),
        (["1.5;2.5"], (), {"span": 7}, 0.1, 7.0),
    ],
)
def test_what_is_left_out_is_read_off_the_readings(cells, missing, told, step, span):
    open_scale = dc.TimeSeries(delimiter=";", **told)
    assert not open_scale.is_settled
    scale = open_scale.completed(cells, missing)
    assert scale == dc.TimeSeries(step, span, ";")
    assert scale.is_settled
    assert scale.unit == step


@pytest.mark.parametrize(
    ("cells", "fields", "scale"),
    [
        (["1;2", None, "3;4"], {}, dc.TimeSeries(1.0, 3.0, ";")),
        (["1 2", "3"], {}, dc.TimeSeries(1.0, 2.0, " ")),
        (["1|2", "3"], {"span": 9}, dc.TimeSeries(1.0, 9.0, "|")),
        (["1;2", "3"], {"delimiter": ";", "step": 0.5}, dc.TimeSeries(0.5, 2.0, ";")),
        ([[1.5, 2.0], [3.0]], {}, dc.TimeSeries(0.1, 1.5, " ")),
    ],
)
def test_the_mark_between_readings_is_read_off_too(cells, fields, scale):
    assert dc.TimeSeries.read_off(pa.array(cells), (), fields) == scale


def test_readings_come_back_as_numbers_or_for_columns_as_text():
    series = encoded([3, None], [], [], [-4], missing=(2,))
    for step, cells in ((1.0, [[3, None], [], None, [-4]]), (0.5, [[1.5, None], [], None, [-2.0]])):
        decoded = dc.TimeSeries(step, 1.0).decode(series)
        assert decoded.to_pylist() == cells
        assert decoded.type.value_type == (pa.int64() if step == 1 else pa.float64())
        assert dc.TimeSeries(step, 1.0, ";").encode(decoded).codes.tolist() == series.codes.tolist()
    wide = dc.TimeSeries(0.5, 1.0, columns=("a", "b")).decode(series)
    assert wide.to_pylist() == [["1.5", ""], [], None, ["-2.0"]]
    lists = pa.array([[1.5, None], [], None, [-2.0]])
    assert dc.TimeSeries(0.5, 1.0, ";").to_text(lists).to_pylist() == ["1.5;", "", None, "-2.0"]
    again = dc.TimeSeries(0.5, 1.0, ";").encode(["1.5;", "", None, "-2.0"])
    assert (again.codes.tolist(), again.offsets.tolist(), again.missing.tolist()) == (
        [3, GAP, -4], [0, 2, 2, 2, 3], [False, False, True, False],
    )  # fmt: skip


def test_a_released_scale_spans_what_occurs():
    scale = dc.TimeSeries(0.1, 50.0, ";")
    assert scale.occurring(np.array([GAP, 3, 10])) == dc.TimeSeries(0.1, 0.7, ";")
    assert scale.occurring(np.array([GAP, 3])) == dc.TimeSeries(0.1, 0.1, ";")
    assert scale.occurring(np.array([GAP])) == dc.TimeSeries(0.1, 0.1, ";")
    assert scale.is_part_of(dc.TimeSeries(5.0, 1.0, ";"))
    assert not scale.is_part_of(dc.TimeSeries(0.1, 50.0, " "))
    assert not scale.is_part_of(dc.TimeSeries(0.1, 50.0, ";", ("a",)))
    assert not scale.is_part_of(dc.Numeric())


def test_readings_of_another_step_are_translated():
    series = encoded([3, None], [7], missing=(1,))
    fine, coarse = dc.TimeSeries(0.5, 1.0), dc.TimeSeries(1.0, 1.0)
    found = fine.translated(coarse, series)
    assert (found.codes.tolist(), found.offsets.tolist(), found.missing.tolist()) == (
        [6, GAP, 14], [0, 2, 3], [False, True],
    )  # fmt: skip
    assert coarse.translated(coarse, series) is series
    assert coarse.translated(dc.Numeric(), series) is series


def test_moments_that_an_intruder_knows_are_no_gaps_and_in_order():
    scale, rng = dc.TimeSeries(1.0, 1.0), np.random.default_rng(3)
    codes = np.array([5, GAP, 7, 9, GAP], dtype=np.int32)
    drawn = scale.moments(codes, 2, 20, rng)
    assert len(drawn) == 20
    assert {tuple(one.tolist()) for one in drawn} == {(0, 2), (0, 3), (2, 3)}
    assert [one.tolist() for one in scale.moments(codes, 9, 2, rng)] == [[0, 2, 3]] * 2
    assert scale.moments(np.array([GAP], dtype=np.int32), 2, 5, rng) == []


@pytest.mark.parametrize(
    ("places", "span", "apart"),
    [
        ([0], 100.0, [0, 4, 100, 100]),
        ([1], 100.0, [0, 100, 100, 100]),  # a reading that is not there is the span away
        ([0, 2], 100.0, [0, 104, 200, 103]),
        ([0, 2], 3.0, [0, 6, 6, 6]),
        ([0], None, [0, 1, 1, 1]),
        ([], 100.0, [0, 0, 0, 0]),
    ],
)
def test_how_far_others_are_at_known_times(places, span, apart):
    mine = np.array([5, 6, 7], dtype=np.int32)
    others = encoded([5, 6, 7], [9], [], [None, None, 10])
    for step in (1.0, 0.5):
        scale = dc.TimeSeries(step, None if span is None else span * step)
        assert scale.far_from(mine, np.array(places, dtype=np.int64), others).tolist() == apart
        assert scale.far_from(mine, np.array(places, dtype=np.int64), encoded([], [])).tolist() == [0, 0]


def test_a_declaration_as_a_table_and_back():
    for scale, fields in (
        (dc.TimeSeries(), {"delimiter": " "}),
        (dc.TimeSeries(0.5, 3, ";"), {"step": 0.5, "span": 3.0, "delimiter": ";"}),
        (dc.TimeSeries(0.5, columns=["a", "b"]), {"step": 0.5, "columns": ["a", "b"]}),
    ):
        assert scale.to_dict() == fields
        assert dc.TimeSeries.from_dict(fields) == scale
    assert dc.TimeSeries().size == ""
    assert dc.TimeSeries().position_scale(pa.array(["1"])) == dc.Numeric()
