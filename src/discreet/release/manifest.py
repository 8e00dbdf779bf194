"""The manifest of a release: what was made of what, by which versions, with a sum for every file."""

from __future__ import annotations

import hashlib
import json as json_
import os
import platform
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from discreet import io
from discreet._version import __version__
from discreet.contracts.dossier import FileListed
from discreet.contracts.masked import Provenance
from discreet.errors import FileError
from discreet.masking.withholding.pseudonym_key import is_key_file

__all__ = [
    "PathLike",
    "check_manifest",
    "find_manifest",
    "list_files",
    "listed_files",
    "masking_in_manifest",
    "stray_files",
    "thresholds_missed",
    "write_manifest",
]

PathLike: TypeAlias = str | os.PathLike[str]


_DEPENDENCIES = (
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "polars",
    "pyarrow",
    "narwhals",
)


def _versions() -> dict[str, str]:
    """Return the versions of what figures and pictures come from; extras only where they are installed."""
    versions = {}
    for name in _DEPENDENCIES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def write_manifest(
    path: PathLike,
    files: Mapping[str, PathLike],
    *,
    protocol: str | None = None,
    steps: Sequence[Provenance] = (),
    inputs: Iterable[PathLike] = (),
    audience: str = "internal",
    thresholds: Mapping[str, bool] | None = None,
) -> None:
    """Write the manifest that closes a release: what every file is, its size and its SHA-256, and what made it.

    Parameters
    ----------
    path : path
        A JSON file.
    files : mapping of str to path
        By what they are (``"masked"``, ``"internal"``, …), the files of the release.
    protocol : str, optional
        The text of the protocol.
    steps : sequence of Provenance
        Where there is no protocol: how the release was masked. Methods and parameters are listed, never a seed.
    inputs : iterable of path
        The files that the release was made from; they are listed too.
    audience : {"internal", "external"}
        A manifest to publish holds no protocol (there are seeds in it) and says nothing of the inputs.
    thresholds : mapping of str to bool, optional
        The thresholds of the protocol, and whether the release meets them; only for the house.

    Notes
    -----
    The same files give the same bytes: no time of day, no name of a machine, and no folders but those below its own.
    """
    target = io.check_target(path, [*files.values(), *inputs])
    folder = target.resolve().parent
    fields: dict[str, Any] = {
        "manifest": 1,
        "audience": audience,
        "discreet": __version__,
        "python": platform.python_version(),
        "dependencies": _versions(),
        "files": [{"role": role, **_fingerprint(Path(name), folder)} for role, name in files.items()],
    }
    if audience == "internal":
        fields["inputs"] = [_fingerprint(Path(name), folder) for name in inputs if not is_key_file(name)]
        if protocol is not None:
            fields["protocol"] = {"sha256": hashlib.sha256(protocol.encode()).hexdigest(), "text": protocol}
        if thresholds:
            fields["thresholds"] = {name: "met" if met else "missed" for name, met in thresholds.items()}
        if steps:
            each = [one for step in steps for one in step.history or (step,)]
            fields["steps"] = [
                {
                    "method": one.method,
                    "parameters": one.parameters,
                    **({"unit": u} if (u := one.details.get("unit")) else {}),
                }
                for one in each
            ]
    io.write_text(target, json_.dumps(fields, indent=2, ensure_ascii=False) + "\n", [*files.values(), *inputs])


def find_manifest(path: PathLike) -> Path:
    """Return the path of a manifest: a file itself, or the only manifest of a folder."""
    place = Path(path)
    if not place.is_dir():
        return place
    manifests = sorted({*place.glob("manifest.json"), *place.glob("*-manifest.json")})
    if len(manifests) != 1:
        raise FileError(
            f"The folder {str(place)!r} holds {len(manifests) or 'no'} manifest{'s' if len(manifests) > 1 else ''}.",
            hint="Name the file, such as release/manifest.json.",
        )
    return manifests[0]


def check_manifest(path: PathLike) -> dict[str, str]:
    """Compare the files of a release with its manifest: by name, ``"unchanged"``, ``"changed"`` or ``"absent"``."""
    source = Path(path)
    states = {}
    for name, expected in _entries(source, _read(source)):
        file = source.parent / name
        states[name] = "absent" if not _is_file(file) else "unchanged" if _sha256(file) == expected else "changed"
    return states


def list_files(what: str, paths: Iterable[PathLike]) -> tuple[FileListed, ...]:
    """Return files as a report lists them; of a folder, the tables in it. Keys of pseudonyms are not listed."""
    result = []
    for path in paths:
        content = io.content_of(path)
        parts = sorted(content.rglob("*.parquet")) if content.is_dir() else [content]
        for part in parts:
            name = part.relative_to(content.parent).as_posix() if content.is_dir() else Path(path).name
            if part.is_file() and not is_key_file(path):
                result.append(FileListed(what, name, part.stat().st_size, _sha256(part)))
    return tuple(result)


def listed_files(path: PathLike) -> list[dict[str, str]]:
    """Return the files that a manifest lists, each with its name and its SHA-256."""
    source = Path(path)
    return [{"name": name, "sha256": expected} for name, expected in _entries(source, _read(source))]


def thresholds_missed(path: PathLike) -> list[str]:
    """Return the names of the thresholds that the release of a manifest misses."""
    told = _read(Path(path)).get("thresholds", {})
    return [name for name, state in told.items() if state != "met"] if isinstance(told, dict) else []


def stray_files(path: PathLike, known: Iterable[str] = ()) -> list[str]:
    """Return the files in the folder of a manifest that it does not list: nothing is said of them, nor approved.

    Parameters
    ----------
    path : path
        The manifest.
    known : iterable of str
        Further names that belong there, such as the file of approvals.
    """
    source = Path(path)
    folder, entries = source.parent, _entries(source, _read(source))
    names = {source.name, *known, *(name for name, _ in entries)}
    sums = {_sha256(source), *(expected for _, expected in entries)}
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [
        name
        for file in files
        if (name := file.relative_to(folder).as_posix()) not in names and not _is_archive_of(file, sums)
    ]


def _is_archive_of(file: Path, sums: set[str]) -> bool:
    """Say whether a file is an archive of what is listed, and of nothing else."""
    if not zipfile.is_zipfile(file):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return {hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()} <= sums
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):  # damaged, locked, or packed in a way of its own
        return False


def masking_in_manifest(path: PathLike, release: PathLike) -> tuple[str | None, list[Mapping[str, Any]]] | None:
    """Return the protocol's text, or else the steps, by which a manifest says that a file was made.

    None where the manifest does not list the file, does not tell how it was made, or lists it with other bytes.
    """
    source, file = Path(path), Path(release).resolve()
    listed = _read(source)
    for name, expected in _entries(source, listed):
        if (source.parent / name).resolve() == file and _sha256(file) == expected:
            text, steps = listed.get("protocol", {}).get("text"), listed.get("steps", [])
            return (text, steps) if text or steps else None
    return None


def _read(source: Path) -> dict[str, Any]:
    try:
        listed = io.read_json(source)
    except FileNotFoundError:
        raise FileError(f"The manifest {str(source)!r} does not exist.") from None
    except (OSError, ValueError):
        raise FileError(f"{str(source)!r} is not a manifest of Discreet.") from None
    if not isinstance(listed, dict):
        raise FileError(f"{str(source)!r} is not a manifest of Discreet.")
    return listed


def _entries(source: Path, listed: Mapping[str, Any]) -> list[tuple[str, str]]:
    try:
        return [(str(entry["name"]), str(entry["sha256"])) for entry in listed["files"]]
    except (KeyError, TypeError):
        raise FileError(f"{str(source)!r} is not a manifest of Discreet.") from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _fingerprint(path: Path, folder: Path) -> dict[str, Any]:
    whole, content = path.resolve(), io.content_of(path)
    if not content.is_file():
        raise FileError(f"The file {str(path)!r} does not exist, so the manifest cannot list it.")
    name = whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else whole.name
    return {"name": name, "bytes": content.stat().st_size, "sha256": _sha256(whole)}


def _sha256(path: Path) -> str:
    with io.content_of(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
