"""The intruder who does not know whether the target is in the file."""

from __future__ import annotations

from typing import ClassVar

from discreet.base import Pair, register
from discreet.measures.risk.frequency import keys_in_words
from discreet.measures.risk.scenario import PopulationScenario
from discreet.results import Measurement

__all__ = ["JournalistRisk"]


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
    >>> from discreet.scales import Nominal, Numeric
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), Attribute("w", Numeric(), "weight")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil"], "w": [5.5, 4.5, 4.0]})
    >>> JournalistRisk().measure(fuels, fuels, schema).value  # four people heat with oil
    25.0
    """

    title: ClassVar[str] = "Highest chance of a guess in the population (journalist)"
    formula: ClassVar[str] = "100 · max 1/F"
    reference: ClassVar[str] = "El Emam 2013"

    def _measure(self, pair: Pair) -> Measurement:
        figures = {**self._figures(self._per_record(pair)), "population_from": self._source(pair)}
        sentence = (
            f"An intruder who knows {keys_in_words(len(pair.names))} and the population is right about a record with a "
            f"chance of up to {figures['highest_percent']:.1f} %; {figures['records_at_risk']} records exceed "
            f"{figures['threshold_percent']:.0f} %."
        )
        return self._flagged(pair, figures["highest_percent"], sentence, details=figures)
