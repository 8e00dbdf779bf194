"""What many commands take: arguments and options, each named and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.errors import ParameterError

__all__ = ["Data", "Delimiter", "Encoding", "Json", "Quiet", "SchemaFile", "Seed", "SequenceColumn", "given"]

Data = Annotated[Path, typer.Argument(help="The data: .csv, .tsv, .txt or .parquet.", show_default=False)]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", "-s", help="TOML file that declares the attributes.", show_default=False)
]
Delimiter = Annotated[str | None, typer.Option(help="What separates fields; found by itself.", show_default=False)]
Encoding = Annotated[str | None, typer.Option(help="Text encoding; UTF-8 unless said.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars, no remarks.")]
SequenceColumn = Annotated[
    str | None, typer.Option("--sequence", help="A column that is a sequence of events.", show_default=False)
]
Seed = Annotated[int | None, typer.Option(min=0, help="Where random draws come from.", show_default=False)]


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
