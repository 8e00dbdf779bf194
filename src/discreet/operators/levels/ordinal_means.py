"""Means on an ordered scale: add with a t-conorm on an extended scale, then divide.

The ordinal weighted mean takes a whole weight per value, the ordinal Choquet integral a measure that counts.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.kernels.values.aggregate_ordinal import means_on_chain
from discreet.operators.levels.codes import CodeOperator, sorted_order
from discreet.operators.levels.ordinal_logic import OrdinalLogic
from discreet.operators.levels.ordinal_measures import measure_arity, read_measure, upper_chains
from discreet.operators.operator import Operator, register_operator
from discreet.parameters import Choice, Instance
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["OrdinalChoquet", "OrdinalWeightedMean"]


LOGIC = Instance(OrdinalLogic, "an OrdinalLogic")


class _ChainMean(CodeOperator):
    """What the ordinal weighted mean and Choquet integral share: sum on the extended scale, then divide."""

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})
    rounding: Literal["down", "up"] = parameter(Choice(("down", "up")), default="down")

    def _divide(self, logic: OrdinalLogic, values: CodeArray, offsets: IntArray, counts: IntArray) -> CodeArray:
        """Return the mean of each group of ascending values with whole weights."""
        sizes = np.add.reduceat(counts, offsets[:-1])
        if logic.kind == "lukasiewicz":
            # Extended addition is then addition of integers, and the label is an integer quotient.
            sums = np.add.reduceat(values.astype(np.int64) * counts, offsets[:-1])
            quotient = sums // sizes if self.rounding == "down" else -(-sums // sizes)
            return np.asarray(quotient, dtype=np.int32)
        out = np.empty(sizes.size, dtype=np.int32)
        norm, conorm = logic.tnorm, logic.tconorm
        total = np.empty(int(sizes.max()), dtype=np.int32)
        multiples = np.empty((logic.n_levels, total.size), dtype=np.int32)
        n_multiples = np.zeros(logic.n_levels, dtype=np.int64)
        means_on_chain(values, offsets, counts, norm, conorm, self.rounding == "up", total, multiples, n_multiples, out)
        return out


@register_operator("ordinal-weighted-mean")
class OrdinalWeightedMean(_ChainMean):
    """The weighted mean with a t-conorm for addition: add each value as often as its weight says, then divide.

    Additions run on an extended scale, a descending sequence of levels in which the t-conorm stays and the t-norm is
    carried on. The mean is the level whose multiple comes closest to the sum from below (or from above). Unanimous,
    bounded, monotone and symmetric for every t-norm, because values are added in descending order and the quotient
    is sought between the smallest and the largest of them.

    Parameters
    ----------
    logic : OrdinalLogic
        The t-norm and t-conorm. With Łukasiewicz' pair this is the integer quotient of the weighted sum of positions.
    rounding : {"down", "up"}
        Whether the multiple must stay within the sum, or reach it.

    Notes
    -----
    Weights are whole numbers. With W the sum of the weights of a collection, O(n) for Łukasiewicz' pair and up to
    O(n_levels · W²) for others.

    References
    ----------
    Godo and Torra (2000), On aggregation operators for ordinal qualitative information; described in Domingo-Ferrer
    and Torra (2002), Median based aggregation operators, section 2.4.

    Examples
    --------
    The positions sum to 3·0 + 1·4 + 1·5 = 9 over a weight of 5:

    >>> logic = OrdinalLogic.lukasiewicz(7)
    >>> OrdinalWeightedMean(logic)([0, 4, 5], weights=[3, 1, 1])
    1
    >>> OrdinalWeightedMean(logic, rounding="up")([0, 4, 5], weights=[3, 1, 1])
    2
    """

    weighted: ClassVar[bool] = True
    weight_kind: ClassVar[str] = "whole"

    logic: OrdinalLogic = parameter(LOGIC, kw_only=False)

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(self.logic.n_levels - 1))

    @classmethod
    def examples(cls) -> list[Operator]:
        return [
            cls(OrdinalLogic.lukasiewicz(7)),
            cls(OrdinalLogic.lukasiewicz(7), rounding="up"),
            cls(OrdinalLogic.minimum(7)),
            cls(OrdinalLogic.nilpotent_minimum(7)),
            cls(OrdinalLogic.ordinal_sum(7, [3]), rounding="up"),
        ]

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        size = self.logic.n_levels if isinstance(self.logic, OrdinalLogic) else None
        groups = self._groups(values, offsets, weights, n_levels=size)
        if (groups.weights != np.floor(groups.weights)).any():
            raise ParameterError(
                "OrdinalWeightedMean: weights must be whole numbers.", hint="Scale them up and round them first."
            )
        order = sorted_order(groups.values, groups.offsets)
        return self._divide(self.logic, groups.values[order], groups.offsets, groups.weights[order].astype(np.int64))


@register_operator("ordinal-choquet")
class OrdinalChoquet(_ChainMean):
    """The Choquet integral with a t-conorm for addition, for a measure that counts.

    A Choquet integral is the weighted mean whose weight for each value is what its source adds to the measure of the
    sources above it; here that is an `OrdinalWeightedMean`.

    Parameters
    ----------
    measure : array of 2 ** n whole numbers
        ``measure[s]`` for the sources whose bits are set in ``s``: monotone, 0 for no source, positive for all.
    logic : OrdinalLogic
        The t-norm and t-conorm.
    rounding : {"down", "up"}
        As in `OrdinalWeightedMean`.

    References
    ----------
    Godo and Torra (2001), Extending Choquet integrals for aggregation of ordinal values.

    Examples
    --------
    The larger value's source alone is worth 1 of 4, so that 4 counts once and 0 three times; the other way round it
    is worth 3:

    >>> integral = OrdinalChoquet([0, 1, 3, 4], OrdinalLogic.lukasiewicz(5))
    >>> integral([4, 0]), integral([0, 4])
    (1, 3)
    """

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone"})

    measure: Any = parameter(Instance(object, "a count for every set of sources"), kw_only=False)
    logic: OrdinalLogic = parameter(LOGIC, kw_only=False)

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(self.logic.n_levels - 1))

    @classmethod
    def examples(cls) -> list[Operator]:
        measure = [0, 2, 1, 4, 3, 5, 5, 8]
        return [cls(measure, OrdinalLogic.lukasiewicz(7)), cls(measure, OrdinalLogic.minimum(7), rounding="up")]

    @property
    def arity(self) -> int:
        return measure_arity("OrdinalChoquet", self.measure)

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        measure = read_measure("OrdinalChoquet", self.measure)
        size = self.logic.n_levels if isinstance(self.logic, OrdinalLogic) else None
        groups = self._groups(values, offsets, weights, n_levels=size)
        order, chain = upper_chains("OrdinalChoquet", groups, measure)
        gains = chain.copy()
        gains[:-1] -= chain[1:]
        # The top source of a group adds its own measure to nothing, not to the next group's.
        gains[groups.offsets[1:] - 1] = chain[groups.offsets[1:] - 1]
        return self._divide(self.logic, groups.values[order], groups.offsets, gains)
