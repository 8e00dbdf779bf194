"""``inspect``, ``protect``, ``assess`` and ``demo``: from a file to its release."""

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
    MaskedBy,
    MaskedByProtocol,
    MaskedFile,
    MaskerOrNone,
    Master,
    OperatorOption,
    Parameter,
    Quiet,
    Recode,
    SchemaFile,
    Seed,
    SequenceColumn,
    Verbose,
    declares,
    engine_of,
    given,
    reads_text,
    refuse_existing,
    refuse_streamed,
    streamed_layout,
    tell_inferred,
)
from discreet.errors import FileError, ParameterError

__all__ = ["assess", "demo", "inspect", "protect"]

_HIGHEST, _NAMED = 3, 6
"""How many measures of a kind, and how many keys, are shown unless all are asked for: a screen of twenty lines."""

Everything = Annotated[bool, typer.Option("--all", help="Show every measure, and what it means.")]


@reads_text
@declares
def inspect(
    data: Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the proposal as a TOML file.", show_default=False)
    ] = None,
    schema: SchemaFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a schema that exists.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Look at a file and propose a schema, with the reason for every choice.

    For example:

    discreet inspect survey.csv

    discreet inspect survey.csv -o survey.toml

    discreet inspect survey.txt --delimiter ';' --encoding latin-1 --json
    """
    from discreet import workflow

    inputs = [data, *([schema] if schema else [])]
    if output is not None:
        workflow.check_outputs([output], inputs)
        refuse_existing([output], force=force)
    with progress(quiet=quiet or json, verbose=verbose):
        proposal = workflow.inspect(data, declared, delimiter=delimiter, encoding=encoding, **layout)
    if output is not None:
        with workflow.written_together([output], inputs, last=True):
            workflow.save_schema(proposal.schema, output, inputs=inputs)
    if json:
        rows = [
            {
                **a.to_dict(),
                "reason": proposal.reasons[a.name],
                "confidence": proposal.confidence(a.name),
                "question": proposal.question(a.name),
                "inferred": list(a.inferred.parts) if a.inferred is not None else [],
                "missing_values": proposal.missing[a.name],
            }
            for a in proposal.schema
        ]
        print_json({"n_records": proposal.n_records, "attributes": rows})
        return
    if quiet:
        return
    grid = table(f"{data.name}: {proposal.n_records} records", "column", "role", "scale", "sure", "why",
                 numbers=("sure",))  # fmt: skip
    for a in proposal.schema:
        inferred = a.inferred is not None and bool(a.inferred.parts)
        sure = f"{100 * proposal.confidence(a.name):.0f} %" if inferred else "declared"
        role = "household" if a.household else a.role
        absent = f"; {proposal.missing[a.name]} missing" if proposal.missing[a.name] else ""
        question = f" — {proposal.question(a.name)}" if proposal.question(a.name) else ""
        why = f"{proposal.reasons[a.name]}{absent}{question}"
        grid.add_row(safe(a.name), role, a.scale.name, sure, safe(why))
    out.print(grid)
    if output is None:
        out.print("This is a proposal. Write it with -o schema.toml, then look at every role.")
    else:
        out.print(f"Written to {safe(str(output))}. Look at every role before you protect the file.")


@reads_text
@declares
def protect(
    data: Data,
    target: Annotated[
        Path | None, typer.Argument(metavar="[MASKED]", help="The masked file, as -o.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The masked file; DATA-masked beside the data.", show_default=False),
    ] = None,
    schema: SchemaFile = None,
    recode: Recode = None,
    method: MaskerOrNone = None,
    k: Annotated[str | None, typer.Option(help="Smallest group.", show_default=False)] = None,
    attributes: Annotated[
        str | None, typer.Option(help="What to mask, separated by commas.", show_default=False)
    ] = None,
    parameter: Parameter = None,
    operator: OperatorOption = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Mask once for each of its values, such as a household.", show_default=False),
    ] = None,
    seed: Seed = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Also assess, and write the internal report: .html, .pdf or .json.", show_default=False),
    ] = None,
    external: Annotated[
        Path | None, typer.Option(help="The report for data users: .html, .pdf or .json.", show_default=False)
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Count suppressed cells by its levels, for data users; repeatable.", show_default=False),
    ] = None,
    tell: Annotated[
        list[str] | None,
        typer.Option(help="Tell data users the level of noise, or the matrix of pram; repeatable.", show_default=False),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="A JSON file with the hash of every file written.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over DATA-masked if it exists.")] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    sequence: SequenceColumn = None,
    quantifier: Annotated[
        str | None, typer.Option(help="The policy of a method that has one: power:2.", show_default=False)
    ] = None,
    print_python: Annotated[
        bool, typer.Option("--print-python", help="Show the equivalent Python script, and do nothing else.")
    ] = False,
    engine: EngineName = None,
    master: Master = None,
    block_size: BlockSize = None,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Mask a file with one method, recode columns before it or alone, and say what is weak about the choice.

    For example:

    discreet protect survey.csv --schema survey.toml --method mdav --k 5 -o masked.csv

    discreet protect survey.csv -s survey.toml --k 5 --report internal.html --external external.html --seed 1

    discreet protect survey.csv -s survey.toml --method mdav --k 5 --operator owa:most

    discreet protect trips.csv --sequence visits --method kshc --k 5 --quantifier power:2

    discreet protect survey.csv -s survey.toml -m rank-swapping --set p=5 --seed 1 --print-python

    discreet protect survey.csv masked.csv --recode age=0,15,30,45,60,75+ --recode income=nice:10/5

    discreet protect survey.csv -s survey.toml --recode job=@job.csv:2 --recode fuel=rare:5 -m local-suppression --k 3

    discreet protect big.parquet -s big.toml --k 5 --engine spark --master local[4] -o out/
    """
    from discreet import workflow

    if target is not None and output is not None:
        raise ParameterError("The masked file is named twice.", hint="Leave out -o.")
    inputs = [data, *([schema] if schema else [])]
    target = target or output or _beside(data, force=force)
    reports = {name: path for name, path in (("internal", report), ("external", external)) if path is not None}
    outputs = [target, *reports.values(), *([manifest] if manifest else [])]
    kinds = {name: _kind(path) for name, path in reports.items()}
    typed = given(k, attributes, seed, parameter or [])
    if quantifier is not None:
        typed["quantifier"] = quantifier
    recodings = workflow.recode_steps(recode or [])
    if operator:
        method = method or "mdav"
        typed |= workflow.operator_parameter(method, operator)
    if not recodings or any(name != "random_state" for name in typed):
        method = method or "mdav"
    parameters = {} if method is None else workflow.parse_parameters("masker", method, typed)
    inputs += workflow.files_named([parameters, *(step.parameters for step in recodings)])
    name = engine_of(data, engine, master, quiet=quiet or json)
    stored = name != "memory"
    if stored:
        layout = streamed_layout(data, delimiter=delimiter, encoding=encoding, **layout)
        refuse_streamed(sequence=sequence, print_python=print_python)
    # The release of a file that is streamed may be a folder, in which no report lies.
    workflow.check_outputs(outputs[1:] if stored else outputs, [*inputs, target] if stored else inputs)
    if print_python:
        script = workflow.protect_script(
            data, target, method, parameters, recode=recode or (), schema=declared, report=report, unit=unit,
            delimiter=delimiter, encoding=encoding, sequence=sequence, **layout,
        )  # fmt: skip
        out.print(script, end="", markup=False, highlight=False, soft_wrap=True)
        return
    original: Any
    masked: Any
    masker = workflow.recoded_masker(recode or (), method, parameters, unit)
    with (
        progress(quiet=quiet or json, verbose=verbose),
        workflow.engine_named(name, master) as where,
        workflow.written_together([] if stored else outputs, inputs, last=True),
    ):
        if stored:
            original = workflow.scan(data, declared, **layout)
            written = workflow.protect(original, masker, output=target, engine=where, block_size=block_size)
            provenance = written.provenance
            original, masked = workflow.stored_release(original, target, written)
        else:
            original = workflow.read(
                data, declared, delimiter=delimiter, encoding=encoding, **layout, sequence=sequence
            )
            masked = workflow.protect(original, masker, block_size=block_size)
            provenance = masked.provenance
            workflow.write(masked, target, inputs)
        assessment = workflow.assess(original, masked, engine=where, provenance=provenance) if reports else None
        remarks = workflow.advise(
            original, masked, assessment, schema_given=declared is not None, seed_given=seed is not None,
            provenance=provenance,
        )  # fmt: skip
        before = {"all keys": workflow.assess(original, original, engine=where)} if "internal" in reports else {}
        for audience, path in reports.items():
            if assessment is None:  # it was made because there are reports
                break
            html, pdf, figures = (path if kinds[audience] == kind else None for kind in ("html", "pdf", "json"))
            workflow.write_report(
                original, masked, assessment, provenance=provenance, html=html, pdf=pdf, json=figures,
                audience=audience, before=before, after={"all keys": assessment}, advice=remarks, inputs=inputs,
                domains=domain or (), tell=tell or (), engine=where,
            )  # fmt: skip
        if manifest is not None and not stored:
            workflow.write_manifest(manifest, {"masked": target, **reports}, steps=[provenance], inputs=inputs)
    if manifest is not None and stored:
        # A release in files has its names already: what is there is what the manifest tells.
        workflow.write_manifest(
            manifest, {**_parts_of(target), **reports}, steps=[provenance], inputs=_parts_of(data).values()
        )
    if json:
        paths = {"masked": target, **reports, **({"manifest": manifest} if manifest else {})}
        print_json(
            {
                **provenance.to_dict(internal=True),
                "files": {name: str(path) for name, path in paths.items()},
                **({"engine": name} if stored else {}),
                **({} if assessment is None else _scores(assessment)),
                "advice": [remark.to_dict() for remark in remarks],
            }
        )
        return
    if not quiet:
        tell_inferred(original.schema, quiet=quiet)
        _show_masked(provenance.to_dict(), target, name)
        if stored and declared is None:
            out.print("No schema was given: the proposal of the first 100,000 records was used.")
        if assessment is not None:
            _show_assessment(assessment, brief=True)
        for name, path in (*reports.items(), *([("manifest", manifest)] if manifest else [])):
            out.print(f"Written to {safe(str(path))}: the {name}{'' if name == 'manifest' else ' report'}.")
        # The notes above name the keys that were left alone.
        advise(remark for remark in remarks if remark.code != "key-unmasked")


def _parts_of(target: Path) -> dict[str, Path]:
    """Return the files of a table by what they are; of a folder, every part."""
    if not target.is_dir():
        return {"masked": target}
    parts = sorted(path for path in target.rglob("*.parquet") if path.is_file())
    return {f"masked {place}": path for place, path in enumerate(parts, 1)}


def _scores(assessment: Any) -> dict[str, Any]:
    figures = assessment.to_dict()
    return {name: figures[name] for name in ("score", "unmasked", "papers_score")}


def _beside(data: Path, *, force: bool) -> Path:
    """Return where a release goes that was given no name: beside its data, and never over a file that is there."""
    from discreet import workflow

    # An ending that is not known at all is refused where the data are read.
    ending = workflow.ending_of(data)
    only_read = ending in set(workflow.readable_endings()) - set(workflow.writable_endings())
    stem = data.name[: len(data.name) - len(ending)] if ending else data.name
    target = data.with_name(f"{stem}-masked{'.csv' if only_read else data.name[len(stem) :]}")
    if target.exists() and not force:
        raise FileError(f"{str(target)!r} exists already.", hint="Name another file with -o, or add --force.")
    return target


def _kind(path: Path) -> str:
    """Return what kind of report a path asks for."""
    kinds = {".html": "html", ".htm": "html", ".pdf": "pdf", ".json": "json"}
    if path.suffix.lower() not in kinds:
        raise FileError(f"A report is written as .html, .pdf or .json; got {path.name!r}.")
    return kinds[path.suffix.lower()]


def _groups_in_words(groups: dict[str, int]) -> str:
    """Say how many groups there are and how large: "1 group of 7 records", "200 groups of 5 to 9 records"."""
    number = "1 group" if groups["count"] == 1 else f"{groups['count']} groups"
    smallest, largest = groups["smallest"], groups["largest"]
    size = f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
    return f"{number} of {size} records"


def _show_masked(provenance: dict[str, Any], output: Path, engine: str = "memory") -> None:
    where = "" if engine == "memory" else f", {engine}"
    grid = table(f"{provenance['method']}: {provenance['n_records']} records{where}", "attribute", "cells changed",
                  numbers=("cells changed",))  # fmt: skip
    for name, count in provenance["changed_cells"].items():
        grid.add_row(safe(name), str(count))
    out.print(grid)
    if "groups" in provenance:
        groups = provenance["groups"]
        out.print(f"{_groups_in_words(groups)}.")
    show_promises([promise["sentence"] for promise in provenance.get("guarantees", ())])
    for note in provenance["notes"]:
        out.print(f"• {safe(note)}")
    out.print(f"Written to {safe(str(output))}.")


@reads_text
@declares
def assess(
    original: Data,
    masked: MaskedFile,
    max_risk: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if the risk, the worst case, is above this percentage.", show_default=False),
    ] = None,
    intervals: Annotated[
        int | None,
        typer.Option(
            min=10, help="Show losses with 95 % intervals, of so many samples of the records.", show_default=False
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="Also this one: 'clustering clusters=4'; see `discreet methods`.", show_default=False
        ),
    ] = None,
    method: MaskedBy = None,
    protocol: MaskedByProtocol = None,
    sequence: SequenceColumn = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    everything: Everything = False,
    engine: EngineName = None,
    master: Master = None,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Measure what a release risks and what it lost, and score it.

    For example:

    discreet assess survey.csv masked.csv --schema survey.toml

    discreet assess survey.csv masked.csv -s survey.toml --all    (every measure, with what it means)

    discreet assess survey.csv masked.csv -s survey.toml --max-risk 10 --json

    discreet assess survey.csv masked.csv -s survey.toml --intervals 200

    discreet assess survey.csv masked.csv -s survey.toml --measure 'classification outcome=METRO' --measure
    permutation-linkage

    discreet assess survey.csv masked.csv -s survey.toml --method 'rank-swapping p=10'    (who knows it attacks, too)

    discreet assess big.parquet out/ -s big.toml --engine streaming
    """
    from discreet import workflow

    wanted = [workflow.parse_measure(text) for text in measure or ()]
    name = engine_of(original, engine, master, quiet=quiet or json)
    if name != "memory":
        refuse_streamed(sequence=sequence)
        layout = streamed_layout(original, delimiter=delimiter, encoding=encoding, **layout)
    before: Any
    after: Any
    with progress(quiet=quiet or json, verbose=verbose), workflow.engine_named(name, master) as where:
        if name == "memory":
            before = workflow.read(
                original, declared, delimiter=delimiter, encoding=encoding, **layout, sequence=sequence
            )
            after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        else:
            before = workflow.scan(original, declared, **layout)
            after = workflow.scan_release(masked, before, **layout)
        # Whoever knows how the file was masked attacks it too, unless it is too large for him.
        large = len(before) > workflow.MOST_AT_ONCE
        known = None if large else workflow.told_release(before, after, masked, methods=method or (), protocol=protocol)
        release = after if known is None else known
        assessment = workflow.assess(before, release, engine=where)
        further = workflow.measure(before, release, wanted, engine=where) if wanted else ()
        spans = () if intervals is None else workflow.loss_intervals(before, after, replicates=intervals)
        remarks = workflow.advise(before, after, assessment, schema_given=declared is not None)
    tell_inferred(before.schema, quiet=quiet or json)
    if len(before) > workflow.MOST_AT_ONCE and not quiet and not json:
        err.print(f"More than {workflow.MOST_AT_ONCE:,} records: linkage is measured on a sample of them.")
    if json:
        between = {"loss_intervals": [span.to_dict() for span in spans]} if spans else {}
        also = {"further": [one.to_dict() for one in further]} if further else {}
        print_json({**assessment.to_dict(), **also, **between, "advice": [remark.to_dict() for remark in remarks]})
    else:
        _show_assessment(assessment, brief=quiet, everything=everything)
        for one in further:
            out.print(f"{safe(one.title)}: {one.value:.2f} {one.unit}. {safe(one.sentence)}", highlight=False)
        for span in spans:
            out.print(safe(span.sentence), highlight=False)
    if not quiet and not json:
        advise(remarks)
    if max_risk is not None:
        (verdict,) = workflow.verify(assessment, {"risk_at_most": max_risk})
        if not verdict.met or "already" in verdict.sentence:
            err.print(safe(verdict.sentence), highlight=False, soft_wrap=True)
        if not verdict.met:
            raise typer.Exit(1)


def _show_assessment(assessment: Any, *, brief: bool = False, everything: bool = False) -> None:
    score, unmasked = assessment.score, assessment.unmasked
    least = "at least " if score.incomplete else ""
    headline = f"[bold]Score {least}{score.value:.2f}[/bold]  {safe(score.sentence)}"
    if brief:
        out.print(headline)
        return
    if everything:
        _show_measures(assessment)
    else:
        out.print(headline)
        for name, one in (("this release", score), ("the unmasked file", unmasked)):
            if one is not None:
                mark = "≥ " if one.incomplete else ""
                figures = f"risk {mark}{one.risk:.2f} %   loss {one.loss:.2f} %   score {mark}{one.value:.2f}"
                out.print(f"  {name:<18} {figures}", highlight=False)
        _show_highest(assessment)
    if everything:
        out.print(headline)
    if assessment.papers is not None:
        out.print(f"The papers' mean score: {assessment.papers.value:.2f}.", style="dim", highlight=False)
    names = assessment.known
    shown = names if everything else names[:_NAMED]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    out.print(f"The intruder is assumed to know: {safe(', '.join(shown))}{more}.")


def _show_measures(assessment: Any) -> None:
    grid = table("", "", "measure", "value", "what it means", numbers=("value",))
    for m in (*assessment.of_kind("risk"), *assessment.of_kind("loss")):
        grid.add_row(m.kind, m.title, f"{m.value:.2f} {m.unit}", safe(m.sentence))
    for one in assessment.not_computed:
        grid.add_row(one.kind, one.title, "–", safe(one.sentence))
    out.print(grid)
    heads = ("risk", "loss", "score")
    beside = table("", "", *heads, numbers=heads)
    for name, one in (("this release", assessment.score), ("the unmasked file", assessment.unmasked)):
        if one is not None:
            mark = "≥ " if one.incomplete else ""
            beside.add_row(name, f"{mark}{one.risk:.2f} %", f"{one.loss:.2f} %", f"{mark}{one.value:.2f}")
    out.print(beside)


def _show_highest(assessment: Any) -> None:
    """Show the highest risks and losses in percent, a line each, and how many more there are."""
    n_rows = 0
    for kind, what in (("risk", "Attacks that find most:"), ("loss", "Highest losses:")):
        measures = [m for m in assessment.of_kind(kind) if m.unit == "%"]
        attacks = [m for m in measures if "chance_percent" in m.details]
        measures = attacks or measures
        # As the headline counts them: one guess a record.
        figures = [(m.details.get("percent_of_one_guess", m.value), m.title) for m in measures]
        figures = [(value, title.replace("(two guesses)", "(one guess)")) for value, title in figures]
        highest = sorted(figures, key=lambda figure: -figure[0])[:_HIGHEST]
        n_rows += len(highest)
        if highest:
            out.print(what, highlight=False)
        for value, title in highest:
            out.print(f"  {value:>7.2f} %  {safe(title)}", highlight=False, overflow="ellipsis", no_wrap=True)
    titles = [one.title for one in assessment.not_computed]
    if titles:
        more = f" and {len(titles) - 2} more" if len(titles) > 2 else ""
        out.print(f"Not computed: {safe(', '.join(titles[:2]))}{more}; --all says why.", highlight=False)
    rest = len(assessment.measurements) + len(assessment.not_computed) - n_rows
    if rest > 0:
        out.print(f"{rest} more measures, and what each means: --all.", style="dim", highlight=False)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path("demo"),
    n: Annotated[int, typer.Option(help="Number of records.", min=10)] = 2000,
    k: Annotated[int, typer.Option(help="Smallest group.", min=2)] = 5,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    everything: Everything = False,
) -> None:
    """Protect, attack and score a bundled sample, and write a whole release with its reports.

    For example:

    discreet demo

    discreet demo --n 500 --k 10 --output try-it --all
    """
    from discreet import workflow

    with progress(quiet=quiet or json, verbose=verbose), workflow.written_together(last=True):
        masked, assessment, paths = workflow.demo(output, n, k)
    if json:
        files = {name: str(path) for name, path in paths.items()}
        print_json({"files": files, "assessment": assessment.to_dict()})
        return
    if quiet:
        return
    record = masked.provenance.to_dict()
    if everything:
        _show_masked(record, paths["masked"])
        _show_assessment(assessment, everything=True)
        for what, path in paths.items():
            out.print(f"  {what:<9} {safe(str(path))}", highlight=False)
        return
    groups = record["groups"]
    out.print(
        f"{record['method']}: {record['n_records']} records, {len(record['attributes'])} attributes masked, in "
        f"{_groups_in_words(groups)}.",
        highlight=False,
    )
    _show_assessment(assessment)
    names = ", ".join(path.name for path in paths.values())
    out.print(f"Written to {safe(str(output))}: {safe(names)}.", highlight=False)
