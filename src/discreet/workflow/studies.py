"""Which protection is best for a file: comparing many, and searching among more."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import ParameterError
from discreet.evaluation.tuning import Tuned, tune

__all__ = ["Tuned", "parse_attribute_sets", "tune"]


def parse_attribute_sets(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read attribute sets as a user types them: a name, and the keys that the file has in it.

    Examples
    --------
    >>> parse_attribute_sets(["o=BUILT,DEGREE", "METRO, SCH"])
    {'o': ['BUILT', 'DEGREE'], 'METRO, SCH': ['METRO', 'SCH']}
    """
    result: dict[str, list[str]] = {}
    for text in texts:
        name, equals, names = text.partition("=")
        keys = [key.strip() for key in (names if equals else text).split(",")]
        label = name.strip() if equals else ", ".join(keys)
        if not label or not all(keys):
            raise ParameterError(f"An attribute set is written 'name=KEY,KEY'; got {text!r}.")
        if label in result:
            raise ParameterError(f"There are two attribute sets {label!r}.", hint="Give each a name of its own.")
        result[label] = keys
    return result
