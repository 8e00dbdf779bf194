"""The manifest of a release: what was made of what, by which versions, with a sum for every file."""

from __future__ import annotations

import hashlib
import json as json_
import os
import platform
import struct
import sys
import zipfile
import zlib
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

    What is no plain file (a pipe, a link to a folder) and a folder that may not be looked into count as well. No link
    is followed, and nothing but plain files is opened.

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
    strays = []
    for file in _all_but_folders(folder):
        name, is_file = file.relative_to(folder).as_posix(), _is_file(file)
        # A link may bear the name of a listed file, whose bytes are compared; a link to a folder may not.
        listed = is_file and name in names
        if not listed and not (is_file and not _is_link(file) and _is_archive_of(file, sums)):
            strays.append(name)
    return strays


def _all_but_folders(folder: Path) -> list[Path]:
    """Return all that stands in a folder and below, but for folders themselves; links to folders are not followed."""
    found: set[Path] = set()
    unread: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=unread.append):
        found |= {path for name in folders if _is_link(path := Path(place, name))}
        found |= {Path(place, name) for name in files}
    # A folder that may not be read can hold anything, and is returned itself.
    return sorted(found | {Path(error.filename) for error in unread})


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink() or (sys.version_info >= (3, 12) and path.is_junction())
    except OSError:  # what it is may not be known
        return True


_LONGEST = 512
"""The most bytes that the name and the notes of a member of an archive may take."""


def _is_archive_of(file: Path, sums: set[str]) -> bool:
    """Say whether a file is an archive of what is listed, and of nothing else: not a byte before, between or after."""
    try:
        with file.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            members = sorted(archive.infolist(), key=lambda member: member.header_offset)
            end = 0
            for member in members:
                if member.header_offset != end:
                    return False
                stream.seek(end)
                head = stream.read(30)
                if head[:4] != b"PK\3\4":
                    return False
                names = sum(struct.unpack("<HH", head[26:30]))  # its name and notes: no room for a table
                if names > _LONGEST or len(member.extra) > _LONGEST or member.comment:
                    return False
                stream.seek(end + 30 + names)
                if _sum_of_member(stream.read(member.compress_size), member.compress_type) not in sums:
                    return False
                sizes = (member.CRC, member.compress_size, member.file_size)
                if member.flag_bits & 8 and stream.read(16) != struct.pack("<4s3L", b"PK\7\10", *sizes):
                    return False  # where it was written to a pipe, its sizes follow it
                end += 30 + names + member.compress_size + (16 if member.flag_bits & 8 else 0)
            # After the members: one line of the directory for each, and 22 bytes that say where it begins.
            coded = [one.orig_filename.encode("utf-8" if one.flag_bits & 0x800 else "cp437") for one in members]
            lines = sum(46 + len(name) + len(one.extra) for name, one in zip(coded, members, strict=True))
            return bool(members) and end == archive.start_dir and file.stat().st_size == end + lines + 22
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, struct.error, zlib.error):  # damaged, or locked
        return False


def _sum_of_member(content: bytes, packed: int) -> str | None:
    """Return the SHA-256 of a member of an archive; None where its bytes hold something besides, or are not known."""
    if packed == zipfile.ZIP_STORED:
        return hashlib.sha256(content).hexdigest()
    if packed != zipfile.ZIP_DEFLATED:
        return None
    reader = zlib.decompressobj(-zlib.MAX_WBITS)
    digest = hashlib.sha256()
    while content and not reader.eof:
        digest.update(reader.decompress(content, 1 << 20))
        content = reader.unconsumed_tail
    digest.update(reader.flush())
    return digest.hexdigest() if reader.eof and not reader.unused_data else None


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
