"""How much a masking changed, column by column and group by group: counts that say nothing of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from discreet.contracts.before_after import ColumnChange, GroupSuppression
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, EncodedSequences
from discreet.typing import BoolArray

__all__ = ["column_changes", "suppressions_by_group"]


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
    result = []
    for attribute in before.schema:
        name = attribute.name
        if attribute.role == "identifier" or name not in after.schema:
            continue
        there, still = ~before.missing(name), ~after.missing(name)
        cells = int((there | still).sum())
        moved = int((still & _differs(before, after, name)).sum())
        suppressed = int((there & ~still).sum())
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
    names = [a.name for a in before.schema if a.role != "identifier" and a.name in after.schema]
    there = np.zeros(len(after), dtype=np.int64)
    suppressed = np.zeros(len(after), dtype=np.int64)
    for name in names:
        present = ~before.missing(name)
        there += present
        suppressed += present & after.missing(name)
    if not suppressed.any():
        return ()
    result = []
    for domain in domains:
        if domain not in after.schema or not isinstance(after.schema[domain].scale, Categorical):
            continue
        levels = [str(level) for level in cast("Categorical", after.schema[domain].scale).levels]
        codes = after.encoded(domain)
        members = [codes == code for code in range(len(levels))]
        rest: BoolArray = codes < 0
        for level, own in zip(levels, members, strict=True):
            if not own.any():
                continue
            if own.sum() < smallest:
                rest = rest | own
                continue
            result.append(_group(domain, level, own, there, suppressed, smallest))
        if rest.sum() >= smallest:
            result.append(_group(domain, "", rest, there, suppressed, smallest))
    return tuple(result)


def _group(domain: str, level: str, own: BoolArray, there: Any, suppressed: Any, smallest: int) -> GroupSuppression:
    cells, lost = int(there[own].sum()), int(suppressed[own].sum())
    few = 0 < lost < smallest
    return GroupSuppression(
        domain, level, int(own.sum()), None if few else float(round(100.0 * lost / cells)) if cells else 0.0
    )


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
