"""Where somebody who attacks a file learns how it was masked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.contracts.masked import Masked
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable
from discreet.errors import DiscreetError, FileError, ParameterError
from discreet.evaluation.told_masking import parse_masking, told
from discreet.release.chain import Chain
from discreet.release.manifest import masking_in_manifest
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step

__all__ = ["masking_of", "told_release"]

PathLike = str | os.PathLike[str]


def masking_of(
    release: PathLike,
    *,
    methods: Sequence[str] = (),
    further: Mapping[str, str] | None = None,
    protocol: PathLike | None = None,
) -> tuple[Chain, str] | None:
    """Return how a file was masked, and where that is said; None where nothing says it.

    Parameters
    ----------
    release : path
        The released file. A manifest beside it that lists it, with these very bytes, is believed.
    methods : sequence of str
        What a person says: ``"rank-swapping p=10"``, a text a step. It goes before everything else.
    further : mapping of str to str, optional
        Parameters of the one method that were typed apart from it.
    protocol : path, optional
        The protocol that the file was made by.
    """
    if methods and protocol is not None:
        raise ParameterError("How the file was masked is said twice.", hint="Name the method or the protocol.")
    if methods:
        return Chain(parse_masking(methods, dict(further or {}))), "as said"
    if protocol is not None:
        return Chain(Protocol.load(protocol).steps, folder=Path(protocol).parent), f"from {Path(protocol).name}"
    folder = Path(release).resolve().parent
    for manifest in sorted({*folder.glob("manifest.json"), *folder.glob("*manifest*.json")}):
        if (masking := _listed(manifest, release)) is not None:
            return masking, f"from {manifest.name}"
    return None


def told_release(
    original: Microdata | StoredTable,
    release: Microdata | StoredTable,
    path: PathLike,
    *,
    methods: Sequence[str] = (),
    protocol: PathLike | None = None,
) -> Masked | None:
    """Return a file's release with what follows from how it was masked; None where nothing says it.

    Raises
    ------
    DataError
        A person says it, and the file is not what that makes. A manifest that does not fit is not believed.
    """
    masking = masking_of(path, methods=methods, protocol=protocol)
    if masking is None:
        return None
    try:
        return told(original, release, masking[0])
    except DiscreetError:
        if methods or protocol is not None:
            raise
        return None


def _listed(manifest: Path, release: PathLike) -> Chain | None:
    """Return what a manifest says of a file; None where it is no manifest, or says nothing."""
    try:
        listed = masking_in_manifest(manifest, release)
    except FileError:
        return None
    if listed is None:
        return None
    text, steps = listed
    if text is not None:
        return Chain(Protocol.from_toml(text).steps, folder=manifest.parent)
    return Chain([_step(manifest, step) for step in steps])


def _step(manifest: Path, listed: Mapping[str, Any]) -> Step:
    try:
        parameters = {n: v for n, v in listed["parameters"].items() if v is not None}
        return Step(str(listed["method"]), parameters, unit=listed.get("unit"))
    except (DiscreetError, KeyError, TypeError, AttributeError):
        raise FileError(f"{manifest.name!r} does not tell how the file was masked.") from None
