"""Groups bred by a genetic algorithm."""

from __future__ import annotations

import numpy as np

from discreet.contracts.estimator import register
from discreet.kernels.groups.genetic import genetic
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.parameters import Integer, Number, Seed
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray, RandomState

__all__ = ["GeneticMicroaggregation"]


@register("genetic")
class GeneticMicroaggregation(JointMicroaggregation):
    """Groups of neighbours along the sum of z-scores, bred for a low squared error.

    A method of the first papers of the field, kept for comparison: with one attribute it comes near the optimum, with
    several it loses more than MDAV.

    Parameters
    ----------
    k : int
        The smallest group.
    generations, population : int
        How long and how many.
    mutation : float
        Probability with which a border between two groups is flipped.
    random_state : int, Generator or None

    Notes
    -----
    An individual is a string of bits that says where a group ends on the sorted records; strings that break the sizes k
    to 2k − 1 are repaired. O(generations × population × n d); memory O(population × n). The other parameters are those
    of :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Mateo-Sanz and Domingo-Ferrer (1998), A comparative study of microaggregation methods.

    Examples
    --------
    >>> import polars as pl
    >>> x = pl.DataFrame({"x": [1.0, 2.0, 3.0, 50.0, 51.0, 52.5]})
    >>> GeneticMicroaggregation(k=3, random_state=0).fit_transform(x)["x"].to_list()[:2]
    [2.0, 2.0]
    """

    generations: int = parameter(Integer(1), default=300)
    population: int = parameter(Integer(4), default=40)
    mutation: float = parameter(Number(0, 1), default=0.01)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[GeneticMicroaggregation]:
        """Return a short breeding."""
        return [cls(k=3, generations=20, population=10)]

    def _partition(self, points: Points) -> IntArray:
        order = np.argsort(points.values.sum(axis=1), kind="stable").astype(np.int64)
        return genetic(
            points.values,
            self.k,
            order,
            seed=int(points.rng.integers(2**63)),
            generations=self.generations,
            population=self.population,
            mutation=float(self.mutation),
        )
