"""Where a masker is run: a table in memory, or a stored one on a table engine. Both answer and bring together alike."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine, InProcess, Rows, TableEngine
from discreet.contracts.plan import PART, Stage, kinds
from discreet.contracts.strata import ByStratum, StratumStatistics
from discreet.data.block import Block
from discreet.data.encoded_rows import ROW
from discreet.data.microdata import Microdata, table_of_codes
from discreet.data.scales import EncodedSequences
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import ParameterError
from discreet.statistics.different import COUNT, TOTAL, Different, DifferentRecords

__all__ = ["Ground", "Memory", "Stored", "ground_of"]

_STATISTICS = "#statistics"


class Ground(ABC):
    """A table and what runs over it."""

    schema: Schema
    engine: Engine

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records."""

    @abstractmethod
    def ask(self, questions: Sequence[Any]) -> list[Any]:
        """Return the statistics that each question asks for, of all records, in one pass."""

    @abstractmethod
    def meet(
        self,
        names: Sequence[str],
        first: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None,
        columns: Mapping[str, str],
        stages: Sequence[Stage],
    ) -> Any:
        """Return the records after all stages; `first` adds `columns` to what is read of `names`."""


class Memory(Ground):
    """A table in memory: one block, whose arrays are looked at where they are."""

    def __init__(self, table: Microdata, engine: Engine) -> None:
        self.table, self.engine, self.schema = table, engine, table.schema
        self.block = Block(np.arange(len(table)), table)

    def __len__(self) -> int:
        return len(self.table)

    def ask(self, questions: Sequence[Any]) -> list[Any]:
        return [question.summarise(self.block) for question in questions]

    def meet(
        self,
        names: Sequence[str],
        first: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None,
        columns: Mapping[str, str],  # noqa: ARG002 - arrays know their kinds
        stages: Sequence[Stage],
    ) -> dict[str, Any]:
        records: Mapping[str, Any] = {ROW: self.block.rows, **{name: self.table.encoded(name) for name in names}}
        records = records if first is None else first(records)
        for stage in stages:
            numbers = stage.part(records)
            order = np.argsort(numbers, kind="stable")
            ends = np.flatnonzero(np.diff(numbers[order])) + 1
            parts = [{name: column[rows] for name, column in records.items()} for rows in np.split(order, ends)]
            worked = self.engine.map(_Ordered(stage.work), parts)
            records = {name: np.concatenate([part[name] for part in worked]) for name in stage.columns}
        back = np.argsort(records[ROW], kind="stable")
        return {name: column[back] for name, column in records.items()}


class Stored(Ground):
    """A table in files on a table engine, which reads it as often as it is asked."""

    engine: TableEngine

    def __init__(self, source: StoredTable, engine: TableEngine) -> None:
        self.source, self.engine, self.schema = source, engine, source.schema

    def __len__(self) -> int:
        return len(self.source)

    def ask(self, questions: Sequence[Any]) -> list[Any]:
        counts = {place: self._counted(question) for place, question in enumerate(questions) if _is_count(question)}
        others = [question for question in questions if not _is_count(question)]
        folded = iter(self._folded(others) if others else [])
        return [counts[place] if place in counts else next(folded) for place in range(len(questions))]

    def _folded(self, questions: Sequence[Any]) -> list[Any]:
        names = tuple(dict.fromkeys(name for question in questions for name in question.original))
        work = _Summarise(tuple(questions), self.schema.select(names))
        columns = {ROW: "int", _STATISTICS: "bytes"}
        summaries = self.engine.collect(self.engine.apply(self.engine.open(self.source, names), work, columns))
        blocks = [pickle.loads(one) for one in summaries[_STATISTICS]]  # noqa: S301 - our own workers wrote it
        return [reduce(lambda a, b: a.merge(b), each) for each in zip(*blocks, strict=True)]

    def _counted(self, question: Any) -> Any:
        """Count different records where they are: there may be as many as records."""
        inner = question.question if isinstance(question, ByStratum) else question
        keys = tuple(dict.fromkeys((*inner.names, *(question.strata.names if inner is not question else ()))))
        rows = self.engine.open(self.source, [*keys, *([inner.weight] if inner.weight else [])])
        combinations = self.engine.collect(self.engine.count(rows, keys, inner.weight))
        columns = (*inner.names, COUNT, TOTAL)
        if inner is question:
            return DifferentRecords(inner.names, {name: combinations[name] for name in columns})
        numbers = question.strata.numbers(np.stack([combinations[name] for name in question.strata.names], axis=1))
        return StratumStatistics(
            {
                number: DifferentRecords(inner.names, {name: combinations[name][numbers == number] for name in columns})
                for number in question.which
            }
        )

    def meet(
        self,
        names: Sequence[str],
        first: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None,
        columns: Mapping[str, str],
        stages: Sequence[Stage],
    ) -> Rows:
        rows = self.engine.open(self.source, names)
        here = {ROW: "int", **kinds(self.schema, names), **columns}
        for stage in stages:
            placed = self.engine.apply(rows, _Placed(first, stage.part), {**here, PART: "int"})
            rows = self.engine.split(placed, PART, stage.parts, _Ordered(stage.work), stage.columns)
            here, first = dict(stage.columns), None
        return rows


def ground_of(table: Microdata | StoredTable, engine: Engine | None) -> Ground:
    """Return where a masker is run."""
    if isinstance(table, Microdata):
        return Memory(table, engine or InProcess())
    if not isinstance(engine, TableEngine):
        raise ParameterError("engine must be one for tables in files.", hint="Use StreamingEngine() or SparkEngine().")
    return Stored(table, engine)


def _is_count(question: Any) -> bool:
    return isinstance(question.question if isinstance(question, ByStratum) else question, Different)


@dataclass(frozen=True)
class _Summarise:
    """Ask questions of a block as engines hand it over; the statistics travel as bytes."""

    questions: tuple[Any, ...]
    schema: Schema

    def __call__(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        pickled = np.empty(1 if len(block[ROW]) else 0, dtype=object)
        if pickled.size:
            records = Block(block[ROW], as_microdata(self.schema, block))
            pickled[0] = pickle.dumps([question.summarise(records) for question in self.questions])
        return {ROW: block[ROW][:1], _STATISTICS: pickled}


def as_microdata(schema: Schema, block: Mapping[str, Any]) -> Microdata:
    """Return a block of encoded columns as a table; sequences come as the bytes of their codes."""
    columns = {name: block[name] for name in schema.names}
    for name, column in columns.items():
        if column.dtype == object:
            columns[name] = EncodedSequences.of(
                [None if key == b"?" else np.frombuffer(key, dtype=np.int32) for key in column]
            )
    return table_of_codes(schema, columns)


@dataclass(frozen=True)
class _Placed:
    """Add what the first stage needs, and the part of every record."""

    first: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None
    part: Callable[[Mapping[str, Any]], Any]

    def __call__(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        records = block if self.first is None else self.first(block)
        return {**records, PART: self.part(records)}


@dataclass(frozen=True)
class _Ordered:
    """Hand a part over in the order of its records' positions: engines bring them together in any."""

    work: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def __call__(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        order = np.argsort(block[ROW], kind="stable")
        return self.work({name: column[order] for name, column in block.items() if name != PART})
