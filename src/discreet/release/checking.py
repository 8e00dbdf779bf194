"""A release verified against a protocol, without being made: what can stand in a pipeline."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet import catalogue, io
from discreet.contracts.assessment import Verdict
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, EncodedSequences
from discreet.data.schema import Schema
from discreet.errors import DataError, DiscreetError, SchemaError
from discreet.evaluation.further_linkers import knows_masking
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.thresholds import check_thresholds, verify
from discreet.evaluation.told_masking import told
from discreet.io.reading import read_release
from discreet.release.chain import Chain, masker_of
from discreet.release.protocol import Protocol
from discreet.release.running import opened, read_source

__all__ = ["check_release", "same_table"]

PathLike = str | os.PathLike[str]

_CLOSE = 1e-9
"""How near two numbers are that a format has rounded: SAS transport files keep fewer digits than others."""


def check_release(
    protocol: Protocol | PathLike,
    masked: PathLike,
    *,
    folder: PathLike | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    **layout: Any,
) -> tuple[Verdict, ...]:
    """Verify a release against the thresholds of a protocol; nothing is written.

    Parameters
    ----------
    protocol : Protocol or path
    masked : path
        The released file. Where its schema stands beside it (``masked.toml`` beside ``masked.csv``), that is taken;
        otherwise levels that the original does not have are read off the file.
    folder : path, optional
        Where files that the protocol names are looked for.

    Raises
    ------
    DataError
        A threshold needs to know how the file was masked, and the file is not what the steps of the protocol give.

    Notes
    -----
    Records are compared by their place. How a file was masked is kept nowhere: which record stands where, and what a
    value can have become, would serve an intruder. Where it is needed (the protocol samples or reorders records, an
    intruder links by the method `masking-aware`, or groups of sequences are counted), the steps are run again, and the
    file must be what they give. Measures of loss that use how a file was masked, such as EBIL, take what the file shows
    instead.
    """
    plan, _, base = opened(protocol, folder)
    if not plan.thresholds:
        raise SchemaError("The protocol has no [thresholds], so there is nothing to check.", hint="risk_at_most = 10")
    measures = check_thresholds(plan.thresholds)
    table, _ = read_source(plan, base)
    why = _needs_the_record(plan, base)
    again = Chain(plan.steps, _seed(plan, masked, why), folder=base).mask(table) if why and plan.steps else None
    rows = None if again is None else again.provenance.rows
    compared = table if rows is None else table.take(rows)
    beside = Path(masked).with_suffix(".toml")
    schema = Schema.load(beside) if beside.is_file() else None
    release = read_release(masked, compared, schema, delimiter=delimiter, encoding=encoding, **layout)
    if why and (again is None or not same_table(release, again.microdata)):
        raise DataError(
            f"{why}, and the release is not what the steps of the protocol give.",
            hint="Make it with `discreet run`, with the same version of Discreet; or change the protocol so that its "
            "thresholds can be verified from the file alone.",
        )
    if again is not None:
        masked_again = Masked(again.microdata, replace(again.provenance, rows=None))
    else:
        # Frequencies after a perturbation are flagged in the sentences, as they are where the masking is at hand.
        flags = {catalogue.method("masker", step.method).perturbative for step in plan.steps}
        provenance = Provenance("release", {}, (), len(compared), perturbative=True in flags if flags else None)
        masked_again = Masked(release, provenance)
        if plan.steps:
            with suppress(DataError):  # another file than the steps make: nobody is played who knows them
                masked_again = told(compared, release, Chain(plan.steps, plan.seed, folder=base))
    after = assess_intruders(compared, masked_again, plan.scenarios, measures=measures)
    return verify(after, plan.thresholds, masked_again)


def _seed(plan: Protocol, masked: str | os.PathLike[str], why: str) -> int:
    """Return the seed that the file was made with: the protocol's, or the one that its manifest holds."""
    if plan.seed is not None:
        return plan.seed
    for manifest in sorted(Path(masked).parent.glob("*manifest.json")):
        try:
            text = io.read_json(manifest)["protocol"]["text"]
            seed = Protocol.from_toml(text).seed
        except (OSError, ValueError, KeyError, TypeError, DiscreetError):
            continue
        if seed is not None:
            return seed
    raise DataError(
        f"{why}, and the protocol has no seed to make it again.",
        hint="The seed that was drawn stands in the internal manifest; put the manifest beside the release.",
    )


def _needs_the_record(plan: Protocol, base: Path) -> str:
    """Return why the thresholds cannot be verified from the file alone, or nothing."""
    maskers = [masker_of(step, place, plan.seed, base) for place, step in enumerate(plan.steps)]
    reordered = [masker.name for masker in maskers if masker.moves_records()]
    if reordered:
        return f"The protocol has a step {reordered[0]}, after which a record's place says nothing"
    for scenario in plan.scenarios:
        aware = [name for name in scenario.linkers if knows_masking(name)]
        if aware and "risk_at_most" in plan.thresholds:
            return (
                f"risk_at_most cannot be verified: the intruder {scenario.name!r} links by {aware[0]}, which needs to "
                "know how the file was masked"
            )
    keys = {name for scenario in plan.scenarios for name in scenario.known} or set(plan.schema.keys)
    if "smallest_group" in plan.thresholds and not plan.schema.of_scale("numeric", "ordinal", "nominal", among=keys):
        return "smallest_group cannot be verified: the groups of sequences are those of the masking"
    return ""


def same_table(release: Microdata, again: Microdata) -> bool:
    """Say whether a file holds what the steps give, whatever its format made of types and the order of levels."""
    if release.names != again.names or len(release) != len(again):
        return False
    return all(_same_column(release, again, name) for name in release.names)


def _same_column(release: Microdata, again: Microdata, name: str) -> bool:
    scale, other = release.schema[name].scale, again.schema[name].scale
    if again.schema[name].role == "identifier" or scale.kind != other.kind:
        return _texts(release, name) == _texts(again, name)
    first, second = release.encoded(name), again.encoded(name)
    if isinstance(first, EncodedSequences):
        same = np.array_equal(first.codes, second.codes) and np.array_equal(first.offsets, second.offsets)
        return same if scale == other else _texts(release, name) == _texts(again, name)
    if isinstance(scale, Categorical):
        return _levels(release, name) == _levels(again, name)
    return bool(np.allclose(first, second, rtol=_CLOSE, atol=0.0, equal_nan=True))


def _levels(table: Microdata, name: str) -> list[str]:
    scale = table.schema[name].scale
    levels = [str(level) for level in scale.levels] if isinstance(scale, Categorical) else []
    return [levels[code] if code >= 0 else "" for code in table.encoded(name)]


def _texts(table: Microdata, name: str) -> list[str]:
    return ["" if value is None else str(value) for value in table.column(name).to_pylist()]
