"""The four contracts: Masker, Linker, Measure, Engine; and the registry in which every method is entered.

A method is one file: a class that fulfils a contract, decorated with :func:`register`. The command line, the study,
the documentation and the web page find it through :mod:`discreet.catalogue`.

Each contract has one public door (``mask``, ``link``, ``measure``) that validates once and calls the method's own
``_mask``, ``_link`` or ``_measure``, which assume that preparation is completed.
"""

from __future__ import annotations

import html
import inspect
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from discreet.cleaning import widened
from discreet.draws import Draws, draws_of, fingerprint
from discreet.errors import DataError, MissingValueError, ParameterError, SchemaError, UnknownNameError, door
from discreet.guarantees import Guarantee
from discreet.microdata import Microdata, column_names, microdata
from discreet.parameters import Constraint, Names, Optional, Seed, check_parameters
from discreet.results import Links, Masked, Measurement, Provenance
from discreet.scales import EncodedSequences, GapFlag
from discreet.schema import Attribute, Schema
from discreet.stopping import stoppable
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = [
    "MASKED",
    "ROW",
    "WRITTEN",
    "Block",
    "Columns",
    "Engine",
    "Estimator",
    "InProcess",
    "Linker",
    "Masker",
    "Masking",
    "MaskingJob",
    "Measure",
    "Pair",
    "Rows",
    "Source",
    "TableEngine",
    "Target",
    "aligned",
    "count_changed",
    "find",
    "notes_on_missing",
    "register",
    "registered",
]

_REGISTRY: dict[str, dict[str, type[Any]]] = {"masker": {}, "linker": {}, "measure": {}}

E = TypeVar("E", bound="type[Estimator]")
T = TypeVar("T")
R = TypeVar("R")


def register(name: str) -> Callable[[E], E]:
    """Enter a masker, linker or measure under the name that users type."""

    def enter(cls: E) -> E:
        known = _REGISTRY[cls.contract].get(name)
        if known is not None and known.__qualname__ != cls.__qualname__:
            raise ParameterError(f"Two {cls.contract}s are registered as {name!r}.")
        cls.name = name
        _REGISTRY[cls.contract][name] = cls
        return cls

    return enter


def registered(contract: str) -> dict[str, type[Any]]:
    """Return the classes entered so far under a contract, by name, in alphabetical order."""
    return dict(sorted(_REGISTRY[contract].items()))


class Estimator:
    """Parameters in scikit-learn's manner: keywords in ``__init__``, stored as they are, checked at the door.

    Subclasses list what each parameter may be in `parameters`.
    """

    contract: ClassVar[str]
    name: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Constraint]] = {}

    @classmethod
    @cache  # a class does not change, and a study asks thousands of times
    def _signature(cls) -> Mapping[str, inspect.Parameter]:
        """Return the parameters of ``__init__``; one that takes ``**common`` hands them to the class above it."""
        found: dict[str, inspect.Parameter] = {}
        for owner in cls.__mro__:
            if "__init__" not in vars(owner) or owner is object:
                continue
            parameters = inspect.signature(vars(owner)["__init__"]).parameters
            found |= {n: p for n, p in parameters.items() if n not in found and n != "self" and p.kind != p.VAR_KEYWORD}
            if not any(p.kind == p.VAR_KEYWORD for p in parameters.values()):
                break
        return MappingProxyType(found)

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the parameters, in the order of ``__init__``."""
        return tuple(cls._signature())

    @classmethod
    def examples(cls) -> list[Self]:
        """Return a few instances with typical parameters, for the battery of checks that every method must pass."""
        return [cls()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` adds those of nested methods as ``outer__inner``."""
        result: dict[str, Any] = {}
        for name in self.parameter_names():
            value = getattr(self, name)
            result[name] = value
            if deep and isinstance(value, Estimator):
                result.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return result

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name and return self."""
        names = self.parameter_names()
        for key, value in params.items():
            outer, _, inner = key.partition("__")
            if outer not in names:
                raise ParameterError(
                    f"{type(self).__name__}: there is no parameter {outer!r}.",
                    hint=f"Parameters are {', '.join(names)}.",
                )
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def clone(self) -> Self:
        """Return a fresh, unfitted copy with the same parameters."""
        copies = {n: v.clone() if isinstance(v, Estimator) else v for n, v in self.get_params(deep=False).items()}
        return type(self)(**copies)

    def _check_parameters(self) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), self.parameters)

    def _changed_parameters(self) -> dict[str, Any]:
        defaults = self._signature()
        params = self.get_params(deep=False)
        return {n: v for n, v in params.items() if not _same(v, defaults[n].default)}

    def label(self) -> str:
        """Return the registered name with what was chosen: how tables and charts call a candidate."""
        chosen = {n: v for n, v in self.get_params(deep=False).items() if n in {"k", "p"}} | self._changed_parameters()
        chosen.pop("random_state", None)
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in chosen.items())})"

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._changed_parameters().items())
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(repr(value))}</td>"
            f"<td>{html.escape(self.parameters[name].describe() if name in self.parameters else '')}</td></tr>"
            for name, value in self.get_params(deep=False).items()
        )
        first = html.escape((inspect.getdoc(type(self)) or "").split("\n", 1)[0])
        return (
            f"<p><b>{type(self).__name__}</b> {first}</p>"
            f"<table><tr><th>parameter</th><th>value</th><th>may be</th></tr>{rows}</table>"
        )


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


class Engine(ABC):
    """Where blocks of records are run. An engine cannot name a method."""

    @abstractmethod
    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        """Run a function on every block and return the results in the order of the blocks."""


class InProcess(Engine):
    """One block after the other, in this thread: what a contract uses when it is handed no engine."""

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        return [function(block) for block in blocks]


# ------------------------------------------------------------------------------------------- more than memory holds

Block: TypeAlias = Mapping[str, Any]
"""Columns of some records by name: ``float64``, ``int32`` or ``int64`` arrays, or arrays of bytes (sequences)."""

Rows: TypeAlias = Any
"""Records on a table engine: what they are made of is the engine's own affair. They are read as often as asked for."""

Columns: TypeAlias = Mapping[str, str]
"""Names and kinds of columns: ``"float"``, ``"code"``, ``"int"`` or ``"bytes"``."""

ROW = "#row"
"""The position of a record in its table, which every engine gives it; draws are keyed by it."""
MASKED = "#masked"
"""What the name of a column of the release ends with, where both tables lie side by side."""
WRITTEN = "#written"
"""What a name ends with that asks for what a written file shows of an attribute (:meth:`Microdata.cell_keys`)."""


class Source(ABC):
    """A table in files, with its schema, that may be larger than memory."""

    schema: Schema
    files: tuple[str, ...]
    sizes: tuple[int, ...]
    """The number of records of every file."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records."""

    @abstractmethod
    def batches(self, size: int) -> Iterator[Microdata]:
        """Yield the records in their order, `size` at a time (the last batch may be smaller)."""


class Target(ABC):
    """Where a release is written."""

    path: str
    guarantees: tuple[Guarantee, ...] = ()
    """What the release promises; counted again on what was written, before it is put in place."""

    @abstractmethod
    def write(self, tables: Iterable[Microdata]) -> None:
        """Write tables one after the other: all of them, or nothing."""

    @abstractmethod
    def count_again(self, written: str) -> None:
        """Refuse what lies at `written`, a file or folder that is not in place yet, unless it keeps `guarantees`."""


class TableEngine(Engine):
    """An engine for tables larger than memory: it splits them into blocks, runs functions there, and counts.

    Functions are handed to it and may travel to other processes: they must be picklable and must not depend on which
    records come together, except in :meth:`split`. An engine cannot name a method.
    """

    @abstractmethod
    def open(self, source: Source, names: Iterable[str]) -> Rows:
        """Return the encoded attributes `names` of a table, with the column :data:`ROW`.

        A name that ends with :data:`WRITTEN` asks for what a written file shows of the attribute: missing codes apart.
        """

    @abstractmethod
    def pair(self, original: Source, masked: Source, names: Iterable[str]) -> Rows:
        """Return the attributes of two tables side by side; those of the second have names that end with `MASKED`."""

    @abstractmethod
    def apply(self, rows: Rows, function: Callable[[Block], Block], columns: Columns) -> Rows:
        """Run a function on the records as they come, in batches of any size; it returns the given columns."""

    @abstractmethod
    def split(self, rows: Rows, key: str, parts: int, function: Callable[[Block], Block], columns: Columns) -> Rows:
        """Bring records with the same number (0 … parts − 1) in column `key` together, and run on each block.

        The function sees a whole block, in any order of its records.
        """

    @abstractmethod
    def count(self, rows: Rows, keys: Sequence[str], weight: str | None = None) -> Rows:
        """Return the combinations of keys with columns ``#count`` and ``#total`` (of `weight`; the count if None)."""

    @abstractmethod
    def count_sets(self, rows: Rows, sets: Sequence[Sequence[str]], weight: str | None = None) -> list[Block]:
        """Return the same for several sets of keys at once (grouping sets), in memory, sorted by the keys."""

    @abstractmethod
    def beside(self, parts: Sequence[Rows], columns: Columns) -> Rows:
        """Put columns of the same records side by side, by :data:`ROW`."""

    @abstractmethod
    def fold(self, rows: Rows, function: Callable[[Block], Block]) -> dict[str, Any]:
        """Run a function on the records in batches of any size and return the sums of the arrays it gives."""

    @abstractmethod
    def collect(self, rows: Rows) -> dict[str, Any]:
        """Return the records in memory, by :data:`ROW` where they have it."""

    @abstractmethod
    def write(
        self,
        source: Source,
        target: Target,
        release: Callable[[Microdata, IntArray, Block], Microdata],
        values: Rows | None = None,
    ) -> None:
        """Write a release in the order of its source.

        `release` is handed some records of the source, their positions, and the columns of `values` that belong to
        them (none where `values` is None); it must give the same columns for any records.
        """

    def sample(self, rows: Rows, n: int, of: int, seed: int) -> dict[str, Any]:
        """Return `n` of the `of` records (all where n ≥ of), those with the smallest draws: the same on any engine."""
        if n >= of:
            return self.collect(rows)
        # Draws are uniform: with this share, fewer than n are found once in ten thousand samples; the rest is cut off.
        share = min(1.0, (n + 4.0 * np.sqrt(n) + 8.0) / of)
        found = self.collect(self.apply(rows, _Drawn(share, seed), rows.columns))
        draws = _drawn(seed, found[ROW])
        kept = np.sort(np.argsort(draws, kind="stable")[:n])
        return {name: column[kept] for name, column in found.items()}

    def quantiles(
        self, rows: Rows, names: Sequence[str], probabilities: Sequence[float], error: float, of: int, seed: int = 0
    ) -> dict[str, FloatArray]:
        """Return the quantiles of columns; their ranks are right within `error` · `of`.

        With an error above 0, from a sample that is that exact with a chance of 999 in 1000 (Dvoretzky, Kiefer and
        Wolfowitz). With the error 0, exactly: the sample tells between which numbers to look, and one more pass counts
        and gathers what lies there. The quantile of probability q is the value of rank ⌈q · present⌉ (at least 1).
        """
        wanted = list(probabilities)
        if error > 0:
            size = int(np.ceil(np.log(2.0 / 0.001) / (2.0 * error**2)))
            found = self.sample(rows, size, of, seed)
            return {name: _at_ranks(np.sort(_present(found[name])), wanted) for name in names}
        found = self.sample(rows, 200_000, of, seed)
        around: dict[str, FloatArray] = {}
        for name in names:
            column = np.sort(_present(found[name]))
            if not column.size:
                around[name] = np.empty((0, 2))
                continue
            reach = 6.0 / np.sqrt(column.size) if column.size < of else 1.0
            low = _at_ranks(column, [q - reach for q in wanted])
            high = _at_ranks(column, [q + reach for q in wanted])
            low[np.array(wanted) <= reach], high[np.array(wanted) >= 1.0 - reach] = -np.inf, np.inf
            around[name] = np.stack([low, high], axis=1)
        counts = self.fold(rows, _Between(around))
        columns = {"#name": "int", "#value": "float", "#count": "int"}
        kept = self.collect(self.apply(rows, _Inside(around), columns))
        result = {}
        for place, name in enumerate(names):
            here = kept["#name"] == place
            order = np.argsort(kept["#value"][here], kind="stable")
            inside, last = kept["#value"][here][order], np.cumsum(kept["#count"][here][order])
            present = int(counts[name + "#present"][0]) if len(around[name]) else 0
            values = []
            for i, q in enumerate(wanted if present else []):
                rank = min(max(int(np.ceil(q * present)), 1), present) - int(counts[name + "#below"][i])
                first = np.searchsorted(inside, around[name][i, 0], side="left")
                values.append(inside[np.searchsorted(last, rank + (last[first - 1] if first else 0))])
            result[name] = np.array(values, dtype=np.float64) if present else np.full(len(wanted), np.nan)
        return result


def _drawn(seed: int, rows: IntArray) -> FloatArray:
    return Draws.of(seed, None, "sample").uniform(rows)


def _present(column: Any) -> FloatArray:
    numbers = np.asarray(column, dtype=np.float64)
    return numbers[numbers >= 0] if column.dtype.kind == "i" else numbers[~np.isnan(numbers)]


def _at_ranks(ordered: FloatArray, probabilities: Sequence[float]) -> FloatArray:
    if not ordered.size:
        return np.full(len(probabilities), np.nan)
    ranks = np.ceil(np.array(probabilities) * ordered.size).astype(np.int64)
    return np.asarray(ordered[np.clip(ranks, 1, ordered.size) - 1])


@dataclass(frozen=True)
class _Drawn:
    """Keep the records whose draw is below a share."""

    share: float
    seed: int

    def __call__(self, block: Block) -> Block:
        kept = _drawn(self.seed, block[ROW]) < self.share
        return {name: column[kept] for name, column in block.items()}


@dataclass(frozen=True)
class _Between:
    """Count the values that are present, and those below each interval."""

    around: Mapping[str, FloatArray]

    def __call__(self, block: Block) -> Block:
        result = {}
        for name, between in self.around.items():
            column = np.sort(_present(block[name]))
            result[name + "#present"] = np.array([column.size], dtype=np.int64)
            result[name + "#below"] = np.searchsorted(column, between[:, 0], side="left")
        return result


@dataclass(frozen=True)
class _Inside:
    """Keep the values that lie in one of the intervals, each once, with how often it occurs."""

    around: Mapping[str, FloatArray]

    def __call__(self, block: Block) -> Block:
        places, values, counts = [], [], []
        for place, (name, between) in enumerate(self.around.items()):
            column = _present(block[name])
            inside = np.zeros(column.size, dtype=np.bool_)
            for low, high in between:
                inside |= (column >= low) & (column <= high)
            found, times = np.unique(column[inside], return_counts=True)
            values.append(found)
            counts.append(times.astype(np.int64))
            places.append(np.full(found.size, place, dtype=np.int64))
        return {
            "#name": np.concatenate(places),
            "#value": np.concatenate(values),
            "#count": np.concatenate(counts),
        }


# ---------------------------------------------------------------------------------------------------------- masking


@dataclass(frozen=True, repr=False)
class MaskingJob:
    """What a masker's own code is given: a checked table, the attributes to mask, draws and an engine."""

    microdata: Microdata
    names: tuple[str, ...]
    rng: np.random.Generator
    engine: Engine

    @property
    def schema(self) -> Schema:
        """The table's schema."""
        return self.microdata.schema

    @property
    def numeric(self) -> tuple[str, ...]:
        """The numeric attributes to mask."""
        return self.schema.of_scale("numeric", among=self.names)

    @property
    def weights(self) -> FloatArray | None:
        """The survey weights, or None where the schema has none."""
        return self.microdata.weights()


@dataclass(frozen=True, repr=False)
class Masking:
    """What a masker's own code gives back: new encoded values by attribute, and how they came about.

    Attributes
    ----------
    values : dict of str to array
        New values of every record, encoded on the scale of the released declaration.
    labels : (n,) or (n, blocks) int64, optional
        The group of every record; one column a block where attributes were grouped block by block.
    transitions : dict of str to bool matrix
        See :class:`discreet.results.Provenance`.
    attributes : tuple of Attribute
        Declarations that the release needs because levels or roles changed.
    removed : tuple of str
        Attributes that are left out of the release.
    rows : (m,) int64, optional
        The records that are released, in this order; by default all, in their order.
    details, notes
        For the provenance.
    shared : tuple of tuples of str
        Where the method forms groups, the sets of attributes whose combinations at least k records share; by default
        all that are masked together.
    """

    values: Mapping[str, Any]
    labels: IntArray | None = None
    transitions: Mapping[str, BoolArray] = field(default_factory=dict)
    attributes: tuple[Attribute, ...] = ()
    removed: tuple[str, ...] = ()
    rows: IntArray | None = None
    details: Json = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    shared: tuple[tuple[str, ...], ...] = ()


class Masker(Estimator, ABC):
    """Original to masked.

    Subclasses set `scales` (the kinds of scale they mask), `perturbative` (whether values may become untrue),
    `handles_missing`, and write ``_mask``. `attributes` and `random_state`, where a subclass has them, mean the same
    everywhere: which attributes to mask (default: every key on a scale the method masks), and where draws come from.
    """

    contract: ClassVar[str] = "masker"
    scales: ClassVar[frozenset[str]]
    perturbative: ClassVar[bool] = True
    handles_missing: ClassVar[bool] = False
    groups: ClassVar[bool] = False
    """Whether the method forms groups of at least ``k`` records, and promises that they are equal in the release."""
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "random_state": Seed()}

    @abstractmethod
    def _mask(self, job: MaskingJob) -> Masking:
        """Mask a checked table."""

    @door
    @stoppable()
    def mask(self, data: Any, schema: Schema | None = None, *, engine: Engine | None = None) -> Masked:
        """Protect a table.

        Parameters
        ----------
        data : Microdata, pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Never changed.
        schema : Schema, optional
            For a plain frame; without it the inferred proposal is taken.
        engine : Engine, optional
            Where blocks are run; this process by default.

        Returns
        -------
        Masked
            The table to release, of the same kind, with its provenance. Identifiers are left out of it.
        """
        self._check_parameters()
        original = microdata(data, schema)
        names = self._names(original.schema)
        self._check_records(original, names)
        seed, draws = self._draws(original, names)
        outcome = self._mask(MaskingJob(original, names, draws.generator(), engine or InProcess()))
        self.labels_ = outcome.labels
        self.details_ = outcome.details
        return _release(self, original, names, outcome, seed)

    @door
    def fit_transform(self, X: Any, y: Any = None, *, schema: Schema | None = None) -> Any:  # noqa: ARG002
        """Protect a table and return the same kind of table. `y` is there for pipelines and is not used.

        Of a pandas frame the index is not kept: it may say who is who, or in which order the records were.
        """
        masked = self.mask(X, schema)
        return masked.microdata if isinstance(X, Microdata) else masked.to_native()

    def _draws(self, original: Microdata, names: tuple[str, ...]) -> tuple[int | None, Draws]:
        """Return the seed and the draws, which follow from it and from the values that are masked."""
        if not hasattr(self, "random_state"):
            return None, Draws.of(0, None, self.name)  # a method without draws asks for none
        secret = self._secret(original.schema, names)
        marks = fingerprint({name: original.encoded(name) for name in secret})
        return draws_of(self.random_state, marks, self._purpose())

    def _purpose(self) -> str:
        """Return what the draws are for: the method with its parameters.

        Two releases of one table with one seed then share no draw. With the same noise at two levels, say, the original
        would be a sum of the two.
        """
        apart = {"random_state", "attributes"}  # which values are masked is in their fingerprint
        chosen = {name: _as_json(value) for name, value in self.get_params(deep=False).items() if name not in apart}
        return json.dumps({"method": self.name, **_as_typed(chosen)}, sort_keys=True, default=repr)

    def _secret(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG002 - some look at it
        """Return the attributes whose original values an intruder must not be able to find out by drawing again."""
        return names

    def _names(self, schema: Schema) -> tuple[str, ...]:
        owner, wanted = type(self).__name__, getattr(self, "attributes", None)
        if wanted is not None:
            for name in wanted:
                kind = schema[name].scale.kind
                if kind not in self.scales:
                    raise ParameterError(
                        f"{owner}: attribute {name!r} is {kind}; the method masks {_listed(self.scales)} attributes.",
                        hint="Leave it out of attributes, or use another method for it.",
                    )
            return tuple(name for name in schema.names if name in wanted)
        if not schema.keys:
            raise SchemaError(
                f"{owner}: the schema names no key.",
                hint='Give role = "key" to what an intruder may know, or pass attributes.',
            )
        names = schema.of_scale(*self.scales, among=schema.keys)
        if not names:
            raise SchemaError(
                f"{owner}: none of the {len(schema.keys)} keys is {_listed(self.scales)}.",
                hint="Use a method for the scales you have, or declare other keys.",
            )
        return names

    def guarantees(
        self, schema: Schema, names: tuple[str, ...], shared: tuple[tuple[str, ...], ...] = ()
    ) -> tuple[Guarantee, ...]:
        """Return what a release promises in which `names` were masked and the combinations `shared` are shared."""
        if not self.groups:
            return ()
        return tuple(self._guarantee(schema, combination) for combination in shared or (names,))

    def _guarantee(self, schema: Schema, combination: tuple[str, ...]) -> Guarantee:
        return Guarantee(
            method=self.name,
            attributes=tuple(combination),
            k=self.k,  # type: ignore[attr-defined]
            strata=tuple(getattr(self, "strata", None) or ()),
            wildcard=getattr(self, "missing", None) == "wildcard",
            missing={name: schema[name].missing for name in combination if schema[name].missing},
        )

    def unmasked_classes(self) -> tuple[str, ...]:
        """Return the attributes that the method leaves as they are, but within which it promises groups."""
        return tuple(getattr(self, "strata", None) or ()) if self.groups else ()

    def _check_table(self, schema: Schema, n: int) -> None:
        """Refuse what the schema and the number of records tell, in memory and at scale alike."""
        owner = type(self).__name__
        if n < 2:
            raise DataError(f"{owner}: the table has {n} records; masking needs at least 2.")
        if self.groups and n < self.k:  # type: ignore[attr-defined]
            raise ParameterError(
                f"{owner}: k must be at most the number of records, {n}; got {self.k}.",  # type: ignore[attr-defined]
                hint="Use a smaller k.",
            )
        asked = "weighted" in self._signature() and self._signature()["weighted"].default is False
        if asked and self.weighted and schema.weight is None:  # type: ignore[attr-defined]
            raise ParameterError(f"{owner}: weighted needs a survey weight.", hint='Declare one with role = "weight".')

    def _check_records(self, original: Microdata, names: tuple[str, ...]) -> None:
        owner, n = type(self).__name__, len(original)
        self._check_table(original.schema, n)
        if getattr(self, "weighted", False):
            original.weights()
        for name in names:
            absent = int(original.missing(name).sum())
            if absent and not self.handles_missing:
                raise MissingValueError(
                    f"{owner}: column {name!r} has {absent} missing values of {n}; the method has no rule for them.",
                    hint="Impute them, drop those records, or leave the column out of attributes.",
                )
            original.encoded(name)


def _release(masker: Masker, original: Microdata, names: tuple[str, ...], outcome: Masking, seed: int | None) -> Masked:
    schema = original.schema
    # What is counted as equal must be equal in the file: one way to write what is missing, in strata too.
    within = {name: original.encoded(name) for name in masker.unmasked_classes() if name not in outcome.values}
    replaced = original.replacing({**within, **outcome.values}, *outcome.attributes, one_missing=masker.groups)
    # An identifier that got fresh numbers and another role is none any more.
    identifiers = replaced.schema.of_role("identifier")
    removed = tuple(name for name in schema.names if name in (*identifiers, *outcome.removed))
    released = replaced.select(name for name in original.names if name not in removed)
    if outcome.rows is not None:
        released = released.take(outcome.rows)
    left_alone = [name for name in schema.keys if name not in names]
    notes = [*outcome.notes, *notes_on_missing(masker, replaced.schema, (*within, *outcome.values))]
    if left_alone:
        notes.append(f"Keys that {masker.name} did not mask ({len(left_alone)}): {', '.join(left_alone)}.")
    if identifiers:
        notes.append(f"Identifiers that are not released ({len(identifiers)}): {', '.join(identifiers)}.")
    provenance = Provenance(
        method=masker.name,
        parameters={n: _as_json(v) for n, v in masker.get_params(deep=False).items() if n != "random_state"},
        attributes=names,
        n_records=len(original),
        removed=removed,
        changed={name: count_changed(original, replaced, name, values) for name, values in outcome.values.items()},
        labels=outcome.labels,
        transitions=outcome.transitions,
        rows=outcome.rows,
        details=outcome.details,
        notes=tuple(notes),
        seed=seed,
        perturbative=masker.perturbative,
        guarantees=masker.guarantees(replaced.schema, names, outcome.shared),
    )
    return Masked(released, provenance)


def notes_on_missing(masker: Masker, released: Schema, names: Iterable[str]) -> list[str]:
    """Say in which columns a method that forms groups writes every missing value in the same way."""
    coded = [name for name in names if released[name].missing] if masker.groups else []
    if not coded:
        return []
    told = f"Columns whose missing codes were made one, so that they tell nobody apart ({len(coded)})"
    return [f"{told}: {', '.join(coded)}."]


def count_changed(original: Microdata, replaced: Microdata, name: str, values: Any) -> int:
    """Return how many cells of an attribute differ; `values` are those of `replaced`, encoded."""
    if original.schema[name].scale != replaced.schema[name].scale:
        # Codes of two scales mean different things: the values are compared as they stand in the tables.
        pairs = zip(original.column(name).to_pylist(), replaced.column(name).to_pylist(), strict=True)
        return sum(a != b for a, b in pairs)
    return _count_different(original.encoded(name), values)


def _count_different(before: Any, after: Any) -> int:
    if isinstance(before, EncodedSequences):
        return sum(
            not np.array_equal(before.codes[b0:b1], after.codes[a0:a1])
            for b0, b1, a0, a1 in zip(
                before.offsets[:-1], before.offsets[1:], after.offsets[:-1], after.offsets[1:], strict=True
            )
        )
    same = (before == after) | (np.isnan(before) & np.isnan(after) if before.dtype.kind == "f" else False)
    return int((~same).sum())


def _as_json(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    # An operator may have a seed of its own; no record shows it.
    return re.sub(r"random_state=[^,()]*(\([^()]*\)[^,()]*)?", "random_state=…", repr(value))


def _as_typed(value: Any) -> Any:
    """Return parameters so that 10 and 10.0, which a file and a person write for one another, are the same."""
    if isinstance(value, dict):
        return {name: _as_typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_typed(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _listed(words: Iterable[str]) -> str:
    return " or ".join(sorted(words))


# ---------------------------------------------------------------------------------------------------------- linking


class Linker(Estimator, ABC):
    """Two files to links.

    Subclasses set `scales` and write ``_link``. `attributes`, where a subclass has it, says what the intruder knows
    (default: the keys that both files have).
    """

    contract: ClassVar[str] = "linker"
    scales: ClassVar[frozenset[str]]
    joins_levels: ClassVar[bool] = False
    """Whether an attribute may have other levels in the second file, as after a recoding."""
    needs_common_attributes: ClassVar[bool] = True
    """Whether the two files must share attributes; not for linkers that work on the structure of records."""
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names())}

    @abstractmethod
    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        """Link two checked files on `names`."""

    @door
    @stoppable()
    def link(self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None) -> Links:
        """Find for every record of `b` (the release) whom it belongs to in `a` (what the intruder holds).

        Parameters
        ----------
        a, b : Microdata, Masked or frame
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional
        """
        return self._link(*self._admitted(a, b, schema), engine or InProcess())

    def link_both(
        self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None
    ) -> tuple[Links, Links]:
        """Link in both directions, and do what they share once.

        Parameters
        ----------
        a, b : Microdata, Masked or frame
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional

        Returns
        -------
        release : Links
            Of every record of `b` (the release), whom it belongs to in `a`: what :meth:`link` gives.
        original : Links
            Of every record of `a` (a person whom the intruder knows), which record of `b` is theirs. In these links the
            first file is `b`.
        """
        return self._link_both(*self._admitted(a, b, schema), engine or InProcess())

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        return self._link(a, b, names, engine), self._link(b, a, names, engine)

    def _admitted(self, a: Any, b: Any, schema: Schema | None) -> tuple[Microdata, Microdata, tuple[str, ...]]:
        """Check the parameters and both files, and say what they are linked on."""
        self._check_parameters()
        first, second = _as_microdata(a, schema), _as_microdata(b, schema)
        names = self._names(first.schema, second.schema)
        for table, which in ((first, "first"), (second, "second")):
            if not len(table):
                raise DataError(f"{type(self).__name__}: the {which} file has no records.")
        return first, second, names

    def _names(self, a: Schema, b: Schema) -> tuple[str, ...]:
        owner, wanted = type(self).__name__, getattr(self, "attributes", None)
        names = a.keys if wanted is None else tuple(wanted)
        if wanted is None:
            names = tuple(name for name in names if name in b)
        if not names:
            raise SchemaError(
                f"{owner}: the two files have no key in common.",
                hint='Give role = "key" to what an intruder may know, or pass attributes; '
                "linkage by representatives needs no common attribute.",
            )
        for name in names:
            if a[name].role == "identifier":
                raise SchemaError(f"{owner}: {name!r} is an identifier; linking on it shows nothing about the masking.")
            same_kind = a[name].scale.kind == b[name].scale.kind
            if a[name].scale != b[name].scale and not (self.joins_levels and same_kind):
                raise SchemaError(f"{owner}: attribute {name!r} has different scales or levels in the two files.")
            if a[name].scale.kind not in self.scales:
                raise SchemaError(
                    f"{owner}: attribute {name!r} is {a[name].scale.kind}; it links {_listed(self.scales)} attributes.",
                    hint="Pass attributes without it.",
                )
        return names


# -------------------------------------------------------------------------------------------------------- measuring


@dataclass(frozen=True, repr=False)
class Pair:
    """An original and its masked version, record by record, as measures see them."""

    original: Microdata
    masked: Microdata
    names: tuple[str, ...]
    """The attributes that both have and the measure looks at."""
    provenance: Provenance | None
    engine: Engine

    @property
    def declared(self) -> tuple[str, ...]:
        """`names` as a reader is told them: what somebody declared, without the flags of gaps, which belong to it."""
        return tuple(name for name in self.names if not isinstance(self.original.schema[name].scale, GapFlag))

    @property
    def weights(self) -> FloatArray | None:
        """The survey weights of the original."""
        return self.original.weights()


class Measure(Estimator, ABC):
    """Original and masked to a number on a stated range.

    Subclasses set `kind` ("loss" or "risk"), `title`, `low`, `high`, `unit`, `scales`, `formula`, `reference` and
    write ``_measure``. Low is good for every measure.
    """

    contract: ClassVar[str] = "measure"
    kind: ClassVar[str]
    title: ClassVar[str]
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 100.0
    unit: ClassVar[str] = "%"
    scales: ClassVar[frozenset[str]]
    formula: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    keys_only: ClassVar[bool] = False
    """Whether the measure looks at keys alone (what an intruder knows) or at everything released."""
    default: ClassVar[bool] = True
    """Whether an assessment runs it unasked; not where it needs a user's model or threshold, or much time."""
    in_score: ClassVar[bool] = False
    """Whether it is one of the few measures that the papers' plain mean score is made of."""
    sees_removed: ClassVar[bool] = False
    """Whether the measure has a rule for a column that is not released."""
    sees_shuffling: ClassVar[bool] = True
    """Whether exchanging values between records changes a loss; it does not where distributions alone are compared."""
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names())}

    @abstractmethod
    def _measure(self, pair: Pair) -> Measurement:
        """Measure a checked pair."""

    def applies_to(self, schema: Schema, released: Schema | None = None) -> bool:
        """Say whether the schema (and that of the release, where given) has anything the measure can look at."""
        names = self._candidates(schema)
        if released is None:
            return bool(names)
        fitting = self._comparable(names, schema, released)
        return bool(fitting if self.sees_removed else [name for name in fitting if name in released])

    @door
    @stoppable()
    def measure(
        self, original: Any, masked: Any, schema: Schema | None = None, *, engine: Engine | None = None
    ) -> Measurement:
        """Compare a table with its masked version.

        Parameters
        ----------
        original, masked : Microdata, Masked or frame
            The same records in the same order. Identifiers may be absent from `masked`.
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional
        """
        pair = self._pair(original, masked, schema, engine)
        measurement = self._measure(pair)
        if measurement.in_score and not set(pair.names) & set(pair.original.schema.keys):
            # Attributes that nobody masks would water the score down: a measure counts where it looks at a key.
            measurement = replace(measurement, in_score=False)
        left_out = [name for name in self._candidates(pair.original.schema) if name not in pair.names]
        if not left_out:
            return measurement
        sentence = measurement.sentence
        if self.kind == "risk":
            verb = "is" if len(left_out) == 1 else "are"
            sentence += f" Not compared: {', '.join(left_out)}, which {verb} released on a scale of another kind."
        return replace(measurement, sentence=sentence, details={**measurement.details, "not_compared": left_out})

    def _pair(self, original: Any, masked: Any, schema: Schema | None = None, engine: Engine | None = None) -> Pair:
        """Check the parameters and the tables, and find what there is to look at."""
        self._check_parameters()
        provenance = masked.provenance if isinstance(masked, Masked) else None
        before, after = aligned(original, masked, schema)
        names = self._comparable(self._candidates(before.schema), before.schema, after.schema)
        if not self.sees_removed:
            names = tuple(n for n in names if n in after.schema)
        if not names:
            raise SchemaError(
                f"{type(self).__name__}: the schema has no attribute that the measure can look at.",
                hint=f"It looks at {_listed(self.scales)} {'keys' if self.keys_only else 'attributes'}.",
            )
        return Pair(before, after, names, provenance, engine or InProcess())

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        """Leave out what is released on a scale of another kind: numbers cannot be compared with categories."""
        return tuple(n for n in names if n not in after or _family(before[n]) == _family(after[n]))

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        wanted = getattr(self, "attributes", None)
        if wanted is not None:
            for name in wanted:
                schema[name]
            return schema.of_scale(*self.scales, among=wanted)
        roles = ("key",) if self.keys_only else ("key", "confidential", "other")
        return schema.of_scale(*self.scales, among=schema.of_role(*roles))

    def result(
        self,
        value: float,
        sentence: str,
        per_attribute: Mapping[str, float] | None = None,
        details: Json | None = None,
    ) -> Measurement:
        """Put a value into the shape that reports read."""
        return Measurement(
            name=self.name,
            title=self.title,
            kind=self.kind,
            value=float(value),
            low=self.low,
            high=self.high,
            unit=self.unit,
            sentence=sentence,
            per_attribute=dict(per_attribute or {}),
            details=dict(details or {}),
            reference=self.reference,
            in_score=self.in_score,
        )


def _family(attribute: Attribute) -> str:
    return "categorical" if attribute.scale.kind in ("ordinal", "nominal") else attribute.scale.kind


def aligned(original: Any, masked: Any, schema: Schema | None = None) -> tuple[Microdata, Microdata]:
    """Return a table and its masked version as microdata that can be compared record by record."""
    before, after = _as_microdata(original, schema), masked
    rows = masked.provenance.rows if isinstance(masked, Masked) else None
    if rows is not None and isinstance(masked, Masked) and len(before) == masked.provenance.n_records:
        before = before.take(rows)  # a sample, or another order, is compared with the records it came from
    if not isinstance(masked, (Microdata, Masked)):
        # A plain masked frame is read with the original's schema; only identifiers may be absent from it.
        present = set(column_names(masked))
        after = Microdata(masked, before.schema.select(n for n in before.schema.names if n in present))
    after = _as_microdata(after, None)
    left_out = masked.provenance.removed if isinstance(masked, Masked) else ()
    if not isinstance(masked, Masked) and len(before) == len(after):
        after = widened(after, before)  # a release that was read with its own schema
    absent = [n for n in before.schema.names if n not in after.schema and before.schema[n].role != "identifier"]
    absent = [n for n in absent if n not in left_out]  # a column that a step removed is known to be absent
    if absent:
        raise DataError(f"The masked table lacks {len(absent)} columns of the original, the first {absent[0]!r}.")
    if len(before) != len(after):
        raise DataError(
            f"The original has {len(before)} records and the masked table {len(after)}.",
            hint="Both must hold the same records in the same order.",
        )
    if not len(before):
        raise DataError("The tables have no records.")
    return before, after


def _as_microdata(data: Any, schema: Schema | None) -> Microdata:
    if isinstance(data, Masked):
        return data.microdata
    if isinstance(data, Microdata):
        return data
    return microdata(data, schema)


def find(contract: str, name: str) -> type[Any]:
    """Return the class registered under a name, or say which names there are."""
    known = registered(contract)
    if name not in known:
        raise UnknownNameError(
            f"There is no {contract} named {name!r}.", hint=f"Known {contract}s: {', '.join(known)}."
        )
    return known[name]
