"""How objects show themselves in a notebook: small tables that read well on white and on black.

Every text is escaped, because a column's name is the user's and may be anything; colours are the notebook's own, so
that a dark theme stays dark. Nothing here is given a record's value.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

__all__ = ["listing", "panel", "printable", "table", "text"]

_LINE = "1px solid rgba(127,127,127,.45)"
_CELL = f"padding:.2em .8em .2em 0;border-bottom:{_LINE};vertical-align:top;color:inherit;background:none"


def panel(title: str, *parts: str) -> str:
    """Return a titled block; `parts` are what :func:`table` and :func:`listing` gave, or escaped text.

    Examples
    --------
    >>> panel("a < b")
    '<div style="max-width:60em;color:inherit"><p style="margin:.3em 0"><b>a &lt; b</b></p></div>'
    """
    head = f'<p style="margin:.3em 0"><b>{text(title)}</b></p>'
    return f'<div style="max-width:60em;color:inherit">{head}{"".join(parts)}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()) -> str:
    """Return a table; the columns at the positions `numbers` are set flush right."""

    def cell(tag: str, place: int, value: object) -> str:
        side = "right;white-space:nowrap;font-variant-numeric:tabular-nums" if place in numbers else "left"
        scope = ' scope="col"' if tag == "th" else ""
        return f'<{tag}{scope} style="text-align:{side};{_CELL}">{text(value)}</{tag}>'

    head = "".join(cell("th", place, name) for place, name in enumerate(heads))
    body = "".join(f"<tr>{''.join(cell('td', j, value) for j, value in enumerate(row))}</tr>" for row in rows)
    style = "border-collapse:collapse;margin:.4em 0;color:inherit;background:none;font-size:inherit"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def listing(sentences: Iterable[str]) -> str:
    """Return sentences as a list, or nothing where there are none."""
    items = "".join(f"<li>{text(sentence)}</li>" for sentence in sentences)
    return f'<ul style="margin:.3em 0;padding-left:1.2em">{items}</ul>' if items else ""


def text(value: object) -> str:
    r"""Return anything as text that a page shows as it is: markup escaped, control characters made visible.

    Examples
    --------
    >>> text("<b>\n")
    '&lt;b&gt;�'
    """
    return html.escape(printable(str(value)))


def printable(value: str) -> str:
    r"""Return text without line breaks and control characters; each becomes a replacement character.

    Examples
    --------
    >>> printable("a\x1b[31m")
    'a�[31m'
    """
    return "".join(c if c.isprintable() else "�" for c in value)
