"""``tune`` from nothing, or from a protocol with alternatives: the protocol it would sign, and what it tried."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe, table
from discreet.cli.options import refuse_existing, tell_inferred

__all__ = ["sign_protocol"]

_SHOWN = 5


def sign_protocol(
    data: Path,
    *,
    schema: Path | None,
    protocol: Path | None,
    output: Path | None,
    picture: Path | None,
    store: Path | None,
    json: bool,
    quiet: bool,
    verbose: bool,
    force: bool,
    options: Mapping[str, Any],
) -> None:
    """Search, show what was tried within a screen, and write the protocol."""
    from discreet import workflow

    inputs = [path for path in (data, schema, protocol) if path]
    if protocol is not None:
        chains = workflow.OpenProtocol.load(protocol).chains(**{n: v for n, v in options.items() if n == "limit"})
        inputs += workflow.files_named([masker.get_params() for chain in chains for masker in chain.maskers])
    written = [path for path in (output, picture) if path]
    workflow.check_outputs([*written, *([store] if store else [])], inputs)
    refuse_existing(written, force=force)
    if store is not None:
        workflow.check_store(store, resume=options["resume"], inputs=inputs)
    start = time.perf_counter()
    with progress(quiet=quiet or json, verbose=verbose):
        signed = workflow.tune_protocol(
            data, protocol=protocol, store=store, folder=output.parent if output else None, **options
        )
    seconds, tuned = time.perf_counter() - start, signed.tuned
    # What was stopped, or judged on a sample alone, is not to be signed.
    whole = tuned.study.complete and tuned.records == len(signed.original)
    if whole:
        with workflow.written_together(written, inputs, last=True):
            if output is not None:
                workflow.save_protocol(signed.protocol, output, inputs)
            if picture is not None:
                workflow.write_study(tuned.study, picture=picture, inputs=inputs)
    tell_inferred(signed.original.schema, quiet=quiet or json)
    if json:
        print_json(_summary(signed, seconds, output if whole else None))
    else:
        _show(signed, seconds, output if whole else None, quiet=quiet)
    if not tuned.study.complete:
        hint = f"kept in {store}: go on with --resume" if store else "with --store, --resume would go on from them"
        err.print(f"Interrupted. This is the best so far; {safe(hint)}.", highlight=False, soft_wrap=True)
        raise typer.Exit(130)
    if not tuned.met:
        raise typer.Exit(1)


def _summary(signed: Any, seconds: float, output: Path | None) -> dict[str, Any]:
    tuned = signed.tuned
    return {
        "met": tuned.met,
        "misses": list(tuned.misses),
        "best": tuned.best,
        "steps": [step.to_dict() for step in signed.protocol.steps],
        "seed": signed.protocol.seed,
        "thresholds": dict(tuned.thresholds),
        "records": tuned.records,
        "space": tuned.space,
        "rungs": [{"records": rung.records, "candidates": rung.candidates} for rung in tuned.rungs],
        "tried": list(tuned.tried),
        "unmasked": tuned.study.unmasked_entry(),
        "complete": tuned.study.complete,
        "protocol": None if output is None else str(output),
        "seconds": seconds,
    }


def _show(signed: Any, seconds: float, output: Path | None, *, quiet: bool) -> None:
    tuned, records = signed.tuned, len(signed.original)
    rungs = ", ".join(
        f"{one.candidates} on {'all ' if one.records == records else ''}{one.records:,} records" for one in tuned.rungs
    )
    # Those that were judged whole come first, then those that were ruled out, then those that a sample left behind.
    order = sorted(
        tuned.tried,
        key=lambda one: (
            one["candidate"] != tuned.best["label"], -one["records"], one["risk"] is None, one["loss"] or 100.0,
        ),
    )  # fmt: skip
    grid = table(f"{tuned.space} candidates: {rungs}", "candidate", "risk", "loss", "on all records",
                 numbers=("risk", "loss"))  # fmt: skip
    for one in order[:_SHOWN]:
        least = f"≥ {one['risk_at_least']:.2f}" if one["risk_at_least"] is not None else "–"
        risk = least if one["risk"] is None else f"{one['risk']:.2f}"
        loss = "–" if one["loss"] is None else f"{one['loss']:.2f}"
        grid.add_row(safe(_short(one["candidate"])), risk, loss, safe(_short(_outcome(one, records), 46)))
    unmasked = tuned.study.unmasked_entry()
    if unmasked is not None:
        grid.add_row("the unmasked file", f"{unmasked['risk']:.2f}", "0.00", "", style="dim")
    out.print(grid)
    limits = ", ".join(f"{name} = {limit:g}" for name, limit in tuned.thresholds.items())
    best = tuned.best["draw"]
    figures = f"risk {best['risk']:.2f} %, loss {best['loss']:.2f} %"
    if tuned.records < records:
        out.print(f"Judged on {tuned.records:,} of {records:,} records only; what it does to the file is not known.",
                  highlight=False)  # fmt: skip
    elif tuned.met:
        word = "Signed" if tuned.study.complete else "Best so far"
        out.print(f"[bold]{word}:[/bold] {safe(tuned.best['label'])}, {figures}; keeps {limits}.", highlight=False,
                  soft_wrap=True)  # fmt: skip
    else:
        out.print(
            f"[bold]No candidate meets every limit.[/bold] Nearest: {safe(tuned.best['label'])}, {figures}; misses "
            f"{safe('; '.join(tuned.misses))}.", highlight=False, soft_wrap=True,
        )  # fmt: skip
    if output is not None:
        out.print(f"Written to {safe(str(output))}. Look at every role, then: discreet run {safe(str(output))}",
                  highlight=False, soft_wrap=True)  # fmt: skip
    elif not quiet:
        out.print(f"{seconds:.0f} s. -o protocol.toml writes the protocol, with what was tried.", highlight=False,
                  style="dim")  # fmt: skip


def _outcome(one: Mapping[str, Any], records: int) -> str:
    if one["records"] < records:
        return f"{one['records']:,} records; left behind"
    return str(one["outcome"])


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
