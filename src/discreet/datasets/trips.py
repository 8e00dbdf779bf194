"""Made-up days of people in a town: where their telephones were from morning to night."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["Trips", "trips_points"]

_CENTRE = (48.2082, 16.3738)
_METRE = 1.0 / 111_195.0
"""Degrees of latitude."""
_WORK = ((0.0, 0.0), (2500.0, -1500.0), (-3500.0, 2000.0))
"""Where people work, in metres north and east of the centre."""
_DAY = 86_400


class Trips(NamedTuple):
    """Points one after the other: person ``i`` has those from ``offsets[i]`` to ``offsets[i + 1]``."""

    times: IntArray
    latitude: FloatArray
    longitude: FloatArray
    offsets: IntArray


def trips_points(n: int, random_state: RandomState = 0) -> Trips:
    """Return a day of every person, a point about every half hour from 6 to 22 o'clock, to about a metre.

    People live around a dozen neighbourhoods, go to one of three places to work, stay there, and go home; some shop on
    the way. One in fifty drives out of town, where nobody else is.
    """
    check_parameters("trips", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    quarters = rng.normal(0.0, 4000.0, (12, 2))
    home = quarters[rng.integers(12, size=n)] + rng.normal(0.0, 350.0, (n, 2))
    work = np.array(_WORK)[rng.choice(3, n, p=(0.5, 0.3, 0.2))] + rng.normal(0.0, 150.0, (n, 2))
    far = rng.random(n) < 0.02
    work[far] += rng.normal(0.0, 15_000.0, (int(far.sum()), 2))
    leave, back = rng.normal(7.5, 0.6, n), rng.normal(17.0, 0.9, n)
    counts = rng.integers(26, 34, n)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    owner = np.repeat(np.arange(n), counts)
    hours = 6.0 + 16.0 * (np.arange(owner.size) - offsets[owner] + rng.random(owner.size)) / counts[owner]
    going = np.clip((hours - leave[owner]) / 0.75, 0.0, 1.0) - np.clip((hours - back[owner]) / 0.75, 0.0, 1.0)
    bend = rng.normal(0.0, 400.0, (n, 2))[owner] * (4.0 * going * (1.0 - going))[:, None]
    metres = home[owner] + going[:, None] * (work - home)[owner] + bend + rng.normal(0.0, 15.0, (owner.size, 2))
    times = np.minimum((hours * 3600.0).astype(np.int64), _DAY - 1) // 60 * 60
    latitude = _CENTRE[0] + metres[:, 0] * _METRE
    longitude = _CENTRE[1] + metres[:, 1] * _METRE / np.cos(np.radians(_CENTRE[0]))
    return Trips(times, np.round(latitude, 5), np.round(longitude, 5), offsets)
