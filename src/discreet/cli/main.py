"""``discreet``: the commands."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet._version import __version__
from discreet.cli.console import err, out, print_json, progress, safe, table
from discreet.errors import DiscreetError, ParameterError

__all__ = ["app", "run"]

# What the parser raises for a wrong option; its home has moved between versions of the library.
_USAGE_ERROR: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

app = typer.Typer(
    name="discreet",
    help="Protect microdata, attack the release, measure what it cost.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,  # a traceback would show the values of local variables
    epilog="Exit codes: 0 done, 1 threshold not met, 2 bad input, 3 a defect in Discreet, 130 interrupted.",
)

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


def _version(value: bool) -> None:
    if value:
        out.print(f"discreet {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
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


@app.command()
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
    given = _given(k, attributes, seed, parameter or [])
    if quantifier is not None:
        given["quantifier"] = quantifier
    parameters = workflow.parse_parameters("masker", method, given)
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


def _given(k: str | None, attributes: str | None, seed: int | None, pairs: list[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"--set must be name=value; got {pair!r}.")
        given[name.strip()] = value
    named = {"k": k, "attributes": attributes, "random_state": None if seed is None else str(seed)}
    return given | {name: value for name, value in named.items() if value is not None}


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


@app.command()
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


@app.command()
def attack(
    original: Data,
    masked: Annotated[Path, typer.Argument(help="The masked file.", show_default=False)],
    schema: SchemaFile = None,
    linker: Annotated[str, typer.Option(help="See `discreet methods`.")] = "distance",
    attributes: Annotated[
        str | None, typer.Option(help="What the intruder knows, separated by commas.", show_default=False)
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", help="Any parameter, as name=value.", show_default=False)
    ] = None,
    sequence: SequenceColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Link a release back to the original, as an intruder would, and count the correct links.

    Example: discreet attack survey.csv masked.csv --schema survey.toml --attributes age,income
    """
    from discreet import workflow

    parameters = workflow.parse_parameters("linker", linker, _given(None, attributes, None, parameter or []))
    with progress(quiet=quiet or json):
        before = workflow.read(original, schema, delimiter=delimiter, encoding=encoding, sequence=sequence)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding)
        links = workflow.attack(before, after, linker, **parameters)
    result = links.evaluate()
    low, high = result.interval()
    if json:
        print_json(
            {
                "linker": linker,
                "known": list(links.attributes),
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
    out.print(f"Ties all for the intruder: {result.optimistic}; all against: {result.pessimistic}.")
    out.print(f"The intruder is assumed to know: {safe(', '.join(links.attributes))}.")


@app.command()
def link(
    a: Data,
    b: Annotated[Path, typer.Argument(help="The file whose records are looked up in the first.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The links, as .csv or .parquet.", show_default=False)],
    schema: SchemaFile = None,
    schema_b: Annotated[
        Path | None, typer.Option(help="The second file's own schema, if it has one.", show_default=False)
    ] = None,
    linker: Annotated[str, typer.Option(help="See `discreet methods`.")] = "probabilistic",
    attributes: Annotated[
        str | None, typer.Option(help="What to link on, separated by commas.", show_default=False)
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", help="Any parameter, as name=value.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Link two files of any size: for every record of the second, who it is in the first.

    Example: discreet link register.csv survey.csv --schema both.toml --attributes age,town -o links.csv

    Files that share no attribute: discreet link a.csv b.csv --linker structural --schema-b b.toml -o links.csv
    """
    from discreet import workflow

    inputs = [a, b, *(path for path in (schema, schema_b) if path)]
    workflow.check_outputs([output], inputs)
    parameters = workflow.parse_parameters("linker", linker, _given(None, attributes, None, parameter or []))
    with progress(quiet=quiet or json):
        first = workflow.read(a, schema, delimiter=delimiter, encoding=encoding)
        declared = schema_b or (first.schema if workflow.shares_attributes(linker) else None)
        second = workflow.read(b, declared, delimiter=delimiter, encoding=encoding)
        links = workflow.link(first, second, linker, **parameters)
        workflow.write_links(links, output, inputs)
    linked, tied = int((links.best >= 0).sum()), int((links.ties > 1).sum())
    decided = {} if links.decision is None else {"decided": int((links.decision == 2).sum())}
    if json:
        print_json({"linker": linker, "on": list(links.attributes), "n_a": links.n_a, "n_b": links.n_b,
                    "with_a_candidate": linked, "tied": tied, **decided})  # fmt: skip
        return
    if not quiet:
        sure = f", {decided['decided']} of them above the threshold of a link" if decided else ""
        out.print(f"{linked} of {links.n_b} records have a best candidate among {links.n_a}{sure}; {tied} are tied.")
        out.print(f"Linked on: {safe(', '.join(links.attributes))}. Written to {safe(str(output))}.")


@app.command()
def compare(
    data: Data,
    candidate: Annotated[
        list[str],
        typer.Option("--candidate", "-c", help="A method and lists of values: 'mdav k=3,5,10'.", show_default=False),
    ],
    schema: SchemaFile = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The rows, as .csv or .parquet.", show_default=False)
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--map", help="The risk-utility map, as .html or .svg.", show_default=False)
    ] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Runs of a method that draws.")] = 1,
    risk_at_most: Annotated[float | None, typer.Option(help="A ceiling on risk.", show_default=False)] = None,
    loss_at_most: Annotated[float | None, typer.Option(help="A ceiling on loss.", show_default=False)] = None,
    store: Annotated[Path | None, typer.Option(help="Keep finished rows here.", show_default=False)] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what is in --store.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the study.")] = 0,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mask, attack and measure a file with many candidates, and rank them.

    Example: discreet compare survey.csv -s survey.toml -c 'mdav k=3,5,10' -c 'rank-swapping p=2,5' --map map.html
    """
    from discreet import workflow

    inputs = [data, *([schema] if schema else [])]
    workflow.check_outputs([path for path in (output, picture) if path], inputs)
    candidates = workflow.parse_candidates(candidate)
    with progress(quiet=quiet or json):
        table_ = workflow.read(data, schema, delimiter=delimiter, encoding=encoding)
        study = workflow.compare(
            table_, candidates, repetitions=repetitions, random_state=seed, store=store, resume=resume
        )
        workflow.write_study(study, table=output, picture=picture, inputs=inputs)
    ranking = study.ranking()
    best = study.best(risk_at_most=risk_at_most, loss_at_most=loss_at_most) if ranking else None
    if json:
        print_json({"complete": study.complete, "best": best, "ranking": ranking, "front": study.front()})
        return
    shown = table(f"{len(study)} experiments", "candidate", "score", "risk", "loss", numbers=("score", "risk", "loss"))
    for entry in ranking[:25]:
        shown.add_row(safe(entry["label"]), f"{entry['score']:.2f}", f"{entry['risk']:.2f}", f"{entry['loss']:.2f}")
    out.print(shown)
    for row in study.failures:
        err.print(f"{safe(row['method'])}: {safe(row['error'])}")
    if best is not None:
        out.print(f"[bold]Best:[/bold] {safe(best['label'])}, score {best['score']:.2f}.")
    if not study.complete:
        err.print("Interrupted; the finished rows are above. Go on with --store and --resume.")
        raise typer.Exit(130)


@app.command()
def methods(
    name: Annotated[str | None, typer.Argument(help="One method, with its parameters.", show_default=False)] = None,
    json: Json = False,
) -> None:
    """List every masker, linker and measure; with a name, show its parameters.

    Example: discreet methods mdav
    """
    from discreet import workflow

    described = workflow.describe_methods(name)
    if json:
        print_json(described)
        return
    for contract, entries in described.items():
        if name is None:
            shown = table(contract, "name", "scales", "what it does")
            for key, entry in entries.items():
                shown.add_row(key, ", ".join(entry["scales"]), safe(entry["summary"]))
            out.print(shown)
            continue
        for key, entry in entries.items():
            shown = table(f"{key} ({contract[:-1]}): {safe(entry['summary'])}", "parameter", "default", "may be")
            for parameter, text in entry["parameters"].items():
                shown.add_row(parameter, safe(repr(entry["defaults"][parameter])), safe(text))
            out.print(shown)


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="Which one.", show_default=False)] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write it.", show_default=False)
    ] = None,
    n: Annotated[int, typer.Option(help="Number of records.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed.", min=0)] = 0,
) -> None:
    """List the bundled data sets, or write one with its schema beside it.

    Example: discreet datasets housing --n 2000 -o housing.csv
    """
    from discreet import workflow

    if name is None:
        shown = table("Bundled data, generated by seeded code", "name", "what it is")
        for key, summary in workflow.list_datasets().items():
            shown.add_row(key, summary)
        out.print(shown)
        return
    if output is None:
        raise ParameterError("Say where to write the data set.", hint=f"discreet datasets {name} -o {name}.csv")
    written = workflow.write_dataset(name, output, n=n, random_state=seed)
    out.print(f"Written to {safe(str(output))}, its schema to {safe(str(written))}.")


@app.command()
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


def run() -> None:
    """Run the command line and end with the documented exit codes."""
    sys.exit(_code(sys.argv[1:]))


def _code(arguments: list[str]) -> int:
    try:
        result = app(arguments, standalone_mode=False)
    except DiscreetError as error:
        err.print(f"[bold red]Error:[/bold red] {safe(error.message)}", highlight=False, soft_wrap=True)
        if error.hint:
            err.print(f"Hint: {safe(error.hint)}", highlight=False, soft_wrap=True)
        return 2
    except typer.Abort:
        err.print("Interrupted; nothing was written.")
        return 130
    except KeyboardInterrupt:
        err.print("Interrupted; nothing was written.")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; silence is what it expects.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _unexpected(error)
    return result if isinstance(result, int) else 0


def _unexpected(error: Exception) -> int:
    """Report a usage error of the command line, or a defect, without its message: that may quote a value."""
    if isinstance(error, _USAGE_ERROR):
        error.show()  # type: ignore[attr-defined]
        return int(error.exit_code)  # type: ignore[attr-defined]
    err.print(f"[bold red]A defect in Discreet:[/bold red] {type(error).__name__}. Please report it with these lines:")
    for frame in traceback.extract_tb(error.__traceback__)[-6:]:
        err.print(f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}", highlight=False)
    return 3
