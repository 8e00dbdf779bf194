"""k-anonymity, uniques and individual risk from counts of combinations, which stay on the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import Block, Source, TableEngine
from discreet.measures.population_risk import benedetti_franconi
from discreet.measures.risk.frequency import FrequencyRisk
from discreet.measures.risk.individual_risk import IndividualRisk
from discreet.measures.risk.k_anonymity import KAnonymityViolations
from discreet.measures.risk.uniques import SampleUniques
from discreet.results import Measurement
from discreet.typing import Json

__all__ = ["frequency_risks"]

# Groups this large are counted as one size.
_LARGEST = 1000
_PERCENT = (1, 5, 10, 50)


@dataclass(frozen=True)
class _Sizes:
    """Combinations by how many records have them, and what an intruder may expect."""

    weighted: bool

    def __call__(self, block: Block) -> Block:
        counts, totals = block["#count"], block["#total"]
        risks = benedetti_franconi(counts, totals)
        alone = counts == 1
        return {
            "sizes": np.bincount(np.minimum(counts, _LARGEST), minlength=_LARGEST + 1),
            "expected": np.array([(risks * counts).sum()]),
            "above": np.array([counts[risks > t / 100.0].sum() for t in _PERCENT]),
            "population": np.array([(1.0 / totals[alone].clip(min=1.0)).sum()]),
        }


def frequency_risks(
    original: Source, masked: Source, engine: TableEngine, *, k: int = 3, perturbative: bool | None = None
) -> list[Measurement]:
    """Return k-anonymity on all keys, and uniques and individual risk on the categorical ones.

    Notes
    -----
    A missing value is a level of its own here (``missing="category"``): matching it with everything would compare every
    two patterns of missing values. One shuffle of the keys for each of the two sets of keys.
    """
    result: list[Measurement] = []
    anonymity = KAnonymityViolations(k, missing="category")
    names = _names(anonymity, original, masked)
    n = len(masked)
    if names:
        sizes = _counted(masked, engine, names)["sizes"]
        records = sizes * np.arange(sizes.size)
        few, smallest = int(records[:k].sum()), int(np.flatnonzero(sizes)[0])
        sentence = (
            f"{few} of {n} records share their {len(names)} keys with fewer than {k - 1} others; the smallest group "
            f"has {smallest}."
            if few
            else f"Every record shares its {len(names)} keys with at least {k - 1} others."
        )
        details = {
            "k": k,
            "smallest_group": smallest,
            "combinations": int(sizes.sum()),
            "records_below": {str(limit): int(records[:limit].sum()) for limit in (2, 3, 5, 10)},
        }
        result.append(anonymity.result(100.0 * few / n, sentence, None, _with(details, names, perturbative)))
    uniques, individual = SampleUniques(missing="category"), IndividualRisk(missing="category")
    names = _names(uniques, original, masked)
    if names:
        found = _counted(masked, engine, names)
        count, expected = int(found["sizes"][1]), float(found["expected"][0])
        sentence = f"{count} of {n} records are the only ones with their {len(names)} keys"
        details = {"uniques": count, "n": n}
        if masked.schema.weight is not None:
            details["expected_population_uniques"] = float(found["population"][0])
            alone = details["expected_population_uniques"]
            sentence += f"; about {alone:.0f} of them are the only ones in the population"
        result.append(uniques.result(100.0 * count / n, sentence + ".", None, _with(details, names, perturbative)))
        where = "in the population" if masked.schema.weight is not None else "if the file is the whole population"
        value = 100.0 * expected / n
        sentence = (
            f"An intruder who knows {len(names)} keys re-identifies about {expected:.1f} of {n} records {where} "
            f"({value:.2f} %)."
        )
        details = {
            "expected_reidentifications": expected,
            "records_above_percent": {str(t): int(c) for t, c in zip(_PERCENT, found["above"], strict=True)},
            "weighted": masked.schema.weight is not None,
        }
        result.append(individual.result(min(value, 100.0), sentence, None, _with(details, names, perturbative)))
    return result


def _names(measure: FrequencyRisk, original: Source, masked: Source) -> tuple[str, ...]:
    candidates = measure._candidates(original.schema)  # noqa: SLF001 - the same keys as in memory
    return measure._comparable(candidates, original.schema, masked.schema)  # noqa: SLF001


def _with(details: Json, names: tuple[str, ...], perturbative: bool | None) -> Json:
    return {"keys": list(names), "perturbative": perturbative, "missing": "category", **details}


def _counted(masked: Source, engine: TableEngine, names: tuple[str, ...]) -> Json:
    weight = masked.schema.weight
    rows = engine.open(masked, [*names, *([weight] if weight else [])])
    return engine.fold(engine.count(rows, names, weight), _Sizes(weight is not None))
