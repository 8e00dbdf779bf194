"""Who is found by a few known moments: by hand, and tried out over every set of moments."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.measures.risk.known_moments import KnownMoments


def measured(measure, before, after, scale=None, name="load", **further):
    attributes = [dc.Attribute(name, scale or dc.TimeSeries(step=1, span=10), "key")]
    columns, others = {name: before}, {name: after}
    for other, sides in further.items():
        attributes.append(dc.Attribute(other, scale or dc.TimeSeries(step=1, span=10), "key"))
        columns[other], others[other] = sides
    return measure.measure(pl.DataFrame(columns), pl.DataFrame(others), dc.Schema(attributes))


def chances(before, after, known):
    """Return by record the best and all chances over every set of moments: series of whole numbers without gaps."""
    result = []
    for i, one in enumerate(before):
        found = []
        for places in combinations(range(len(one)), min(known, len(one))):
            far = [sum(min(abs(one[p] - other[p]), 10) if p < len(other) else 10 for p in places) for other in after]
            nearest = [j for j, x in enumerate(far) if x == min(far)]
            found.append(1 / len(nearest) if i in nearest else 0.0)
        result.append((max(found), found))
    return result


def text(rows):
    return [" ".join(map(str, row)) for row in rows]


@pytest.mark.parametrize("known", [1, 2, 5])
def test_the_worst_of_many_draws_is_the_worst_of_all_sets(known):
    rng = np.random.default_rng(known)
    before = [rng.integers(0, 9, rng.integers(2, 5)).tolist() for _ in range(8)]
    after = [[max(0, x + int(rng.integers(-1, 2))) for x in before[i // 2 * 2]] for i in range(8)]
    after[1], after[3] = after[0], after[2]
    found = measured(KnownMoments(known=known, draws=60, random_state=3), text(before), text(after))
    assert found.value == pytest.approx(100 * np.mean([best for best, _ in chances(before, after, known)]))
    details = found.details["by_attribute"]["load"]
    own = chances(before, before, known)
    assert details["before_percent"] == pytest.approx(100 * np.mean([best for best, _ in own]))
    assert (details["asked"], details["records"]) == (8, 8)
    # Of many draws the mean is near that of all sets, and where all is known it is that.
    near = 100 * np.mean([np.mean(each) for _, each in chances(before, after, known)])
    assert details["mean_over_draws_percent"] == pytest.approx(near, abs=1e-9 if known == 5 else 6)
    near = 100 * np.mean([np.mean(each) for _, each in own])
    assert details["before_mean_over_draws_percent"] == pytest.approx(near, abs=1e-9 if known == 5 else 6)
    assert details["mean_over_draws_percent"] <= found.value + 1e-9


def test_one_draw_has_its_best_for_its_mean():
    found = measured(KnownMoments(known=1, draws=1), ["1 2", "3 4", "8 9"], ["2 3", "2 3", "8 9"])
    details = found.details["by_attribute"]["load"]
    assert found.value == pytest.approx(200 / 3) == pytest.approx(details["mean_over_draws_percent"])
    assert details["before_percent"] == 100.0
    assert found.sentence == (
        "Knowing 1 moments of a person with their times, an intruder finds 66.7 % of the records in the release, at "
        "the worst of 1 draws of what may be known; before masking it was 100.0 %."
    )


def test_a_record_whose_release_fits_worse_than_another_is_not_found():
    assert measured(KnownMoments(known=2), ["1 1", "9 9"], ["9 9", "1 1"]).value == 0.0
    assert measured(KnownMoments(known=2), ["1 1", "9 9"], ["9 9", "9 9"]).value == 50.0


def test_the_worst_attribute_counts():
    found = measured(KnownMoments(known=1), ["1 1", "9 9"], ["9 9", "1 1"], heat=(["1 1", "9 9"], ["1 1", "9 9"]))
    assert found.value == 100.0
    assert found.per_attribute == {"load": 0.0, "heat": 100.0}


def test_some_are_asked_and_the_order_of_records_does_not_matter():
    before = [f"{i} {2 * i} {i % 3}" for i in range(9)]
    after = [f"{i // 2} {2 * i} 1" for i in range(9)]
    turned = [slice(None), slice(None, None, -1)]
    asked = [measured(KnownMoments(targets=4, known=1), before[turn], after[turn]) for turn in turned]
    assert asked[0].value == asked[1].value
    assert asked[0].sentence.endswith(" 4 of 9 records were looked for.")
    assert asked[0].details["by_attribute"]["load"]["asked"] == 4
    for targets in (9, 10):
        everybody = measured(KnownMoments(targets=targets, known=1), before, after)
        assert everybody.details["by_attribute"]["load"]["asked"] == 9
        assert "looked for" not in everybody.sentence
    # Another seed asks others.
    values = {measured(KnownMoments(targets=2, known=1, random_state=seed), before, after).value for seed in range(8)}
    assert len(values) > 1


def test_who_is_asked_follows_from_the_record_itself():
    # Of a release in which all are equal the originals tell records apart: half of them are alike, and found less.
    before, after = [*(f"{i} {i}" for i in range(6)), *["9 9"] * 6], ["5 5"] * 12
    for seed in range(3):
        both = [
            measured(KnownMoments(targets=4, random_state=seed), rows, after).details["by_attribute"]["load"]
            for rows in (before, before[::-1])
        ]
        assert both[0] == pytest.approx(both[1])


def test_what_is_asked_by_default():
    measure = KnownMoments()
    assert (measure.known, measure.draws, measure.targets, measure.random_state) == (3, 5, 1000, 0)
    assert KnownMoments.keys_only


def test_empty_records_are_not_looked_for():
    found = measured(KnownMoments(known=1), ["", "1 2", "", "5 6"], ["", "1 2", "", "5 6"])
    assert found.details["by_attribute"]["load"] | {"mean": 0} == {
        "asked": 2, "records": 4, "mean_over_draws_percent": 100.0, "before_percent": 100.0,
        "before_mean_over_draws_percent": 100.0, "mean": 0,
    }  # fmt: skip
    nobody = measured(KnownMoments(known=1), ["", ""], ["", ""])
    assert nobody.value == 0.0
    assert nobody.details["by_attribute"]["load"]["asked"] == 1


def test_places_at_known_times():
    scale = dc.Trajectory(step=1, pace=1, span=5, geographic=False)
    ways = ["0,0,0;10,10,0", "0,0,0;10,0,10", "0,9,9;10,9,9"]
    assert measured(KnownMoments(known=2), ways, ways, scale, "way").value == 100.0
    # Of the first two only what was at the beginning is known: they are told apart by half.
    found = measured(KnownMoments(known=1, draws=40), ["0,0,0", "0,0,0;10,0,10", ways[2]], ways, scale, "way")
    assert found.value == pytest.approx(100 * (0.5 + 1 + 1) / 3)
