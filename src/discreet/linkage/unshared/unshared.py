"""The contract of linkers for two files that share individuals but no attribute."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked
from discreet.data.frames import column_names
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, SchemaError
from discreet.linkage.nearest import Nearest
from discreet.parameters import Names, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["UnsharedLinker", "all_tied", "one_each", "varying"]


class UnsharedLinker(Linker):
    """Two files without common attributes to links.

    The numeric keys of each file are its own; nothing is assumed about which of them belong together. Subclasses write
    ``_match``, which is handed the two blocks of numbers and never a name, a position or the truth.
    """

    needs_common_attributes: ClassVar[bool] = False
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    attributes_a: Sequence[str] | None = parameter(Optional(Names()), default=None)
    attributes_b: Sequence[str] | None = parameter(Optional(Names()), default=None)
    by: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=0)
    higher_is_better: ClassVar[bool] = False

    @abstractmethod
    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Nearest:
        """Link records `y` to records `x`; both have a column that varies and at least two records."""

    def link(
        self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None, second: bool = True
    ) -> Links:
        """Find for every record of `b` whom it belongs to in `a`, without any attribute in common.

        Parameters
        ----------
        a, b : Microdata, Masked or frame
            They may have different columns and different numbers of records.
        schema : Schema, optional
            For plain frames: declares the columns of both.
        engine : Engine, optional
        second : bool
            Whether the second-best candidates are wanted.
        """
        self.check_parameters()
        if schema is not None:
            a, b = _read(a, schema), _read(b, schema)
        return super().link(a, b, engine=engine, second=second)

    def _names(self, a: Schema, b: Schema) -> tuple[str, ...]:
        owner = type(self).__name__
        for name in self.by or ():
            if name not in a or name not in b:
                raise SchemaError(f"{owner}: blocks are formed by {name!r}, which is not in both files.")
            if a[name].scale != b[name].scale or a[name].scale.kind not in ("ordinal", "nominal"):
                raise SchemaError(f"{owner}: {name!r} must be ordinal or nominal, with the same levels in both files.")
        first, second = self._sides(a, b)
        return (*first, *(name for name in second if name not in first))

    def _sides(self, a: Schema, b: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._side(a, self.attributes_a, "first"), self._side(b, self.attributes_b, "second")

    def _side(self, schema: Schema, attributes: Sequence[str] | None, which: str) -> tuple[str, ...]:
        owner = type(self).__name__
        for name in attributes or ():
            attribute = schema[name]
            if attribute.role == "identifier":
                raise SchemaError(f"{owner}: {name!r} is an identifier; linking on it shows nothing.")
            if attribute.scale.kind != "numeric":
                raise SchemaError(
                    f"{owner}: attribute {name!r} is {attribute.scale.kind}; it links numeric attributes."
                )
        names = schema.of_scale("numeric", among=schema.keys if attributes is None else attributes)
        if not names:
            raise SchemaError(
                f"{owner}: the {which} file has no numeric key.",
                hint='Give role = "key" to what an intruder may know, or pass attributes_a and attributes_b.',
            )
        return names

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        first, second = self._sides(a.schema, b.schema)
        x, y = a.numeric(first), b.numeric(second)
        owner = type(self).__name__
        for values, which in ((x, "first"), (y, "second")):
            if len(values) < 2:
                raise DataError(f"{owner}: the {which} file has {len(values)} record; structure needs at least 2.")
            if not varying(values):
                raise DataError(
                    f"{owner}: none of the {values.shape[1]} attributes of the {which} file varies.",
                    hint="Constant attributes carry no structure.",
                )
        blocks = _blocks(a, b, tuple(self.by or ()))
        rng = np.random.default_rng(self.random_state)
        results = []
        for at, (rows_a, rows_b) in enumerate(track(blocks, "linking without common attributes", len(blocks))):
            results.append(self._match_block(x, y, at, (rows_a, rows_b), rng, engine))
        return _joined(results, blocks, len(a), len(b), names, type(self).name, self.higher_is_better)

    def _match_block(
        self,
        x: FloatArray,
        y: FloatArray,
        at: int,  # noqa: ARG002 - for methods that know something of a block
        rows: tuple[IntArray, IntArray],
        rng: np.random.Generator,
        engine: Engine,
    ) -> Nearest:
        first, second = np.ascontiguousarray(x[rows[0]]), np.ascontiguousarray(y[rows[1]])
        if min(len(first), len(second)) < 2 or not varying(first) or not varying(second):
            return all_tied(len(first), len(second))
        return self._match(first, second, rng, engine)


def varying(values: FloatArray) -> bool:
    """Say whether any column has two different values."""
    lowest = np.where(np.isnan(values), np.inf, values).min(axis=0)
    highest = np.where(np.isnan(values), -np.inf, values).max(axis=0)
    return bool((lowest < highest).any())


def all_tied(n_a: int, n_b: int) -> Nearest:
    """Return the links where nothing tells the records of A apart: all of them, for every record of B."""
    return Nearest(
        best=np.zeros(n_b, dtype=np.int64),
        second=np.full(n_b, 1 if n_a > 1 else -1, dtype=np.int64),
        score=np.zeros(n_b),
        second_score=np.full(n_b, 0.0 if n_a > 1 else np.inf),
        ties=np.full(n_b, n_a, dtype=np.int64),
        row=np.arange(n_b, dtype=np.int64),
        row_offsets=np.arange(n_b + 1, dtype=np.int64),
        tied=np.zeros(n_b, dtype=np.int64),
        classes=np.zeros(n_a, dtype=np.int64),
    )


def one_each(best: IntArray, second: IntArray, score: FloatArray, second_score: FloatArray) -> Nearest:
    """Return links without ties; −1 in `best` is no link."""
    linked = best >= 0
    return Nearest(
        best=best,
        second=second,
        score=score,
        second_score=second_score,
        ties=linked.astype(np.int64),
        row=np.arange(best.size, dtype=np.int64),
        row_offsets=np.concatenate([[0], np.cumsum(linked)]).astype(np.int64),
        tied=best[linked],
    )


def _read(data: Any, schema: Schema) -> Any:
    if isinstance(data, (Microdata, Masked)):
        return data
    present = set(column_names(data))
    return Microdata(data, schema.select(name for name in schema.names if name in present))


def _blocks(a: Microdata, b: Microdata, by: tuple[str, ...]) -> list[tuple[IntArray, IntArray]]:
    """Return the rows of A and B that agree on all blocking attributes; a missing value is a level of its own."""
    if not by:
        return [(np.arange(len(a)), np.arange(len(b)))]
    codes = np.concatenate([a.codes(by), b.codes(by)])
    _, label = np.unique(codes, axis=0, return_inverse=True)
    label = label.ravel()
    blocks = []
    for value in np.unique(label[len(a) :]):
        rows_a, rows_b = np.flatnonzero(label[: len(a)] == value), np.flatnonzero(label[len(a) :] == value)
        if rows_a.size:
            blocks.append((rows_a, rows_b))
    return blocks


def _joined(
    results: Sequence[Nearest],
    blocks: Sequence[tuple[IntArray, IntArray]],
    n_a: int,
    n_b: int,
    names: tuple[str, ...],
    method: str,
    higher: bool,
) -> Links:
    worst = -np.inf if higher else np.inf
    best, second, rows = (np.full(n_b, -1, dtype=np.int64) for _ in range(3))
    score, second_score = np.full(n_b, worst), np.full(n_b, worst)
    ties = np.zeros(n_b, dtype=np.int64)
    classes = np.full(n_a, -1, dtype=np.int64)
    lengths: list[IntArray] = []
    tied: list[IntArray] = []
    first_class = first_row = 0
    for nearest, (rows_a, rows_b) in zip(results, blocks, strict=True):
        for target, source in ((best, nearest.best), (second, nearest.second)):
            target[rows_b] = np.where(source < 0, -1, rows_a[np.maximum(source, 0)])
        score[rows_b], second_score[rows_b], ties[rows_b] = nearest.score, nearest.second_score, nearest.ties
        own = nearest.class_of_records(rows_a.size)
        classes[rows_a] = own + first_class
        tied.append(nearest.tied + first_class)
        lengths.append(np.diff(nearest.row_offsets))
        rows[rows_b] = np.where(nearest.row < 0, -1, nearest.row + first_row)
        first_class += int(own.max(initial=-1)) + 1
        first_row += nearest.row_offsets.size - 1
    alone = np.flatnonzero(classes < 0)
    classes[alone] = first_class + np.arange(alone.size)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, dtype=np.int64), *lengths]))])
    return Links(
        n_a=n_a,
        n_b=n_b,
        best=best,
        second=second,
        score=score,
        second_score=second_score,
        ties=ties,
        tied_offsets=offsets.astype(np.int64),
        tied=np.concatenate([np.zeros(0, dtype=np.int64), *tied]),
        classes=classes,
        attributes=names,
        method=method,
        higher_is_better=higher,
        rows=rows,
    )
