"""What every microaggregation of numbers shares: standardise, form groups, release each group's aggregate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from discreet.contracts.digits import DECIMALS, Decimals
from discreet.contracts.engine import Engine, InProcess
from discreet.contracts.masker import Masking, MaskingJob
from discreet.contracts.plan import Scope
from discreet.data.keyed_draws import Stream, generator_of
from discreet.data.keys import distinct_codes
from discreet.data.microdata import table_of_codes
from discreet.errors import MissingValueError, ParameterError
from discreet.kernels.values.aggregate_numeric import squares_within
from discreet.masking.microaggregation.numbers.attribute_blocks import attribute_blocks
from discreet.masking.microaggregation.numbers.missing_cells import Filled, by_pattern, filled
from discreet.masking.running.border_repair import InSpace, Scaling, Space, number_scaling, settled
from discreet.operators.numbers.means import ArithmeticMean, WeightedMean
from discreet.operators.operator import Operator
from discreet.operators.typed_operator import OPERATOR_TEXT, as_operator
from discreet.parameters import AnyOf, Choice, Flag, Integer, ListOf, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["JointMicroaggregation", "NumericMicroaggregation", "Points", "standardised"]

_ONE_THREAD = 10_000  # numbers whose product no library of linear algebra shares among threads
_MANY = 100_000  # numbers whose deviations are taken in one loop
_NORMAL = 1000  # powers of two up to this one are numbers, and so are their inverses


@dataclass(frozen=True, repr=False)
class Points:
    """What a partition is made from."""

    values: FloatArray
    """(n, d), standardised, nothing missing."""
    weights: FloatArray | None
    stream: Stream
    engine: Engine
    names: tuple[str, ...]

    @property
    def rng(self) -> np.random.Generator:
        """Draws, one after the other."""
        return generator_of(self.stream)


class NumericMicroaggregation(InSpace):
    """Groups of at least `k` records on the standardised attributes, each value released as its group's aggregate.

    Subclasses write ``_partition``: points to group labels. They never compute what is released: that is the operator's
    work.

    Parameters
    ----------
    k : int
        The smallest group.
    attributes : list of str, optional
        What to mask; by default every numeric key.
    operator : Operator or str, optional
        What a group is released as: an operator, or its text such as ``"owa:most"``; the arithmetic mean by default.
    weighted : bool
        Whether survey weights count in the aggregate.
    missing : {"refuse", "fill", "pattern"}
        ``"refuse"``: an error. ``"fill"``: a missing cell is released as the aggregate of its group's present values.
        ``"pattern"``: groups hold records that lack the same attributes, and missing cells stay missing; where fewer
        than k records share a pattern it is joined to the nearest one, at the price of suppressed cells.
    decimals : int, "exact" or dict of str to int, optional
        The most decimals that are released (−3: thousands), for all attributes or by attribute; never more than the
        attribute has, which is the default. Where its numbers have all binary digits, six significant ones are
        released. ``"exact"`` releases aggregates with all digits, from which the members of a group may be solved.
    integers : bool
        With ``decimals="exact"``: round nevertheless where all original values are whole.
    totals : bool
        Shift what is released so that every attribute keeps its total (its weighted total, where `weighted`); needs
        ``decimals="exact"``, because a rounded attribute keeps its total only nearly.
    bounds : bool
        Keep what is released between the smallest and largest original value.
    strata : list of str, optional
        Mask within the combinations of these categorical attributes.
    """

    iso_20889: ClassVar[str] = "randomisation: microaggregation"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    groups: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    operator: Operator | str | None = parameter(OPERATOR_TEXT, default=None)
    weighted: bool = parameter(Flag(), default=False)
    missing: Literal["refuse", "fill", "pattern"] = parameter(Choice(("refuse", "fill", "pattern")), default="refuse")
    decimals: Decimals = parameter(DECIMALS, default=None)
    integers: bool = parameter(Flag(), default=False)
    totals: bool = parameter(Flag(), default=False)
    bounds: bool = parameter(Flag(), default=False)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @property
    def blocks(self) -> int | Sequence[Sequence[str]] | None:
        """How many attributes are grouped together, or which; one by one where a method offers no choice."""
        return 1

    @property
    def block_order(self) -> Literal["schema", "correlation"]:
        """Which attributes share a block."""
        return "schema"

    @property
    def standardise(self) -> Literal["zscore", "range", "robust", "none"]:
        """How columns are made comparable; one by itself need not be."""
        return "none"

    @property
    def handles_missing(self) -> bool:  # type: ignore[override]
        """Whether the chosen rule allows missing values."""
        return self.missing != "refuse"

    @abstractmethod
    def _partition(self, points: Points) -> IntArray:
        """Return the group of every point: labels 0 … g − 1, none used by fewer than `k` points."""

    def _mask_part(self, job: MaskingJob) -> Masking:
        operator = self._operator()
        weights = self._weights(job)
        blocks = attribute_blocks(type(self).__name__, job, self.blocks, self.block_order)
        released: dict[str, FloatArray] = {}
        labels, figures, suppressed = [], [], 0
        for block in blocks:
            values = job.microdata.numeric(block)
            part = Points(standardised(values, self.standardise), weights, job.stream, job.engine, block)
            groups, absent = self._groups(part)
            suppressed += int((absent & ~np.isnan(values)).sum())
            for j, name in enumerate(block):
                released[name] = self._aggregate(operator, values[:, j], absent[:, j], groups, weights)
            labels.append(groups)
            figures.append(_figures(part.values, groups, values, released, block))
        details = _joined_figures(figures, blocks)
        if suppressed:
            details["cells_suppressed"] = suppressed
        notes = (
            () if len(blocks) == 1 else (f"Groups of {self.k} hold within each of {len(blocks)} blocks of attributes.",)
        )
        one = len(labels) == 1
        return Masking(
            {name: released[name] for name in job.names},
            labels=labels[0] if one else np.stack(labels, axis=1),
            details=details,
            notes=notes,
            shared=tuple(blocks),
        )

    def _spaces(self, scope: Scope, sample: Mapping[str, Any]) -> list[Scaling]:
        self._operator()  # refuses what cannot be kept, before a record is looked at
        table = table_of_codes(scope.schema, {name: sample[name] for name in scope.names})
        job = MaskingJob(table, scope.names, scope.draws.stream(), InProcess())
        blocks = attribute_blocks(type(self).__name__, job, self.blocks, self.block_order)
        return [number_scaling(sample, names, self.standardise) for names in blocks]

    def _space_groups(
        self, space: Space, part: Mapping[str, Any], points: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, BoolArray]:
        weight = space.scope.weight
        weights = None if weight is None else part[weight]
        labels, lost = self._groups(Points(points, weights, rng, InProcess(), space.names))
        if space.repairs:
            # Settled groups leave the repair of borders, which are all that the next partitions are for.
            labels = settled(points, self.k, labels, int(rng.integers(2**62)))
        return labels, lost

    def _mended(
        self,
        space: Space,  # noqa: ARG002 - points say everything
        part: Mapping[str, Any],  # noqa: ARG002
        points: FloatArray,
        labels: IntArray,
        seed: int,
    ) -> IntArray:
        return settled(points, self.k, labels, seed)

    def _released_groups(
        self,
        space: Space,
        part: Mapping[str, Any],
        labels: IntArray,
        absent: IntArray,
        rng: np.random.Generator,  # noqa: ARG002 - an aggregate of numbers is not drawn
    ) -> dict[str, Any]:
        operator, weight = self._operator(), space.scope.weight
        weights = None if weight is None else part[weight]
        lost = (absent[:, None] >> np.arange(len(space.names))) & 1 == 1
        return {
            name: self._aggregate(operator, part[name], lost[:, j], labels, weights)
            for j, name in enumerate(space.names)
        }

    def _operator(self) -> Operator:
        owner = type(self).__name__
        default = WeightedMean() if self.weighted else ArithmeticMean()
        operator = default if self.operator is None else as_operator(self.operator, "numeric")
        if "numeric" not in operator.scales:
            raise ParameterError(f"{owner}: operator must aggregate numbers; got {type(operator).__name__}.")
        if self.weighted and not operator.weighted:
            raise ParameterError(
                f"{owner}: {type(operator).__name__} cannot use weights.", hint="Use weighted=False or WeightedMean()."
            )
        if self.integers and self.totals:
            raise ParameterError(f"{owner}: integers and totals cannot both be kept.", hint="Choose one.")
        if self.totals and self.decimals != "exact":
            raise ParameterError(
                f"{owner}: totals cannot be kept by rounded numbers.",
                hint='Leave totals out (rounded means keep them nearly), or say decimals="exact".',
            )
        return operator

    def _weights(self, job: MaskingJob) -> FloatArray | None:
        if not self.weighted:
            return None
        if job.weights is None:
            raise ParameterError(
                f"{type(self).__name__}: weighted needs a survey weight.", hint='Declare one with role = "weight".'
            )
        return job.weights

    def _groups(self, points: Points) -> tuple[IntArray, BoolArray]:
        """Return the groups of one block, and which cells are released as missing."""
        absent = np.isnan(points.values)
        if not absent.any():
            return self._checked(points), absent
        if self.missing == "refuse":
            raise MissingValueError(f"{type(self).__name__}: {int(absent.sum())} values are missing.")
        if self.missing == "fill":
            whole: Filled = filled(points.values)
            return self._checked(_with(points, whole)), np.zeros_like(absent)
        return by_pattern(points.values, self.k, lambda rows, columns: self._checked(_with(points, columns, rows)))

    def _checked(self, points: Points) -> IntArray:
        if points.values.shape[1] == 0 or len(points.values) < 2 * self.k:
            return np.zeros(len(points.values), dtype=np.int64)
        return self._partition(points)

    def _aggregate(
        self, operator: Operator, values: FloatArray, absent: BoolArray, labels: IntArray, weights: FloatArray | None
    ) -> FloatArray:
        """Return what every record is released as; a group without any present value stays missing."""
        present = ~(absent | np.isnan(values))
        result = np.full(int(labels.max()) + 1, np.nan)
        if present.all() and np.bincount(labels).all():
            result = operator.by_label(values, labels, weights)
        elif present.any():
            groups = labels[present]
            first, numbers, _ = distinct_codes(groups, result.size)
            weights_present = None if weights is None else weights[present]
            result[groups[first]] = operator.by_label(values[present], numbers, weights_present)
        released = result[labels]
        released[absent] = np.nan
        return self._with_totals_and_bounds(released, values, weights)

    def _with_totals_and_bounds(
        self, released: FloatArray, values: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        if not self.totals and not self.bounds:
            return released
        both = ~(np.isnan(released) | np.isnan(values))
        if not both.any():
            return released
        low, high = np.nanmin(values), np.nanmax(values)
        if self.totals:
            mass = np.ones(values.size) if weights is None else weights
            released = _with_total(
                released, both, mass, float(values[both] @ mass[both]), (low, high) if self.bounds else None
            )
        return np.clip(released, low, high) if self.bounds else released


class JointMicroaggregation(NumericMicroaggregation):
    """Groups on several attributes together: all of them, or block by block.

    Parameters
    ----------
    blocks : int or list of lists of str, optional
        Attributes taken so many at a time, each block with groups of its own; by default all at once. Blocks of two or
        three lose less, but only the combinations *within* a block are shared by k records.
    block_order : {"schema", "correlation"}
        Which attributes share a block: neighbours in the schema, or the most correlated.
    standardise : {"zscore", "range", "robust", "none"}
        How columns are made comparable before distances are taken.
    """

    blocks: int | Sequence[Sequence[str]] | None = parameter(Optional(AnyOf(Integer(1), ListOf(Names()))), default=None)
    block_order: Literal["schema", "correlation"] = parameter(Choice(("schema", "correlation")), default="schema")
    standardise: Literal["zscore", "range", "robust", "none"] = parameter(
        Choice(("zscore", "range", "robust", "none")), default="zscore"
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Return the plain method, and one with blocks, strata and a rule for missing values."""
        return [cls(k=3), cls(k=4, blocks=2, block_order="correlation", missing="pattern"), cls(k=3, missing="fill")]


def _with(points: Points, values: FloatArray, rows: IntArray | None = None) -> Points:
    weights = points.weights if rows is None or points.weights is None else points.weights[rows]
    return Points(values, weights, points.stream, points.engine, points.names)


def _with_total(
    released: FloatArray, both: BoolArray, mass: FloatArray, total: float, bounds: tuple[float, float] | None
) -> FloatArray:
    """Shift every value by one number so that the total is kept, within bounds where there are any."""
    shift = (total - float(released[both] @ mass[both])) / float(mass[both].sum())
    if bounds is None:
        return released + shift
    low, high = bounds
    left, right = low - high, high - low
    # The clipped total grows with the shift and passes the wanted one, which lies between all-lowest and all-highest.
    for _ in range(200):
        shift = (left + right) / 2
        if float(np.clip(released[both] + shift, low, high) @ mass[both]) < total:
            left = shift
        else:
            right = shift
    return np.clip(released + shift, low, high)


def standardised(values: FloatArray, how: str) -> FloatArray:
    """Return columns made comparable; a constant column becomes zeros and a missing cell stays missing.

    ``"zscore"``: mean 0, standard deviation 1. ``"range"``: from 0 to 1. ``"robust"``: median 0, interquartile range
    1 (the standard deviation where that range is 0). ``"none"``: only the column's mean is taken off, so that a large
    offset costs no digits.

    Examples
    --------
    >>> standardised(np.array([[1e9], [1e9 + 2], [1e9 + 4]]), "range").ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    points = np.empty_like(values)
    for j in range(values.shape[1]):
        present = ~np.isnan(values[:, j])
        if present.size and present.all():
            points[:, j] = _standardised_column(values[:, j], how)
            continue
        points[:, j] = np.nan
        if present.any():
            points[present, j] = _standardised_column(values[present, j], how)
    return points


def _standardised_column(column: FloatArray, how: str) -> FloatArray:
    # Subtracting one value first makes the rest exact to the last digit, whatever the offset; scaling by a power of two
    # loses nothing and keeps squares in range.
    shifted = column - column[0]
    exponent = int(np.frexp(max(shifted.max(), -shifted.min()))[1])
    if abs(exponent) < _NORMAL:
        shifted *= np.ldexp(1.0, -exponent)
    else:
        shifted = np.ldexp(shifted, -exponent)
    if how == "range":
        shifted -= shifted.min()
        spread = shifted.max()
    elif how == "robust":
        shifted -= np.median(shifted)
        low, high = np.quantile(shifted, [0.25, 0.75])
        # Values that agree but for a few are told apart by their deviation: the few would be infinitely far.
        spread = high - low if high - low > 1e-100 else shifted.std()
    else:
        shifted -= shifted.mean()
        if how == "none":
            return np.asarray(np.ldexp(shifted, exponent), dtype=np.float64)
        spread = shifted.std()
    return np.divide(shifted, spread, out=shifted) if spread > 0 else np.zeros_like(shifted)


def _figures(
    points: FloatArray, labels: IntArray, values: FloatArray, released: Mapping[str, FloatArray], names: tuple[str, ...]
) -> Json:
    """Return the sums of squares within groups and in all, and for each attribute the share that moved."""
    within, total = 0.0, 0.0
    for j in range(points.shape[1]):
        column, group = _present(points[:, j], labels)
        if not column.size:
            continue
        within += _squares_within(column, group)
        total += _sum_of_squares(column, column.mean())
    share = {}
    for j, name in enumerate(names):
        before, after = _present(*_present(values[:, j], released[name])[::-1])[::-1]
        centred = before - before[:1]
        reach = max(centred.max(), -centred.min()) if before.size else 0.0
        if not reach > 0:
            share[name] = 0.0
            continue
        centred /= reach
        moved = before - after
        moved /= reach
        share[name] = float(_squared(moved) / _sum_of_squares(centred, centred.mean()))
    return {"sse": within, "sst": total, "sse_share": share}


def _present(column: FloatArray, beside: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    """Return the numbers of a column that are there, and what stands beside them."""
    absent = np.isnan(column)
    if absent.any():
        return column[~absent], beside[~absent]
    return np.ascontiguousarray(column), beside


def _squared(column: FloatArray) -> float:
    """Return the sum of squares, so many numbers at a time as one thread takes.

    Of more numbers it would depend on how many threads there are, which afterwards wait for more of them, busily.
    """
    parts = (column[start : start + _ONE_THREAD] for start in range(0, column.size, _ONE_THREAD))
    return sum(float(part @ part) for part in parts)


def _sum_of_squares(column: FloatArray, centre: FloatArray | float) -> float:
    deviations = column - centre
    deviations *= deviations
    return float(deviations.sum())


def _squares_within(column: FloatArray, labels: IntArray) -> float:
    """Return the sum of squared deviations from the means of labels."""
    if column.size < _MANY:
        sizes = np.maximum(np.bincount(labels), 1)
        return _sum_of_squares(column, (np.bincount(labels, weights=column) / sizes)[labels])
    squares = np.empty(column.size)
    squares_within(column, labels, np.zeros((int(labels.max()) + 1, 2)), squares)
    return float(squares.sum())


def _joined_figures(figures: list[Json], blocks: list[tuple[str, ...]]) -> Json:
    sse, sst = sum(f["sse"] for f in figures), sum(f["sst"] for f in figures)
    details: Json = {
        "sse": sse,
        "sst": sst,
        "information_loss": 100.0 * sse / sst if sst > 0 else 0.0,
        "sse_share": {name: value for f in figures for name, value in f["sse_share"].items()},
        "joint": len(blocks) == 1,
    }
    if len(blocks) > 1:
        details["blocks"] = [list(block) for block in blocks]
    return details
