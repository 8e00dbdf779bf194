"""What the stages hand to each other: small, frozen, and free of any record's values in what they print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.cleaning import cleaned, released_schema
from discreet.errors import DataError
from discreet.guarantees import Guarantee
from discreet.microdata import Microdata
from discreet.notebook import listing, panel, table
from discreet.schema import Schema
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = [
    "Assessment",
    "Certificate",
    "ColumnChange",
    "Combination",
    "Correlations",
    "Distribution",
    "Exposure",
    "Flow",
    "GroupSuppression",
    "Linked",
    "Links",
    "Masked",
    "Measurement",
    "NotComputed",
    "Provenance",
    "Score",
    "Shares",
    "Verdict",
]


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
        The attributes that `labels` are about, where they are not all that were masked, as after several steps.
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

    def to_native(self) -> Any:
        """Return the release as the kind of frame that came in; a pandas frame has a fresh index."""
        return self.microdata.to_native()

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

    def __len__(self) -> int:
        return len(self.microdata)

    def __repr__(self) -> str:
        return f"Masked({len(self)} records by {self.provenance.method}: {', '.join(self.provenance.attributes)})"

    def _repr_html_(self) -> str:
        rows = [(name, f"{count} of {self.provenance.n_records}") for name, count in self.provenance.changed.items()]
        changed = table(("attribute", "cells changed"), rows, numbers=(1,))
        return panel(f"{len(self)} records masked by {self.provenance.method}", changed, listing(self.provenance.notes))


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

    def _repr_html_(self) -> str:
        low, high = self.interval()
        rows = (
            ("correct links, ties shared", f"{self.expected:.1f}", f"{100 * self.rate:.2f} %"),
            ("95 % interval", f"{low * self.n:.1f} to {high * self.n:.1f}", f"{100 * low:.2f} to {100 * high:.2f} %"),
            ("by guessing", f"{self.chance:.1f}", f"{100 * self.chance / self.n:.2f} %"),
            ("every tie for the intruder", self.optimistic, f"{100 * self.optimistic / self.n:.2f} %"),
            ("every tie against", self.pessimistic, f"{100 * self.pessimistic / self.n:.2f} %"),
        )
        shown = table(("", "records", "of those looked for"), rows, numbers=(1, 2))
        return panel(f"{self.expected:.1f} of {self.n} records linked correctly", shown)


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

    def _repr_html_(self) -> str:
        rows = [
            ("records of A", self.n_a),
            ("records of B", self.n_b),
            ("with a best candidate", int((self.best >= 0).sum())),
            ("with several that tie", int((self.ties > 1).sum())),
        ]
        if self.decision is not None:
            rows += [
                ("decided as links", int((self.decision == 2).sum())),
                ("for a clerk to look at", int((self.decision == 1).sum())),
            ]
        known = listing([f"Linked on {', '.join(self.attributes)}."] if self.attributes else [])
        return panel(f"Links by {self.method or 'a linker'}", table(("", "records"), rows, numbers=(1,)), known)


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

    def _repr_html_(self) -> str:
        parts = [listing([self.sentence, *([self.reference] if self.reference else [])])]
        if self.per_attribute:
            rows = [(name, f"{value:.2f}") for name, value in self.per_attribute.items()]
            parts.append(table(("attribute", self.unit or "value"), rows, numbers=(1,)))
        return panel(f"{self.title}: {self.value:.2f} {self.unit} ({self.kind}, low is good)", *parts)


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
class Shares:
    """How often the levels of a categorical attribute occur before and after masking, in percent of records.

    Levels that too few records have in either file are taken together in the last entry, ``"all others"``.
    """

    name: str
    levels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True)
class Correlations:
    """Correlations of the numeric attributes before and after masking, and how much each changed."""

    names: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    change: tuple[tuple[float, ...], ...]
    sentence: str


@dataclass(frozen=True)
class ColumnChange:
    """How much of a column was changed: counts over the whole file, no record's.

    Attributes
    ----------
    name : str
    cells : int
        Cells that held a value, or hold one now: a cell that was filled is a changed one.
    changed, suppressed : int, optional
        Cells that hold another value now, and those that hold none; None where there are some, but too few to tell.
    loss : float, optional
        What its cells lost on average, in percent (:class:`~discreet.measures.loss.cell_loss.CellLoss`); None where too
        few cells were changed.
    few : bool
        Whether some cells were changed or suppressed, but too few to say anything of them.
    """

    name: str
    cells: int
    changed: int | None
    suppressed: int | None
    loss: float | None
    few: bool = False


@dataclass(frozen=True)
class GroupSuppression:
    """The share of cells that were suppressed among the records with one level of a domain, as released.

    `percent` is None where there are some, but too few to tell; `level` is empty for all small groups together.
    """

    domain: str
    level: str
    records: int
    percent: float | None


@dataclass(frozen=True)
class Combination:
    """A set of keys, and how many records are alone on it before and after masking: keys and counts, no values."""

    keys: tuple[str, ...]
    before: int
    after: int


@dataclass(frozen=True)
class Exposure:
    """Which keys, alone and together, single records out before and after masking.

    Attributes
    ----------
    keys : tuple of str
        The keys that were looked at.
    deepest : int
        How many of them were looked at together, at most.
    n_records : int
    combinations : tuple of Combination
        The riskiest, most records in the release first that no smaller part of the set singles out.
    by_key : dict of str to (float, float)
        By key, the expected re-identifications that would be gone if the intruder did not know it, before and after;
        the key first without which the release would risk least.
    sentence : str
    """

    keys: tuple[str, ...]
    deepest: int
    n_records: int
    combinations: tuple[Combination, ...]
    by_key: Mapping[str, tuple[float, float]]
    sentence: str

    def to_dict(self) -> Json:
        """Return the exposure as JSON values: keys and counts."""
        return {
            "keys": list(self.keys),
            "deepest": self.deepest,
            "n_records": self.n_records,
            "combinations": [{"keys": list(c.keys), "before": c.before, "after": c.after} for c in self.combinations],
            "by_key": {key: {"before": before, "after": after} for key, (before, after) in self.by_key.items()},
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Score:
    """One number out of losses and risks, 0 (best) to 100, with everything that went in.

    Attributes
    ----------
    name : str
        ``"worst-case"`` for the headline, ``"mean"`` for the papers' plain mean, or that of another score.
    value, loss, risk : float
    sentence : str
    ingredients : dict of str to float
    intruder, linker, known, worst_column
        Of the headline: who finds most, how, by which keys; and the column that lost most.
    incomplete : tuple of str
        What could not be computed: the risk is at least the one that is stated.
    remarks : tuple of str
        Attacks that use a part of the keys, because all are too many for them: further attacks, beside those on all.
    """

    name: str
    value: float
    loss: float
    risk: float
    sentence: str
    ingredients: Mapping[str, float] = field(default_factory=dict)
    intruder: str = ""
    linker: str = ""
    known: tuple[str, ...] = ()
    worst_column: str = ""
    incomplete: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> Json:
        """Return the score as JSON values."""
        fields: Json = {
            "name": self.name,
            "value": self.value,
            "loss": self.loss,
            "risk": self.risk,
            "sentence": self.sentence,
            "ingredients": dict(self.ingredients),
        }
        if self.intruder:
            fields |= {
                "intruder": self.intruder,
                "linker": self.linker,
                "known": list(self.known),
                "worst_column": self.worst_column,
                "incomplete": list(self.incomplete),
                "remarks": list(self.remarks),
            }
        return fields


@dataclass(frozen=True)
class NotComputed:
    """A measure that an assessment could not take, and why.

    Attributes
    ----------
    name, title, kind
        As of a :class:`Measurement`.
    reason : str
        Columns and counts, never a record's value.
    in_score : bool
        Whether the plain mean score would have been made of it, among others.
    """

    name: str
    title: str
    kind: str
    reason: str
    in_score: bool = False

    @property
    def sentence(self) -> str:
        """The reason as a reader is told it."""
        return f"Not computed: {self.reason}"

    def to_dict(self) -> Json:
        """Return the measure and the reason as JSON values."""
        return {"name": self.name, "title": self.title, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True)
class Assessment:
    """Risks, losses and the score of a release, and what the intruder was assumed to know.

    Attributes
    ----------
    n_records : int
    known : tuple of str
    measurements : tuple of Measurement
    score : Score
        The headline: the worst case of the risks, and what the cells lost.
    not_computed : tuple of NotComputed
    unmasked : Score, optional
        The same of the unmasked file, to be read beside every score.
    papers : Score, optional
        The papers' plain mean of mean loss and mean risk, where it can be computed.
    """

    n_records: int
    known: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    score: Score
    not_computed: tuple[NotComputed, ...] = ()
    unmasked: Score | None = None
    papers: Score | None = None

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
            "unmasked": None if self.unmasked is None else self.unmasked.to_dict(),
            "papers_score": None if self.papers is None else self.papers.to_dict(),
            "risks": [m.to_dict() for m in self.of_kind("risk")],
            "losses": [m.to_dict() for m in self.of_kind("loss")],
            "not_computed": [one.to_dict() for one in self.not_computed],
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
        beside = "" if self.unmasked is None else f"; unmasked {self.unmasked.value:.2f}"
        return (
            f"Assessment(score {self.score.value:.2f}: loss {self.score.loss:.2f}, risk {self.score.risk:.2f}{beside})"
        )

    def _repr_html_(self) -> str:
        rows = [
            (m.kind, m.title, f"{m.value:.2f} {m.unit}", m.sentence)
            for m in (*self.of_kind("risk"), *self.of_kind("loss"))
        ]
        rows += [(one.kind, one.title, "–", one.sentence) for one in self.not_computed]
        known = f"The intruder is assumed to know: {', '.join(self.known)}."
        shown = table(("", "measure", "value", "what it means"), rows, numbers=(2,))
        beside = "" if self.unmasked is None else f" (the unmasked file: {self.unmasked.value:.2f})"
        return panel(f"Score {self.score.value:.2f}{beside}", listing([self.score.sentence, known]), shown)


@dataclass(frozen=True)
class Verdict:
    """Whether a release meets one threshold.

    Attributes
    ----------
    name : str
        The threshold's name in the protocol, such as ``"risk_at_most"``.
    value, limit : float
        What was found, and what was asked for.
    met : bool
    sentence : str
        The same in words, for a reader who is no statistician.
    """

    name: str
    value: float
    limit: float
    met: bool
    sentence: str

    def to_dict(self) -> Json:
        """Return the verdict as JSON values."""
        return {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "met": self.met,
            "sentence": self.sentence,
        }


_TELLING = 1e-3
"""The part of a loss below which a bound on it is not expressed in percent."""


@dataclass(frozen=True, repr=False)
class Certificate:
    """How far the information loss of a release can be from the least possible, proven.

    Attributes
    ----------
    value : float
        Information loss of the release: 100·SSE/SST on z-scores.
    bound : float
        What no release in which at least `k` records share every combination of values can stay below.
    k : int
    n_records : int
    attributes : tuple of str
        Those whose loss is certified; empty where only positions are known.
    method : {"column generation", "fast", "exact-univariate", "one group"}
        Where the bound comes from; several, joined by commas, for several blocks of attributes.
    seconds : float
        Time spent.
    beside : tuple of str
        Other attributes that were masked with them: groups that have to serve these as well may not reach the bound, so
        that the gap is an upper limit and not a fault of the method.
    """

    value: float
    bound: float
    k: int
    n_records: int
    attributes: tuple[str, ...]
    method: str
    seconds: float = 0.0
    beside: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """Percent by which the loss can be above the least possible, at most; infinite if nothing useful is proven.

        A bound of nearly nothing, as of numbers that many records share, says nothing in percent of itself.
        """
        if self.value <= self.bound:
            return 0.0
        return 100.0 * (self.value / self.bound - 1.0) if self.bound > _TELLING * self.value else float("inf")

    @property
    def sentence(self) -> str:
        """The certificate in words, for a release note; the percentage is rounded up."""
        of = "" if not self.beside else "of the numbers "
        if self.gap <= 1e-6:
            said = f"the information loss {of}is the least possible for k = {self.k}"
        elif not np.isfinite(self.gap) and self.bound <= 0.0:
            said = f"no bound on the least possible information loss {of}for k = {self.k} was found"
        elif not np.isfinite(self.gap) or self.beside:
            points = np.ceil((self.value - self.bound) * 100 - 1e-9) / 100
            said = (
                f"the information loss {of}is at most {points:.2f} points of 100 above the least possible for "
                f"k = {self.k}"
            )
        else:
            digits = 1 if self.gap >= 0.1 else 4
            percent = np.ceil(self.gap * 10**digits - 1e-9) / 10**digits
            said = f"the information loss is at most {percent:.{digits}f} % above the least possible for k = {self.k}"
        if self.beside:
            names = ", ".join(self.beside[:3]) + (f" and {len(self.beside) - 3} more" if len(self.beside) > 3 else "")
            said += f"; groups that serve {names} as well may not reach it"
        return said

    def to_dict(self) -> Json:
        """Return the certificate as JSON values; an infinite gap becomes null."""
        return {
            "k": self.k,
            "n_records": self.n_records,
            "attributes": list(self.attributes),
            "beside": list(self.beside),
            "information_loss": self.value,
            "lower_bound": self.bound,
            "gap_percent": self.gap if np.isfinite(self.gap) else None,
            "method": self.method,
            "seconds": self.seconds,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return f"Certificate(k = {self.k}: loss {self.value:.4f} %, at least {self.bound:.4f} % by {self.method})"

    def _repr_html_(self) -> str:
        rows = [(f"{self.value:.4f} %", f"{self.bound:.4f} %", self.method, self.n_records)]
        shown = table(("information loss", "lower bound", "method", "records"), rows, numbers=(0, 1, 3))
        return panel(f"{self.sentence[:1].upper()}{self.sentence[1:]}.", shown)
