"""Linkage by representatives: what a record's values say together, whatever they are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self, TypeAlias, get_args

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker
from discreet.data.microdata import table_of_numbers
from discreet.errors import ParameterError
from discreet.linkage.nearest import Nearest
from discreet.linkage.unshared.hub_search import METRICS, one_to_one, search
from discreet.linkage.unshared.normalisation import NORMALISATIONS, normalise
from discreet.linkage.unshared.unshared import UnsharedLinker
from discreet.operators.numbers.integrals import SymmetricSugeno
from discreet.operators.numbers.owa import OWA
from discreet.operators.numbers.quantifiers import Power, Quantifier, Sigmoid, Threshold
from discreet.operators.operator import Operator
from discreet.operators.typed_operator import OperatorText, as_operator
from discreet.parameters import AnyOf, Choice, Flag, Instance, Integer, ListOf, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = ["FAMILIES", "RepresentativeLinkage", "family", "representatives"]

Family: TypeAlias = Literal[
    "owa:power", "owa:sigmoid", "owa:threshold", "sugeno:power", "sugeno:sigmoid", "sugeno:threshold"
]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""The sets of functions of Torra and Nin (P2, section 4.3)."""


def family(name: str, ends: Literal["pinned", "plain"] = "pinned") -> list[Operator]:
    """Return the ten operators of one of the papers' families.

    ``"owa:…"`` is OWA_Q and ``"sugeno:…"`` SI_Q, with Q^e (``power``, α = 1/5 … 10/5), Q^s (``sigmoid``) or Q^t
    (``threshold``, both α = 0 … 0.9). The sigmoid has Q(0) = 0 and Q(1) = 1, as definition 2 of P2 asks, or, with plain
    ``ends``, neither, as the formula of its section 4.3.

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
        quantifiers = [Sigmoid(alpha, ends=ends) for alpha in tenths]
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
        See :func:`discreet.linkage.unshared.normalisation.normalise`; constant attributes are left out.
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

    operators: Family | Sequence[Operator | str] = parameter(
        AnyOf(Choice(FAMILIES), ListOf(OperatorText("numeric"))), default="owa:threshold"
    )
    normalise: Literal["ranging", "standard", "rank", "rank_gauss"] = parameter(
        Choice(NORMALISATIONS), default="standard"
    )
    metric: Literal["euclidean", "manhattan", "root"] = parameter(Choice(tuple(METRICS)), default="euclidean")
    one_to_one: bool = parameter(Flag(), default=False)
    hubness: int = parameter(Integer(0), default=0)
    missing: Literal["project", "zero"] = parameter(Choice(("project", "zero")), default="project")
    linker: Linker | None = parameter(Optional(Instance(Linker, "a linker")), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(operators="sugeno:power", normalise="ranging", metric="root", hubness=5),
            cls(operators="owa:sigmoid", normalise="rank_gauss", metric="manhattan", one_to_one=True),
        ]

    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Nearest:
        first, second = self._represented(x), self._represented(y)
        rows_a, rows_b = (np.flatnonzero(~np.isnan(part[:, 0])) for part in (first, second))
        first, second = np.ascontiguousarray(first[rows_a]), np.ascontiguousarray(second[rows_b])
        if self.linker is not None:
            nearest = _by_linker(self.linker, first, second, engine)
        elif self.one_to_one:
            nearest = one_to_one(first, second, self.metric, self.hubness, rng, engine)
        else:
            nearest = search(first, second, self.metric, self.hubness, engine)
        return _among_all(nearest, rows_a, rows_b, len(x), len(y))

    def _represented(self, values: FloatArray) -> FloatArray:
        normalised = normalise(values, self.normalise)
        if self.missing == "zero":
            normalised = np.nan_to_num(normalised)
        operators = (
            family(self.operators)
            if isinstance(self.operators, str)
            else [as_operator(one, "numeric") for one in self.operators]
        )
        return representatives(normalised, operators)


def _by_linker(linker: Linker, x: FloatArray, y: FloatArray, engine: Engine) -> Nearest:
    names = [f"r{column + 1}" for column in range(x.shape[1])]
    first, second = (table_of_numbers(dict(zip(names, part.T, strict=True))) for part in (x, y))
    links = linker.link(first, second, engine=engine)
    # Weights become distances by their sign: the contract says that low is near.
    sign = -1.0 if links.higher_is_better else 1.0
    return Nearest(
        links.best,
        links.second,
        sign * links.score,
        sign * links.second_score,
        links.ties,
        np.arange(links.n_b, dtype=np.int64) if links.rows is None else links.rows,
        links.tied_offsets,
        links.tied,
        links.classes,
    )


def _among_all(nearest: Nearest, rows_a: IntArray, rows_b: IntArray, n_a: int, n_b: int) -> Nearest:
    """Return links among the records that have a representative as links among all."""
    if rows_a.size == n_a and rows_b.size == n_b:
        return nearest
    best, second, row = (np.full(n_b, -1, dtype=np.int64) for _ in range(3))
    score, second_score = np.full(n_b, np.inf), np.full(n_b, np.inf)
    ties = np.zeros(n_b, dtype=np.int64)
    for target, source in ((best, nearest.best), (second, nearest.second)):
        target[rows_b] = np.where(source < 0, -1, rows_a[np.maximum(source, 0)])
    score[rows_b], second_score[rows_b], ties[rows_b] = nearest.score, nearest.second_score, nearest.ties
    row[rows_b] = nearest.row
    classes, own = np.full(n_a, -1, dtype=np.int64), nearest.class_of_records(rows_a.size)
    classes[rows_a] = own
    alone = np.flatnonzero(classes < 0)
    classes[alone] = int(own.max(initial=-1)) + 1 + np.arange(alone.size)
    return Nearest(best, second, score, second_score, ties, row, nearest.row_offsets, nearest.tied, classes)
