"""How far levels are apart by their meaning: distances on a hierarchy of names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.typing import FloatArray, Level

__all__ = ["Taxonomies", "TaxonomyKind", "level_tables", "taxonomy_distances"]

Taxonomies = Mapping[str, Hierarchy | str | os.PathLike[str]]
TaxonomyKind = Literal["wu-palmer", "log"]


def taxonomy_distances(hierarchy: Hierarchy, levels: Sequence[Level], kind: TaxonomyKind = "wu-palmer") -> FloatArray:
    """Return the distance of every two levels, between 0 and 1.

    Parameters
    ----------
    hierarchy : Hierarchy
        With a row for every level; a name that is repeated in a row counts once. Rows without a common broadest name
        have one above them.
    levels : sequence
    kind : {"wu-palmer", "log"}
        ``"wu-palmer"``: one less twice the depth of the nearest common name over the sum of both depths, the broadest
        name having depth 1. ``"log"``: log2(1 + share of the names of either that they do not have in common).

    References
    ----------
    Wu and Palmer (1994), Verb semantics and lexical selection; Sánchez, Batet, Isern and Valls (2012), Ontology-based
    semantic similarity: a new feature-based approach.

    Examples
    --------
    Under *any*, gas and oil have the name *fossil* in common: depths 3, 3 and 2.

    >>> fuels = Hierarchy([["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"]])
    >>> taxonomy_distances(fuels, ["gas", "oil", "sun"]).round(3).tolist()
    [[0.0, 0.333, 0.667], [0.333, 0.0, 0.667], [0.667, 0.667, 0.0]]
    >>> taxonomy_distances(fuels, ["gas", "oil"], "log").round(3)[0].tolist()  # log2(1 + 2/4)
    [0.0, 0.585]
    """
    lost = sum(str(level) not in hierarchy.rows for level in levels)
    if lost:
        raise ParameterError(f"{lost} of {len(levels)} levels have no row in the hierarchy.")
    rows = [hierarchy.rows[str(level)] for level in levels]
    joined = len({row[-1] for row in hierarchy.rows.values()}) == 1
    # From the broadest name down; a name is told by all that stand above it.
    paths = []
    for row in rows:
        names = [name for place, name in enumerate(row) if place == 0 or name != row[place - 1]]
        down = ([] if joined else [""]) + names[::-1]
        paths.append([tuple(down[: depth + 1]) for depth in range(len(down))])
    table = np.zeros((len(paths), len(paths)))
    for i, one in enumerate(paths):
        for j in range(i):
            common = sum(a == b for a, b in zip(one, paths[j], strict=False))
            if kind == "wu-palmer":
                distance = 1.0 - 2.0 * common / (len(one) + len(paths[j]))
            else:
                either = len(one) + len(paths[j]) - common
                distance = float(np.log2(1.0 + (either - common) / either))
            table[i, j] = table[j, i] = distance
    return table


def level_tables(
    owner: str, schema: Schema, names: Sequence[str], taxonomies: Taxonomies | None, kind: TaxonomyKind
) -> dict[str, FloatArray]:
    """Return the distances of the levels of every unordered attribute that has a hierarchy."""
    tables = {}
    for name, source in (taxonomies or {}).items():
        if name not in names:
            raise ParameterError(f"{owner}: taxonomies names {name!r}, which is not masked.")
        scale = schema[name].scale
        if not isinstance(scale, Categorical) or scale.ordered:
            raise ParameterError(
                f"{owner}: taxonomies are of unordered categories; {name!r} is {scale.kind}.",
                hint="Levels in order are as far apart as their places.",
            )
        tree = source if isinstance(source, Hierarchy) else Hierarchy.load(source)
        try:
            tables[name] = taxonomy_distances(tree, scale.levels, kind)
        except ParameterError as error:
            raise ParameterError(f"{owner}: of {name!r}, {error.message}") from None
    return tables
