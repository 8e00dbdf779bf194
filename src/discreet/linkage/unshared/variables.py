"""Which attribute of one file is which of another: matching variables, whatever they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, SchemaError, wrong_type
from discreet.kernels.linking.variable_matching import improve_matching
from discreet.linkage.assignment import best_assignment
from discreet.linkage.unshared.representatives import family, representatives
from discreet.parameters import Choice, Constraint, Integer, Names, Optional, Seed, check_parameters
from discreet.statistics.correlations import mid_ranks
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["VariableMatch", "associations", "match_columns", "match_variables", "quadratic_matching"]

METHODS = ("both", "marginal", "association", "owa")

_LIMIT = 0.999  # correlations beyond this are one for all purposes
# The p − 1 correlations of a variable say much the same, where its distribution is told once: it counts as five.
_MARGINAL = 5.0
_KICKS = 3  # perturbations of the best match, for each random start


@dataclass(frozen=True, repr=False)
class VariableMatch:
    """Which variable of B each variable of A was taken for.

    Attributes
    ----------
    first, second : tuple of str
        The names in A and B.
    image : (len(first),) int64
        Position in `second`, −1 where B has fewer variables.
    cost : float
        What the method minimised.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    image: IntArray
    cost: float

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The matched names."""
        return tuple((self.first[k], self.second[m]) for k, m in enumerate(self.image) if m >= 0)

    def correct(self, truth: Sequence[tuple[str, str]] | None = None) -> int:
        """Return how many pairs are right; by default a pair of equal names is."""
        right = {(name, name) for name in self.first} if truth is None else set(truth)
        return sum(pair in right for pair in self.pairs)

    def __repr__(self) -> str:
        return f"VariableMatch({len(self.pairs)} of {len(self.first)} variables matched)"


def match_variables(
    a: Any,
    b: Any,
    schema: Schema | None = None,
    *,
    method: str = "both",
    attributes_a: Sequence[str] | None = None,
    attributes_b: Sequence[str] | None = None,
    restarts: int = 20,
    random_state: RandomState = 0,
) -> VariableMatch:
    """Match the numeric keys of two samples of one population, without looking at their names.

    Parameters
    ----------
    a, b : Microdata, Masked or frame
        Two samples of one population; the records need not be the same, values are compared as they are.
    schema : Schema, optional
        For plain frames.
    method : {"both", "marginal", "association", "owa"}
        By the distributions of the variables, by the correlations among them, by both, or by the papers' OWA
        representatives of columns.
    attributes_a, attributes_b : list of str, optional
    restarts : int
        Random starts of the quadratic assignment, besides the match of the distributions.
    random_state : int, optional

    Returns
    -------
    VariableMatch

    Notes
    -----
    Distributions are compared by the Cramér–von Mises statistic and rank correlations (on Fisher's scale) by their
    squared difference over its variance, so that both are in units of chance. The quadratic assignment is improved by
    exchanges from random starts, and its best match by exchanges after perturbation. O(p · q · n log n), and O(p³) a
    sweep of exchanges. Missing values are left out pair by pair.

    References
    ----------
    Torra (P1d), section V and Table IV.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"age": [20.5, 31.0, 44.0, 70.5], "size": [9.5, 9.0, 8.0, 7.5]})
    >>> b = pl.DataFrame({"x": [9.2, 8.1, 7.9, 9.1], "y": [22.5, 50.0, 66.0, 31.5]})
    >>> match_variables(a, b).pairs
    (('age', 'y'), ('size', 'x'))
    """
    if schema is not None and not isinstance(schema, Schema):
        raise wrong_type("match_variables", "schema must be a Schema", schema)
    allowed: dict[str, Constraint] = {
        "method": Choice(METHODS),
        "attributes_a": Optional(Names()),
        "attributes_b": Optional(Names()),
        "restarts": Integer(0),
        "random_state": Seed(),
    }
    parameters = {
        "method": method,
        "attributes_a": attributes_a,
        "attributes_b": attributes_b,
        "restarts": restarts,
        "random_state": random_state,
    }
    check_parameters("match_variables", parameters, allowed)
    first, x = _numbers(a, schema, attributes_a, "first")
    second, y = _numbers(b, schema, attributes_b, "second")
    image, cost = match_columns(x, y, method, restarts, np.random.default_rng(random_state))
    return VariableMatch(first, second, image, cost)


def match_columns(
    x: FloatArray, y: FloatArray, method: str, restarts: int, rng: np.random.Generator
) -> tuple[IntArray, float]:
    """Return for every column of `x` its column of `y`, −1 for none, and the cost of the match."""
    if method == "owa":
        operators = family("owa:power")
        first, second = representatives(x.T, operators), representatives(y.T, operators)
        own = np.sqrt(((first[:, None] - second[None]) ** 2).sum(axis=2))
    else:
        own = _MARGINAL * _marginal_costs(x, y)
    if method in ("owa", "marginal"):
        image = best_assignment(own)
        return image, float(own[np.flatnonzero(image >= 0), image[image >= 0]].sum())
    if method == "association":
        own = np.zeros_like(own)
    precision = np.sqrt(0.5 / (1.0 / max(len(x) - 3, 1) + 1.0 / max(len(y) - 3, 1)))
    image, _, cost = quadratic_matching(
        precision * associations(x), precision * associations(y), np.stack([own, own]), False, restarts, rng
    )[0]
    return image, cost


def _numbers(
    data: Any, schema: Schema | None, attributes: Sequence[str] | None, which: str
) -> tuple[tuple[str, ...], FloatArray]:
    table = data.microdata if isinstance(data, Masked) else data
    table = table if isinstance(table, Microdata) else microdata(table, schema)
    names = table.schema.of_scale("numeric", among=table.schema.keys if attributes is None else attributes)
    if not names:
        raise SchemaError(f"match_variables: the {which} file has no numeric key.")
    values = table.numeric(names)
    few = [name for j, name in enumerate(names) if (~np.isnan(values[:, j])).sum() < 2]
    if few:
        raise DataError(f"match_variables: column {few[0]!r} of the {which} file has fewer than 2 values.")
    return names, values


def _marginal_costs(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return half of the Cramér–von Mises statistic over its mean by chance, of every pair of columns."""
    first = [np.sort(column[~np.isnan(column)]) for column in x.T]
    second = [np.sort(column[~np.isnan(column)]) for column in y.T]
    costs = np.empty((len(first), len(second)))
    for k, sorted_x in enumerate(first):
        for j, sorted_y in enumerate(second):
            both = np.concatenate([sorted_x, sorted_y])
            gap = np.searchsorted(sorted_x, both, side="right") / sorted_x.size
            gap -= np.searchsorted(sorted_y, both, side="right") / sorted_y.size
            costs[k, j] = 3.0 * sorted_x.size * sorted_y.size / both.size * float((gap**2).mean())
    return costs


def associations(values: FloatArray) -> FloatArray:
    """Return rank correlations on Fisher's scale: of the columns, and of their distances from the median.

    A (2, p, p) stack with 0 on the diagonals. Missing values are left out pair by pair; a constant column is
    uncorrelated.
    """
    layers = []
    for layer in (values, np.abs(values - np.nanmedian(values, axis=0))):
        ranked = np.full(values.shape, np.nan)
        for j, column in enumerate(layer.T):
            present = ~np.isnan(column)
            ranked[present, j] = mid_ranks(column[present])
        scaled = np.arctanh(_LIMIT * _correlations(ranked))
        np.fill_diagonal(scaled, 0.0)
        layers.append(scaled)
    return np.stack(layers)


def _correlations(values: FloatArray) -> FloatArray:
    present = ~np.isnan(values)
    if present.all():
        centred = values - values.mean(axis=0)
        length = np.sqrt((centred**2).sum(axis=0))
        centred = centred / np.where(length > 0, length, 1.0)
        return np.asarray(np.clip(centred.T @ centred, -1.0, 1.0))
    p = values.shape[1]
    result = np.eye(p)
    for k in range(p):
        for j in range(k):
            both = present[:, k] & present[:, j]
            if both.sum() > 2:
                pair = values[both][:, [k, j]]
                pair = pair - pair.mean(axis=0)
                length = np.sqrt((pair**2).sum(axis=0)).prod()
                result[k, j] = result[j, k] = float(np.clip(pair[:, 0] @ pair[:, 1] / length, -1, 1)) if length else 0.0
    return result


def quadratic_matching(
    first: FloatArray,
    second: FloatArray,
    own: FloatArray,
    flips: bool,
    restarts: int,
    rng: np.random.Generator,
) -> list[tuple[IntArray, IntArray, float]]:
    """Match two sets of variables by their associations: different local optima, cheapest first.

    Parameters
    ----------
    first, second : (layers, p, p), (layers, q, q) float64
        Symmetric associations within each set; turning the sign of a variable turns those of the first layer.
    own : (2, p, q) float64
        What matching k with j costs in itself: as it is, and with the sign of one turned.
    flips : bool
        Whether signs may be turned.
    restarts : int
        Random starts besides the match by `own` alone; the best match is then perturbed three times as often.

    Returns
    -------
    list of (image, signs, cost)
        Position in the second set of every variable of the first (−1 for none), 1 or −1, and the sum of squared
        differences of associations and own costs.
    """
    p, q = first.shape[1], second.shape[1]
    if p > q:
        other_way = quadratic_matching(second, first, own.transpose(0, 2, 1).copy(), flips, restarts, rng)
        return [(*_inverse(image, signs, p), cost) for image, signs, cost in other_way]
    matchings: dict[tuple[int, ...], tuple[IntArray, IntArray, float]] = {}
    cheapest = own.min(axis=0) if flips else own[0]
    for start in range(restarts + 1):
        if start == 0:
            partner = best_assignment(cheapest)
            better_turned = own[1, np.arange(p), partner] < own[0, np.arange(p), partner]
            signs = np.where(better_turned & flips, -1, 1).astype(np.int64)
            image = np.concatenate([partner, np.setdiff1d(np.arange(q), partner)]).astype(np.int64)
        else:
            image = rng.permutation(q).astype(np.int64)
            signs = rng.choice(np.array([-1, 1]), p).astype(np.int64) if flips else np.ones(p, dtype=np.int64)
        cost = improve_matching(first, second, own, flips, image, signs)
        matchings.setdefault((*image[:p].tolist(), *signs.tolist()), (image[:p].copy(), signs, float(cost)))
    ranked = sorted(matchings.values(), key=lambda one: one[2])
    best, signs, cost = ranked[0]
    whole = np.concatenate([best, np.setdiff1d(np.arange(q), best)]).astype(np.int64)
    for _ in range(_KICKS * restarts if q > 3 else 0):
        image, kicked = whole.copy(), signs.copy()
        moved = rng.choice(q, int(rng.integers(3, min(q, 7) + 1)), replace=False)
        image[moved] = image[np.roll(moved, 1)]
        lower = float(improve_matching(first, second, own, flips, image, kicked))
        if lower < cost - 1e-10:
            whole, signs, cost = image, kicked, lower
    return ranked if cost == ranked[0][2] else [(whole[:p].copy(), signs, cost), *ranked]


def _inverse(image: IntArray, signs: IntArray, p: int) -> tuple[IntArray, IntArray]:
    back, turned = np.full(p, -1, dtype=np.int64), np.ones(p, dtype=np.int64)
    back[image] = np.arange(image.size)
    turned[image] = signs
    return back, turned
