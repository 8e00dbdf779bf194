"""A text signed and checked by the program that holds the key: OpenSSH's or GnuPG's; no key passes through here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import FileError, ParameterError
from discreet.typing import Json

__all__ = ["Signature", "check_signature", "listed_signers", "sign"]

_NAMESPACE = "discreet-approval"
"""What an SSH signature is for: one made for something else does not pass for an approval."""

_PROGRAMS = {"ssh": "ssh-keygen", "gpg": "gpg"}


@dataclass(frozen=True)
class Signature:
    """What a program said of a signature.

    Attributes
    ----------
    state : {"fits", "trusted", "wrong", "unchecked"}
        ``"fits"``: it was made by the key that is named, of this very text; ``"trusted"``: and that key is listed for
        the signer who is named. ``"unchecked"``: the program or the public key is not here.
    sentence : str
    signer : str
        Whom the list of signers names for the key; empty where there is no list, or nobody is.
    """

    state: str
    sentence: str
    signer: str = ""


def sign(text: str, *, ssh_key: str | os.PathLike[str] | None = None, gpg_key: str | None = None) -> Json:
    """Return a detached signature of a text, as JSON values, made by ``ssh-keygen -Y sign`` or ``gpg --detach-sign``.

    A passphrase is asked for by that program, on the terminal or by its agent.
    """
    if (ssh_key is None) == (gpg_key is None):
        raise ParameterError("One key signs: the file of an SSH key, or the name of a GPG key.")
    if ssh_key is not None:
        if not Path(ssh_key).is_file():
            raise FileError(f"The SSH key {str(ssh_key)!r} does not exist.", hint="Name its file: ~/.ssh/id_ed25519.")
        kind, arguments = "ssh", ["-Y", "sign", "-q", "-n", _NAMESPACE, "-f", os.fspath(ssh_key)]
    else:
        kind, arguments = "gpg", ["--batch", "--armor", "--detach-sign", "--local-user", str(gpg_key)]
    outcome = _call(kind, arguments, text)
    if outcome is None:
        raise FileError(
            f"Signing needs the program {_PROGRAMS[kind]}, which is not installed.", hint="Approve without a key."
        )
    if outcome.returncode or not outcome.stdout.strip():
        raise FileError(
            f"{_PROGRAMS[kind]} did not sign, and ended with {outcome.returncode}.",
            hint="Check the key and its passphrase with that program.",
        )
    return {"kind": kind, "text": outcome.stdout}


def check_signature(
    text: str, signature: Json, *, signers: str | os.PathLike[str] | None = None
) -> Signature:  # fmt: skip
    """Say whether a signature is of this text, by the program that made it.

    Parameters
    ----------
    text : str
    signature : dict
        As :func:`sign` gave it.
    signers : path, optional
        The allowed signers of OpenSSH: who may sign, with which key; and, for GPG, lines such as
        ``gpg FINGERPRINT A. Smith``. Without it a signature shows which key made it, and not whose that is.
    """
    kind, armoured = signature.get("kind"), signature.get("text")
    if kind not in _PROGRAMS or not isinstance(armoured, str):
        return Signature("wrong", "The signature is of no kind that is known.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "signature"
        file.write_text(armoured, encoding="utf-8", newline="\n")
        return (_check_ssh if kind == "ssh" else _check_gpg)(text, file, signers)


def _check_ssh(text: str, file: Path, signers: str | os.PathLike[str] | None) -> Signature:
    outcome = _call("ssh", ["-Y", "check-novalidate", "-n", _NAMESPACE, "-s", str(file)], text)
    if outcome is None:
        return Signature("unchecked", "The SSH signature was not checked: ssh-keygen is not installed.")
    key = re.search(r"SHA256:[\w+/=]+", outcome.stdout + outcome.stderr)
    if outcome.returncode or key is None:
        return Signature("wrong", "The SSH signature is not of this approval.")
    if signers is None:
        return Signature("fits", f"Signed by the SSH key {key[0]}; whose key it is, a list of signers says.")
    with tempfile.TemporaryDirectory() as folder:
        allowed = Path(folder) / "signers"
        allowed.write_text("\n".join(_ssh_lines(signers)) + "\n", encoding="utf-8", newline="\n")
        listed = _call("ssh", ["-Y", "find-principals", "-s", str(file), "-f", str(allowed)], "")
        # One name a line: a name may hold blanks.
        names = listed.stdout.splitlines() if listed is not None and not listed.returncode else []
        for name in names:
            arguments = ["-Y", "verify", "-n", _NAMESPACE, "-s", str(file), "-f", str(allowed), "-I", name]
            verified = _call("ssh", arguments, text)
            if verified is not None and not verified.returncode:
                return Signature("trusted", f"Signed by {name} with the SSH key {key[0]}.", name)
    return Signature("wrong", f"The SSH key {key[0]} is of nobody who may sign.")


def _check_gpg(text: str, file: Path, signers: str | os.PathLike[str] | None) -> Signature:
    arguments = ["--batch", "--no-auto-key-retrieve", "--status-fd", "1", "--verify", str(file), "-"]
    outcome = _call("gpg", arguments, text)
    if outcome is None:
        return Signature("unchecked", "The GPG signature was not checked: gpg is not installed.")
    if "[GNUPG:] NO_PUBKEY" in outcome.stdout:
        return Signature("unchecked", "The GPG signature was not checked: the signer's public key is not at hand.")
    valid = re.search(r"^\[GNUPG:\] VALIDSIG ([0-9A-F]+)(.*)$", outcome.stdout, re.MULTILINE)
    words = set(re.findall(r"^\[GNUPG:\] ([A-Z]+)", outcome.stdout, re.MULTILINE))
    if outcome.returncode or valid is None or "EXPSIG" in words:
        return Signature("wrong", "The GPG signature is not of this approval.")
    key = valid[1]
    # gpg ends with 0 and even calls the key trusted after its owner revoked it: only its status says so.
    if words & {"REVKEYSIG", "KEYREVOKED"}:
        return Signature("wrong", f"The GPG key {key} was revoked by its owner.")
    if words & {"EXPKEYSIG", "KEYEXPIRED"}:
        return Signature("fits", f"Signed by the GPG key {key}, which has expired.")
    if signers is not None:
        names = _gpg_lines(signers)
        primary = valid[2].split()[-1:]  # a subkey signs for the key that it belongs to, which comes last
        name = next((names[one] for one in (key, *primary) if one in names), None)
        if name is None:
            return Signature("wrong", f"The GPG key {key} is of nobody who may sign.")
        return Signature("trusted", f"Signed by {name} with the GPG key {key}.", name)
    trusted = re.search(r"^\[GNUPG:\] TRUST_(ULTIMATE|FULLY)", outcome.stdout, re.MULTILINE)
    return Signature("trusted" if trusted else "fits", f"Signed by the GPG key {key}.")


_GPG_LINE = re.compile(  # blanks in a fingerprint are those that gpg prints, so that none of the name is taken for it
    r"gpg\s+(?:0x)?([0-9A-F]{64}|[0-9A-F]{40}|(?:[0-9A-F]{4} ){15}[0-9A-F]{4}"
    r"|(?:[0-9A-F]{4} ){5} ?(?:[0-9A-F]{4} ){4}[0-9A-F]{4})\s+(\S.*)",
    re.IGNORECASE,
)
_SSH_LINE = re.compile(r"\S.*?\s(?:ssh|ecdsa|sk)-\S+\s+[A-Za-z0-9+/]+=*(?:\s.*)?")
"""Who, perhaps options, the kind of the key and the key."""


def _lines(signers: str | os.PathLike[str]) -> list[str]:
    try:
        text = Path(signers).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise FileError(f"The list of signers {str(signers)!r} cannot be read as text.") from None
    lines = [line.strip() for line in text.split("\n")]
    for place, line in enumerate(lines, start=1):
        if line and not line.startswith("#") and not _GPG_LINE.fullmatch(line) and not _SSH_LINE.fullmatch(line):
            raise FileError(
                f"Line {place} of the list of signers {str(signers)!r} cannot be read.",
                hint="As OpenSSH has it, 'smith@example.org ssh-ed25519 AAAA…', or 'gpg FINGERPRINT A. Smith' with all "
                "40 or 64 digits.",
            )
    return lines


def _ssh_lines(signers: str | os.PathLike[str]) -> list[str]:
    return [line for line in _lines(signers) if not _GPG_LINE.fullmatch(line)]


def _gpg_lines(signers: str | os.PathLike[str]) -> dict[str, str]:
    """Return the names that the list of signers gives for fingerprints of GPG keys."""
    matches = [match for line in _lines(signers) if (match := _GPG_LINE.fullmatch(line))]
    return {"".join(match[1].split()).upper(): match[2].strip() for match in matches}


def listed_signers(signers: str | os.PathLike[str]) -> list[str]:
    """Return the names of all who are listed as signers."""
    names = list(_gpg_lines(signers).values())
    for line in _ssh_lines(signers):
        match = re.match(r'\s*(?:"([^"]*)"|([^#\s]\S*))\s', line)
        if match:
            names += [name.strip() for name in (match[1] or match[2]).split(",") if name.strip()]
    return names


def _call(kind: str, arguments: list[str], text: str) -> subprocess.CompletedProcess[str] | None:
    """Run a program on a text, or return None where it is not installed; its messages are not passed on."""
    program = shutil.which(_PROGRAMS[kind])
    if program is None:
        return None
    return subprocess.run(  # noqa: S603 - the program by its path, and arguments that no shell reads
        [program, *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
