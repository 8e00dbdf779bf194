"""An intruder: what he knows, and how he links."""

from __future__ import annotations

from dataclasses import dataclass, field

from discreet.errors import SchemaError
from discreet.typing import Json

__all__ = ["Intruder"]


@dataclass(frozen=True)
class Intruder:
    """An intruder: what he knows, and how he links.

    Parameters
    ----------
    name : str
    known : tuple of str
        The attributes that he knows of everybody, exactly.
    linkers : tuple of str
        Registered linkers; the risk of the scenario is the mean of their success.
    in_words : str
        Who that is and where he knows it from, for whoever signs the report.
    """

    name: str
    known: tuple[str, ...]
    linkers: tuple[str, ...] = ("distance", "probabilistic")
    line: int = field(default=0, compare=False, repr=False)
    in_words: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SchemaError("A scenario needs a name of at least one character.")
        for what in ("known", "linkers"):
            value = getattr(self, what)
            if not isinstance(value, (list, tuple)) or not value or not all(isinstance(one, str) for one in value):
                raise SchemaError(f"Scenario {self.name!r}: {what} must be a list of at least one name.")
            object.__setattr__(self, what, tuple(value))
        if not isinstance(self.in_words, str):
            raise SchemaError(f"Scenario {self.name!r}: in_words must be text.")

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the scenario."""
        fields: Json = {"name": self.name, "known": list(self.known), "linkers": list(self.linkers)}
        return fields | ({"in_words": self.in_words} if self.in_words else {})
