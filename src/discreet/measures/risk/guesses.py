"""Risks of an intruder who guesses among equal keys: prosecutor, journalist, marketer."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.keys import pack
from discreet.data.microdata import Microdata
from discreet.measures.risk.equal_keys import EqualKeys, keys_in_words
from discreet.parameters import Instance, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.class_sizes import Chances, GuessChances
from discreet.statistics.counts import Counts
from discreet.statistics.question import Everything
from discreet.typing import FloatArray, IntArray, Json

__all__ = [
    "GuessingRisk",
    "JournalistRisk",
    "MarketerRisk",
    "PopulationScenario",
    "ProsecutorRisk",
    "in_the_file",
    "in_the_population",
]


class GuessingRisk(EqualKeys):
    """A chance of 1/size for every record, size the number of people who might be meant."""

    default: ClassVar[bool] = False
    threshold: float = parameter(Number(0, 1, open_low=True), default=0.2)

    def question(self, scope: PairScope) -> Any:
        return Counts(scope.names, scope.weight, Chances(in_the_file, (self.threshold,), self.missing))

    def figures(self, chances: GuessChances) -> Json:
        """Return what the three intruders' results have in common."""
        return {
            "highest_percent": 100.0 * chances.highest,
            "mean_percent": 100.0 * chances.total / chances.n,
            "threshold_percent": 100.0 * self.threshold,
            "records_at_risk": int(chances.above[0]),
        }


def in_the_file(sizes: IntArray, totals: FloatArray) -> FloatArray:  # noqa: ARG001 - a rule is handed both
    """Return the chance of a guess among the records of a group."""
    return 1.0 / sizes


def in_the_population(sizes: IntArray, totals: FloatArray) -> FloatArray:
    """Return the chance of a guess among the people of a group, whom weights tell."""
    return 1.0 / np.maximum(totals, sizes)


class PopulationScenario(GuessingRisk):
    """The group is that of the population: counted in a file of it, or estimated by survey weights, or the sample's."""

    population: Microdata | None = parameter(Optional(Instance(Microdata, "a Microdata")), default=None)

    def question(self, scope: PairScope) -> Any:
        if self.population is not None:  # two files are compared, record by record
            return Everything(type(self).__name__, *scope.everything)
        return Counts(scope.names, scope.weight, Chances(in_the_population, (self.threshold,), self.missing))

    def guesses(self, statistics: Any, scope: PairScope) -> GuessChances:
        """Return the chances, whether they were counted or the records are here."""
        if isinstance(statistics, GuessChances):
            return statistics
        pair = Pair(statistics.original, statistics.release, scope.names, scope.provenance, scope.engine)
        gaps = sum(int((pair.masked.as_written(name) < 0).any()) for name in pair.names)
        return GuessChances.of(self._per_record(pair), np.ones(scope.n, dtype=np.int64), (self.threshold,), gaps)

    def source(self, scope: PairScope) -> str:
        """Say where the size of a group in the population comes from."""
        if self.population is not None:
            return "population file"
        return "survey weights" if scope.weight is not None else "the file itself"

    def _per_record(self, pair: Pair) -> FloatArray:
        frequencies = self._frequencies(pair)
        if self.population is None:
            return in_the_population(frequencies.sizes, frequencies.totals)
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


@register("prosecutor")
class ProsecutorRisk(GuessingRisk):
    """Highest chance of a correct guess for an intruder who knows that the target is in the file, in percent.

    One record that is alone makes it 100; `details` holds the mean and the number of records above the threshold.

    Parameters
    ----------
    threshold : float
        The chance above which a record is at risk.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it, or agrees with every value.

    Notes
    -----
    ``100 · max 1/f``. O(records log records × keys).

    References
    ----------
    El Emam (2013), Guide to the De-Identification of Personal Health Information.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil", "oil"]})
    >>> ProsecutorRisk().measure(fuels, fuels, schema).value  # one of two
    50.0
    """

    title: ClassVar[str] = "Highest chance of a guess (prosecutor)"
    formula: ClassVar[str] = "100 · max 1/f"
    reference: ClassVar[str] = "El Emam 2013"

    def conclude(self, statistics: GuessChances, scope: PairScope) -> Measurement:
        figures = self.figures(statistics)
        sentence = (
            f"An intruder who knows {keys_in_words(len(scope.names))} and that the target is in the file is right "
            f"with a chance of up to {figures['highest_percent']:.1f} %; {figures['records_at_risk']} records exceed "
            f"{figures['threshold_percent']:.0f} %."
        )
        return self.told(scope, statistics.gaps, figures["highest_percent"], sentence, figures)


@register("journalist")
class JournalistRisk(PopulationScenario):
    """Highest chance of a correct guess for an intruder who only knows the population, in percent.

    The journalist wants to find anybody at all, to show that it can be done.

    Parameters
    ----------
    population : Microdata, optional
        A file of the population that has the keys; by default the survey weights say how large groups are there, and
        without weights the file is taken for the population.
    threshold : float
        The chance above which a record is at risk.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it (always so in a population file), or agrees with
        every value.

    Notes
    -----
    ``100 · max 1/F``, F the group in the population, never smaller than in the file. O(records log records × keys).

    References
    ----------
    El Emam (2013), Guide to the De-Identification of Personal Health Information.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), Attribute("w", Numeric(), "weight")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil"], "w": [5.5, 4.5, 4.0]})
    >>> JournalistRisk().measure(fuels, fuels, schema).value  # four people heat with oil
    25.0
    """

    title: ClassVar[str] = "Highest chance of a guess in the population (journalist)"
    formula: ClassVar[str] = "100 · max 1/F"
    reference: ClassVar[str] = "El Emam 2013"

    def conclude(self, statistics: Any, scope: PairScope) -> Measurement:
        chances = self.guesses(statistics, scope)
        figures = {**self.figures(chances), "population_from": self.source(scope)}
        sentence = (
            f"An intruder who knows {keys_in_words(len(scope.names))} and the population is right about a record with "
            f"a chance of up to {figures['highest_percent']:.1f} %; {figures['records_at_risk']} records exceed "
            f"{figures['threshold_percent']:.0f} %."
        )
        return self.told(scope, chances.gaps, figures["highest_percent"], sentence, figures)


@register("marketer")
class MarketerRisk(PopulationScenario):
    """Mean chance of a correct guess for an intruder who matches the whole file with the population, in percent.

    The marketer does not mind errors and wants many: the value is the share of records that come out right.

    Parameters
    ----------
    population : Microdata, optional
        A file of the population that has the keys; by default the survey weights say how large groups are there, and
        without weights the file is taken for the population.
    threshold : float
        The chance above which a record is at risk.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.
    missing : {"category", "any"}
        A missing cell is a value of its own, as the file shows it (always so in a population file), or agrees with
        every value.

    Notes
    -----
    ``100 · mean 1/F``, F the group in the population, never smaller than in the file. O(records log records × keys).

    References
    ----------
    El Emam (2013), Guide to the De-Identification of Personal Health Information.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]})
    >>> MarketerRisk().measure(fuels, fuels, schema).value
    50.0
    """

    title: ClassVar[str] = "Mean chance of a guess in the population (marketer)"
    formula: ClassVar[str] = "100 · mean 1/F"
    reference: ClassVar[str] = "El Emam 2013"

    def conclude(self, statistics: Any, scope: PairScope) -> Measurement:
        chances = self.guesses(statistics, scope)
        figures = {**self.figures(chances), "population_from": self.source(scope)}
        sentence = (
            f"An intruder who matches the whole file with the population on {keys_in_words(len(scope.names))} is "
            f"right about {figures['mean_percent']:.2f} % of the records."
        )
        return self.told(scope, chances.gaps, figures["mean_percent"], sentence, figures)
