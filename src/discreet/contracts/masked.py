"""What masking gives back: the masked table, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.contracts.chart import Chart
from discreet.contracts.object_charts import changed_chart
from discreet.data.cleaning import cleaned, released_schema
from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.notebook import listing, panel, table
from discreet.typing import BoolArray, IntArray, Json

__all__ = ["Masked", "Provenance", "release_of"]


@dataclass(frozen=True, repr=False)
class Provenance:
    """What a masker did: what an honest release note needs, and what a masking-aware intruder would use.

    Attributes
    ----------
    method : str
        The masker's registered name.
    parameters : dict
        Its parameters, as JSON values; never the seed.
    attributes : tuple of str
        The attributes that were masked.
    removed : tuple of str
        The identifiers that were left out of the release.
    n_records : int
    changed : dict of str to int
        By attribute, how many cells differ from the original.
    labels : (n,) or (n, blocks) int64, optional
        The group of every record, where the method forms groups; one column a block where it groups attributes block
        by block, each with its own partition.
    transitions : dict of str to (levels, released levels) bool
        By categorical attribute, whether the method can turn level i into released level j. An attribute that is not
        listed may turn into anything. A matrix with one row and one column more than there are levels speaks of the
        missing value in its last row and column, so that the code −1 indexes it.
    rows : (m,) int64, optional
        Position in the original of every released record, where records were left out or put into another order; None
        where all are released in their order. For the internal work of measuring only: no record shows it.
    details : dict
        Figures of the method's own, such as its sum of squares.
    notes : tuple of str
        What the user should know: keys that were left alone, weak choices.
    seed : int, optional
        What the random draws came from. For the internal record only.
    perturbative : bool, optional
        Whether values may have become untrue; None where that is not known.
    grouped : tuple of str, optional
        The attributes in which records form groups, where they are not all that were masked, as after several steps;
        or all of them, where the groups themselves are not kept, as in a release that was written in parts.
    history : tuple of Provenance
        Where the release came about in several steps, the provenance of each, in order.
    guarantees : tuple of Guarantee
        What the release promises about records that look alike; counted again on every file that it is written to.
    """

    method: str
    parameters: Json
    attributes: tuple[str, ...]
    n_records: int
    removed: tuple[str, ...] = ()
    changed: Mapping[str, int] = field(default_factory=dict)
    labels: IntArray | None = None
    transitions: Mapping[str, BoolArray] = field(default_factory=dict)
    rows: IntArray | None = None
    details: Json = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seed: int | None = None
    perturbative: bool | None = None
    grouped: tuple[str, ...] | None = None
    history: tuple[Provenance, ...] = ()
    guarantees: tuple[Guarantee, ...] = ()

    def to_dict(self, *, internal: bool = False) -> Json:
        """Return the provenance as JSON values; the seed is part of the internal record only."""
        fields: Json = {
            "method": self.method,
            "parameters": self.parameters,
            "attributes": list(self.attributes),
            "removed": list(self.removed),
            "n_records": self.n_records,
            "changed_cells": dict(self.changed),
            "details": self.details,
            "notes": list(self.notes),
        }
        if self.labels is not None:
            columns = self.labels[:, None] if self.labels.ndim == 1 else self.labels
            sizes = [np.bincount(column) for column in columns.T]
            blocks = [{"count": len(s), "smallest": int(s.min()), "largest": int(s.max())} for s in sizes]
            fields["groups"] = blocks[0] if self.labels.ndim == 1 else _all_blocks(blocks)
        if self.guarantees:
            fields["guarantees"] = [promise.to_dict() for promise in self.guarantees]
        if self.history:
            fields["steps"] = [step.to_dict(internal=internal) for step in self.history]
        if internal:
            fields["seed"] = self.seed
        return fields

    def __repr__(self) -> str:
        return f"Provenance({self.method} on {', '.join(self.attributes)}; {sum(self.changed.values())} cells changed)"


def _all_blocks(blocks: list[Json]) -> Json:
    """Return the figures of several partitions as one, and each."""
    return {
        "count": sum(block["count"] for block in blocks),
        "smallest": min(block["smallest"] for block in blocks),
        "largest": max(block["largest"] for block in blocks),
        "blocks": blocks,
    }


@dataclass(frozen=True, repr=False)
class Masked:
    """A protected table and how it came about.

    Attributes
    ----------
    microdata : Microdata
        The table to release: identifiers removed, masked columns exchanged, all other cells as they came. What a frame
        carries besides its cells (an index, levels that no record has, metadata) is taken off.
    provenance : Provenance
    """

    microdata: Microdata
    provenance: Provenance

    def __post_init__(self) -> None:
        object.__setattr__(self, "microdata", cleaned(self.microdata))

    def to_native(self, *, index: Any = None) -> Any:
        """Return the release as the kind of frame that came in.

        A pandas frame has a fresh index: that of the original may say who is who. Whoever needs it in the house gives
        it (``index=frame.index``) and gets it back with the records that are released, in their order; a frame that
        has it is no release any more.
        """
        frame = self.microdata.to_native()
        if index is None:
            return frame
        if not hasattr(frame, "reset_index"):
            raise ParameterError("index is for a release of a pandas frame; this one is of another kind.")
        if len(index) != self.provenance.n_records:
            raise ParameterError(
                f"index has {len(index)} entries, and the original {self.provenance.n_records} records."
            )
        return frame.set_axis(index if self.provenance.rows is None else index[self.provenance.rows], axis=0)

    @property
    def schema(self) -> Schema:
        """The declaration that is released with the table: levels and missing codes that occur in it, no others.

        The table's own (``masked.microdata.schema``) lists every level of the original too, for comparing the two.
        """
        return released_schema(self.microdata)

    @property
    def labels(self) -> IntArray | None:
        """The group of every record, where the method forms groups."""
        return self.provenance.labels

    def plot(self) -> Chart:
        """Return by attribute the share of cells that hold another value, as bars."""
        return changed_chart(self.provenance.changed, self.provenance.n_records)

    def __len__(self) -> int:
        return len(self.microdata)

    def __repr__(self) -> str:
        return f"Masked({len(self)} records by {self.provenance.method}: {', '.join(self.provenance.attributes)})"

    def _repr_html_(self) -> str:
        rows = [(name, f"{count} of {self.provenance.n_records}") for name, count in self.provenance.changed.items()]
        changed = table(("attribute", "cells changed"), rows, numbers=(1,))
        title = f"{len(self)} records masked by {self.provenance.method}"
        return panel(title, self.plot()._repr_html_(), changed, listing(self.provenance.notes))


def release_of(data: Any) -> Any:
    """Return the release that a protected survey holds; all else as it is."""
    if isinstance(data, Masked):
        return data
    # Asked of the class first: a table may have a column of this name.
    held = data.masked if getattr(type(data), "masked", None) is not None else None
    return held if isinstance(held, Masked) else data
