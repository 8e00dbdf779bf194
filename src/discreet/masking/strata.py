"""Masking within strata: every stratum is a table of its own, and no value travels from one to another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from discreet.base import InProcess, Masker, Masking, MaskingJob
from discreet.draws import spawned
from discreet.errors import ParameterError
from discreet.masking.hiding import refuse_few, still_parts
from discreet.masking.release import notes_on_cells, notes_on_release, rounding_of
from discreet.microdata import Microdata
from discreet.parameters import Constraint, Names, Optional, Seed
from discreet.schema import Schema
from discreet.typing import IntArray, Json

__all__ = ["StratifiedMasker", "strata_rows"]


class StratifiedMasker(Masker):
    """A masker with the parameter `strata`: attributes within whose combinations it runs, each with its own draws.

    Subclasses write ``_mask_part``, which is handed one stratum, or the whole table where no strata are asked for.
    """

    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "strata": Optional(Names()),
        "random_state": Seed(),
    }

    strata: Sequence[str] | None
    makes_numbers: ClassVar[bool] = False
    """Whether numbers are released that were not in the column, so that they have to be rounded to its digits."""
    touches_all: ClassVar[bool] = True
    """Whether every cell is made anew; where not, cells that stay as they are keep all their digits."""

    @abstractmethod
    def _mask_part(self, job: MaskingJob) -> Masking:
        """Mask a checked table that is one stratum."""

    def _mask(self, job: MaskingJob) -> Masking:
        outcome = self._mask_strata(job)
        if not self.makes_numbers:
            return outcome
        # Of the whole table, after its strata: a column's digits are those of the column, not of a part of it.
        values = rounding_of(self, job.microdata, job.names)(job.microdata, outcome.values)
        notes = (
            *outcome.notes,
            *notes_on_release(self, job.schema, job.names),
            *notes_on_cells(self, job.microdata, values),
        )
        return replace(outcome, values=values, notes=notes)

    def _mask_strata(self, job: MaskingJob) -> Masking:
        if self.strata is None:
            notes = self._check_values(job, [np.arange(len(job.microdata))])
            outcome = self._part_of(job)(job)
            return replace(outcome, notes=(*outcome.notes, *notes))
        parts = strata_rows(job.microdata, self.strata)
        self._check_strata(parts)
        notes = self._check_values(job, parts)
        jobs = [MaskingJob(job.microdata.take(rows), job.names, spawned(job.rng), InProcess()) for rows in parts]
        outcome = _joined(parts, job.engine.map(self._part_of(job), jobs), list(self.strata))
        return replace(outcome, notes=(*outcome.notes, *notes))

    def _part_of(self, whole: MaskingJob) -> Callable[[MaskingJob], Masking]:  # noqa: ARG002 - few look at the whole
        """Return what masks one stratum of a table."""
        return self._mask_part

    def _fewest(self) -> int:
        """Return among how many values of a column, in every stratum, the method can hide one; 0: needs none."""
        return 0

    def _check_values(self, job: MaskingJob, parts: list[IntArray]) -> tuple[str, ...]:
        """Refuse columns with too few values in a stratum, and return notes on those that do not vary there."""
        if not self._fewest():
            return ()
        refuse_few(type(self).__name__, job.microdata, job.names, parts, self._fewest())
        if self.makes_numbers:
            return ()
        still = {name: still_parts(job.microdata, name, parts) for name in job.names}
        where = "" if self.strata is None else " in {} of {} strata"
        return tuple(
            f"{name} does not vary{where.format(count, len(parts))}; nothing of it is hidden there."
            for name, count in still.items()
            if count
        )

    def _names(self, schema: Schema) -> tuple[str, ...]:
        owner, strata = type(self).__name__, getattr(self, "strata", None)
        names = super()._names(schema)
        if strata is None:
            return names
        for name in strata:
            if schema[name].scale.kind not in {"ordinal", "nominal"}:
                raise ParameterError(f"{owner}: strata must be categorical; {name!r} is {schema[name].scale.kind}.")
        kept = tuple(name for name in names if name not in strata)
        asked = getattr(self, "attributes", None) is not None
        if not kept or (asked and len(kept) < len(names)):
            raise ParameterError(f"{owner}: strata must not be masked; {len(names) - len(kept)} of them would be.")
        return kept

    def _check_strata(self, parts: list[IntArray]) -> None:
        """Refuse strata that are too small for the method's groups."""
        if not self.groups:
            return
        k: int = self.k  # type: ignore[attr-defined]
        small = sum(part.size < k for part in parts)
        if small:
            raise ParameterError(
                f"{type(self).__name__}: k must be at most the number of records of every stratum; "
                f"{small} of {len(parts)} strata have fewer than {k}.",
                hint="Merge strata, or use a smaller k.",
            )


def strata_rows(table: Microdata, names: Sequence[str]) -> list[IntArray]:
    """Return the records of every stratum, ascending; a missing value is a level of its own."""
    _, labels = np.unique(table.codes(names), axis=0, return_inverse=True)
    order = np.argsort(labels.ravel(), kind="stable")
    return [np.asarray(part, dtype=np.int64) for part in np.split(order, np.cumsum(np.bincount(labels.ravel()))[:-1])]


def _joined(parts: list[IntArray], outcomes: list[Masking], strata: list[str]) -> Masking:
    n = sum(part.size for part in parts)
    values = {name: _scattered(parts, [o.values[name] for o in outcomes], n) for name in outcomes[0].values}
    transitions = {
        name: np.logical_or.reduce([o.transitions[name] for o in outcomes]) for name in outcomes[0].transitions
    }
    details: Json = {"strata": strata, "n_strata": len(parts), "by_stratum": [o.details for o in outcomes]}
    if "joint" in outcomes[0].details:
        details["joint"] = outcomes[0].details["joint"]
    if "records_dropped" in outcomes[0].details:
        details["records_dropped"] = sum(o.details["records_dropped"] for o in outcomes)
    chosen = [part[o.rows] for part, o in zip(parts, outcomes, strict=True) if o.rows is not None]
    return Masking(
        values,
        labels=_all_labels(parts, outcomes, n),
        transitions=transitions,
        removed=outcomes[0].removed,
        rows=np.sort(np.concatenate(chosen)) if chosen else None,
        attributes=outcomes[0].attributes,  # a scale is one for the whole column; masks that change it do so alike
        details=details,
        notes=tuple(dict.fromkeys(note for o in outcomes for note in o.notes)),
        shared=_all_shared(outcomes),
    )


def _all_shared(outcomes: list[Masking]) -> tuple[tuple[str, ...], ...]:
    """Return the combinations that are shared in every stratum; single attributes where strata have other blocks."""
    first = outcomes[0].shared
    if all(set(outcome.shared) == set(first) for outcome in outcomes):
        return first
    return tuple((name,) for name in outcomes[0].values)


def _all_labels(parts: list[IntArray], outcomes: list[Masking], n: int) -> IntArray | None:
    if outcomes[0].labels is None:
        return None
    shifted, offset = [], np.zeros(outcomes[0].labels.shape[1:], dtype=np.int64)
    for outcome in outcomes:
        labels = np.asarray(outcome.labels)
        shifted.append(labels + offset)
        offset = offset + labels.max(axis=0) + 1
    return np.asarray(_scattered(parts, shifted, n), dtype=np.int64)


def _scattered(parts: list[IntArray], arrays: list[Any], n: int) -> Any:
    result = np.empty((n, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    for rows, array in zip(parts, arrays, strict=True):
        result[rows] = array
    return result
