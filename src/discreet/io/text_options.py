"""What a user may say about a text file: its delimiter and its encoding."""

from __future__ import annotations

import codecs

from discreet.errors import ParameterError

__all__ = ["check_text_options"]


def check_text_options(delimiter: str | None = None, encoding: str | None = None) -> None:
    """Refuse a delimiter that cannot separate fields, and an encoding that is none of text.

    Examples
    --------
    >>> check_text_options(";", "latin-1")
    >>> check_text_options("ab")
    Traceback (most recent call last):
    discreet.errors.ParameterError: A delimiter is one character, such as , or ; or a tab; got 'ab'. ...
    """
    if delimiter is not None and (
        not isinstance(delimiter, str)
        or len(delimiter) != 1
        or not (delimiter.isascii() and (delimiter.isprintable() or delimiter == "\t"))
        or delimiter.isalnum()
        or delimiter in {'"', "'", "."}
    ):
        raise ParameterError(
            f"A delimiter is one character, such as , or ; or a tab; got {delimiter!r}.",
            hint="Leave it out, and it is found by itself.",
        )
    if encoding is not None and not _is_of_text(encoding):
        raise ParameterError(f"There is no encoding named {encoding!r}.", hint="Such as utf-8 or latin-1.")


def _is_of_text(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
        return "a,1".encode(encoding).decode(encoding) == "a,1"
    except (LookupError, UnicodeError, ValueError, TypeError, AttributeError):  # a codec of something else than text
        return False
