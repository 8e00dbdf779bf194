"""MDAV: maximum distance to average vector."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ClassVar, Literal

from discreet.contracts.estimator import register
from discreet.errors import ParameterError
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.partitioned import partitioned_mdav
from discreet.masking.microaggregation.numbers.number_groups import JointMicroaggregation, Points
from discreet.masking.microaggregation.numbers.refinement import BUDGET, check_budget, refined
from discreet.masking.running.robust_ellipsoid import sphered
from discreet.parameters import Choice, Flag, Optional, Seed
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import IntArray, RandomState

__all__ = ["MDAV"]


@register("mdav")
class MDAV(JointMicroaggregation):
    """Groups of `k` records around the records farthest from the centre, each released as its group's aggregate.

    Keeps means exactly (with the arithmetic mean) and much of the covariances; shrinks variances. Every released
    combination of the masked attributes is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    search : {"exact", "blocks"}
        ``"exact"``: MDAV by its definition. ``"blocks"``: MDAV inside balanced blocks of neighbouring records, then a
        repair along their borders; for millions of records, with about the same loss. Never chosen silently.
    distance : {"euclidean", "mahalanobis"}
        ``"mahalanobis"``: distances by the covariances of the densest half of the records (minimum covariance
        determinant), so that neither outliers nor attributes that say the same twice decide who is near.
    refine : int or str, optional
        Improve the groups afterwards, by so many steps or for a time such as ``"10s"``; see
        :class:`~discreet.masking.microaggregation.numbers.refinement.Refine`.
    polish : bool, optional
        With `refine`: whether to spend most of it on the best choice among many good groups, by integer programming; by
        default where it pays: k up to 4, 2,000 records and a time of at least 20 seconds.
    random_state : int, Generator or None
        For the repair and the refinement; exact MDAV draws nothing.

    Notes
    -----
    All groups of exact MDAV have `k` records but the last, which has at most 2k − 1; blocks and refinement give groups
    of k to 2k − 1. Ties go to the record with the lowest position. Integers that are not standardised are tied as in
    exact numbers; standardised ones are where they differ by as many units in every attribute, while ties across
    attributes of equal spread may be broken by rounding. Far below n² in time on data with few effective dimensions;
    memory is linear. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numbers.number_groups.JointMicroaggregation`.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002); Domingo-Ferrer and Torra (2005); Templ and Meindl (2008), Robust statistics
    meets SDC (the robust distance).

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> MDAV(k=3).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0]
    """

    later: ClassVar[frozenset[str]] = frozenset({"distance"})
    search: Literal["exact", "blocks"] = parameter(Choice(("exact", "blocks")), default="exact")
    distance: Literal["euclidean", "mahalanobis"] = parameter(Choice(("euclidean", "mahalanobis")), default="euclidean")
    refine: int | str | None = parameter(Optional(BUDGET), default=None)
    polish: bool | None = parameter(Optional(Flag()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[MDAV]:
        """Return the plain method and its variants."""
        return [
            cls(k=3),
            cls(k=4, blocks=2, block_order="correlation", missing="pattern"),
            cls(k=3, missing="fill", refine=500),
            cls(k=3, search="blocks"),
            cls(k=3, distance="mahalanobis"),
        ]

    def _partition(self, points: Points) -> IntArray:
        if self.polish and self.refine is None:
            raise ParameterError(f"{type(self).__name__}: polish needs refine.", hint='Say how long: refine="60s".')
        if self.refine is not None:
            check_budget(type(self).__name__, self.refine)
        values = points.values if self.distance == "euclidean" else sphered(points.values)
        if self.search == "blocks":
            seed = int(points.rng.integers(2**63))
            with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
                labels = partitioned_mdav(values, self.k, seed=seed, workers=workers)
        else:
            labels = mdav(values, self.k, partial(report, "grouping"))
        if self.refine is None:
            return labels
        seed = int(points.rng.integers(2**63))
        return refined(type(self).__name__, values, self.k, labels, self.refine, seed, polish=self.polish)
