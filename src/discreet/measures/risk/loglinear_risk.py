"""Risk of unique records when the population follows a log-linear model of the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.scales import Numeric
from discreet.errors import MissingValueError, ParameterError
from discreet.measures.risk.equal_keys import FrequencyRisk, keys_in_words
from discreet.parameters import Choice, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.counts import Counts, written_codes
from discreet.statistics.loglinear import KeyCells, KeyTable, fit_main_effects, fit_margins
from discreet.statistics.question import Everything, Need
from discreet.typing import FloatArray, Json

__all__ = ["LogLinearRisk"]


@register("loglinear-risk")
class LogLinearRisk(FrequencyRisk):
    """Expected share of records that are unique and correctly matched, under a log-linear model, in percent.

    A rare combination of common values is a surprise of the sample, one of rare values is rare in the population too: a
    model of how often combinations are expected tells the two apart.

    Parameters
    ----------
    method : {"default", "ce", "pml", "weighted"}
        Of counts; with the sampling rate of every cell as offset (Clogg and Eliason); of weighted counts (pseudo
        maximum likelihood); of counts with the weights of a cell as a further number.
    interactions : list of str, optional
        Joint effects beside those of single keys, as ``"age:sex"``.
    linear : list of str, optional
        Numeric keys that enter as a number with one slope, as they do in R where they are no factors; by default every
        value has its own effect. Not with interactions.
    sampling_fraction : float, optional
        Share of the population that is in the file; by default from the survey weights. Without either, the file is
        taken for the population.
    attributes : list of str, optional
        What the intruder knows; by default every key, numbers included.

    Notes
    -----
    The population count F of a cell is Poisson with mean λ, of which a share π is sampled, so that
    ``P(F = 1 | f = 1) = exp(−(1−π)λ)`` and ``E[1/F | f = 1] = (1 − exp(−(1−π)λ)) / ((1−π)λ)``; summed over the sample
    uniques, τ₁ expected population uniques and τ₂ expected correct matches. With μ fitted to the counts of all cells,
    empty ones included, λ = μ/π. The value is ``100 τ₂ / n``.

    sdcMicro's ``modRisk`` puts μ in the place of λ, adds 0.1 to the rates of Clogg and Eliason, rounds weighted counts,
    and divides by the combinations that occur; its two figures are in `details` (``modrisk``), for comparison. They
    take the mean of the sample for that of the population, and are too large where π is small.

    Main effects need no table and cost O(combinations × keys) a turn; interactions are fitted over all cells, at most
    16 million. A missing cell is a value of its own. With `linear` it needs all records at once: a slope is one of
    numbers, and records are counted by what they show.

    References
    ----------
    Skinner and Shlomo (2008), Assessing identification risk in survey microdata using log-linear models; Clogg and
    Eliason (1987), Some common problems in log-linear analysis; Skinner and Holmes (1998).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal("ny"), "key") for name in ("a", "b")])
    >>> people = pl.DataFrame({"a": list("nnnny"), "b": list("nnnyn")})  # ny: μ = 4 · 1 / 5, and so is yn
    >>> risk = LogLinearRisk(sampling_fraction=0.5).measure(people, people, schema)
    >>> risk.details["expected_population_uniques"].__round__(4)  # 2 exp(−.5 · .8 / .5)
    0.8987
    """

    title: ClassVar[str] = "Expected matches of unique records (log-linear model)"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · Σ_{f = 1} E[1/F | f = 1] / n"
    reference: ClassVar[str] = "Skinner and Shlomo 2008"
    instead: ClassVar[str] = (
        "A slope is one of numbers, and large files are counted by what they show. Leave linear out, or take it of a "
        "sample of the records."
    )
    method: Literal["default", "ce", "pml", "weighted"] = parameter(
        Choice(("default", "ce", "pml", "weighted")), default="default", kw_only=False
    )
    interactions: Sequence[str] | None = parameter(Optional(Names()), default=None)
    linear: Sequence[str] | None = parameter(Optional(Names()), default=None)
    sampling_fraction: float | None = parameter(Optional(Number(0, 1, open_low=True)), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(sampling_fraction=0.1), cls("pml")]

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Numbers that have a slope are looked at themselves; otherwise it matters which are equal."""
        return Need.ALL if self.linear else Need.DISTINCT

    def question(self, scope: PairScope) -> Any:
        if self.linear:
            return Everything(type(self).__name__, *scope.everything, self.instead)
        return Counts(scope.names, scope.weight, KeyTable())

    def conclude(self, statistics: Any, scope: PairScope) -> Measurement:
        slopes: dict[int, FloatArray] = {}
        cells = statistics
        if isinstance(statistics, Block):
            cells = KeyTable().summarise(Counts(scope.names, scope.weight, KeyTable()).combinations(statistics))
            slopes = self._slopes(statistics, scope)
        return self._concluded(cells, scope, slopes)

    def _slopes(self, block: Block, scope: PairScope) -> dict[int, FloatArray]:
        """Return the numbers of the levels of keys that have a slope."""
        slopes: dict[int, FloatArray] = {}
        for name in self.linear or ():
            if name not in scope.names or not isinstance(scope.after[name].scale, Numeric):
                raise ParameterError(f"LogLinearRisk: linear must be numeric keys; {name!r} is none.")
            values = block.release.encoded(name)
            if np.isnan(values).any():
                raise MissingValueError(f"LogLinearRisk: column {name!r} has missing values and can have no slope.")
            codes, _, _ = written_codes(block.release, name)
            _, first = np.unique(codes, return_index=True)
            slopes[scope.names.index(name)] = values[first].astype(np.float64)
        return slopes

    def _terms(self, names: tuple[str, ...]) -> list[tuple[int, ...]]:
        terms: list[tuple[int, ...]] = []
        for text in self.interactions or ():
            parts = [part.strip() for part in text.split(":")]
            unknown = [part for part in parts if part not in names]
            if unknown or len(set(parts)) < 2:
                raise ParameterError(
                    "LogLinearRisk: interactions must be at least two different keys with colons between them; "
                    f"got {text!r}.",
                    hint=f"The keys are {', '.join(names)}.",
                )
            terms.append(tuple(sorted({names.index(part) for part in parts})))
        together = {j for term in terms for j in term}
        return [*terms, *((j,) for j in range(len(names)) if j not in together)]

    def _concluded(self, cells: KeyCells, scope: PairScope, slopes: Mapping[int, FloatArray]) -> Measurement:
        if slopes and self.interactions:
            raise ParameterError("LogLinearRisk: linear cannot be had with interactions.")
        model = _Model(cells, self.method, self._terms(scope.names) if self.interactions else None, slopes)
        fraction = self.sampling_fraction
        totals = cells.totals.clip(min=cells.counts) if fraction is None else cells.counts / fraction
        first, second = _risks(model.population_means(totals), totals, cells)
        means, drawn = model.peer_means(totals), cells.counts == 1
        kept = means > 0
        peer = [float(risk[kept[drawn]].sum()) / max(int(kept.sum()), 1) for risk in _each(means, totals, cells)]
        alone = int(drawn.sum())
        census = float(totals.sum()) <= scope.n
        where = " The file was taken for the whole population." if census else ""
        sentence = (
            f"Of {alone} records that are alone on their {keys_in_words(len(scope.names))}, about {first:.1f} are so "
            f"in the population, and {second:.1f} would be matched correctly, by a log-linear model.{where}"
        )
        details: Json = {
            "method": self.method,
            "sample_uniques": alone,
            "expected_population_uniques": first,
            "expected_correct_matches": second,
            "population": float(totals.sum()),
            "modrisk": peer,
        }
        return self.told(scope, cells.gaps, 100.0 * second / scope.n, sentence, details)


class _Model:
    """A log-linear model of the cells, with its method."""

    def __init__(
        self, cells: KeyCells, method: str, terms: Sequence[Sequence[int]] | None, slopes: Mapping[int, FloatArray]
    ) -> None:
        self.cells, self.method, self.terms, self.slopes = cells, method, terms, slopes

    def _fit(self, response: FloatArray, **known: Any) -> FloatArray:
        if self.terms is not None:
            return fit_margins(self.cells, response, self.terms, **known)
        return fit_main_effects(self.cells, response, slopes=self.slopes, **known)

    def population_means(self, totals: FloatArray) -> FloatArray:
        """Return λ: what every cell that holds records is expected to hold in the population."""
        counts = self.cells.counts.astype(np.float64)
        rates = counts / totals
        if self.method == "pml":
            return self._fit(totals)
        if self.method == "ce":
            return self._fit(counts, start=rates, empty=float(counts.sum() / totals.sum())) / rates
        if self.method == "weighted":
            return self._fit(counts, covariate=totals) / rates
        return self._fit(counts) / rates

    def peer_means(self, totals: FloatArray) -> FloatArray:
        """Return the fitted means as sdcMicro has them."""
        counts = self.cells.counts.astype(np.float64)
        if self.method == "pml":
            return self._fit(np.rint(totals * counts.sum() / totals.sum()))
        if self.method == "ce":
            return self._fit(counts, start=counts / totals + 0.1, empty=0.1)
        return self._fit(counts, covariate=totals) if self.method == "weighted" else self._fit(counts)


def _each(means: FloatArray, totals: FloatArray, cells: KeyCells) -> tuple[FloatArray, FloatArray]:
    """Return for every cell of one record P(F = 1 | f = 1) and E[1/F | f = 1]."""
    alone = cells.counts == 1
    rest = (1.0 - 1.0 / totals[alone]) * means[alone]
    return np.exp(-rest), np.divide(-np.expm1(-rest), rest, out=np.ones_like(rest), where=rest > 0)


def _risks(means: FloatArray, totals: FloatArray, cells: KeyCells) -> tuple[float, float]:
    first, second = _each(means, totals, cells)
    return float(first.sum()), float(second.sum())
