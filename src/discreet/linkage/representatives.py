"""Linkage by representatives: what a record's values say together, whatever they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.errors import ParameterError
from discreet.linkage.candidates import METRICS, one_to_one, search
from discreet.linkage.normalisation import NORMALISATIONS, normalise
from discreet.linkage.unshared import Found, UnsharedLinker
from discreet.microdata import table_of_numbers
from discreet.operators.base import Operator
from discreet.operators.integrals import SymmetricSugeno
from discreet.operators.owa import OWA
from discreet.operators.quantifiers import Power, Quantifier, Sigmoid, Threshold
from discreet.parameters import AnyOf, Choice, Constraint, Flag, Instance, Integer, ListOf, Optional
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["FAMILIES", "RepresentativeLinkage", "family", "representatives"]

FAMILIES = ("owa:power", "owa:sigmoid", "owa:threshold", "sugeno:power", "sugeno:sigmoid", "sugeno:threshold")
"""The sets of functions of Torra and Nin (P2, section 4.3)."""


def family(name: str) -> list[Operator]:
    """Return the ten operators of one of the papers' families.

    ``"owa:…"`` is OWA_Q and ``"sugeno:…"`` SI_Q, with Q^e (``power``, α = 1/5 … 10/5), Q^s (``sigmoid``) or Q^t
    (``threshold``, both α = 0 … 0.9). The sigmoid has Q(0) = 0 and Q(1) = 1, as definition 2 of P2 asks; the formula of
    its section 4.3 alone has neither.

    Examples
    --------
    >>> [round(float(operator([0.0, 1.0])), 4) for operator in family("owa:power")[4:6]]
    [0.5, 0.4353]
    """
    if name not in FAMILIES:
        raise ParameterError(f"family: name must be one of {', '.join(FAMILIES)}; got {name!r}.")
    kind, quantifier = name.split(":")
    tenths = [step / 10 for step in range(10)]
    quantifiers: list[Quantifier]
    if quantifier == "power":
        quantifiers = [Power(step / 5) for step in range(1, 11)]
    elif quantifier == "sigmoid":
        quantifiers = [Sigmoid(alpha) for alpha in tenths]
    else:
        quantifiers = [Threshold(alpha) for alpha in tenths]
    if kind == "owa":
        return [OWA(one) for one in quantifiers]
    return [SymmetricSugeno(one, strict=False) for one in quantifiers]


def representatives(values: FloatArray, operators: Sequence[Operator]) -> FloatArray:
    """Return one column an operator: each record's values, as they are, become one number.

    Missing values are projected away (P2, proposition 3); a record without any value gets NaN.

    Parameters
    ----------
    values : (n, p) float64
        Normalised, NaN is missing.
    operators : sequence of Operator
        Symmetric numeric operators for any number of values.

    Examples
    --------
    >>> representatives(np.array([[0.0, 1.0], [0.5, np.nan]]), [OWA("power:2")]).tolist()
    [[0.25], [0.5]]
    """
    present = ~np.isnan(values)
    counts = present.sum(axis=1)
    some = counts > 0
    offsets = np.concatenate([[0], np.cumsum(counts[some])]).astype(np.int64)
    flat = np.ascontiguousarray(values[present])
    result = np.full((len(values), len(operators)), np.nan)
    for column, operator in enumerate(operators if some.any() else ()):
        result[some, column] = operator.batch(flat, offsets)
    return result


@register("representatives")
class RepresentativeLinkage(UnsharedLinker):
    """Link two files without common attributes by aggregating every record to representatives.

    Each file is normalised by itself, each record becomes a handful of aggregated values that do not depend on what the
    attributes are called, and those are linked as if they were common attributes. It finds people whose records are
    large, small or uneven in the same way; it sees nothing of which attribute goes with which.

    Parameters
    ----------
    operators : {"owa:power", "owa:sigmoid", "owa:threshold", "sugeno:power", "sugeno:sigmoid", "sugeno:threshold"} \
or list of Operator
        What aggregates a record.
    normalise : {"standard", "ranging", "rank", "rank_gauss"}
        See :func:`discreet.linkage.normalisation.normalise`; constant attributes are left out.
    metric : {"euclidean", "manhattan", "root"}
        Distance between representatives: L2, L1 or L½.
    one_to_one : bool
        Whether every record of the first file is taken at most once, with the least sum of distances.
    hubness : int
        Neighbours over which distances are corrected for records that are near to everybody; 0 for no correction.
    missing : {"project", "zero"}
        Leave a missing value out, or put 0 after normalising, as the paper's experiments did.
    linker : Linker, optional
        Who links the representatives instead, such as probabilistic linkage; it is handed attributes ``r1``, ``r2``, ….
    attributes_a, attributes_b : list of str, optional
        What each file is represented by; by default its numeric keys.
    by : list of str, optional
        Ordinal or nominal attributes of both files that a pair must agree on; each block is a problem of its own.
    random_state : int, optional
        Orders records before an assignment, so that ties say nothing.

    Notes
    -----
    O(n_a · n_b · operators) over all pairs, in memory linear in the files; an assignment of more than 9 million pairs
    works on lists of the nearest candidates. Ties of the nearest are shared. A record without any value has no link.

    References
    ----------
    Torra and Nin (2008, P2); Torra (P1d). Conneau et al. (2018) for the correction of hubs.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"tax": [1.0, 2.0, 9.0], "rent": [10.0, 30.0, 70.0]})
    >>> b = pl.DataFrame({"income": [800.0, 90.0, 250.0]})
    >>> RepresentativeLinkage().link(a, b).best.tolist()
    [2, 0, 1]
    """

    parameters: ClassVar[Mapping[str, Constraint]] = {
        **UnsharedLinker.parameters,
        "operators": AnyOf(Choice(FAMILIES), ListOf(Instance(Operator, "an operator"))),
        "normalise": Choice(NORMALISATIONS),
        "metric": Choice(tuple(METRICS)),
        "one_to_one": Flag(),
        "hubness": Integer(0),
        "missing": Choice(("project", "zero")),
        "linker": Optional(Instance(Linker, "a linker")),
    }

    def __init__(
        self,
        *,
        operators: str | Sequence[Operator] = "owa:threshold",
        normalise: str = "standard",
        metric: str = "euclidean",
        one_to_one: bool = False,
        hubness: int = 0,
        missing: str = "project",
        linker: Linker | None = None,
        attributes_a: Sequence[str] | None = None,
        attributes_b: Sequence[str] | None = None,
        by: Sequence[str] | None = None,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(attributes_a=attributes_a, attributes_b=attributes_b, by=by, random_state=random_state)
        self.operators = operators
        self.normalise = normalise
        self.metric = metric
        self.one_to_one = one_to_one
        self.hubness = hubness
        self.missing = missing
        self.linker = linker

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(operators="sugeno:power", normalise="ranging", metric="root", hubness=5),
            cls(operators="owa:sigmoid", normalise="rank_gauss", metric="manhattan", one_to_one=True),
        ]

    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Found:
        first, second = self._represented(x), self._represented(y)
        known_a, known_b = (np.flatnonzero(~np.isnan(part[:, 0])) for part in (first, second))
        first, second = np.ascontiguousarray(first[known_a]), np.ascontiguousarray(second[known_b])
        if self.linker is not None:
            found = _by_linker(self.linker, first, second, engine)
        elif self.one_to_one:
            found = one_to_one(first, second, self.metric, self.hubness, rng, engine)
        else:
            found = search(first, second, self.metric, self.hubness, engine)
        return _spread(found, known_a, known_b, len(x), len(y))

    def _represented(self, values: FloatArray) -> FloatArray:
        normalised = normalise(values, self.normalise)
        if self.missing == "zero":
            normalised = np.nan_to_num(normalised)
        operators = family(self.operators) if isinstance(self.operators, str) else list(self.operators)
        return representatives(normalised, operators)


def _by_linker(linker: Linker, x: FloatArray, y: FloatArray, engine: Engine) -> Found:
    names = [f"r{column + 1}" for column in range(x.shape[1])]
    first, second = (table_of_numbers(dict(zip(names, part.T, strict=True))) for part in (x, y))
    links = linker.link(first, second, engine=engine)
    offsets, tied = links.tied_offsets, links.tied
    if links.rows is not None:
        # Shared rows of ties are written out, record by record.
        spans = [tied[offsets[r] : offsets[r + 1]] if r >= 0 else tied[:0] for r in links.rows]
        offsets = np.concatenate([[0], np.cumsum([span.size for span in spans])]).astype(np.int64)
        tied = np.concatenate(spans) if spans else tied
    # Weights become distances by their sign: the contract says that low is near.
    sign = -1.0 if links.higher_is_better else 1.0
    return Found(
        links.best,
        links.second,
        sign * links.score,
        sign * links.second_score,
        links.ties,
        offsets,
        tied,
        links.classes,
    )


def _spread(found: Found, known_a: IntArray, known_b: IntArray, n_a: int, n_b: int) -> Found:
    """Return what was found among the records that have a representative as found among all."""
    if known_a.size == n_a and known_b.size == n_b:
        return found
    best, second = np.full(n_b, -1, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
    score, second_score = np.full(n_b, np.inf), np.full(n_b, np.inf)
    ties, lengths = np.zeros(n_b, dtype=np.int64), np.zeros(n_b, dtype=np.int64)
    for target, source in ((best, found.best), (second, found.second)):
        target[known_b] = np.where(source < 0, -1, known_a[np.maximum(source, 0)])
    score[known_b], second_score[known_b], ties[known_b] = found.score, found.second_score, found.ties
    lengths[known_b] = np.diff(found.offsets)
    classes = np.full(n_a, -1, dtype=np.int64)
    classes[known_a] = found.classes
    alone = np.flatnonzero(classes < 0)
    classes[alone] = int(found.classes.max(initial=-1)) + 1 + np.arange(alone.size)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Found(best, second, score, second_score, ties, offsets, found.tied, classes)
