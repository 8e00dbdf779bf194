"""``attack`` and ``link``: what an intruder does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    Json,
    LinkerName,
    MaskedFile,
    Parameter,
    Quiet,
    SchemaFile,
    SequenceColumn,
    Verbose,
    declares,
    given,
    reads_text,
    tell_inferred,
)

__all__ = ["attack", "link"]


@reads_text
@declares
def attack(
    original: Data,
    masked: MaskedFile,
    linker: LinkerName = "distance",
    attributes: Annotated[
        str | None, typer.Option(help="What the intruder knows, separated by commas.", show_default=False)
    ] = None,
    parameter: Parameter = None,
    sequence: SequenceColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Link a release back to the original, as an intruder would, and count the correct links.

    For example:

    discreet attack survey.csv masked.csv --schema survey.toml

    discreet attack survey.csv masked.csv -s survey.toml --attributes age,income --linker probabilistic --json
    """
    from discreet import workflow

    parameters = workflow.parse_parameters("linker", linker, given(None, attributes, None, parameter or []))
    with progress(quiet=quiet or json, verbose=verbose):
        before = workflow.read(original, declared, delimiter=delimiter, encoding=encoding, **layout, sequence=sequence)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        links = workflow.attack(before, after, linker, **parameters)
    tell_inferred(before.schema, quiet=quiet or json)
    unused = [] if "attributes" in parameters else _unused(links, before, after)
    result = links.evaluate()
    low, high = result.interval()
    if json:
        print_json(
            {
                "linker": linker,
                "known": list(links.attributes),
                "left_out": unused,
                "n": result.n,
                "expected": result.expected,
                "optimistic": result.optimistic,
                "pessimistic": result.pessimistic,
                "chance": result.chance,
                "rate": result.rate,
                "interval": [low, high],
            }
        )
        return
    out.print(
        f"[bold]{result.expected:.1f} of {result.n} records linked correctly[/bold] ({100 * result.rate:.2f} %, "
        f"95 % interval {100 * low:.2f} to {100 * high:.2f} %); guessing finds {result.chance:.1f}."
    )
    if quiet:
        return
    out.print(f"Ties all for the intruder: {result.optimistic}; all against: {result.pessimistic}.")
    out.print(f"The intruder is assumed to know: {safe(', '.join(links.attributes))}.")
    _say_what_was_left_out(links, unused)


@reads_text
@declares
def link(
    a: Data,
    b: Annotated[Path, typer.Argument(help="The file whose records are looked up in the first.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The links, as .csv or .parquet.", show_default=False)],
    schema: SchemaFile = None,
    schema_b: Annotated[
        Path | None, typer.Option(help="The second file's own schema, if it has one.", show_default=False)
    ] = None,
    linker: LinkerName = "probabilistic",
    attributes: Annotated[
        str | None, typer.Option(help="What to link on, separated by commas.", show_default=False)
    ] = None,
    parameter: Parameter = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Link two files of any size: for every record of the second, who it is in the first.

    For example:

    discreet link register.csv survey.csv --schema both.toml --attributes age,town -o links.csv

    discreet link a.csv b.csv --linker structural --schema-b b.toml -o links.csv    (files that share no attribute)
    """
    from discreet import workflow

    inputs = [a, b, *(path for path in (schema, schema_b) if path)]
    parameters = workflow.parse_parameters("linker", linker, given(None, attributes, None, parameter or []))
    inputs += workflow.files_named(parameters)
    workflow.check_outputs([output], inputs)
    with progress(quiet=quiet or json, verbose=verbose):
        first = workflow.read(a, declared, delimiter=delimiter, encoding=encoding, **layout)
        declared_b = schema_b or (first.schema if workflow.shares_attributes(linker) else None)
        second = workflow.read(b, declared_b, delimiter=delimiter, encoding=encoding, **layout)
        links = workflow.link(first, second, linker, **parameters)
        with workflow.written_together([output], inputs, last=True):
            workflow.write_links(links, output, inputs)
    tell_inferred(first.schema, quiet=quiet or json)
    unused = [] if "attributes" in parameters else _unused(links, first, second)
    linked, tied = int((links.best >= 0).sum()), int((links.ties > 1).sum())
    decided = {} if links.decision is None else {"decided": int((links.decision == 2).sum())}
    if json:
        print_json({"linker": linker, "on": list(links.attributes), "left_out": unused, "n_a": links.n_a,
                    "n_b": links.n_b, "with_a_candidate": linked, "tied": tied, **decided})  # fmt: skip
        return
    if not quiet:
        sure = f", {decided['decided']} of them above the threshold of a link" if decided else ""
        out.print(f"{linked} of {links.n_b} records have a best candidate among {links.n_a}{sure}; {tied} are tied.")
        out.print(f"Linked on: {safe(', '.join(links.attributes))}. Written to {safe(str(output))}.")
        _say_what_was_left_out(links, unused)


def _unused(links: Any, first: Any, second: Any) -> list[str]:
    """Return the keys that both files have and a linker left out that links on keys, because they are too many."""
    if not links.attributes:
        return []
    return [name for name in first.schema.keys if name in second.schema and name not in links.attributes]


def _say_what_was_left_out(links: Any, unused: list[str]) -> None:
    if unused:
        count = len(links.attributes)
        out.print(
            f"The linker used {count} of {count + len(unused)} keys, those on which fewest pairs agree by chance: who "
            f"uses the others too may find more. Left out: {safe(', '.join(unused))}."
        )
