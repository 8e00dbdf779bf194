"""A table and its masked version, brought together record by record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.contracts.masked import Masked
from discreet.data.cleaning import widened
from discreet.data.foreign_tables import as_frame
from discreet.data.frames import column_names
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import DataError

__all__ = ["aligned", "as_microdata"]


def aligned(original: Any, masked: Any, schema: Schema | None = None) -> tuple[Any, Any]:
    """Return a table and its masked version as tables that can be compared record by record."""
    if isinstance(original, StoredTable) or isinstance(masked, StoredTable):
        stored = _as_table(original, schema), _as_table(masked, schema)
        _check_aligned(*stored, masked.provenance.removed if isinstance(masked, Masked) else ())
        return stored
    before, after = as_microdata(original, schema), masked
    rows = masked.provenance.rows if isinstance(masked, Masked) else None
    if rows is not None and isinstance(masked, Masked) and len(before) == masked.provenance.n_records:
        before = before.take(rows)  # a sample, or another order, is compared with the records it came from
    if not isinstance(masked, (Microdata, Masked)):
        # A plain masked frame is read with the original's schema; only identifiers may be absent from it.
        bare = len(before.schema) == getattr(masked, "shape", (0, 0))[-1]
        after = as_frame(masked, before.schema.names if bare else None)  # what is no table is told so
        present = set(column_names(after))
        after = Microdata(after, before.schema.select(n for n in before.schema.names if n in present))
    after = as_microdata(after, None)
    left_out = masked.provenance.removed if isinstance(masked, Masked) else ()
    if not isinstance(masked, Masked) and len(before) == len(after):
        after = widened(after, before)  # a release that was read with its own schema
    _check_aligned(before, after, left_out)
    return before, after


def _check_aligned(
    before: Microdata | StoredTable, after: Microdata | StoredTable, left_out: Sequence[str] = ()
) -> None:
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


def _as_table(data: Any, schema: Schema | None) -> Microdata | StoredTable:
    return data if isinstance(data, StoredTable) else as_microdata(data, schema)


def as_microdata(data: Any, schema: Schema | None) -> Microdata:
    """Return what was handed in as microdata: a release, a table, or a frame with a schema."""
    if isinstance(data, Masked):
        return data.microdata
    if isinstance(data, Microdata):
        return data
    return microdata(data, schema)
