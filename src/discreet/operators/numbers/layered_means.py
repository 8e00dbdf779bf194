"""Hierarchies of quasi-weighted means: means of means, which together can follow any continuous function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.operators.numbers.means import QuasiWeightedMean
from discreet.operators.numbers.ordering import require_size, take_groups
from discreet.operators.operator import Operator, refuse_weights, register_operator
from discreet.typing import FloatArray

__all__ = ["MeanHierarchy"]


@register_operator("mean-hierarchy")
class MeanHierarchy(Operator):
    """Quasi-weighted means in layers: each takes what the layer below gives, and the last one gives the result.

    Parameters
    ----------
    layers : sequence of sequences of QuasiWeightedMean
        From the values upwards. Every mean has its own weights, as many as the layer below has means (the first layer:
        as there are values); the last layer has one mean.

    Notes
    -----
    O(n · means). Between the smallest and the largest value, as every mean is. Hierarchies of this kind are universal
    approximators (Torra 1999), which is why they can model data; the papers learn the weights of single means.

    References
    ----------
    Torra (1999), On some relationships between hierarchies of quasi-arithmetic means and neural networks; Torra,
    OWA operators in data modeling and re-identification, section II.

    Examples
    --------
    The mean of a geometric and a quadratic mean:

    >>> layers = [
    ...     [QuasiWeightedMean("log", [0.5, 0.5]), QuasiWeightedMean("power:2", [0.5, 0.5])],
    ...     [QuasiWeightedMean("power:1", [0.5, 0.5])],
    ... ]
    >>> round(MeanHierarchy(layers)([1.0, 7.0]), 6)  # (√7 + 5) / 2
    3.822876
    """

    def __init__(self, layers: Sequence[Sequence[QuasiWeightedMean]] | None = None) -> None:
        self.layers = _checked(layers)

    @classmethod
    def examples(cls) -> list[Operator]:
        low, high = QuasiWeightedMean("log", [0.2, 0.3, 0.5]), QuasiWeightedMean("power:2", [0.6, 0.2, 0.2])
        return [cls(), cls([[low, high], [QuasiWeightedMean("power:1", [0.25, 0.75])]])]

    @property
    def arity(self) -> int | None:
        return self.layers[0][0].arity

    @property
    def domain(self) -> tuple[float, float]:
        ends = [one.domain for layer in self.layers for one in layer]
        return max(low for low, _ in ends), min(high for _, high in ends)

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("MeanHierarchy", weights)
        array, bounds = take_groups("MeanHierarchy", values, offsets)
        require_size("MeanHierarchy", bounds, int(self.arity or 0))
        for layer in self.layers:
            given = np.column_stack([one.batch(array, bounds) for one in layer])
            array = np.ascontiguousarray(given.ravel())
            bounds = np.arange(given.shape[0] + 1) * given.shape[1]
        return array


def _checked(layers: Sequence[Sequence[QuasiWeightedMean]] | None) -> tuple[tuple[QuasiWeightedMean, ...], ...]:
    if layers is None:
        half = [0.5, 0.5]
        layers = [
            [QuasiWeightedMean("log", half), QuasiWeightedMean("power:2", half)], [QuasiWeightedMean("power:1", half)]
        ]  # fmt: skip
    result = tuple(tuple(layer) for layer in layers)
    if not result or len(result[-1]) != 1 or not all(result):
        raise ParameterError("MeanHierarchy: layers must not be empty, and the last one must be a single mean.")
    for number, layer in enumerate(result, start=1):
        if any(not isinstance(one, QuasiWeightedMean) or one.arity is None for one in layer):
            raise ParameterError(f"MeanHierarchy: layer {number} must consist of QuasiWeightedMean with own weights.")
        below = layer[0].arity if number == 1 else len(result[number - 2])
        if any(one.arity != below for one in layer):
            raise ParameterError(f"MeanHierarchy: every mean of layer {number} must have {below} weights.")
    return result
