"""`certify`, `approve` and `verify`: what can be proven about a release, who let it out, and whether it is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    Json,
    MaskedFile,
    Quiet,
    declares,
    reads_text,
    tell_inferred,
)

__all__ = ["approve", "certify", "verify"]


@reads_text
@declares
def certify(
    original: Data,
    masked: MaskedFile,
    k: Annotated[
        int | None, typer.Option(help="Smallest group; found in the release unless said.", show_default=False)
    ] = None,
    budget: Annotated[str, typer.Option(help="How long to improve the bound: 30s, 10min.")] = "1m",
    attributes: Annotated[
        str | None, typer.Option(help="What was masked, separated by commas.", show_default=False)
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="Of missing values in the release: category, a value of its own, or wildcard, matching every value.",
            show_default=False,
        ),
    ] = None,
    max_gap: Annotated[
        float | None, typer.Option(help="Exit with 1 if the gap is above this percentage.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Prove how far a release is from the least possible information loss, or from the fewest missing values.

    For example:

    discreet certify survey.csv masked.csv --schema survey.toml --k 3 --budget 10min

    discreet certify survey.csv suppressed.csv --attributes region,sex,job --missing wildcard --max-gap 5
    """
    from discreet import workflow

    names = None if attributes is None else [name.strip() for name in attributes.split(",") if name.strip()]
    with progress(quiet=quiet or json):
        before = workflow.read(original, declared, delimiter=delimiter, encoding=encoding, **layout)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        certificate = workflow.certify(before, after, k=k, budget=budget, attributes=names, missing=missing)
    tell_inferred(before.schema, quiet=quiet or json)
    if json:
        print_json(certificate.to_dict())
    else:
        out.print(safe(certificate.figures))
        out.print(f"Proven by {certificate.method}, {certificate.n_records} records: {safe(certificate.sentence)}.")
    if max_gap is not None and certificate.gap > max_gap:
        err.print(f"The gap, {certificate.gap:.2f} %, is above the threshold of {max_gap:g} %.")
        raise typer.Exit(1)


def approve(
    release: Annotated[Path, typer.Argument(help="The folder of the release, or its manifest.", show_default=False)],
    by: Annotated[str, typer.Option("--by", help="Who decides.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", help="Why.", show_default=False)],
    exception: Annotated[
        list[str] | None,
        typer.Option("--exception", help="What was allowed against a rule; repeatable.", show_default=False),
    ] = None,
    refuse: Annotated[bool, typer.Option("--refuse", help="The release may not go out.")] = False,
    date: Annotated[str | None, typer.Option(help="The day of the decision; today.", show_default=False)] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="Sign with this SSH key, by ssh-keygen.", show_default=False)
    ] = None,
    gpg: Annotated[
        str | None, typer.Option("--gpg", help="Sign with this GPG key, by gpg.", show_default=False)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Seal a release with a decision: over every file that its manifest lists, and over earlier approvals.

    `discreet verify` says whether a byte was changed since. Keep the seal with the signed report: with it, `verify
    --seal` also notices where the last approval was taken away. A file in the folder that the manifest does not list is
    named: it is not approved, and `verify` will not pass before it is gone.

    For example:

    discreet approve release/ --by 'A. Smith' --reason 'Thresholds met, contract 12/26.'

    discreet approve release/ --by 'A. Smith' --reason 'As agreed.' --key ~/.ssh/id_ed25519
    """
    from discreet import workflow

    approval = workflow.approve(
        release, by=by, reason=reason, decision="refused" if refuse else "approved", exceptions=exception or (),
        date=date, ssh_key=key, gpg_key=gpg,
    )  # fmt: skip
    strays = workflow.unapproved_files(release)
    if json:
        print_json(approval.to_dict() | ({"unlisted": strays} if strays else {}))
    elif not quiet:
        _show_strays(strays)
        _show_approval(approval)
        out.print(f"Seal: {approval.seal}", highlight=False, soft_wrap=True)
    _tell_strays(strays)


def _show_strays(names: list[str]) -> None:
    for name in names:
        out.print(f"[red]unlisted [/red] {safe(name)}", highlight=False, soft_wrap=True)


def _tell_strays(names: list[str]) -> None:
    if names:
        what = "file that is" if len(names) == 1 else "files that are"
        err.print(f"The folder holds {len(names)} {what} not of the release, and approved by nobody.", highlight=False)


def _show_approval(approval: Any) -> None:
    colour = ("green" if approval.decision == "approved" else "red") if approval.holds else "red"
    word = approval.decision if approval.holds else "broken"
    out.print(
        f"[{colour}]{word:<9}[/{colour}] {approval.number}. by {safe(approval.by)}, {safe(approval.date)}: "
        f"{safe(approval.reason)}", highlight=False, soft_wrap=True,
    )  # fmt: skip
    for exception in approval.exceptions:
        out.print(f"          except: {safe(exception)}", highlight=False, soft_wrap=True)
    for line in dict.fromkeys((*approval.faults, *([approval.signature] if approval.signature else []))):
        out.print(f"          {safe(line)}", highlight=False, soft_wrap=True)


def verify(
    manifest: Annotated[Path, typer.Argument(help="The manifest, or the folder it stands in.", show_default=False)],
    signers: Annotated[
        Path | None,
        typer.Option(help="Who may sign with which key: OpenSSH's allowed signers.", show_default=False),
    ] = None,
    seal: Annotated[
        str | None, typer.Option(help="The seal that the last approval must have.", show_default=False)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare the files of a release with its manifest and with what was approved.

    Exit code 1 if one is not the same, if the last decision was that the release may not go out, if the folder of an
    approved release holds a file that nobody approved, or, with --signers, if the last approval is signed by none of
    them. Only some of the files are for others: the masked file, its schema and the external report.

    For example:

    discreet verify release/manifest.json

    discreet verify release --quiet && cp release/survey-masked.* release/external.html /srv/public

    discreet verify release --signers allowed_signers --seal 1f0c…
    """
    from discreet import workflow

    path = workflow.find_manifest(manifest)
    states = workflow.check_manifest(path)
    approvals = workflow.check_approvals(path, signers=signers)
    wrong = {name: state for name, state in states.items() if state != "unchanged"}
    broken = [one for one in approvals if not one.holds]
    missed = seal is not None and (not approvals or approvals[-1].seal != seal.strip().lower())
    refused = bool(approvals) and approvals[-1].decision == "refused"
    unsigned = signers is not None and not approvals
    strays = workflow.unapproved_files(path) if approvals else []
    if json:
        entries = [one.to_dict() for one in approvals]
        states_told = {"manifest": str(path), "unchanged": not wrong, "files": states, "approvals": entries}
        print_json(states_told | ({"unlisted": strays} if strays else {}))
    elif not quiet:
        for name, state in states.items():
            colour = "green" if state == "unchanged" else "red"
            out.print(f"[{colour}]{state:<9}[/{colour}] {safe(name)}", highlight=False, soft_wrap=True)
        _show_strays(strays)
        for approval in approvals:
            _show_approval(approval)
        if not approvals and not unsigned:
            err.print("Nobody has approved the release: `discreet approve` does.", highlight=False)
    _tell_strays(strays)
    if broken:
        err.print(f"{len(broken)} of {len(approvals)} approvals no longer hold.", highlight=False)
    if refused:
        err.print("The last decision is that the release may not go out.", highlight=False)
    if unsigned:
        err.print("Nobody has approved the release, so nobody has signed it.", highlight=False)
    if missed:
        err.print("The last approval does not have the seal that was given.", highlight=False)
    if wrong:
        what = "file is" if len(states) == 1 else "files are"
        err.print(f"{len(wrong)} of {len(states)} {what} not as the manifest says.", highlight=False)
    if wrong or broken or missed or refused or unsigned or strays:
        raise typer.Exit(1)
