"""Probabilistic record linkage after Fellegi and Sunter, over all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.errors import DataError
from discreet.linkage.assignment import assign, check_size, links_from_assignment
from discreet.linkage.compared import best_by_comparison, compare_patterns, distinct_codes
from discreet.linkage.comparison import MOST_ATTRIBUTES, chains_of, chance_of, frequencies, state_table
from discreet.linkage.distance import link_by_terms, nearest_found
from discreet.linkage.estimation import ESTIMATORS, Counts, Model, estimate
from discreet.linkage.pattern_links import Classes, best_by_pattern
from discreet.linkage.patterns import MOST_PATTERNS, Chain, Layout, count_patterns, distinct_rows
from discreet.linkage.results import links_of
from discreet.linkage.terms import Terms
from discreet.microdata import Microdata
from discreet.parameters import Choice, Constraint, Flag, Integer, ListOf, Names, Number, Optional
from discreet.results import Links
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["Diagnosis", "ProbabilisticLinkage"]

_MOST_CODES = 5_000
_SMALL = 50_000_000  # pairs of files so small that nothing needs to be saved


@register("probabilistic")
class ProbabilisticLinkage(Linker):
    """Link each record to the one whose agreement pattern speaks most for a match, over all pairs.

    The weight of a pair is the binary logarithm of how much more often matches than other pairs show its agreement
    pattern. Nothing has to be scaled or weighted by hand, but small differences of numbers count as disagreement.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have, and of more than 20 those on which fewest
        pairs agree by chance.
    m : {"anchored", "em", "free", "known"}
        Where the agreement rates of matches come from. ``"anchored"``: from how much less the files agree with each
        other than the first with itself. ``"em"``: the EM algorithm with u fixed at the overall agreement rate and m at
        least u. ``"free"``: EM with m and u free, which on skewed data may find another class than the matches.
        ``"known"``: from the truth, position by position, as the holder of both files can: the worst case.
    dependence : {"independent", "pairs"}
        Whether attributes of other pairs agree independently, or by a log-linear model with all two-way interactions.
    missing : {"ignore", "disagree", "agree"}
        Whether a missing value says nothing, agrees with nobody, or agrees with a missing value.
    bins : int, optional
        Numbers that are not equal agree a little if they fall into the same of so many quantile classes.
    ordinal_bins : int, optional
        The same for ordered levels; by default they are equal or not.
    similarity : list of str, optional
        Names in text that agree a little if they are spelled alike (Jaro–Winkler); needs the extra ``text``.
    similarity_levels : list of float
        How alike, from 0 to 1, for every level of agreement below equality.
    term_frequency : bool
        Whether agreeing on a rare level counts for more.
    false_links : float, optional
        P(link | no match), which the upper threshold follows from; by default one false link for 20 records.
    false_non_links : float
        P(no link | match), which the lower threshold follows from.
    one_to_one : bool
        Whether every record of the first file is taken at most once.

    Notes
    -----
    Exact over all n_a · n_b pairs without looking at them: pattern counts come from group-bys of the records on every
    set of attributes, O(n · patterns) at worst, best links from hash joins in order of weight; memory O(n). Where there
    are more than 2^20 patterns, or so many that looking at pairs takes less, and with `similarity`, whose levels are no
    classes, distinct records are compared pair by pair in blocks: O(n_a · n_b) time, memory O(n + patterns that occur).
    At most 20 attributes; the links name those that were used. Ties are all records with a pattern of the same
    weight; the lowest position comes first. With `term_frequency` the search is a branch and bound in a prefix tree;
    with `one_to_one` all pairs are looked at, up to 50,000 records. In both directions (``link_both``) pairs have the
    same weights; every record of either file is asked for its heaviest pair.

    References
    ----------
    Fellegi and Sunter (1969); Jaro (1989); Domingo-Ferrer and Torra (2002).

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> scales = {"age": dc.Nominal("abcd"), "town": dc.Nominal("xyz")}
    >>> schema = dc.Schema(dc.Attribute(name, scale, "key") for name, scale in scales.items())
    >>> a = pl.DataFrame({"age": ["a", "b", "c", "d"], "town": ["x", "y", "x", "z"]})
    >>> b = pl.DataFrame({"age": ["a", "b", "c", "c"], "town": ["x", "y", "x", "z"]})
    >>> ProbabilisticLinkage().link(a, b, schema).best.tolist()  # agreeing on the age is the rarer thing
    [0, 1, 2, 2]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "m": Choice(ESTIMATORS),
        "dependence": Choice(("independent", "pairs")),
        "missing": Choice(("ignore", "disagree", "agree")),
        "bins": Optional(Integer(2)),
        "ordinal_bins": Optional(Integer(2)),
        "similarity": Optional(Names()),
        "similarity_levels": ListOf(Number(0, 1, open_low=True)),
        "term_frequency": Flag(),
        "false_links": Optional(Number(0, 1)),
        "false_non_links": Number(0, 1),
        "one_to_one": Flag(),
    }

    def __init__(
        self,
        *,
        attributes: Sequence[str] | None = None,
        m: str = "anchored",
        dependence: str = "independent",
        missing: str = "ignore",
        bins: int | None = 20,
        ordinal_bins: int | None = None,
        similarity: Sequence[str] | None = None,
        similarity_levels: Sequence[float] = (0.85, 0.95),
        term_frequency: bool = False,
        false_links: float | None = None,
        false_non_links: float = 0.05,
        one_to_one: bool = False,
    ) -> None:
        self.attributes = attributes
        self.m = m
        self.dependence = dependence
        self.missing = missing
        self.bins = bins
        self.ordinal_bins = ordinal_bins
        self.similarity = similarity
        self.similarity_levels = similarity_levels
        self.term_frequency = term_frequency
        self.false_links = false_links
        self.false_non_links = false_non_links
        self.one_to_one = one_to_one

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(m="em", missing="disagree"),
            cls(m="free", missing="agree"),
            cls(dependence="pairs"),
            cls(ordinal_bins=3),
            cls(term_frequency=True, bins=None),
            cls(one_to_one=True),
        ]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        pairs = self._compared(a, b, self._affordable(a, b, names), engine)
        return self._searched(pairs, self._modelled(pairs), engine)

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        return self.link_models(a, b, self._affordable(a, b, names), engine)[self.m]

    def _affordable(self, a: Microdata, b: Microdata, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys on which fewest pairs agree by chance, as many as can be used, unless somebody named them."""
        if self.attributes is not None or len(names) <= MOST_ATTRIBUTES:
            return names
        # Spelling has no classes to count, and who asks for it wants it used.
        chance = dict.fromkeys(self.similarity or (), -1.0)
        for name in names:
            if name not in chance:
                (chain,) = chains_of(
                    type(self).__name__, a, b, [name], missing=self.missing, bins=self.bins,
                    ordinal_bins=self.ordinal_bins,
                )  # fmt: skip
                chance[name] = chance_of(chain)
        best = sorted(names, key=lambda name: chance[name])[:MOST_ATTRIBUTES]
        return tuple(name for name in names if name in best)

    def link_models(
        self,
        a: Microdata,
        b: Microdata,
        names: tuple[str, ...],
        engine: Engine,
        also: Sequence[str] = (),
        *,
        decided: bool = True,
    ) -> dict[str, tuple[Links, Links]]:
        """Link two checked files in both directions, with `m` and with other estimators, counting patterns once.

        Whether a pair is a link, a non-link or neither is left open where nobody asks (`decided`): it needs all
        patterns in their order.

        Pairs and their weights are the same in both directions: the release is asked for its heaviest pair, and then
        the first file for its own.
        """
        pairs = self._compared(a, b, names, engine)
        back = pairs.swapped()
        result = {}
        for estimator in dict.fromkeys((*also, self.m)):  # what is kept of the last one is that of `m`
            model = self._modelled(pairs, estimator)
            both = (self._searched(side, model, engine, decided=decided) for side in (pairs, back))
            result[estimator] = next(both), next(both)
        return result

    def _compared(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> _Pairs:
        """Count the pairs of the two files by what they agree on."""
        owner = type(self).__name__
        if self.m == "known" and len(a) != len(b):
            raise DataError(
                f'{owner}: m="known" needs files of the same records in the same order; got {len(a)} and {len(b)}.',
                hint='Use m="anchored".',
            )
        spelled = tuple(self.similarity or ())
        strange = [name for name in spelled if name not in names]
        if strange:
            raise DataError(f"{owner}: similarity speaks of {strange[0]!r}, which is not among the attributes.")
        chains = chains_of(
            owner, a, b, names, missing=self.missing, bins=self.bins, ordinal_bins=self.ordinal_bins,
            spelled=spelled, thresholds=self.similarity_levels,
        )  # fmt: skip
        patterns = math.prod(chain.states for chain in chains)
        compared = bool(spelled) or patterns > MOST_PATTERNS
        if self.dependence == "independent" and len(a) * (len(a) + len(b)) > _SMALL and patterns > 2 * len(a):
            compared = True  # there are fewer pairs than rows in the group-bys
        first, second = _distinct(chains, compared=compared)
        if compared and self.dependence == "pairs":
            raise DataError(
                f'{owner}: dependence="pairs" needs all patterns; these attributes have too many, or no classes.',
                hint='Use dependence="independent", fewer attributes, or bins=None.',
            )
        counts = compare_patterns(chains, first, second, engine) if compared else count_patterns(chains, engine)
        return _Pairs(tuple(chains), first, second, counts, compared=compared)

    def _modelled(self, pairs: _Pairs, estimator: str | None = None) -> Model:
        model = estimate(pairs.counts, pairs.chains, estimator or self.m, dependent=self.dependence == "pairs")
        self.model_ = model
        self.diagnosis_ = Diagnosis(model, pairs.counts)
        return model

    def _searched(self, pairs: _Pairs, model: Model, engine: Engine, *, decided: bool = True) -> Links:
        """Return for every record of the second file its heaviest pair."""
        chains, first, second = pairs.chains, pairs.first, pairs.second
        n_a, n_b, names = chains[0].a.size, chains[0].b.size, tuple(chain.name for chain in chains)
        if self.one_to_one:
            check_size(type(self).__name__, n_a, n_b)
            links = _assigned(type(self).__name__, chains, model, first, names, type(self).name)
        elif self.term_frequency:
            links = _by_frequency(type(self), chains, model, names, engine)
        elif pairs.compared:
            arrays, tied, order = best_by_comparison(chains, model.attribute_weights(), first, second, engine)
            found = nearest_found(arrays, tied, order, first)
            links = links_of(found.records(second.label), first, names, type(self).name)
            links = replace(links, score=-links.score, second_score=-links.second_score, higher_is_better=True)
        else:
            found = best_by_pattern(chains, model.weights(), first, second, Layout.of(chains), engine)
            links = links_of(found.records(second.label), first, names, type(self).name, higher_is_better=True)
        return self._decided(links, model, n_a) if decided else links

    def _decided(self, links: Links, model: Model, n_a: int) -> Links:
        false_links = 0.05 / n_a if self.false_links is None else self.false_links
        upper, lower = thresholds(model, false_links, self.false_non_links)
        self.thresholds_ = (upper, lower)
        decision = np.where(links.score >= upper, 2, np.where(links.score <= lower, 0, 1))
        decision[links.best < 0] = 0
        odds = model.prior / (1.0 - model.prior) * np.exp2(np.clip(links.score, -500, 500))
        return replace(links, decision=decision.astype(np.int64), probability=odds / (1.0 + odds))


@dataclass(frozen=True, repr=False)
class _Pairs:
    """Two files, attribute by attribute, their distinct records, and how many pairs agree on what."""

    chains: tuple[Chain, ...]
    first: Classes
    second: Classes
    counts: Counts
    compared: bool
    """Whether pairs are looked at, rather than counted pattern by pattern."""

    def swapped(self) -> _Pairs:
        """Return the same pairs with the files in each other's place."""
        chains = tuple(replace(chain, a=chain.b, b=chain.a) for chain in self.chains)
        return replace(self, chains=chains, first=self.second, second=self.first)


def thresholds(model: Model, false_links: float, false_non_links: float) -> tuple[float, float]:
    """Return the weight from which a pair is a link, and that up to which it is none.

    Among patterns by falling weight, those together have at most the share `false_links` of other pairs are links;
    by rising weight, those that have at most the share `false_non_links` of matches are not. Where the two would
    overlap, everything that is no link is none.
    """
    ordered, m, u, blur = _ranked(model)
    slack = 1.0 + 1e-9  # a sum of shares that should be equal to the limit may come out a little above it
    linked = int(np.searchsorted(np.cumsum(u), false_links * slack, side="right"))
    upper = float(ordered[linked - 1]) - blur if linked else np.inf
    from_below = int(np.searchsorted(np.cumsum(m[::-1]), false_non_links * slack, side="right"))
    lower = float(ordered[::-1][from_below - 1]) + blur if from_below else -np.inf
    return (upper, lower) if lower < upper else (upper, float(np.nextafter(upper, -np.inf)))


def _ranked(model: Model) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return weights, falling, the shares of matches and of other pairs that have them, and how exact they are."""
    if model.unmatched is not None or math.prod(m.size for m in model.m) <= MOST_PATTERNS:
        weights = model.weights().ravel()
        order = np.argsort(-weights, kind="stable")
        m, u = model.matched_patterns().ravel()[order], model.unmatched_patterns().ravel()[order]
        return weights[order], m, u, 0.0
    # Too many patterns to list: weights add up over attributes, so their distribution is built one by one, sums that
    # differ by less than a thousandth of a bit as one.
    sums = np.zeros(1, dtype=np.int64)
    matched: Any = np.ones(1)
    unmatched: Any = np.ones(1)
    for weight, m, u in zip(model.attribute_weights(), model.m, model.u, strict=True):
        steps = np.round(weight * 1000).astype(np.int64)
        sums, place = np.unique((sums[:, None] + steps[None, :]).ravel(), return_inverse=True)
        matched = np.bincount(place, weights=(matched[:, None] * m[None, :]).ravel())
        unmatched = np.bincount(place, weights=(unmatched[:, None] * u[None, :]).ravel())
    return sums[::-1] / 1000.0, matched[::-1], unmatched[::-1], 0.0005 * len(model.m)


def _distinct(chains: Sequence[Chain], *, compared: bool) -> tuple[Classes, Classes]:
    """Return the distinct records of both files."""
    if compared:
        return distinct_codes([chain.a for chain in chains]), distinct_codes([chain.b for chain in chains])
    layout, finest = Layout.of(chains), [chain.states - 1 for chain in chains]
    return (
        Classes(*distinct_rows(layout.packed([chain.a for chain in chains], finest))),
        Classes(*distinct_rows(layout.packed([chain.b for chain in chains], finest))),
    )


def _assigned(
    owner: str, chains: Sequence[Chain], model: Model, classes_a: Classes, names: tuple[str, ...], method: str
) -> Links:
    n_a, n_b = chains[0].a.size, chains[0].b.size
    dependent = None if model.unmatched is None else model.weights().ravel()

    def costs(rows: IntArray) -> FloatArray:
        table = np.zeros((rows.size, n_a))
        position = np.zeros(table.shape if dependent is not None else (0, 0), dtype=np.int64)
        for chain, weight in zip(chains, model.attribute_weights(), strict=True):
            state = chain.state(chain.a[None, :], chain.b[rows][:, None])
            if dependent is None:
                table -= weight[state]
            else:
                position = position * chain.states + state
        return table if dependent is None else -dependent[position]

    chosen, cost = assign(owner, costs, n_a, n_b)
    return links_from_assignment(chosen, -cost, classes_a, names, method, higher=True)


def _by_frequency(
    linker: type[Linker], chains: Sequence[Chain], model: Model, names: tuple[str, ...], engine: Engine
) -> Links:
    """Link with weights that also depend on how common the level is on which a pair agrees."""
    tables, most = [], 0.0
    for chain, weight, u in zip(chains, model.attribute_weights(), model.u, strict=True):
        if chain.size > _MOST_CODES:
            raise DataError(
                f"{linker.__name__}: attribute {chain.name!r} has {chain.size} different values; "
                f"term_frequency takes up to {_MOST_CODES}.",
                hint="Leave it out of attributes, or use term_frequency=False.",
            )
        table = weight[state_table(chain)]
        share = np.maximum(frequencies(chain), 1e-12)
        # Agreement on a level of share f is worth log m/f instead of log m/u, and a match agrees as often on any level.
        codes = np.arange(chain.size)
        at = np.flatnonzero(chain.state(codes, codes) == chain.states - 1)
        table[at, at] += np.log2(np.maximum(u[-1], 1e-12)) - np.log2(share[at])
        highest = float(table.max())
        most += highest
        tables.append(np.ascontiguousarray(highest - table))
    terms = Terms(
        names,
        (),
        np.ascontiguousarray(np.stack([c.a for c in chains], axis=1), dtype=np.int32),
        np.ascontiguousarray(np.stack([c.b for c in chains], axis=1), dtype=np.int32),
        np.empty((chains[0].a.size, 0)),
        np.empty((chains[0].b.size, 0)),
        tuple(tables),
        1,
    )
    links = link_by_terms(linker, terms, names, engine)
    return replace(links, score=most - links.score, second_score=most - links.second_score, higher_is_better=True)


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What the model learned, without any record's value."""

    model: Model
    counts: Counts

    def table(self) -> list[Json]:
        """Return m, u and the weight by attribute and state of agreement."""
        rows: list[Json] = []
        weights = self.model.attribute_weights()
        for j, name in enumerate(self.model.names):
            rows += [
                {"attribute": name, "state": s, "m": float(self.model.m[j][s]), "u": float(self.model.u[j][s]),
                 "weight": float(weights[j][s])}
                for s in range(weights[j].size)
            ]  # fmt: skip
        return rows

    def histogram(self, bins: int = 40) -> tuple[FloatArray, FloatArray]:
        """Return the edges of weight classes and the exact number of pairs in each."""
        weights = (
            self.counts.total(self.model.attribute_weights()) if self.model.unmatched is None else self.model.weights()
        )
        weights, pairs = weights.ravel(), self.counts.between.ravel().astype(np.float64)
        seen = pairs > 0
        heights, edges = np.histogram(weights[seen], bins=bins, weights=pairs[seen])
        return edges, heights

    def waterfall(self, states: Sequence[int]) -> list[tuple[str, float]]:
        """Return how the weight of a pair with these states of agreement adds up, from the prior on."""
        prior = float(np.log2(self.model.prior / (1.0 - self.model.prior)))
        steps = [("prior", prior)]
        steps += [
            (name, float(weight[state]))
            for name, weight, state in zip(self.model.names, self.model.attribute_weights(), states, strict=True)
        ]
        return [*steps, ("total", sum(value for _, value in steps))]

    def __repr__(self) -> str:
        return f"Diagnosis({len(self.model.names)} attributes, {self.counts.between.size} patterns)"
