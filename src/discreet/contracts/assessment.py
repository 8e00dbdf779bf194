"""What an assessment says: measurements, the score, what was not computed, exposure and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.contracts.chart import Chart
from discreet.contracts.measurement import Measurement
from discreet.contracts.object_charts import assessment_chart
from discreet.notebook import listing, panel, table
from discreet.typing import Json

__all__ = ["Assessment", "Combination", "Exposure", "NotComputed", "Score", "Verdict"]


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

    def plot(self) -> Chart:
        """Return every risk and loss in percent as bars, with intervals and what guessing reaches."""
        return assessment_chart(self)

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
        knowledge = f"The intruder is assumed to know: {', '.join(self.known)}."
        grid = table(("", "measure", "value", "what it means"), rows, numbers=(2,))
        beside = "" if self.unmasked is None else f" (the unmasked file: {self.unmasked.value:.2f})"
        chart = self.plot()._repr_html_()
        return panel(f"Score {self.score.value:.2f}{beside}", chart, listing([self.score.sentence, knowledge]), grid)


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
