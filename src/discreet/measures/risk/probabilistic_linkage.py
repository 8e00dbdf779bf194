"""Re-identification by probabilistic linkage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.linkage.comparison import chains_of
from discreet.linkage.probabilistic import ProbabilisticLinkage
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement
from discreet.typing import Json

__all__ = ["ProbabilisticLinkageRisk"]

_MOST_PATTERNS = 2048


@register("probabilistic-linkage")
class ProbabilisticLinkageRisk(Measure):
    """Share of records that an intruder with the original keys links correctly by agreement patterns, in percent.

    The intruder weighs agreements by how rare they are among all pairs and how often masking is seen to leave them.
    The detail also holds the worst case, in which he knows how often each key was left unchanged.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default every key, or those that tell most where all would make too many patterns.
    worst_case : bool
        Whether to link once more with the true agreement rates, for the detail.

    Notes
    -----
    Cost of :class:`~discreet.linkage.probabilistic.ProbabilisticLinkage`, at most 2,048 patterns unless `attributes`
    says otherwise. A tie among t candidates counts 1/t.

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

    kind: ClassVar[str] = "risk"
    in_score: ClassVar[bool] = True
    title: ClassVar[str] = "Re-identified by probabilistic linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    keys_only: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · correct links / n, ties shared"
    reference: ClassVar[str] = "Fellegi and Sunter 1969; Domingo-Ferrer and Torra 2002"
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "worst_case": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, worst_case: bool = True) -> None:
        self.attributes = attributes
        self.worst_case = worst_case

    def _measure(self, pair: Pair) -> Measurement:
        known = pair.names if self.attributes is not None else _telling(pair)
        linker = ProbabilisticLinkage(attributes=known)
        linked = linker.link(pair.original, pair.masked, engine=pair.engine).evaluate()
        low, high = linked.interval()
        value = 100.0 * linked.rate
        keys = "1 true key" if len(known) == 1 else f"{len(known)} true keys"
        sentence = (
            f"An intruder who knows {keys} of everybody and weighs agreements re-identifies "
            f"about {linked.expected:.0f} of {linked.n} records ({value:.1f} %); guessing finds {linked.chance:.0f}."
        )
        details: Json = {
            "known": list(known),
            "expected": linked.expected,
            "optimistic": linked.optimistic,
            "pessimistic": linked.pessimistic,
            "n": linked.n,
            "chance_percent": 100.0 * linked.chance / linked.n,
            "interval_percent": [100.0 * low, 100.0 * high],
        }
        if self.worst_case:
            knowing = linker.clone().set_params(m="known")
            worst = knowing.link(pair.original, pair.masked, engine=pair.engine).evaluate()
            details["percent_with_known_m"] = 100.0 * worst.rate
        return self.result(value, sentence, details=details)


def _telling(pair: Pair) -> tuple[str, ...]:
    """Return the keys on which few pairs agree by chance, as many as patterns allow, in schema order."""
    chance, states = {}, {}
    for name in pair.names:
        if pair.original.missing(name).all() or pair.masked.missing(name).all():
            continue
        (chain,) = chains_of("ProbabilisticLinkageRisk", pair.original, pair.masked, [name])
        coarsest = chain.classes[1 if chain.ignores_missing else 0]
        shares = np.bincount(coarsest[chain.a] + 1)[1:] / len(pair.original)
        chance[name] = float(shares @ shares)
        states[name] = chain.states
    chosen, patterns = [], 1
    for name in sorted(chance, key=lambda key: chance[key]):
        if patterns * states[name] <= _MOST_PATTERNS:
            patterns *= states[name]
            chosen.append(name)
    return tuple(name for name in pair.names if name in chosen) or pair.names
