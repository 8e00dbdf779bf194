"""The simplest linkage without common attributes: put both files in order of one number and link rank to rank."""

from __future__ import annotations

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.linkage.nearest import Nearest
from discreet.linkage.unshared.hub_search import search
from discreet.linkage.unshared.normalisation import impute, normalise
from discreet.linkage.unshared.unshared import UnsharedLinker
from discreet.statistics.correlations import mid_ranks
from discreet.typing import FloatArray

__all__ = ["FirstComponentLinkage", "SumOfScoresLinkage"]


class _RankLinkage(UnsharedLinker):
    """Rank to rank, by one number a record."""

    def _score(self, values: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _match(self, x: FloatArray, y: FloatArray, rng: np.random.Generator, engine: Engine) -> Nearest:  # noqa: ARG002
        # Twice the mid-rank is a whole number, so that equal ranks are equal in every digit.
        first, second = (2.0 * mid_ranks(self._score(values)) - 1.0 for values in (x, y))
        longest = float(max(first.size, second.size))
        return search(
            (first * (longest / first.size))[:, None],
            (second * (longest / second.size))[:, None],
            "manhattan",
            0,
            engine,
        )


@register("first-component")
class FirstComponentLinkage(_RankLinkage):
    """Link the records of equal rank on the first principal component of each file.

    A yardstick: what one number a record is worth. The component points to where most attributes are large.

    Parameters
    ----------
    attributes_a, attributes_b : list of str, optional
        By default the numeric keys of each file.
    by : list of str, optional
        Ordinal or nominal attributes of both files that a pair must agree on.
    random_state : int, optional
        Not used.

    Notes
    -----
    O(n · p²). Ties of ranks are shared; missing values are predicted from the record's other attributes. Files of
    different lengths are compared by the share of records below.

    References
    ----------
    Domingo-Ferrer and Torra (2003); Torra and Nin (P2), section 4.4: 5 of 90 records of the census problem.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.0, 3.0, 2.0], "y": [2.0, 6.0, 4.0]}), pl.DataFrame({"z": [0.1, 0.9, 0.5]})
    >>> FirstComponentLinkage().link(a, b).best.tolist()
    [0, 1, 2]
    """

    def _score(self, values: FloatArray) -> FloatArray:
        z = impute(normalise(values, "standard"))
        loadings = np.linalg.svd(z, full_matrices=False)[2][0]
        # Rounding makes equal records equal again.
        return np.asarray(np.round(z @ (loadings if loadings.sum() >= 0 else -loadings), 10))


@register("sum-of-scores")
class SumOfScoresLinkage(_RankLinkage):
    """Link the records of equal rank on the sum of z-scores.

    A yardstick: what one number a record is worth.

    Parameters
    ----------
    attributes_a, attributes_b : list of str, optional
        By default the numeric keys of each file.
    by : list of str, optional
        Ordinal or nominal attributes of both files that a pair must agree on.
    random_state : int, optional
        Not used.

    Notes
    -----
    O(n · p). Ties of ranks are shared; a missing z-score is 0.

    References
    ----------
    Domingo-Ferrer and Torra (2003); Torra and Nin (P2), section 4.4: 5 of 90 records of the census problem.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.0, 3.0, 2.0], "y": [2.0, 6.0, 4.0]}), pl.DataFrame({"z": [0.1, 0.9, 0.5]})
    >>> SumOfScoresLinkage().link(a, b).best.tolist()
    [0, 1, 2]
    """

    def _score(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.round(np.nan_to_num(normalise(values, "standard")).sum(axis=1), 10))
