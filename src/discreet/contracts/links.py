"""What linking gives back: for every record the best candidates, and how many of them are right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.contracts.chart import Chart
from discreet.contracts.object_charts import (
    LinkOutcome,
    evidence_chart,
    precision_chart,
    safe_edges,
    score_chart,
    threshold_chart,
)
from discreet.errors import DataError, ParameterError
from discreet.notebook import listing, panel, table
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["AttributeEvidence", "Linked", "Links"]

_KINDS = ("weights", "waterfall", "threshold", "precision-recall")


@dataclass(frozen=True)
class AttributeEvidence:
    """What agreement, and disagreement, on an attribute adds to the weight of a pair, in binary logarithms."""

    name: str
    agreement: float
    disagreement: float


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
    second : int, optional
        Records whose true record is not among the best candidates but is the second-best one, or equal to it in all
        that was compared. Of several that tie for the second place one is named, so that it is a lower bound there.
    """

    expected: float
    optimistic: int
    pessimistic: int
    n: int
    chance: float
    probability: FloatArray
    second: int | None = None

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
        rows: list[tuple[object, ...]] = [
            ("correct links, ties shared", f"{self.expected:.1f}", f"{100 * self.rate:.2f} %"),
            ("95 % interval", f"{low * self.n:.1f} to {high * self.n:.1f}", f"{100 * low:.2f} to {100 * high:.2f} %"),
            ("by guessing", f"{self.chance:.1f}", f"{100 * self.chance / self.n:.2f} %"),
            ("every tie for the intruder", self.optimistic, f"{100 * self.optimistic / self.n:.2f} %"),
            ("every tie against", self.pessimistic, f"{100 * self.pessimistic / self.n:.2f} %"),
        ]
        if self.second is not None:
            rows.append(("second nearest", self.second, f"{100 * self.second / self.n:.2f} %"))
        grid = table(("", "records", "of those looked for"), rows, numbers=(1, 2))
        return panel(f"{self.expected:.1f} of {self.n} records linked correctly", grid)


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
    has_second : bool
        Whether the second-best candidates were looked for; if not, there is none.
    evidence : tuple of AttributeEvidence
        Where the linker has a model: how much each attribute says.
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
    has_second: bool = True
    evidence: tuple[AttributeEvidence, ...] = ()

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
        hits = self.holds(truth)
        probability = np.where(hits, 1.0 / np.maximum(self.ties, 1), 0.0)
        return Linked(
            expected=float(probability.sum()),
            optimistic=int(hits.sum()),
            pessimistic=int((hits & (self.ties == 1)).sum()),
            n=self.n_b,
            chance=float((truth >= 0).sum() / self.n_a),
            probability=probability,
            second=int((self._is_second(truth) & ~hits).sum()) if self.has_second else None,
        )

    def _is_second(self, truth: IntArray) -> BoolArray:
        """Say of every record of B whether its true record is the second best, or of one class with it."""
        answerable = (truth >= 0) & (self.second >= 0)
        result = np.zeros(self.n_b, dtype=np.bool_)
        result[answerable] = self.classes[truth[answerable]] == self.classes[self.second[answerable]]
        return result

    def holds(self, candidates: IntArray, records: IntArray | None = None) -> BoolArray:
        """Say of some records of B whether a record of A is among their best.

        Parameters
        ----------
        candidates : (m,) int64
            Positions in A; −1 is nobody.
        records : (m,) int64, optional
            Positions in B, −1 for none; by default all of them in their order.
        """
        row = np.arange(self.n_b, dtype=np.int64) if self.rows is None else self.rows
        if records is not None:
            row = np.where(records >= 0, row[np.maximum(records, 0)], -1)
        hits = np.zeros(candidates.size, dtype=np.bool_)
        answerable = np.flatnonzero((candidates >= 0) & (row >= 0))
        low, high = self.tied_offsets[row[answerable]], self.tied_offsets[row[answerable] + 1]
        answerable, low, high = (array[low < high] for array in (answerable, low, high))
        wanted, tied = self.classes[candidates[answerable]], self._rising
        # Most rows hold one class; the others are halved, all at the same time.
        several = np.flatnonzero(high - low > 1)
        begin, end = low[several], high[several]
        for _ in range(int((end - begin).max(initial=0)).bit_length()):
            middle = (begin + end) >> 1
            reached = tied[middle] <= wanted[several]
            begin, end = np.where(reached, middle, begin), np.where(reached, end, middle)
        low[several] = begin
        hits[answerable] = tied[low] == wanted
        return hits

    @property
    def tied_classes(self) -> IntArray:
        """How many classes of A share the best score with every record of B."""
        sizes = np.diff(self.tied_offsets)
        return sizes if self.rows is None else np.append(sizes, 0)[self.rows]

    @cached_property
    def _rising(self) -> IntArray:
        """The tied classes, those of a row in rising order, as most linkers give them."""
        falls = np.flatnonzero(self.tied[1:] < self.tied[:-1]) + 1
        starts = np.zeros(self.tied.size + 1, dtype=np.bool_)
        starts[self.tied_offsets] = True
        if starts[falls].all():
            return self.tied
        owner = np.repeat(np.arange(self.tied_offsets.size - 1), np.diff(self.tied_offsets))
        size = int(self.tied.max(initial=0)) + 1
        return np.asarray(np.sort(owner * size + self.tied) - owner * size)

    def plot(self, kind: str = "weights", truth: IntArray | None = None) -> Chart:
        """Return a picture of the links; no mark of it stands for fewer than ten records.

        Parameters
        ----------
        kind : {"weights", "waterfall", "threshold", "precision-recall"}
            How many records have a best link of which weight or distance; what each attribute adds to the weight of a
            pair (of a linker with a model); how many are linked, and rightly, by threshold; precision against recall.
        truth : (n_b,) int64, optional
            As for :meth:`evaluate`; for the last two.
        """
        if kind not in _KINDS:
            raise ParameterError(f"plot: kind must be one of {', '.join(_KINDS)}; got {kind!r}.")
        title = "match weight" if self.higher_is_better else "distance"
        if kind == "weights":
            scores = self.score[self.best >= 0]
            return score_chart(scores, safe_edges(scores), title)
        if kind == "waterfall":
            if not self.evidence:
                raise ParameterError(
                    "plot: a waterfall needs a linker with a model of agreement.",
                    hint='dc.attack(original, masked, "probabilistic").plot("waterfall")',
                )
            return evidence_chart(self.evidence)
        if truth is None and self.n_a != self.n_b:
            if kind == "threshold":
                return threshold_chart(self._outcomes(None), title)
            raise ParameterError("plot: files of different sizes need truth, the position in A of every record of B.")
        positions = np.arange(self.n_b, dtype=np.int64) if truth is None else np.asarray(truth, dtype=np.int64)
        outcomes = self._outcomes(self.evaluate(positions).probability)
        if kind == "threshold":
            return threshold_chart(outcomes, title)
        return precision_chart(outcomes, float((positions >= 0).mean()))

    def _outcomes(self, probability: FloatArray | None) -> list[LinkOutcome]:
        """Return, threshold by threshold, how many records are linked and how many of these rightly."""
        linked = (self.best >= 0) & np.isfinite(self.score)
        edges = safe_edges(self.score[linked])
        outcomes = []
        for edge in edges:
            passing = linked & (self.score >= edge if self.higher_is_better else self.score <= edge)
            count = int(passing.sum())
            correct = float(probability[passing].sum() / count) if probability is not None and count else None
            outcomes.append(LinkOutcome(float(edge), count / self.n_b, correct))
        return outcomes

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
        basis = listing([f"Linked on {', '.join(self.attributes)}."] if self.attributes else [])
        title = f"Links by {self.method or 'a linker'}"
        return panel(title, self.plot()._repr_html_(), table(("", "records"), rows, numbers=(1,)), basis)
