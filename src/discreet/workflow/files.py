"""Read → declare, and what is written back: the arrows at both ends of the sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from discreet import io
from discreet.base import aligned
from discreet.errors import SchemaError
from discreet.inference import Proposal, propose
from discreet.microdata import Microdata
from discreet.results import Links, Masked
from discreet.schema import Schema
from discreet.sequences import declare_sequence

__all__ = ["check_outputs", "inspect", "load_schema", "read", "read_release", "save_schema", "write", "write_links"]


def load_schema(schema: Schema | str | os.PathLike[str] | None) -> Schema | None:
    """Return a schema from itself, from a TOML file, or None."""
    return schema if schema is None or isinstance(schema, Schema) else Schema.load(schema)


def read(
    path: str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sequence: str | None = None,
) -> Microdata:
    """Read a file and join it with its schema.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.txt`` or ``.parquet``.
    schema : Schema or path of a TOML file, optional
        Without it, the inferred proposal is taken: look at it with :func:`inspect` first.
    delimiter, encoding : str, optional
        For text files; the delimiter is found by itself, the encoding is UTF-8 unless said otherwise.
    sequence : str, optional
        A column to take as a key that is a sequence of events, unless the schema declares it as one.

    Returns
    -------
    Microdata
    """
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding)
    declared = load_schema(schema)
    if declared is None:
        proposed = Microdata(table, propose(table).schema, origin=origin)
        return proposed if sequence is None else declare_sequence(proposed, sequence)
    if sequence is not None and not declared.of_scale("sequence", among=[sequence]):
        return declare_sequence(Microdata(table, declared, origin=origin), sequence).validate()
    return Microdata(table, declared, origin=origin).validate()


def read_release(
    path: str | os.PathLike[str], original: Microdata, *, delimiter: str | None = None, encoding: str | None = None
) -> Microdata:
    """Read a released file with the schema of its original; identifiers may be absent from it."""
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding)
    extra = [name for name in table.column_names if name not in original.schema]
    if extra:
        raise SchemaError(f"The release has {len(extra)} columns that the original lacks, the first {extra[0]!r}.")
    schema = original.schema.select(table.column_names)
    release = Microdata(table, schema, origin=origin)
    aligned(original, release)
    return release


def inspect(source: Any, *, delimiter: str | None = None, encoding: str | None = None) -> Proposal:
    """Propose a schema for a file or a table, with the reason for every choice.

    Parameters
    ----------
    source : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
    """
    if isinstance(source, (str, os.PathLike)):
        source, _ = io.read_table(source, delimiter=delimiter, encoding=encoding)
    if isinstance(source, Microdata):
        source = source.to_native()
    return propose(source)


def save_schema(schema: Schema, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a schema as a TOML file, whole or not at all."""
    io.write_text(path, schema.to_toml(), inputs)


def check_outputs(paths: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse paths that could not be written, before any work is done."""
    for path in paths:
        io.check_target(path, inputs)


def write(
    masked: Masked | Microdata, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Write a table by the ending of the path: whole or not at all, and never over an input.

    The file that the table was read from counts as an input without being named.
    """
    table = masked.microdata if isinstance(masked, Masked) else masked
    sources = [*inputs, *([table.origin["path"]] if "path" in table.origin else [])]
    io.write_table(table, path, sources)


def write_links(links: Links, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write links as a table: positions, scores and ties, no values."""
    io.write_frame(links.to_frame(), path, inputs)
