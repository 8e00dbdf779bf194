"""``compare``: which protection is best for a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.console import err, out, print_json, progress, safe, table
from discreet.cli.options import Data, Delimiter, Encoding, Json, Quiet, SchemaFile

__all__ = ["compare"]


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
