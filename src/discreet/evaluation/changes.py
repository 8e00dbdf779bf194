"""How much a masking changed, column by column and group by group: counts that say nothing of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.contracts.before_after import ColumnChange, GroupSuppression
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, EncodedSequences
from discreet.data.schema import Schema
from discreet.typing import BoolArray, IntArray

__all__ = ["CellCounts", "CellTally", "changes_told", "column_changes", "suppressions_by_group", "suppressions_told"]


def column_changes(
    before: Microdata, after: Microdata, losses: Mapping[str, float], smallest: int
) -> tuple[ColumnChange, ...]:
    """Return how many cells of every released column hold another value, and how many hold none.

    Parameters
    ----------
    before, after : Microdata
        The same records in the same order.
    losses : mapping of str to float
        By column, what its cells lost, in percent.
    smallest : int
        The fewest cells that are told; where fewer were changed, or fewer were left, there is no count.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> a, b = pl.DataFrame({"x": [1.5, 2.5, 3.5, 4.5]}), pl.DataFrame({"x": [2.0, 2.0, 4.0, None]})
    >>> column_changes(microdata(a), microdata(b), {"x": 30.0}, 1)
    (ColumnChange(name='x', cells=4, changed=3, suppressed=1, loss=30.0, few=False),)
    """
    return changes_told(CellCounts().summarise(Block(np.arange(len(before)), before, after)), losses, smallest)


def changes_told(tally: CellTally, losses: Mapping[str, float], smallest: int) -> tuple[ColumnChange, ...]:
    """Return the same of what was counted, in memory or block by block."""
    result = []
    for name, (cells, moved, suppressed) in tally.columns.items():
        loss = losses.get(name)
        publishable = loss is not None and (loss == 0 or moved + suppressed >= smallest)
        result.append(
            ColumnChange(
                name,
                cells,
                _count_unless_few(moved, cells, smallest),
                _count_unless_few(suppressed, cells, smallest),
                round(float(loss), 1) if publishable and loss is not None else None,
                few=0 < moved + suppressed < smallest,
            )
        )
    return tuple(result)


def suppressions_by_group(
    before: Microdata, after: Microdata, domains: Sequence[str], smallest: int
) -> tuple[GroupSuppression, ...]:
    """Return the share of suppressed cells among the records of every level of a domain, as it is released.

    Shares are whole percentages, so that what is not told of one group cannot be had by subtracting the others; groups
    of fewer than `smallest` records are put together, and not shown where they are still too small.
    """
    tally = CellCounts(tuple(domains)).summarise(Block(np.arange(len(before)), before, after))
    return suppressions_told(tally, after.schema, smallest)


def suppressions_told(tally: CellTally, released: Schema, smallest: int) -> tuple[GroupSuppression, ...]:
    """Return the same of what was counted, in memory or block by block."""
    if not any(suppressed for _, _, suppressed in tally.columns.values()):
        return ()
    result = []
    for domain, groups in tally.domains.items():
        rest = groups[-1].copy()  # who has no level
        for level, own in zip(cast("Categorical", released[domain].scale).levels, groups[:-1], strict=True):
            if not own[0]:
                continue
            if own[0] < smallest:
                rest += own
                continue
            result.append(_group(domain, str(level), own, smallest))
        if rest[0] >= smallest:
            result.append(_group(domain, "", rest, smallest))
    return tuple(result)


def _group(domain: str, level: str, own: IntArray, smallest: int) -> GroupSuppression:
    records, cells, lost = own.tolist()
    few = 0 < lost < smallest
    return GroupSuppression(
        domain, level, records, None if few else float(round(100.0 * lost / cells)) if cells else 0.0
    )


@dataclass(frozen=True, repr=False)
class CellTally:
    """Counts over some records.

    Attributes
    ----------
    columns : dict of str to three int
        By released column, the cells that held a value or hold one now, those that hold another, those that hold none.
    domains : dict of str to (levels + 1, 3) int64
        By level of a domain as released, the last for none: records, cells that held a value, cells that hold none now.
    """

    columns: dict[str, tuple[int, int, int]]
    domains: dict[str, IntArray]

    def merge(self, later: CellTally, /) -> CellTally:
        both = {
            name: (cells + later.columns[name][0], moved + later.columns[name][1], gone + later.columns[name][2])
            for name, (cells, moved, gone) in self.columns.items()
        }
        return CellTally(both, {name: groups + later.domains[name] for name, groups in self.domains.items()})


@dataclass(frozen=True)
class CellCounts:
    """Ask how many cells were changed and suppressed, by column and by level of some domains.

    In memory it looks at every column; of files, at those that it names.
    """

    wanted: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> CellTally:
        before, after = block.original, block.release
        columns: dict[str, tuple[int, int, int]] = {}
        there = np.zeros(len(after), dtype=np.int64)
        gone = np.zeros(len(after), dtype=np.int64)
        for attribute in before.schema:
            name = attribute.name
            if attribute.role == "identifier" or name not in after.schema:
                continue
            present, still = ~before.missing(name), ~after.missing(name)
            moved = still & _differs(before, after, name)
            columns[name] = (int((present | still).sum()), int(moved.sum()), int((present & ~still).sum()))
            there += present
            gone += present & ~still
        groups = {}
        for domain in self.wanted:
            if domain not in after.schema or not isinstance(after.schema[domain].scale, Categorical):
                continue
            size = len(cast("Categorical", after.schema[domain].scale))
            codes = after.encoded(domain)
            place = np.where(codes < 0, size, codes)
            counted = [np.bincount(place, weights, size + 1) for weights in (None, there, gone)]
            groups[domain] = np.stack(counted, axis=1).astype(np.int64)
        return CellTally(columns, groups)


def _count_unless_few(count: int, of: int, smallest: int) -> int | None:
    return None if 0 < count < smallest or 0 < of - count < smallest else count


def _differs(before: Microdata, after: Microdata, name: str) -> BoolArray:
    first, second = before.encoded(name), after.encoded(name)
    old, new = before.schema[name].scale, after.schema[name].scale
    if old.kind == "numeric" and new.kind == "numeric":
        return np.asarray(first != second)
    if isinstance(old, Categorical) and isinstance(new, Categorical):
        places = {str(level): place for place, level in enumerate(old.levels)}
        old_codes = np.array([*(places.get(str(level), -2) for level in new.levels), -1], dtype=np.int64)
        return np.asarray(first != old_codes[second])
    if isinstance(first, EncodedSequences) and isinstance(second, EncodedSequences) and old == new:
        return np.array([a != b for a, b in zip(first.keys(), second.keys(), strict=True)], dtype=np.bool_)
    return np.array(
        [
            str(a) != str(b)
            for a, b in zip(before.column(name).to_pylist(), after.column(name).to_pylist(), strict=True)
        ],
        dtype=np.bool_,
    )
