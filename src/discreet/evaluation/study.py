"""The study: many candidates on one file, side by side."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from discreet import catalogue
from discreet.contracts.chart import Chart
from discreet.contracts.intruder import Intruder
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.contracts.risk_utility_map import MAP_TEXT, map_svg
from discreet.contracts.stepwise import StepwiseMasking
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError, door
from discreet.evaluation.crew import Crew
from discreet.evaluation.experiment import SCORES, Candidate, Experiment, Originals, Scoring, plan, unmasked_row
from discreet.evaluation.limits import LimitChoice, check_constraints, choose
from discreet.evaluation.row_store import RowStore, open_store, study_seed
from discreet.notebook import panel, table
from discreet.progress import report
from discreet.registry import unknown_name
from discreet.stopping import absorb_interrupt, stoppable
from discreet.typing import Json

__all__ = ["Study", "check_sets", "compare", "fingerprint", "measures_for", "scoring_of", "unmasked_files"]


@dataclass(frozen=True, repr=False)
class Study:
    """The rows of a study, and the answers in them.

    Attributes
    ----------
    rows : tuple of dict
        One an experiment: method, every parameter, attribute set, seed, every measure, loss, risk, score, seconds,
        error.
    complete : bool
        Whether every planned experiment is there; False after an interrupt.
    unmasked : mapping of str to dict
        By attribute set, risk, loss and score of the file as it is, to be read beside every row.
    score : {"worst-case", "mean"}
        What risk, loss and score of the rows are.
    """

    rows: tuple[Json, ...]
    complete: bool = True
    unmasked: Mapping[str, Json] = field(default_factory=dict)
    score: str = "worst-case"

    def unmasked_entry(self, attribute_set: str | None = None) -> Json | None:
        """Return risk, loss and score of the unmasked file, over several attribute sets their means."""
        sets = [attribute_set] if attribute_set is not None else list(self.unmasked)
        entries = [self.unmasked[name] for name in sets if name in self.unmasked]
        if not entries:
            return None
        figures = {name: sum(one[name] for one in entries) / len(entries) for name in ("risk", "loss", "score")}
        return {"label": "unmasked file", "method": "unmasked", **figures}

    def to_frame(self) -> Any:
        """Return the tidy table, one row an experiment, as a Polars frame."""
        import polars as pl

        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        return pl.DataFrame([{name: row.get(name) for name in columns} for row in self.rows], infer_schema_length=None)

    @property
    def failures(self) -> tuple[Json, ...]:
        """The experiments that ended with an error."""
        return tuple(row for row in self.rows if row["error"] is not None)

    @property
    def attribute_sets(self) -> tuple[str, ...]:
        """The names of the attribute sets, in order."""
        return tuple(dict.fromkeys(row["attribute_set"] for row in self.rows))

    def ranking(self, attribute_set: str | None = None) -> list[Json]:
        """Return candidates from best score to worst, each with its mean and what seeds alone do to it.

        Over several attribute sets, score, risk and loss are means over the sets; a candidate that failed on one of
        them comes after those that did not. ``score_low`` and ``score_high`` (and so on) are the lowest and highest
        mean of a repetition, ``score_deviation`` their standard deviation: 0 for a candidate without draws, and where
        there was one repetition. ``like_best`` says that the ranges of a candidate and of the first one overlap, so
        that the difference may be chance.
        """
        if attribute_set is not None and attribute_set not in self.attribute_sets:
            raise unknown_name("attribute set", attribute_set, self.attribute_sets)
        sets = self.attribute_sets if attribute_set is None else (attribute_set,)
        groups: dict[tuple[Any, ...], list[Json]] = {}
        for row in self._successful_rows():
            if row["attribute_set"] in sets:
                groups.setdefault(_candidate(row), []).append(row)
        entries = [_entry(rows) for rows in groups.values()]
        entries.sort(key=lambda entry: (-entry["attribute_sets"], entry["score"], entry["label"]))
        for entry in entries:
            entry["like_best"] = entry["score_low"] <= entries[0]["score_high"]
        return entries

    def front(self, attribute_set: str | None = None) -> list[Json]:
        """Return the Pareto front: candidates that no other beats in both risk and loss, from least risk to most."""
        entries = sorted(self._complete(attribute_set), key=lambda entry: (entry["risk"], entry["loss"]))
        front: list[Json] = []
        for entry in entries:
            if not front or entry["loss"] < front[-1]["loss"]:
                front.append(entry)
        return front

    def best(
        self, *, risk_at_most: float | None = None, loss_at_most: float | None = None, attribute_set: str | None = None
    ) -> Json:
        """Return the candidate to release with.

        With a ceiling on risk, the one that loses least under it; with a ceiling on loss, the one that risks least
        under it; with none, the one with the best score.
        """
        if risk_at_most is not None and loss_at_most is not None:
            raise ParameterError("best: give a ceiling for risk or for loss, not both.")
        entries = self._complete(attribute_set)
        figure, ceiling, least = "score", None, ("score", "risk")
        if risk_at_most is not None:
            figure, ceiling, least = "risk", risk_at_most, ("loss", "risk")
        if loss_at_most is not None:
            figure, ceiling, least = "loss", loss_at_most, ("risk", "loss")
        allowed = [entry for entry in entries if ceiling is None or entry[figure] <= ceiling]
        if not allowed:
            lowest = min((entry[figure] for entry in entries), default=float("nan"))
            raise DataError(f"No candidate has a {figure} of at most {ceiling:g}; the lowest is {lowest:.2f}.")
        return min(allowed, key=lambda entry: (entry[least[0]], entry[least[1]], entry["label"]))

    def choose(self, thresholds: Mapping[str, float], attribute_set: str | None = None) -> LimitChoice:
        """Return the candidate that loses least among those that meet all thresholds, or the one that comes nearest.

        Parameters
        ----------
        thresholds : mapping of str to float
            ``risk_at_most`` and ``loss_at_most``; others where the study was made with them.
        """
        check_constraints("choose", thresholds)
        return choose(self._complete(attribute_set), thresholds)

    def _complete(self, attribute_set: str | None) -> list[Json]:
        """Return the ranking without candidates that failed on an attribute set on which others did not."""
        entries = self.ranking(attribute_set)
        return [entry for entry in entries if entry["attribute_sets"] == entries[0]["attribute_sets"]]

    def _successful_rows(self) -> Iterator[Json]:
        return (row for row in self.rows if row["error"] is None)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        state = "" if self.complete else ", not complete"
        return f"Study({len(self.rows)} experiments{failed}{state})"

    def plot(self) -> Chart:
        """Return the risk–utility map: candidates as points, the front as a line, the unmasked file as a cross."""
        return Chart(map_svg(self.ranking(), self.front(), self.unmasked_entry()), MAP_TEXT)

    def _repr_html_(self) -> str:
        front = {entry["label"] for entry in self.front()}
        rows = [
            (
                e["label"],
                f"{e['score']:.2f}",
                f"{e['risk']:.2f}",
                f"{e['loss']:.2f}",
                "●" if e["label"] in front else "",
            )
            for e in self.ranking()[:20]
        ]
        if beside := self.unmasked_entry():
            rows.append((beside["label"], *(f"{beside[name]:.2f}" for name in ("score", "risk", "loss")), ""))
        grid = table(("candidate", "score (0 is best)", "risk", "loss", "on the front"), rows, numbers=(1, 2, 3))
        chart = self.plot()._repr_html_() if rows else ""
        return panel(repr(self), chart, grid)


def _entry(rows: Sequence[Json]) -> Json:
    """Return what the experiments of one candidate have in common, their means, and the range over repetitions."""
    sets = {row["attribute_set"] for row in rows}
    by_repetition: dict[int, list[Json]] = {}
    for row in rows:
        by_repetition.setdefault(row["repetition"], []).append(row)
    whole = [run for run in by_repetition.values() if len(run) == len(sets)] or [list(rows)]
    entry: Json = {
        "method": rows[0]["method"],
        "label": rows[0]["candidate"],
        "experiments": len(rows),
        "attribute_sets": len(sets),
    }
    for name in ("score", "risk", "loss"):
        of_sets = [[row[name] for row in rows if row["attribute_set"] == one] for one in sorted(sets)]
        means = [sum(row[name] for row in run) / len(run) for run in whole]
        middle = sum(means) / len(means)
        entry[name] = sum(sum(values) / len(values) for values in of_sets) / len(of_sets)
        # A mean over sets may differ from the mean over repetitions in its last bit.
        entry[f"{name}_low"], entry[f"{name}_high"] = min(*means, entry[name]), max(*means, entry[name])
        squares = sum((mean - middle) ** 2 for mean in means)
        entry[f"{name}_deviation"] = (squares / (len(means) - 1)) ** 0.5 if len(means) > 1 else 0.0
    for name in dict.fromkeys(name for row in rows for name in row if name.startswith("threshold_")):
        worst = min if name == "threshold_smallest_group" else max
        entry[name] = worst(row[name] for row in rows)
    # What is adopted is a draw that was measured, and the most usual one: the best of several would be luck.
    usual = min(rows, key=lambda row: (abs(row["score"] - entry["score"]), row["experiment"]))
    entry["draw"] = {name: usual[name] for name in ("seed", "score", "risk", "loss")}
    return entry


def _candidate(row: Mapping[str, Any]) -> tuple[Any, ...]:
    parameters = tuple(sorted((n, repr(v)) for n, v in row.items() if n.startswith("parameter_")))
    return (row["method"], *parameters)


@door
@stoppable()
def compare(
    data: Any,
    candidates: Sequence[Candidate],
    *,
    schema: Schema | None = None,
    attribute_sets: Mapping[str, Sequence[str]] | None = None,
    repetitions: int = 1,
    measures: Sequence[str | Measure] | None = None,
    random_state: int | None = None,
    workers: int | None = None,
    store: str | os.PathLike[str] | None = None,
    resume: bool = False,
    score: str = "worst-case",
    scenarios: Sequence[Intruder] = (),
    thresholds: Mapping[str, float] | None = None,
) -> Study:
    """Mask, attack and measure a table with every candidate, and put the results side by side.

    Parameters
    ----------
    data : Microdata or frame
    candidates : list of Masker or Chain
        Written down, or made with :func:`~discreet.evaluation.candidates.grid` or, of chains, with
        :func:`~discreet.release.alternatives.chains`, and joined with ``+``. First steps that chains have in common are
        computed once; the draws are those that a chain with the row's seed makes by itself. A `random_state` of a
        candidate is refused: seeds follow from that of the study.
    attribute_sets : mapping of name to list of str, optional
        Which keys the file has (the candidates mask them, the intruder knows them), set by set; the other keys are left
        out of the experiment. By default all keys.
    repetitions : int
        How often a candidate with random draws is run, each time with another seed.
    measures : list of str or Measure, optional
        By default every default measure that applies.
    random_state : int, optional
        From which every experiment's own seed follows; results do not depend on `workers`. Without one, 128 bits are
        drawn from the operating system and kept with the rows of `store`.
    workers : int, optional
        Processes; by default one a core.
    store : path, optional
        A file in which finished rows are kept as they come. With `resume`, a study that was stopped goes on from there.
    score : {"worst-case", "mean"}
        What candidates are compared by: the headline of every assessment, whatever `measures` are listed, or the
        papers' plain mean of the `measures`.
    scenarios : sequence of Intruder
        The intruders of the headline; without any, one who knows every key.
    thresholds : mapping of str to float, optional
        Limits whose figures the rows are to have, for :meth:`Study.choose`.

    Returns
    -------
    Study
        Also after an interrupt, with the rows that were finished.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.evaluation.candidates import grid
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> study = compare(business(60), grid(MDAV, k=[2, 6]), measures=["il1s", "distance-linkage"])
    >>> [entry["label"] for entry in study.front()][-1].startswith("mdav(k=2")
    True
    """
    table = microdata(data, schema)
    _check(candidates, repetitions, random_state)
    sets = attribute_sets if attribute_sets is not None else {"all keys": table.schema.keys}
    check_sets("compare", sets, table.schema)
    measure_list = measures_for(measures, table.schema)
    seed = study_seed(random_state, store, resume=resume)
    check_constraints("compare", thresholds or {})
    scoring = scoring_of("compare", score, scenarios, measures, thresholds)
    experiments = plan(candidates, sets, repetitions, seed)
    unmasked = unmasked_files(table, sets, scoring)
    with ExitStack() as stack:
        row_store: RowStore | None = None
        if store is not None:
            named = fingerprint(table, experiments, measure_list, scoring)
            row_store = stack.enter_context(open_store(store, table, named, seed, resume=resume))
        rows = dict(row_store.rows) if row_store is not None else {}
        todo = [experiment for experiment in experiments if experiment.number not in rows]

        def keep(finished: list[Json]) -> None:
            rows.update({row["experiment"]: row for row in finished})
            if row_store is not None:
                row_store.add(finished)
            report("experiments", len(rows), len(experiments))

        report("experiments", len(rows), len(experiments))
        try:
            with Crew(table, measure_list, workers, len(todo), scoring) as crew:
                crew.run(todo, keep)
        except KeyboardInterrupt:  # what is finished is the answer
            absorb_interrupt()
    finished = tuple(rows[number] for number in sorted(rows))
    return Study(finished, complete=len(rows) == len(experiments), unmasked=unmasked, score=score)


def scoring_of(
    owner: str,
    score: str,
    scenarios: Sequence[Intruder],
    measures: Sequence[str | Measure] | None,
    thresholds: Mapping[str, float] | None = None,
) -> Scoring:
    """Return how the experiments of a study are scored, checked."""
    if score not in SCORES:
        raise ParameterError(f"{owner}: score must be one of {', '.join(SCORES)}; got {score!r}.")
    limited = tuple(name for name in thresholds or {} if name not in ("risk_at_most", "loss_at_most"))
    return Scoring(score, tuple(scenarios), measures is None, limited)


def unmasked_files(table: Microdata, sets: Mapping[str, Sequence[str]], scoring: Scoring) -> dict[str, Json]:
    """Return by attribute set the figures of the unmasked file; the papers' mean has none beside it."""
    if scoring.score != "worst-case":
        return {}
    originals = Originals(table)
    return {name: unmasked_row(originals.of(tuple(keys)), scoring) for name, keys in sets.items()}


def _check(candidates: Sequence[Candidate], repetitions: int, random_state: int | None) -> None:
    if (
        not isinstance(candidates, (list, tuple))
        or not candidates
        or not all(isinstance(candidate, (Masker, StepwiseMasking)) for candidate in candidates)
    ):
        raise ParameterError("compare: candidates must be a list of maskers or chains with at least one in it.")
    _refuse_seeds(candidates)
    if not isinstance(repetitions, int) or repetitions < 1:
        raise ParameterError(f"compare: repetitions must be an integer of at least 1; got {repetitions!r}.")
    if random_state is not None and (not isinstance(random_state, int) or random_state < 0):
        raise ParameterError(f"compare: random_state must be an integer of at least 0; got {random_state!r}.")


def _refuse_seeds(candidates: Sequence[Candidate]) -> None:
    """Refuse seeds of candidates: what would be measured is the release of another one, drawn for the study."""
    seeded = [
        one.name for one in candidates if isinstance(one, Masker) and getattr(one, "random_state", None) is not None
    ]
    if seeded:
        raise ParameterError(
            f"compare: {len(seeded)} of {len(candidates)} candidates {'has' if len(seeded) == 1 else 'have'} a "
            f"random_state, the first a {seeded[0]}; every experiment draws by the seed of the study.",
            hint="compare(…, random_state=1) says where all draws come from, and repetitions=5 draws several times.",
        )


def check_sets(owner: str, sets: Mapping[str, Sequence[str]], schema: Schema) -> None:
    """Refuse attribute sets that are empty or hold something that is no key."""
    for name, keys in sets.items():
        if isinstance(keys, str) or not keys:
            raise ParameterError(f"{owner}: the attribute set {name!r} must be a list of keys with at least one in it.")
        schema.select(keys)
        strangers = [key for key in keys if key not in schema.keys]
        if strangers:
            raise ParameterError(
                f"{owner}: {strangers[0]!r} of the attribute set {name!r} is no key.",
                hint=f"Keys are {', '.join(schema.keys)}.",
            )


def measures_for(names: Sequence[str | Measure] | None, schema: Schema) -> list[Measure]:
    """Return the measures that were asked for, or every default measure that applies."""
    if names is None:
        defaults = [cls() for cls in catalogue.measures().values() if getattr(cls, "default", True)]
        return [measure for measure in defaults if measure.applies_to(schema)]
    every = [names] if isinstance(names, (str, Measure)) else names
    return [m if isinstance(m, Measure) else catalogue.method("measure", m)() for m in every]


def fingerprint(
    table: Microdata, experiments: Sequence[Experiment], measures: Sequence[Measure], scoring: Scoring | None = None
) -> str:
    """Return a name for this study: the same data, plan and measures give the same, and it shows none of them."""
    digest = hashlib.sha256()
    digest.update(table.schema.to_toml().encode())
    for name in table.schema.keys:
        encoded = table.encoded(name)
        for part in encoded if isinstance(encoded, tuple) else (encoded,):
            digest.update(part.tobytes())
    for e in experiments:
        steps = e.masker.description() if isinstance(e.masker, StepwiseMasking) else e.masker
        digest.update(repr((e.number, steps, e.keys, e.set_name, e.seed)).encode())
    digest.update(repr(measures).encode())
    digest.update(repr(scoring or Scoring()).encode())
    return digest.hexdigest()
