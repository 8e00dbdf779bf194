"""Re-identification by the dissimilarity of sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from discreet.base import Pair, register
from discreet.linkage.sequences import SequenceLinkage
from discreet.measures.risk.directions import DIRECTION, TwoWayRisk, worse
from discreet.operators.quantifiers import Quantifier
from discreet.operators.sequence_reading import DISTANCE, QUANTIFIER
from discreet.parameters import Constraint, Names, Optional
from discreet.results import Measurement
from discreet.scales.dissimilarities import Dissimilarity

__all__ = ["SequenceLinkageRisk"]


@register("sequence-linkage")
class SequenceLinkageRisk(TwoWayRisk):
    """Share of records that an intruder with the original sequences links correctly to the nearest one, in percent.

    The intruder knows the whole true sequence of everybody in the file: the worst case, and an upper bound for anybody
    who knows less and compares by the same distance. A tie among t candidates counts 1/t.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key that is a sequence.
    distance : str or Dissimilarity
        How the intruder compares sequences; ``discreet.scales.dissimilarities`` holds the ways.
    quantifier : str or Quantifier, optional
        The policy of ``"oss-owa"``; None is the plain mean of event distances.
    direction : {"worse", "release", "original"}
        What the intruder asks: of every released record whose it is (``"release"``, as the papers do), of every person
        which released record is theirs (``"original"``), or whichever finds more.

    Notes
    -----
    Cost of :class:`~discreet.linkage.sequences.SequenceLinkage`, twice for both directions. The detail holds what each
    direction finds, the 95 % Wilson interval, the counts with ties broken for and against the intruder, and the chance
    level 100/n of somebody who guesses.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Distance-based and probabilistic record linkage; Valls, Nin and Torra (P3).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abcd"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b", "a c", "d"]}), pl.DataFrame({"visits": ["a b", "a b", "d"]})
    >>> round(SequenceLinkageRisk().measure(a, b, schema).value, 1)  # the first and the third; the second goes astray
    66.7
    """

    title: ClassVar[str] = "Re-identified by linkage of sequences"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002; Valls, Nin and Torra 2009"
    in_score: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "distance": DISTANCE,
        "quantifier": QUANTIFIER,
        "direction": DIRECTION,
    }

    def __init__(
        self,
        *,
        attributes: Sequence[str] | None = None,
        distance: str | Dissimilarity = "oss-owa",
        quantifier: str | Quantifier | None = None,
        direction: str = "worse",
    ) -> None:
        self.attributes = attributes
        self.distance = distance
        self.quantifier = quantifier
        self.direction = direction

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="levenshtein")]

    def _measure(self, pair: Pair) -> Measurement:
        linker = SequenceLinkage(attributes=pair.names, distance=self.distance, quantifier=self.quantifier)
        if self.direction == "release":
            linked = {"release": linker.link(pair.original, pair.masked, engine=pair.engine).evaluate()}
            counts = "release"
        else:
            links = linker.link_both(pair.original, pair.masked, engine=pair.engine)
            counts, linked = worse(links, self.direction)
        intruder = "An intruder who knows the true sequences of everybody"
        return self.told(intruder, linked, counts, {"known": list(pair.names)})
