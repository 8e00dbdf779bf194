"""One experiment of a study: a masker on an attribute set, masked, attacked, measured; one row of the table."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import InProcess, Masker, Measure
from discreet.errors import DiscreetError
from discreet.evaluation.score import mean_score
from discreet.microdata import Microdata
from discreet.typing import Json

__all__ = ["Experiment", "plan", "run"]


@dataclass(frozen=True)
class Experiment:
    """What is to be done: which masker, on which keys, with which seed."""

    number: int
    masker: Masker
    keys: tuple[str, ...]
    set_name: str
    repetition: int
    seed: int


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


def run(experiment: Experiment, table: Microdata, measures: Sequence[Measure]) -> Json:
    """Do one experiment; an error becomes part of the row, never the end of the study."""
    masker = experiment.masker.clone()
    row: Json = {
        "experiment": experiment.number,
        "method": masker.name,
        "candidate": masker.label(),
        "attribute_set": experiment.set_name,
        "repetition": experiment.repetition,
        "seed": experiment.seed,
    }
    row |= {
        f"parameter_{name}": _plain(value)
        for name, value in masker.get_params(deep=False).items()
        if name != "random_state"
    }
    if "random_state" in masker.get_params(deep=False):
        masker.set_params(random_state=experiment.seed)
    start = time.perf_counter()
    try:
        schema = table.schema.with_roles(**{name: "other" for name in table.schema.keys if name not in experiment.keys})
        original = Microdata(table.to_native(), schema)
        # Encoded columns do not depend on roles: what was encoded once is not encoded again.
        original.share_encoding(table)
        masked = masker.mask(original, engine=InProcess())
        results = [m.measure(original, masked, engine=InProcess()) for m in measures if m.applies_to(schema)]
        score = mean_score(results)
        row |= {"loss": score.loss, "risk": score.risk, "score": score.value}
        row |= {f"measure_{m.name}": m.value for m in results}
        row["error"] = None
    except DiscreetError as error:
        row["error"] = str(error)
    except Exception as error:  # noqa: BLE001 - a library's own message may quote a value: only its kind is kept
        row["error"] = f"A defect: {type(error).__name__}."
    row["seconds"] = time.perf_counter() - start
    return row


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)
