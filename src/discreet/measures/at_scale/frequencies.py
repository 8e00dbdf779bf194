"""k-anonymity, uniques and individual risk from counts of combinations, which stay on the engine."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import WRITTEN, Block, Source, TableEngine
from discreet.measures.population_risk import benedetti_franconi
from discreet.measures.risk.frequency import FrequencyRisk
from discreet.measures.risk.individual_risk import IndividualRisk
from discreet.measures.risk.k_anonymity import KAnonymityViolations
from discreet.measures.risk.uniques import SampleUniques
from discreet.results import Measurement
from discreet.scales.written import absent_of
from discreet.typing import Json

__all__ = ["frequency_risks"]

_BELOW = (2, 3, 5, 10)
_PERCENT = (1, 5, 10, 50)
_GAP, _SUMMARY = "#gap", "#summary"


@dataclass(frozen=True)
class _Gaps:
    """Records as a written file shows them, and whether any of their keys is missing."""

    names: tuple[str, ...]
    weight: str | None

    def __call__(self, block: Block) -> Block:
        gap = np.any([_absent(block[name]) for name in self.names], axis=0)
        kept = [name + WRITTEN for name in self.names] + ([self.weight] if self.weight else [])
        return {**{name: block[name] for name in kept}, _GAP: gap.astype(np.int64)}


def _absent(column: Any) -> Any:
    if column.dtype == object:  # sequences travel as bytes, and a missing one is a question mark
        return np.fromiter((text == b"?" for text in column), np.bool_, len(column))
    return absent_of(column)


@dataclass(frozen=True)
class _Sizes:
    """Combinations by how many records have them, and what an intruder may expect: one row for a block."""

    limits: tuple[int, ...]

    def __call__(self, block: Block) -> Block:
        counts, totals = block["#count"], block["#total"]
        summary = np.empty(1, dtype=object)
        summary[0] = pickle.dumps(self._summary(counts, totals, block[_GAP]))
        return {_SUMMARY: summary}

    def _summary(self, counts: Any, totals: Any, gaps: Any) -> Json:
        risks = benedetti_franconi(counts, totals)
        alone = counts == 1
        return {
            "combinations": int(counts.size),
            "below": [int(counts[counts < limit].sum()) for limit in self.limits],
            "smallest": int(counts.min()),
            "uniques": int(alone.sum()),
            "expected": float((risks * counts).sum()),
            "largest": float(risks.max()),
            "above": [int(counts[risks > t / 100.0].sum()) for t in _PERCENT],
            "population": float((1.0 / totals[alone].clip(min=1.0)).sum()),
            "gaps": int(gaps.sum()),
        }


def frequency_risks(
    original: Source, masked: Source, engine: TableEngine, *, k: int = 3, perturbative: bool | None = None
) -> list[Measurement]:
    """Return k-anonymity, uniques and individual risk on all keys, as the measures in memory tell them.

    Notes
    -----
    Keys are counted as the file shows them, numbers by their value and missing cells by what stands in them
    (:meth:`~discreet.microdata.Microdata.cell_keys`): a missing cell is a value of its own. One shuffle of the keys.
    Medians are not computed here.
    """
    anonymity, uniques, individual = KAnonymityViolations(k), SampleUniques(), IndividualRisk()
    names = _names(anonymity, original, masked)
    if not names:
        return []
    weighted = masked.schema.weight is not None
    limits = tuple(sorted({*_BELOW, k}))
    found = _counted(masked, engine, names, limits)
    below = dict(zip(limits, found["below"], strict=True))
    above = dict(zip(_PERCENT, found["above"], strict=True))
    keys, n = len(names), len(masked)
    alone = found["population"] if weighted else None
    told: Sequence[tuple[FrequencyRisk, tuple[float, str, None, Json]]] = (
        (anonymity, anonymity.told(keys, n, below, found["smallest"], found["combinations"])),
        (uniques, uniques.told(keys, n, found["uniques"], alone)),
        (individual, individual.told(keys, n, found["expected"], found["largest"], above, weighted=weighted)),
    )
    gaps = found["gaps"] > 0
    return [measure.stated(names, *figures, perturbative=perturbative, gaps=gaps) for measure, figures in told]


def _names(measure: FrequencyRisk, original: Source, masked: Source) -> tuple[str, ...]:
    candidates = measure._candidates(original.schema)  # noqa: SLF001 - the same keys as in memory
    return measure._comparable(candidates, original.schema, masked.schema)  # noqa: SLF001


def _counted(masked: Source, engine: TableEngine, names: tuple[str, ...], limits: tuple[int, ...]) -> Json:
    weight = masked.schema.weight
    written = [name + WRITTEN for name in names]
    rows = engine.open(masked, [*names, *written, *([weight] if weight else [])])
    columns = {**dict.fromkeys([*written, _GAP], "int"), **({weight: "float"} if weight else {})}
    # Whether a key is missing follows from the keys, so that it splits no combination.
    counted = engine.count(engine.apply(rows, _Gaps(names, weight), columns), [*written, _GAP], weight)
    blocks = engine.collect(engine.apply(counted, _Sizes(limits), {_SUMMARY: "bytes"}))[_SUMMARY]
    parts = [pickle.loads(block) for block in blocks]  # noqa: S301 - our own function wrote it
    result: Json = {name: sum(part[name] for part in parts) for name in ("combinations", "uniques", "expected")}
    result |= {name: sum(part[name] for part in parts) for name in ("population", "gaps")}
    result |= {name: np.sum([part[name] for part in parts], axis=0).tolist() for name in ("below", "above")}
    result["smallest"] = min(part["smallest"] for part in parts)
    result["largest"] = max(part["largest"] for part in parts)
    return result
