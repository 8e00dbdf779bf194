"""Microdata: a table joined with its schema, encoded column by column and once only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.foreign_tables import as_frame
from discreet.data.frames import arrow_column, arrow_of, as_narwhals, polars_of
from discreet.data.own_types import take_rows, with_new_values
from discreet.data.scales import Categorical, EncodedSequences, Numeric, Succession
from discreet.data.scales.scale import hide_missing, is_text
from discreet.data.scales.written import absent_of, cell_keys, numbered
from discreet.data.schema import Attribute, Schema
from discreet.data.state_columns import declared_tables, gather
from discreet.errors import DataError, SchemaError, door, in_own_words, wrong_type
from discreet.notebook import panel, table
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, Json, LevelArray

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Encoded", "Microdata", "joined_records", "microdata", "table_of_codes", "table_of_numbers"]

T = TypeVar("T")


_MANY = 100_000  # records from which on memory is given back at once


@dataclass(frozen=True, repr=False)
class Encoded:
    """What kernels see of a table: one contiguous block of numbers, one of codes, and the sequences.

    Attributes
    ----------
    numeric : (n, p) float64
        The numeric attributes `numeric_names`, in schema order; NaN is missing.
    codes : (n, q) int32
        The categorical attributes `code_names`, in schema order; −1 is missing.
    sequences : mapping of name to EncodedSequences
    """

    numeric_names: tuple[str, ...]
    numeric: FloatArray
    code_names: tuple[str, ...]
    codes: CodeArray
    sequences: Mapping[str, EncodedSequences]

    def __repr__(self) -> str:
        return f"Encoded(numeric={self.numeric.shape}, codes={self.codes.shape}, sequences={len(self.sequences)})"


class Microdata:
    """A table with its schema.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        One row a record. It is never changed.
    schema : Schema
        Declares every column of the table. Columns that are the positions of one sequence are gathered into it.
    origin : dict, optional
        What a reader wants to remember for the writer (file format, dialect, original text).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Numeric, Nominal
    >>> df = pl.DataFrame({"age": [31, 45, None], "fuel": ["gas", "oil", "gas"]})
    >>> table = Microdata(df, Schema([Attribute("age", Numeric(), "key"), Attribute("fuel", Nominal(["gas", "oil"]))]))
    >>> table
    Microdata(3 records × 2 attributes: 1 key, 1 other)
    >>> table.encode().codes.tolist()
    [[0], [1], [0]]
    """

    def __init__(self, frame: Any, schema: Schema, *, origin: Json | None = None) -> None:
        self._frame = as_narwhals(frame)
        self.schema = schema
        self.origin: Json = dict(origin or {})
        states = declared_tables(schema, self._frame.columns)
        if states:
            wide, self.origin = gather(self._frame.to_native(), self.origin, states)
            self._frame = as_narwhals(wide)
        self._encoded: dict[str, Any] = {}
        self._written: dict[str, tuple[Any, LevelArray]] = {}
        self._once: dict[Hashable, Any] = {}
        columns = self._frame.columns
        absent = [name for name in schema.names if name not in columns]
        if absent:
            raise SchemaError(
                f"The schema declares {len(absent)} attributes that the table lacks, the first {absent[0]!r}.",
                hint=f"The table has {len(columns)} columns; check the spelling.",
            )
        undeclared = [name for name in columns if name not in schema]
        if undeclared:
            raise SchemaError(
                f"The table has {len(undeclared)} columns that the schema lacks, the first {undeclared[0]!r}.",
                hint='Declare them; role = "other" releases a column as it is, role = "identifier" removes it.',
            )
        self.schema = self._completed(schema)

    def _completed(self, schema: Schema) -> Schema:
        """Return the schema with what columns tell that a declaration left open, as how dates are written."""
        open_ones = [a for a in schema if not a.scale.is_settled]
        told = {}
        for a in open_ones:
            try:
                told[a.name] = a.scale.completed(self.column(a.name), a.missing)
            except DataError as error:
                if error.message.startswith("Column "):
                    raise
                raise DataError(f"Column {a.name!r}: {error.message}", hint=error.hint) from None
        new = [replace(a, scale=told[a.name]) for a in open_ones if told[a.name] is not a.scale]
        return schema.replacing(*new) if new else schema

    def __len__(self) -> int:
        return len(self._frame)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in the table's order."""
        return tuple(self._frame.columns)

    def to_native(self) -> Any:
        """Return the table as the kind of frame that came in."""
        return self._frame.to_native()

    @door
    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame."""
        return self._frame.to_pandas()

    @door
    def to_polars(self) -> pl.DataFrame:
        """Return the table as a Polars frame."""
        native = self._frame.to_native()
        # By way of Arrow, column by column: an index is no column, and one of mixed values is named.
        return self._frame.to_polars() if not hasattr(native, "reset_index") else polars_of(self.to_arrow())

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table: its columns, and nothing else that a frame may hold."""
        native = self._frame.to_native()
        if isinstance(native, pa.Table):
            return native
        if not hasattr(native, "reset_index"):
            return in_own_words(self._frame.to_arrow, lambda: DataError("The table has no form in Arrow."))
        return pa.table({name: arrow_of(self._frame, name) for name in self.names})

    def column(self, name: str) -> pa.Array:
        """Return one column as Arrow; missing codes are still in it."""
        self.schema[name]
        return arrow_column(self._frame, name)

    def missing(self, name: str) -> BoolArray:
        """Say for each record whether the attribute has no value."""
        array = self._encoded.get(name)
        if array is not None:  # what was encoded says it without the column
            return np.array(absent_of(array), dtype=np.bool_)
        hidden = hide_missing(self.column(name), self.schema[name].missing)
        return np.asarray(hidden.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)

    @door
    def encoded(self, name: str) -> Any:
        """Return one attribute as kernels see it. Read-only and kept, so asking twice costs next to nothing.

        Codes are kept in as few bytes as they need: a file of categories takes a quarter of the memory.
        """
        if name not in self._encoded:
            attribute = self.schema[name]
            try:
                array = attribute.scale.encode(self.column(name), attribute.missing)
            except DataError as error:
                if attribute.role != "identifier":
                    raise type(error)(f"Column {name!r}: {error.message}", hint=error.hint) from None
                # Who is who needs no declaration: different values get different codes.
                array = _distinct(hide_missing(self.column(name), attribute.missing))
            self._encoded[name] = _narrow(array)
            if len(self) >= _MANY:
                pa.default_memory_pool().release_unused()  # Arrow keeps what encoding took for a moment
        return _wide(self._encoded[name])

    def as_written(self, name: str) -> LevelArray:
        """Return for every record an integer, the same for two records exactly if a written file shows them the same.

        Categories count by their level, numbers by their value, sequences by their events, and missing cells by what
        stands in them: an empty cell is −1, every missing code a negative number of its own (−8 and −9 are two), and
        what is not missing is 0 or above. Read-only and kept, as :meth:`encoded`, in as few bytes as they need.

        Examples
        --------
        >>> ages = pa.table({"age": [31, -9, 31, None, -8, -9]})
        >>> Microdata(ages, Schema([Attribute("age", Numeric(), "key", (-8, -9))])).as_written("age").tolist()
        [0, -2, 0, -1, -3, -2]
        """
        self.encoded(name)
        encoding = self._encoded[name]
        entry = self._written.get(name)
        # Another encoding is of another column: nothing is known of it yet.
        if entry is None or entry[0] is not encoding:
            absent = absent_of(encoding)
            # There are at most as many as records, which 32 bits tell apart.
            codes = _narrow(numbered(self.cell_keys(name), absent).astype(np.int32))
            entry = self._written[name] = (encoding, codes)
        return entry[1]

    def cell_keys(self, name: str) -> IntArray:
        """Return for every record a 64-bit number of what a written file shows, the same in any part of the table.

        For tables that are read in parts; :meth:`as_written` numbers the same from 0 on.
        """
        column, encoded = self.column(name), self.encoded(name)
        text = self.origin.get("verbatim", {}).get(name)
        if text is not None and (len(text) != len(column) or not pa.types.is_floating(column.type)):
            text = None  # the writer would not take it either
        tags = self.origin.get("verbatim_missing", {}).get(name)
        return cell_keys(column, self.schema[name].scale, encoded, text=text, tags=tags)

    def share_encoding(self, other: Microdata) -> None:
        """Take over what `other`, the same records with other roles or columns, has encoded already."""
        for name, array in other._encoded.items():
            if name not in self.schema:
                continue
            mine, theirs = self.schema[name], other.schema[name]
            same_use = (mine.role == "identifier") == (theirs.role == "identifier")  # identifiers may have own codes
            if same_use and mine.scale == theirs.scale and mine.missing == theirs.missing:
                self._encoded[name] = array
                if name in other._written:
                    self._written[name] = other._written[name]

    def keep_encoding(self, name: str, array: Any) -> None:
        """Take an attribute as encoded already; the array is made read-only."""
        self._encoded[name] = _narrow(array)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` gives, made at the first call and kept: a table does not change.

        For work on an original that many masked versions are compared with: distinct records, counts, sorted orders.
        What is kept must not be changed, and `key` must name all that it depends on beside the table.
        """
        if key not in self._once:
            self._once[key] = make()
        outcome: T = self._once[key]
        return outcome

    @door
    def validate(self) -> Microdata:
        """Check every declared column against its declaration, identifiers apart, and return self."""
        for name in self.schema.names:
            if self.schema[name].role != "identifier":
                self.encoded(name)
        return self

    def numeric(self, names: Iterable[str]) -> FloatArray:
        """Return numeric attributes as one C-contiguous (n, p) block."""
        columns = [self.encoded(name) for name in names]
        return np.ascontiguousarray(np.stack(columns, axis=1)) if columns else np.empty((len(self), 0))

    def codes(self, names: Iterable[str]) -> CodeArray:
        """Return categorical attributes as one C-contiguous (n, q) block."""
        columns = [self.encoded(name) for name in names]
        if not columns:
            return np.empty((len(self), 0), dtype=np.int32)
        return np.ascontiguousarray(np.stack(columns, axis=1))

    @door
    def encode(self, names: Iterable[str] | None = None) -> Encoded:
        """Return the attributes `names` (default: all) as contiguous arrays, in schema order."""
        schema = self.schema if names is None else self.schema.select(names)
        numeric, codes = schema.of_scale("numeric"), schema.of_scale("ordinal", "nominal")
        sequences = {name: self.encoded(name) for name in schema.of_scale("sequence")}
        return Encoded(numeric, self.numeric(numeric), codes, self.codes(codes), sequences)

    def weights(self) -> FloatArray | None:
        """Return the survey weights, or None where the schema has none."""
        name = self.schema.weight
        if name is None:
            return None
        weights: FloatArray = self.encoded(name)
        bad = int((~(weights > 0)).sum())
        if bad:
            raise DataError(f"Column {name!r}: {bad} of {len(self)} weights are missing, zero or negative.")
        return weights

    @door
    def select(self, names: Iterable[str]) -> Microdata:
        """Return the table with these columns only, in the table's order."""
        selection = set(names)
        columns = [name for name in self.names if name in selection]
        origin = dict(self.origin)
        if "verbatim" in origin:
            origin["verbatim"] = {name: text for name, text in origin["verbatim"].items() if name in selection}
        part = Microdata(self._frame.select(columns).to_native(), self.schema.select(columns), origin=origin)
        part.share_encoding(self)
        return part

    @door
    def take(self, rows: Any) -> Microdata:
        """Return the table with these rows only, in this order."""
        places = np.asarray(rows, dtype=np.int64)
        origin = dict(self.origin)
        for by_record in ("verbatim", "verbatim_missing"):
            if origin.get(by_record):
                indices = pa.array(places)
                origin[by_record] = {name: text.take(indices) for name, text in origin[by_record].items()}
        native = self._frame.to_native()
        rows_taken = (
            take_rows(native, places) if isinstance(native, pa.Table) else self._frame[places.tolist()].to_native()
        )
        part = Microdata(rows_taken, self.schema, origin=origin)
        for name, array in self._encoded.items():
            if isinstance(array, np.ndarray):  # what was encoded once is not encoded again
                part._encoded[name] = array[places]
                part._encoded[name].flags.writeable = False
        return part

    def exchanging(self, other: Microdata) -> Microdata:
        """Return the table with the columns of `other`, which holds the same records in the same order.

        Columns of the same name are exchanged, declarations too; the others are added at the end.
        """
        if len(self) != len(other):
            raise DataError(f"Tables of {len(self)} and {len(other)} records cannot be put beside each other.")
        frame = self._frame.with_columns(*(other._frame[name] for name in other.names))
        declared = [other.schema[n] if n in other.schema else self.schema[n] for n in self.schema.names]
        declared += [attribute for attribute in other.schema if attribute.name not in self.schema]
        origin = dict(self.origin)
        texts = {n: text for n, text in origin.get("verbatim", {}).items() if n not in other.schema}
        # Of the other table's texts only those of its own columns: it may remember some that were masked here since.
        origin["verbatim"] = texts | {n: t for n, t in other.origin.get("verbatim", {}).items() if n in other.schema}
        if "verbatim_missing" in origin:
            letters = {n: tags for n, tags in origin["verbatim_missing"].items() if n not in other.schema}
            theirs = other.origin.get("verbatim_missing", {})
            origin["verbatim_missing"] = letters | {n: t for n, t in theirs.items() if n in other.schema}
        return Microdata(frame.to_native(), Schema(declared), origin=origin)

    def replacing(
        self,
        encoded: Mapping[str, Any],
        *attributes: Attribute,
        one_missing: bool = False,
        kinds: Mapping[str, str] | None = None,
    ) -> Microdata:
        """Return a table in which some columns hold new values; all others stay exactly as they came.

        A value that was missing and still is keeps its missing code; with `one_missing`, every missing value of a
        column that is exchanged is the same: the first declared code that the column's type can hold, or null. That is
        for methods whose promise is about equal records: what they count as equal must be equal in the file. Columns
        keep their types as far as these can hold the new values (:mod:`discreet.data.own_types`); `kinds` says it of
        columns of whole numbers beforehand, where a table is released in parts. `attributes` exchanges declarations,
        for methods that change levels.
        """
        schema = self.schema.replacing(*attributes)
        columns = {name: self._release(schema[name], array, one_missing) for name, array in encoded.items()}
        native = with_new_values(self._frame, columns, {name: schema[name].scale for name in columns}, kinds)
        origin = dict(self.origin)
        origin["verbatim"] = {n: text for n, text in origin.get("verbatim", {}).items() if n not in encoded}
        if one_missing and "verbatim_missing" in origin:
            origin["verbatim_missing"] = {n: t for n, t in origin["verbatim_missing"].items() if n not in encoded}
        origin["replaced"] = origin.get("replaced", frozenset()) | frozenset(encoded)
        result = Microdata(native, schema, origin=origin)
        result.share_encoding(self)
        for name, array in encoded.items():
            result._encoded.pop(name, None)
            if isinstance(schema[name].scale, Categorical) and schema[name] == self.schema[name]:
                # Levels that were declared come back from the column as the codes they went in as.
                result._encoded[name] = _narrow(np.array(array, dtype=np.int32))
        return result

    def _release(self, attribute: Attribute, array: Any, one_missing: bool) -> pa.Array:
        before = self.column(attribute.name)
        if one_missing and isinstance(attribute.scale, Numeric):
            array = np.asarray(array, dtype=np.float64) + 0.0  # the two zeros are equal, and must be written so
        if isinstance(attribute.scale, Numeric) and not pa.types.is_null(before.type):
            column = attribute.scale.written(array, hide_missing(before, attribute.missing))
        else:
            column = attribute.scale.decode(array)
        if isinstance(attribute.scale, Succession) and is_text(before):
            column = attribute.scale.to_text(column)
        if pa.types.is_null(before.type):  # a column without a single value has no type to go back to
            return column
        if is_text(before):
            column = column.cast(pa.string())
        elif isinstance(attribute.scale, Numeric):
            before = before.cast(column.type)
        elif pa.types.is_temporal(before.type) and is_text(column):
            column = _as_dates(column, before.type)
        elif isinstance(attribute.scale, Categorical) and column.type != before.type and not is_text(column):
            # Levels that are text in a column of numbers are new ones, such as ranges: they stay text.
            column = column.cast(before.type, safe=False)
        if one_missing:
            stands = self._stands_for_missing(attribute, column.type)
            return column if stands is None else column.fill_null(stands)
        if column.null_count == 0:
            return column
        still = pc.and_(column.is_null(), pa.array(self.missing(attribute.name)))
        return pc.if_else(still, before.cast(column.type), column)

    def _stands_for_missing(self, attribute: Attribute, kind: pa.DataType) -> pa.Scalar | None:
        """Return the first declared missing code that a column of this type can hold, or None for null.

        The declaration and the types alone decide, so that every part of a large table is released alike.
        """
        came = self._frame.schema[attribute.name]
        listed = (
            set(came.categories) if isinstance(came, nw.Enum) and attribute == self.schema[attribute.name] else None
        )
        for code in attribute.missing:
            text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
            if listed is not None and str(code) not in listed:
                continue
            try:
                scalar = pa.scalar(str(code), kind) if text else pa.scalar(code).cast(kind)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
                continue
            if hide_missing(pa.array([scalar.as_py()], kind), attribute.missing).null_count:
                return scalar
        return None

    def __repr__(self) -> str:
        roles = [a.role for a in self.schema]
        counts = ", ".join(f"{roles.count(role)} {role}" for role in dict.fromkeys(roles))
        return f"Microdata({len(self)} records × {len(self.schema)} attributes: {counts}{self._in_short()})"

    def _in_short(self) -> str:
        """Say how much of the schema was inferred, where anything was."""
        counts = [(part, len(self.schema.inferred(part))) for part in ("role", "scale")]
        words = [f"{count} {part}{'' if count == 1 else 's'}" for part, count in counts if count]
        return f"; {' and '.join(words)} inferred" if words else ""

    def _repr_html_(self) -> str:
        rows = [
            (a.name, a.role, a.scale.name, "" if a.role == "identifier" else int(self.missing(a.name).sum()))
            for a in self.schema
        ]
        grid = table(("attribute", "role", "scale", "missing"), rows, numbers=(3,))
        return panel(f"{len(self)} records × {len(self.schema)} attributes", grid)


def _distinct(column: pa.Array) -> CodeArray:
    """Return a code for every different value, in their order of appearance; −1 is missing."""
    codes = pc.fill_null(column.dictionary_encode().indices, -1)
    return np.array(codes.to_numpy(zero_copy_only=False), dtype=np.int32)


def _narrow(array: Any) -> Any:
    """Return an encoded attribute read-only, codes in as few bytes as they need."""
    if isinstance(array, np.ndarray) and array.dtype == np.int32:
        most = max(int(array.max(initial=-1)), -1 - int(array.min(initial=-1)))
        array = array.astype(np.int8 if most < 128 else np.int16 if most < 32_768 else np.int32, copy=False)
    for part in array if isinstance(array, tuple) else (array,):
        part.flags.writeable = False
    return array


def _wide(array: Any) -> Any:
    """Undo :func:`_narrow`: kernels see codes as ``int32``."""
    if not isinstance(array, np.ndarray) or array.dtype not in (np.int8, np.int16):
        return array
    codes = array.astype(np.int32)
    codes.flags.writeable = False
    return codes


def _as_dates(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return dates that were declared as words as dates again, unless words are among them that are none."""
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


@door
def microdata(frame: Any, schema: Schema | None = None) -> Microdata:
    """Join a table and its schema; without a schema, the inferred proposal is taken.

    Parameters
    ----------
    frame : Microdata, Masked or table
        A pandas, Polars or Arrow table comes back as its own kind. A LazyFrame becomes a Polars table; a DuckDB
        relation, a RecordBatchReader, a dict of columns, a list of dicts or a NumPy array becomes an Arrow table. Of
        what masking gave back, it is the table to release.
    schema : Schema, optional
        Of an array whose columns have no names, it names them.

    Examples
    --------
    >>> import polars as pl
    >>> microdata(pl.DataFrame({"age": [31.5, 45.0, 22.1]})).schema["age"].scale
    Numeric()
    """
    if schema is not None and not isinstance(schema, Schema):
        raise wrong_type("microdata", "schema must be a Schema", schema, 'Schema([Attribute("age", Numeric(), "key")])')
    if not isinstance(frame, Microdata) and isinstance(getattr(frame, "microdata", None), Microdata):
        frame = frame.microdata  # what masking gives back, which this room does not know
    if isinstance(frame, Microdata):
        return frame if schema is None else Microdata(frame.to_native(), schema, origin=frame.origin)
    bare = schema is not None and len(schema) == getattr(frame, "shape", (0, 0))[-1]
    frame = as_frame(frame, schema.names if schema is not None and bare else None)  # once: a stream is read to its end
    if schema is None:
        from discreet.data.inference import propose_schema

        schema = propose_schema(frame).schema
    return Microdata(frame, schema)


def table_of_numbers(columns: Mapping[str, FloatArray]) -> Microdata:
    """Return a table of numeric keys, one column an array, as methods make for other methods; NaN is missing.

    Examples
    --------
    >>> table_of_numbers({"r1": np.array([0.5, 0.75])})
    Microdata(2 records × 1 attributes: 1 key)
    """
    schema = Schema([Attribute(name, Numeric(), "key") for name in columns])
    return Microdata(pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()}), schema)


def table_of_codes(schema: Schema, encoded: Mapping[str, Any]) -> Microdata:
    """Return the table that these encoded attributes stand for: what methods see of blocks of a larger table.

    Examples
    --------
    >>> from discreet.data.scales import Nominal
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> table_of_codes(schema, {"fuel": np.array([1, -1], dtype=np.int32)}).column("fuel").to_pylist()
    ['oil', None]
    """
    subschema = schema.select(encoded)
    table = Microdata(
        pa.table({name: subschema[name].scale.decode(encoded[name]) for name in subschema.names}), subschema
    )
    for name in subschema.names:
        array, scale = encoded[name], subschema[name].scale
        # What the column is made from is what encoding it would give back, and is not made again.
        plain = type(scale) is Numeric and array.dtype == np.float64
        if plain or (isinstance(scale, Categorical) and array.dtype == np.int32):
            table.keep_encoding(name, array.view())
    return table


def joined_records(parts: Iterable[Microdata]) -> Microdata:
    """Return the records of tables with one schema, one table after the other.

    Examples
    --------
    >>> part = table_of_numbers({"x": np.array([0.5, 1.5])})
    >>> len(joined_records([part, part]))
    4
    """
    tables = list(parts)
    return Microdata(
        pa.concat_tables([one.to_arrow() for one in tables], promote_options="permissive"), tables[0].schema
    )
