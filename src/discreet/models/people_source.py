"""The population that a release is compared with: a table, or the text file that holds one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

from discreet.data.microdata import Microdata
from discreet.data.text_table import read_text_table
from discreet.parameters import AnyOf, Instance, Text

__all__ = ["People", "PeopleSource", "load_people"]

People: TypeAlias = Microdata | str | os.PathLike[str]
"""What `PeopleSource` allows, for a type checker."""


class PeopleSource(AnyOf):
    """A table of the population, or the path of a text file with a person a line and names in the first.

    Examples
    --------
    >>> PeopleSource().read("people.csv", "/survey")
    '/survey/people.csv'
    """

    def __init__(self) -> None:
        super().__init__(Instance(Microdata, "a Microdata"), Text("the path of a text file"), Instance(os.PathLike))

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        return str(Path(folder or ".") / value) if isinstance(value, (str, os.PathLike)) else value


def load_people(source: People) -> Microdata:
    """Return the population; every cell of a file is the text that stands there, and an empty one is missing."""
    return source if isinstance(source, Microdata) else read_text_table(source, "population file")
