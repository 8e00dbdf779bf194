"""Numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from discreet.data.scales.precision import Fineness, fineness
from discreet.data.scales.scale import Scale, as_arrow, hide_missing, is_text, to_level_type
from discreet.errors import DataError
from discreet.typing import FloatArray, Level

__all__ = ["Numeric"]


LARGEST = 1e152
"""The largest number that is worked with: its square, and sums of such squares, are still numbers."""


@dataclass(frozen=True)
class Numeric(Scale):
    """A quantity: ordered, with differences that mean something.

    Examples
    --------
    >>> Numeric().encode(["1.5", "-9", "4"], missing=(-9,))
    array([1.5, nan, 4. ])
    >>> Numeric().distance([1.0, 2.0], [4.0, 2.0])
    array([3., 0.])
    """

    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> FloatArray:
        """Return ``float64`` with NaN for missing; what is no number, infinite or enormous is refused by count."""
        column = hide_missing(as_arrow(values), missing)
        numbers = to_level_type(column, pa.float64())
        unreadable = numbers.null_count - column.null_count
        if unreadable:
            raise DataError(
                f"{unreadable} of {len(column)} values are not numbers.",
                hint="Declare the attribute ordinal or nominal, or list those values as missing codes.",
            )
        result = np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)  # a null becomes NaN
        # With a missing number among them the least and the largest are missing too, and the next lines decide.
        if not result.size or (result.min() >= -LARGEST and result.max() <= LARGEST):
            return result
        if not (np.abs(result) > LARGEST).any():
            return result
        infinite = int(np.isinf(result).sum())
        if infinite:
            raise DataError(
                f"{infinite} of {len(column)} values are infinite.",
                hint="Replace them, or list them as missing codes.",
            )
        enormous = int((np.abs(result) > LARGEST).sum())
        raise DataError(
            f"{enormous} of {len(column)} values are larger than {LARGEST:g}, which no distance can be taken of.",
            hint="They may stand for missing values: list them as missing codes, or replace them.",
        )

    def decode(self, encoded: Any) -> pa.Array:
        numbers = np.asarray(encoded, dtype=np.float64)
        return pa.array(numbers, mask=np.isnan(numbers))

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return |a − b|; NaN where either is missing, because a number has no largest distance."""
        return np.abs(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64))

    def fineness(self, encoded: FloatArray) -> Fineness:
        """Return how fine a column, or a part of it, is: what is released of it goes in its steps."""
        return fineness(encoded)

    def written(self, encoded: Any, before: pa.Array) -> pa.Array:
        """Return new values as they are written into a column that held `before`: numbers, or text where it is text."""
        column = self.decode(encoded)
        return column.cast(pa.string()) if is_text(before) else column
