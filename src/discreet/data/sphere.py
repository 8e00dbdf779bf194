"""Places on a plane or on the earth: cells of a grid, and places so many metres away."""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["METRES_OF_DEGREE", "cell_centres", "displaced", "place_numbers"]

_RADIUS = 6_371_008.8
"""The mean radius of the earth in metres."""
METRES_OF_DEGREE = _RADIUS * np.pi / 180


def cell_centres(
    latitudes: FloatArray, longitudes: FloatArray, metres: float, *, degrees: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the centres of the cells of a grid in which places lie.

    On the earth a row of cells has one height in degrees, and its cells the width in degrees that makes them square in
    its middle.

    Examples
    --------
    >>> cell_centres(np.array([12.0]), np.array([27.0]), 10, degrees=False)
    (array([15.]), array([25.]))
    """
    height = metres / METRES_OF_DEGREE if degrees else metres
    north = (np.floor(latitudes / height) + 0.5) * height
    if not degrees:
        return north, (np.floor(longitudes / height) + 0.5) * height
    north = np.clip(north, -90.0, 90.0)
    # A whole number of cells goes around, so that none is cut at the date line.
    around = np.maximum(np.floor(360.0 * np.cos(np.radians(north)) / height), 1.0)
    width = 360.0 / around
    east = (np.minimum(np.floor((longitudes + 180.0) / width), around - 1) + 0.5) * width - 180.0
    return np.round(north, 6), np.round(east, 6)


def displaced(
    latitudes: FloatArray, longitudes: FloatArray, metres: FloatArray, bearings: FloatArray, *, degrees: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the places so many metres away in some directions, in radians from the north.

    Examples
    --------
    >>> north, east = displaced(np.zeros(1), np.zeros(1), np.array([METRES_OF_DEGREE]), np.zeros(1), degrees=True)
    >>> float(north[0].round(9)), float(east[0].round(9))
    (1.0, 0.0)
    """
    if not degrees:
        return latitudes + metres * np.cos(bearings), longitudes + metres * np.sin(bearings)
    angle, start = metres / _RADIUS, np.radians(latitudes)
    sine = np.sin(start) * np.cos(angle) + np.cos(start) * np.sin(angle) * np.cos(bearings)
    turn = np.arctan2(np.sin(bearings) * np.sin(angle) * np.cos(start), np.cos(angle) - np.sin(start) * sine)
    north = np.degrees(np.arcsin(np.clip(sine, -1.0, 1.0)))
    return north, (longitudes + np.degrees(turn) + 180.0) % 360.0 - 180.0


def place_numbers(latitudes: FloatArray, longitudes: FloatArray) -> IntArray:
    """Return a number for every place, the same for equal places; two of a million meet with a chance of one in 10⁷.

    Examples
    --------
    >>> numbers = place_numbers(np.array([1.0, 1.0, 2.0]), np.array([5.0, 5.0, 5.0]))
    >>> bool(numbers[0] == numbers[1] != numbers[2])
    True
    """
    mixed = np.zeros(latitudes.size, dtype=np.uint64)
    for column, odd in ((latitudes, 0x9E3779B97F4A7C15), (longitudes, 0xC2B2AE3D27D4EB4F)):
        bits = np.ascontiguousarray(np.where(np.isnan(column), np.nan, column) + 0.0).view(np.uint64)
        mixed = (mixed ^ bits) * np.uint64(odd)
        mixed ^= mixed >> np.uint64(31)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return (mixed >> np.uint64(1)).astype(np.int64)
