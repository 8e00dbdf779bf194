"""Read and write the files of a release by what their names say: tables, schemas, links."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from discreet import io
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked
from discreet.contracts.pairing import aligned
from discreet.data.frames import as_arrow_table, as_narwhals, column_names
from discreet.data.inference import Proposal, join_proposals, propose_schema, with_new_levels
from discreet.data.microdata import Microdata
from discreet.data.schema import Attribute, Schema
from discreet.data.sequence_shapes import declare_sequence
from discreet.data.state_columns import StateTable, declared_tables, gather
from discreet.data.survey import Declaration, complete
from discreet.data.table import StoredTable
from discreet.errors import FileError, ParameterError, SchemaError, door, wrong_type
from discreet.io.stored_csv import CsvSource, StoredText, is_text, read_stored_text
from discreet.io.stored_parquet import ParquetSource, read_head
from discreet.typing import Json

__all__ = [
    "check_outputs",
    "files_named",
    "inspect",
    "load_schema",
    "make_folder",
    "read",
    "read_release",
    "readable_endings",
    "save_schema",
    "scan",
    "scan_release",
    "survey",
    "writable_endings",
    "write",
    "write_hierarchy",
    "write_links",
    "written_together",
]


def readable_endings() -> tuple[str, ...]:
    """Return the endings of the files that can be read here."""
    return tuple(io.FORMATS)


def writable_endings() -> tuple[str, ...]:
    """Return the endings of the files that can be written here."""
    return tuple(ending for ending in io.FORMATS if io.can_write(f"file{ending}"))


Declared = Declaration | Schema | str | os.PathLike[str] | None
"""What may be said of a table: all of it (Schema), a part (Declaration), a TOML file that says either, or nothing."""


def load_schema(schema: Schema | str | os.PathLike[str] | None) -> Schema | None:
    """Return a schema from itself, from a TOML file, or None."""
    return schema if schema is None or isinstance(schema, Schema) else Schema.load(schema)


def _check_path(owner: str, path: Any, schema: Any) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type(owner, "path must be the path of a file", path, "dc.microdata(frame, schema) takes a table.")
    if schema is not None and not isinstance(schema, (Schema, Declaration, str, os.PathLike)):
        raise wrong_type(owner, "schema must be a Schema or the path of a TOML file", schema)


def _whole(schema: Declared, columns: Sequence[str]) -> Schema | None:
    """Return the schema where it declares every column, and nothing has to be inferred."""
    if schema is None:
        return None
    if not isinstance(schema, Schema):
        declaration = Declaration.of(schema)
        if declaration.only_attributes and declaration.is_whole(columns):
            schema = Schema(Attribute.from_dict(table) for table in declaration.attributes)
    return schema if isinstance(schema, Schema) and all(name in schema for name in columns) else None


@door
def read(
    path: str | os.PathLike[str],
    schema: Declared = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sequence: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    leave_out: str | Sequence[int] | None = None,
) -> Microdata:
    """Read a file and join it with its schema.

    Parameters
    ----------
    path : path
        By its ending: text (``.csv``, ``.tsv``, ``.txt``), lines of JSON (``.ndjson``, ``.jsonl``), either packed
        (``.gz``, ``.bz2``, ``.zst``), Parquet, Arrow, Excel (``.xlsx``), SPSS (``.sav``), Stata
        (``.dta``) or SAS (``.sas7bdat``, ``.xpt``).
    schema : Schema, Declaration or path of a TOML file, optional
        What it leaves open is inferred, and marked so in the schema of the result; without it, all of it: look at it
        with :func:`inspect` first. Identifiers that it declares may be absent from the file.
    delimiter, encoding : str, optional
        For text files; the delimiter is found by itself, the encoding is UTF-8 unless said otherwise.
    sequence : str, optional
        A column to take as a key that is a sequence of events, unless the schema declares it as one.
    header : bool, optional
        For text files and workbooks: whether the first line names the columns. By default it does, and a first line
        that looks like a record is asked about. Columns without names are called ``column_1``, ``column_2`` …
    decimal, thousands : str, optional
        For text files: the marks of numbers, where the file alone does not tell them.
    leave_out : str or sequence of int, optional
        For text files: lines that are no part of the table, such as a title, units or totals; ``[1, -1]`` are the first
        and the last, ``"none"`` says that there are none.

    Returns
    -------
    Microdata
    """
    _check_path("read", path, schema)
    declaration = Declaration.of(schema)
    table, origin = io.read_table(
        path, delimiter=delimiter, encoding=encoding, header=header, decimal=decimal, thousands=thousands,
        leave_out=leave_out, names=declaration.names() or None,
    )  # fmt: skip
    states = declaration.state_tables(table.column_names)
    table, origin = gather(table, origin, states)
    declared = _whole(schema, table.column_names)
    if declared is None:
        proposal = _completed(table, origin, declaration, stated=states)
        proposed = _remembering(Microdata(table, proposal.schema, origin=origin))
        if sequence is not None and not proposed.schema.of_scale("sequence", among=[sequence]):
            proposed = declare_sequence(proposed, sequence)
        return proposed.validate() if declaration.told else proposed
    # A release has lost its identifiers and nothing else; it is read with the schema of its original.
    columns = [a.name for a in declared if a.role != "identifier" or a.name in table.column_names]
    declared = declared if len(columns) == len(declared) else declared.select(columns)
    if sequence is not None and not declared.of_scale("sequence", among=[sequence]):
        return declare_sequence(Microdata(table, declared, origin=origin), sequence).validate()
    return _remembering(Microdata(table, declared, origin=origin).validate())


@door
def scan(path: str | os.PathLike[str], schema: Declared = None, **layout: Any) -> StoredTable:
    """Open a Parquet or CSV file, or a folder of Parquet files, that may be larger than memory, with its schema.

    Parameters
    ----------
    path : path
        A text file (``.csv``, ``.tsv``, ``.txt``, packed or not) is read once, into a temporary folder of about twice
        its size, which is removed when nobody holds the table any more.
    schema : Schema, Declaration or path of a TOML file, optional
        What it leaves open is inferred from the first 100,000 records: look at it with :func:`inspect` first.
        Identifiers that it declares may be absent from the file.
    **layout
        For a text file: `delimiter`, `encoding`, `header`, `decimal`, `thousands` and ``leave_out="none"``, as for
        :func:`read`.

    Returns
    -------
    StoredTable
        What :func:`discreet.protect` and :func:`discreet.assess` take in place of a table in memory.
    """
    _check_path("scan", path, schema)
    text = Path(path).is_file() and is_text(path)
    if Path(path).is_file() and not text and Path(path).suffix.lower() not in {".parquet", ".pq"}:
        raise ParameterError(
            "Only Parquet and CSV files can be larger than memory.", hint="Convert the file, or leave the engine out."
        )
    declaration = Declaration.of(schema)
    if declaration.states or any(table.get("columns") for table in declaration.attributes):
        raise ParameterError(
            "States in columns of their own are gathered in memory, not in a file that is streamed.",
            hint="Read it whole, in memory, or write the sequences as one list column (from_states).",
        )
    options = {name: value for name, value in layout.items() if value is not None}
    unknown = [name for name in options if name not in _LAYOUT or not text]
    if unknown:
        raise ParameterError(f"{unknown[0]} cannot be set for {'this' if text else 'a Parquet'} file.")
    content = io.content_of(path)  # which may wait for its name
    stored = _stored_text(Path(path), declaration.names() or (), options) if text else None
    where = content if stored is None else stored.table
    present = set(read_head(where, 1).column_names)
    if any(("=" in name or ".." in name) and name not in present for name in declaration.series):
        raise ParameterError(
            "A series that is gathered from several columns needs the file in memory; it cannot be streamed.",
            hint="Leave the engine out, or write the readings as one column.",
        )
    declared = _whole(schema, sorted(present))
    if declared is None:
        declared = _completed(read_head(where), {}, declaration, gathering=False).schema
    # A release has lost its identifiers and nothing else; it is read with the schema of its original.
    declared = declared.select(a.name for a in declared if a.role != "identifier" or a.name in present)
    if stored is not None:
        return CsvSource(stored, declared, [path, *files_named([schema])])
    return ParquetSource(content, declared, files_named([schema]))


@door
def scan_release(path: str | os.PathLike[str], original: StoredTable, **layout: Any) -> StoredTable:
    """Open a release of a table in files; a text is read with the decimal mark of the original."""
    if not is_text(path):
        return scan(path, original.schema)
    if layout.get("leave_out") is not None:
        layout["leave_out"] = "none"  # a release has no lines but its names and records
    if isinstance(original, CsvSource):
        layout["decimal"] = layout.get("decimal") or original.decimal
    return scan(path, original.schema, **layout)


_LAYOUT = ("delimiter", "encoding", "header", "decimal", "thousands", "leave_out")


def _stored_text(path: Path, names: Iterable[str], options: Json) -> StoredText:
    try:
        return read_stored_text(path, names=names, **options)
    except PermissionError:
        raise FileError(f"The file {str(path)!r} cannot be read.", hint="Check its permissions.") from None
    except UnicodeError:
        raise FileError(
            f"{str(path)!r} holds bytes that are not {options.get('encoding', 'utf-8')} text.",
            hint="Name its encoding, such as --encoding latin-1.",
        ) from None


@door
def survey(
    data: Any,
    *,
    keys: str | Sequence[str] = (),
    confidential: str | Sequence[str] = (),
    weight: str | None = None,
    household: str | None = None,
    strata: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    others: str | None = None,
    numeric: str | Sequence[str] = (),
    ordinal: str | Sequence[str] = (),
    nominal: str | Sequence[str] = (),
    items: str | Sequence[str] = (),
    series: str | Sequence[str] = (),
    trajectory: str | Sequence[str] = (),
    queries: str | Sequence[str] = (),
    states: str | Sequence[str] = (),
    schema: Schema | str | os.PathLike[str] | None = None,
    **reading: Any,
) -> Microdata:
    """Declare a survey in one line: what is known of it is named, and the rest is inferred.

    Parameters
    ----------
    data : path, pandas.DataFrame, polars.DataFrame, pyarrow.Table or Microdata
    keys : sequence of str
        What an intruder may know. Names or patterns, here and below: ``"region*"`` is every column that begins so. A
        list that is given is whole; without it, keys are inferred.
    confidential : sequence of str
        What must not become known of a person.
    weight : str, optional
        The survey weight.
    household : str, optional
        The number that says who lives together. It is not released; `household-risk` and steps with a unit use it.
    strata : sequence of str
        Within whose combinations the sample was drawn.
    identifiers : sequence of str
        What is never released. What looks like one is one, unless it is named otherwise.
    others : {"key", "confidential", "identifier", "other", "drop"}, optional
        The role of all columns that are not named; ``"drop"`` leaves them out. Inferred by default.
    numeric, ordinal, nominal, items, trajectory, queries : sequence of str
        Scales that are not to be inferred. Levels are taken from the data.
    series : sequence of str
        Readings in the order of time: a column whose cells hold them (``"20.5;21;19.5"``, or lists), or a range of
        columns as in `states`. A range is a key unless it is listed elsewhere by its name.
    states : sequence of str
        Columns that are the positions of one sequence, such as the months of a life course: ``"Jul.93..Jun.99"`` or
        ``"m1,m2,m3"``; ``"work=m1..m9"`` names it. It is a key unless it is listed elsewhere by its name.
    schema : Schema or path of a TOML file, optional
        What is declared already; it may be partial.
    **reading
        For a path: as for :func:`read`.

    Returns
    -------
    Microdata
        Its schema says of every attribute what was inferred (:attr:`Attribute.inferred`), and so does its `repr`.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 45, 52, 60], "town": ["A", "B", "A", "B"], "w": [2.5, 1.5, 2.0, 4.0]})
    >>> table = survey(people, keys=["age", "town"], weight="w", numeric="age")
    >>> table.schema.keys, table.schema.weight, table.schema["town"].scale.levels
    (('age', 'town'), 'w', ('A', 'B'))
    >>> table
    Microdata(4 records × 3 attributes: 2 key, 1 weight; 1 scale inferred)
    """
    declaration = Declaration(
        keys=_names(keys), confidential=_names(confidential), identifiers=_names(identifiers), strata=_names(strata),
        weight=weight, household=household, others=others, numeric=_names(numeric), ordinal=_names(ordinal),
        nominal=_names(nominal), items=_names(items), series=_names(series),
        trajectory=_names(trajectory), queries=_names(queries), states=_names(states),
    ).and_file(schema)  # fmt: skip
    if isinstance(data, (str, os.PathLike)):
        return read(data, declaration, **reading)
    if reading:
        raise ParameterError(f"survey: {next(iter(reading))} is for files.")
    table = as_narwhals(_native(data)).to_native()  # once: a stream is read to its end
    origin = data.origin if isinstance(data, Microdata) else {}
    gathered = declaration.state_tables(column_names(table))
    table, origin = gather(table, origin, gathered)
    proposal = _completed(as_arrow_table(table), origin, declaration, table, stated=gathered)
    return _remembering(Microdata(table, proposal.schema, origin=origin)).validate()


def _names(columns: str | Sequence[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)


@door
def read_with_proposal(
    path: str | os.PathLike[str],
    schema: Schema | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    **layout: Any,
) -> tuple[Microdata, Proposal]:
    """Read a file once, and return it as the proposal declares it, with the proposal's reasons and counts.

    What a schema takes for one attribute or for several, the proposal does too.
    """
    declaration = Declaration.of(schema)
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding, **layout)
    table, origin = gather(table, origin, declaration.state_tables(table.column_names))
    proposal = _proposed(table, origin, apart=declaration.speaks_of)
    return _remembering(Microdata(table, proposal.schema, origin=origin)), proposal


def _proposed(table: Any, origin: Json, frame: Any = None, apart: Callable[[str], bool] | None = None) -> Proposal:
    """Propose a schema; what a file says about its own columns goes before what can be guessed.

    The frame that a table was made from knows the order of its categories, which Arrow does not always keep.
    """
    if "labels" in origin or "fixed" in origin:
        apart = _every  # what a file says of its columns, it says of each of them
    proposal = propose_schema(
        table if frame is None else frame, origin["labels"].variables if "labels" in origin else None,
        origin=origin, apart=apart,
    )  # fmt: skip
    if "fixed" in origin:
        return io.declared_by_rda(proposal, table, origin["fixed"])
    return io.declared_by_labels(proposal, table, origin["labels"]) if "labels" in origin else proposal


def _every(_: str) -> bool:
    return True


def _completed(
    table: Any,
    origin: Json,
    told: Declaration,
    frame: Any = None,
    *,
    stated: Iterable[StateTable] = (),
    gathering: bool = True,
) -> Proposal:
    """Return what was declared of a table with what can be inferred of the rest.

    Parameters
    ----------
    stated : iterable of StateTable
        What was gathered in the table as it was declared.
    gathering : bool
        Whether columns may be taken for the positions of a sequence that nobody declared.
    """
    proposal = _proposed(table, origin, frame, told.speaks_of if gathering else _every)
    if not told.told:
        return proposal
    whole = gather(table, origin, declared_tables(proposal.schema, table.column_names))[0]
    described = {one.get("name") for one in told.attributes}
    return complete(proposal, told, whole, {one.name: one.scale for one in stated if one.name not in described})


def _remembering(table: Microdata) -> Microdata:
    """Keep the schema of the original with the labels of its file, so that the writer can tell what became of both."""
    if "labels" in table.origin:
        table.origin["declared"] = table.schema
    return table


@door
def read_release(
    path: str | os.PathLike[str],
    original: Microdata,
    schema: Schema | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    **layout: Any,
) -> Microdata:
    """Read a released file.

    Parameters
    ----------
    path : path
    original : Microdata
        What it is a release of; identifiers may be absent from it.
    schema : Schema, optional
        The release's own, where levels changed. By default that of the original, with the levels that are new read off
        the file: categories that were merged or renamed become unordered ones.
    delimiter, encoding, **layout
        As for :func:`read`; decimals are written as in the original, and read so where nothing else is said.
    """
    if layout.get("leave_out") is not None:
        layout["leave_out"] = "none"  # a release has no lines but its names and records
    if io.FORMATS.get(io.ending_of(path)) == io.FORMATS[".csv"] and "dialect" in original.origin:
        layout["decimal"] = layout.get("decimal") or original.origin["dialect"].get("decimal")
    names = (*original.names, *original.origin.get("column_order", ()))
    table, origin = io.read_table(path, delimiter=delimiter, encoding=encoding, names=names, **layout)
    table, origin = gather(table, origin, declared_tables(original.schema, table.column_names))
    extra = [name for name in table.column_names if name not in original.schema]
    if extra and len(extra) == len(table.column_names):
        raise SchemaError(
            "The two files have no attribute in common.",
            hint="`discreet link` links such files by the linker structural; or rename what means the same.",
        )
    if extra:
        raise SchemaError(f"The release has {len(extra)} columns that the original lacks, the first {extra[0]!r}.")
    declared = original.schema if schema is None else schema
    absent = [name for name in table.column_names if name not in declared]
    if absent:
        raise SchemaError(f"The schema of the release lacks {len(absent)} of its columns, the first {absent[0]!r}.")
    declared = declared.select(table.column_names)
    release = Microdata(table, declared if schema is not None else with_new_levels(table, declared), origin=origin)
    after: Microdata = aligned(original, release)[1]
    return after


@door
def inspect(
    source: Any, schema: Declared = None, *, delimiter: str | None = None, encoding: str | None = None, **layout: Any
) -> Proposal:
    """Propose a schema for a file or a table, with the reason for every choice.

    Parameters
    ----------
    source : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
    schema : Schema, Declaration or path of a TOML file, optional
        What is declared already; the rest is inferred.
    delimiter, encoding, **layout
        As for :func:`read`.
    """
    declaration = Declaration.of(schema)
    if declaration.told:
        if isinstance(source, (str, os.PathLike)):
            table, origin = io.read_table(
                source, delimiter=delimiter, encoding=encoding, names=declaration.names() or None, **layout
            )
            states = declaration.state_tables(table.column_names)
            return _completed(*gather(table, origin, states), declaration, stated=states)
        frame = as_narwhals(_native(source)).to_native()
        states = declaration.state_tables(column_names(frame))
        frame, origin = gather(frame, {}, states)
        return _completed(as_arrow_table(frame), origin, declaration, frame, stated=states)
    if isinstance(source, (str, os.PathLike)):
        groups = io.read_groups(source, delimiter=delimiter, encoding=encoding, **layout)
        return join_proposals(_proposed(*group) for group in groups)
    return propose_schema(_native(source))


def _native(source: Any) -> Any:
    return source.to_native() if isinstance(source, Microdata) else source


def save_schema(schema: Schema, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a schema as a TOML file, whole or not at all."""
    io.write_text(path, schema.to_toml(), inputs)


def check_outputs(paths: Iterable[str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse paths that could not be written, or of which two are one file, before any work is done."""
    io.check_targets(paths, inputs)


def written_together(
    paths: Iterable[str | os.PathLike[str]] = (),
    inputs: Iterable[str | os.PathLike[str]] = (),
    *,
    last: bool = False,
) -> AbstractContextManager[None]:
    """Write several files together: all of them get their names at the end of the block, or none does.

    Inside the block nothing that was read (`inputs`) is written over, whoever writes. Whatever cannot be written, or
    would be written twice, is refused before anything is. The last block of a command says so (`last`): from then on
    an interrupt comes too late.
    """
    return io.written_together(paths, inputs, last=last)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder for outputs where there is none."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise FileError(f"{str(path)!r} is a file, not a folder.", hint="Name a folder that may be made.") from None
    except OSError:
        raise FileError(f"The folder {str(path)!r} cannot be made.", hint="Check its permissions.") from None


def files_named(value: Any) -> list[Path]:
    """Return the files that parameters name: hierarchies, say, or those of a folder of them. They are inputs too."""
    if isinstance(value, Mapping):
        return [path for one in value.values() for path in files_named(one)]
    if isinstance(value, (list, tuple)):
        return [path for one in value for path in files_named(one)]
    if not isinstance(value, (str, os.PathLike)):
        # A privacy model may be one of a population, which is a file too.
        return files_named(getattr(value, "population", None)) if hasattr(value, "population") else []
    if isinstance(value, str) and "=" in value:  # several things in one text: models, or a file by attribute
        words = re.split(r"[\s;,=]+", value)
        return [path for word in words if word and "=" not in word for path in files_named(word)]
    try:
        if Path(value).is_dir():
            return sorted(Path(value).glob("*.csv"))
        return [Path(value)] if Path(value).is_file() else []
    except (OSError, ValueError):  # no path at all
        return []


def write_hierarchy(path: str | os.PathLike[str], text: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write the text of a hierarchy, whole or not at all, and never over an input."""
    io.write_text(path, text, inputs)


@door
def write(
    masked: Masked | Microdata, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Write a table by the ending of the path: whole or not at all, and never over an input.

    The file that the table was read from counts as an input without being named. Labels of columns and values that came
    with it are written where the format has room for them, and fit the release: merged categories are called by the
    names of all their parts, and a category that nobody has left is no longer listed.

    Raises
    ------
    BrokenGuaranteeError
        What a `Masked` promises about records that look alike does not hold in what was written, counted there as a
        stranger would; the file is not put in place.
    """
    if not isinstance(masked, (Masked, Microdata)):
        raise wrong_type("write", "masked must be what a masker gave, or Microdata", masked, "Use dc.microdata(frame).")
    _check_path("write", path, None)
    table = masked.microdata if isinstance(masked, Masked) else masked
    if "labels" in table.origin and "declared" in table.origin:
        provenance = masked.provenance if isinstance(masked, Masked) else None
        labels = io.after_masking(table.origin["labels"], table.origin["declared"], table, provenance)
        table = Microdata(table.to_native(), table.schema, origin={**table.origin, "labels": labels})
    sources = [*inputs, *([table.origin["path"]] if "path" in table.origin else [])]
    promised = masked.provenance.guarantees if isinstance(masked, Masked) else ()
    io.write_table(table, path, sources, promised)


def write_links(links: Links, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write links as a table: positions, scores and ties, no values."""
    io.write_frame(links.to_frame(), path, inputs)
