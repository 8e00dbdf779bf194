"""Risks of record linkage: by distance, by probability, by the distance of sequences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal, Self

from discreet.contracts.estimator import register
from discreet.contracts.links import Links
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales import GapFlag
from discreet.data.scales.dissimilarities import Dissimilarity
from discreet.linkage.shared.agreement import MOST_ATTRIBUTES, Agreement, chance_of
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.shared.sequence_distance import SequenceLinkage
from discreet.linkage.shared.terms import METRICS
from discreet.measures.risk.directions import TwoWayRisk, worse
from discreet.measures.risk.linked_sample import comparable_keys, everybody_is_asked, link_sample, told_of_sample
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.operators.operator_text import DISTANCE, QUANTIFIER
from discreet.parameters import Choice, Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.different_pairs import DifferentPairs, PairRows
from discreet.statistics.question import Inquiry, Need
from discreet.typing import IntArray, Json

__all__ = ["DistanceLinkageRisk", "ProbabilisticLinkageRisk", "SequenceLinkageRisk", "gaps_in_words"]


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
    metric : {"euclidean", "mahalanobis", "manhattan", "max"}
        How differences become a distance: see :class:`~discreet.linkage.shared.distance.DistanceLinkage`.

    Notes
    -----
    Cost of :class:`~discreet.linkage.shared.distance.DistanceLinkage`, twice for both directions. The detail holds what
    each direction finds, the 95 % Wilson interval, the counts with ties broken for and against the intruder, and the
    chance level 100/n of somebody who guesses. Distances are the same in both directions. A missing category is a value
    of its own; an assessment hands over missing numbers as one too. Beyond a million records, 2,000 are asked for, each
    compared with everybody; the sentence states the interval, and keys that are released with other levels are left out
    by name.

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
    first_look: ClassVar[int] = 4
    needs_numbers: ClassVar[bool] = True
    need: ClassVar[Need] = Need.ASKED
    title: ClassVar[str] = "Re-identified by distance-based linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Pagliuca and Seri 1999; Domingo-Ferrer and Torra 2002"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    metric: Literal["euclidean", "mahalanobis", "manhattan", "max"] = parameter(Choice(METRICS), default="euclidean")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(direction="release"), cls(direction="original")]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        if everybody_is_asked(scope):
            return (yield from super().inquire(scope))
        names = comparable_keys(type(self).__name__, scope)
        linker = DistanceLinkage(attributes=names, metric=self.metric)
        yardstick = yield from linker.inquire((scope.before, scope.after), flag_gaps=True)
        sample = yield from link_sample(scope.n, names, partial(linker.search, yardstick), self.direction)
        declared = sum(not isinstance(scope.before[name].scale, GapFlag) for name in names)
        intruder = f"An intruder who knows {_keys_in_words(declared)} of everybody"
        return told_of_sample(self, intruder, sample, names, scope)

    def _measure(self, pair: Pair) -> Measurement:
        linker = DistanceLinkage(attributes=pair.names, metric=self.metric)
        links: tuple[Links, ...]
        if self.direction == "release":
            links = (linker.link(pair.original, pair.masked, engine=pair.engine, second=False),)
            linked, counts = {"release": links[0].evaluate()}, "release"
        else:
            links = both = linker.link_both(pair.original, pair.masked, engine=pair.engine, second=False)
            counts, linked = worse(both, self.direction)
        intruder = f"An intruder who knows {_keys_in_words(len(pair.declared))} of everybody"
        return self.told(intruder, linked, counts, {"known": list(pair.declared)}, gaps_in_words(pair), links)


def _keys_in_words(count: int) -> str:
    return "1 true key" if count == 1 else f"{count} true keys"


def gaps_in_words(pair: Pair) -> str:
    """Return how missing cells are read, where any of the keys has one."""
    tables = (pair.original, pair.masked)
    flagged = len(pair.declared) < len(pair.names)  # gaps that were filled, each with a flag that says so
    if flagged or any(table.missing(name).any() for table in tables for name in pair.names):
        return " A missing cell counts as a value of its own."
    return ""


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
    Cost of :class:`~discreet.linkage.shared.probabilistic.ProbabilisticLinkage`; patterns are counted once for both
    directions and both models. All keys are compared where that takes at most 10⁹ steps (always up to 22,000 records);
    beyond, and beyond 20 keys, those are left out on which most pairs agree by chance, and the sentence and `details`
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
    need: ClassVar[Need] = Need.DISTINCT
    first_look: ClassVar[int] = 5
    title: ClassVar[str] = "Re-identified by probabilistic linkage"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Fellegi and Sunter 1969; Domingo-Ferrer and Torra 2002"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    worst_case: bool = parameter(Flag(), default=True)

    def question(self, scope: PairScope) -> DifferentPairs:
        return DifferentPairs(scope.names, scope.names)

    def conclude(self, statistics: PairRows, scope: PairScope) -> Measurement:
        before, after, counts = statistics.original, statistics.release, statistics.counts
        linker = ProbabilisticLinkage(attributes=scope.names, missing="agree")
        agreements = scope.engine.map(lambda name: linker.agreement(before, after, name, counts), scope.names)
        if self.attributes is None:
            agreements = _affordable(agreements, scope.n, counts)
        keys_known = tuple(agreement.name for agreement in agreements)
        left_out = [name for name in scope.names if name not in keys_known]
        also = ("known",) if self.worst_case else ()
        links = linker.link_models(
            agreements, scope.engine, also, decided=False, second=False, listed=False, frequencies=(counts, counts)
        )
        direction, linked = worse(links[linker.m], self.direction, counts)
        if self.direction == "release" and not self.worst_case:
            linked = {"release": linked["release"]}
        keys = _keys_in_words(len(keys_known))
        details: Json = {"known": list(keys_known), "left_out": left_out, "complete": not left_out}
        if self.worst_case:
            knowing, certain = worse(links["known"], self.direction, counts)
            details["percent_with_known_m"] = 100.0 * certain[knowing].rate
        pair = Pair(before, after, scope.names, scope.provenance, scope.engine)
        remarks = gaps_in_words(pair) + _left_out_in_words(left_out, len(scope.names))
        intruder = f"An intruder who knows {keys} of everybody and weighs agreements"
        return self.told(intruder, linked, direction, details, remarks, links[linker.m] if counts is None else ())


def _left_out_in_words(names: Sequence[str], of: int) -> str:
    if not names:
        return ""
    verb = "was" if len(names) == 1 else "were"
    return (
        f" Of {of} keys {', '.join(names)} {verb} left out, because all together have too many agreement patterns for "
        "so many records: who uses them too may find more."
    )


def _affordable(agreements: Sequence[Agreement], n: int, counts: IntArray | None) -> list[Agreement]:
    """Return the keys on which few pairs agree by chance, as many as can be compared, in schema order.

    `counts` are the records that every row stands for, where it is not one.
    """
    # Where all pairs can be looked at, patterns may be as many as there are.
    most = math.inf if 2 * n * n <= _MOST_WORK else max(_FEW_PATTERNS, _MOST_WORK // n)
    affordable: set[str] = set()
    patterns = 1
    for agreement in sorted(agreements, key=partial(chance_of, frequencies=counts)):
        if patterns * agreement.states <= most and len(affordable) < MOST_ATTRIBUTES:
            patterns *= agreement.states
            affordable.add(agreement.name)
    return [agreement for agreement in agreements if agreement.name in affordable]


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
        How the intruder compares sequences; ``discreet.data.scales.dissimilarities`` holds the ways.
    quantifier : str or Quantifier, optional
        The policy of ``"oss-owa"``; None is the plain mean of event distances.
    direction : {"worse", "release", "original"}
        What the intruder asks: of every released record whose it is (``"release"``, as the papers do), of every person
        which released record is theirs (``"original"``), or whichever finds more.

    Notes
    -----
    Cost of :class:`~discreet.linkage.shared.sequence_distance.SequenceLinkage`, twice for both directions. The detail
    holds what each direction finds, the 95 % Wilson interval, the counts with ties broken for and against the intruder,
    and the chance level 100/n of somebody who guesses. Beyond a million records, 2,000 are asked for, each compared
    with everybody, and the sentence states the interval.

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

    need: ClassVar[Need] = Need.ASKED
    title: ClassVar[str] = "Re-identified by linkage of sequences"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    formula: ClassVar[str] = "100 · max over directions of correct links / n, ties shared"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002; Valls, Nin and Torra 2009"
    in_score: ClassVar[bool] = True
    first_look: ClassVar[int] = 6
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    distance: str | Dissimilarity = parameter(DISTANCE, default="own")
    quantifier: str | Quantifier | None = parameter(QUANTIFIER, default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="levenshtein")]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        if everybody_is_asked(scope):
            return (yield from super().inquire(scope))
        names = comparable_keys(type(self).__name__, scope)
        linker = SequenceLinkage(attributes=names, distance=self.distance, quantifier=self.quantifier)
        refuses = type(linker).__name__
        sample = yield from link_sample(scope.n, names, linker.search, self.direction, refuses_gaps=refuses)
        return told_of_sample(self, "An intruder who knows the true sequences of everybody", sample, names, scope)

    def _measure(self, pair: Pair) -> Measurement:
        linker = SequenceLinkage(attributes=pair.names, distance=self.distance, quantifier=self.quantifier)
        if self.direction == "release":
            links = linker.link(pair.original, pair.masked, engine=pair.engine, second=False)
            linked = {"release": links.evaluate()}
            counts = "release"
        else:
            both = linker.link_both(pair.original, pair.masked, engine=pair.engine, second=False)
            counts, linked = worse(both, self.direction)
        intruder = "An intruder who knows the true sequences of everybody"
        return self.told(intruder, linked, counts, {"known": list(pair.names)})
