"""A method asks, an engine answers.

A *question* summarises a block of records into *statistics*, which merge: those of a table are those of its blocks put
together. An *inquiry* yields questions, is sent their statistics, and returns what it concludes. Whoever asks does not
know where the blocks are, and whoever answers does not know what for.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from discreet.data.block import Block
from discreet.errors import DataError, DiscreetError
from discreet.typing import IntArray

__all__ = [
    "MOST_AT_ONCE",
    "Everything",
    "Inquiry",
    "Need",
    "OfBothFiles",
    "Present",
    "PresentCells",
    "Question",
    "Statistics",
    "Together",
    "check_at_once",
]

S_co = TypeVar("S_co", covariant=True)
R = TypeVar("R")

MOST_AT_ONCE = 1_000_000
"""Records of files that are brought into memory together, for what cannot be said of less than all of them."""


class Statistics(Protocol):
    """What is known of some records; what is known of more records follows from it."""

    def merge(self, later: Self, /) -> Self:
        """Return the statistics of both sets of records; neither is changed.

        Their order tells at most in the last digits: an engine puts blocks together as they come.
        """


class Question(Protocol[S_co]):
    """What is asked of every block: a frozen dataclass, so that equal ones are asked once, and can travel."""

    @property
    def original(self) -> tuple[str, ...]:
        """The columns of the original that it looks at."""

    @property
    def released(self) -> tuple[str, ...]:
        """The columns of the release that it looks at."""

    def summarise(self, block: Block, /) -> S_co:
        """Return the statistics of a block: of any records, no two of which need meet."""


Inquiry: TypeAlias = Generator[Any, Any, R]
"""Yields questions, is sent their statistics, returns what it concludes."""


class Need(Enum):
    """What a method must bring together; printed in help, method pages and refusals."""

    RECORD = "each record by itself"
    ORDER = "a record's place in an order"
    KEY = "the records that share a key"
    DISTINCT = "the different records"
    ASKED = "all records, of which some are asked for beyond a million"
    ALL = "all records at once"


@dataclass(frozen=True)
class Everything:
    """All records at once, for what has no statistics that add up: the answer is one block of them all.

    Records of files are brought into memory, up to :data:`MOST_AT_ONCE`.
    """

    owner: str
    original: tuple[str, ...]
    released: tuple[str, ...]
    instead: str = "Take it of a sample of the records."

    def admit(self, block: Block | DiscreetError, n: int) -> Block:
        """Hand the block over, or say by name who cannot have it."""
        if isinstance(block, DiscreetError):
            check_at_once(self.owner, n, self.instead)
            raise block
        return block


def check_at_once(owner: str, n: int, instead: str = Everything.instead) -> None:
    """Refuse to bring more records into memory than fit there for certain."""
    if n > MOST_AT_ONCE:
        raise DataError(
            f"{owner} needs {Need.ALL.value}; the files have {n:,}, and up to {MOST_AT_ONCE:,} are brought together.",
            hint=instead,
        )


class OfBothFiles:
    """A question about the same columns of both files, and about the survey weight where it has one.

    A question is a frozen dataclass with the fields `names` and `weight`, wherever they stand among its own.
    """

    if TYPE_CHECKING:

        @property
        def names(self) -> tuple[str, ...]: ...

        @property
        def weight(self) -> str | None: ...

    @property
    def original(self) -> tuple[str, ...]:
        return self.names if self.weight is None else (*self.names, self.weight)

    @property
    def released(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class PresentCells:
    """How many cells of some columns hold a value, in either file."""

    before: IntArray
    after: IntArray

    def merge(self, later: PresentCells, /) -> PresentCells:
        return PresentCells(self.before + later.before, self.after + later.after)


@dataclass(frozen=True)
class Present:
    """How many cells hold a value, column by column; all columns must be released."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> PresentCells:
        before, after = (
            np.array([int((~table.missing(name)).sum()) for name in self.names], dtype=np.int64)
            for table in (block.original, block.release)
        )
        return PresentCells(before, after)


@dataclass(frozen=True)
class Answers:
    """The statistics of several questions."""

    statistics: tuple[Any, ...]

    def merge(self, later: Answers, /) -> Answers:
        both = zip(self.statistics, later.statistics, strict=True)
        return Answers(tuple(mine.merge(theirs) for mine, theirs in both))


@dataclass(frozen=True)
class Together:
    """Several questions of one inquiry, answered in the same pass."""

    questions: tuple[Any, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for question in self.questions for name in question.original))

    @property
    def released(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for question in self.questions for name in question.released))

    def summarise(self, block: Block, /) -> Answers:
        return Answers(tuple(question.summarise(block) for question in self.questions))
