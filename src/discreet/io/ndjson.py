"""Lines of JSON (``.ndjson``, ``.jsonl``) in and out: one object a record.

Numbers, text, truth values and lists of text are read as they are; a key that a record lacks is a missing value. Dates
are text in JSON, and stay it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.cleaning import clean_arrow
from discreet.data.microdata import Microdata
from discreet.errors import DataError, FileError, SchemaError
from discreet.io.atomic import whole_file
from discreet.io.packing import ending_of, opened_for_writing, unpacked
from discreet.typing import Json

__all__ = ["read_ndjson", "write_ndjson"]

_ROWS = 1 << 16


class _TwiceError(ValueError):
    """A key that stands twice in a record."""


def read_ndjson(path: Path, *, encoding: str = "utf-8") -> tuple[pa.Table, Json]:
    """Return the table, its columns in their order of appearance, and its origin. O(cells)."""
    content = unpacked(path)
    content = path.read_bytes() if content is None else content
    if not content.strip():
        raise FileError(f"{str(path)!r} is empty.", hint="Every line is a JSON object, one record.")
    text = content.decode("utf-8-sig" if encoding.lower().replace("_", "-") in {"utf-8", "utf8"} else encoding)
    records: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    # Only the two line ends of JSON: other characters that end lines may stand inside text.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            records.append(_record(path, number, line))
            names.update(dict.fromkeys(records[-1]))
    if not names:
        raise FileError(f"{str(path)!r} has records without a single attribute.")
    if any(not name.strip() for name in names):
        raise SchemaError(f"An attribute in {str(path)!r} has no name.")
    columns = {name: _column(name, [record.get(name) for record in records]) for name in names}
    return pa.table(columns), {"format": "ndjson", "path": str(path)}


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line, object_pairs_hook=_once, parse_constant=_refuse)
    except _TwiceError:
        raise SchemaError(f"Line {number} of {str(path)!r} has a name twice.") from None
    except (ValueError, RecursionError):
        raise FileError(f"Line {number} of {str(path)!r} is not JSON.", hint="Every line is one object.") from None
    if not isinstance(record, dict):
        raise FileError(f"Line {number} of {str(path)!r} is no JSON object.", hint='Such as {"age": 31, "sex": "f"}.')
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _TwiceError
    return record


def _refuse(_: str) -> Any:
    raise ValueError("NaN and Infinity are no JSON.")


def _column(name: str, values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values} - {type(None)}
    if dict in kinds or (list in kinds and not all(_is_events(value) for value in values)):
        raise DataError(
            f"Column {name!r} holds objects or nested lists.",
            hint="Give every value a name of its own, one level deep.",
        )
    if len(kinds) > 1 and kinds != {int, float}:
        raise DataError(f"Column {name!r} mixes kinds of values.", hint="Make it all text or all numbers.")
    try:
        array = pa.array([None if v is None else float(v) for v in values] if kinds == {int, float} else values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        raise DataError(f"Column {name!r} has numbers that are too large.", hint="Write them as text.") from None
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array


def _is_events(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(event, str) for event in value))


def write_ndjson(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write one JSON object a record, missing values as null; what JSON has no word for (dates, decimals) as text."""
    arrow = clean_arrow(table.to_arrow())
    with whole_file(path, inputs) as temporary, opened_for_writing(temporary, ending_of(path)) as file:
        for batch in arrow.to_batches(_ROWS):
            lines = [json.dumps(_plain(row), ensure_ascii=False, default=_text) for row in batch.to_pylist()]
            file.write(("\n".join(lines) + "\n").encode() if lines else b"")


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {n: None if isinstance(v, float) and not math.isfinite(v) else v for n, v in row.items()}


def _text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
