"""An attack on files that may be larger than memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.contracts.engine import Engine, TablePair
from discreet.contracts.linker import Linker
from discreet.contracts.links import Linked, Links
from discreet.contracts.pairing import aligned
from discreet.data.table import StoredTable
from discreet.errors import DiscreetError
from discreet.statistics import question
from discreet.statistics.question import Inquiry, check_at_once
from discreet.stopping import stoppable

__all__ = ["SampledLinks", "attack_stored", "gathered"]

_INSTEAD = "Attack with the linker distance, without one_to_one, or attack a sample of the records."


@dataclass(frozen=True, repr=False)
class SampledLinks:
    """How some records of a release are linked, each compared with everybody.

    Attributes
    ----------
    n_a, n_b : int
        Sizes of the two files.
    attributes : tuple of str
        What the intruder was assumed to know.
    linked : Linked
        Of the records that were asked for.
    method : str
    """

    n_a: int
    n_b: int
    attributes: tuple[str, ...]
    linked: Linked
    method: str

    def evaluate(self) -> Linked:
        """Return how many links are correct; its interval says in which the rate of all records lies."""
        return self.linked

    def __repr__(self) -> str:
        return f"SampledLinks({self.linked.n} of {self.n_b} records of B to {self.n_a} of A by {self.method})"


def gathered(owner: str, *tables: Any) -> tuple[Any, ...]:
    """Bring tables that lie in files into memory, or say by name who would need more records there than fit."""
    stored = [table for table in tables if isinstance(table, StoredTable)]
    for table in stored:
        check_at_once(owner, len(table), _INSTEAD)
    return tuple(table.in_memory(table.schema.names) if isinstance(table, StoredTable) else table for table in tables)


@stoppable()
def attack_stored(original: Any, masked: Any, linker: Linker, engine: Engine) -> Links | SampledLinks:
    """Link a release in files back to its original, as an intruder who holds the original keys would.

    Parameters
    ----------
    original, masked : StoredTable, Microdata or Masked
        The same records in the same order.
    linker : Linker
    engine : Engine
        One for tables in files.

    Returns
    -------
    Links, or SampledLinks beyond a million records
        Up to a million records all are linked, as in memory. Beyond, 2,000 are asked for, drawn by position.

    Raises
    ------
    DataError
        The linker needs all records at once, and there are more than a million.
    """
    linker.check_parameters()
    before, after = aligned(original, masked)
    if len(before) <= question.MOST_AT_ONCE:
        return linker.link(*gathered(type(linker).__name__, before, after), engine=engine)
    looking = linker.looking((before.schema, after.schema))
    if looking is None:
        gathered(type(linker).__name__, before, after)  # which says that they are too many
        raise AssertionError  # for the type checker
    answers: dict[str, Any] = engine.answer(TablePair(before, after), {"attack": _linked(looking, len(before), linker)})
    links = answers["attack"]
    if isinstance(links, DiscreetError):
        raise links
    result: SampledLinks = links
    return result


def _linked(looking: Inquiry[Any], n: int, linker: Linker) -> Inquiry[SampledLinks]:
    from discreet.measures.risk.linked_sample import link_sample  # compiled code, which a front end need not load

    names, search, refuses_gaps = yield from looking
    owner = type(linker).__name__ if refuses_gaps else ""
    sample = yield from link_sample(n, names, search, "release", refuses_gaps=owner)
    return SampledLinks(n, n, names, sample.linked["release"], linker.name)
