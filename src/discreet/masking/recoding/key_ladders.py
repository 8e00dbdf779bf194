"""Hierarchies read for a search: the row of every record, the groups of every step, and what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Date, Moment, Numeric
from discreet.data.schema import Schema
from discreet.errors import DataError, FileError, ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.masking.recoding.hierarchy_steps import number_text
from discreet.masking.recoding.hierarchy_text import ENDINGS
from discreet.typing import IntArray, Level

__all__ = ["STAR", "NamedLadder", "hierarchies_of", "leaf_numbers", "leaves_of"]

STAR = "*"
"""What stands for any value."""


@dataclass(frozen=True, eq=False)
class NamedLadder:
    """The steps of one attribute: the names of every leaf, step by step, and the groups that these make."""

    name: str
    rows: list[tuple[Level, ...]]
    groups: IntArray

    @classmethod
    def of(cls, name: str, rows: list[tuple[Level, ...]]) -> NamedLadder:
        """Return the steps of these rows; groups are numbered in order of appearance."""
        groups = np.empty((len(rows[0]), len(rows)), dtype=np.int64)
        for step in range(len(rows[0])):
            numbers: dict[str, int] = {}
            groups[step] = [numbers.setdefault(str(row[step]), len(numbers)) for row in rows]
        return cls(name, rows, groups)

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1

    @property
    def top(self) -> str:
        """What a fully generalised cell says: the one name of the highest step, or the star."""
        names = {str(row[-1]) for row in self.rows}
        return names.pop() if len(names) == 1 and self.height > 0 else STAR


def hierarchies_of(owner: str, given: Any, schema: Schema, table: Microdata | None = None) -> dict[str, Hierarchy]:
    """Return the hierarchies by attribute: read from their files, or from a folder that has one for some of them.

    A recode file of μ-Argus says of numbers from where to where; which there are is read off the `table`. Without one
    only its name counts, and something that says nothing stands for it.
    """
    if given is None:
        return {}
    if isinstance(given, (str, os.PathLike)):
        folder = Path(given)
        if not folder.is_dir():
            raise FileError(f"{owner}: the folder of hierarchies {str(given)!r} does not exist.")
        files = sorted(file for file in folder.glob("*.*") if file.suffix.lower() in ENDINGS)
        matching = {n: [f for f in files if f.stem == n or f.stem.endswith(f"_{n}")] for n in schema.names}
        sources: Mapping[str, Any] = {name: matches[0] for name, matches in matching.items() if matches}
        if not sources:
            raise FileError(
                f"{owner}: none of the {len(files)} files of hierarchies in {str(given)!r} is named after one of the "
                f"{len(schema.names)} columns.",
                hint="Call them NAME.csv or anything_NAME.csv; .grc and .toml are read too.",
            )
    else:
        sources = given
    result = {}
    for name, source in sources.items():
        schema[name]
        try:
            scale = schema[name].scale
            levels: Sequence[Level] | None = scale.levels if isinstance(scale, Categorical) else None
            if levels is None and not isinstance(source, Hierarchy) and Path(source).suffix.lower() == ".grc":
                if table is None:
                    result[name] = Hierarchy([[STAR, STAR]])
                    continue
                numbers = np.unique(table.encoded(name))
                levels = [number_text(number) for number in numbers[~np.isnan(numbers)].tolist()]
            hierarchy = source if isinstance(source, Hierarchy) else Hierarchy.load(source, levels)
        except ParameterError as error:
            raise ParameterError(f"{owner}: attribute {name!r}: {error.message}", hint=error.hint) from None
        _refuse_cycles(owner, name, hierarchy)
        result[name] = hierarchy
    return result


def _refuse_cycles(owner: str, name: str, hierarchy: Hierarchy) -> None:
    """Refuse rows that come back to a name which they have left."""
    cyclic = hierarchy.cyclic
    if cyclic:
        raise ParameterError(
            f"{owner}: attribute {name!r}: {cyclic} of {len(hierarchy.rows)} rows of the hierarchy come back to a name "
            "that they have left.",
            hint="A row goes from a level to ever broader names.",
        )


def leaves_of(
    owner: str, table: Microdata, name: str, hierarchy: Hierarchy | None
) -> tuple[NamedLadder, IntArray, str]:
    """Return an attribute's steps, the leaf of every record (−1 where it is missing), and a note.

    Only levels that occur must have a row. A number is matched with the row that says the same number.
    """
    encoded = table.encoded(name)
    scale = table.schema[name].scale
    if isinstance(scale, Categorical):
        present = np.unique(encoded[encoded >= 0])
        levels: list[Level] = [scale.levels[code] for code in present]
        texts = [str(level) for level in levels]
        places = np.searchsorted(present, encoded)
        absent = encoded < 0
    else:
        absent = np.isnan(encoded)
        numbers = np.unique(encoded[~absent])
        levels = [int(x) if float(x).is_integer() else float(x) for x in numbers]
        texts = [str(level) for level in levels]
        places = np.searchsorted(numbers, encoded)
    if hierarchy is None:
        rows: list[tuple[Level, ...]] = [(level, STAR) for level in levels] or [(STAR, STAR)]
        return NamedLadder.of(name, rows), np.where(absent, -1, places).astype(np.int64), ""
    known = {leaf: place for place, leaf in enumerate(hierarchy.rows)}
    if not isinstance(scale, Categorical):
        by_number = {number: known[leaf] for number, leaf in leaf_numbers(hierarchy, cast("Numeric", scale)).items()}
        row_of = [by_number.get(float(cast("float", level)), -1) for level in levels]
    else:
        row_of = [known.get(text, -1) for text in texts]
    strangers = sum(row < 0 for row in row_of)
    if strangers:
        records = int(np.isin(places[~absent], np.flatnonzero(np.array(row_of) < 0)).sum())
        raise ParameterError(
            f"{owner}: attribute {name!r}: {strangers} of {len(texts)} levels in the data ({records} records) have no "
            "row in the hierarchy.",
            hint="Add a row for each level.",
        )
    chains = [tuple(row) for row in hierarchy.rows.values()]
    own: dict[int, Level] = dict(zip(row_of, levels, strict=True))
    rows = [(own.get(place, chain[0]), *chain[1:]) for place, chain in enumerate(chains)]
    leaf_of = np.array([*row_of, -1], dtype=np.int64)
    codes = np.where(absent, -1, leaf_of[np.where(absent, len(row_of), places)])
    spare = len(chains) - len(set(row_of))
    note = f"{name}: {spare} of {len(chains)} leaves of the hierarchy are no value in the data; they count in its loss."
    return NamedLadder.of(name, rows), codes.astype(np.int64), note if spare else ""


def leaf_numbers(hierarchy: Hierarchy, scale: Numeric) -> dict[float, str]:
    """Return the leaves of a hierarchy by the number, or the encoded date, that each says; others are left out."""
    if isinstance(scale, Moment):
        try:
            encoded = Date().encode(list(hierarchy.rows))
        except DataError:
            encoded = np.array([_day(leaf, scale) for leaf in hierarchy.rows])
            return {float(day): leaf for day, leaf in zip(encoded, hierarchy.rows, strict=True) if not np.isnan(day)}
        days = scale.of_days(encoded)
        return {float(day): leaf for day, leaf in zip(days, hierarchy.rows, strict=True)}
    return {number: leaf for leaf in hierarchy.rows if (number := _number(leaf)) is not None}


def _day(leaf: str, scale: Moment) -> float:
    try:
        return float(scale.encode([leaf])[0])
    except DataError:
        return float("nan")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
