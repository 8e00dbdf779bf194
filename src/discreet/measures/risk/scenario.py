"""What the three intruders of the health-data literature share: a group of equal keys, and its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Pair
from discreet.measures.contingency import pack
from discreet.measures.risk.frequency import FrequencyRisk
from discreet.microdata import Microdata
from discreet.parameters import Constraint, Instance, Number, Optional
from discreet.typing import FloatArray, Json

__all__ = ["PopulationScenario", "Scenario"]


class Scenario(FrequencyRisk):
    """A chance of 1/size for every record, size the number of people who might be meant."""

    default: ClassVar[bool] = False
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "threshold": Number(0, 1, open_low=True),
        **FrequencyRisk.parameters,
    }

    def __init__(
        self, *, threshold: float = 0.2, attributes: Sequence[str] | None = None, missing: str = "category"
    ) -> None:
        super().__init__(attributes=attributes, missing=missing)
        self.threshold = threshold

    def _figures(self, chances: FloatArray) -> Json:
        return {
            "highest_percent": float(100.0 * chances.max()),
            "mean_percent": float(100.0 * chances.mean()),
            "threshold_percent": 100.0 * self.threshold,
            "records_at_risk": int((chances > self.threshold).sum()),
        }


class PopulationScenario(Scenario):
    """The group is that of the population: counted in a file of it, or estimated by survey weights, or the sample's."""

    parameters: ClassVar[Mapping[str, Constraint]] = {
        **Scenario.parameters,
        "population": Optional(Instance(Microdata, "a Microdata")),
    }

    def __init__(
        self,
        *,
        population: Microdata | None = None,
        threshold: float = 0.2,
        attributes: Sequence[str] | None = None,
        missing: str = "category",
    ) -> None:
        super().__init__(threshold=threshold, attributes=attributes, missing=missing)
        self.population = population

    def _source(self, pair: Pair) -> str:
        if self.population is not None:
            return "population file"
        return "survey weights" if pair.weights is not None else "the file itself"

    def _per_record(self, pair: Pair) -> FloatArray:
        frequencies = self._frequencies(pair)
        if self.population is None:
            return 1.0 / np.maximum(frequencies.totals, frequencies.sizes)
        return 1.0 / np.maximum(_population_sizes(pair, self.population), frequencies.sizes)


def _population_sizes(pair: Pair, population: Microdata) -> FloatArray:
    """Return how many people of the population have each record's keys, a missing value being a level of its own."""
    n, columns, sizes = len(pair.masked), [], []
    for name in pair.names:
        places: dict[str, int] = {}
        both = (*_texts(pair.masked, name), *_texts(population, name))
        columns.append(np.array([places.setdefault(value, len(places)) for value in both]))
        sizes.append(len(places))
    _, labels = np.unique(pack(columns, sizes)[0], return_inverse=True)
    return np.bincount(labels[n:], minlength=labels.max() + 1)[labels[:n]].astype(np.float64)


def _texts(table: Microdata, name: str) -> list[str]:
    """Return what the cells of a key say, numbers by their value: 31 in one file is 31.0 in the other."""
    cells = table.column(name).to_pylist()
    if table.schema[name].scale.kind != "numeric":
        return [str(cell) for cell in cells]
    numbers, absent = (table.encoded(name) + 0.0).tolist(), table.missing(name).tolist()
    return [str(c) if gap else repr(number) for c, number, gap in zip(cells, numbers, absent, strict=True)]
