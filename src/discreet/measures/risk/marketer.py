"""The intruder who wants to find as many as possible."""

from __future__ import annotations

from typing import ClassVar

from discreet.base import Pair, register
from discreet.measures.risk.frequency import keys_in_words
from discreet.measures.risk.scenario import PopulationScenario
from discreet.results import Measurement

__all__ = ["MarketerRisk"]


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
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]})
    >>> MarketerRisk().measure(fuels, fuels, schema).value
    50.0
    """

    title: ClassVar[str] = "Mean chance of a guess in the population (marketer)"
    formula: ClassVar[str] = "100 · mean 1/F"
    reference: ClassVar[str] = "El Emam 2013"

    def _measure(self, pair: Pair) -> Measurement:
        figures = {**self._figures(self._per_record(pair)), "population_from": self._source(pair)}
        sentence = (
            f"An intruder who matches the whole file with the population on {keys_in_words(len(pair.names))} is "
            f"right about {figures['mean_percent']:.2f} % of the records."
        )
        return self._flagged(pair, figures["mean_percent"], sentence, details=figures)
