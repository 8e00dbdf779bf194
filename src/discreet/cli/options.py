"""What many commands take: arguments and options, each named and explained once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, safe
from discreet.errors import FileError, ParameterError

__all__ = [
    "BlockSize",
    "Data",
    "Delimiter",
    "Encoding",
    "EngineName",
    "Json",
    "LinkerName",
    "MaskedBy",
    "MaskedByProtocol",
    "MaskedFile",
    "MaskerName",
    "MaskerOrNone",
    "Master",
    "OperatorOption",
    "Parameter",
    "Quiet",
    "Recode",
    "SchemaFile",
    "Seed",
    "SequenceColumn",
    "Verbose",
    "dataset_names",
    "declares",
    "engine_of",
    "given",
    "method_names",
    "reads_text",
    "refuse_existing",
    "refuse_streamed",
    "streamed_layout",
    "tell_inferred",
]


def method_names(incomplete: str) -> list[str]:
    """Return the names of all methods that begin like this, for the shell to complete."""
    from discreet import workflow

    return [name for methods in workflow.kept_methods().values() for name in methods if name.startswith(incomplete)]


def _of(contract: str, incomplete: str) -> list[str]:
    from discreet import workflow

    return [name for name in workflow.kept_methods()[contract] if name.startswith(incomplete)]


def _maskers(incomplete: str) -> list[str]:
    return _of("maskers", incomplete)


def _linkers(incomplete: str) -> list[str]:
    return _of("linkers", incomplete)


def _operators(incomplete: str) -> list[str]:
    from discreet import workflow

    return [name for name in workflow.kept_operators() if name.startswith(incomplete)]


def dataset_names(incomplete: str) -> list[str]:
    """Return the bundled data sets that begin like this, for the shell to complete."""
    from discreet import workflow

    return [name for name in workflow.list_datasets() if name.startswith(incomplete)]


Data = Annotated[Path, typer.Argument(help="The data: .csv, .parquet, .xlsx, .sav, .dta, .xpt …", show_default=False)]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", "-s", help="TOML file that declares the attributes.", show_default=False)
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine", help="memory, streaming or spark; by default the size of the file decides.", show_default=False
    ),
]
Master = Annotated[
    str | None, typer.Option(help="Where Spark runs: local[4], spark://host:7077, yarn.", show_default=False)
]
BlockSize = Annotated[
    int | None,
    typer.Option(
        "--block-size", min=8, help="Most records grouped at a time; 50,000 of a file that is streamed.",
        show_default=False,
    ),
]  # fmt: skip
Delimiter = Annotated[str | None, typer.Option(help="What separates fields; found by itself.", show_default=False)]
Encoding = Annotated[str | None, typer.Option(help="Text encoding; UTF-8 unless said.", show_default=False)]
_LAYOUT: dict[str, Any] = {
    "header": Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line names the columns.", show_default=False),
    ],
    "decimal": Annotated[
        str | None, typer.Option(help="The decimal mark of numbers: . or ,", show_default=False, metavar="MARK")
    ],
    "thousands": Annotated[
        str | None,
        typer.Option(
            help="What stands between thousands: . , space apostrophe none", show_default=False, metavar="MARK"
        ),
    ],
    "leave_out": Annotated[
        str | None,
        typer.Option(
            help="Lines that are no records: 1 a title, -1 totals; or none.", show_default=False, metavar="LINES"
        ),
    ],
}
"""How a text file is laid out, where it does not say so itself."""


def reads_text(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how a text file is laid out; what was typed comes as its `layout`."""
    own = inspect.signature(command, eval_str=True)
    layout_options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _LAYOUT.items()
    ]
    own_options = [parameter for name, parameter in own.parameters.items() if name != "layout"]

    @wraps(command)
    def run(*args: Any, **typed: Any) -> None:
        layout = {name: value for name in _LAYOUT if (value := typed.pop(name, None)) is not None}
        command(*args, **typed, layout=layout)

    run.__signature__ = own.replace(parameters=[*own_options, *layout_options])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own_options, *layout_options]}
    return run


def _columns(help_: str) -> Any:
    return Annotated[list[str] | None, typer.Option(help=help_, show_default=False, metavar="COLUMNS")]


def _column(help_: str) -> Any:
    return Annotated[str | None, typer.Option(help=help_, show_default=False, metavar="COLUMN")]


_DECLARATION: dict[str, Any] = {
    "keys": _columns("What an intruder may know: age,sex,region*; repeatable, as all of these."),
    "confidential": _columns("What must not become known of a person."),
    "weight": _column("The survey weight."),
    "household": _column("The number that says who lives together; it is not released."),
    "strata": _columns("Within whose combinations the sample was drawn."),
    "identifiers": _columns("What is never released."),
    "others": Annotated[
        str | None,
        typer.Option(
            help="The role of all columns not named: key, confidential, other or drop. Inferred by default.",
            show_default=False,
            metavar="ROLE",
        ),
    ],
    "numeric": _columns("Numbers that are quantities."),
    "ordinal": _columns("Categories in order."),
    "nominal": _columns("Categories without an order, such as codes."),
    "items": _columns("Sets of items: tea, milk."),
    "series": Annotated[
        list[str] | None,
        typer.Option(
            help="Readings in the order of time: a column of cells such as 20.5;21;19.5, or a range of columns.",
            show_default=False,
            metavar="COLUMN | FIRST..LAST",
        ),
    ],
    "trajectory": _columns("Places in the order of time: 06:10,48.2,16.37;06:40,48.21,16.38."),
    "queries": _columns("What somebody searched for, in free words: flights rome | weather."),
    "states": Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that are one sequence of states: Jul.93..Jun.99, or m1,m2,m3; one sequence each time.",
            show_default=False,
            metavar="FIRST..LAST",
        ),
    ],
}
"""What can be said of the columns without a schema file, or beside one."""


def declares(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that declare columns, --schema among them; they come as its `declared`.

    `declared` is what :func:`discreet.workflow.read` takes for a schema: the path where nothing else was typed, and
    None where nothing was declared at all.
    """
    own = inspect.signature(command, eval_str=True)
    names_file = "schema" in own.parameters
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in (({} if names_file else {"schema": SchemaFile}) | _DECLARATION).items()
    ]
    own_options = [parameter for name, parameter in own.parameters.items() if name != "declared"]

    @wraps(command)
    def run(*args: Any, **typed: Any) -> None:
        told = {name: value for name in _DECLARATION if (value := typed.pop(name, None))}
        schema = typed.get("schema") if names_file else typed.pop("schema", None)
        command(*args, **typed, declared=_declared(told, schema))

    run.__signature__ = own.replace(parameters=[*own_options, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own_options, *options]}
    return run


def _declared(told: dict[str, Any], schema: Path | None) -> Any:
    if not told:
        return schema
    from discreet import workflow

    lists: dict[str, Any] = {
        n: value if isinstance(value, str) or n in {"series", "states"} else _split(value) for n, value in told.items()
    }
    return workflow.Declaration(**lists).and_file(schema)


def _split(typed: list[str]) -> list[str]:
    return [name for text in typed for part in text.split(",") if (name := part.strip())]


def tell_inferred(schema: Any, *, quiet: bool) -> None:
    """Say on standard error, in a line or two, what of a schema was inferred and what is asked."""
    if quiet:
        return
    lines = [f"the {part} of {_some(schema.inferred(part))}" for part in ("role", "scale") if schema.inferred(part)]
    if lines:
        err.print(f"Inferred: {safe(', '.join(lines))}. `discreet inspect` shows why.", highlight=False, soft_wrap=True)
    asked = [a.name for a in schema if a.inferred is not None and a.inferred.question and a.role == "key"]
    if asked:
        err.print(
            f"Quantities or codes? {safe(_some(asked))}: say --numeric, --ordinal or --nominal.",
            highlight=False, soft_wrap=True,
        )  # fmt: skip


def _some(names: Sequence[str], most: int = 6) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{len(names)} columns ({', '.join(names[:most])} …)"


Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars, no remarks.")]
SequenceColumn = Annotated[
    str | None, typer.Option("--sequence", help="A column that is a sequence of events.", show_default=False)
]
MaskedBy = Annotated[
    list[str] | None,
    typer.Option(
        "--method", "-m", help="How the file was masked: 'rank-swapping p=10'; a step each.", show_default=False
    ),
]
MaskedByProtocol = Annotated[
    Path | None, typer.Option("--protocol", help="The protocol that the file was made by.", show_default=False)
]
MaskedFile = Annotated[Path, typer.Argument(help="The masked file.", show_default=False)]
MaskerName = Annotated[
    str, typer.Option("--method", "-m", help="How to mask; see `discreet methods`.", autocompletion=_maskers)
]
MaskerOrNone = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        help="How to mask; see `discreet methods`. By default mdav, or nothing beside --recode.",
        autocompletion=_maskers,
        show_default=False,
    ),
]
Recode = Annotated[
    list[str] | None,
    typer.Option(
        "--recode",
        help="Recode a column first, COLUMN=HOW: bands 0,15,30,75+ or nice:10, @hierarchy.csv:2, wood>other, rare:5, "
        "prefix:3, month; repeatable.",
        show_default=False,
        metavar="COLUMN=HOW",
    ),
]
LinkerName = Annotated[str, typer.Option(help="How to link; see `discreet methods`.", autocompletion=_linkers)]
Parameter = Annotated[
    list[str] | None, typer.Option("--set", help="Any parameter, as name=value; may be repeated.", show_default=False)
]
OperatorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--operator",
        help="What a group is released as: owa:most, median, power-mean:p=2, COLUMN=trimmed-mean:0.1; repeatable. "
        "`discreet methods --operators` lists them.",
        show_default=False,
        metavar="OPERATOR",
        autocompletion=_operators,
    ),
]

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also say what took how long, and every note.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Where random draws come from.", show_default=False)]


def refuse_existing(paths: Iterable[Path], *, force: bool) -> None:
    """Refuse to write over a file that is there, unless it was asked for."""
    for path in paths:
        if path.exists() and not force:
            raise FileError(f"{str(path)!r} exists already.", hint="Write to another file, or add --force.")


def given(k: str | None, attributes: str | None, seed: int | None, pairs: list[str]) -> dict[str, str]:
    """Gather the parameters that a user typed, as text by name."""
    result: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"--set must be name=value; got {pair!r}.")
        result[name.strip()] = value
    named = {"k": k, "attributes": attributes, "random_state": None if seed is None else str(seed)}
    return result | {name: value for name, value in named.items() if value is not None}


def engine_of(data: Path, engine: str | None, master: str | None, *, quiet: bool) -> str:
    """Return the engine for a file: the one that is named, or that of its size."""
    from discreet import workflow

    if engine not in (None, "memory", "streaming", "spark"):
        raise ParameterError(f"--engine must be memory, streaming or spark; got {engine!r}.")
    if master is not None and engine != "spark":
        raise ParameterError("--master belongs to --engine spark.", hint="Add --engine spark.")
    if engine is not None:
        return engine
    if data.is_dir():
        return "streaming"
    if not data.exists() or not workflow.is_large(data):
        return "memory"
    if not quiet:
        err.print(
            f"{safe(data.name)} takes more than a tenth of this machine's memory: it is streamed, in blocks. "
            "Say --engine memory, streaming or spark to choose yourself.",
            highlight=False,
        )
    return "streaming"


def streamed_layout(data: Path, **options: Any) -> dict[str, Any]:
    """Return how a file that is streamed is laid out: a text file may be told, another kind has nothing to tell."""
    from discreet import workflow

    if not data.is_file() or not workflow.is_text(data):
        refuse_streamed(**options)
    return options


def refuse_streamed(**options: Any) -> None:
    """Refuse options that a file which is not held in memory cannot have."""
    named = [f"--{name.replace('_', '-')}" for name, value in options.items() if value]
    if named:
        raise ParameterError(
            f"{named[0]} cannot be used for a file that is streamed.",
            hint="Hold it in memory with --engine memory; what a column is can be declared in a schema.",
        )
