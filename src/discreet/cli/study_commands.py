"""``compare`` and ``tune``: which protection is best for a file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import advise, err, out, print_json, progress, safe, table
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    Json,
    Quiet,
    SchemaFile,
    Verbose,
    declares,
    reads_text,
    tell_inferred,
)
from discreet.cli.tuned_protocol_command import sign_protocol
from discreet.errors import ParameterError

__all__ = ["compare", "tune"]

_SHOWN = 25
_SHOWN_BY_SET = 5

Candidates = Annotated[
    list[str] | None,
    typer.Option(
        "--candidate", "-c", help="A method and lists of values, 'mdav k=3,5'; a chain: 'rounding + mdav k=3,5'.",
        show_default=False,
    ),
]  # fmt: skip
Alternatives = Annotated[
    Path | None,
    typer.Option("--protocol", "-p", help="A protocol whose steps leave alternatives open.", show_default=False),
]
Limit = Annotated[int | None, typer.Option(min=1, help="The most chains of alternatives; 1,000.", show_default=False)]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The rows, as .csv or .parquet.", show_default=False)
]
Picture = Annotated[
    Path | None, typer.Option("--map", help="The risk-utility map, as .html, .svg or .png.", show_default=False)
]
Repetitions = Annotated[int, typer.Option(min=1, help="Runs of a method that draws, each with another seed.")]
RiskCeiling = Annotated[float | None, typer.Option(help="A ceiling on risk.", show_default=False)]
Store = Annotated[Path | None, typer.Option(help="Keep finished rows here.", show_default=False)]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from what is in --store.")]
StudySeed = Annotated[int | None, typer.Option("--seed", min=0, help="Seed of the study.", show_default=False)]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; one a core by default.", show_default=False)]


@reads_text
@declares
def compare(
    data: Data,
    candidate: Candidates = None,
    protocol: Alternatives = None,
    schema: SchemaFile = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option("--attributes", "-a", help="A set of keys, as 'name=KEY,KEY'; repeatable.", show_default=False),
    ] = None,
    output: Output = None,
    picture: Picture = None,
    repetitions: Repetitions = 1,
    risk_at_most: RiskCeiling = None,
    loss_at_most: Annotated[float | None, typer.Option(help="A ceiling on loss.", show_default=False)] = None,
    limit: Limit = None,
    store: Store = None,
    resume: Resume = False,
    seed: StudySeed = None,
    workers: Workers = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Mask, attack and measure a file with many candidates, whole chains of steps among them, and rank them.

    Example: discreet compare survey.csv -s survey.toml -c 'mdav k=3,5,10' -c 'rank-swapping p=2,5' --map map.html
    """
    from discreet import workflow

    inputs = [data, *([schema] if schema else []), *([protocol] if protocol else [])]
    plan = workflow.OpenProtocol.load(protocol) if protocol is not None else None
    candidates = [*workflow.parse_chains(candidate or []), *(plan.chains(**_given(limit=limit)) if plan else [])]
    if not candidates:
        raise ParameterError("There is nothing to compare.", hint="Give -c 'mdav k=3,5', or -p with alternatives.")
    maskers = _maskers_of(candidates)
    inputs += workflow.files_named([masker.get_params() for masker in maskers])
    _check_paths(output, picture, store, inputs, resume=resume)
    known = declared if declared is not None or plan is None else plan.protocol.schema
    intruders, limits = (plan.protocol.scenarios, dict(plan.protocol.thresholds)) if plan else ((), {})
    limits |= _given(risk_at_most=risk_at_most, loss_at_most=loss_at_most)
    sets = workflow.parse_attribute_sets(attributes) if attributes else None
    start = time.perf_counter()
    with progress(quiet=quiet or json, verbose=verbose):
        table_ = workflow.read(data, known, delimiter=delimiter, encoding=encoding, **layout)
        study = workflow.compare(
            table_, candidates, attribute_sets=sets, repetitions=repetitions, random_state=seed, workers=workers,
            store=store, resume=resume, scenarios=intruders, thresholds=limits,
        )  # fmt: skip
        if study.complete:  # half a table would be read as a whole one
            _write(study, output, picture, inputs)
    seconds = time.perf_counter() - start
    tell_inferred(table_.schema, quiet=quiet or json)
    remarks = workflow.advise_study(table_, maskers, schema_given=known is not None)
    ranking = study.ranking()
    best, missed = None, tuple[str, ...]()
    if ranking and study.complete and (plan is not None or len(limits) > 1):
        choice = study.choose(limits)
        best, missed = choice.entry, choice.misses
    elif ranking and study.complete:
        best = study.best(risk_at_most=risk_at_most, loss_at_most=loss_at_most)
    several = study.attribute_sets if len(study.attribute_sets) > 1 else ()
    if json:
        by_set = {
            name: {
                "ranking": study.ranking(name),
                "front": study.front(name),
                "unmasked": study.unmasked_entry(name),
            }
            for name in several
        }
        summary: dict[str, Any] = {"complete": study.complete, "best": best, "ranking": ranking, "front": study.front()}
        summary |= {"score": study.score, "unmasked": study.unmasked_entry(), "misses": list(missed)}
        ending = {"failed": len(study.failures), "seconds": seconds, "advice": [remark.to_dict() for remark in remarks]}
        print_json({**summary, "by_attribute_set": by_set, **ending})
        _end_if_stopped(study, store)
        return
    title = f"{len(study)} experiments" + (f", means over {len(several)} attribute sets" if several else "")
    _show(title, ranking[:_SHOWN], study.unmasked_entry())
    for name in several:
        _show(f"Attribute set {safe(name)}", study.ranking(name)[:_SHOWN_BY_SET], study.unmasked_entry(name))
    if any(entry["like_best"] for entry in ranking[1:_SHOWN]):
        out.print("≈ may be as good as the best: their ranges over seeds overlap.", style="dim", highlight=False)
    _end(study, seconds)
    if best is not None and missed:
        out.print(f"[bold]No candidate meets every limit.[/bold] Nearest: {safe(best['label'])}, {_figures(best)}; "
                  f"misses {safe('; '.join(missed))}.", highlight=False)  # fmt: skip
    elif best is not None:
        out.print(f"[bold]Best:[/bold] {safe(best['label'])}, {_figures(best)}.", highlight=False)
    if not quiet:
        advise(remarks)
    _end_if_stopped(study, store)


@reads_text
@declares
def tune(
    data: Data,
    candidate: Candidates = None,
    protocol: Alternatives = None,
    schema: SchemaFile = None,
    attributes: Annotated[
        str | None, typer.Option("--attributes", "-a", help="The keys of the file: KEY,KEY.", show_default=False)
    ] = None,
    risk_at_most: RiskCeiling = None,
    loss_at_most: Annotated[float | None, typer.Option(help="A ceiling on loss.", show_default=False)] = None,
    budget: Annotated[
        str | None,
        typer.Option(help="The most experiments, 200, or a time, 5m; without -c 5 minutes.", show_default=False),
    ] = None,
    release: Annotated[str, typer.Option("--for", help="Who will have the file: research or public.")] = "research",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The protocol, as .toml, or the rows, as .csv or .parquet.", show_default=False
        ),
    ] = None,
    picture: Picture = None,
    repetitions: Repetitions = 1,
    limit: Limit = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a protocol that exists.")] = False,
    store: Store = None,
    resume: Resume = False,
    seed: StudySeed = None,
    workers: Workers = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Find the best protection of a file with far fewer experiments than trying all: candidates, or none to begin with.

    Example: discreet tune survey.csv --budget 5m -o protocol.toml

    Example: discreet tune survey.csv -p alternatives.toml --budget 60 -o protocol.toml

    Example: discreet tune survey.csv -s survey.toml -c 'kmodes k=2,3,4,5,7,9 n_vars=1,2,4' -c 'rank-swapping p=1,2,5,9'
    """
    from discreet import workflow

    if not candidate:
        if output is not None and output.suffix.lower() != ".toml":
            raise ParameterError("Without -c, --output is the protocol, a .toml file.", hint="-o protocol.toml")
        if attributes is not None:
            raise ParameterError("--attributes goes with -c.", hint="Declare the keys: --keys KEY,KEY.")
        limits = _given(risk_at_most=risk_at_most, loss_at_most=loss_at_most)
        options = {
            "schema": declared, "release": release, "budget": _budget(budget) or "5m", "thresholds": limits,
            "repetitions": repetitions, "random_state": seed, "workers": workers, "resume": resume,
            "delimiter": delimiter, "encoding": encoding, **layout, **_given(limit=limit),
        }  # fmt: skip
        sign_protocol(
            data, schema=schema, protocol=protocol, output=output, picture=picture, store=store, json=json,
            quiet=quiet, verbose=verbose, force=force, options=options,
        )  # fmt: skip
        return
    if protocol is not None:
        raise ParameterError("Give candidates with -c or with -p, not both.", hint="Put them all into the protocol.")
    if output is not None and output.suffix.lower() == ".toml":
        raise ParameterError("With -c, --output is the rows, as .csv or .parquet.", hint="Leave -c out, or use -p.")
    inputs = [data, *([schema] if schema else [])]
    space = workflow.parse_chains(candidate)
    inputs += workflow.files_named([masker.get_params() for masker in _maskers_of(space)])
    _check_paths(output, picture, store, inputs, resume=resume)
    keys = None if attributes is None else [name.strip() for name in attributes.split(",")]
    start = time.perf_counter()
    with progress(quiet=quiet or json, verbose=verbose):
        table_ = workflow.read(data, declared, delimiter=delimiter, encoding=encoding, **layout)
        tuned = workflow.tune(
            table_, space, attributes=keys, risk_at_most=risk_at_most, loss_at_most=loss_at_most,
            budget=_budget(budget), repetitions=repetitions, random_state=seed, workers=workers, store=store,
            resume=resume,
        )  # fmt: skip
        if tuned.study.complete:
            _write(tuned.study, output, picture, inputs)
    seconds = time.perf_counter() - start
    tell_inferred(table_.schema, quiet=quiet or json)
    if json:
        summary: dict[str, Any] = {"best": tuned.best, "experiments": tuned.experiments, "space": tuned.space}
        summary |= {"score": tuned.study.score, "unmasked": tuned.study.unmasked_entry(), "misses": list(tuned.misses)}
        print_json({**summary, "complete": tuned.study.complete, "ranking": tuned.study.ranking(), "seconds": seconds})
        _end_if_stopped(tuned.study, store)
        return
    title = f"{tuned.experiments} experiments for {tuned.space} candidates"
    _show(title, tuned.study.ranking()[:_SHOWN_BY_SET], tuned.study.unmasked_entry())
    _end(tuned.study, seconds)
    best = "Best" if tuned.study.complete else "Best so far"
    if not tuned.met and tuned.study.complete:
        best = f"No candidate meets every limit ({'; '.join(tuned.misses)}). Nearest"
    out.print(f"[bold]{best}:[/bold] {safe(tuned.best['label'])}, {_figures(tuned.best)}.", highlight=False)
    _end_if_stopped(tuned.study, store)


def _maskers_of(candidates: Sequence[Any]) -> list[Any]:
    """Return the maskers of candidates, those of every step of a chain."""
    return [masker for one in candidates for masker in getattr(one, "maskers", (one,))]


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were typed."""
    return {name: value for name, value in options.items() if value is not None}


def _budget(text: str | None) -> int | str | None:
    """Return a number of experiments, or a time as it was typed."""
    return int(text) if text is not None and text.isascii() and text.isdigit() else text


def _check_paths(
    output: Path | None, picture: Path | None, store: Path | None, inputs: Sequence[Path], *, resume: bool
) -> None:
    """Refuse what must not be written, before any work is done."""
    from discreet import workflow

    workflow.check_outputs([path for path in (output, picture, store) if path], inputs)
    if store is not None:
        workflow.check_store(store, resume=resume, inputs=inputs)


def _write(study: Any, output: Path | None, picture: Path | None, inputs: Sequence[Path]) -> None:
    from discreet import workflow

    with workflow.written_together([path for path in (output, picture) if path], inputs, last=True):
        workflow.write_study(study, table=output, picture=picture, inputs=inputs)


def _end_if_stopped(study: Any, store: Path | None) -> None:
    """Say what became of a study that was interrupted, and end with 130."""
    if study.complete:
        return
    hint = f"they are kept in {store}: go on with --resume" if store else "with --store, --resume would go on from them"
    err.print(f"Interrupted; no file was written. {len(study)} experiments were finished; {safe(hint)}.",
              highlight=False, soft_wrap=True)  # fmt: skip
    raise typer.Exit(130)


def _show(title: str, ranking: Sequence[Mapping[str, Any]], unmasked: Mapping[str, Any] | None) -> None:
    heads = ("score", "over seeds", "risk", "loss")
    grid = table(title, "candidate", *heads, numbers=heads)
    for place, entry in enumerate(ranking):
        like = "≈ " if place and entry["like_best"] else ""
        figures = (f"{entry['score']:.2f}", _range(entry), f"{entry['risk']:.2f}", f"{entry['loss']:.2f}")
        grid.add_row(like + safe(entry["label"]), *figures)
    if unmasked is not None:
        figures = (f"{unmasked['score']:.2f}", "–", f"{unmasked['risk']:.2f}", f"{unmasked['loss']:.2f}")
        grid.add_row("the unmasked file", *figures, style="dim")
    out.print(grid)
    out.print(
        "Risk: the worst of all linkers and keys. Loss: what the cells lost. Both in percent.",
        style="dim",
        highlight=False,
    )


def _range(entry: Mapping[str, Any]) -> str:
    if entry["score_high"] - entry["score_low"] < 0.005:
        return "–"
    return f"{entry['score_low']:.2f}–{entry['score_high']:.2f}"


def _figures(entry: Mapping[str, Any]) -> str:
    return f"score {entry['score']:.2f}, risk {entry['risk']:.2f}, loss {entry['loss']:.2f}"


def _end(study: Any, seconds: float) -> None:
    rate = len(study) / seconds if seconds > 0 else 0.0
    out.print(f"{seconds:.1f} s, {rate:.1f} experiments a second.", style="dim", highlight=False)
    failures: dict[str, int] = {}
    for row in study.failures:
        message = f"{row['method']}: {row['error']}"
        failures[message] = failures.get(message, 0) + 1
    for message, count in failures.items():
        err.print(safe(message) + (f" ({count} times)" if count > 1 else ""), highlight=False)
