"""One experiment of a study: a masker on an attribute set, masked, attacked, measured; one row of the table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import InProcess, Masker, Measure
from discreet.errors import DataError, DiscreetError
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.recoded import as_released
from discreet.evaluation.score import mean_score
from discreet.microdata import Microdata
from discreet.results import Measurement, NotComputed
from discreet.typing import Json

__all__ = ["Experiment", "Originals", "plan", "run"]


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
    records, counts; see :meth:`~discreet.microdata.Microdata.once`) is made by the first of them and used by all.
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
                seed = int(np.random.SeedSequence([random_state, number]).generate_state(1, np.uint32)[0])
                experiments.append(Experiment(number, masker, tuple(keys), set_name, repetition, seed))
    return experiments


def run(experiment: Experiment, originals: Originals, measures: Sequence[Measure]) -> Json:
    """Do one experiment; an error becomes part of the row, never the end of the study."""
    parameters = experiment.masker.get_params(deep=False)
    row: Json = {
        "experiment": experiment.number,
        "method": experiment.masker.name,
        "candidate": experiment.masker.label(),
        "attribute_set": experiment.set_name,
        "repetition": experiment.repetition,
        "seed": experiment.seed,
    }
    row |= {f"parameter_{name}": _plain(value) for name, value in parameters.items() if name != "random_state"}
    masker = experiment.masker.clone()
    if "random_state" in parameters:
        masker.set_params(random_state=experiment.seed)
    start = time.perf_counter()
    try:
        original, engine = originals.of(experiment.keys), InProcess()
        masked = masker.mask(original, engine=engine)
        before, release = paired(original, masked)
        # An intruder recodes what he knows like the release, in a study as in an assessment.
        known = as_released(before, release)
        wanted, unfit = applicable(measures, before, known, release)
        results, without = take_measures(wanted, before, release, known=known, engine=engine)
        _check_comparable(results, [*unfit, *without])
        score = mean_score(results)
        row |= {"loss": score.loss, "risk": score.risk, "score": score.value}
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


def _check_comparable(results: Sequence[Measurement], without: Sequence[NotComputed]) -> None:
    """Refuse a score that lacks what others are made of: an attribute that was emptied would have cost nothing."""
    for one in without:
        if one.in_score:
            raise DataError(f"{one.title} cannot be computed, so there is no score: {one.reason}")
    for found in results:
        absent = found.details.get("not_compared", [])
        if found.in_score and absent:
            raise DataError(
                f"{found.title} leaves out {', '.join(absent)}, so the score cannot be compared with those of others.",
                hint="What is released without a value or as categories where it was a number has no such loss.",
            )


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)
