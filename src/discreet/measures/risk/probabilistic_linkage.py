"""Re-identification by probabilistic linkage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from discreet.base import Pair, register
from discreet.linkage.comparison import MOST_ATTRIBUTES, chains_of, chance_of
from discreet.linkage.probabilistic import ProbabilisticLinkage
from discreet.measures.risk.directions import DIRECTION, TwoWayRisk, worse
from discreet.measures.risk.distance_linkage import gaps_in_words
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement
from discreet.typing import Json

__all__ = ["ProbabilisticLinkageRisk"]

_FEW_PATTERNS = 2048
_MOST_WORK = 1_000_000_000
"""Records × patterns, or pairs of records: beyond both, keys are left out, and the sentence names them."""


@register("probabilistic-linkage")
class ProbabilisticLinkageRisk(TwoWayRisk):
    """Share of records that an intruder with the original keys links correctly by agreement patterns, in percent.

    The intruder weighs agreements by how rare they are among all pairs and how often masking is seen to leave them.
    The detail also holds the worst case, in which he knows how often each key was left unchanged.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key.
    worst_case : bool
        Whether to link once more with the true agreement rates, for the detail.
    direction : {"worse", "release", "original"}
        What the intruder asks: of every released record whose it is (``"release"``, as the papers do), of every person
        which released record is theirs (``"original"``), or whichever finds more.

    Notes
    -----
    Cost of :class:`~discreet.linkage.probabilistic.ProbabilisticLinkage`; patterns are counted once for both directions
    and both models. All keys are compared where that takes at most 10⁹ steps (always up to 22,000 records); beyond, and
    beyond 20 keys, those are left out on which most pairs agree by chance, and the sentence and `details`
    (``left_out``) name them: the figure is then a lower bound. `attributes` overrules that. A tie among t candidates
    counts 1/t. A missing cell is a value of its own.

    References
    ----------
    Fellegi and Sunter (1969); Domingo-Ferrer and Torra (2002).

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [1.5, 2.0, 9.0, 8.5]})
    >>> ProbabilisticLinkageRisk().measure(a, a).value
    100.0
    """

    in_score: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by probabilistic linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Fellegi and Sunter 1969; Domingo-Ferrer and Torra 2002"
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "worst_case": Flag(),
        "direction": DIRECTION,
    }

    def __init__(
        self, *, attributes: Sequence[str] | None = None, worst_case: bool = True, direction: str = "worse"
    ) -> None:
        self.attributes = attributes
        self.worst_case = worst_case
        self.direction = direction

    def _measure(self, pair: Pair) -> Measurement:
        known = pair.names if self.attributes is not None else _affordable(pair)
        left_out = [name for name in pair.names if name not in known]
        linker = ProbabilisticLinkage(attributes=known, missing="agree")
        if self.direction == "release" and not self.worst_case:
            linked = {"release": linker.link(pair.original, pair.masked, engine=pair.engine).evaluate()}
            links, counts = {}, "release"
        else:
            also = ("known",) if self.worst_case else ()
            links = linker.link_models(pair.original, pair.masked, known, pair.engine, also, decided=False)
            counts, linked = worse(links[linker.m], self.direction)
        keys = "1 true key" if len(known) == 1 else f"{len(known)} true keys"
        details: Json = {"known": list(known), "left_out": left_out, "complete": not left_out}
        if self.worst_case:
            knowing, certain = worse(links["known"], self.direction)
            details["percent_with_known_m"] = 100.0 * certain[knowing].rate
        remarks = gaps_in_words(pair) + _left_out_in_words(left_out, len(pair.names))
        intruder = f"An intruder who knows {keys} of everybody and weighs agreements"
        return self.told(intruder, linked, counts, details, remarks)


def _left_out_in_words(names: Sequence[str], of: int) -> str:
    if not names:
        return ""
    verb = "was" if len(names) == 1 else "were"
    return (
        f" Of {of} keys {', '.join(names)} {verb} left out, because all together have too many agreement patterns for "
        "so many records: who uses them too may find more."
    )


def _affordable(pair: Pair) -> tuple[str, ...]:
    """Return the keys on which few pairs agree by chance, as many as can be compared, in schema order."""
    n = len(pair.original)
    chance, states = {}, {}
    for name in pair.names:
        (chain,) = chains_of("ProbabilisticLinkageRisk", pair.original, pair.masked, [name], missing="agree")
        chance[name] = chance_of(chain)
        states[name] = chain.states
    # Where all pairs can be looked at, patterns may be as many as there are.
    most = math.inf if 2 * n * n <= _MOST_WORK else max(_FEW_PATTERNS, _MOST_WORK // n)
    chosen: list[str] = []
    patterns = 1
    for name in sorted(chance, key=lambda key: chance[key]):
        if patterns * states[name] <= most and len(chosen) < MOST_ATTRIBUTES:
            patterns *= states[name]
            chosen.append(name)
    return tuple(name for name in pair.names if name in chosen)
