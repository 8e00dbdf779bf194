"""What the stages hand to each other: small, frozen, and free of any record's values in what they print."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.microdata import Microdata
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["Assessment", "Distribution", "Flow", "Linked", "Links", "Masked", "Measurement", "Provenance", "Score"]


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
        The table to release: identifiers removed, masked columns exchanged, everything else as it came.
    provenance : Provenance
    """

    microdata: Microdata
    provenance: Provenance

    def to_native(self) -> Any:
        """Return the release as the kind of frame that came in."""
        return self.microdata.to_native()

    @property
    def labels(self) -> IntArray | None:
        """The group of every record, where the method forms groups."""
        return self.provenance.labels

    def __len__(self) -> int:
        return len(self.microdata)

    def __repr__(self) -> str:
        return f"Masked({len(self)} records by {self.provenance.method}: {', '.join(self.provenance.attributes)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{count}</td></tr>" for name, count in self.provenance.changed.items()
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.provenance.notes)
        return (
            f"<p>{html.escape(repr(self))}</p><table><tr><th>attribute</th><th>cells changed</th></tr>{rows}</table>"
            f"<ul>{notes}</ul>"
        )


@dataclass(frozen=True, repr=False)
class Linked:
    """How many links are correct, ties shared.

    Attributes
    ----------
    expected : float
        Expected number of correct links when a tie among t candidates is broken at random: a tie that holds the true
        record counts 1/t.
    optimistic, pessimistic : int
        Correct links if every tie were broken in the intruder's favour, or none.
    n : int
        Records that were looked for.
    chance : float
        Expected number of correct links of an intruder who guesses.
    probability : (n,) float64
        Per record, the probability that its link is correct.
    """

    expected: float
    optimistic: int
    pessimistic: int
    n: int
    chance: float
    probability: FloatArray

    @property
    def rate(self) -> float:
        """Share of correct links, between 0 and 1."""
        return self.expected / self.n

    def interval(self, z: float = 1.959964) -> tuple[float, float]:
        """Return the Wilson interval of the rate (95 % by default)."""
        n, p = self.n, self.rate
        centre, spread = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return float((centre - spread) / (1 + z * z / n)), float((centre + spread) / (1 + z * z / n))

    def __repr__(self) -> str:
        return f"Linked({self.expected:.1f} of {self.n} correct; chance {self.chance:.1f})"


@dataclass(frozen=True, repr=False)
class Links:
    """Per record of file B, whom a linker takes it for in file A.

    Attributes
    ----------
    n_a, n_b : int
        Sizes of the two files.
    best, second : (n_b,) int64
        Position in A of the best and second-best candidate, lowest position on ties; −1 where there is none.
    score, second_score : (n_b,) float64
        Their distances (or, where `higher_is_better`, weights).
    ties : (n_b,) int64
        How many records of A share the best score.
    tied_offsets, tied : (rows + 1,), (m,) int64
        The classes of A that share the best score with record i of B: ``tied[tied_offsets[i]:tied_offsets[i + 1]]``,
        or row ``rows[i]`` instead of row i where there are `rows`.
    classes : (n_a,) int64
        The class of every record of A: records that no linker can tell apart share one. Keeping classes instead of
        records keeps the ties of a file with many equal records small.
    attributes : tuple of str
        What the intruder was assumed to know.
    rows : (n_b,) int64, optional
        The row of ties of every record of B, −1 where it has no candidate: records with the same ties share a row.
    decision : (n_b,) int64, optional
        Where the linker decides: 2 a link, 1 for a clerk to look at, 0 no link.
    probability : (n_b,) float64, optional
        Where the linker has a model: the probability that the best pair is a match.
    """

    n_a: int
    n_b: int
    best: IntArray
    second: IntArray
    score: FloatArray
    second_score: FloatArray
    ties: IntArray
    tied_offsets: IntArray
    tied: IntArray
    classes: IntArray
    attributes: tuple[str, ...]
    method: str = ""
    higher_is_better: bool = False
    rows: IntArray | None = None
    decision: IntArray | None = None
    probability: FloatArray | None = None

    def evaluate(self, truth: IntArray | None = None) -> Linked:
        """Compare the links with the truth: position in A of every record of B (default: the same position).

        A record of B whose `truth` is −1 has no counterpart in A; its link cannot be correct.
        """
        if truth is None:
            if self.n_a != self.n_b:
                raise DataError(
                    f"Files of {self.n_a} and {self.n_b} records cannot be compared position by position.",
                    hint="Give truth, the position in A of every record of B.",
                )
            truth = np.arange(self.n_b, dtype=np.int64)
        truth = np.asarray(truth, dtype=np.int64)
        if truth.shape != (self.n_b,):
            raise DataError(f"truth must have one entry for each of the {self.n_b} records of B; got {truth.shape}.")
        found = self._holds(truth)
        probability = np.where(found, 1.0 / np.maximum(self.ties, 1), 0.0)
        return Linked(
            expected=float(probability.sum()),
            optimistic=int(found.sum()),
            pessimistic=int((found & (self.ties == 1)).sum()),
            n=self.n_b,
            chance=float((truth >= 0).sum() / self.n_a),
            probability=probability,
        )

    def _holds(self, truth: IntArray) -> BoolArray:
        """Say of every record of B whether its true record is among the best."""
        row = np.arange(self.n_b, dtype=np.int64) if self.rows is None else self.rows
        owner = np.repeat(np.arange(self.tied_offsets.size - 1), np.diff(self.tied_offsets))
        # One number for every (row, class) that is tied, sorted once and looked up for every record.
        size = int(self.classes.max(initial=0)) + 1
        pairs = np.sort(owner * size + self.tied)
        known = (truth >= 0) & (row >= 0)
        wanted = row[known] * size + self.classes[truth[known]]
        at = np.searchsorted(pairs, wanted)
        found = np.zeros(self.n_b, dtype=np.bool_)
        found[known] = (at < pairs.size) & (pairs[np.minimum(at, pairs.size - 1)] == wanted) if pairs.size else False
        return found

    def to_frame(self) -> Any:
        """Return one row a record of B, as a Polars frame: positions and scores, no values."""
        import polars as pl

        columns: dict[str, Any] = {
            "record": np.arange(self.n_b),
            "best": self.best,
            "score": self.score,
            "ties": self.ties,
            "second": self.second,
            "second_score": self.second_score,
        }
        if self.probability is not None:
            columns["probability"] = self.probability
        if self.decision is not None:
            columns["decision"] = np.array(["non-link", "clerical", "link"])[self.decision]
        return pl.DataFrame(columns)

    def __repr__(self) -> str:
        return f"Links({self.n_b} records of B to {self.n_a} of A by {self.method or 'a linker'})"


@dataclass(frozen=True)
class Measurement:
    """A number on a stated range, and the detail behind it.

    Attributes
    ----------
    name, title : str
        The measure's registered name, and what people call it.
    kind : {"loss", "risk"}
        Low is good for both.
    value : float
    low, high : float
        The range of the measure; `high` may be infinite.
    unit : str
        Such as ``"%"``.
    sentence : str
        What the number means, for a reader who is no statistician.
    per_attribute : dict of str to float
    details : dict
        Further figures, as JSON values.
    reference : str
    in_score : bool
        Whether the papers' plain mean score is made of it, among others.
    """

    name: str
    title: str
    kind: str
    value: float
    low: float
    high: float
    unit: str
    sentence: str
    per_attribute: Mapping[str, float] = field(default_factory=dict)
    details: Json = field(default_factory=dict)
    reference: str = ""
    in_score: bool = False

    def to_dict(self) -> Json:
        """Return the measurement as JSON values; an infinite end of the range becomes null."""
        return {
            "name": self.name,
            "title": self.title,
            "kind": self.kind,
            "value": self.value,
            "range": [self.low, self.high if np.isfinite(self.high) else None],
            "unit": self.unit,
            "sentence": self.sentence,
            "per_attribute": dict(self.per_attribute),
            "details": self.details,
            "reference": self.reference,
        }


@dataclass(frozen=True)
class Distribution:
    """How a numeric attribute is distributed before and after masking, in bins that show nobody.

    `before` and `after` are heights of bars: the share of records a unit of the bin's width, in percent of the range.
    """

    name: str
    edges: tuple[float, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    mean_before: float
    mean_after: float


@dataclass(frozen=True)
class Flow:
    """How events of a sequence attribute follow each other before and after masking, in cells that show nobody.

    `before` and `after` are shares of all steps in percent, by the event a step leads from (row) and to (column).
    """

    name: str
    events: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Score:
    """One number out of losses and risks, 0 (best) to 100, with everything that went in."""

    name: str
    value: float
    loss: float
    risk: float
    sentence: str
    ingredients: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> Json:
        """Return the score as JSON values."""
        return {
            "name": self.name,
            "value": self.value,
            "loss": self.loss,
            "risk": self.risk,
            "sentence": self.sentence,
            "ingredients": dict(self.ingredients),
        }


@dataclass(frozen=True)
class Assessment:
    """Risks, losses and the score of a release, and what the intruder was assumed to know."""

    n_records: int
    known: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    score: Score

    def __getitem__(self, name: str) -> Measurement:
        for measurement in self.measurements:
            if measurement.name == name:
                return measurement
        raise KeyError(name)

    def of_kind(self, kind: str) -> tuple[Measurement, ...]:
        """Return the losses (``"loss"``) or the risks (``"risk"``)."""
        return tuple(m for m in self.measurements if m.kind == kind)

    def to_dict(self) -> Json:
        """Return the assessment as JSON values."""
        return {
            "n_records": self.n_records,
            "known_to_the_intruder": list(self.known),
            "score": self.score.to_dict(),
            "risks": [m.to_dict() for m in self.of_kind("risk")],
            "losses": [m.to_dict() for m in self.of_kind("loss")],
        }

    def to_json(self) -> str:
        """Return the assessment as JSON text."""
        import json

        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_frame(self) -> Any:
        """Return one row a measurement, as a Polars frame."""
        import polars as pl

        rows = [
            {"kind": m.kind, "name": m.name, "title": m.title, "value": m.value, "unit": m.unit, "meaning": m.sentence}
            for m in self.measurements
        ]
        return pl.DataFrame(rows)

    def __repr__(self) -> str:
        return f"Assessment(score {self.score.value:.2f}: loss {self.score.loss:.2f}, risk {self.score.risk:.2f})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{m.kind}</td><td>{html.escape(m.title)}</td><td>{m.value:.2f} {html.escape(m.unit)}</td>"
            f"<td>{html.escape(m.sentence)}</td></tr>"
            for m in self.measurements
        )
        known = html.escape(", ".join(self.known))
        return (
            f"<p><b>Score {self.score.value:.2f}</b> — {html.escape(self.score.sentence)}</p>"
            f"<p>The intruder is assumed to know: {known}.</p>"
            f"<table><tr><th>kind</th><th>measure</th><th>value</th><th>meaning</th></tr>{rows}</table>"
        )
