"""Several attacks on one release together: they re-identify different records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.contracts.links import Links
from discreet.errors import DataError, wrong_type
from discreet.typing import FloatArray, IntArray

__all__ = ["CombinedAttack", "combine"]


@dataclass(frozen=True, repr=False)
class CombinedAttack:
    """What several attacks find between them.

    Attributes
    ----------
    n : int
        Records that were looked for.
    expected : float
        Expected number of records that at least one attack links correctly, ties broken at random and apart.
    each : dict of str to float
        By attack, its own expected number.
    both : float
        Expected number that every attack links correctly.
    probability : (n,) float64
        By record, the chance that at least one attack is right.
    frequency : (n,) float64
        By record, how often it is re-identified over the attacks: their mean chance. The record-level risk.
    chance : float
        Expected number that as many guesses find.
    attributes : dict of str to tuple of str
        By attack, what it linked on.
    """

    n: int
    expected: float
    each: Mapping[str, float]
    both: float
    probability: FloatArray
    frequency: FloatArray
    chance: float = 0.0
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Share of records that at least one attack finds."""
        return self.expected / self.n

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {value:.1f}" for name, value in self.each.items())
        return f"CombinedAttack({self.expected:.1f} of {self.n}; {parts})"


def combine(links: Sequence[Links], truth: IntArray | None = None) -> CombinedAttack:
    """Join the links that several attacks on the same two files found.

    Parameters
    ----------
    links : sequence of Links
        From different linkers, seeds or sets of known attributes.
    truth : (n_b,) int64, optional
        Position in A of every record of B; by default the same position.

    References
    ----------
    Domingo-Ferrer and Torra (2002), section 4: both ways of linking together find most.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.linkage.shared.distance import DistanceLinkage
    >>> a = pl.DataFrame({"x": [1.0, 2.5, 9.5], "y": [5.5, 1.0, 0.5]})
    >>> b = pl.DataFrame({"x": [1.0, 9.0, 9.5], "y": [1.5, 1.0, 5.5]})
    >>> combine([DistanceLinkage(attributes=[name]).link(a, b) for name in "xy"]).expected
    3.0
    """
    if not isinstance(links, (list, tuple)) or not all(isinstance(one, Links) for one in links):
        raise wrong_type("combine", "links must be a list of what attacks gave", links, "combine([dc.attack(a, b)])")
    if not isinstance(truth, (np.ndarray, list, tuple, type(None))):
        raise wrong_type("combine", "truth must be an array of positions", truth)
    if not links:
        raise DataError("A combined attack needs the links of at least one attack.")
    if len({(one.n_a, one.n_b) for one in links}) > 1:
        raise DataError("A combined attack needs links between the same two files; their sizes differ.")
    names: list[str] = []
    for one in links:
        name = one.method or "attack"
        namesakes = sum(other == name or other.startswith(f"{name} ") for other in names)
        names.append(f"{name} {namesakes + 1}" if namesakes else name)
    evaluated = [one.evaluate(truth) for one in links]
    chances = np.stack([result.probability for result in evaluated])
    either = 1.0 - np.prod(1.0 - chances, axis=0)
    return CombinedAttack(
        n=evaluated[0].n,
        expected=float(either.sum()),
        each={name: result.expected for name, result in zip(names, evaluated, strict=True)},
        both=float(np.prod(chances, axis=0).sum()),
        probability=either,
        frequency=chances.mean(axis=0),
        chance=evaluated[0].n * (1.0 - (1.0 - evaluated[0].chance / evaluated[0].n) ** len(evaluated)),
        attributes={name: one.attributes for name, one in zip(names, links, strict=True)},
    )
