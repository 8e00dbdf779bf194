"""The intruder who knows that the target is in the file."""

from __future__ import annotations

from typing import ClassVar

from discreet.base import Pair, register
from discreet.measures.risk.frequency import keys_in_words
from discreet.measures.risk.scenario import Scenario
from discreet.results import Measurement

__all__ = ["ProsecutorRisk"]


@register("prosecutor")
class ProsecutorRisk(Scenario):
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
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil", "oil"]})
    >>> ProsecutorRisk().measure(fuels, fuels, schema).value  # one of two
    50.0
    """

    title: ClassVar[str] = "Highest chance of a guess (prosecutor)"
    formula: ClassVar[str] = "100 · max 1/f"
    reference: ClassVar[str] = "El Emam 2013"

    def _measure(self, pair: Pair) -> Measurement:
        figures = self._figures(self._per_record(pair))
        sentence = (
            f"An intruder who knows {keys_in_words(len(pair.names))} and that the target is in the file is right "
            f"with a chance of up to {figures['highest_percent']:.1f} %; {figures['records_at_risk']} records exceed "
            f"{figures['threshold_percent']:.0f} %."
        )
        return self._flagged(pair, figures["highest_percent"], sentence, details=figures)
