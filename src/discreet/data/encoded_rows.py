"""Records as engines hold them: columns by name, and the names of what an engine puts beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["MASKED", "ROW", "WRITTEN", "Columns", "EncodedRows"]

EncodedRows: TypeAlias = Mapping[str, Any]
"""Columns of some records by name: ``float64``, ``int32`` or ``int64`` arrays, or arrays of bytes (sequences)."""


Columns: TypeAlias = Mapping[str, str]
"""Names and kinds of columns: ``"float"``, ``"code"``, ``"int"`` or ``"bytes"``."""


ROW = "#row"
"""The position of a record in its table, which every engine gives it; draws are keyed by it."""


MASKED = "#masked"
"""What the name of a column of the release ends with, where both tables lie side by side."""


WRITTEN = "#written"
"""What a name ends with that asks for what a written file shows of an attribute (:meth:`Microdata.cell_keys`)."""
