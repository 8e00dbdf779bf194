"""Trajectories: places in the order of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.date_text import DateFormat, find_formats, read_text, write_text
from discreet.data.scales.measured import check_step, decimals_of, from_steps, numbers_of, step_of, text_of, to_steps
from discreet.data.scales.precision import clock_fineness
from discreet.data.scales.scale import Scale, as_arrow, hide_missing, is_text
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.succession import Succession, is_list, offsets_of
from discreet.errors import DataError, SchemaError
from discreet.kernels.sequences.paths import places_at
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, Json, Level

__all__ = ["EARTH", "Trajectory", "Waypoints", "on_map", "places_of"]

EARTH = 6_371_000.0
"""The radius of the globe in metres."""

_PARTS = 3
_EPOCH = 946_684_800
"""The beginning of 2000, from which times of day are counted, in seconds since 1970."""
_MICROS = 1_000_000


class Waypoints(NamedTuple):
    """Points as kernels see them: trajectory ``i`` has those from ``offsets[i]`` to ``offsets[i + 1]``."""

    times: FloatArray
    points: FloatArray
    offsets: IntArray


def places_of(encoded: EncodedSequences, unit: float, geographic: bool) -> Waypoints:
    """Return encoded trajectories as times, in steps, and places, in metres where they are on the globe."""
    triples = encoded.codes[: encoded.codes.size // _PARTS * _PARTS].reshape(-1, _PARTS).astype(np.float64)
    first, second = triples[:, 1] * unit, triples[:, 2] * unit
    if geographic:
        north, east = np.radians(first), np.radians(second)
        points = EARTH * np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=1)
    else:
        points = np.stack([first, second, np.zeros(first.size)], axis=1)
    return Waypoints(np.ascontiguousarray(triples[:, 0]), np.ascontiguousarray(points), encoded.offsets // _PARTS)


def on_map(points: FloatArray, geographic: bool) -> FloatArray:
    """Return places as pairs of coordinates again; one inside the globe stands for the one above it."""
    if not geographic:
        return np.ascontiguousarray(points[:, :2])
    flat = np.hypot(points[:, 0], points[:, 1])
    north = np.degrees(np.arctan2(points[:, 2], flat))
    return np.stack([north, np.degrees(np.arctan2(points[:, 1], points[:, 0]))], axis=1)


@dataclass(frozen=True)
class Trajectory(Succession):
    """Where somebody was when: points of a time and two coordinates, in the order of time.

    Parameters
    ----------
    step : float, optional
        What coordinates are whole multiples of, such as 0.0001; read off the table where it is left out. Nothing is
        released in finer steps.
    pace : float, optional
        The same of times, in seconds where they are dates (never finer than one), else in their own unit.
    span : float, optional
        The distance at which two places are half as far apart as can be, in metres on the globe, else in the unit of
        coordinates; where it is left out, four times the median distance of points from their middle.
    geographic : bool, optional
        Whether coordinates are latitude and longitude in degrees. Where it is left out: if all fit, with steps of a
        thousandth or less; where 95 % fit and some do not, the table is refused.
    delimiter : str
        What stands between two points where a trajectory is written as text; the parts of a point have commas between
        them: ``2008-10-23 05:53:05,39.9841,116.3192;2008-10-23 05:54:05,39.9850,116.3201``. A list column has a text a
        point.
    format : str, optional
        How times are written where they are dates, as ``strftime`` has it; found where it is left out.

    Notes
    -----
    To kernels a point is three whole numbers: its time and its coordinates, in steps. Points are put in the order of
    time. A point that lacks a part is refused.

    Examples
    --------
    >>> walk = Trajectory(step=0.5, pace=1, span=10, geographic=False)
    >>> walk.encode(["0,1,2;10,3,2.5"]).codes.tolist()
    [0, 2, 4, 10, 6, 5]
    >>> walk.to_text(walk.decode(walk.encode(["10,3,2.5;0,1,2"]))).to_pylist()
    ['0,1.0,2.0;10,3.0,2.5']
    """

    step: float | None = None
    pace: float | None = None
    span: float | None = None
    geographic: bool | None = None
    delimiter: str = ";"
    format: str | None = field(default=None, compare=False)
    name: ClassVar[str] = "trajectory"
    answers: ClassVar[frozenset[str]] = frozenset({"sequence", "trajectory"})
    own_distance: ClassVar[str] = "synchronous"
    own_prototype: ClassVar[str] = "mean-path"
    own_fields: ClassVar[tuple[str, ...]] = ("step", "pace", "span", "geographic")
    tells_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("step", "pace", "span"):
            object.__setattr__(self, name, check_step("Trajectory", name, getattr(self, name)))
        if not isinstance(self.delimiter, str) or not self.delimiter or "," in self.delimiter:
            raise SchemaError("Trajectory: delimiter must be text without a comma, and not empty.")
        if self.geographic is not None and not isinstance(self.geographic, bool):
            raise SchemaError("Trajectory: geographic must be true or false.")
        if self.format is not None:
            if not isinstance(self.format, str):
                raise SchemaError("Trajectory: format must be text.", hint='Such as format = "%Y-%m-%d %H:%M:%S".')
            DateFormat(self.format)

    # ------------------------------------------------------------------------------------------------------- reading

    @property
    def is_settled(self) -> bool:
        return None not in (self.step, self.pace, self.span, self.geographic)

    def completed(self, values: Any, missing: tuple[Level, ...] = ()) -> Self:
        read = self._read(hide_missing(as_arrow(values), missing))
        coordinates = np.concatenate([read.first, read.second])
        step = self.step or step_of(self.name, coordinates)
        dated = read.format is not None
        clock = clock_fineness(read.times).unit or 1.0  # whole minutes are coarser than the twenties that they are too
        pace = self.pace or (
            max(clock, 1.0) if dated else max(step_of(self.name, read.times), clock if clock >= 60 else 0.0)
        )
        geographic = self.geographic
        if geographic is None:
            geographic = step <= 0.001 and _on_globe(self.name, read)
        known = replace(self, step=step, pace=pace, geographic=geographic, format=self.format or read.format)
        if known.span is not None:
            return known
        codes = np.zeros((read.first.size, _PARTS), dtype=np.int32)
        codes[:, 1], codes[:, 2] = (to_steps(self.name, part, step) for part in (read.first, read.second))
        everything = EncodedSequences(codes.ravel(), np.array([0, codes.size]), np.zeros(1, dtype=np.bool_))
        return replace(known, span=_reach(everything, step, geographic))

    @classmethod
    def read_off(cls, column: pa.Array, missing: tuple[Level, ...], fields: Json) -> Self:
        values = hide_missing(as_arrow(column), missing)
        told = dict(fields)
        if "delimiter" not in told and is_text(values):
            marks = [mark for mark in (";", "|", " ") if (pc.sum(pc.count_substring(values, mark)).as_py() or 0)]
            told["delimiter"] = marks[0] if marks else ";"
        return cls(**told).completed(values, missing)

    @property
    def unit(self) -> float:
        """The step of coordinates, once it is known."""
        if self.step is None or self.pace is None:
            raise SchemaError("Trajectory: steps are not known yet.", hint="Join the scale with a table.")
        return self.step

    def _read(self, column: pa.Array) -> _Read:
        lists = column if is_list(column) else self._pieces(column)
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        absent = np.asarray(lists.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        points = lists.flatten()
        if not is_text(points) and len(points):
            raise DataError(f"{self.name}: a point must be text, such as 06:10,48.2,16.37.")
        split = pc.split_pattern(points.cast(pa.string()), ",")
        wrong = int(pc.sum(pc.not_equal(pc.list_value_length(split), _PARTS)).as_py() or 0)
        if wrong:
            raise DataError(
                f"{self.name}: {wrong} of {len(points)} points have not three parts with commas between them.",
                hint="A point is time,x,y; declare what stands between points as the delimiter.",
            )
        parts = [pc.utf8_trim_whitespace(pc.list_element(split, place)) for place in range(_PARTS)]
        times, written = self._times(parts[0])
        first, second = (numbers_of(self.name, part) for part in parts[1:])
        lacking = int((np.isnan(times) | np.isnan(first) | np.isnan(second)).sum())
        if lacking:
            raise DataError(f"{self.name}: {lacking} of {times.size} points lack a part.", hint="Leave them out.")
        return _Read(times, first, second, lengths, absent, written)

    def _times(self, part: pa.Array) -> tuple[FloatArray, str | None]:
        """Return times, in seconds since 2000 where they are dates, and how these are written."""
        texts = part.cast(pa.string()).dictionary_encode()
        formats = (DateFormat(self.format),) if self.format else find_formats(texts.dictionary, timed=True)
        if not formats:
            return numbers_of(self.name, part), None
        micros, readable, _ = read_text(texts.dictionary, formats[0])
        if not readable.all():
            raise DataError(f"{self.name}: times of points are not all written as {formats[0].text!r}.")
        seconds = micros / _MICROS - _EPOCH
        return np.asarray(seconds[texts.indices.to_numpy(zero_copy_only=False)]), formats[0].text

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> EncodedSequences:
        """Return three steps a point and offsets; an empty text is a trajectory without points, a null is missing."""
        step, read = self.unit, self._read(hide_missing(as_arrow(values), missing))
        offsets = np.concatenate([[0], np.cumsum(read.lengths)]).astype(np.int64)
        owner = np.repeat(np.arange(read.lengths.size), read.lengths)
        parts = [to_steps(self.name, read.times, self.pace or 1.0)]
        parts += [to_steps(self.name, part, step) for part in (read.first, read.second)]
        triples = np.stack(parts, axis=1)[np.lexsort((parts[0], owner))]  # points of one time stay as they stand
        return EncodedSequences(np.ascontiguousarray(triples.ravel()), _PARTS * offsets, read.absent)

    # ------------------------------------------------------------------------------------------------------- writing

    def decode(self, encoded: Any) -> pa.Array:
        """Return a list column, a text a point, every coordinate with the decimals of the step."""
        codes, offsets, absent = encoded
        triples = np.asarray(codes).reshape(-1, _PARTS)
        if self.format is None:
            times = text_of(triples[:, 0], self.pace or 1.0)
        else:
            different, place = np.unique(triples[:, 0], return_inverse=True)
            micros = np.rint((from_steps(different, self.pace or 1.0) + _EPOCH) * _MICROS).astype(np.int64)
            times = pa.array(write_text(micros, DateFormat(self.format)), pa.string()).take(pa.array(place.ravel()))
        parts = [times, *(text_of(triples[:, part], self.unit) for part in (1, 2))]
        points = pc.binary_join_element_wise(*parts, ",") if len(times) else pa.array([], pa.string())
        return pa.ListArray.from_arrays(offsets_of(np.diff(offsets) // _PARTS, absent), points)

    def to_text(self, lists: pa.Array) -> pa.Array:
        """Write a list column as text."""
        return pc.binary_join(as_arrow(lists).cast(pa.list_(pa.string())), self.delimiter)

    # --------------------------------------------------------------------------------------------------- declarations

    def occurring(self, codes: IntArray) -> Self:  # noqa: ARG002 - steps tell no place
        return self

    def is_part_of(self, whole: Scale) -> bool:
        return isinstance(whole, Trajectory) and self.delimiter == whole.delimiter

    def translated(self, other: Scale, encoded: EncodedSequences) -> EncodedSequences:
        if not isinstance(other, Trajectory) or (other.step, other.pace) == (self.step, self.pace):
            return encoded
        triples = encoded.codes.reshape(-1, _PARTS)
        times = to_steps(self.name, from_steps(triples[:, 0], other.pace or 1.0), self.pace or 1.0)
        places = [to_steps(self.name, from_steps(triples[:, part], other.unit), self.unit) for part in (1, 2)]
        return EncodedSequences(np.stack([times, *places], axis=1).ravel(), encoded.offsets, encoded.missing)

    @property
    def size(self) -> str:
        return {None: "", True: "on the globe", False: "on a plane"}[self.geographic]

    # --------------------------------------------------------------------------------------------------------- places

    def places(self, encoded: EncodedSequences) -> Waypoints:
        """Return times in steps, and places in metres on the globe, else in the unit of coordinates."""
        return places_of(encoded, self.unit, bool(self.geographic))

    def apart(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the distances of places, one by one: over the ground on a globe."""
        chord = np.sqrt(((a - b) ** 2).sum(axis=1))
        return np.asarray(2 * EARTH * np.arcsin(np.minimum(chord / (2 * EARTH), 1.0)) if self.geographic else chord)

    def moments(self, codes: CodeArray, known: int, draws: int, rng: np.random.Generator) -> list[IntArray]:
        points = codes.size // _PARTS
        size = min(known, points)
        return [np.sort(rng.choice(points, size, replace=False)) for _ in range(draws)] if size else []

    def far_from(self, codes: CodeArray, places: IntArray, others: EncodedSequences) -> FloatArray:
        """Return the sum of distances from the known points to where others were at their times."""
        own = self.places(EncodedSequences(codes, np.array([0, codes.size]), np.zeros(1, dtype=np.bool_)))
        there = self.places(others)
        everyone = np.arange(len(others))
        total = np.zeros(len(others))
        for place in places:
            at = places_at(*there, everyone, np.full(everyone.size, own.times[place]))
            total += np.nan_to_num(self.apart(at, own.points[[place]]), nan=4 * EARTH)
        return total

    def to_dict(self) -> Json:
        entries = {name: getattr(self, name) for name in (*self.own_fields, "delimiter", "format")}
        return {name: value for name, value in entries.items() if value is not None}

    @classmethod
    def from_dict(cls, fields: Json) -> Self:
        return cls(**fields)


_NEARLY_ALL = 0.95
"""The share of points that fit latitude and longitude, from which the others are taken for mistakes."""


def _on_globe(owner: str, read: _Read) -> bool:
    """Say whether points are latitudes and longitudes; a few that are not, among many that are, are refused."""
    fits = (np.abs(read.first) <= 90) & (np.abs(read.second) <= 180)
    outside = int(fits.size - fits.sum())
    if outside and fits.mean() >= _NEARLY_ALL:
        raise DataError(
            f"{owner}: {outside} of {fits.size} points are no latitude and longitude, and all others fit.",
            hint="Mend them or leave them out; declare geographic = false where places are on a plane.",
        )
    return bool(fits.size) and not outside


class _Read(NamedTuple):
    """The parts of all points, the points of every record, and how dates are written."""

    times: FloatArray
    first: FloatArray
    second: FloatArray
    lengths: IntArray
    absent: BoolArray
    format: str | None


def _reach(everything: EncodedSequences, step: float, geographic: bool) -> float:
    """Return four times the median distance of points from their middle, to two digits."""
    points = places_of(everything, step, geographic).points
    if not len(points):
        return 1.0
    middle = np.median(points, axis=0)
    away = 4.0 * float(np.median(np.sqrt(((points - middle) ** 2).sum(axis=1))))
    # Two digits: what is declared beside a release tells no place.
    return float(f"{away:.1e}") or max(step, 10.0 ** -decimals_of(step))
