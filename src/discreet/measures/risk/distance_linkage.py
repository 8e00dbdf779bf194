"""Re-identification by distance-based linkage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from discreet.base import Measure, Pair, register
from discreet.linkage.distance import DistanceLinkage
from discreet.results import Measurement

__all__ = ["DistanceLinkageRisk"]


@register("distance-linkage")
class DistanceLinkageRisk(Measure):
    """Share of records that an intruder with the original keys links correctly to the nearest record, in percent.

    The intruder knows the true keys of everybody in the file: the worst case, and an upper bound for anybody who
    knows less. A tie among t candidates counts 1/t.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key.

    Notes
    -----
    Cost of :class:`~discreet.linkage.distance.DistanceLinkage`. The detail holds the 95 % Wilson interval, the counts
    with ties broken for and against the intruder, and the chance level 100/n of somebody who guesses.

    References
    ----------
    Pagliuca and Seri (1999); Domingo-Ferrer and Torra (2002).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.5, 2.0, 9.0, 8.5]}), pl.DataFrame({"x": [1.75, 1.75, 8.75, 8.75]})
    >>> DistanceLinkageRisk().measure(a, b).value  # every record is tied with one other
    50.0
    """

    kind: ClassVar[str] = "risk"
    in_score: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by distance-based linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    keys_only: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · correct links / n, ties shared"
    reference: ClassVar[str] = "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2002"

    def __init__(self, *, attributes: Sequence[str] | None = None) -> None:
        self.attributes = attributes

    def _measure(self, pair: Pair) -> Measurement:
        linker = DistanceLinkage(attributes=pair.names)
        linked = linker.link(pair.original, pair.masked, engine=pair.engine).evaluate()
        low, high = linked.interval()
        value = 100.0 * linked.rate
        keys = "1 true key" if len(pair.names) == 1 else f"{len(pair.names)} true keys"
        sentence = (
            f"An intruder who knows {keys} of everybody re-identifies "
            f"about {linked.expected:.0f} of {linked.n} records ({value:.1f} %); guessing finds {linked.chance:.0f}."
        )
        return self.result(
            value,
            sentence,
            details={
                "known": list(pair.names),
                "expected": linked.expected,
                "optimistic": linked.optimistic,
                "pessimistic": linked.pessimistic,
                "n": linked.n,
                "chance_percent": 100.0 * linked.chance / linked.n,
                "interval_percent": [100.0 * low, 100.0 * high],
            },
        )
