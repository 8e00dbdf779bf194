"""Places in a ring: distances by a formula that shares nothing with ours, and the same place moved the same way."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc

SCHEMA = dc.Schema([dc.Attribute("lat", dc.Numeric(), "key"), dc.Attribute("lon", dc.Numeric(), "key")])


def places(n: int = 400, seed: int = 1) -> dc.Microdata:
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(-80, 80, n).round(6), rng.uniform(-180, 180, n).round(6)
    lat[1], lon[1] = lat[0], lon[0]
    return dc.Microdata(pa.table({"lat": lat, "lon": lon}), SCHEMA)


def metres(a: dc.Microdata, b: dc.Microdata) -> list[float]:
    """The haversine distance, record by record."""
    result = []
    for one, two in zip(a.to_arrow().to_pylist(), b.to_arrow().to_pylist(), strict=True):
        p, q = math.radians(one["lat"]), math.radians(two["lat"])
        half = math.sin((q - p) / 2) ** 2
        half += math.cos(p) * math.cos(q) * math.sin(math.radians(two["lon"] - one["lon"]) / 2) ** 2
        result.append(2 * 6_371_008.8 * math.asin(math.sqrt(half)))
    return result


def test_every_place_moves_into_its_ring_and_the_ring_is_filled_evenly() -> None:
    moved = dc.DonutDisplacement("lat", "lon", inner=200, outer=1000, random_state=1).mask(places()).microdata
    far = np.array(metres(places(), moved))
    assert far.min() >= 200
    assert far.max() <= 1000
    # Half of the area lies within the root of the mean of the squares.
    assert 0.4 < (far < math.sqrt((200**2 + 1000**2) / 2)).mean() < 0.6


def test_records_at_one_place_move_together_and_others_do_not() -> None:
    moved = dc.DonutDisplacement("lat", "lon", random_state=1).mask(places()).microdata.to_arrow().to_pylist()
    assert moved[0] == moved[1]
    assert len({tuple(place.values()) for place in moved}) == 399


def test_the_seed_alone_does_not_bring_places_back() -> None:
    masker = dc.DonutDisplacement("lat", "lon", inner=200, outer=1000, random_state=1)
    moved = masker.mask(places()).microdata
    again = masker.mask(dc.Microdata(moved.to_arrow(), SCHEMA)).microdata
    back = dc.Microdata(
        pa.table({n: 2 * moved.encoded(n) - again.encoded(n) for n in ("lat", "lon")}), SCHEMA
    )  # he takes the displacement that he draws for the one that was added
    assert min(metres(places(), back)) > 1.0


def test_a_grid_is_of_squares_and_tells_no_more() -> None:
    grid = dc.GridCells("lat", "lon", metres=5000).mask(places()).microdata
    assert max(metres(places(), grid)) < 5000 / math.sqrt(2) * 1.08  # a cell is a little wider nearer to the equator
    again = dc.GridCells("lat", "lon", metres=5000).mask(grid).microdata
    assert again.to_arrow().equals(grid.to_arrow()), "a centre lies in its own cell"


def test_what_is_refused() -> None:
    with pytest.raises(dc.errors.ParameterError, match="inner must be less than outer"):
        dc.DonutDisplacement("lat", "lon", inner=10, outer=10).mask(places())
    with pytest.raises(dc.errors.ParameterError, match="must be two attributes"):
        dc.GridCells("lat", "lat").mask(places())
    with pytest.raises(dc.errors.DataError, match="'lat' has values beyond ±90"):
        dc.GridCells("lat", "lon").mask(dc.Microdata(pa.table({"lat": [150.0, 2.0], "lon": [1.0, 100.0]}), SCHEMA))


@pytest.mark.parametrize("digits", [3, 4, 5])
def test_rounding_does_not_leave_the_ring(digits: int) -> None:
    table = places().to_arrow()
    coarse = pa.table({name: np.round(table[name].to_numpy(), digits) for name in ("lat", "lon")})
    before = dc.Microdata(coarse, SCHEMA)
    after = dc.DonutDisplacement("lat", "lon", inner=100, outer=500, random_state=3).mask(before).microdata
    far = np.array(metres(before, after))
    assert far.max() <= 500
    assert far.min() >= 100


def test_a_ring_narrower_than_a_step_is_told() -> None:
    coarse = pa.table({name: np.round(places().to_arrow()[name].to_numpy(), 1) for name in ("lat", "lon")})
    masked = dc.DonutDisplacement("lat", "lon", random_state=3).mask(dc.Microdata(coarse, SCHEMA))
    assert any("narrower than a step of lat and lon" in note for note in masked.provenance.notes)


def plane(inner: float, outer: float) -> dc.DonutDisplacement:
    return dc.DonutDisplacement("lat", "lon", inner=inner, outer=outer, unit="metres", random_state=1)


def ring(masker: dc.DonutDisplacement, *steps: float | None) -> SimpleNamespace:
    """The plan for columns that go in some steps."""
    asking = masker.inquire(SimpleNamespace(names=("lat", "lon"), draws=None))
    next(asking)
    with pytest.raises(StopIteration) as told:
        asking.send(SimpleNamespace(fineness=dict(enumerate(SimpleNamespace(unit=step) for step in steps))))
    return told.value.value


def test_a_ring_is_drawn_narrower_by_half_the_diagonal_of_a_step() -> None:
    plan = ring(plane(10, 20), 3.0, 4.0)
    assert (plan.inner, plan.outer, plan.notes) == (12.5, 17.5, ())
    plan = ring(plane(10, 20), None, None)
    assert (plan.inner, plan.outer, plan.notes) == (10, 20, ())
    assert ring(plane(10, 15), 3.0, 4.0).notes == ()
    plan = ring(plane(10, 14), 3.0, 4.0)
    assert plan.inner == plan.outer == 11.5
    assert plan.notes == ("The ring is narrower than a step of lat and lon: rounding may leave it.",)
    plan = ring(plane(10, 12), 3.0, 4.0)
    assert plan.inner == plan.outer == 10


def test_places_by_hand() -> None:
    original = dc.Microdata(pa.table({"lat": [100.0, 100.0, None, 7.0], "lon": [200.0, 200.0, 3.0, None]}), SCHEMA)
    drawn = np.array([[0.0, 0.0], [1.0, 0.25], [0.5, 0.5], [0.5, 0.5]])
    draws = SimpleNamespace(uniforms=lambda places, count: drawn if (len(places), count) == (4, 2) else None)
    moved = plane(3, 5).apply(SimpleNamespace(draws=draws, inner=3, outer=5), SimpleNamespace(original=original))
    assert list(moved) == ["lat", "lon"]
    assert moved["lat"] == pytest.approx([103.0, 100.0, np.nan, np.nan], nan_ok=True)
    assert moved["lon"] == pytest.approx([200.0, 205.0, np.nan, np.nan], nan_ok=True)
    drawn[0, 0] = 0.5  # half of the area lies within the root of seventeen
    assert plane(3, 5).apply(SimpleNamespace(draws=draws, inner=3, outer=5), SimpleNamespace(original=original))["lat"][
        0
    ] == pytest.approx(100 + math.sqrt(17))
