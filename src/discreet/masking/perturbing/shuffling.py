"""Data shuffling: values exchanged among records so that rank relations stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.hiding import present_values
from discreet.parameters import Names, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, RandomState

__all__ = ["Shuffling"]

# Of fewer records the mean tells what one of them had.
_PER_LEVEL = 5


@register("shuffling")
class Shuffling(Masker):
    """The values of the masked attributes handed out anew, by ranks drawn from a model of how all attributes relate.

    Keeps every univariate distribution exactly and rank correlations in expectation, with each other and with the
    predictors; a record's own values are drawn independently of what it had, given its predictors.

    Parameters
    ----------
    predictors : list of str, optional
        Attributes that are not masked and to which the relations are to be kept, numeric, ordinal or nominal; by
        default none. Of a nominal one the mean scores of its levels are kept.
    strata : list of str, optional
        Shuffle within these only.
    attributes : list of str, optional
        What to mask; by default every numeric or ordinal key that is no predictor.
    random_state : int or numpy.random.Generator, optional

    Notes
    -----
    Ranks become normal scores; the scores of the masked attributes are drawn from their normal distribution given those
    of the predictors; the draws' ranks say who gets which value. Equal values share their mean score. Missing values of
    masked attributes stay where they are and are drawn around; a missing predictor counts as a middling one, or as a
    level. Levels of a nominal predictor with fewer than 5 records, whose own scores their mean would tell, count as one
    level, and predictors with more than a level for every 5 records are refused. An attribute with values, but fewer
    than 5, in the table or in a stratum is refused: who gets which is then guessed. O(n (p + q)² + n log n).

    References
    ----------
    Muralidhar and Sarathy (2006), Data shuffling: a new masking approach for numerical data.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0]})
    >>> sorted(Shuffling(random_state=1).fit_transform(wages)["wage"].to_list())
    [10.0, 11.0, 12.0, 50.0, 52.0]
    """

    instead: ClassVar[str] = "use rank-swapping"
    iso_20889: ClassVar[str] = "randomisation: permutation"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal"})
    handles_missing: ClassVar[bool] = True
    predictors: Sequence[str] | None = parameter(Optional(Names()), default=None, kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(["wealth"])]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if self.predictors is None:
            return names
        for name in self.predictors:
            if schema[name].scale.kind not in self.scales | {"nominal"}:
                raise ParameterError(
                    f"Shuffling: predictors must be numeric, ordinal or nominal; {name!r} is {schema[name].scale.kind}."
                )
        targets = tuple(name for name in names if name not in self.predictors)
        if not targets or (self.attributes is not None and len(targets) < len(names)):
            raise ParameterError(
                f"Shuffling: predictors must not be masked; {len(names) - len(targets)} of them would be."
            )
        return targets

    def _fewest(self) -> int:
        return 5

    def _mask_part(self, job: MaskingJob) -> Masking:
        targets = np.stack([_scores(job.microdata.encoded(name)) for name in job.names], axis=1)
        regressors = np.ones((len(targets), 1))
        if self.predictors is not None:
            columns = [
                _indicators(job.microdata.encoded(name))
                if job.schema[name].scale.kind == "nominal"
                else _scores(job.microdata.encoded(name))[:, None]
                for name in self.predictors
            ]
            regressors = np.column_stack([regressors, *columns])
            if regressors.shape[1] * _PER_LEVEL > len(targets):
                raise DataError(
                    f"Shuffling: predictors of {regressors.shape[1] - 1} numbers and levels are too many for "
                    f"{len(targets)} records; they would tell what a record had.",
                    hint="Name fewer predictors, join their levels, or merge strata.",
                )
        slopes = np.linalg.lstsq(regressors, targets, rcond=None)[0]
        rest = targets - regressors @ slopes
        roots, axes = np.linalg.eigh(np.atleast_2d(rest.T @ rest / len(rest)))
        factor = axes * np.sqrt(np.maximum(roots, 0.0))
        simulated = regressors @ slopes + job.rng.standard_normal(targets.shape) @ factor.T
        values: dict[str, Any] = {}
        for j, name in enumerate(job.names):
            encoded = job.microdata.encoded(name)
            present = present_values(encoded)
            result = encoded.copy()
            result[present[np.argsort(simulated[present, j], kind="stable")]] = np.sort(encoded[present])
            values[name] = result
        return Masking(values)


def _indicators(codes: Any) -> FloatArray:
    """Return a column of ones and zeros for every level but the most frequent; rare levels count as one."""
    _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    rare = counts < _PER_LEVEL
    groups = np.where(rare, counts.size, np.arange(counts.size))
    sizes = np.bincount(groups, weights=counts, minlength=counts.size + 1)
    kept = [group for group in np.flatnonzero(sizes >= _PER_LEVEL) if group != int(sizes.argmax())]
    labels = groups[places.ravel()]
    return np.asarray(labels[:, None] == np.array(kept, dtype=np.int64)[None, :], dtype=np.float64)


def _scores(encoded: Any) -> FloatArray:
    """Return normal scores: equal values share the mean of theirs, a missing value has 0."""
    from scipy.special import ndtri

    present = present_values(encoded)
    result = np.zeros(len(encoded))
    if present.size:
        places = np.unique(encoded[present], return_inverse=True)[1].ravel()
        ranked = ndtri((np.arange(present.size) + 0.5) / present.size)
        sizes = np.bincount(places)
        ends = np.cumsum(sizes)
        sums = np.concatenate([[0.0], np.cumsum(ranked)])
        result[present] = ((sums[ends] - sums[ends - sizes]) / sizes)[places]
    return result
