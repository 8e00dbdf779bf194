"""One honest record of several masking steps: of a chain, or of a release that is masked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from discreet.contracts.changed_counts import ChangedCounts, CountChanged, count_changed
from discreet.contracts.engine import TableEngine, TablePair
from discreet.contracts.estimator import registered
from discreet.contracts.masked import Masked, Provenance
from discreet.data.guarantees import Guarantee, still_true
from discreet.data.microdata import Microdata, microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import ParameterError
from discreet.typing import BoolArray, IntArray, Json

__all__ = ["chained", "masked_again", "table_to_mask"]

_PER_STEP = ("Keys that ", "Identifiers that are not released ")
"""How notes begin that speak of one step and would be wrong of several."""


def chained(
    original: Microdata | StoredTable,
    released: Microdata | StoredTable,
    rows: IntArray | None,
    units: Sequence[str | None],
    history: Sequence[Provenance],
    schemas: Sequence[tuple[Schema, Schema]],
    seed: int,
    engine: TableEngine | None = None,
) -> Provenance:
    """Return the record of several steps as one.

    Parameters
    ----------
    original, released : Microdata or StoredTable
        What went into the first step, and what came out of the last.
    rows : (m,) int64, optional
        Position in the original of every released record, where it is another one.
    units : sequence of str or None
        By step, whose members were masked together.
    history : sequence of Provenance
        The record of every step.
    schemas : sequence of pairs of Schema
        By step, before and after.
    """
    touched = {name for record in history for name in record.changed}
    names = tuple(name for name in original.schema.names if name in touched and name in released.schema)
    labels, grouped, lost = _groups(history)
    guarantees, broken = _guarantees(released, history)
    details: Json = {"steps": [record.details for record in history]}
    window = _windows(history)
    if window:
        details["window"] = window
    if grouped is not None:
        formed = (record for record in reversed(history) if record.labels is not None or record.grouped is not None)
        blocks = next(formed).details.get("blocks")
        details |= {"blocks": blocks} if blocks else {}
    return Provenance(
        method=" + ".join(record.method for record in history),
        parameters={
            "steps": [
                {"method": record.method, **({"unit": unit} if unit else {}), **record.parameters}
                for unit, record in zip(units, history, strict=True)
            ]
        },
        attributes=names,
        n_records=len(original),
        removed=tuple(name for name in original.schema.names if name not in released.schema),
        changed=_changed(original, released, rows, names, engine),
        labels=labels,
        transitions=_transitions(original.schema, history, schemas),
        rows=rows,
        details=details,
        notes=(*_notes(original.schema, released.schema, names, history, lost), *broken),
        seed=seed,
        perturbative=_perturbative(history),
        grouped=grouped,
        # No promise stands in the record of a step that a later one may have broken.
        history=tuple(replace(record, guarantees=()) for record in history),
        guarantees=guarantees,
    )


def _perturbative(history: Sequence[Provenance]) -> bool | None:
    flags = {record.perturbative for record in history}
    return True if True in flags else None if None in flags else False


def _changed(
    original: Microdata | StoredTable,
    released: Microdata | StoredTable,
    rows: IntArray | None,
    names: tuple[str, ...],
    engine: TableEngine | None,
) -> dict[str, int]:
    """Count the cells that differ, record by record."""
    if engine is not None and rows is None and names:
        tally: ChangedCounts = engine.summarise(TablePair(original, released), [CountChanged(names)])[0]
        return tally.counts
    before, after = (
        table.in_memory(names) if isinstance(table, StoredTable) else table for table in (original, released)
    )
    if rows is not None:
        before = before.take(rows)
    return {name: count_changed(before, after, name, after.encoded(name)) for name in names}


def _groups(history: Sequence[Provenance]) -> tuple[IntArray | None, tuple[str, ...] | None, str]:
    """Return the groups of the last step that formed some, unless a later one changed what it had grouped."""
    formed = [place for place, step in enumerate(history) if step.labels is not None or step.grouped is not None]
    if not formed:
        return None, None, ""
    last = formed[-1]
    step, labels = history[last], history[last].labels
    names = step.grouped if step.grouped is not None else tuple(n for n in step.attributes if n in step.changed)
    for later in history[last + 1 :]:
        # What was written in parts was not counted: all that it masked may have changed, unless it moved records only.
        touched = later.changed or (() if later.rows is not None else later.attributes)
        if set(touched) & set(names):
            return None, None, f"The groups of {step.method} are not reported: {later.method} changed their values."
        if later.rows is not None:
            labels = labels[later.rows] if labels is not None else None
    if labels is None or labels.ndim != 1:
        return labels, names, ""
    # Records that were left out may have emptied a group; no number without a record is reported.
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64), names, ""


def _guarantees(
    released: Microdata | StoredTable, history: Sequence[Provenance]
) -> tuple[tuple[Guarantee, ...], list[str]]:
    """Return what the steps promised and the release keeps, and notes on what it does not keep.

    A promise about values that no later step touched stands. Another is counted on the release: rounding or recoding
    what was grouped breaks nothing, noise and sampling do.
    """
    standing: list[Guarantee] = []
    broken: list[str] = []
    for place, step in enumerate(history):
        later = history[place + 1 :]
        # Fresh numbers stand for the values that were there, one for one.
        touched = {n for one in later if not _renumbers(one) for n, count in one.changed.items() if count}
        fewer = any(one.rows is not None and len(one.rows) < one.n_records for one in later)
        for promise in step.guarantees:
            doubtful = fewer or bool(touched & set(promise.columns))
            # Where a stratum was changed, the promise may still hold over all strata together.
            weaker = [promise, *([replace(promise, strata=())] if promise.strata else [])]
            true = still_true(weaker, _as_written(released, promise))[0] if doubtful else [promise]
            standing += true[:1]
            if promise not in true:
                broken.append(
                    f"Not promised any more, because a later step changed it: {promise.subject} by {step.method} on "
                    f"{', '.join(promise.columns)}."
                )
    return tuple(standing), broken


def _renumbers(step: Provenance) -> bool:
    cls = registered("masker").get(step.method)  # it has masked, so it is loaded
    return cls is not None and cls.renumbers


def _as_written(released: Microdata | StoredTable, promise: Guarantee) -> Iterable[Any]:
    names = [name for name in released.schema.names if name in promise.columns]
    tables = released.batches(131_072, names) if isinstance(released, StoredTable) else [released.select(names)]
    return (table.to_polars() for table in tables)


def _windows(history: Sequence[Provenance]) -> dict[str, int]:
    """Return the windows of rank swappings over attributes that no other step touched: there they still hold."""
    counts: dict[str, int] = {}
    for step in history:
        for name in step.changed:
            counts[name] = counts.get(name, 0) + 1
    windows: dict[str, int] = {}
    for step in history:
        widths: Mapping[str, int] = step.details.get("window", {})
        windows |= {name: int(width) for name, width in widths.items() if counts.get(name) == 1}
    return windows


def _transitions(
    schema: Schema, history: Sequence[Provenance], schemas: Sequence[tuple[Schema, Schema]]
) -> dict[str, BoolArray]:
    """Compose what the steps can do to each category; an attribute that a step says nothing about is left out."""
    composed: dict[str, BoolArray] = {}
    unknown: set[str] = set()
    for step, (before, after) in zip(history, schemas, strict=True):
        for name in step.changed:
            matrix = step.transitions.get(name)
            if matrix is None or name in unknown or name not in before or name not in after:
                unknown.add(name)
                composed.pop(name, None)
                continue
            full = _with_missing(matrix, before, after, name)
            composed[name] = full if name not in composed else np.asarray((composed[name] @ full) > 0)
    return {name: matrix for name, matrix in composed.items() if name in schema}


def _with_missing(matrix: BoolArray, before: Schema, after: Schema, name: str) -> BoolArray:
    """Return a matrix that also speaks of the missing value, which stays missing where the step does not say."""
    size = len(cast("Categorical", before[name].scale)), len(cast("Categorical", after[name].scale))
    if matrix.shape == (size[0] + 1, size[1] + 1):
        return np.asarray(matrix, dtype=np.bool_)
    full = np.zeros((size[0] + 1, size[1] + 1), dtype=np.bool_)
    full[:-1, :-1] = matrix
    full[-1, -1] = True
    return full


def _notes(
    before: Schema, after: Schema, masked: tuple[str, ...], history: Sequence[Provenance], lost: str
) -> tuple[str, ...]:
    notes = [
        f"Step {place} ({step.method}): {note}"
        for place, step in enumerate(history, start=1)
        for note in step.notes
        if not note.startswith(_PER_STEP)
    ]
    left_alone = [name for name in before.keys if name in after and name not in masked]
    if left_alone:
        notes.append(f"Keys that no step masked ({len(left_alone)}): {', '.join(left_alone)}.")
    hidden = [name for name in before.of_role("identifier") if name not in after]
    if hidden:
        notes.append(f"Identifiers that are not released ({len(hidden)}): {', '.join(hidden)}.")
    return (*notes, *([lost] if lost else []))


# ------------------------------------------------------------------------------------------- a release, masked again


def table_to_mask(owner: str, data: Any, schema: Schema | None) -> Microdata:
    """Return a table to mask: of a :class:`~discreet.contracts.masked.Masked`, its release.

    Raises
    ------
    ParameterError
        The release has its records in another order, or fewer of them: what is masked again could not be compared with
        the original, record by record.
    """
    if isinstance(data, Masked) and data.provenance.rows is not None:
        raise ParameterError(
            f"{owner}: {data.provenance.method} left records out or put them into another order; masked again, the "
            "release could not be compared with its original.",
            hint="Chain([…]).mask(original) masks in several steps, and knows whose record is whose.",
        )
    return microdata(data, schema)


def masked_again(data: Any, masked: Masked) -> Masked:
    """Return a release with the record of all its steps, where `data`, which it was made of, was a release already."""
    if not isinstance(data, Masked):
        return masked
    first, second = data.provenance, masked.provenance
    history = (*(first.history or (first,)), *(second.history or (second,)))
    labels, grouped, lost = _groups([first, second])
    guarantees, broken = _guarantees(masked.microdata, [first, second])
    both = [name for name in first.changed if name in second.changed]
    notes = [*first.notes, *second.notes, *([lost] if lost else []), *broken]
    if both:
        notes.append(f"Cells that differ are counted from what {first.method} released: {', '.join(both)}.")
    window = _windows([first, second])
    details: Json = {"steps": [record.details for record in history], **({"window": window} if window else {})}
    provenance = Provenance(
        method=f"{first.method} + {second.method}",
        parameters={"steps": [{"method": record.method, **record.parameters} for record in history]},
        attributes=tuple(dict.fromkeys((*first.attributes, *second.attributes))),
        n_records=first.n_records,
        removed=tuple(dict.fromkeys((*first.removed, *second.removed))),
        changed={**first.changed, **second.changed},
        labels=labels,
        transitions=_both_transitions(first, second, data.microdata.schema, masked.microdata.schema),
        rows=second.rows,
        details=details,
        notes=tuple(dict.fromkeys(notes)),
        seed=second.seed,
        perturbative=_perturbative(history),
        grouped=grouped,
        history=tuple(replace(record, guarantees=()) for record in history),
        guarantees=guarantees,
    )
    return replace(masked, provenance=provenance)


def _both_transitions(first: Provenance, second: Provenance, between: Schema, after: Schema) -> dict[str, BoolArray]:
    """Compose what two steps can do to each category; the levels before the first are those of its matrix."""
    composed: dict[str, BoolArray] = {}
    for name in {**first.changed, **second.changed}:
        earlier, later = first.transitions.get(name), second.transitions.get(name)
        if name not in second.changed and earlier is not None:
            composed[name] = earlier
        elif name not in first.changed and later is not None:
            composed[name] = later
        elif earlier is not None and later is not None and name in after:
            size = len(cast("Categorical", between[name].scale))
            whole = earlier.shape[1] == size + 1
            full = np.asarray(earlier if whole else np.pad(earlier, ((0, 1), (0, 1))), dtype=np.bool_)
            full[-1, -1] |= not whole  # what was missing stays so where the step does not say
            composed[name] = np.asarray((full @ _with_missing(later, between, after, name)) > 0)
    return composed
