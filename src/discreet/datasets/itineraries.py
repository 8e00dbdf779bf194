"""Synthetic itineraries: visitors through a theme park, as sequences of the places they stop at.

Each of four kinds of visitor (family, thrill, show, short) has a typical route. From a place, a visitor goes on along
the route of its kind, or takes another turn, or drifts to a place that is near and to its taste. A few visitors
are of two odd kinds: one wanders anywhere for a whole day, one repeats a single ride.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import CodeArray, FloatArray, IntArray, RandomState

__all__ = ["MAX_LENGTH", "PLACES", "ROUTES", "Itineraries", "itineraries_lists"]

MAX_LENGTH = 25

# Where a place stands in the park (east and north of the gate, in hundreds of metres), and what it offers.
_MAP: dict[str, tuple[float, float, str]] = {
    "Main Gate": (0.0, 0.0, "service"),
    "Grand Arcade": (0.0, 0.8, "shop"),
    "Carousel": (-0.8, 1.2, "gentle"),
    "Model Railway": (-1.6, 1.0, "gentle"),
    "Petting Farm": (-2.2, 1.8, "gentle"),
    "Fairy Castle": (-1.4, 2.2, "gentle"),
    "Puppet Theatre": (-2.0, 2.8, "show"),
    "Mill Restaurant": (-1.0, 2.9, "food"),
    "Boat Lake": (-0.4, 3.4, "gentle"),
    "Log Flume": (0.4, 3.8, "thrill"),
    "Haunted House": (1.2, 3.2, "thrill"),
    "Iron Coaster": (1.8, 3.8, "thrill"),
    "Drop Tower": (2.4, 3.2, "thrill"),
    "Canyon Rapids": (2.8, 2.4, "thrill"),
    "Harbour Grill": (2.0, 2.4, "food"),
    "Wooden Coaster": (2.6, 1.4, "thrill"),
    "Swing Ride": (1.8, 1.4, "thrill"),
    "Bumper Cars": (1.0, 1.6, "gentle"),
    "Ice Cream Bar": (0.6, 2.2, "food"),
    "Big Top": (0.2, 2.8, "show"),
    "Arena": (-0.2, 2.0, "show"),
    "Dolphin Pool": (0.9, 2.8, "show"),
    "Planetarium": (1.2, 0.8, "show"),
    "Souvenir Shop": (0.3, 0.4, "shop"),
}
PLACES: tuple[str, ...] = tuple(_MAP)
"""The alphabet: a code in a sequence is a position in this tuple."""

_GATE = PLACES.index("Main Gate")
_RIDE = PLACES.index("Iron Coaster")

ROUTES: dict[str, tuple[str, ...]] = {
    "family": (
        *("Main Gate", "Grand Arcade", "Carousel", "Model Railway", "Petting Farm", "Fairy Castle", "Puppet Theatre"),
        *("Mill Restaurant", "Boat Lake", "Arena", "Ice Cream Bar", "Bumper Cars", "Souvenir Shop"),
    ),
    "thrill": (
        *("Main Gate", "Swing Ride", "Wooden Coaster", "Canyon Rapids", "Drop Tower", "Iron Coaster"),
        *("Haunted House", "Log Flume", "Harbour Grill"),
    ),
    "show": (
        *("Main Gate", "Planetarium", "Arena", "Dolphin Pool", "Big Top", "Mill Restaurant", "Puppet Theatre"),
        *("Grand Arcade", "Souvenir Shop"),
    ),
    "short": ("Main Gate", "Grand Arcade", "Carousel", "Ice Cream Bar", "Souvenir Shop"),
}
"""The typical route of each kind of visitor. From its last place a visitor only drifts."""

# Per kind, the odd two last: its share, the mean length of its visit, and the shares of moves along the route and of
# turns repeated; the rest of the moves drift.
_KINDS: dict[str, tuple[float, float, float, float]] = {
    "family": (0.42, 10.0, 0.62, 0.04),
    "thrill": (0.28, 12.0, 0.58, 0.14),
    "show": (0.15, 7.0, 0.62, 0.03),
    "short": (0.135, 3.0, 0.68, 0.04),
    "wanderer": (0.010, 23.0, 0.00, 0.00),
    "repeater": (0.005, 16.0, 0.00, 0.90),
}
_TASTES: dict[str, dict[str, float]] = {
    "family": {"gentle": 5.0, "food": 2.0, "show": 2.0, "shop": 1.5, "thrill": 0.5, "service": 0.1},
    "thrill": {"gentle": 0.5, "food": 1.5, "show": 0.5, "shop": 0.5, "thrill": 6.0, "service": 0.1},
    "show": {"gentle": 1.0, "food": 2.0, "show": 6.0, "shop": 1.5, "thrill": 0.5, "service": 0.1},
    "short": {"gentle": 2.0, "food": 2.0, "show": 1.0, "shop": 3.0, "thrill": 1.0, "service": 0.3},
    "repeater": {"gentle": 0.2, "food": 1.0, "show": 0.2, "shop": 0.2, "thrill": 3.0, "service": 0.1},
}


class Itineraries(NamedTuple):
    """Sequences, one after the other: visitor ``i`` went through ``codes[offsets[i]:offsets[i + 1]]``."""

    ids: IntArray
    codes: CodeArray
    offsets: IntArray
    alphabet: tuple[str, ...]


def itineraries_lists(n: int, random_state: RandomState = 0) -> Itineraries:
    """Generate the itineraries of visitors through a park.

    Sequences of one kind of visitor share long runs and differ in length, detours and repeated turns; a few resemble
    no other. So there is a typical sequence to find per group, and there are visitors whom a sequence singles out.

    Parameters
    ----------
    n : int
        The number of visitors, at least 1.
    random_state : int or numpy.random.Generator
        The seed; the same seed and `n` give the same sequences, whatever the number of threads.

    Returns
    -------
    Itineraries
        ``(ids, codes, offsets, alphabet)``: unique ``int64`` ids, the flat ``int32`` codes, the ``int64`` offsets
        (length ``n + 1``) and `PLACES`. Every sequence has 1 to `MAX_LENGTH` places.

    Raises
    ------
    ParameterError
        If `n` or `random_state` is not as described.

    Notes
    -----
    Given the kind of visitor, the next place depends on the present one only. Time is linear in the number of stops.

    Examples
    --------
    >>> ids, codes, offsets, alphabet = itineraries_lists(3, random_state=1)
    >>> ids.tolist(), len(offsets), len(alphabet)
    ([1, 2, 3], 4, 24)
    >>> alphabet[codes[0]]
    'Main Gate'
    """
    check_parameters("itineraries", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    shares, means = np.array([kind[:2] for kind in _KINDS.values()]).T
    kind = rng.choice(len(_KINDS), size=n, p=shares)
    # Spread beyond a Poisson's, since people stay by the hour and not by the place.
    lengths = np.clip(rng.poisson(rng.gamma(9.0, means[kind] / 9.0)), 1, MAX_LENGTH)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    codes = np.empty(offsets[-1], dtype=np.int32)
    place = _first_places(rng, kind)
    codes[offsets[:-1]] = place
    ladder = _ladder()
    visitors = np.arange(n)
    for step in range(1, int(lengths.max())):
        visitors = visitors[lengths[visitors] > step]
        row = kind[visitors] * len(PLACES) + place[visitors]
        rung = np.searchsorted(ladder, row + rng.random(visitors.size), side="right") - row * len(PLACES)
        # row + u may round up to row + 1, the foot of the next row.
        place[visitors] = np.minimum(rung, len(PLACES) - 1)
        codes[offsets[visitors] + step] = place[visitors]
    return Itineraries(np.arange(1, n + 1, dtype=np.int64), codes, offsets, PLACES)


def _first_places(rng: np.random.Generator, kind: IntArray) -> IntArray:
    """Start at the gate, but for repeaters and the few whom the first reader missed."""
    anywhere = rng.integers(len(PLACES), size=kind.size)
    place = np.where(rng.random(kind.size) < 0.04, anywhere, _GATE)
    return np.where(kind == list(_KINDS).index("repeater"), _RIDE, place)


def _ladder() -> FloatArray:
    """Put the cumulated transition rows one above the other: row r climbs from r to r + 1, so one search serves all."""
    rows = np.concatenate([_transitions(name) for name in _KINDS])
    ladder: FloatArray = np.cumsum(rows, axis=1) + np.arange(float(len(rows)))[:, None]
    # Sums of probabilities miss 1 by a rounding; the top rung must not.
    ladder[:, -1] = np.arange(1.0, len(rows) + 1.0)
    return ladder.ravel()


def _transitions(name: str) -> FloatArray:
    """Return the probabilities of the next place (columns) given the present one (rows) for a kind of visitor."""
    spots = np.array([(east, north) for east, north, _ in _MAP.values()])
    distance = np.hypot(*(spots[:, None] - spots[None, :]).transpose(2, 0, 1))
    tastes = _TASTES.get(name)
    taste = np.array([1.0 if tastes is None else tastes[offer] for *_, offer in _MAP.values()])
    drift = taste * (np.ones_like(distance) if tastes is None else np.exp(-distance / 0.8))
    np.fill_diagonal(drift, 0.0)

    _, _, along, again = _KINDS[name]
    route = [PLACES.index(place) for place in ROUTES.get(name, ())]
    stay = np.where(np.arange(len(PLACES)) == _GATE, 0.0, again)
    onward = np.zeros_like(distance)
    onward[route[:-1], route[1:]] = along
    rest = 1.0 - stay - onward.sum(axis=1)
    rows: FloatArray = np.diag(stay) + onward + drift * (rest / drift.sum(axis=1))[:, None]
    return rows
