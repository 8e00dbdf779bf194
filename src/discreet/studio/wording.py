"""Errors in the words of the pages: files by the names their owners know, and fields instead of options."""

from __future__ import annotations

import re

from discreet.studio.layouts import FIELDS, shown
from discreet.studio.sessions import Session

__all__ = ["reworded"]

_NAMES = "|".join(one.name for one in FIELDS)
_OPTION = re.compile(
    rf"--(?:(?P<no>no-)?header|(?P<name>{_NAMES.replace('_', '-')})"
    r"(?: (?:'(?P<quoted>[^']*)'|(?P<mark>[.,](?=[\s;.]|$)|[\w-]+(?:,[\w-]+)*)))?)(?![\w-])"
)
_IN_PYTHON = re.compile(rf" \((?:{_NAMES})=[^)]*\)|; in Python, (?:{_NAMES})=.*?(?=\.?$)")
_PARAMETER = re.compile(rf"(?<![\w'\"])(?:{_NAMES})(?![\w'\"])")


def reworded(session: Session | None, message: str, hint: str) -> tuple[str, str]:
    """Return a message and its hint as a page shows them.

    Options stand in hints alone, and names of columns in messages: so no name is taken for an option.

    Examples
    --------
    >>> reworded(None, "", "Has the file no line of names? Add --no-header (header=False).")[1]
    'Has the file no line of names? Choose “First line: a record”.'
    >>> reworded(None, "", "Say which with --thousands . or --decimal .; in Python, thousands='.' and so on.")[1]
    'Say which with “Between thousands: point” or “Decimal mark: point”.'
    >>> reworded(None, "leave_out must be numbers of lines, or none.", "")[0]
    '“Lines to leave out” must be numbers of lines, or none.'
    """
    if session is not None:
        message, hint = _named(session, message), _named(session, hint)
    if _PARAMETER.match(message):  # the message is about the parameter itself
        message = _PARAMETER.sub(lambda match: shown(match[0]), message)
    hint = re.sub(r"\b([Aa])dd (?=--)", lambda match: "Choose " if match[1] == "A" else "choose ", hint)
    return message, _OPTION.sub(_field, _IN_PYTHON.sub("", hint))


def _field(match: re.Match[str]) -> str:
    if match["name"] is None:
        return shown("header", "no" if match["no"] else "yes")
    return shown(match["name"].replace("-", "_"), match["quoted"] or match["mark"] or "")


def _named(session: Session, text: str) -> str:
    names = dict(session.called)
    if session.given is not None and session.given.kind == "file":
        names[session.given.where] = session.given.name
    for where, name in names.items():
        text = text.replace(repr(where), repr(name)).replace(where, name)
    return re.sub(rf"{re.escape(str(session.folder))}/(?:[\w-]+/)?", "", text)
