"""What every microaggregation of categories and mixed records shares: distances, missing values, operators, release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from discreet.base import Masking, MaskingJob
from discreet.errors import ParameterError
from discreet.masking.microaggregation.prototypes import aggregated, choose_operators, default_ordinal, is_missing
from discreet.masking.release import DECIMALS
from discreet.masking.strata import StratifiedMasker
from discreet.operators.base import Operator
from discreet.parameters import ByName, Choice, Constraint, Flag, Instance, Integer, Names, Number, Optional, Seed
from discreet.scales import Categorical, Ordinal
from discreet.schema import Schema
from discreet.typing import CodeArray, FloatArray, IntArray, Json, RandomState

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
    job: MaskingJob, names: Sequence[str], importance: Mapping[str, float], missing: str, *, semantics: bool
) -> Records:
    """Put attributes into the form of the kernels; what was made for a table is kept with it."""
    key = ("records", tuple(names), tuple(sorted(importance.items())), missing, semantics)
    return job.microdata.once(key, lambda: _encoded(job, names, importance, missing, semantics=semantics))


def _encoded(
    job: MaskingJob, names: Sequence[str], importance: Mapping[str, float], missing: str, *, semantics: bool
) -> Records:
    schema = job.schema
    code_names = schema.of_scale("ordinal", "nominal", among=names)
    number_names = schema.of_scale("numeric", among=names)
    tables, sizes = [], []
    for name in code_names:
        table = _distances(cast("Categorical", schema[name].scale), missing, semantics=semantics)
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


def _distances(scale: Categorical, missing: str, *, semantics: bool) -> FloatArray:
    if isinstance(scale, Ordinal) and scale.semantics is not None and not semantics:
        scale = Ordinal(scale.levels)
    table = scale.distance_matrix()
    if isinstance(scale, Ordinal) and scale.semantics is not None and table.max() > 0:
        # Squared centres are on a scale of their own; positions already lie between 0 and 1.
        table = table / table.max()
    edge = float(table.max(initial=0.0)) if missing == "category" else 0.0
    full = np.full((len(table) + 1, len(table) + 1), edge)
    full[:-1, :-1] = table
    full[-1, -1] = 0.0
    return full


def _span(numbers: FloatArray) -> float:
    present = numbers[~np.isnan(numbers)]
    return float(np.ptp(present)) if present.size else 0.0


class RecordMicroaggregation(StratifiedMasker):
    """Groups of at least `k` records on attributes of any scale, each value released as its group's aggregate.

    Subclasses write ``_partition``. They never compute a value to release: that is the operators' work.
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    groups: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    handles_missing: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "k": Integer(2),
        "prototype": Choice(("median", "mode", "random")),
        "alpha": Number(0, open_low=True),
        "convex": Flag(),
        "beta": Number(0, 1, open_high=True),
        "semantics": Flag(),
        "operators": Optional(ByName(Instance(Operator, "an operator"))),
        "importance": Optional(ByName(Number(0, 1e9))),
        "missing": Choice(("category", "wildcard")),
        "weighted": Flag(),
        "decimals": DECIMALS,
        "strata": Optional(Names()),
        "attributes": Optional(Names()),
        "random_state": Seed(),
    }

    importance: Mapping[str, float] | None

    def __init__(
        self,
        k: int = 3,
        *,
        operators: Mapping[str, Operator] | None = None,
        prototype: str = "median",
        alpha: float = 1.0,
        convex: bool = True,
        beta: float = 0.5,
        semantics: bool = True,
        missing: str = "category",
        weighted: bool = False,
        decimals: int | str | Mapping[str, int] | None = None,
        strata: Sequence[str] | None = None,
        attributes: Sequence[str] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.operators = operators
        self.prototype = prototype
        self.alpha = alpha
        self.convex = convex
        self.beta = beta
        self.semantics = semantics
        self.missing = missing
        self.weighted = weighted
        self.decimals = decimals
        self.strata = strata
        self.attributes = attributes
        self.random_state = random_state

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
        )
        released: dict[str, Any] = {}
        labels, figures = [], []
        for names in self._blocks(job):
            records = encode_records(job, names, self.importance or {}, self.missing, semantics=self.semantics)
            found, block = self._partition(records, {name: operators[name] for name in names}, job, names)
            for name in names:
                released[name] = self._released(job.microdata.encoded(name), operators[name], found, weights)
            labels.append(found)
            figures.append({"attributes": list(names), "groups": int(found.max()) + 1, **block})
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

    def _names(self, schema: Schema) -> tuple[str, ...]:
        names = super()._names(schema)
        strangers = [name for name in self.importance or {} if name not in names]
        if strangers:
            raise ParameterError(f"{type(self).__name__}: importance names {strangers[0]!r}, which is not masked.")
        return names
