"""What a docstring says of a class: read once, and shown by help, forms, reports and the pages of the manual."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["Description", "as_markdown", "as_words", "describe", "summary_of"]

_READ: WeakKeyDictionary[type[Any], Description] = WeakKeyDictionary()
"""By class: a class does not change, and a page asks for every method at every click."""

_ROLE = re.compile(r":\w+:`~?([^`]*\.)?([^`.]+)`|`+([^`]+)`+")


@dataclass(frozen=True)
class Description:
    """A numpydoc docstring in its parts, marks left in: :func:`as_words` and :func:`as_markdown` turn them.

    Attributes
    ----------
    summary : str
        The first paragraph, on one line.
    more : str
        What else stands before the first section.
    parameters : mapping of str to str
        What is said of each parameter, by the class or by the nearest one above it that speaks of it.
    sections : mapping of str to str
        The text of every section by its title.
    """

    summary: str
    more: str
    parameters: Mapping[str, str]
    sections: Mapping[str, str]

    @property
    def notes(self) -> str:
        """The section of notes, or nothing."""
        return self.sections.get("Notes", "")


def describe(cls: type[Any]) -> Description:
    """Return what the docstring of a class, and for parameters those of its bases, say; it is read once.

    Examples
    --------
    >>> class Method:
    ...     '''Do one thing.
    ...
    ...     Parameters
    ...     ----------
    ...     k, l : int
    ...         The ``size``
    ...         of groups.
    ...     '''
    >>> about = describe(Method)
    >>> about.summary, about.parameters["k"] == about.parameters["l"] == "The ``size`` of groups."
    ('Do one thing.', True)
    """
    if cls not in _READ:
        _READ[cls] = _described(cls)
    return _READ[cls]


def _described(cls: type[Any]) -> Description:
    parts = _sections(inspect.getdoc(cls) or "")
    summary, _, more = parts.pop("").partition("\n\n")
    parameters: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        parameters |= _entries(_sections(vars(owner).get("__doc__") or "").get("Parameters", ""))
    return Description(
        " ".join(summary.split()), more.strip(), MappingProxyType(parameters), MappingProxyType(dict(parts))
    )


def summary_of(thing: Any) -> str:
    """Return the first paragraph of a docstring in plain words, on one line.

    Examples
    --------
    >>> summary_of(as_words)
    'Return the text of a docstring without its marks, on one line.'
    """
    text = describe(thing).summary if isinstance(thing, type) else (inspect.getdoc(thing) or "").split("\n\n", 1)[0]
    return as_words(text)


def as_words(text: str) -> str:
    """Return the text of a docstring without its marks, on one line.

    Examples
    --------
    >>> as_words("See :meth:`~discreet.contracts.masker.Masker.mask`, with `k` of ``3``.")
    'See mask, with k of 3.'
    """
    return _ROLE.sub(r"\2\3", " ".join(text.split()))


def as_markdown(text: str) -> str:
    """Return the text of a docstring with the marks of a page.

    Examples
    --------
    >>> as_markdown("See :class:`~discreet.MDAV` with ``k=3``.")
    'See `MDAV` with `k=3`.'
    """
    return re.sub(r":\w+:`(?:~[^`]*\.)?~?([^`]+)`", r"`\1`", text).replace("``", "`")


def _sections(docstring: str) -> dict[str, str]:
    """Split a docstring at its underlined titles; what stands before the first is under the empty name."""
    lines = inspect.cleandoc(docstring).splitlines() or [""]
    parts: dict[str, list[str]] = {"": []}
    title = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and not line.startswith(" ") and re.fullmatch(r"-{3,}", below):
            title = line
            parts[title] = []
        elif parts[title] or not re.fullmatch(r"-{3,}", line):  # the line under a title belongs to it
            parts[title].append(line)
    return {name: "\n".join(text).strip() for name, text in parts.items()}


def _entries(section: str) -> dict[str, str]:
    """Return the text of every parameter; several that stand on one line share theirs."""
    entries: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section) if section else []:
        head, _, body = entry.partition("\n")
        names = [name.strip().lstrip("*") for name in head.split(" : ", 1)[0].split(",")]
        entries |= dict.fromkeys(names, " ".join(body.split()))
    return entries
