"""Which model of population uniques to believe: the rule of Dankar and others."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.statistics.class_sizes import SizeTable

__all__ = ["UniquenessEstimates", "estimate_uniqueness"]

_SMALL_SAMPLE = 0.1


@dataclass(frozen=True)
class UniquenessEstimates:
    """How many people are alone in the population, by every model, and the one to believe.

    Attributes
    ----------
    population : float
    pitman, zayatz : float
    snb : float or None
        None where the model has no solution for the sample.
    chosen : {"pitman", "zayatz", "snb"}
        By the rule of Dankar et al.
    """

    population: float
    pitman: float
    zayatz: float
    snb: float | None
    chosen: str

    def of(self, model: str) -> float | None:
        """Return the estimate of a model, or of the one chosen (``"dankar"``)."""
        estimate: float | None = getattr(self, self.chosen if model == "dankar" else model)
        return estimate


def estimate_uniqueness(sizes: SizeTable, population: float) -> UniquenessEstimates:
    """Estimate how many people are alone in the population by three models, and choose one.

    Parameters
    ----------
    sizes : SizeTable
        Of the sample.
    population : float
        N; a census where it is no more than the number of records.

    Notes
    -----
    Up to a tenth of the population, Pitman's model is believed; beyond, the smaller of Zayatz's and the shifted
    negative binomial's, or Zayatz's alone where the latter has no solution. Nobody alone in the sample: nobody of the
    file is alone in the population, and all estimates are 0. Of a census, all are what is counted.

    References
    ----------
    Dankar, El Emam, Neisa and Roffey (2012), Estimating the re-identification risk of clinical data sets.
    """
    n, alone = sizes.n, float(sizes.below(2))
    if population <= n or not alone:
        return UniquenessEstimates(max(float(population), n), alone, alone, alone, "zayatz")
    # SciPy's optimisers take longer to load than a list of methods takes otherwise.
    from discreet.statistics.pitman import pitman_uniques
    from discreet.statistics.shifted_negative_binomial import shifted_negative_binomial_uniques
    from discreet.statistics.zayatz import zayatz_uniques

    classes = sizes.sizes, sizes.combinations
    pitman, zayatz = pitman_uniques(*classes, population), zayatz_uniques(*classes, population)
    snb = shifted_negative_binomial_uniques(*classes, population)
    smaller = "snb" if snb is not None and snb <= zayatz else "zayatz"
    chosen = "pitman" if n <= _SMALL_SAMPLE * population else smaller
    return UniquenessEstimates(float(population), pitman, zayatz, snb, chosen)
