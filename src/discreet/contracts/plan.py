"""What a masker plans from, the plan, and the stages in which records are brought together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from discreet.data.keyed_draws import Draws
from discreet.data.schema import Attribute, Schema
from discreet.statistics.question import Inquiry
from discreet.typing import BoolArray, IntArray, Json

__all__ = ["GROUP", "PART", "OfTable", "Plan", "Scope", "Stage", "kinds", "of_table"]

R = TypeVar("R")

PART = "#part"
"""The column that says with whom a record is brought together."""
GROUP = "#group"
"""What the names of columns begin with that hold the group of a record."""


@dataclass(frozen=True)
class Scope:
    """What is known before a question is asked, of a table or of one of its strata; no records.

    Attributes
    ----------
    schema : Schema
    names : tuple of str
        The attributes to mask.
    n : int
        The number of records.
    whole : int
        The number of records of the whole table; `n` where there are no strata.
    weight : str, optional
        The survey weight, where the masker counts with it.
    draws : Draws
        Keyed by the seed and the original values. What belongs to a record is drawn by its position in the table, what
        belongs to a part by its first record, so that no engine draws otherwise.
    block_size : int, optional
        The most records that meet; None: all may.
    stratum : int
        Which of the strata; 0 where there are none.
    """

    schema: Schema
    names: tuple[str, ...]
    n: int
    whole: int
    weight: str | None
    draws: Draws
    block_size: int | None = None
    stratum: int = 0

    @property
    def parts(self) -> int:
        """Into how many parts the records must be cut, at least."""
        return 1 if self.block_size is None else max(1, -(-self.n // self.block_size))


@dataclass(frozen=True)
class OfTable:
    """A question that the inquiry of a stratum asks of the whole table."""

    question: Any


def of_table(inquiry: Inquiry[R]) -> Inquiry[R]:
    """Lead an inquiry about the whole table on behalf of one of its strata."""
    answer = None
    while True:
        try:
            question = inquiry.send(answer)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        answer = yield OfTable(question)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be done, and what the provenance says of it: small, and able to travel.

    Methods add fields of their own. The others mean what they mean in :class:`discreet.contracts.masker.Masking`.
    """

    attributes: tuple[Attribute, ...] = ()
    removed: tuple[str, ...] = ()
    transitions: Mapping[str, BoolArray] = field(default_factory=dict)
    details: Json = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    shared: tuple[tuple[str, ...], ...] = ()


class Stage(NamedTuple):
    """Records brought together by part, and what is done with each part.

    Blocks are those of the engines: encoded columns by name, with :data:`~discreet.data.encoded_rows.ROW`; a part comes
    in the order of its records' positions.
    """

    part: Callable[[Mapping[str, Any]], IntArray]
    """The part, 0 … parts − 1, of every record of a block: of any records, as they come."""
    parts: int
    work: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    """What a whole part becomes: its records, in any order, with the columns of `columns`."""
    columns: Mapping[str, str]


def kinds(schema: Schema, names: Iterable[str]) -> dict[str, str]:
    """Return the kinds of encoded attributes, as engines call them."""
    named = {"numeric": "float", "sequence": "bytes"}
    return {name: named.get(schema[name].scale.kind, "code") for name in names}
