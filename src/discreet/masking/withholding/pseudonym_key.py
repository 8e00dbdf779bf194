"""The key of pseudonyms: thirty-two random bytes in a file that nobody but its owner may read."""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Any, NoReturn

from discreet.errors import FileError, MissingExtraError, ParameterError
from discreet.parameters.constraints import Constraint, Control

__all__ = ["KeyFile", "PseudonymKey", "is_key_file", "new_key"]

_HEADING = "discreet pseudonym key 1"
_FORM = re.compile(rf"{_HEADING}\n([0-9a-f]{{64}})\n")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's: no letter that is taken for a digit, and the same in capitals."""


class PseudonymKey:
    """A key in memory. It has no text: neither its repr nor a pickle, a copy of a report or an error shows it.

    Parameters
    ----------
    secret : bytes
        At least 32 bytes.

    Examples
    --------
    >>> PseudonymKey(bytes(32))
    PseudonymKey(…)
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes) or len(secret) < 32:
            raise ParameterError("A key has at least 32 bytes.", hint="discreet key new FILE makes one.")
        self._secret = secret

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PseudonymKey:
        """Read a key file; one that others may read is refused, because it is no secret."""
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            raise FileError("The key file does not exist.", hint="discreet key new FILE makes one.") from None
        except OSError:
            raise FileError("The key file cannot be read.", hint="Check its permissions.") from None
        # Asked of the open file, not of its name: nobody can exchange it in between.
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            os.close(handle)
            raise FileError("The key file is no file.", hint="discreet key new FILE makes one.")
        with os.fdopen(handle, "rb") as file:
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise FileError(
                    "The key file can be read or written by others than its owner.",
                    hint="chmod 600 makes it yours alone; if others may have read it, make a new key.",
                )
            form = _FORM.fullmatch(file.read(4096).decode("utf-8", errors="replace").replace("\r\n", "\n"))
        if form is None:
            raise FileError("The file is no key file.", hint="discreet key new FILE makes one.")
        return cls(bytes.fromhex(form[1]))

    def pseudonym(self, domain: str, word: str, length: int) -> str:
        """Return the pseudonym of a word: a keyed hash (HMAC-SHA-256), cut to `length` characters of five bits."""
        return _letters(hmac.digest(self._of(b"hash", domain), word.encode(), "sha256"))[:length]

    def seal(self, domain: str, word: str) -> str:
        """Return a pseudonym that :meth:`reveal` turns back; equal words have equal ones (AES-SIV).

        Words are filled up to multiples of 16 bytes, so that their length shows in such steps alone.
        """
        content = word.encode()
        padded = content + b"\x80" + bytes(-(len(content) + 1) % 16)
        return _letters(self._cipher(domain).encrypt(padded, [domain.encode()]))

    def reveal(self, domain: str, pseudonym: str) -> str | None:
        """Return the word behind a sealed pseudonym; None where it was not sealed with this key for this domain."""
        from cryptography.exceptions import InvalidTag

        sealed = _bytes(pseudonym)
        if sealed is None:
            return None
        try:
            padded = self._cipher(domain).decrypt(sealed, [domain.encode()])
        except (InvalidTag, ValueError):
            return None
        return bytes(padded[: padded.rindex(b"\x80")]).decode()

    def _of(self, use: bytes, domain: str) -> bytes:
        """Return the key of one use and one domain: what is known of one says nothing of another."""
        return hmac.digest(self._secret, b"discreet pseudonyms 1\0" + use + b"\0" + domain.encode(), "sha256")

    def _cipher(self, domain: str) -> Any:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESSIV
        except ImportError:
            raise MissingExtraError(
                "Pseudonyms that can be turned back need the package cryptography.",
                hint="pip install 'discreet[pseudonyms]'",
            ) from None
        return AESSIV(self._of(b"seal 1", domain) + self._of(b"seal 2", domain))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PseudonymKey) and hmac.compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash(PseudonymKey)

    def __repr__(self) -> str:
        return "PseudonymKey(…)"

    def __copy__(self) -> PseudonymKey:
        return self

    def __deepcopy__(self, _: Any) -> PseudonymKey:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not written anywhere but into its own file.")


class KeyFile(Constraint):
    """A key, or the file that holds it."""

    def accepts(self, value: Any) -> bool:
        return value is None or isinstance(value, (str, os.PathLike, PseudonymKey))

    def describe(self) -> str:
        return "the path of a key file"

    def parse(self, text: str) -> str:
        return text

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        """Return the path, looked for in `folder`: that of the protocol."""
        return str(Path(folder) / value) if folder is not None and isinstance(value, str) else value

    def control(self) -> Control:
        return Control("text")


def new_key(path: str | os.PathLike[str]) -> Path:
    """Make a key file that only its owner may read, from the system's own randomness; never over another file."""
    target = Path(path)
    try:
        handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise FileError(
            f"{str(target)!r} exists already.", hint="A key that is lost cannot be made again: give another name."
        ) from None
    except OSError:
        raise FileError(f"{str(target)!r} cannot be made.", hint="Check the folder and its permissions.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"{_HEADING}\n{secrets.token_hex(32)}\n")
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise
    return target


def is_key_file(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is a key: of such a file nothing is told, not even a checksum."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_HEADING)) == _HEADING.encode()
    except OSError:
        return False


def _letters(content: bytes) -> str:
    number, size = int.from_bytes(content), -(-len(content) * 8 // 5)
    number <<= size * 5 - len(content) * 8
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in range(size - 1, -1, -1))


def _bytes(text: str) -> bytes | None:
    if not text or not set(text.lower()) <= set(_ALPHABET):
        return None
    number = 0
    for letter in text.lower():
        number = number << 5 | _ALPHABET.index(letter)
    size = len(text) * 5 // 8
    return (number >> len(text) * 5 - size * 8).to_bytes(size)
