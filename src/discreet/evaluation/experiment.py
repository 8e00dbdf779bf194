"""One experiment of a study: a masker on an attribute set, masked, attacked, measured; one row of the table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.contracts.assessment import NotComputed, Score
from discreet.contracts.engine import InProcess
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.data.keyed_draws import seed_from
from discreet.data.microdata import Microdata
from discreet.errors import DataError, DiscreetError
from discreet.evaluation.headline import ALL_KEYS, headlines, risk_of_unmasked, unmasked_score
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.score import mean_score, papers_score
from discreet.plain import scalar_or_text
from discreet.typing import Json

__all__ = ["SCORES", "Experiment", "Originals", "Scoring", "plan", "run", "unmasked_row"]

SCORES = ("worst-case", "mean")
"""What a study can be ranked by: the headline, or the papers' plain mean of the measures."""


@dataclass(frozen=True)
class Scoring:
    """How the experiments of a study are scored.

    Attributes
    ----------
    score : {"worst-case", "mean"}
    scenarios : tuple of Intruder
        The intruders of the headline; without any, one who knows every key.
    defaults : bool
        Whether the measures are those that an assessment takes unasked, so that the headline can use them.
    """

    score: str = "worst-case"
    scenarios: tuple[Intruder, ...] = ()
    defaults: bool = True

    def intruders(self, table: Microdata) -> list[Intruder]:
        """Return the intruders as far as an attribute set has what they know."""
        if not self.scenarios:
            return [Intruder(ALL_KEYS, table.schema.keys)]
        intruders = []
        for one in self.scenarios:
            keys = tuple(name for name in one.known if name in table.schema)
            if keys:
                intruders.append(Intruder(one.name, keys, one.linkers))
        return intruders or [Intruder(ALL_KEYS, table.schema.keys)]


def unmasked_row(table: Microdata, scoring: Scoring) -> Json:
    """Return risk, loss and score of the file as it is, for the intruders of a study."""
    risks = {one.name: risk_of_unmasked(table, one.known) for one in scoring.intruders(table)}
    worst = max(risks, key=lambda name: risks[name])
    score = unmasked_score(risks[worst], worst)
    return {"risk": score.risk, "loss": score.loss, "score": score.value, "intruder": worst}


@dataclass(frozen=True)
class Experiment:
    """What is to be done: which masker, on which keys, with which seed."""

    number: int
    masker: Masker
    keys: tuple[str, ...]
    set_name: str
    repetition: int
    seed: int


class Originals:
    """The table of a study, cut to each attribute set once.

    All experiments on a set are given the same table, so that what methods keep of it (encoded columns, distinct
    records, counts; see :meth:`~discreet.data.microdata.Microdata.once`) is made by the first of them and used by all.
    """

    def __init__(self, table: Microdata) -> None:
        self._table = table
        self._cut: dict[tuple[str, ...], Microdata] = {}

    def of(self, keys: tuple[str, ...]) -> Microdata:
        """Return the table with these of its keys; what is no key stays in it."""
        if keys not in self._cut:
            left_out = set(self._table.schema.keys) - set(keys)
            self._cut[keys] = self._table.select(name for name in self._table.names if name not in left_out)
        return self._cut[keys]


def plan(
    candidates: Sequence[Masker],
    attribute_sets: Mapping[str, Sequence[str]],
    repetitions: int,
    random_state: int,
) -> list[Experiment]:
    """Return all experiments in order, each with a seed that depends on the study's seed and its number alone.

    A candidate without random draws is run once, whatever the number of repetitions.
    """
    experiments: list[Experiment] = []
    for set_name, keys in attribute_sets.items():
        for masker in candidates:
            draws = "random_state" in masker.get_params(deep=False)
            for repetition in range(repetitions if draws else 1):
                number = len(experiments)
                seed = seed_from(random_state, "experiment", number) >> 65  # 63 bits: a table holds it
                experiments.append(Experiment(number, masker, tuple(keys), set_name, repetition, seed))
    return experiments


def run(
    experiment: Experiment, originals: Originals, measures: Sequence[Measure], scoring: Scoring | None = None
) -> Json:
    """Do one experiment; an error becomes part of the row, never the end of the study."""
    how = scoring or Scoring()
    parameters = experiment.masker.get_params(deep=False)
    row: Json = {
        "experiment": experiment.number,
        "method": experiment.masker.name,
        "candidate": experiment.masker.label(),
        "attribute_set": experiment.set_name,
        "repetition": experiment.repetition,
        "seed": experiment.seed,
    }
    row |= {f"parameter_{name}": scalar_or_text(value) for name, value in parameters.items() if name != "random_state"}
    masker = experiment.masker.clone()
    if "random_state" in parameters:
        masker.set_params(random_state=experiment.seed)
    start = time.perf_counter()
    try:
        original, engine = originals.of(experiment.keys), InProcess()
        masked = masker.mask(original, engine=engine)
        before, release = paired(original, masked)
        # An intruder recodes what he knows like the release, in a study as in an assessment.
        recoded = as_released(before, release)
        fitting, unfit = applicable(measures, before, recoded, release)
        results, without = take_measures(fitting, before, release, known=recoded, engine=engine)
        if how.score == "mean":
            _check_comparable(results, [*unfit, *without])
            score = mean_score(results)
        else:
            score = _headline(how, original, before, release, recoded, (results, [*unfit, *without]), engine)
            row |= {"intruder": score.intruder, "linker": score.linker, "worst_column": score.worst_column}
        row |= {"loss": score.loss, "risk": score.risk, "score": score.value}
        papers = papers_score(results)
        row["mean_score"] = None if papers is None else papers.value
        row |= {f"measure_{m.name}": m.value for m in results}
        row["error"] = None
    except KeyboardInterrupt:
        raise  # a kernel that was stopped raises one that is an Exception too
    except DiscreetError as error:
        row["error"] = str(error)
    except Exception as error:  # noqa: BLE001 - a library's own message may quote a value: only its kind is kept
        row["error"] = f"A defect: {type(error).__name__}."
    row["seconds"] = time.perf_counter() - start
    return row


def _headline(
    how: Scoring,
    original: Microdata,
    before: Microdata,
    release: Masked | Microdata,
    recoded: Microdata,
    measured: tuple[Sequence[Measurement], Sequence[NotComputed]],
    engine: InProcess,
) -> Score:
    """Return the headline of the worst intruder; one that lacks an attack is no basis for a ranking."""
    scores = headlines(
        original,
        before,
        release,
        how.intruders(original),
        known=recoded,
        taken={ALL_KEYS: measured} if how.defaults and not how.scenarios else {},
        losses=measured[0] if how.defaults else (),
        engine=engine,
    )
    worst = max((score for score, _ in scores.values()), key=lambda score: score.risk)
    if worst.incomplete:
        raise DataError(f"The worst case cannot be computed, so there is no score: {worst.incomplete[0]}")
    return worst


def _check_comparable(results: Sequence[Measurement], without: Sequence[NotComputed]) -> None:
    """Refuse a score that lacks what others are made of: an attribute that was emptied would have cost nothing."""
    for one in without:
        if one.in_score:
            raise DataError(f"{one.title} cannot be computed, so there is no score: {one.reason}")
    for measurement in results:
        absent = measurement.details.get("not_compared", [])
        if measurement.in_score and absent:
            raise DataError(
                f"{measurement.title} leaves out {', '.join(absent)}, so the score cannot be compared with those of "
                "others.",
                hint="What is released without a value or as categories where it was a number has no such loss.",
            )
