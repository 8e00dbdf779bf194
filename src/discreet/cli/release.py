"""``inspect``, ``protect``, ``assess`` and ``demo``: from a file to its release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe, table
from discreet.cli.options import Data, Delimiter, Encoding, Json, Quiet, SchemaFile, Seed, SequenceColumn, given

__all__ = ["assess", "demo", "inspect", "protect"]


def inspect(
    data: Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the proposal as a TOML file.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Look at a file and propose a schema, with the reason for every choice.

    Example: discreet inspect survey.csv -o survey.toml
    """
    from discreet import workflow

    proposal = workflow.inspect(data, delimiter=delimiter, encoding=encoding)
    if output is not None:
        workflow.save_schema(proposal.schema, output, inputs=[data])
    if json:
        rows = [
            {**a.to_dict(), "reason": proposal.reasons[a.name], "missing_values": proposal.missing[a.name]}
            for a in proposal.schema
        ]
        print_json({"n_records": proposal.n_records, "attributes": rows})
        return
    shown = table(f"{data.name}: {proposal.n_records} records", "attribute", "role", "scale", "missing", "why",
                  numbers=("missing",))  # fmt: skip
    for a in proposal.schema:
        shown.add_row(safe(a.name), a.role, a.scale.kind, str(proposal.missing[a.name]), safe(proposal.reasons[a.name]))
    out.print(shown)
    if output is None:
        out.print("This is a proposal. Write it with -o schema.toml, then look at every role.")
    else:
        out.print(f"Written to {safe(str(output))}. Look at every role before you protect the file.")


def protect(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The masked file.", show_default=False)],
    schema: SchemaFile = None,
    method: Annotated[str, typer.Option("--method", "-m", help="See `discreet methods`.")] = "mdav",
    k: Annotated[str | None, typer.Option(help="Smallest group.", show_default=False)] = None,
    attributes: Annotated[
        str | None, typer.Option(help="What to mask, separated by commas.", show_default=False)
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", help="Any parameter, as name=value.", show_default=False)
    ] = None,
    seed: Seed = None,
    report: Annotated[
        Path | None, typer.Option(help="Also assess, and write an HTML report.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    sequence: SequenceColumn = None,
    quantifier: Annotated[
        str | None, typer.Option(help="The policy of a method that has one: power:2.", show_default=False)
    ] = None,
) -> None:
    """Mask a file with one method.

    Example: discreet protect survey.csv --schema survey.toml --method mdav --k 5 -o masked.csv
    """
    from discreet import workflow

    inputs = [data, *([schema] if schema else [])]
    workflow.check_outputs([output, *([report] if report else [])], inputs)
    typed = given(k, attributes, seed, parameter or [])
    if quantifier is not None:
        typed["quantifier"] = quantifier
    parameters = workflow.parse_parameters("masker", method, typed)
    with progress(quiet=quiet or json):
        original = workflow.read(data, schema, delimiter=delimiter, encoding=encoding, sequence=sequence)
        masked = workflow.protect(original, method, **parameters)
        assessment = workflow.assess(original, masked) if report else None
        workflow.write(masked, output, inputs)
        if report is not None and assessment is not None:
            workflow.write_report(original, masked, assessment, html=report, inputs=inputs)
    if json:
        print_json(masked.provenance.to_dict(internal=True))
        return
    if not quiet:
        _show_masked(masked.provenance.to_dict(), output)
        if schema is None:
            out.print("No schema was given: the inferred proposal was used. See it with `discreet inspect`.")


def _show_masked(provenance: dict[str, Any], output: Path) -> None:
    shown = table(f"{provenance['method']}: {provenance['n_records']} records", "attribute", "cells changed",
                  numbers=("cells changed",))  # fmt: skip
    for name, count in provenance["changed_cells"].items():
        shown.add_row(safe(name), str(count))
    out.print(shown)
    if "groups" in provenance:
        groups = provenance["groups"]
        out.print(f"{groups['count']} groups of {groups['smallest']} to {groups['largest']} records.")
    for note in provenance["notes"]:
        out.print(f"• {safe(note)}")
    out.print(f"Written to {safe(str(output))}.")


def assess(
    original: Data,
    masked: Annotated[Path, typer.Argument(help="The masked file.", show_default=False)],
    schema: SchemaFile = None,
    max_risk: Annotated[
        float | None, typer.Option(help="Exit with 1 if the mean risk is above this percentage.", show_default=False)
    ] = None,
    sequence: SequenceColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure what a release risks and what it lost, and score it.

    Example: discreet assess survey.csv masked.csv --schema survey.toml
    """
    from discreet import workflow

    with progress(quiet=quiet or json):
        before = workflow.read(original, schema, delimiter=delimiter, encoding=encoding, sequence=sequence)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding)
        assessment = workflow.assess(before, after)
    if json:
        print_json(assessment.to_dict())
    else:
        _show_assessment(assessment)
    if max_risk is not None and assessment.score.risk > max_risk:
        err.print(f"The risk, {assessment.score.risk:.2f} %, is above the threshold of {max_risk:g} %.")
        raise typer.Exit(1)


def _show_assessment(assessment: Any) -> None:
    shown = table("", "", "measure", "value", "what it means", numbers=("value",))
    for m in (*assessment.of_kind("risk"), *assessment.of_kind("loss")):
        shown.add_row(m.kind, m.title, f"{m.value:.2f} {m.unit}", safe(m.sentence))
    out.print(shown)
    out.print(f"[bold]Score {assessment.score.value:.2f}[/bold]  {safe(assessment.score.sentence)}")
    out.print(f"The intruder is assumed to know: {safe(', '.join(assessment.known))}.")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("demo"),
    n: Annotated[int, typer.Option(help="Number of records.", min=10)] = 2000,
    k: Annotated[int, typer.Option(help="Smallest group.", min=2)] = 5,
) -> None:
    """Protect, attack and score a bundled sample, and write a report."""
    from discreet import workflow

    with progress():
        masked, assessment, paths = workflow.demo(output, n, k)
    _show_masked(masked.provenance.to_dict(), paths["masked"])
    _show_assessment(assessment)
    for what, path in paths.items():
        out.print(f"  {what:<9} {safe(str(path))}", highlight=False)
