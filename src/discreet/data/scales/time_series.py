"""Time series: readings in the order of time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.item_text import mark_between
from discreet.data.scales.measured import (
    GAP,
    check_step,
    decimals_of,
    from_steps,
    numbers_of,
    step_of,
    text_of,
    to_steps,
)
from discreet.data.scales.numeric import Numeric
from discreet.data.scales.scale import Scale, as_arrow, hide_missing
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.succession import Succession, check_columns, is_list, offsets_of
from discreet.errors import SchemaError
from discreet.typing import CodeArray, FloatArray, IntArray, Json, Level

__all__ = ["TimeSeries"]


@dataclass(frozen=True)
class TimeSeries(Succession):
    """Readings one after the other: the load of every hour, a pulse, the rents of a dozen years.

    Parameters
    ----------
    step : float, optional
        What readings are whole multiples of, such as 0.1; read off the table where it is left out. Nothing is released
        in finer steps.
    span : float, optional
        The difference of two readings that counts as nothing in common; the range of the table where it is left out.
    delimiter : str
        What stands between two readings where a series is written as text. A list column needs none.
    columns : sequence of str
        Where a file holds one column a reading: these columns, in the order of time. A table that has them is gathered
        when it is joined with its schema, and written in the same wide shape.

    Notes
    -----
    To kernels a reading is a whole number of steps. A reading that is missing among others is a gap: an empty place
    between two marks that are no blanks, an empty cell, a null in a list, or a declared missing code.

    Examples
    --------
    >>> load = TimeSeries(step=0.5, delimiter=";")
    >>> load.encode(["20.5;21", "19.5;;20"]).codes.tolist()[:3]
    [41, 42, 39]
    >>> load.decode(load.encode(["20.5;21", "19.5;;20"])).to_pylist()
    [[20.5, 21.0], [19.5, None, 20.0]]
    """

    step: float | None = None
    span: float | None = None
    delimiter: str = " "
    columns: tuple[str, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "series"
    answers: ClassVar[frozenset[str]] = frozenset({"sequence", "series"})
    own_distance: ClassVar[str] = "euclidean"
    own_prototype: ClassVar[str] = "pointwise-mean"
    own_fields: ClassVar[tuple[str, ...]] = ("step", "span")
    tells_all: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("step", "span"):
            object.__setattr__(self, name, check_step("TimeSeries", name, getattr(self, name)))
        if not isinstance(self.delimiter, str) or not self.delimiter:
            raise SchemaError("TimeSeries: delimiter must be text, and not empty.")
        object.__setattr__(self, "columns", check_columns(self.columns))

    @property
    def is_settled(self) -> bool:
        return self.step is not None and self.span is not None

    def completed(self, values: Any, missing: tuple[Level, ...] = ()) -> Self:
        readings, _ = self._readings(as_arrow(values), missing)
        step = self.step or step_of(self.name, readings)
        present = readings[~np.isnan(readings)]
        span = self.span or (round(float(np.ptp(present)), decimals_of(step)) if present.size else 0.0) or step
        return replace(self, step=step, span=span)

    @classmethod
    def read_off(cls, column: pa.Array, missing: tuple[Level, ...], fields: Json) -> Self:
        values = hide_missing(as_arrow(column), missing)
        told = dict(fields)
        if "delimiter" not in told and not is_list(values):
            told["delimiter"] = mark_between(values.drop_null().cast(pa.string()))
        return cls(**told).completed(values, missing)

    @property
    def _step(self) -> float:
        if self.step is None:
            raise SchemaError("TimeSeries: step is not known yet.", hint="Join the scale with a table, or declare it.")
        return self.step

    @property
    def unit(self) -> float:
        """The step of readings, once it is known."""
        return self._step

    def _readings(self, column: pa.Array, missing: tuple[Level, ...]) -> tuple[FloatArray, pa.Array]:
        """Return all readings, NaN for gaps, and the lists they are in."""
        lists = column if is_list(column) else self._pieces(
            hide_missing(column, missing), keep_empty=bool(self.delimiter.strip())
        )  # fmt: skip
        return numbers_of(self.name, lists.flatten(), missing), lists

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> EncodedSequences:
        """Return steps and offsets; an empty text is a series without readings, a null is a missing series."""
        readings, lists = self._readings(as_arrow(values), missing)
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        absent = np.asarray(lists.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return EncodedSequences(to_steps(self.name, readings, self._step), offsets, absent)

    def decode(self, encoded: Any) -> pa.Array:
        """Return a list column: of text where readings stand in columns of their own, of numbers else."""
        codes, offsets, absent = encoded
        codes = np.asarray(codes)
        if self.columns:
            readings = pc.fill_null(text_of(codes, self._step), "")
        else:
            whole = self._step == int(self._step)
            numbers = from_steps(codes, self._step)
            readings = pa.array(numbers, mask=codes == GAP)
            readings = readings.cast(pa.int64()) if whole else readings
        return pa.ListArray.from_arrays(offsets_of(np.diff(offsets), absent), readings)

    def to_text(self, lists: pa.Array) -> pa.Array:
        """Write a list column as delimited text, every reading with the decimals of the step."""
        lists = as_arrow(lists)
        if not self.delimiter.strip() and lists.flatten().null_count:
            raise SchemaError(
                f"TimeSeries: {lists.flatten().null_count} gaps cannot be written between blanks.",
                hint='Choose another delimiter, such as ";".',
            )
        encoded = self.encode(lists)
        texts = pc.fill_null(text_of(encoded.codes, self._step), "")
        return pc.binary_join(
            pa.ListArray.from_arrays(offsets_of(encoded.lengths, encoded.missing), texts), self.delimiter
        )

    def occurring(self, codes: IntArray) -> Self:
        present = codes[codes != GAP].astype(np.float64)
        span = float(np.ptp(present)) * self._step if present.size else 0.0
        return replace(self, span=round(span, decimals_of(self._step)) or self._step)

    def is_part_of(self, whole: Scale) -> bool:
        return isinstance(whole, TimeSeries) and self.delimiter == whole.delimiter and self.columns == whole.columns

    def translated(self, other: Scale, encoded: EncodedSequences) -> EncodedSequences:
        if not isinstance(other, TimeSeries) or other.step == self.step:
            return encoded
        codes = to_steps(self.name, from_steps(encoded.codes, other.unit), self._step)
        return EncodedSequences(codes, encoded.offsets, encoded.missing)

    def moments(self, codes: CodeArray, known: int, draws: int, rng: np.random.Generator) -> list[IntArray]:
        places = np.flatnonzero(codes != GAP)
        size = min(known, places.size)
        return [np.sort(rng.choice(places, size, replace=False)) for _ in range(draws)] if size else []

    def far_from(self, codes: CodeArray, places: IntArray, others: EncodedSequences) -> FloatArray:
        """Return the sum of differences at these times, in steps; a reading that is not there is the span away."""
        span = (self.span or self._step) / self._step
        total = np.zeros(len(others))
        if not others.codes.size:
            return total
        for place in places:
            here = others.lengths > place
            readings = others.codes[np.where(here, others.offsets[:-1] + place, 0)].astype(np.float64)
            apart = np.minimum(np.abs(readings - np.float64(codes[place])), span)
            total += np.where(here & (readings != GAP), apart, span)
        return total

    def position_scale(self, values: pa.Array) -> Scale:  # noqa: ARG002 - numbers have no levels
        return Numeric()

    @property
    def size(self) -> str:
        return ""

    def to_dict(self) -> Json:
        entries: Json = {"step": self.step, "span": self.span}
        states = {"columns": list(self.columns)} if self.columns else {"delimiter": self.delimiter}
        return {**{name: value for name, value in entries.items() if value is not None}, **states}

    @classmethod
    def from_dict(cls, fields: Json) -> Self:
        return cls(**fields)
