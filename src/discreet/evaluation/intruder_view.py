"""What an intruder does before he links: he recodes what he knows like the release, and sees gaps as gaps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.contracts.masked import Masked
from discreet.contracts.measure import Measure
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, GapFlag, Nominal
from discreet.data.schema import Attribute, Schema
from discreet.typing import IntArray

__all__ = ["as_released", "fit_to_compare", "needs_numbers", "without_gaps"]


def as_released(before: Microdata, release: Any) -> Microdata:
    """Return an original whose values are called as in the release, wherever that has other levels.

    Parameters
    ----------
    before : Microdata
    release : Masked or Microdata
        The same records in the same order.

    Notes
    -----
    A level goes where the recoding sends it. Where that is not known, or the method draws, it goes where most records
    of the level went; of those that tie to the one of its own name, or the first by name, whatever the order in which
    they are declared: the best guess of somebody who knows the codebook. A number
    that was released as a category goes where its record went: ranges such as ``"20–39"`` can be read, and where they
    overlap the intruder is given the right one, which is the worst case.
    """
    after = release.microdata if isinstance(release, Masked) else release
    transitions = release.provenance.transitions if isinstance(release, Masked) else {}
    values, declared = {}, []
    for attribute in before.schema:
        name = attribute.name
        if name not in after.schema or after.schema[name].scale == attribute.scale or attribute.role == "identifier":
            continue
        scale, new = attribute.scale, after.schema[name].scale
        if not isinstance(new, Categorical):
            continue
        if scale.kind == "numeric":
            values[name] = np.where(before.missing(name), -1, after.encoded(name)).astype(np.int32)
            declared.append(replace(after.schema[name], role=attribute.role))
            continue
        if not isinstance(scale, Categorical):
            continue
        targets = _targets(before.encoded(name), after.encoded(name), scale, new)
        matrix = transitions.get(name)
        if matrix is not None:
            possible = matrix[: len(scale), : len(new)]
            certain = possible.sum(axis=1) == 1
            targets[certain] = possible.argmax(axis=1)[certain]
        values[name] = np.append(targets, -1).astype(np.int32)[before.encoded(name)]
        declared.append(replace(after.schema[name], role=attribute.role))
    if not values:
        return before
    recoded = before.replacing(values, *declared)
    recoded.share_encoding(before)
    return recoded


def fit_to_compare(before: Microdata, known: Microdata, release: Any) -> Microdata:
    """Return what an intruder knows who knows how the file was masked: values as they are, on scales that compare.

    Levels keep their names and places, of which the provenance speaks; ordered ones that were released unordered are
    unordered for him too. A number that was released as a category is taken as in `known`.
    """
    after = release.microdata if isinstance(release, Masked) else release
    loose, ranges = [], []
    for attribute in before.schema:
        name, scale = attribute.name, attribute.scale
        if name not in after.schema or after.schema[name].scale.kind == scale.kind or attribute.role == "identifier":
            continue
        if isinstance(scale, Categorical) and after.schema[name].scale.kind == "nominal":
            loose.append(replace(attribute, scale=Nominal(scale.levels)))
        elif isinstance(after.schema[name].scale, Categorical):
            ranges.append(name)
    if not loose and not ranges:
        return before
    view = Microdata(before.to_native(), before.schema.replacing(*loose)) if loose else before
    return view.exchanging(known.select(ranges)) if ranges else view


def _targets(before: Any, after: Any, old: Categorical, new: Categorical) -> IntArray:
    """Return where most records of every level went; −1 where none is left."""
    n_before, n_after = len(old), len(new)
    both = (before >= 0) & (after >= 0)
    # Only the changes that were made: of all that could be, there are levels times levels.
    made, counts = np.unique(before[both].astype(np.int64) * n_after + after[both], return_counts=True)
    rows, columns = np.divmod(made, n_after)
    named = [str(level) for level in new.levels]
    by_name = np.empty(n_after, dtype=np.int64)
    by_name[sorted(range(n_after), key=lambda place: named[place])] = np.arange(n_after)
    place = {level: number for number, level in enumerate(named)}
    own = np.array([place.get(str(level), -1) for level in old.levels], dtype=np.int64)
    best = np.lexsort((by_name[columns], columns != own[rows], -counts, rows))
    taken, first = np.unique(rows[best], return_index=True)
    result = np.full(n_before, -1, dtype=np.int64)
    result[taken] = columns[best[first]]
    return result


def without_gaps(before: Microdata, release: Any) -> tuple[Microdata, Any]:
    """Return two tables in which no numeric key is missing, for methods that compare numbers.

    A gap becomes the mean of the original's values, and a key of its own says where it was: an intruder sees that a
    number is missing, and a gap is like a gap. Its scale says that it is no key that anybody declared, so that
    sentences do not count it (:class:`~discreet.data.scales.gap_flag.GapFlag`). Tables without gaps are returned as
    they are.
    """
    after = release.microdata if isinstance(release, Masked) else release
    numbers = before.schema.of_scale("numeric", among=before.schema.keys)
    gaps = {}
    for name in after.schema.of_scale("numeric", among=numbers):
        numbers_of = before.encoded(name)
        if np.isnan(numbers_of).any() or np.isnan(after.encoded(name)).any():
            gaps[name] = float(np.nanmean(numbers_of)) if not np.isnan(numbers_of).all() else 0.0
    if not gaps:
        return before, release
    filled = _filled(after, gaps)
    return _filled(before, gaps), replace(release, microdata=filled) if isinstance(release, Masked) else filled


def _filled(table: Microdata, gaps: dict[str, float]) -> Microdata:
    absent = {name: np.isnan(table.encoded(name)) for name in gaps}
    values = {name: np.where(absent[name], mean, table.encoded(name)) for name, mean in gaps.items()}
    frame = table.replacing(values).to_arrow()
    declared = list(table.schema)
    for name in gaps:
        flag = f"{name} is missing"
        while flag in table.schema:
            flag += "?"
        frame = frame.append_column(flag, [np.where(absent[name], "yes", "no").tolist()])
        declared.append(Attribute(flag, GapFlag(), "key"))
    return Microdata(frame, Schema(declared))


def needs_numbers(measure: Measure) -> bool:
    """Say whether a measure compares numbers and has no rule for one that is missing."""
    return measure.needs_numbers
