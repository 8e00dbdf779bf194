"""What every microaggregation of categories and mixed records shares: distances, missing values, operators, release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from discreet.contracts.digits import DECIMALS, Decimals
from discreet.contracts.masker import Masking, MaskingJob
from discreet.contracts.plan import Scope
from discreet.data.encoded_rows import ROW
from discreet.data.microdata import table_of_codes
from discreet.data.scales import Categorical, Ordinal
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records.group_operators import (
    aggregated,
    choose_operators,
    default_ordinal,
    is_missing,
)
from discreet.masking.microaggregation.records.taxonomy import Taxonomies, TaxonomyKind, level_tables
from discreet.masking.running.border_repair import InSpace, Scaling, Space, centres_of, numbers_of
from discreet.operators.operator import Operator
from discreet.operators.typed_operator import OPERATORS_BY_NAME
from discreet.parameters import ByName, Choice, Constraint, Flag, Names, Number, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, Json, RandomState

__all__ = ["RecordMicroaggregation", "Records", "encode_records"]


_FACTOR = 1e290
"""The largest factor by which numbers are made comparable."""


@dataclass(frozen=True, repr=False)
class Records:
    """Records as the kernels see them, by attribute: levels with tables of distances, and scaled numbers.

    A missing level is the last one of its table, a missing number NaN. Every attribute's distance lies between 0 and
    its weight.
    """

    codes: CodeArray
    numbers: FloatArray
    table: FloatArray
    starts: IntArray
    sizes: IntArray
    absent: FloatArray
    code_names: tuple[str, ...]
    number_names: tuple[str, ...]
    factors: FloatArray

    @property
    def places(self) -> IntArray:
        """Where the levels of each attribute begin when all are counted on."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes, dtype=np.int64)

    @property
    def geometry(self) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
        """What kernels need to take distances."""
        return self.table, self.starts, self.sizes, self.absent

    def encoded(self, values: Mapping[str, NDArray[Any]]) -> tuple[CodeArray, FloatArray]:
        """Return other records, such as prototypes, given by attribute, in the same form."""
        return _blocks(values, self.code_names, self.sizes, self.number_names, self.factors)

    def take(self, rows: IntArray) -> Records:
        """Return some of the records."""
        return Records(
            np.ascontiguousarray(self.codes[:, rows]),
            np.ascontiguousarray(self.numbers[:, rows]),
            self.table,
            self.starts,
            self.sizes,
            self.absent,
            self.code_names,
            self.number_names,
            self.factors,
        )


def encode_records(
    job: MaskingJob,
    names: Sequence[str],
    importance: Mapping[str, float],
    missing: str,
    *,
    semantics: bool,
    tables: Mapping[str, FloatArray] | None = None,
) -> Records:
    """Put attributes into the form of the kernels; what was made for a table is kept with it.

    `tables` are the distances of levels of attributes that are not measured by their scale.
    """
    given = {name: table for name, table in (tables or {}).items() if name in names}
    told = tuple((name, table.tobytes()) for name, table in sorted(given.items()))
    key = ("records", tuple(names), tuple(sorted(importance.items())), missing, semantics, told)
    return job.microdata.once(key, lambda: _encoded(job, names, importance, missing, given, semantics=semantics))


def _encoded(
    job: MaskingJob,
    names: Sequence[str],
    importance: Mapping[str, float],
    missing: str,
    given: Mapping[str, FloatArray],
    *,
    semantics: bool,
) -> Records:
    schema = job.schema
    code_names = schema.of_scale("ordinal", "nominal", among=names)
    number_names = schema.of_scale("numeric", among=names)
    tables, sizes = [], []
    for name in code_names:
        scale = cast("Categorical", schema[name].scale)
        table = _distances(scale, missing, given.get(name), semantics=semantics)
        tables.append(importance.get(name, 1.0) * table.ravel())
        sizes.append(len(table))
    lengths = np.array([table.size for table in tables], dtype=np.int64)
    weights = np.array([importance.get(name, 1.0) for name in number_names], dtype=np.float64)
    spans = np.array([_span(job.microdata.encoded(name)) for name in number_names], dtype=np.float64)
    # A span that is hardly a number would make an infinite factor, and infinity times zero is no distance.
    factors = np.minimum(weights / np.where(spans > 0, np.maximum(spans, 1.0 / _FACTOR), 1.0), _FACTOR)
    values = {name: job.microdata.encoded(name) for name in names}
    sizes_array = np.array(sizes, dtype=np.int64)
    codes, numbers = _blocks(values, code_names, sizes_array, number_names, factors)
    return Records(
        codes,
        numbers,
        np.concatenate(tables) if tables else np.zeros(0),
        np.asarray(np.cumsum(lengths) - lengths, dtype=np.int64),
        sizes_array,
        np.where(missing == "category", weights, 0.0),
        code_names,
        number_names,
        factors,
    )


def _blocks(
    values: Mapping[str, NDArray[Any]],
    code_names: tuple[str, ...],
    sizes: IntArray,
    number_names: tuple[str, ...],
    factors: FloatArray,
) -> tuple[CodeArray, FloatArray]:
    n = len(next(iter(values.values())))
    codes, numbers = np.zeros((len(code_names), n), dtype=np.int32), np.zeros((len(number_names), n))
    for j, name in enumerate(code_names):
        codes[j] = np.where(values[name] < 0, sizes[j] - 1, values[name])
    for j, name in enumerate(number_names):
        numbers[j] = values[name] * factors[j]
    return codes, numbers


def _distances(scale: Categorical, missing: str, given: FloatArray | None, *, semantics: bool) -> FloatArray:
    if isinstance(scale, Ordinal) and scale.semantics is not None and not semantics:
        scale = Ordinal(scale.levels)
    table = scale.distance_matrix() if given is None else given
    own_scale = given is not None or (isinstance(scale, Ordinal) and scale.semantics is not None)
    if own_scale and table.max(initial=0.0) > 0:
        # Squared centres and taxonomies are on a scale of their own; positions already lie between 0 and 1.
        table = table / table.max()
    edge = float(table.max(initial=0.0)) if missing == "category" else 0.0
    full = np.full((len(table) + 1, len(table) + 1), edge)
    full[:-1, :-1] = table
    full[-1, -1] = 0.0
    return full


def _span(numbers: FloatArray) -> float:
    present = numbers[~np.isnan(numbers)]
    return float(np.ptp(present)) if present.size else 0.0


IMPORTANCE: Constraint = Optional(ByName(Number(0, 1e9)))
"""The weight of an attribute in a distance."""


class RecordMicroaggregation(InSpace):
    """Groups of at least `k` records on attributes of any scale, each value released as its group's aggregate.

    Subclasses write ``_partition``. They never compute a value to release: that is the operators' work.
    """

    iso_20889: ClassVar[str] = "randomisation: microaggregation"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    groups: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    handles_missing: ClassVar[bool] = True
    prototype: Literal["median", "mode", "random"] = parameter(Choice(("median", "mode", "random")), default="median")
    alpha: float = parameter(Number(0, open_low=True), default=1.0)
    convex: bool = parameter(Flag(), default=True)
    beta: float = parameter(Number(0, 1, open_high=True), default=0.5)
    semantics: bool = parameter(Flag(), default=True)
    weighted: bool = parameter(Flag(), default=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @property
    def operators(self) -> Mapping[str, Operator | str] | str | None:
        """Operators by attribute or by scale; the usual ones where a method offers no choice."""
        return None

    @property
    def taxonomies(self) -> Taxonomies | None:
        """Hierarchies by unordered attribute, by which its levels are as far apart as their meaning."""
        return None

    @property
    def taxonomy_distance(self) -> TaxonomyKind:
        """How far names of a hierarchy are apart."""
        return "wu-palmer"

    def _tables(self, schema: Schema, names: Sequence[str]) -> dict[str, FloatArray]:
        return level_tables(type(self).__name__, schema, names, self.taxonomies, self.taxonomy_distance)

    @property
    def missing(self) -> Literal["category", "wildcard"]:
        """What a missing value is; a category of its own where a method offers no choice."""
        return "category"

    @property
    def importance(self) -> Mapping[str, float] | None:
        """The weight of an attribute in the distance; all alike where a method offers no choice."""
        return None

    @abstractmethod
    def _partition(
        self, records: Records, operators: Mapping[str, Operator], job: MaskingJob, names: tuple[str, ...]
    ) -> tuple[IntArray, Json]:
        """Return the group of every record, none smaller than `k`, and figures for the provenance."""

    def _blocks(self, job: MaskingJob) -> list[tuple[str, ...]]:
        """Return the attributes that are grouped together."""
        return [job.names]

    def _mask_part(self, job: MaskingJob) -> Masking:
        weights = job.weights if self.weighted else None
        tables = self._tables(job.schema, job.names)
        ordinal = default_ordinal(self.prototype, self.alpha, self.beta, job.rng, convex=self.convex)
        operators = choose_operators(
            type(self).__name__,
            job.schema,
            job.names,
            self.operators,
            ordinal,
            semantics=self.semantics,
            weighted=weights is not None,
            rng=job.rng,
            tables=tables,
        )
        released: dict[str, Any] = {}
        labels, figures = [], []
        for names in self._blocks(job):
            records = encode_records(
                job, names, self.importance or {}, self.missing, semantics=self.semantics, tables=tables
            )
            block_labels, block = self._partition(records, {name: operators[name] for name in names}, job, names)
            for name in names:
                released[name] = self._released(job.microdata.encoded(name), operators[name], block_labels, weights)
            labels.append(block_labels)
            figures.append({"attributes": list(names), "groups": int(block_labels.max()) + 1, **block})
        details: Json = {"joint": len(labels) == 1, "blocks": figures}
        return Masking(
            {name: released[name] for name in job.names},
            labels=labels[0] if len(labels) == 1 else np.stack(labels, axis=1),
            details=details,
            shared=tuple(tuple(block["attributes"]) for block in figures),
        )

    def _released(
        self, values: NDArray[Any], operator: Operator, labels: IntArray, weights: FloatArray | None
    ) -> NDArray[Any]:
        groups = int(labels.max()) + 1
        prototypes = aggregated(operator, values, labels, groups, weights=weights, missing=self.missing)
        if self.missing == "category":
            return np.asarray(prototypes[labels])
        return np.asarray(np.where(is_missing(values), values, prototypes[labels]))

    def _spaces(self, scope: Scope, sample: Mapping[str, Any]) -> list[Scaling]:
        middle, spread = np.zeros(len(scope.names)), np.ones(len(scope.names))
        for j, name in enumerate(scope.names):
            scale = scope.schema[name].scale
            column = numbers_of(sample[name])
            column = column[~np.isnan(column)]
            if isinstance(scale, Categorical):
                spread[j] = len(scale)
            elif column.size:
                middle[j], spread[j] = column.min(), np.ptp(column)
        return [Scaling(scope.names, middle, np.where(spread > 0, spread, 1.0))]

    def _space_groups(
        self, space: Space, part: Mapping[str, Any], points: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, BoolArray]:
        return self._grouped_alone(space, part, rng), np.zeros(points.shape, dtype=np.bool_)

    def _grouped_alone(self, space: Space, part: Mapping[str, Any], rng: np.random.Generator) -> IntArray:
        """Return the groups that the method makes of some records, distances scaled as in the whole table."""
        if len(part[ROW]) < 2 * self.k:
            return np.zeros(len(part[ROW]), dtype=np.int64)
        table = table_of_codes(space.scope.schema, {name: part[name] for name in self.columns(space.scope)})
        importance = dict(self.importance or {})
        for name, spread in zip(space.names, space.scaling.spread, strict=True):
            if part[name].dtype.kind == "f":
                # The method divides by the part's own range; the whole table's is meant.
                span = _span(part[name])
                importance[name] = importance.get(name, 1.0) * (span / spread if span > 0 else 1.0)
        inner = self.clone().set_params(
            attributes=list(space.names), strata=None, decimals=None, random_state=int(rng.integers(2**62))
        )
        if "importance" in inner.parameter_names():
            inner.set_params(importance=importance or None)
        labels = np.asarray(inner.mask(table).labels)
        return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)

    def _mended(
        self, space: Space, part: Mapping[str, Any], points: FloatArray, labels: IntArray, seed: int
    ) -> IntArray:
        """Form the loosest half of the groups anew by the method, and keep what is tighter."""
        embedded = _embedded(space, part, points)
        costs = _costs(embedded, labels)
        sizes = np.bincount(labels)
        loose = np.argsort(-costs / sizes, kind="stable")[: max(2, sizes.size // 2)]
        members = np.flatnonzero(np.isin(labels, loose))
        again = {name: column[members] for name, column in part.items()}
        draws = space.scope.draws.child("blocks", *space.names)
        anew = self._grouped_alone(space, again, draws.generator("again", seed))
        if not _costs(embedded[members], anew).sum() < costs[loose].sum():
            return labels
        result = labels.copy()
        result[members] = labels.max() + 1 + anew
        return np.unique(result, return_inverse=True)[1].ravel().astype(np.int64)

    def _released_groups(
        self,
        space: Space,
        part: Mapping[str, Any],
        labels: IntArray,
        absent: IntArray,  # noqa: ARG002 - a missing value is a category, or stays
        rng: np.random.Generator,
    ) -> dict[str, Any]:
        weights = None if space.scope.weight is None else part[space.scope.weight]
        operators = choose_operators(
            type(self).__name__,
            space.scope.schema,
            space.names,
            self.operators,
            default_ordinal(self.prototype, self.alpha, self.beta, rng, convex=self.convex),
            semantics=self.semantics,
            weighted=weights is not None,
            rng=rng,
            tables=self._tables(space.scope.schema, space.names),
        )
        return {name: self._released(part[name], operators[name], labels, weights) for name in space.names}

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        strangers = [name for name in self.importance or {} if name not in names]
        if strangers:
            raise ParameterError(f"{type(self).__name__}: importance names {strangers[0]!r}, which is not masked.")
        return names


class OperatorMicroaggregation(RecordMicroaggregation):
    """Groups whose aggregate can be chosen: by operators, a rule for missing values, and the digits of numbers."""

    operators: Mapping[str, Operator | str] | str | None = parameter(OPERATORS_BY_NAME, default=None)
    missing: Literal["category", "wildcard"] = parameter(Choice(("category", "wildcard")), default="category")
    decimals: Decimals = parameter(DECIMALS, default=None)


def _embedded(space: Space, part: Mapping[str, Any], points: FloatArray) -> FloatArray:
    """Return mixed records as points, an unordered attribute by one column a level."""
    columns = []
    for j, name in enumerate(space.names):
        scale = space.scope.schema[name].scale
        if isinstance(scale, Categorical) and not scale.ordered:
            columns.append((part[name][:, None] == np.arange(len(scale))[None, :]) * np.sqrt(0.5))
        else:
            columns.append(points[:, [j]])
    return np.asarray(np.nan_to_num(np.concatenate(columns, axis=1)))


def _costs(points: FloatArray, labels: IntArray) -> FloatArray:
    errors = ((points - centres_of(points, labels)[labels]) ** 2).sum(axis=1)
    return np.bincount(labels, weights=errors).astype(np.float64)
