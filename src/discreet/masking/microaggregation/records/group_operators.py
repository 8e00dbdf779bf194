"""What a group is released as: an operator for every attribute, by its name, its scale or the papers' parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.data.keyed_draws import draws_of
from discreet.data.scales import Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.grouping import group_order
from discreet.operators.levels.least_distance import LeastDistance
from discreet.operators.levels.linguistic import SemanticsMean
from discreet.operators.levels.ordinal_medians import Plurality
from discreet.operators.levels.wow import CWOWMedian
from discreet.operators.numbers.means import ArithmeticMean, WeightedMean
from discreet.operators.operator import Operator
from discreet.operators.typed_operator import as_operator, kinds_of, split_operators
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "OrderedGroups",
    "aggregated",
    "choose_operators",
    "default_ordinal",
    "drawing_from",
    "is_missing",
    "ordered_groups",
]


def choose_operators(
    owner: str,
    schema: Schema,
    names: Sequence[str],
    given: Mapping[str, Operator | str] | str | None,
    default_ordinal: Operator,
    *,
    semantics: bool,
    weighted: bool,
    rng: np.random.Generator,
    tables: Mapping[str, FloatArray] | None = None,
) -> dict[str, Operator]:
    """Return the operator of every attribute.

    One `given` for the attribute's name comes first, then one given for its scale; then, on an ordered scale with a
    semantics that is to be used, the mean of the interval centres; then the default of the scale: the plurality, the
    ordinal operator handed in, or the mean. A text gives operators for an attribute or a scale, or for whatever they
    fit. An attribute with a table of distances has the level that is nearest to all of a group. An operator that nobody
    would use, or that does not fit, is refused.
    """
    kinds = {schema[name].scale.kind for name in names}
    operators: dict[str, Operator | str] = {}
    if isinstance(given, str):
        operators, general = _of_text(owner, given, kinds)
    else:
        operators, general = dict(given or {}), {}
    idle = [key for key in operators if key not in names and key not in kinds]
    if idle:
        raise ParameterError(
            f"{owner}: operators has {idle[0]!r}, which is neither a masked attribute nor one of their scales.",
            hint=f"Scales here: {', '.join(sorted(kinds))}.",
        )
    result: dict[str, Operator] = {}
    for name in names:
        scale = schema[name].scale
        source = operators.get(name, operators.get(scale.kind, general.get(scale.kind)))
        if source is not None:
            operator = as_operator(source, scale)
        elif scale.kind == "numeric":
            operator = WeightedMean() if weighted else ArithmeticMean()
        elif tables and name in tables:
            operator = LeastDistance(tables[name])
        elif scale.kind == "nominal":
            operator = Plurality()
        elif semantics and isinstance(scale, Ordinal) and scale.semantics is not None:
            operator = SemanticsMean(scale.semantics)
        else:
            operator = default_ordinal
        result[name] = drawing_from(_fitting(owner, schema[name], operator, weighted=weighted), rng)
    return result


def _of_text(owner: str, text: str, kinds: set[str]) -> tuple[dict[str, Operator | str], dict[str, str]]:
    """Return the operators of a text by attribute or scale, and by the kinds of scale that the others fit."""
    named, unnamed = split_operators(text)
    general: dict[str, str] = {}
    for one in unnamed:
        fitting = kinds_of(one) & kinds
        if not fitting:
            raise ParameterError(
                f"{owner}: operators has {one!r}, which aggregates {' and '.join(sorted(kinds_of(one)))} values.",
                hint=f"Scales here: {', '.join(sorted(kinds))}.",
            )
        twice = fitting & general.keys()
        if twice:
            raise ParameterError(f"{owner}: operators has two for {min(twice)} values.", hint="Name attributes.")
        general |= dict.fromkeys(fitting, one)
    return dict(named), general


def drawing_from(operator: Operator, rng: np.random.Generator) -> Operator:
    """Return an operator whose draws follow from the masker's own, whatever seed the operator was given.

    A seed of its own, the same for any data, would tell an intruder what was drawn.
    """
    own = getattr(operator, "random_state", rng)
    if own is rng:
        return operator
    marks = np.frombuffer(rng.bytes(16), dtype=np.uint64)
    keyed = copy(operator)
    keyed.random_state = draws_of(own, marks, type(operator).__name__)[1].generator()  # type: ignore[attr-defined]
    return keyed


def _fitting(owner: str, attribute: Attribute, operator: Operator, *, weighted: bool) -> Operator:
    kind = attribute.scale.kind
    if kind not in operator.scales:
        raise ParameterError(
            f"{owner}: operators must fit their scales; {type(operator).__name__} does not aggregate {kind} values, "
            f"and {attribute.name!r} is {kind}."
        )
    if weighted and (not operator.weighted or operator.weight_kind == "level"):
        raise ParameterError(
            f"{owner}: the operator of {attribute.name!r}, {type(operator).__name__}, takes no weights, and the schema "
            "declares survey weights.",
            hint="Choose one that takes them, or weighted=False.",
        )
    return operator


def default_ordinal(prototype: str, alpha: float, beta: float, rng: np.random.Generator, *, convex: bool) -> Operator:
    """Return the operator that the papers' parameters name."""
    if prototype == "mode":
        return Plurality()
    if prototype == "random":
        # A share drawn uniformly picks each level as often as its transformed frequency says (RAGE).
        return CWOWMedian(alpha, beta="random", convex=convex, random_state=rng)
    return CWOWMedian(alpha, beta=beta, convex=convex)


def is_missing(values: NDArray[Any]) -> BoolArray:
    """Say which encoded values are missing."""
    return np.asarray(values < 0 if values.dtype.kind == "i" else np.isnan(values))


class OrderedGroups(NamedTuple):
    """Groups put in order once, for every attribute whose cells are all there."""

    order: IntArray
    """The positions of the records, group after group."""
    offsets: IntArray
    says: FloatArray | None
    """What each record stands for, in that order; none where each stands for itself."""


def ordered_groups(
    labels: IntArray, n_groups: int, counts: IntArray | None = None, weights: FloatArray | None = None
) -> OrderedGroups:
    """Return the groups in order; what is handed over is that of :func:`aggregated`."""
    offsets = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=n_groups))]).astype(np.int64)
    order = group_order(labels, offsets)
    if weights is not None:
        return OrderedGroups(order, offsets, weights[order])
    if counts is None or bool((counts == 1).all()):
        return OrderedGroups(order, offsets, None)
    return OrderedGroups(order, offsets, counts[order].astype(np.float64))


def aggregated(
    operator: Operator,
    values: NDArray[Any],
    labels: IntArray,
    n_groups: int,
    counts: IntArray | None = None,
    weights: FloatArray | None = None,
    *,
    missing: str = "category",
    groups: OrderedGroups | None = None,
) -> NDArray[Any]:
    """Return the aggregate of every group, missing where more than half of its weight is.

    With ``missing="wildcard"`` a missing value has no say: a group is missing only where all its values are.

    Parameters
    ----------
    operator : Operator
    values : (m,) int32 or float64
        Encoded; −1 or NaN is missing.
    labels : (m,) int64
        From 0 to `n_groups` − 1, none of them empty.
    counts : (m,) int64, optional
        How many records each value stands for.
    weights : (m,) float64, optional
        The survey weight that each value stands for, over all its records.
    groups : OrderedGroups, optional
        The same groups, counts and weights, where several attributes share them.
    """
    absent = is_missing(values)
    if groups is not None and not absent.any():
        # A count is no level of a scale, and an operator without weights sees a value as often as it occurs.
        takes = weights is not None or (operator.weighted and operator.weight_kind != "level")
        if groups.says is None or takes:
            aggregates = operator.by_order(values, groups.order, groups.offsets, groups.says)
            return aggregates.astype(values.dtype, copy=False)
    say = weights if weights is not None else (np.ones(values.size) if counts is None else counts.astype(np.float64))
    if absent.any():
        lost = np.bincount(labels, weights=say * absent, minlength=n_groups)
        whole = np.bincount(labels, weights=say, minlength=n_groups)
        # Written so that a half is not more than a half whatever the last bit of the sums says.
        has_aggregate = 2.0 * lost <= whole * (1.0 + 1e-12)
        if missing == "wildcard":
            has_aggregate = np.bincount(labels[~absent], minlength=n_groups) > 0
    else:
        has_aggregate = np.ones(n_groups, dtype=np.bool_)
    result = np.full(n_groups, -1 if values.dtype.kind == "i" else np.nan, dtype=values.dtype)
    cells = ~absent & has_aggregate[labels]
    if not cells.any():
        return result
    places = np.cumsum(has_aggregate) - 1
    owners, inside = places[labels[cells]], values[cells]
    if weights is not None:
        result[has_aggregate] = operator.by_label(inside, owners, weights[cells])
    elif counts is None or bool((counts[cells] == 1).all()):
        result[has_aggregate] = operator.by_label(inside, owners)
    elif operator.weighted and operator.weight_kind != "level":  # a count is no level of the scale
        result[has_aggregate] = operator.by_label(inside, owners, counts[cells].astype(np.float64))
    else:
        result[has_aggregate] = operator.by_label(np.repeat(inside, counts[cells]), np.repeat(owners, counts[cells]))
    return result
