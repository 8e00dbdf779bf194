"""Approvals: who decided that a release may go out, and why, sealed over its files and over earlier approvals.

The file ``approvals.json`` stands beside the manifest. Every approval lists the manifest and each file with its
SHA-256, names the seal of the approval before it, and ends with its own. A byte that is changed in a file, in the
manifest or in any approval breaks a seal. Whoever can write the folder can seal it anew: against that stand a
signature, and the last seal, kept elsewhere (on the signed report, say).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json as json_
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet import io
from discreet.errors import FileError, ParameterError, door
from discreet.release.manifest import (
    PathLike,
    check_manifest,
    find_manifest,
    listed_files,
    stray_files,
    thresholds_missed,
)
from discreet.release.signing import Signature, check_signature, listed_signers, sign
from discreet.typing import Json

__all__ = ["APPROVALS", "Approval", "approve", "check_approvals", "unapproved_files"]

APPROVALS = "approvals.json"

_DECISIONS = ("approved", "refused")
_FIELDS = {"number", "decision", "by", "reason", "exceptions", "date", "manifest", "files", "previous"}


@dataclass(frozen=True)
class Approval:
    """One approval of a release, and whether it still holds.

    Attributes
    ----------
    number : int
    decision : {"approved", "refused"}
    by, reason, date : str
    exceptions : tuple of str
    seal : str
        SHA-256 of all that the approval says, its signature included.
    faults : tuple of str
        What is not as it was; none where the approval holds.
    signature : str
        What is known of the signature, in a sentence; empty where there is none.
    signed : {"", "fits", "trusted", "wrong", "unchecked"}
    """

    number: int
    decision: str
    by: str
    reason: str
    date: str
    exceptions: tuple[str, ...]
    seal: str
    faults: tuple[str, ...] = ()
    signature: str = ""
    signed: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing was changed since."""
        return not self.faults

    def to_dict(self) -> Json:
        """Return the approval as JSON values."""
        return {
            "number": self.number,
            "decision": self.decision,
            "by": self.by,
            "reason": self.reason,
            "date": self.date,
            "exceptions": list(self.exceptions),
            "seal": self.seal,
            "holds": self.holds,
            "faults": list(self.faults),
            "signed": self.signed,
            "signature": self.signature,
        }


@door
def approve(
    release: PathLike,
    *,
    by: str,
    reason: str,
    decision: str = "approved",
    exceptions: Sequence[str] = (),
    date: str | None = None,
    ssh_key: PathLike | None = None,
    gpg_key: str | None = None,
) -> Approval:
    """Seal a release with a decision: who took it, why, and over which bytes.

    Parameters
    ----------
    release : path
        Its folder, or its manifest.
    by, reason : str
        Who decides, and why.
    decision : {"approved", "refused"}
    exceptions : sequence of str
        What was allowed against a rule of the house. A release that misses a threshold of its protocol is approved
        with an exception, or not at all.
    date : str, optional
        Such as ``"2026-11-30"``; today by default, and no later than that.
    ssh_key : path, optional
        Sign with this SSH key, through ``ssh-keygen``.
    gpg_key : str, optional
        Sign with this GPG key, through ``gpg``.

    Returns
    -------
    Approval

    Raises
    ------
    FileError
        Where a file is not as the manifest says, or an earlier approval does not hold, or is of another manifest.
    ParameterError
        Where the date lies in the future or before that of an earlier approval, or where thresholds are missed and no
        exception is named.
    """
    for what, words in (("by", by), ("reason", reason), *(("exceptions", one) for one in exceptions)):
        if not isinstance(words, str) or not words.strip():
            raise ParameterError(f"approve: {what} must say something.", hint='by="A. Smith", reason="Thresholds met."')
    if decision not in _DECISIONS:
        raise ParameterError(f"approve: decision must be 'approved' or 'refused'; got {decision!r}.")
    day = _day(date)
    manifest = find_manifest(release)
    wrong = [name for name, state in check_manifest(manifest).items() if state != "unchanged"]
    if wrong:
        raise FileError(
            f"{len(wrong)} files are not as the manifest says, the first {wrong[0]!r}: there is nothing to approve.",
            hint="`discreet verify` lists them; make the release again.",
        )
    entries, earlier = _read(manifest.parent / APPROVALS), check_approvals(manifest)
    broken = next((one for one in earlier if not one.holds), None)
    if broken is not None:
        raise FileError(
            f"Approval {broken.number} does not hold: {broken.faults[0]}",
            hint=f"Keep {APPROVALS} as evidence elsewhere, and approve the release anew without it.",
        )
    if earlier and day < earlier[-1].date:
        raise ParameterError(
            "approve: date lies before that of the approval before it.", hint="Decisions follow one another in time."
        )
    missed = thresholds_missed(manifest)
    if missed and decision == "approved" and not exceptions:
        raise ParameterError(
            f"approve: the release misses {len(missed)} of its thresholds, the first {missed[0]!r}.",
            hint="Say what is allowed all the same, as an exception (--exception), or refuse the release (--refuse).",
        )
    statement: Json = {
        "number": len(entries) + 1,
        "decision": decision,
        "by": by.strip(),
        "reason": reason.strip(),
        "exceptions": [one.strip() for one in exceptions],
        "date": day,
        "manifest": {"name": manifest.name, "sha256": _sha256(manifest.read_bytes())},
        "files": listed_files(manifest),
        "previous": entries[-1]["seal"] if entries else "",
    }
    signature = None
    if ssh_key is not None or gpg_key is not None:
        signature = sign(_text(statement), ssh_key=ssh_key, gpg_key=gpg_key)
    entry = {"approval": statement, "signature": signature}
    entries.append(entry | {"seal": _sha256(_text(entry).encode())})
    io.write_text(manifest.parent / APPROVALS, _whole(entries), [manifest])
    return check_approvals(manifest)[-1]


@door
def check_approvals(release: PathLike, *, signers: PathLike | None = None) -> tuple[Approval, ...]:
    """Return the approvals of a release, each with what no longer holds of it.

    Parameters
    ----------
    release : path
        Its folder, or its manifest.
    signers : path, optional
        A file of allowed signers, as OpenSSH reads it, with lines such as ``gpg FINGERPRINT A. Smith`` for keys of
        GPG: a signature must then be by one of them, and the last approval must be signed; it is over those before it
        too. Who signed is what the signature says; `by` is what the signer wrote, and may not be the name of
        somebody else in the list.
    """
    if signers is not None:
        if not Path(signers).is_file():
            raise FileError(f"The list of signers {str(signers)!r} does not exist.")
        listed_signers(signers)  # a line that cannot be read is said even where nothing is signed
    manifest = find_manifest(release)
    path = manifest.parent / APPROVALS
    entries = _read(path)
    # Only what this module writes has these bytes: a blank too many is a changed byte as well.
    strange = bool(entries) and path.read_bytes() != _whole(entries).encode()
    result, previous, day = [], "", ""
    for place, entry in enumerate(entries, start=1):
        statement = entry["approval"]
        faults = [f"{APPROVALS} is not written as it was."] if strange else []
        if entry["seal"] != _sha256(_text({name: entry[name] for name in ("approval", "signature")}).encode()):
            faults.append("What it says was changed after it was sealed.")
        if statement["number"] != place or statement["previous"] != previous:
            faults.append("It does not follow upon the approval before it.")
        faults += _misdated(statement["date"], day)
        faults += _changed(manifest, statement)
        signature = None
        if entry["signature"] is not None:
            signature = check_signature(_text(statement), entry["signature"], signers=signers)
            faults += [signature.sentence] if signature.state == "wrong" else []
            faults += _misnamed(statement["by"], signature, signers)
        last = place == len(entries)  # its signature is also over the seals of those before it
        if signers is not None and last and (signature is None or signature.state in ("fits", "unchecked")):
            faults.append("It is not signed by anybody who is known to be allowed to.")
        previous, day = entry["seal"], statement["date"]
        result.append(
            Approval(
                place, statement["decision"], statement["by"], statement["reason"], statement["date"],
                tuple(statement["exceptions"]),
                entry["seal"], tuple(faults), signature.sentence if signature else "",
                signature.state if signature else "",
            )
        )  # fmt: skip
    return tuple(result)


@door
def unapproved_files(release: PathLike) -> list[str]:
    """Return the files in the folder of a release that its manifest does not list, so that nobody approved them."""
    return stray_files(find_manifest(release), [APPROVALS])


def _misdated(date: str, before: str) -> list[str]:
    """Say whether the day of an approval can be the day on which it was given."""
    try:
        if dt.date.fromisoformat(date) > _latest_day():
            return ["It is dated in the future."]
    except ValueError:
        return ["Its date is no day."]
    return ["It is dated before the approval that it follows."] if date < before else []


def _misnamed(by: str, signature: Signature, signers: PathLike | None) -> list[str]:
    """Say whether an approval is given in the name of somebody in the list who is not who signed."""
    if signers is None or not signature.signer or _same_person(by, signature.signer):
        return []
    others = [name for name in listed_signers(signers) if _same_person(by, name)]
    return [f"It is given in the name of {others[0]}, and was signed by {signature.signer}."] if others else []


def _same_person(by: str, name: str) -> bool:
    """Say whether what a signer wrote can be the name in a list: the whole of it, or what stands before its @.

    Case, dots and blanks say nothing: A. Smith, a.smith and A Smith are one.
    """
    written, listed = _words(by), {"".join(_words(part)) for part in (name, name.partition("@")[0])} - {""}
    for start in range(len(written)):
        run = ""
        for place in range(start, len(written)):
            run += written[place]
            if run in listed:
                return True
            if not any(one.startswith(run) for one in listed):
                break
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def _changed(manifest: Path, statement: Json) -> list[str]:
    """Say which of the bytes that were approved are others today, and whether another manifest was."""
    if statement["manifest"]["name"] != manifest.name:
        return [f"It is of the manifest {statement['manifest']['name']!r}, and not of {manifest.name!r}."]
    listed = [(statement["manifest"]["name"], statement["manifest"]["sha256"])]
    listed += [(file["name"], file["sha256"]) for file in statement["files"]]
    faults = []
    for name, expected in listed:
        file = manifest.parent / name
        if not file.is_file():
            faults.append(f"The file {name!r} is absent.")
        elif _sha256(file.read_bytes()) != expected:
            faults.append(f"The file {name!r} was changed.")
    return faults


def _read(path: Path) -> list[Json]:
    if not path.exists():
        return []
    wrong = FileError(
        f"{str(path)!r} does not hold approvals of Discreet, or was changed.",
        hint="Nothing in it can be relied on: take the copy that was kept with the signed report.",
    )
    try:
        content = io.read_json(path)
    except (OSError, ValueError):
        raise wrong from None
    entries = content.get("approvals") if isinstance(content, dict) and set(content) == {"approvals"} else None
    if not isinstance(entries, list) or not entries or not all(_is_entry(entry) for entry in entries):
        raise wrong
    return entries


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or set(entry) != {"approval", "signature", "seal"}:
        return False
    statement, signature = entry["approval"], entry["signature"]
    if not isinstance(statement, dict) or set(statement) != _FIELDS or not isinstance(entry["seal"], str):
        return False
    texts = all(isinstance(statement[name], str) for name in ("decision", "by", "reason", "date", "previous"))
    listed = [statement["manifest"], *(statement["files"] if isinstance(statement["files"], list) else [None])]
    hashed = all(isinstance(one, dict) and {"name", "sha256"} <= set(one) for one in listed)
    named = hashed and all(isinstance(one["name"], str) and "\0" not in one["name"] for one in listed)
    exceptions = isinstance(statement["exceptions"], list) and all(
        isinstance(one, str) for one in statement["exceptions"]
    )
    texts = texts and statement["decision"] in _DECISIONS
    return texts and named and exceptions and (signature is None or isinstance(signature, dict))


def _latest_day() -> dt.date:
    """Return the day after today in UTC, which it is already somewhere on earth."""
    return dt.datetime.now(tz=dt.UTC).date() + dt.timedelta(days=1)


def _day(date: str | None) -> str:
    if date is None:
        return dt.datetime.now(tz=dt.UTC).date().isoformat()
    try:
        day = dt.date.fromisoformat(date)
    except (TypeError, ValueError):
        raise ParameterError("approve: date must be a day such as 2026-11-30.") from None
    if day > _latest_day():
        raise ParameterError("approve: date lies in the future.", hint="Approve on the day of the decision.")
    return day.isoformat()


def _text(value: Json) -> str:
    """Return the one text of what was said: the same whoever writes it."""
    return json_.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _whole(entries: list[Json]) -> str:
    return json_.dumps({"approvals": entries}, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
