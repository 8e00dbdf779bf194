"""Answers of forms as they were typed: kept until they have been taken over, with what was wrong beside its field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Draft", "of_form", "private"]

_OURS = {"csrf", "stamp", "sure", "then", "move", "draft"}
"""Fields that are no answers."""


@dataclass
class Draft:
    """What somebody answered in a form that has not been taken over.

    Attributes
    ----------
    fields : dict of str to list of str
    stamp : str
        What the form was made for; for anything else its answers do not count.
    message, hint : str
        What was wrong with it, once it was sent.
    where : str
        The field that it was wrong with, where that is known.
    """

    fields: dict[str, list[str]] = field(default_factory=dict)
    stamp: str = ""
    message: str = ""
    hint: str = ""
    where: str = ""

    def __bool__(self) -> bool:
        return bool(self.fields)

    def text(self, name: str, default: Any = "") -> Any:
        """Return the answer to a field, or what stood there before anybody answered."""
        texts = self.fields.get(name)
        return texts[0] if texts else "" if self.fields and texts is not None else default

    def ticked(self, name: str, value: Any, default: Any = False) -> bool:
        """Return whether a box is ticked; a box that is not ticked is not sent at all."""
        return str(value) in self.fields.get(name, []) if self.fields else bool(default)

    def places(self, name: str, n: int) -> list[int]:
        """Return positions in the order of a field, each once; their own order where the answer is another."""
        typed = [int(text) for text in self.text(name, "").split(",") if text.strip().isdigit()]
        return typed if sorted(typed) == list(range(n)) else list(range(n))

    def to_json(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {"fields": self.fields, "stamp": self.stamp, "message": self.message, "hint": self.hint,
                "where": self.where}  # fmt: skip

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Draft:
        """Return what :meth:`to_json` gave."""
        fields = {str(name): [str(text) for text in texts] for name, texts in dict(kept.get("fields", {})).items()}
        return cls(fields, *(str(kept.get(name, "")) for name in ("stamp", "message", "hint", "where")))


def of_form(form: Any) -> dict[str, list[str]]:
    """Return the answers of a form: every field but our own."""
    names = dict.fromkeys(str(name) for name in form)
    return {name: [str(text) for text in form.getlist(name)] for name in names if name not in _OURS}


def private(name: str) -> bool:
    """Return whether a field is ours and no answer."""
    return name in _OURS


def spoken_of(message: str, names: Iterable[str]) -> str:
    """Return the first name that a message speaks of, quoted or as a word.

    Examples
    --------
    >>> spoken_of("Attribute 'age': every level must be in the order once.", ["sex", "age"])
    'age'
    >>> spoken_of("MDAV: k must be at least 2; got 1.", ["search", "k"])
    'k'
    """
    candidates = list(names)
    for name in candidates:
        if repr(name) in message:
            return name
    for name in candidates:
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", message):
            return name
    return ""
