"""Records that are alone in the population, by models of how its classes are sized."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.errors import DataError
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.parameters import Choice, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.class_sizes import Chances, ClassSizes
from discreet.statistics.counts import Counts
from discreet.statistics.population_uniqueness import estimate_uniqueness
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["PopulationUniques", "population_of"]


@register("population-uniques")
class PopulationUniques(FrequencyRisk):
    """Share of records that are expected to be alone in the population on their keys, in percent.

    A record that is alone in the file may have doubles outside. The models look at the sizes of groups in the file and
    at nothing else, so that a mean sampling fraction is all they need.

    Parameters
    ----------
    model : {"dankar", "pitman", "zayatz", "snb"}
        Dankar's rule takes Pitman's model up to a tenth of the population, and beyond the smaller of Zayatz's and the
        shifted negative binomial's (SNB).
    sampling_fraction : float, optional
        Share of the population that is in the file; by default the records over the sum of the survey weights. Without
        either, the file is taken for the population.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    A model estimates the uniques U of the population; the share of them in the file is the sampling fraction π, so that
    the value is ``100 π U / n = 100 U / N``. Zayatz's model overestimates small samples, Pitman's does for large ones,
    and SNB may have no solution, which is an error here. `details` holds what every model says. A missing cell is a
    value of its own. O(records log records × keys).

    References
    ----------
    Dankar, El Emam, Neisa and Roffey (2012), Estimating the re-identification risk of clinical data sets; Hoshino
    (2001); Zayatz (1991); Chen and Keller-McNulty (1998).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("job", Nominal("abcdefgh"), "key")])
    >>> people = pl.DataFrame({"job": list("abcdefgghh")})
    >>> round(PopulationUniques("zayatz", sampling_fraction=0.5).measure(people, people, schema).value, 2)  # 8.88 of 20
    44.42
    """

    title: ClassVar[str] = "Records alone in the population (Pitman, Zayatz, SNB)"
    need: ClassVar[Need] = Need.KEY
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · U / N"
    reference: ClassVar[str] = "Dankar, El Emam, Neisa and Roffey 2012"
    model: Literal["dankar", "pitman", "zayatz", "snb"] = parameter(
        Choice(("dankar", "pitman", "zayatz", "snb")), default="dankar", kw_only=False
    )
    sampling_fraction: float | None = parameter(Optional(Number(0, 1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls("pitman", sampling_fraction=0.1), cls("zayatz", sampling_fraction=0.5)]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        sizes = yield Counts(scope.names, scope.weight, ClassSizes(self.missing))
        population = yield from population_of(scope, self.sampling_fraction)
        estimates = estimate_uniqueness(sizes, population)
        uniques = estimates.of(self.model)
        if uniques is None:
            raise DataError(
                "PopulationUniques: the shifted negative binomial has no solution for the groups of this file.",
                hint="Ask for pitman or zayatz, or for dankar, which chooses.",
            )
        alone = sizes.below(2)
        inside = min(uniques * scope.n / estimates.population, float(alone))
        name = f"{self.model}, which takes {estimates.chosen}" if self.model == "dankar" else self.model
        census = "" if estimates.population > scope.n else " The file was taken for the whole population."
        sentence = (
            f"About {inside:.1f} of {scope.n} records are alone on their {keys_in_words(len(scope.names))} in a "
            f"population of {estimates.population:.0f} ({name}); {alone} are in the file.{census}"
        )
        details: Json = {
            "model": estimates.chosen if self.model == "dankar" else self.model,
            "population": estimates.population,
            "expected_in_file": inside,
            "population_uniques": {name: estimates.of(name) for name in ("pitman", "zayatz", "snb")},
            "sample_uniques": alone,
        }
        return self.told(scope, sizes.gaps, 100.0 * inside / scope.n, sentence, details)


def population_of(scope: PairScope, fraction: float | None) -> Inquiry[float]:
    """Ask how many people the population has: by a fraction, the sum of the weights, or the file itself."""
    if fraction is not None:
        return scope.n / fraction
    if scope.weight is None:
        return float(scope.n)
    sums = yield Counts(scope.names, scope.weight, Chances(_mean_weight, ()))
    return max(float(sums.total), float(scope.n))


def _mean_weight(sizes: IntArray, totals: FloatArray) -> FloatArray:
    return totals / sizes
