"""The search by halving: rung after rung, and on the whole file nobody is attacked who cannot be the best."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from discreet.contracts.measure import Measure
from discreet.data.microdata import Microdata
from discreet.evaluation.crew import Crew
from discreet.evaluation.experiment import Bounds, Candidate, Experiment, Scoring, plan
from discreet.evaluation.halving import (
    SHRINK,
    Deadline,
    Rung,
    keep_best,
    objective,
    plan_rungs,
    sample_rows,
    spread_over_families,
)
from discreet.evaluation.limits import misses, penalty
from discreet.evaluation.prefixes import in_prefix_order
from discreet.evaluation.row_store import RowStore, open_store
from discreet.evaluation.study import fingerprint
from discreet.progress import report
from discreet.stopping import Stopped, absorb_interrupt, stopped_after
from discreet.typing import Json

__all__ = ["HalvingSearch"]

_BATCH = 4
"""Candidates that are judged on the whole file before it is asked again who can still be the best."""


@dataclass
class HalvingSearch:
    """A search among candidates, of which few are judged on the whole file.

    Parameters
    ----------
    table : Microdata
    space : sequence of Masker or Chain
    attribute_set : pair of str and sequence of str
        Its name and the keys.
    thresholds : mapping of str to float
    scoring : Scoring
    measures : sequence of Measure
    seed : int
    repetitions : int
        On the whole file; on a sample, a candidate is run once.
    workers : int, optional
    budget : int, optional
        The most experiments, each counted by its part of the records.
    deadline : Deadline
    """

    table: Microdata
    space: Sequence[Candidate]
    attribute_set: tuple[str, Sequence[str]]
    thresholds: Mapping[str, float]
    scoring: Scoring
    measures: Sequence[Measure]
    seed: int
    repetitions: int = 1
    workers: int | None = None
    budget: int | None = None
    deadline: Deadline = field(default_factory=Deadline)

    def __post_init__(self) -> None:
        name, keys = self.attribute_set
        self.experiments = plan(self.space, {name: keys}, self.repetitions, self.seed)
        places = {id(candidate): place for place, candidate in enumerate(self.space)}
        self._by_candidate: dict[int, list[Experiment]] = {}
        for experiment in self.experiments:
            self._by_candidate.setdefault(places[id(experiment.masker)], []).append(experiment)
        self._families = [candidate.name for candidate in self.space]
        self._store: RowStore | None = None
        self.rows: dict[int, Json] = {}
        self.rungs: list[Rung] = []
        self.tried: dict[int, Json] = {}
        self.complete = False

    def run(self, store: str | os.PathLike[str] | None = None, *, resume: bool = False) -> None:
        """Search; an interrupt ends it with what is finished."""
        with ExitStack() as stack:
            if store is not None:
                planned = fingerprint(self.table, self.experiments, self.measures, self.scoring)
                text = f"halving {planned} {self.budget} {self.deadline.seconds} {sorted(self.thresholds.items())}"
                name = hashlib.sha256(text.encode()).hexdigest()
                self._store = stack.enter_context(open_store(store, self.table, name, self.seed, resume=resume))
            with self._ending_with_what_is_finished():
                timed = self.deadline.seconds is not None
                each = None if self.budget is None else max(1, self.budget // self.repetitions)
                rungs = plan_rungs(len(self.space), len(self.table), each)
                alive = spread_over_families(self._families, self.seed)[: rungs[0].candidates]
                behind: list[int] = []
                for number, rung in enumerate(rungs[:-1]):
                    order = self._sample(number, rung, alive)
                    count = max(1, len(order) // SHRINK) if timed else rungs[number + 1].candidates
                    # Where everything failed on a sample, the whole file shows why, or that it was the sample.
                    alive = keep_best(order, self._families, count) or sorted(order)[:count]
                    left = [place for place in order if place not in set(alive) and np.isfinite(order[place])]
                    behind = [*sorted(left, key=lambda place: order[place]), *behind]
                # Time that is left is for those that a sample left behind, the best of them first.
                self._whole([*alive, *(behind if timed else [])], ordered=len(rungs) > 1)
                self.complete = True

    @contextmanager
    def _ending_with_what_is_finished(self) -> Iterator[None]:
        """End on an interrupt, and on the time's end also in the middle of an experiment, once one is finished."""

        def some() -> bool:
            return any(row["error"] is None and "ruled_out" not in row for row in list(self.rows.values()))

        try:
            with stopped_after(self.deadline.left, some):
                yield
        except Stopped:
            if not self.deadline.past():  # an interrupt, which Python's own follows
                absorb_interrupt()
            self.complete = self.deadline.past() and any(self._finished())
        except KeyboardInterrupt:
            absorb_interrupt()

    # -------------------------------------------------------------------------------------------------- the rungs

    def _sample(self, number: int, rung: Rung, alive: Sequence[int]) -> dict[int, float]:
        """Judge candidates on a sample, and return by candidate what puts them in order."""
        sample = self.table.take(sample_rows(len(self.table), rung.records, self.seed))
        timed = self.deadline.seconds is not None
        first = {place: self._by_candidate[place][0] for place in alive}
        values: dict[int, float] = {}
        # Of few records an experiment is short, and processes would take longer to start than they save.
        expected = len(alive) * rung.records // len(self.table)
        with Crew(sample, self.measures, self.workers, expected, self.scoring) as crew:
            for batch in _batches(alive, crew.size if timed else len(alive)):
                # Half of the time that is left is for each rung: who is never looked at cannot be found.
                if values and self.deadline.past(1.0 - 0.5 ** (number + 1)):
                    break
                planned = [
                    replace(first[place], number=(number + 1) * len(self.experiments) + first[place].number)
                    for place in batch
                ]
                self._judge(crew, planned, rung, len(values), len(alive))
                for place, experiment in zip(batch, planned, strict=True):
                    row = self.rows[experiment.number]
                    values[place] = objective(row, self.thresholds)
                    self.tried[place] = _tried(row, rung.records, "not looked at on the whole file")
        self.rungs.append(Rung(rung.records, len(values), False))
        return values

    def _whole(self, alive: Sequence[int], *, ordered: bool) -> None:
        """Judge candidates on the whole file until none is left that can be better, or the time is over."""
        timed = self.deadline.seconds is not None
        if not ordered and not timed:
            paths = [(place, self._by_candidate[place][0].path()) for place in alive]
            alive = [place for place, _ in in_prefix_order(paths)]
        judged = 0
        with Crew(self.table, self.measures, self.workers, len(alive) * self.repetitions, self.scoring) as crew:
            rung = Rung(len(self.table), len(alive), True)
            for batch in _batches(alive, crew.size if timed else _BATCH):
                if judged and self.deadline.past():
                    break
                bounds = self._bounds()
                planned = [replace(e, bounds=bounds) for place in batch for e in self._by_candidate[place]]
                self._judge(crew, planned, rung, judged, len(alive))
                judged += len(batch)
                for place in batch:
                    self._tell(place)
            if not any(self._finished()) and judged:
                nearest = self._nearest(alive[:judged])
                if nearest is not None:  # what came nearest is told with all its figures
                    again = [replace(e, bounds=None) for e in self._by_candidate[nearest]]
                    for experiment in again:
                        self.rows.pop(experiment.number, None)
                    self._judge(crew, again, rung, judged - 1, len(alive))
                    self._tell(nearest)
        self.rungs.append(Rung(len(self.table), judged, True))

    def _judge(self, crew: Crew, planned: Sequence[Experiment], rung: Rung, before: int, total: int) -> None:
        """Run experiments that are not in the store, and keep their rows."""
        label = f"candidates on {'all ' if rung.whole else ''}{rung.records:,} records"
        numbers = {experiment.number for experiment in planned}
        unbounded = {experiment.number for experiment in planned if experiment.bounds is None}
        if self._store is not None:
            kept = {n: self._store.rows[n] for n in numbers if n in self._store.rows}
            self.rows |= {n: row for n, row in kept.items() if "ruled_out" not in row or n not in unbounded}

        def keep(finished: list[Json]) -> None:
            rows = [{**row, "records": rung.records} for row in finished]
            self.rows.update({row["experiment"]: row for row in rows})
            if self._store is not None:
                self._store.add(rows)
            report(label, before + len(numbers & self.rows.keys()) // max(1, self.repetitions), total)

        report(label, before, total)
        crew.run([experiment for experiment in planned if experiment.number not in self.rows], keep)

    # ---------------------------------------------------------------------------------------- what is known so far

    def _finished(self) -> Iterator[Json]:
        """Yield the rows of the whole file that have all their figures."""
        for experiment in self.experiments:
            row = self.rows.get(experiment.number)
            if row is not None and row["error"] is None and "ruled_out" not in row:
                yield row

    def _bounds(self) -> Bounds | None:
        if self.scoring.score != "worst-case" or self.repetitions > 1:
            return None  # means over draws have no such bounds
        limits = dict(self.thresholds)
        known = [row for row in self._finished() if not misses(row, limits)]
        least = min((float(row["loss" if limits else "score"]) for row in known), default=None)
        return Bounds(tuple(limits.items()), least)

    def _tell(self, place: int) -> None:
        """Remember what became of a candidate on the whole file."""
        rows = [self.rows[e.number] for e in self._by_candidate[place] if e.number in self.rows]
        if not rows:
            return
        row = next((row for row in rows if row["error"] is not None), rows[0])
        missed = () if row["error"] is not None or "ruled_out" in row else misses(row, self.thresholds)
        outcome = f"misses {'; '.join(missed)}" if missed else "meets every limit" if self.thresholds else "judged"
        self.tried[place] = _tried(row, len(self.table), outcome)

    def _nearest(self, places: Sequence[int]) -> int | None:
        """Return the candidate that misses least by what is known of those that were ruled out."""
        best: tuple[float, float, int] | None = None
        for place in places:
            row = self.rows.get(self._by_candidate[place][0].number)
            if row is not None and row["error"] is None:
                figures = {**row, "risk": row.get("risk_at_least", 0.0)}
                best = min(best or (float("inf"), 0.0, place), (penalty(figures, self.thresholds), row["loss"], place))
        return None if best is None else best[2]

    def study_rows(self) -> tuple[Json, ...]:
        """Return the rows with all their figures; before one is of the whole file, those of the largest sample."""
        whole = tuple(self._finished())
        failed = tuple(
            self.rows[e.number]
            for e in self.experiments
            if e.number in self.rows and self.rows[e.number]["error"] is not None
        )
        if whole or self.complete:
            return tuple(sorted((*whole, *failed), key=lambda row: int(row["experiment"])))
        judged = [row for row in self.rows.values() if "ruled_out" not in row]
        good = [row for row in judged if row["error"] is None] or judged
        largest = max((row["records"] for row in good), default=0)
        return tuple(row for row in judged if row["records"] == largest)


def _tried(row: Json, records: int, outcome: str) -> Json:
    """Return a line of what was tried."""
    if row["error"] is not None:
        outcome = f"failed: {row['error']}"
    elif "ruled_out" in row:
        outcome = f"ruled out: {row['ruled_out']}"
    figures = {name: row.get(name) for name in ("risk", "risk_at_least", "loss", "score", "seed")}
    return {"candidate": row["candidate"], "records": records, **figures, "outcome": outcome}


def _batches(places: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(places), max(1, size)):
        yield places[start : start + max(1, size)]
