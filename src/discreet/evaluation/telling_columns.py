"""What released columns and the order of records tell of what was masked or left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from discreet.contracts.remark import Remark
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Moment
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.typing import FloatArray, IntArray

__all__ = ["on_households", "on_repeated_persons", "on_telling_columns"]

_HEAD = 20_000
"""Records that are looked at."""
_SAMPLE = 2_000
_LEFT = 0.02
"""A column tells another where guessing by it errs at most so often as guessing without it."""


def on_telling_columns(
    original: Microdata | StoredTable, released: Schema, touched: Collection[str]
) -> Iterator[Remark]:
    """Remark on masked attributes that a column which was left alone gives back.

    Two relations are looked for among the first records: values of the column go with one value of the attribute each,
    as years of birth with ages, and the attribute is a weighted sum of columns, as a part is of a total and the other
    parts. O(n log n) a pair of columns for 20,000 records at most, and O(columns²) for 2,000.
    """
    secret = [name for name in original.schema.of_role("key", "confidential") if name in touched]
    kinds = {a.name: a.scale.kind for a in original.schema}
    alone = [
        a.name for a in original.schema
        if a.role != "identifier" and a.name not in touched and a.name in released and kinds[a.name] != "sequence"
    ]  # fmt: skip
    secret = [name for name in secret if kinds[name] != "sequence"]
    if not secret or not alone:
        return
    head = _head(original, [*secret, *alone])
    codes = {name: _codes(head.encoded(name)) for name in (*secret, *alone)}
    for name in secret:
        tellers = [other for other in alone if _tells(codes[other], codes[name])]
        if not tellers and kinds[name] == "numeric":
            tellers = _sum_of(head, name, [other for other in alone if kinds[other] == "numeric"])
            if tellers:
                yield _told(name, tellers, "together give back")
            continue
        for other in tellers:
            yield _told(name, [other], "tells nearly all of")


def _told(name: str, tellers: Sequence[str], verb: str) -> Remark:
    given = "that was" if len(tellers) == 1 else "that were"
    verb = "gives back" if verb.startswith("together") and len(tellers) == 1 else verb
    columns = "The column" if len(tellers) == 1 else "The columns"
    return Remark(
        "masked-key-told",
        f"{columns} {', '.join(tellers)}, {given} released as {'it' if len(tellers) == 1 else 'they'} came, {verb} "
        f"{name}, which was masked.",
        f"Mask {name} and {tellers[-1]} by the same step, or leave {tellers[-1]} out of the release.",
    )


def on_households(
    original: Microdata | StoredTable, released: Schema, touched: Collection[str], *, reordered: bool
) -> Iterator[Remark]:
    """Remark on who lives together where the number of the household is left out and the order of records says it."""
    home = original.schema.household
    if home is None or home in released or reordered:
        return
    names = [a.name for a in original.schema if a.name in released and a.name not in touched and _is_counted(a.scale)]
    head = _head(original, [home, *names])
    homes = _codes(np.asarray(head.column(home).cast("string").to_numpy(zero_copy_only=False), dtype=object))
    starts = np.flatnonzero(np.append(True, homes[1:] != homes[:-1]))
    if starts.size == homes.size or starts.size != int(homes.max()) + 1:
        return  # everybody lives alone, or households are scattered
    lengths = np.diff(np.append(starts, homes.size))
    place = np.arange(homes.size) - np.repeat(starts, lengths)
    numbering = [name for name in names if _restarts(_numbers(head, name), place)]
    if numbering:
        yield Remark(
            "household-rebuilt",
            f"{home} is left out, but records of a household stand together in their old order and {numbering[0]} "
            "begins anew with each: who lives together can be read off the release.",
            f"Change the order of records with the method record-order, and leave {numbering[0]} out or recode it.",
        )
    else:
        yield Remark(
            "household-rebuilt",
            f"{home} is left out, but records of a household stand together in their old order: neighbouring records "
            "that agree in what a household shares tell who lives together.",
            "Change the order of records with the method record-order, or sort them by a masked column.",
        )


def on_repeated_persons(original: Microdata | StoredTable) -> Iterator[Remark]:
    """Remark on dates moved record by record where an identifier comes several times."""
    names = [a.name for a in original.schema if a.role == "identifier" and not a.household]
    head = _head(original, names)
    for name in names:
        column = head.column(name).drop_null()
        different = len(column.unique())
        if 2 < different < len(column):
            yield Remark(
                "person-shifted-apart",
                f"Dates were moved record by record, and {name} comes several times ({different} different in "
                f"{len(column)} records): intervals within a person are lost, and the mean of a person's dates is near "
                "the truth.",
                f"Give person = {name!r}, so that all records of one move together.",
            )
            return


def _head(table: Microdata | StoredTable, names: Sequence[str]) -> Microdata:
    wanted = [name for name in table.schema.names if name in set(names)]
    if isinstance(table, StoredTable):
        return next(table.batches(_HEAD, wanted))
    return table.select(wanted).take(range(min(len(table), _HEAD)))


def _codes(values: FloatArray | IntArray | np.ndarray) -> IntArray:
    """Return numbers from 0 on, the same for equal values; what is missing is one value."""
    if values.dtype == object:
        values = np.array(["" if value is None else f"={value}" for value in values])
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64).ravel()


def _tells(by: IntArray, goal: IntArray) -> bool:
    """Say whether values of one column nearly give those of another; not where hardly one comes twice."""
    n, groups = by.size, int(by.max()) + 1
    if groups > n / 2:
        return False
    most = int(np.bincount(goal).max())
    if most == n:
        return False
    pairs, counts = np.unique(by * (int(goal.max()) + 1) + goal, return_counts=True)
    best = np.zeros(groups, dtype=np.int64)
    np.maximum.at(best, pairs // (int(goal.max()) + 1), counts)
    # A group of one tells nothing that a guess would not: its only record is counted as a miss.
    sizes = np.bincount(by, minlength=groups)
    errors = n - int(best[sizes > 1].sum())
    return errors <= _LEFT * (n - most)


def _sum_of(head: Microdata, name: str, others: Sequence[str]) -> list[str]:
    """Return the columns of which a masked one is a weighted sum, up to rounding; none where it is not."""
    goal = head.encoded(name)[:_SAMPLE]
    columns = np.array([head.encoded(other)[:_SAMPLE] for other in others]).reshape(len(others), goal.size)
    whole = ~np.isnan(goal) & ~np.isnan(columns).any(axis=0)
    goal, columns = goal[whole], columns[:, whole]
    if goal.size < 20:
        return []  # too few to say anything, or a column without a value
    varying = columns.std(axis=1) > 0
    columns, others = columns[varying], [other for other, one in zip(others, varying, strict=True) if one]
    if not others or goal.size < 20 + 3 * len(others) or goal.std() == 0:
        return []
    goal = (goal - goal.mean()) / goal.std()
    columns = (columns - columns.mean(axis=1, keepdims=True)) / columns.std(axis=1, keepdims=True)
    weights = np.linalg.lstsq(columns.T, goal, rcond=None)[0]
    if np.abs(goal - weights @ columns).max() > 1e-4:
        return []
    return [other for other, weight in zip(others, weights, strict=True) if abs(weight) > 1e-3]


def _is_counted(scale: object) -> bool:
    if isinstance(scale, Categorical):
        return all(isinstance(level, int) or str(level).isdigit() for level in scale.levels)
    return getattr(scale, "kind", "") == "numeric" and not isinstance(scale, Moment)


def _numbers(head: Microdata, name: str) -> FloatArray:
    scale, encoded = head.schema[name].scale, head.encoded(name)
    if not isinstance(scale, Categorical):
        return np.asarray(encoded, dtype=np.float64)
    return np.asarray(np.array([*(float(level) for level in scale.levels), np.nan])[encoded], dtype=np.float64)


def _restarts(numbers: FloatArray, place: IntArray) -> bool:
    """Say whether a column counts the members of every household from 0 or 1 on."""
    return any(bool(np.mean(numbers == place + first) > 0.98) for first in (0, 1))
