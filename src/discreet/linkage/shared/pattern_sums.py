"""What an estimator asks of pairs that were counted by agreement pattern, however the patterns are held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["PatternSums"]


class PatternSums(ABC):
    """Sums over patterns, of numbers that a subclass holds in its own order.

    Attributes
    ----------
    between, within, own : int64 array
        One entry a pattern: pairs of a record of A and one of B, ordered pairs of different records of A, records of A
        with themselves.
    """

    between: IntArray
    within: IntArray
    own: IntArray

    @abstractmethod
    def margin(self, values: FloatArray | IntArray, j: int) -> FloatArray:
        """Sum over everything but attribute `j`."""

    @abstractmethod
    def collapsed(self, values: FloatArray, from_state: Sequence[int]) -> FloatArray:
        """Keep of every attribute whether its state is at least the given one; one entry a set of attributes."""

    @abstractmethod
    def margin_agreeing(self, values: FloatArray, j: int, from_state: Sequence[int]) -> FloatArray:
        """Sum as in `margin`, over patterns that agree on everything else."""

    def by_state(self, j: int) -> FloatArray:
        """Return the pairs between the files by the state of attribute `j`."""
        return self.margin(self.between, j)

    def own_by_state(self, j: int) -> FloatArray:
        """Return the records of A by the state in which attribute `j` agrees with itself."""
        return self.margin(self.own, j)

    def by_set(self, from_state: Sequence[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return pairs between the files, within the first, and of its records with themselves, by set of attributes.

        An attribute of the set has at least the given state.
        """
        numbers = (self.between, self.within, self.own)
        between, within, own = (self.collapsed(each.astype(np.float64), from_state) for each in numbers)
        return between, within, own

    def agreeing_by_state(self, j: int, from_state: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Return the pairs between the files and within the first that agree on all else, by the state of `j`."""
        between, within = (
            self.margin_agreeing(each.astype(np.float64), j, from_state) for each in (self.between, self.within)
        )
        return between, within
