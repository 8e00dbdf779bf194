"""Re-identification by distance-based linkage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from discreet.base import Pair, register
from discreet.linkage.distance import DistanceLinkage
from discreet.measures.risk.directions import DIRECTION, TwoWayRisk, worse
from discreet.parameters import Constraint, Names, Optional
from discreet.results import Measurement

__all__ = ["DistanceLinkageRisk", "gaps_in_words"]


@register("distance-linkage")
class DistanceLinkageRisk(TwoWayRisk):
    """Share of records that an intruder with the original keys links correctly to the nearest record, in percent.

    The intruder knows the true keys of everybody in the file: the worst case, and an upper bound for anybody who
    knows less. A tie among t candidates counts 1/t.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key.
    direction : {"worse", "release", "original"}
        What the intruder asks: of every released record whose it is (``"release"``, as the papers do), of every person
        which released record is theirs (``"original"``), or whichever finds more.

    Notes
    -----
    Cost of :class:`~discreet.linkage.distance.DistanceLinkage`, twice for both directions. The detail holds what each
    direction finds, the 95 % Wilson interval, the counts with ties broken for and against the intruder, and the chance
    level 100/n of somebody who guesses. Distances are the same in both directions. A missing category is a value of its
    own; an assessment hands over missing numbers as one too.

    References
    ----------
    Pagliuca and Seri (1999); Domingo-Ferrer and Torra (2002).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.5, 2.0, 9.0, 8.5]}), pl.DataFrame({"x": [1.75, 1.75, 8.75, 8.75]})
    >>> DistanceLinkageRisk().measure(a, b).value  # every record is tied with one other
    50.0
    >>> b = pl.DataFrame({"x": [1.5, 5.0, 9.0, 8.5]})  # who has 2.0 is nearest to 1.5, and 5.0 is nearest to 2.0
    >>> DistanceLinkageRisk(direction="original").measure(a, b).value, DistanceLinkageRisk().measure(a, b).value
    (75.0, 100.0)
    """

    in_score: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by distance-based linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2002"
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "direction": DIRECTION}

    def __init__(self, *, attributes: Sequence[str] | None = None, direction: str = "worse") -> None:
        self.attributes = attributes
        self.direction = direction

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(direction="release"), cls(direction="original")]

    def _measure(self, pair: Pair) -> Measurement:
        linker = DistanceLinkage(attributes=pair.names)
        if self.direction == "release":
            linked = {"release": linker.link(pair.original, pair.masked, engine=pair.engine).evaluate()}
            counts = "release"
        else:
            links = linker.link_both(pair.original, pair.masked, engine=pair.engine)
            counts, linked = worse(links, self.direction)
        keys = "1 true key" if len(pair.declared) == 1 else f"{len(pair.declared)} true keys"
        intruder = f"An intruder who knows {keys} of everybody"
        return self.told(intruder, linked, counts, {"known": list(pair.declared)}, gaps_in_words(pair))


def gaps_in_words(pair: Pair) -> str:
    """Return how missing cells are read, where any of the keys has one."""
    tables = (pair.original, pair.masked)
    flagged = len(pair.declared) < len(pair.names)  # gaps that were filled, each with a flag that says so
    if flagged or any(table.missing(name).any() for table in tables for name in pair.names):
        return " A missing cell counts as a value of its own."
    return ""
