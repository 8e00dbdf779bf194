"""Probabilistic record linkage after Fellegi and Sunter, over all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker
from discreet.contracts.links import AttributeEvidence, Links
from discreet.data.microdata import Microdata
from discreet.errors import DataError, ParameterError
from discreet.linkage.assignment import assign, check_size, links_from_assignment
from discreet.linkage.nearest import Nearest, links_of, nearest_records
from discreet.linkage.shared.agreement import (
    MOST_ATTRIBUTES,
    Agreement,
    agreement_on,
    agreements_on,
    chance_of,
    code_shares,
    refuse_too_many,
    spelled_agreement,
    state_table,
)
from discreet.linkage.shared.coarse_counts import CoarseCounts
from discreet.linkage.shared.counted_pairs import CountedPairs, Frequencies, count_pairs, pairs_are_compared
from discreet.linkage.shared.counted_ties import CountedTies, counted_links
from discreet.linkage.shared.decision import Diagnosis, thresholds, thresholds_of
from discreet.linkage.shared.estimation import ESTIMATORS, Model, estimate
from discreet.linkage.shared.pair_by_pair import best_by_comparison
from discreet.linkage.shared.pattern_search import best_by_pattern, best_in_both_directions
from discreet.linkage.shared.prorated import (
    ProratedPairs,
    assign_prorated,
    best_prorated,
    estimate_prorated,
    prorated_pairs,
    weight_shares,
)
from discreet.linkage.shared.term_search import link_by_terms
from discreet.linkage.shared.terms import Terms
from discreet.parameters import Choice, Flag, Integer, ListOf, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = ["ProbabilisticLinkage"]

_MOST_CODES = 5_000


@register("probabilistic")
class ProbabilisticLinkage(Linker):
    """Link each record to the one whose agreement pattern speaks most for a match, over all pairs.

    The weight of a pair is the binary logarithm of how much more often matches than other pairs show its agreement
    pattern. Nothing has to be scaled or weighted by hand. Small differences of numbers count as disagreement, or, where
    agreement is prorated, as agreement in part.

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
    numbers : {"classes", "prorated"}
        How numbers that are not equal agree. ``"classes"``: a little, if they fall into one of the `bins`.
        ``"prorated"``: in proportion to how little they differ, from full agreement where they are equal to none from
        `tolerance` on (P2, section 2.1). There are no patterns then: every pair is weighed, up to 16 million, and m
        must be ``"em"``, ``"free"`` or ``"known"``.
    tolerance : float
        The difference in standard deviations, of both files together, from which prorated numbers do not agree at all.
        Where it is wide, most pairs agree in part, and EM tells matches apart less well.
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
    with `one_to_one` all pairs are looked at, up to 50,000 records. Prorated, a step of EM takes O(pairs · attributes),
    and the thresholds come from the weights of all pairs, each a match by its probability. In both directions
    (``link_both``) pairs have the same weights; every record of either file is asked for its heaviest pair.

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
    leaves_out_emptied: ClassVar[bool] = True
    joins_levels: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    m: Literal["anchored", "em", "free", "known"] = parameter(Choice(ESTIMATORS), default="anchored")
    dependence: Literal["independent", "pairs"] = parameter(Choice(("independent", "pairs")), default="independent")
    missing: Literal["ignore", "disagree", "agree"] = parameter(
        Choice(("ignore", "disagree", "agree")), default="ignore"
    )
    numbers: Literal["classes", "prorated"] = parameter(Choice(("classes", "prorated")), default="classes")
    tolerance: float = parameter(Number(0, open_low=True), default=0.5)
    bins: int | None = parameter(Optional(Integer(2)), default=20)
    ordinal_bins: int | None = parameter(Optional(Integer(2)), default=None)
    similarity: Sequence[str] | None = parameter(Optional(Names()), default=None)
    similarity_levels: Sequence[float] = parameter(ListOf(Number(0, 1, open_low=True)), default=(0.85, 0.95))
    term_frequency: bool = parameter(Flag(), default=False)
    false_links: float | None = parameter(Optional(Number(0, 1)), default=None)
    false_non_links: float = parameter(Number(0, 1), default=0.05)
    one_to_one: bool = parameter(Flag(), default=False)

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
            cls(numbers="prorated", m="em"),
        ]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        if self.numbers == "prorated":
            prorated = self._prorated(a, b, names)
            return self._weighed(prorated, self._estimated(prorated, engine), engine)
        pairs = self._compared(self._agreements(a, b, names), engine)
        return self._searched(pairs, self._modelled(pairs), engine)

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        if self.numbers == "prorated":
            prorated = self._prorated(a, b, names)
            model = self._estimated(prorated, engine)
            there = self._weighed(prorated, model, engine)
            return there, self._weighed(prorated.swapped(), model, engine)
        return self.link_models(self._agreements(a, b, names), engine)[self.m]

    def _link_best(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        if self.numbers == "prorated":
            return self._link(a, b, names, engine)
        pairs = self._compared(self._agreements(a, b, names), engine)
        return self._searched(pairs, self._modelled(pairs), engine, second=False)

    def _link_best_both(
        self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine
    ) -> tuple[Links, Links]:
        if self.numbers == "prorated":
            return self._link_both(a, b, names, engine)
        return self.link_models(self._agreements(a, b, names), engine, second=False)[self.m]

    def agreement(self, a: Microdata, b: Microdata, name: str, frequencies: IntArray | None = None) -> Agreement:
        """Return how one attribute of two checked files can agree.

        Parameters
        ----------
        frequencies : (n_a,) int64, optional
            How many records every row of `a` stands for.
        """
        return agreement_on(
            type(self).__name__, a, b, name, missing=self.missing, bins=self.bins, ordinal_bins=self.ordinal_bins,
            frequencies=frequencies,
        )  # fmt: skip

    def _agreements(self, a: Microdata, b: Microdata, names: tuple[str, ...]) -> tuple[Agreement, ...]:
        """Return how the keys can agree on which fewest pairs agree by chance, or those that somebody named."""
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
        if self.attributes is not None or len(names) <= MOST_ATTRIBUTES:
            return tuple(
                agreements_on(
                    owner, a, b, names, missing=self.missing, bins=self.bins, ordinal_bins=self.ordinal_bins,
                    spelled=spelled, thresholds=self.similarity_levels,
                )
            )  # fmt: skip
        every = {name: self.agreement(a, b, name) for name in names if name not in spelled}
        # Spelling has no classes to count, and who asks for it wants it used.
        chance = {name: chance_of(every[name]) if name in every else -1.0 for name in names}
        best = sorted(names, key=lambda name: chance[name])[:MOST_ATTRIBUTES]
        for name in spelled:
            every[name] = spelled_agreement(owner, a, b, name, self.similarity_levels, self.missing)
        return tuple(every[name] for name in names if name in best)

    def _prorated(self, a: Microdata, b: Microdata, names: tuple[str, ...]) -> ProratedPairs:
        """Return the pairs of two files whose numbers agree in part, and refuse what needs classes."""
        owner = type(self).__name__
        reasons = {
            'm="anchored"': self.m == "anchored",
            f'dependence="{self.dependence}"': self.dependence != "independent",
            "similarity": bool(self.similarity),
            "term_frequency": self.term_frequency,
            "ordinal_bins": self.ordinal_bins is not None,
        }
        refused = next((what for what, is_asked in reasons.items() if is_asked), None)
        if refused is not None:
            raise ParameterError(
                f'{owner}: numbers="prorated" cannot be combined with {refused}, which counts agreement as yes or no.',
                hint='Use m="em", "free" or "known".' if self.m == "anchored" else f"Leave {refused} out.",
            )
        chosen = tuple(agreement.name for agreement in self._agreements(a, b, names))
        return prorated_pairs(owner, a, b, chosen, self.tolerance, self.missing)

    def _estimated(self, pairs: ProratedPairs, engine: Engine) -> Model:
        self.model_ = estimate_prorated(pairs, self.m, engine)
        self.diagnosis_ = Diagnosis(self.model_, pairs)
        return self.model_

    def _weighed(self, pairs: ProratedPairs, model: Model, engine: Engine) -> Links:
        """Return for every record of the second file its heaviest pair, where agreement is prorated."""
        method = type(self).name
        if self.one_to_one:
            partner, cost = assign_prorated(type(self).__name__, pairs, model)
            links = links_from_assignment(partner, -cost, pairs.first, pairs.names, method, higher=True)
        else:
            links = links_of(best_prorated(pairs, model, engine), pairs.first, pairs.names, method)
            links = replace(links, score=-links.score, second_score=-links.second_score, higher_is_better=True)
        limits = self._false_links(pairs.n_a), self.false_non_links
        return self._classed(links, model, thresholds_of(*weight_shares(pairs, model), *limits))

    def link_models(
        self,
        agreements: Sequence[Agreement],
        engine: Engine,
        also: Sequence[str] = (),
        *,
        decided: bool = True,
        second: bool = True,
        listed: bool = True,
        frequencies: Frequencies = (None, None),
    ) -> dict[str, tuple[Links, Links]]:
        """Link two checked files in both directions, with `m` and with other estimators, counting patterns once.

        Whether a pair is a link, a non-link or neither is left open where nobody asks (`decided`): it needs all
        patterns in their order. So are the second-heaviest pairs (`second`), which are most of the work, and without
        these who ties (`listed`): links then count ties, and say of a record whether it is among them.

        Pairs and their weights are the same in both directions: the release is asked for its heaviest pair, and then
        the first file for its own. The links are those of rows; where these stand for several records each
        (`frequencies`), :func:`~discreet.linkage.nearest.evaluate_rows` counts them.
        """
        refuse_too_many(type(self).__name__, len(agreements))
        # What stays of the last one is that of `m`.
        estimators = tuple(dict.fromkeys((*also, self.m)))
        coarsely = not decided and self.dependence == "independent" and {"anchored", "known"}.issuperset(estimators)
        pairs = self._compared(agreements, engine, frequencies, coarsely=coarsely)
        models = {estimator: self._modelled(pairs, estimator) for estimator in estimators}
        back = pairs.swapped()
        if pairs.files is None or self.one_to_one or self.term_frequency:
            return {
                estimator: (
                    self._searched(pairs, model, engine, decided=decided, second=second),
                    self._searched(back, model, engine, decided=decided, second=second),
                )
                for estimator, model in models.items()
            }
        weights = [model.weights() for model in models.values()]
        nearest = best_in_both_directions(
            pairs.files, weights, engine, occurring=pairs.occurring, second=second, listed=listed
        )
        return {
            estimator: (
                self._by_pattern(pairs, model, of_release, decided=decided, second=second),
                self._by_pattern(back, model, of_original, decided=decided, second=second),
            )
            for (estimator, model), (of_release, of_original) in zip(models.items(), nearest, strict=True)
        }

    def _by_pattern(
        self, pairs: CountedPairs, model: Model, nearest: Nearest | CountedTies, *, decided: bool, second: bool
    ) -> Links:
        names = tuple(agreement.name for agreement in pairs.agreements)
        method = type(self).name
        if isinstance(nearest, CountedTies):
            links: Links = counted_links(nearest, pairs.first, pairs.second, names, method)
        else:
            records = nearest.records(pairs.second.label)
            links = links_of(records, pairs.first, names, method, higher_is_better=True, has_second=second)
        return self._decided(links, model, int(pairs.first.size.sum())) if decided else links

    def _compared(
        self,
        agreements: Sequence[Agreement],
        engine: Engine,
        frequencies: Frequencies = (None, None),
        *,
        coarsely: bool = False,
    ) -> CountedPairs:
        """Count the pairs of the two files by what they agree on."""
        n_a, n_b = (
            codes.size if rows is None else int(rows.sum())
            for codes, rows in zip((agreements[0].a, agreements[0].b), frequencies, strict=True)
        )
        dependent = self.dependence == "pairs"
        compared = pairs_are_compared(agreements, n_a, n_b, dependent=dependent)
        if compared and dependent:
            raise DataError(
                f'{type(self).__name__}: dependence="pairs" needs all patterns; these attributes have too many, '
                "or no classes.",
                hint='Use dependence="independent", fewer attributes, or bins=None.',
            )
        return count_pairs(agreements, engine, frequencies, compared=compared, coarsely=coarsely)

    def _modelled(self, pairs: CountedPairs, estimator: str | None = None) -> Model:
        model = estimate(
            pairs.counts, pairs.agreements, estimator or self.m, dependent=self.dependence == "pairs",
            frequencies=pairs.frequencies[0],
        )  # fmt: skip
        self.model_ = model
        if not isinstance(pairs.counts, CoarseCounts):
            self.diagnosis_ = Diagnosis(model, pairs.counts)
        return model

    def _searched(
        self, pairs: CountedPairs, model: Model, engine: Engine, *, decided: bool = True, second: bool = True
    ) -> Links:
        """Return for every row of the second file its heaviest pair."""
        first, others = pairs.first, pairs.second
        names = tuple(agreement.name for agreement in pairs.agreements)
        if self.one_to_one:
            links = _assigned(type(self), pairs, model, names)
        elif self.term_frequency:
            links = _by_frequency(type(self), pairs, model, names, engine)
        elif pairs.files is None:
            arrays, tied, order = best_by_comparison(pairs.agreements, model.attribute_weights(), first, others, engine)
            nearest = nearest_records(arrays, tied, order, first)
            links = links_of(nearest.records(others.label), first, names, type(self).name)
            links = replace(links, score=-links.score, second_score=-links.second_score, higher_is_better=True)
        else:
            weights = model.weights()
            nearest = best_by_pattern(pairs.files, weights, engine, occurring=pairs.occurring, second=second)
            return self._by_pattern(pairs, model, nearest, decided=decided, second=second)
        return self._decided(links, model, int(first.size.sum())) if decided else links

    def _decided(self, links: Links, model: Model, n_a: int) -> Links:
        return self._classed(links, model, thresholds(model, self._false_links(n_a), self.false_non_links))

    def _false_links(self, n_a: int) -> float:
        return 0.05 / n_a if self.false_links is None else self.false_links

    def _classed(self, links: Links, model: Model, limits: tuple[float, float]) -> Links:
        self.thresholds_ = upper, lower = limits
        decision = np.where(links.score >= upper, 2, np.where(links.score <= lower, 0, 1))
        decision[links.best < 0] = 0
        odds = model.prior / (1.0 - model.prior) * np.exp2(np.clip(links.score, -500, 500))
        # The last state is agreement; the least is disagreement, as a missing value says nothing.
        evidence = tuple(
            AttributeEvidence(name, float(weights[-1]), float(weights.min()))
            for name, weights in zip(model.names, model.attribute_weights(), strict=True)
        )
        return replace(links, decision=decision.astype(np.int64), probability=odds / (1.0 + odds), evidence=evidence)


def _assigned(linker: type[Linker], pairs: CountedPairs, model: Model, names: tuple[str, ...]) -> Links:
    agreements = pairs.agreements
    n_a, n_b = agreements[0].a.size, agreements[0].b.size
    check_size(linker.__name__, n_a, n_b)
    dependent = None if model.unmatched is None else model.weights().ravel()

    def costs(rows: IntArray) -> FloatArray:
        table = np.zeros((rows.size, n_a))
        position = np.zeros(table.shape if dependent is not None else (0, 0), dtype=np.int64)
        for agreement, weight in zip(agreements, model.attribute_weights(), strict=True):
            state = agreement.state(agreement.a[None, :], agreement.b[rows][:, None])
            if dependent is None:
                table -= weight[state]
            else:
                position = position * agreement.states + state
        return table if dependent is None else -dependent[position]

    partner, cost = assign(linker.__name__, costs, n_a, n_b)
    return links_from_assignment(partner, -cost, pairs.first, names, linker.name, higher=True)


def _by_frequency(
    linker: type[Linker], pairs: CountedPairs, model: Model, names: tuple[str, ...], engine: Engine
) -> Links:
    """Link with weights that also depend on how common the level is on which a pair agrees."""
    agreements = pairs.agreements
    tables, most = [], 0.0
    for agreement, weight, u in zip(agreements, model.attribute_weights(), model.u, strict=True):
        if agreement.size > _MOST_CODES:
            raise DataError(
                f"{linker.__name__}: attribute {agreement.name!r} has {agreement.size} different values; "
                f"term_frequency takes up to {_MOST_CODES}.",
                hint="Leave it out of attributes, or use term_frequency=False.",
            )
        table = weight[state_table(agreement)]
        share = np.maximum(code_shares(agreement, pairs.first, pairs.second), 1e-12)
        # Agreement on a level of share f is worth log m/f instead of log m/u, and a match agrees as often on any level.
        codes = np.arange(agreement.size)
        at = np.flatnonzero(agreement.state(codes, codes) == agreement.states - 1)
        table[at, at] += np.log2(np.maximum(u[-1], 1e-12)) - np.log2(share[at])
        highest = float(table.max())
        most += highest
        tables.append(np.ascontiguousarray(highest - table))
    terms = Terms(
        names,
        (),
        np.ascontiguousarray(np.stack([agreement.a for agreement in agreements], axis=1), dtype=np.int32),
        np.ascontiguousarray(np.stack([agreement.b for agreement in agreements], axis=1), dtype=np.int32),
        np.empty((agreements[0].a.size, 0)),
        np.empty((agreements[0].b.size, 0)),
        tuple(tables),
        1,
    )
    links = link_by_terms(linker, terms, names, engine, frequencies=pairs.frequencies[0])
    return replace(links, score=most - links.score, second_score=most - links.second_score, higher_is_better=True)
