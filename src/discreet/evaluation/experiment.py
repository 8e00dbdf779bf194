"""One experiment of a study: a masker or chain on some keys, masked, attacked, measured; one row of the table."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from discreet.contracts.assessment import NotComputed, Score
from discreet.contracts.engine import InProcess
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.contracts.stepwise import StepwiseMasking
from discreet.data.keyed_draws import seed_from
from discreet.data.microdata import Microdata
from discreet.errors import DataError, DiscreetError
from discreet.evaluation.attacking import ALL_KEYS
from discreet.evaluation.exact_matching import exact_match, risk_of_unmasked
from discreet.evaluation.headline import headlines, loss_of, unmasked_score
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.limits import limited_figures, misses
from discreet.evaluation.measuring import applicable, emptied, paired, take_measures
from discreet.evaluation.prefixes import Prefixes
from discreet.evaluation.score import mean_score, papers_score
from discreet.plain import scalar_or_text
from discreet.typing import Json

__all__ = [
    "SCORES",
    "Bounds",
    "Candidate",
    "Experiment",
    "Originals",
    "Scoring",
    "labelled",
    "plan",
    "run",
    "unmasked_row",
]

SCORES = ("worst-case", "mean")
"""What a study can be ranked by: the headline, or the papers' plain mean of the measures."""


Candidate: TypeAlias = Masker | StepwiseMasking
"""What a study compares: a masker, or a chain of them."""


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
    limited : tuple of str
        Thresholds whose figures every row is to have, beside those of risk and loss.
    """

    score: str = "worst-case"
    scenarios: tuple[Intruder, ...] = ()
    defaults: bool = True
    limited: tuple[str, ...] = ()

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
class Bounds:
    """What rules a candidate out before it is attacked in every way.

    Attributes
    ----------
    thresholds : tuple of pairs of str and float
    best : float, optional
        The least loss, or without thresholds the best score, of a candidate that is known already.

    Notes
    -----
    Its loss is known once it is masked, and nobody finds fewer records than by looking for equal keys: who exceeds a
    limit so, or loses more than a candidate that meets every limit, cannot be the best, whatever else is measured.
    """

    thresholds: tuple[tuple[str, float], ...] = ()
    best: float | None = None

    def ruled_out(self, figures: Mapping[str, float]) -> str:
        """Return why a candidate cannot be the best, from its loss, the least that it risks, and counts; or nothing."""
        if self.thresholds:
            missed = misses(figures, dict(self.thresholds))
            if missed:
                return missed[0]
            if self.best is not None and figures["loss"] > self.best:
                return f"loss {figures['loss']:.2f} %, and another that meets all limits loses {self.best:.2f} %"
        elif self.best is not None and (figures["risk"] + figures["loss"]) / 2 > self.best:
            return f"score above {(figures['risk'] + figures['loss']) / 2:.2f}, and another has {self.best:.2f}"
        return ""


@dataclass(frozen=True)
class Experiment:
    """What is to be done: which masker or chain, on which keys, with which seed."""

    number: int
    masker: Candidate
    keys: tuple[str, ...]
    set_name: str
    repetition: int
    seed: int
    label: str = ""
    bounds: Bounds | None = None

    def prepared(self) -> Candidate:
        """Return the candidate as it is run and as it is adopted: with the seed of this experiment."""
        if isinstance(self.masker, StepwiseMasking):
            return self.masker.seeded(self.seed)
        masker = self.masker.clone()
        if "random_state" in masker.parameter_names():
            masker.set_params(random_state=self.seed)
        return masker

    def path(self) -> tuple[Hashable, ...]:
        """Return what an experiment shares with others that begin like it: nothing for a single masker."""
        if not isinstance(self.masker, StepwiseMasking):
            return (self.number,)
        try:
            return (self.keys, *self.masker.seeded(self.seed).step_keys())
        except DiscreetError:  # said where it is run
            return (self.number,)


class Originals:
    """The table of a study, cut to each attribute set once.

    All experiments on a set are given the same table, so that what methods keep of it (encoded columns, distinct
    records, counts; see :meth:`~discreet.data.microdata.Microdata.once`) is made by the first of them and used by all.
    `prefixes` does the same for the first steps of chains.
    """

    def __init__(self, table: Microdata) -> None:
        self._table = table
        self.prefixes = Prefixes()
        self._cut: dict[tuple[str, ...], Microdata] = {}

    def of(self, keys: tuple[str, ...]) -> Microdata:
        """Return the table with these of its keys; what is no key stays in it."""
        if keys not in self._cut:
            left_out = set(self._table.schema.keys) - set(keys)
            self._cut[keys] = self._table.select(name for name in self._table.names if name not in left_out)
        return self._cut[keys]


def labelled(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    """Return candidates by their labels; of several with one label, the later ones are numbered."""
    result: dict[str, Candidate] = {}
    for candidate in candidates:
        label, count = candidate.label(), 1
        while label in result:
            count += 1
            label = f"{candidate.label()} ({count})"
        result[label] = candidate
    return result


def plan(
    candidates: Sequence[Candidate],
    attribute_sets: Mapping[str, Sequence[str]],
    repetitions: int,
    random_state: int,
) -> list[Experiment]:
    """Return all experiments in order, each with a seed that depends on the study's seed and its number alone.

    A candidate without random draws is run once, whatever the number of repetitions. All chains have the seed of their
    repetition: a step draws by its method, parameters and values too, so that chains share the draws of the steps that
    they begin with, and no others.
    """
    experiments: list[Experiment] = []
    for set_name, keys in attribute_sets.items():
        for label, masker in labelled(candidates).items():
            chain = isinstance(masker, StepwiseMasking)
            draws = masker.draws if isinstance(masker, StepwiseMasking) else "random_state" in masker.parameter_names()
            for repetition in range(repetitions if draws else 1):
                number = len(experiments)
                source = ("chain", repetition) if chain else ("experiment", number)
                seed = seed_from(random_state, *source) >> 65  # 63 bits: a table holds it
                experiments.append(Experiment(number, masker, tuple(keys), set_name, repetition, seed, label))
    return experiments


def run(
    experiment: Experiment, originals: Originals, measures: Sequence[Measure], scoring: Scoring | None = None
) -> Json:
    """Do one experiment; an error becomes part of the row, never the end of the study."""
    how = scoring or Scoring()
    row: Json = {
        "experiment": experiment.number,
        "method": experiment.masker.name,
        "candidate": experiment.label or experiment.masker.label(),
        "attribute_set": experiment.set_name,
        "repetition": experiment.repetition,
        "seed": experiment.seed,
    }
    row |= _parameters(experiment)
    start = time.perf_counter()
    try:
        original, engine, masker = originals.of(experiment.keys), InProcess(), experiment.prepared()
        if isinstance(masker, StepwiseMasking):
            masked = originals.prefixes.mask(masker, original, engine)
        else:
            masked = masker.mask(original, engine=engine)
        before, release = paired(original, masked)
        # An intruder recodes what he knows like the release, in a study as in an assessment.
        recoded = as_released(before, release)
        intruders = how.intruders(original)
        row |= limited_figures(how.limited, before, release, recoded, intruders, engine)
        if experiment.bounds is not None:
            figures = _least(before, release, recoded, intruders, engine)
            why = experiment.bounds.ruled_out(row | figures)
            if why:
                ruled: Json = {"loss": figures["loss"], "risk_at_least": figures["risk"], "ruled_out": why}
                return row | ruled | {"error": None, "seconds": time.perf_counter() - start}
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


def _least(
    before: Microdata, release: Masked | Microdata, recoded: Microdata, intruders: Sequence[Intruder], engine: InProcess
) -> dict[str, float]:
    """Return the loss of a release, and the least that it risks: what looking for equal keys finds."""
    after = release.microdata if isinstance(release, Masked) else release
    risk = 0.0
    for one in intruders:
        names = tuple(name for name in one.known if name in after.schema)
        names = tuple(name for name in names if name not in emptied(before, release, names))
        risk = max(risk, exact_match(recoded, after, names) if names else 0.0)
    return {"loss": min(loss_of(before, release, (), engine).value, 100.0), "risk": risk}


def _parameters(experiment: Experiment) -> Json:
    """Return what a row tells of a candidate's parameters; of a chain, its steps."""
    if isinstance(experiment.masker, StepwiseMasking):
        return {"parameter_steps": experiment.label or experiment.masker.label()}
    parameters = experiment.masker.get_params(deep=False)
    return {f"parameter_{name}": scalar_or_text(value) for name, value in parameters.items() if name != "random_state"}


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
