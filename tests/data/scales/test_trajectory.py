"""Trajectories: read, written, recognised, masked, attacked and measured."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inferring.reading_cells import holds_points
from discreet.data.scales.trajectory import EARTH, on_map
from discreet.data.sequence_shapes import from_points
from discreet.errors import DataError, ParameterError, SchemaError

DATED = "2008-10-23 05:53:05,39.9841,116.3192;2008-10-23 06:10:00,39.9850,116.3201"


def test_points_are_put_in_order_and_come_back_as_they_were_written():
    scale = dc.Trajectory().completed(pa.array([DATED]))
    assert (scale.step, scale.pace, scale.geographic) == (1e-4, 1.0, True)
    assert scale.to_text(scale.decode(scale.encode([DATED]))).to_pylist() == [DATED]
    turned = ";".join(reversed(DATED.split(";")))
    assert scale.to_text(scale.decode(scale.encode([turned, None, ""]))).to_pylist() == [DATED, None, ""]
    numbers = dc.Trajectory(geographic=False).completed(pa.array(["0,10,20;60,30,40", "120,15,25"]))
    assert (numbers.step, numbers.pace) == (5.0, 60.0) or numbers.pace == 60.0


def test_a_plane_and_a_globe():
    globe = dc.Trajectory(step=0.001, pace=1, span=1, geographic=True)
    places = globe.places(globe.encode(["0,48.2,16.37;1,48.2,16.38"]))
    assert globe.apart(places.points[:1], places.points[1:])[0] == pytest.approx(741.2, abs=0.5)
    np.testing.assert_allclose(on_map(places.points, True), [[48.2, 16.37], [48.2, 16.38]])
    assert np.sqrt((places.points**2).sum(axis=1)) == pytest.approx(EARTH)
    plane = dc.Trajectory(step=1, pace=1, span=1, geographic=False)
    flat = plane.places(plane.encode(["0,0,0;1,3,4"])).points
    assert plane.apart(flat[:1], flat[1:]).tolist() == [5.0]


def test_a_schema_travels_and_is_completed_by_the_table():
    table = dc.datasets.trips(30)
    assert table.schema["WAY"].scale.is_settled
    assert dc.Schema.from_toml(table.schema.to_toml()) == table.schema
    assert table.schema.of_scale("trajectory") == table.schema.of_scale("sequence") == ("WAY",)


@pytest.mark.parametrize(
    "fields", [{"step": 0}, {"pace": "x"}, {"span": -1}, {"delimiter": ","}, {"geographic": 1}, {"format": 3}]
)
def test_a_declaration_is_checked(fields):
    with pytest.raises(SchemaError, match="Trajectory: "):
        dc.Trajectory(**fields)


@pytest.mark.parametrize(
    ("cell", "message"),
    [("0,1.5", "1 of 13 points have not three parts"), ("0,secret,1", "1 of 13 measurements are no numbers"),
     ("0,,1", "1 of 13 points lack a part"), ("soon,1.5,2", "no numbers|not all written")],
)  # fmt: skip
def test_what_is_no_point_is_refused_by_count_and_not_shown(cell, message):
    with pytest.raises(DataError, match=message) as refusal:
        dc.survey(pl.DataFrame({"way": ["0,1.5,2;9,2.5,3"] * 6 + [cell]}), trajectory="way", keys="way")
    assert "secret" not in str(refusal.value)
    assert "soon" not in str(refusal.value)


def test_trajectories_are_recognised_and_ordinary_columns_are_not():
    way = [";".join(cell) for cell in dc.datasets.trips(40).to_polars()["WAY"].to_list()]
    assert dc.microdata(pl.DataFrame({"way": way})).schema["way"].scale.name == "trajectory"
    for texts in (
        [f"Lane {i}, 1010, Town 5" for i in range(40)],
        [f"{i},48.2,16.3" for i in range(40)],
        [f"{i},2,3;4,5,6" for i in range(40)],
        [f"a,b,{i};c,d,e" for i in range(40)],
    ):
        assert holds_points(pa.array(texts)) == ""
        assert dc.microdata(pl.DataFrame({"x": texts})).schema["x"].scale.name != "trajectory"


@pytest.fixture(scope="module")
def phones():
    return dc.datasets.trips(120, 1)


METHODS = [
    dc.KSHC(k=4),
    dc.KSHC(k=3, distance="frechet"),
    dc.SequenceMDAV(k=5, distance="hausdorff"),
    dc.SequenceMDAV(k=3, distance="edr:300", prototype="medoid"),
]


@pytest.mark.parametrize("masker", METHODS, ids=repr)
def test_every_released_trajectory_is_written_at_least_k_times_in_the_digits_of_the_data(phones, masker, tmp_path):
    masked = masker.mask(phones)
    dc.write(masked, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = [row["WAY"] for row in csv.DictReader(file)]
    assert min(Counter(cells).values()) >= masker.k
    points = [point.split(",") for cell in cells for point in cell.split(";")]
    assert all(int(t) % 60 == 0 and len(x.partition(".")[2]) == len(y.partition(".")[2]) == 5 for t, x, y in points)
    assert dc.SequenceLinkage().link(phones, masked.microdata).evaluate().rate <= 1 / masker.k + 1e-9
    assert dc.KnownMoments().measure(phones, masked).value <= 100 / masker.k + 1e-9
    assert dc.KnownMoments().measure(phones, phones).value > 99
    dc.write(masked, tmp_path / "out.parquet")
    again = dc.microdata(pl.read_parquet(tmp_path / "out.parquet"), phones.schema.select(["WAY"]))
    assert again.encoded("WAY").keys() == masked.microdata.encoded("WAY").keys()


def test_no_point_of_who_is_alone_out_of_town_survives(phones):
    scale = phones.schema["WAY"].scale
    before = scale.places(phones.encoded("WAY"))
    masked = dc.KSHC(k=5).mask(phones)
    after = scale.places(masked.microdata.encoded("WAY"))
    middle = np.median(before.points, axis=0)
    far = scale.apart(before.points, middle[None, :])
    alone = before.points[np.argsort(far)[-20:]]
    nearest = [scale.apart(after.points, point[None, :]).min() for point in alone]
    assert min(nearest) > 500


def test_losses_by_hand():
    schema = dc.Schema([dc.Attribute("way", dc.Trajectory(1, 1, 4, False), "key")])
    a, b = (dc.microdata(pl.DataFrame({"way": ways}), schema) for ways in (["0,0,0;2,2,0"], ["0,0,3;1,1,3;2,2,3"]))
    displacement, cells, lengths = (
        dc.measure(a, b, [name])[0] for name in ("trajectory-displacement", "visited-cells", "travelled-lengths")
    )
    assert displacement.details["mean_distance"]["way"] == 3.0
    assert displacement.value == pytest.approx(100 * 3 / 7)
    assert cells.value == pytest.approx(100)
    assert lengths.value == 0.0
    assert lengths.details["mean_after"]["way"] == 2.0


@pytest.mark.parametrize("option", [{"distance": "euclidean"}, {"prototype": "oesp"}, {"prototype": "medoid:dtw"}])
def test_what_is_made_for_others_is_refused(phones, option):
    with pytest.raises(ParameterError, match="scale 'trajectory' holds"):
        dc.KSHC(k=5, **option).mask(phones)


def test_rows_of_points_become_trajectories():
    times = ["2020-01-01 10:00:00", "2020-01-02 09:00:00", "2020-01-01 08:00:00", "2020-01-01 09:00:00"]
    rows = pl.DataFrame({"who": ["a", "a", "b", "a"], "at": times, "x": [1.5, 2.5, 3.5, 0.5], "y": [1, 2, 3, 4]})
    told = {"identifier": "who", "time": "at", "x": "x", "y": "y"}
    assert from_points(rows, **told, daily=True)["trajectory"].to_list() == [
        ["32400,0.5,4", "36000,1.5,1"], ["32400,2.5,2"], ["28800,3.5,3"]]  # fmt: skip
    assert from_points(rows, **told)["trajectory"].to_list()[0][0] == "2020-01-01 09:00:00,0.5,4"
    assert from_points(rows, **told, pause=3600)["who"].to_list() == ["a", "a", "b"]
    with pytest.raises(DataError, match="Column 'x': 1 of 4 values are missing"):
        from_points(rows.with_columns(x=pl.Series([None, 1.0, 2.0, 3.0])), **told)
    with pytest.raises(DataError, match="holds no dates"):
        from_points(rows.with_columns(at=pl.Series([1, 2, 3, 4])), **told, daily=True)


def test_real_days_in_town(data_dir):
    fixes = pl.read_csv(data_dir / "uci" / "geolife_sample.csv.gz", schema_overrides={"uid": pl.String})
    minutes = fixes.filter(pl.col("datetime").str.slice(17, 2) == "00")  # a fix a minute is enough
    days = from_points(minutes, identifier="uid", time="datetime", x="lat", y="lng", daily=True, name="day")
    table = dc.survey(days, trajectory="day", keys="day", identifiers="uid")
    assert table.schema["day"].scale.geographic
    masked = dc.KSHC(k=3).mask(table)
    written = Counter(map(tuple, masked.microdata.column("day").to_pylist()))
    assert min(written.values()) >= 3
    assert dc.KnownMoments().measure(table, masked).value <= 100 / 3 + 1e-9


def test_a_few_bad_fixes_do_not_turn_the_globe_into_a_plane():
    ways = [f"{i * 60},48.20{i % 9}1,16.3{i % 7}02;{i * 60 + 600},48.2{i % 8}02,16.3{i % 5}44" for i in range(20)]
    frame = pl.DataFrame({"way": [*ways, "60,91.0001,16.3702"]})
    with pytest.raises(DataError, match="'way': trajectory: 1 of 41 points are no latitude .* geographic = false"):
        dc.survey(frame, keys="way", trajectory="way")
    plane = dc.Schema([dc.Attribute("way", dc.Trajectory(geographic=False), "key")])
    assert "geographic=False" in repr(dc.microdata(frame, plane).schema["way"].scale)
    whole = dc.survey(pl.DataFrame({"way": ways}), keys="way", trajectory="way")
    assert whole.schema["way"].scale.geographic is True
    far = pl.DataFrame({"way": [way.replace(",48.2", ",348.2") for way in ways[:10]] + ways[10:]})
    assert dc.survey(far, keys="way", trajectory="way").schema["way"].scale.geographic is False


def test_a_file_is_not_displaced_from_itself_where_times_repeat():
    schema = dc.Schema([dc.Attribute("way", dc.Trajectory(span=2, geographic=False), "key")])
    a = pl.DataFrame({"way": ["0,0,0;0,4,0;0,9,0;9,5,0", "0,1,1;9,2,2;9,7,7", ""]})
    assert dc.measure(a, a, ["trajectory-displacement"], schema=schema)[0].value == 0
    b = pl.DataFrame({"way": ["0,0,0;0,4,0;9,5,0", "0,1,1;9,2,2;9,7,7", ""]})
    moved = dc.measure(a, b, ["trajectory-displacement"], schema=schema)[0]
    assert moved.details["mean_distance"]["way"] == pytest.approx(5 / 7)  # the third meets the second


@pytest.mark.parametrize(
    ("cells", "told", "step", "pace", "geographic", "span"),
    [
        # Four times the median distance from the middle, to two digits.
        (["0,0,0;10,6,8", "20,3,4"], {}, 1.0, 1.0, False, 20.0),
        (["0,0,0;60,6,8", "120,3,4"], {}, 1.0, 60.0, False, 20.0),
        (["0,0,0;1,6,8", "2,3,4"], {"span": 7}, 1.0, 1.0, False, 7.0),
        (["0,0,0;1,6,8", "2,3,4"], {"step": 0.5, "pace": 5}, 0.5, 5.0, False, 20.0),
        (["0,5,5"], {}, 1.0, 1.0, False, 1.0),  # one place: a step
        ([None, ""], {}, 1.0, 1.0, False, 1.0),
        (["0,48.25,16.5;1,48.5,16.25"], {}, 0.01, 1.0, False, 0.71),  # too coarse for the globe
        (["0,48.251,16.5;1,48.5,16.25"], {"geographic": False}, 0.001, 1.0, False, 0.71),
    ],
)
def test_what_is_left_out_is_read_off_the_points(cells, told, step, pace, geographic, span):
    open_scale = dc.Trajectory(**told)
    assert not open_scale.is_settled
    scale = open_scale.completed(pa.array(cells, pa.string()))
    assert (scale.step, scale.pace, scale.geographic, scale.span) == (step, pace, geographic, span)
    assert scale.is_settled


@pytest.mark.parametrize(
    ("cells", "fields", "delimiter"),
    [
        (["0,1,2;1,2,3"], {}, ";"), (["0,1,2|1,2,3"], {}, "|"), (["0,1,2 1,2,3"], {}, " "), (["0,1,2"], {}, ";"),
        ([["0,1,2", "1,2,3"]], {}, ";"), (["0,1,2/1,2,3"], {"delimiter": "/"}, "/"),
    ],
)  # fmt: skip
def test_the_mark_between_points_is_read_off_too(cells, fields, delimiter):
    scale = dc.Trajectory.read_off(pa.array(cells), (), fields)
    assert (scale.delimiter, scale.step, scale.pace) == (delimiter, 1.0, 1.0)


def test_points_of_another_step_are_translated():
    fine = dc.Trajectory(step=0.5, pace=1, span=1, geographic=False)
    coarse = dc.Trajectory(step=1, pace=60, span=1, geographic=False)
    encoded = coarse.encode(["0,1,2;60,3,4", None])
    assert encoded.codes.tolist() == [0, 1, 2, 1, 3, 4]
    found = fine.translated(coarse, encoded)
    assert (found.codes.tolist(), found.offsets.tolist(), found.missing.tolist()) == (
        [0, 2, 4, 60, 6, 8], [0, 6, 6], [False, True],
    )  # fmt: skip
    assert coarse.translated(coarse, encoded) is encoded
    assert fine.translated(dc.Numeric(), encoded) is encoded
    other_pace = dc.Trajectory(step=1, pace=1, span=1, geographic=False)
    assert other_pace.translated(coarse, encoded).codes.tolist() == [0, 1, 2, 60, 3, 4]


def test_a_part_has_the_same_mark_between_points_and_a_size_in_words():
    scale = dc.Trajectory(step=1, pace=1, span=1, geographic=True)
    assert scale.is_part_of(dc.Trajectory(step=9))
    assert not scale.is_part_of(dc.Trajectory(delimiter="|"))
    assert not scale.is_part_of(dc.Numeric())
    assert scale.occurring(np.array([1, 2])) is scale
    assert [dc.Trajectory(geographic=one).size for one in (None, True, False)] == ["", "on the globe", "on a plane"]
    with pytest.raises(SchemaError, match="steps are not known yet"):
        _ = dc.Trajectory(step=1).unit
    with pytest.raises(SchemaError, match="steps are not known yet"):
        _ = dc.Trajectory(pace=1).unit


def test_moments_that_an_intruder_knows_are_points_in_order():
    scale, rng = dc.Trajectory(step=1, pace=1, span=1, geographic=False), np.random.default_rng(3)
    codes = scale.encode(["0,1,1;1,2,2;2,3,3"]).codes
    assert {tuple(one.tolist()) for one in scale.moments(codes, 2, 30, rng)} == {(0, 1), (0, 2), (1, 2)}
    assert [one.tolist() for one in scale.moments(codes, 9, 2, rng)] == [[0, 1, 2]] * 2
    assert scale.moments(codes[:0], 2, 5, rng) == []


def test_how_far_others_were_at_known_times():
    scale = dc.Trajectory(step=1, pace=1, span=1, geographic=False)
    others = scale.encode(["0,0,0;10,10,0", "0,3,4;10,3,4", "4,0,8;6,0,8"])
    mine = scale.encode(["0,0,0;5,5,0;10,10,0"]).codes
    # Between two points everybody goes straight on; before the first and after the last he stands.
    assert scale.far_from(mine, np.array([0]), others).tolist() == [0.0, 5.0, 8.0]
    assert scale.far_from(mine, np.array([1]), others) == pytest.approx([0.0, 20**0.5, 89**0.5])
    assert scale.far_from(mine, np.array([0, 2]), others) == pytest.approx([0.0, 5 + 65**0.5, 8 + 164**0.5])
    nobody = scale.encode([""])
    assert scale.far_from(mine, np.array([0]), nobody).tolist() == [4 * EARTH]


def test_points_that_hold_no_text_or_lack_a_part_are_refused():
    scale = dc.Trajectory(step=1, pace=1, span=1, geographic=False)
    with pytest.raises(DataError, match="trajectory: a point must be text"):
        scale.encode([[1, 2]])
    with pytest.raises(DataError, match="trajectory: 2 of 3 points lack a part"):
        scale.encode(["0,1,;1,,3;2,3,4"])
    with pytest.raises(DataError, match="times of points are not all written as '%Y-%m-%d'"):
        dc.Trajectory(step=1, pace=1, format="%Y-%m-%d").encode(["2020-01-01,1,2;noon,1,2"])


def test_a_declaration_as_a_table_and_back():
    for scale, fields in (
        (dc.Trajectory(), {"delimiter": ";"}),
        (dc.Trajectory(1, 2, 3, False, "|", "%Y-%m-%d"),
         {"step": 1.0, "pace": 2.0, "span": 3.0, "geographic": False, "delimiter": "|", "format": "%Y-%m-%d"}),
    ):  # fmt: skip
        assert scale.to_dict() == fields
        assert dc.Trajectory.from_dict(fields) == scale


def test_dated_points_go_in_seconds_or_in_the_minutes_they_are_written_in():
    assert dc.Trajectory().completed(pa.array([DATED])).format == "%Y-%m-%d %H:%M:%S"
    minutes = [f"2020-01-01 10:{i:02d}:00,{i},5" for i in range(30)]
    assert dc.Trajectory().completed(pa.array([";".join(minutes)])).pace == 60.0
    scale = dc.Trajectory(step=1, pace=60, span=1, geographic=False, format="%Y-%m-%d %H:%M:%S")
    # Seconds since 2000: 7,305 days and ten hours.
    assert scale.encode(minutes[:1]).codes.tolist() == [7305 * 1440 + 600, 0, 5]
    assert scale.decode(scale.encode(minutes[:1])).to_pylist() == [minutes[:1]]
