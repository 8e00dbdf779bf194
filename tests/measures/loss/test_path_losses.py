"""Losses of trajectories by hand and by their definitions, on a plane and on a globe."""

from __future__ import annotations

import math

import polars as pl
import pytest

import discreet as dc
from discreet.data.scales.trajectory import EARTH
from discreet.errors import MissingValueError, ParameterError
from discreet.measures.loss.path_losses import Displacement, TravelledLengths, VisitedCells

PLANE = dc.Trajectory(step=1, pace=1, span=2, geographic=False)
GLOBE = dc.Trajectory(step=0.01, pace=1, span=1000, geographic=True)
LOSSES = [Displacement, VisitedCells, TravelledLengths]


def measured(measure, before, after, scale=PLANE, *, weights=None, further=None):
    attributes = [dc.Attribute("way", scale, "key")]
    columns, others = {"way": before}, {"way": after}
    if further:
        attributes.append(dc.Attribute("back", scale, "key"))
        columns["back"], others["back"] = further
    if weights:
        attributes.append(dc.Attribute("w", dc.Numeric(), "weight"))
        columns["w"] = others["w"] = weights
    frames = [pl.DataFrame(one, strict=False, schema_overrides={"way": pl.String}) for one in (columns, others)]
    return measure.measure(*frames, dc.Schema(attributes))


def test_displacement_is_the_mean_over_the_points_of_the_original():
    # 0, 2 and 6 away: 0, a half, three quarters.
    found = measured(Displacement(), ["0,0,0;1,0,0", "0,5,5"], ["0,0,0;1,2,0", "0,5,11;1,9,9"])
    assert found.value == pytest.approx(100 * (0 + 1 / 2 + 3 / 4) / 3)
    assert found.details["mean_distance"] == {"way": pytest.approx(8 / 3)}
    assert found.sentence == "People of way are put 2.67 units of the coordinates from where they were on average."


def test_displacement_counts_by_weight_and_an_emptied_way_is_gone():
    found = measured(
        Displacement(weighted=True), ["0,0,0", "0,0,0", "0,0,0"], ["0,2,0", "", "0,0,0"], weights=[1.0, 2.0, 5.0]
    )
    assert found.value == pytest.approx(100 * (1 * 0.5 + 2 * 1) / 8)
    assert found.details["mean_distance"]["way"] == pytest.approx(2 / 8)


def test_displacement_over_the_ground_is_in_metres():
    found = measured(Displacement(), ["0,10,20"], ["0,10.01,20"], GLOBE)
    far = math.radians(0.01) * EARTH
    assert found.details["mean_distance"]["way"] == pytest.approx(far)
    assert found.value == pytest.approx(100 * far / (far + 1000))
    assert f"{far:.3g} metres" in found.sentence


def test_cells_that_were_visited():
    # Cells of 2 by 2: the corner belongs to the next one. Of four points one would have to move.
    found = measured(VisitedCells(size=2.0), ["0,0,0;1,1,1;2,2,0;3,5,5"], ["0,0,0;1,2,1;2,3,1;3,4,4"])
    assert found.value == 25.0
    assert found.details["cells_emptied"] == {"way": 0}
    found = measured(VisitedCells(size=2.0), ["0,0,0;1,0,4", "0,0,8"], ["0,0,0;1,0,1", ""])
    # Thirds of three cells became the whole of one.
    assert found.value == pytest.approx(100 * 2 / 3)
    assert found.details["cells_emptied"] == {"way": 2}
    assert found.sentence.endswith("of 3 cells that were visited, 2 are not any more.")


def test_cells_are_a_tenth_of_the_span_where_nobody_says_otherwise():
    assert VisitedCells().size is None
    scale = dc.Trajectory(step=1, pace=1, span=30, geographic=False)
    assert measured(VisitedCells(), ["0,0,0"], ["0,2,2"], scale).value == 0.0
    assert measured(VisitedCells(), ["0,0,0"], ["0,2,3"], scale).value == 100.0


def test_lengths_of_ways():
    before, after = (
        ["0,0,0;1,3,4", "0,0,0;1,0,2", "0,0,0", "0,0,0;1,1,0"],
        ["0,0,0;1,0,2", "0,0,0;1,0,2", "0,0,0", "0,7,0"],
    )
    found = measured(TravelledLengths(), before, after)
    # Lengths 0 1 2 5 became 0 0 2 2: of those up to 0 a quarter, and then a half.
    assert found.value == 25.0
    assert found.details == {"mean_before": {"way": 2.0}, "mean_after": {"way": 1.0}}
    assert found.sentence == (
        "Up to some length there are 25.0 % more, or fewer, of all ways than before; the mean length of way was 2 and "
        "is 1 units of the coordinates."
    )
    assert measured(TravelledLengths(), ["0,0,0;1,0,2"], ["0,0,0"]).value == 100.0
    longer = measured(TravelledLengths(), after, before)
    assert longer.value == 25.0


def test_lengths_by_weight():
    found = measured(TravelledLengths(weighted=True), ["0,0,0;1,0,2", "0,0,0"], ["0,0,0", "0,0,0"], weights=[3.0, 1.0])
    assert found.value == 75.0
    assert found.details["mean_before"] == {"way": 1.5}


@pytest.mark.parametrize("measure", LOSSES)
def test_several_ways_count_alike(measure):
    same, one, other = ["0,0,0;1,0,2"] * 2, ["0,0,0;1,0,2"] * 2, ["0,0,0;1,9,9", "0,0,0;1,0,2"]
    alone = measured(measure(), one, other).value
    both = measured(measure(), same, same, further=(one, other))
    assert alone > 0
    assert both.per_attribute == {"way": 0.0, "back": pytest.approx(alone)}
    assert both.value == pytest.approx(alone / 2)


def test_who_notices_that_ways_changed_hands():
    assert [measure.sees_shuffling for measure in LOSSES] == [True, False, False]
    assert not any(measure().weighted for measure in LOSSES)
    with pytest.raises(ParameterError, match="VisitedCells: size must be"):
        measured(VisitedCells(size=0), ["0,0,0"], ["0,0,0"])


@pytest.mark.parametrize("measure", LOSSES)
def test_nothing_to_compare_is_said(measure):
    with pytest.raises(MissingValueError, match="'way' has no record with points in both files"):
        measured(measure(), ["0,0,0", None, ""], [None, "0,0,0", "0,1,1"])
