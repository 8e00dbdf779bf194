"""Measurements as whole numbers of a step, which is how kernels see readings and coordinates.

What goes in whole steps comes out in whole steps: an aggregate can have no more digits than the data had.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.precision import SIGNIFICANT, fineness
from discreet.data.scales.scale import is_text, to_level_type
from discreet.errors import DataError, SchemaError
from discreet.typing import BoolArray, CodeArray, FloatArray, Level

__all__ = ["GAP", "check_step", "decimals_of", "from_steps", "numbers_of", "step_of", "text_of", "to_steps"]

GAP = -(2**31)
"""The code of a measurement that is missing among others that are not."""

_MOST = 2**31 - 2


def check_step(owner: str, field: str, value: Any) -> float | None:
    """Return a step, or the reach of a comparison, as it is told; None where it is left open."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise SchemaError(f"{owner}: {field} must be a number above 0.", hint="Leave it out: it is read off the table.")
    return float(value)


def decimals_of(step: float) -> int:
    """Return the decimals that write every multiple of a step.

    Examples
    --------
    >>> decimals_of(0.25), decimals_of(500.0), decimals_of(1e-6)
    (2, 0, 6)
    """
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def step_of(owner: str, values: FloatArray) -> float:
    """Return the step of measurements: what nearly all of them are multiples of, six digits where they have all.

    A measurement that is too far out for that step to fit the 32 bits of a code is refused: a coarser step would take
    the others away.

    Examples
    --------
    >>> step_of("load", np.array([20.5, 21.25])), step_of("load", np.array([3.0, 7.0])), step_of("load", np.array([]))
    (0.01, 1.0, 1.0)
    """
    present = np.abs(values[np.isfinite(values)])
    present = present[present > 0]
    if not present.size:
        return 1.0
    largest, typical = float(present.max()), float(np.median(present))
    step = fineness(values).unit
    if step is None:
        step = _six_digits(largest)
        step = step if step * 10 <= typical else _six_digits(typical)  # nearly nothing would be left of most
    far = int((present > _MOST * step).sum())
    if far:
        raise DataError(
            f"{owner}: {far} of {values.size} measurements are more than {_MOST:,} steps of {step:g} from 0, which is "
            "what nearly all go in.",
            hint="List them as missing codes where they are that, or declare a coarser step.",
        )
    return step


def _six_digits(number: float) -> float:
    """Return the step in which a number has six digits."""
    return float(f"1e{int(np.floor(np.log10(number))) + 1 - SIGNIFICANT}")


def to_steps(owner: str, values: FloatArray, step: float) -> CodeArray:
    """Return measurements as whole numbers of steps, :data:`GAP` where there is none."""
    gaps = np.isnan(values)
    steps = np.rint(np.where(gaps, 0.0, values) / step)
    far = int((np.abs(steps) > _MOST).sum())
    if far:
        raise DataError(
            f"{owner}: {far} of {values.size} measurements are more than {_MOST:,} steps from 0.",
            hint="Declare a larger step.",
        )
    return np.where(gaps, GAP, steps).astype(np.int32)


def from_steps(codes: CodeArray, step: float) -> FloatArray:
    """Return measurements from steps, NaN for a gap.

    Examples
    --------
    >>> from_steps(np.array([3, GAP], dtype=np.int32), 0.1)
    array([0.3, nan])
    """
    values = np.round(codes.astype(np.float64) * step, decimals_of(step)) + 0.0
    values[codes == GAP] = np.nan
    return np.asarray(values)


def text_of(codes: CodeArray, step: float) -> pa.Array:
    """Return measurements as text, all with the decimals of the step; a gap is null."""
    different, place = np.unique(codes, return_inverse=True)
    digits = decimals_of(step)
    texts = [None if np.isnan(value) else f"{value:.{digits}f}" for value in from_steps(different, step)]
    return pa.array(texts, pa.string()).take(pa.array(place.ravel()))


def numbers_of(owner: str, pieces: pa.Array, missing: tuple[Level, ...] = ()) -> FloatArray:
    """Return numbers from text or numbers, NaN for what is null, empty or a missing code."""
    absent = pieces.is_null()
    if is_text(pieces):
        pieces = pc.utf8_trim_whitespace(pieces.cast(pa.string()))
        absent = pc.or_(absent, pc.fill_null(pc.equal(pieces, ""), True))
    numbers = to_level_type(pieces, pa.float64())
    codes = [code for code in missing if not isinstance(code, bool)]
    words = pa.array([code for code in codes if isinstance(code, str)], pa.string())
    if len(words) and is_text(pieces):
        absent = pc.or_(absent, pc.is_in(pieces, value_set=words))
    values = np.array(pc.fill_null(numbers, np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
    gaps: BoolArray = np.array(absent.to_numpy(zero_copy_only=False), dtype=np.bool_)
    gaps |= np.isin(values, np.array([float(code) for code in codes if not isinstance(code, str)]))
    wrong = int((~gaps & ~np.isfinite(values)).sum())
    if wrong:
        raise DataError(
            f"{owner}: {wrong} of {values.size} measurements are no numbers.",
            hint="Numbers have a point before their decimals; list other signs as missing codes.",
        )
    values[gaps] = np.nan
    return values
