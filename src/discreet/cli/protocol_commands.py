"""``init``, ``run`` and ``check``: one file that says how a release is made, and a release made and checked by it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import advise, err, out, print_json, progress, safe, show_promises, table
from discreet.cli.options import (
    BlockSize,
    Data,
    Delimiter,
    Encoding,
    EngineName,
    Json,
    Master,
    Quiet,
    SchemaFile,
    Verbose,
    declares,
    engine_of,
    reads_text,
    refuse_existing,
)

__all__ = ["check", "init", "run"]

ProtocolFile = Annotated[Path, typer.Argument(help="The protocol, a TOML file.", show_default=False)]


@reads_text
@declares
def init(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="The protocol to write.")] = Path("protocol.toml"),
    schema: SchemaFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    release: Annotated[str, typer.Option("--for", help="Who will have the file: research or public.")] = "research",
    force: Annotated[bool, typer.Option("--force", help="Write over a protocol that exists.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Propose a protocol for a file: schema, intruders, steps and thresholds, with the reason for every choice.

    Example: discreet init survey.sav -o protocol.toml --for public
    """
    from discreet import workflow

    inputs = [data, *([schema] if schema else [])]
    workflow.check_outputs([output], inputs)
    refuse_existing([output], force=force)
    proposal = workflow.propose(
        data, schema=declared, delimiter=delimiter, encoding=encoding, **layout, folder=output.parent, release=release
    )
    # What looks like an identifier is one in a proposed schema; a schema that was given may say otherwise.
    looked_at = (
        None if declared is None else workflow.read(data, declared, delimiter=delimiter, encoding=encoding, **layout)
    )
    remarks = workflow.advise_protocol(proposal, looked_at)
    with workflow.written_together([output], inputs, last=True):
        workflow.save_protocol(proposal, output, inputs)
    if json:
        print_json(
            {
                "protocol": str(output),
                "attributes": [attribute.to_dict() for attribute in proposal.schema],
                "scenarios": [scenario.to_dict() for scenario in proposal.scenarios],
                "steps": [step.to_dict() for step in proposal.steps],
                "thresholds": dict(proposal.thresholds),
                "seed": proposal.seed,
                "advice": [remark.to_dict() for remark in remarks],
            }
        )
        return
    if quiet:
        return
    roles = [a.role for a in proposal.schema]
    counts = ", ".join(f"{roles.count(role)} {role}" for role in dict.fromkeys(roles))
    steps = "1 step" if len(proposal.steps) == 1 else f"{len(proposal.steps)} steps"
    intruders = "1 scenario" if len(proposal.scenarios) == 1 else f"{len(proposal.scenarios)} scenarios"
    out.print(f"Written to {safe(str(output))}: {len(roles)} attributes ({counts}), {steps}, {intruders}.",
              highlight=False)  # fmt: skip
    limits = ", ".join(f"{name} = {limit:g}" for name, limit in proposal.thresholds.items())
    if limits:
        out.print(f"Thresholds for {release} use, from what the file risks unmasked: {limits}.", highlight=False)
    out.print(f"Look at every role, then: discreet run {safe(str(output))}", highlight=False)
    advise(remarks)


def run(
    protocol: ProtocolFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the release; the data's by default.", show_default=False),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    engine: EngineName = None,
    master: Master = None,
    block_size: BlockSize = None,
) -> None:
    """Do all that a protocol says: mask, attack, verify, and write the release with its reports.

    The same protocol gives the same files again, byte for byte. Exit code 1 when a threshold is not met. A protocol
    with several tables protects them together, so that they can still be joined. A Parquet or CSV file larger than
    memory is streamed; a step that needs all records says so by name.

    For example:

    discreet run protocol.toml -o release

    discreet run big.toml --engine streaming --block-size 20000 -o release
    """
    from discreet import workflow

    name = engine_of(workflow.data_of(protocol), engine, master, quiet=quiet or json)
    with progress(quiet=quiet or json, verbose=verbose), workflow.engine_named(name, master) as where:
        release = workflow.run(protocol, engine=where, block_size=block_size)
        with workflow.written_together(last=True):
            paths = release.write(output)
    if isinstance(release, workflow.TablesRun):
        _show_tables(release, paths, json=json, quiet=quiet)
        return
    if json:
        print_json({"met": release.met, **_entry(release, paths)})
    elif not quiet:
        _show_run(release, paths)
        advise(release.advice)
    _end(release.verdicts, quiet=quiet or json)


def _show_tables(release: Any, paths: Any, *, json: bool, quiet: bool) -> None:
    if json:
        tables = {name: _entry(one, paths[name]) for name, one in release.runs.items()}
        whole = {name: str(path) for name, path in paths.get("", {}).items()}
        print_json({"met": release.met, "tables": tables, "files": whole, "notes": list(release.notes)})
    elif not quiet:
        for name, one in release.runs.items():
            out.print(f"[bold]{safe(name)}[/bold]", highlight=False)
            _show_run(one, paths[name])
            advise(one.advice)
        for note in release.notes:
            out.print(f"• {safe(note)}", highlight=False)
        for what, path in paths.get("", {}).items():
            out.print(f"  {what:<9} {safe(str(path))}", highlight=False)
    _end_tables(release.verdicts, quiet=quiet or json)


def _entry(release: Any, paths: Any) -> dict[str, Any]:
    return {
        "verdicts": [verdict.to_dict() for verdict in release.verdicts],
        "files": {name: str(path) for name, path in paths.items()},
        "headline": {**release.assessment.score.to_dict(), "unmasked": release.assessment.unmasked.to_dict()},
        "scenarios": {
            name: {
                "risk_before": release.before[name].score.risk,
                "risk": assessment.score.risk,
                "loss": assessment.score.loss,
                "score": assessment.score.value,
            }
            for name, assessment in release.after.items()
        },
        "masking": release.masked.provenance.to_dict(internal=True),
        "advice": [remark.to_dict() for remark in release.advice],
    }


def _show_run(release: Any, paths: Any) -> None:
    heads = ("risk", "loss", "score")
    grid = table(repr(release.masked), "scenario", *heads, numbers=heads)
    for name, assessment in release.after.items():
        score = assessment.score
        least = "≥ " if score.incomplete else ""
        grid.add_row(safe(name), f"{least}{score.risk:.2f}", f"{score.loss:.2f}", f"{least}{score.value:.2f}")
        unmasked = assessment.unmasked
        grid.add_row(
            "  the unmasked file", f"{unmasked.risk:.2f}", f"{unmasked.loss:.2f}", f"{unmasked.value:.2f}", style="dim"
        )
    out.print(grid)
    show_promises([promise.sentence for promise in release.masked.provenance.guarantees])
    out.print(f"[bold]Score {release.assessment.score.value:.2f}[/bold]  {safe(release.assessment.score.sentence)}")
    for note in release.masked.provenance.notes:
        out.print(f"• {safe(note)}", highlight=False)
    for what, path in paths.items():
        out.print(f"  {what:<9} {safe(str(path))}", highlight=False)


@reads_text
def check(
    protocol: ProtocolFile,
    masked: Annotated[
        Path, typer.Argument(help="The released file; for several tables, their folder.", show_default=False)
    ],
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
) -> None:
    """Verify a release against the thresholds of a protocol; nothing is written. Exit code 1 if not met.

    Where a threshold needs to know how the file was masked, the steps are run again, and the file must be what they
    give; if it is not, the threshold cannot be verified, and the exit code is 2.

    Example: discreet check protocol.toml masked.csv
    """
    from discreet import workflow

    with progress(quiet=quiet or json, verbose=verbose):
        verdicts = workflow.check(protocol, masked, delimiter=delimiter, encoding=encoding, **layout)
    if isinstance(verdicts, dict):
        if json:
            listing = {name: [verdict.to_dict() for verdict in one] for name, one in verdicts.items()}
            print_json({"met": all(v.met for one in verdicts.values() for v in one), "tables": listing})
        _end_tables(verdicts, quiet=quiet or json)
        return
    if json:
        print_json({"met": all(v.met for v in verdicts), "verdicts": [verdict.to_dict() for verdict in verdicts]})
    _end(verdicts, quiet=quiet or json)


def _end_tables(by_table: Any, *, quiet: bool) -> None:
    """Show the verdicts of several tables, and end with 1 where a threshold of one is not met."""
    _end(
        [v for one in by_table.values() for v in one],
        quiet=quiet,
        names=[n for n, one in by_table.items() for _ in one],
    )


def _end(verdicts: Any, *, quiet: bool, names: list[str] | None = None) -> None:
    """Show the verdicts, and end with 1 where a threshold is not met."""
    missed = [verdict for verdict in verdicts if not verdict.met]
    if not quiet:
        for place, verdict in enumerate(verdicts):
            mark = "[green]met[/green]    " if verdict.met else "[red]not met[/red]"
            of = f"{safe(names[place])}: " if names else ""
            out.print(f"{mark} {of}{safe(verdict.name)}: {safe(verdict.sentence)}", highlight=False, soft_wrap=True)
    if missed:
        err.print(f"{len(missed)} of {len(verdicts)} thresholds are not met: not to be released like this.")
        raise typer.Exit(1)
