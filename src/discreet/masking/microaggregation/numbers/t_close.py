"""t-closeness by microaggregation: groups whose confidential values are distributed as in the whole file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.digits import DECIMALS, Decimals
from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.t_close import distribution_distance, exchange_members
from discreet.masking.microaggregation.numbers.number_groups import standardised
from discreet.masking.recoding.lattice_search import SensitiveColumn
from discreet.masking.recoding.model_promises import ModelPromises
from discreet.models.disclosure import TCloseClasses
from discreet.operators.numbers.means import ArithmeticMean
from discreet.operators.operator import Operator
from discreet.operators.typed_operator import OPERATOR_TEXT, as_operator
from discreet.parameters import Choice, Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.question import Need
from discreet.statistics.written_levels import level_codes
from discreet.typing import FloatArray, IntArray

__all__ = ["TCloseMDAV"]


@dataclass(frozen=True, eq=False)
class _Confidential:
    """A confidential attribute: every record's value, the shares of the values, and whether they have an order."""

    codes: IntArray
    shares: FloatArray
    ordered: bool

    def distance(self, members: IntArray) -> float:
        """Return how far a group's distribution is from the whole file's."""
        counts = np.bincount(self.codes[members], minlength=self.shares.size)
        return float(distribution_distance(counts, members.size, self.shares, self.ordered))


@register("t-close-mdav")
class TCloseMDAV(Masker):
    """Groups of at least `k` records, in each of which confidential values are distributed as in the file, within `t`.

    Every released combination of the masked numbers is shared by at least `k` records, and what these have in common
    tells little of a confidential value. Keeps means (with the arithmetic mean); the smaller `t`, the larger the groups
    and the more variances and correlations shrink. Confidential values are released as they are.

    Parameters
    ----------
    k : int
        The smallest group.
    t : float
        The largest distance of a group's distribution from the whole file's, between 0 and 1.
    algorithm : {"merge", "k-first", "t-first"}
        ``"merge"``: MDAV, then the group that is farthest from the whole is joined to the nearest one, again and again.
        ``"k-first"``: while a group is formed, members are exchanged for the next nearest records where that brings it
        nearer to the whole. ``"t-first"``: every group takes one record, the nearest, from each of as many stretches of
        the sorted confidential values as `t` needs; it loses least where `t` is small. After the last two, groups that
        are still too far are joined as by the first.
    sensitive : list of str, optional
        By default every confidential attribute. The last two algorithms look at the first of them; what is promised
        holds for all.
    operator : Operator or str, optional
        What a group is released as: an operator, or its text such as ``"owa:most"``; the arithmetic mean by default.
    standardise : {"zscore", "range", "robust", "none"}
        How columns are made comparable before distances are taken.
    decimals : int, "exact" or dict of str to int, optional
        As for `MDAV`.
    attributes : list of str, optional
        What to mask; by default every numeric key.

    Notes
    -----
    The distance is the earth mover's: of ordered values and numbers by the places between those that occur, of others
    total variation; a missing value is the last one. Groups that are released alike stay within `t` together, because
    the distance of a mixture is at most the largest of its parts. Ties go to the record with the lowest position.
    Besides MDAV, ``"merge"`` takes O(g² d + g m) for g groups and m confidential values, ``"t-first"`` O(n² d / k),
    ``"k-first"`` O(n² m) where `t` is hard to reach. All are deterministic.

    References
    ----------
    Soria-Comas, Domingo-Ferrer, Sánchez and Martínez (2015), t-closeness through microaggregation: strict privacy with
    enhanced utility preservation, algorithms 1 to 3.

    Examples
    --------
    Neighbours alone would tell the diagnosis:

    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("age", Numeric(), "key"), Attribute("ill", Nominal(["no", "yes"]), "confidential")])
    >>> people = pl.DataFrame({"age": [20, 21, 30, 31], "ill": ["no", "no", "yes", "yes"]})
    >>> TCloseMDAV(2, 0.0).mask(people, schema).microdata.encoded("age").round(1).tolist()
    [26.0, 26.0, 26.0, 26.0]
    """

    iso_20889: ClassVar[str] = "randomisation: microaggregation"
    need: ClassVar[Need] = Need.ALL
    instead: ClassVar[str] = "use mdav and the measure t-closeness, or generalisation with the model t-closeness"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    groups: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    k: int = parameter(Integer(2), default=3, kw_only=False)
    t: float = parameter(Number(0, 1), default=0.2, kw_only=False)
    algorithm: Literal["merge", "k-first", "t-first"] = parameter(
        Choice(("merge", "k-first", "t-first")), default="t-first"
    )
    sensitive: Sequence[str] | None = parameter(Optional(Names()), default=None)
    operator: Operator | str | None = parameter(OPERATOR_TEXT, default=None)
    standardise: Literal["zscore", "range", "robust", "none"] = parameter(
        Choice(("zscore", "range", "robust", "none")), default="zscore"
    )
    decimals: Decimals = parameter(DECIMALS, default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3, 0.3), cls(3, 0.4, algorithm="merge"), cls(3, 0.3, algorithm="k-first")]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        clash = [name for name in self._told(schema) if name in names]
        if clash:
            raise ParameterError(f"TCloseMDAV: {clash[0]!r} is sensitive and cannot be masked as well.")
        return names

    def _told(self, schema: Schema) -> tuple[str, ...]:
        names = tuple(a.name for a in schema if a.role == "confidential") if self.sensitive is None else self.sensitive
        if not names:
            raise ParameterError(
                "TCloseMDAV: t-closeness is of a confidential attribute, and none is declared.",
                hint='Declare one with role = "confidential", or name it with sensitive.',
            )
        for name in names:
            if schema[name].scale.kind == "sequence":
                raise ParameterError(f"TCloseMDAV: sensitive must not be sequences; {name!r} is one.")
        return tuple(names)

    def _mask_part(self, job: MaskingJob) -> Masking:
        operator = ArithmeticMean() if self.operator is None else as_operator(self.operator, "numeric")
        columns = _columns(job.microdata, self._told(job.schema))
        confidential = [
            _Confidential(column.codes, np.bincount(column.codes) / len(job.microdata), job.schema[name].scale.ordered)
            for name, column in columns.items()
        ]
        values = job.microdata.numeric(job.names)
        points = standardised(values, self.standardise)
        labels, formed = self._grouped(points, confidential)
        released = {name: operator.by_label(values[:, j], labels)[labels] for j, name in enumerate(job.names)}
        promises = ModelPromises(self.name, job.microdata, job.names, columns, np.zeros(labels.size, dtype=np.bool_))
        models = [
            TCloseClasses(self.t, name, distance="ordered" if one.ordered else "equal")
            for name, one in zip(columns, confidential, strict=True)
        ]
        members = _members(labels)
        reached = max(one.distance(rows) for one in confidential for rows in members)
        return Masking(
            released,
            labels=labels,
            details={"groups": len(members), "groups_joined": formed - len(members), "t_reached": round(reached, 6)},
            promises=promises.of(models, {}, {}, {}),
        )

    def _grouped(self, points: FloatArray, confidential: Sequence[_Confidential]) -> tuple[IntArray, int]:
        """Return the group of every record, and how many groups there were before any were joined."""
        n = len(points)
        if n < 2 * self.k:
            labels = np.zeros(n, dtype=np.int64)
        elif self.algorithm == "merge":
            labels = mdav(points, self.k, partial(report, "grouping"))
        elif self.algorithm == "k-first":
            labels = _k_first(points, self.k, self.t, confidential[0])
        else:
            labels = _t_first(points, self.k, self.t, confidential[0])
        return _joined(points, labels, self.t, confidential), int(labels.max()) + 1


def _columns(table: Microdata, names: Sequence[str]) -> Mapping[str, SensitiveColumn]:
    result = {}
    for name in names:
        # Levels that nobody has are no values: they would make the steps of an ordered distance shorter.
        present, codes = np.unique(level_codes(table, name)[0], return_inverse=True)
        result[name] = SensitiveColumn(codes.ravel().astype(np.int64), int(present.size))
    return result


def _members(labels: IntArray) -> list[IntArray]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _joined(points: FloatArray, labels: IntArray, t: float, confidential: Sequence[_Confidential]) -> IntArray:
    """Join the group that is farthest from the whole to the nearest one, until all are within t."""
    members = _members(labels)
    centres = np.stack([points[rows].mean(axis=0) for rows in members])
    distances = np.array([max(one.distance(rows) for one in confidential) for rows in members])
    start = len(members)
    while len(members) > 1 and distances.max() > t:
        worst = int(distances.argmax())
        apart = ((centres - centres[worst]) ** 2).sum(axis=1)
        apart[worst] = np.inf
        near = int(apart.argmin())
        low, high = min(worst, near), max(worst, near)
        members[low] = np.sort(np.concatenate([members[low], members[high]]))
        centres[low] = points[members[low]].mean(axis=0)
        distances[low] = max(one.distance(members[low]) for one in confidential)
        del members[high]
        centres, distances = np.delete(centres, high, axis=0), np.delete(distances, high)
        report("joining groups", start - len(members), start - 1)
    result = np.empty(len(points), dtype=np.int64)
    for group, rows in enumerate(members):
        result[rows] = group
    return result


def _k_first(points: FloatArray, k: int, t: float, confidential: _Confidential) -> IntArray:
    """Return MDAV's groups, each with members exchanged until its distribution is within t or nobody is left."""
    n = len(points)
    labels = np.full(n, -1, dtype=np.int64)
    free = np.arange(n)
    group, seed = 0, 0
    while free.size:
        centre = points[free].mean(axis=0)
        for turn in range(2):
            if not free.size:
                break
            target = centre if turn == 0 else points[seed]
            seed = int(free[((points[free] - target) ** 2).sum(axis=1).argmax()])
            if free.size < 2 * k:
                members = free
            else:
                near = free[np.argsort(((points[free] - points[seed]) ** 2).sum(axis=1), kind="stable")]
                members = near[:k].copy()
                exchange_members(
                    members, near[k:].copy(), confidential.codes, confidential.shares, confidential.ordered, t
                )
            labels[members] = group
            group += 1
            free = free[labels[free] < 0]
            report("grouping", n - free.size, n)
    return labels


def _t_first(points: FloatArray, k: int, t: float, confidential: _Confidential) -> IntArray:
    """Return groups of near records, one from each stretch of the records sorted by their confidential values."""
    n = len(points)
    # A group with one record from each of so many stretches is within (n − k) / (2 (n − 1) k) of the whole.
    size = min(n, max(k, int(np.ceil(n / (2 * (n - 1) * t + 1) - 1e-9))))
    count = n // size
    size += (n % size) // count
    ranked = np.lexsort((np.arange(n), confidential.codes))
    extra = n - size * count
    # The records that are over go into the middle stretches, from which a group may take a second one.
    widths = np.full(size, count)
    middle = (size - extra) // 2
    widths[middle : middle + extra] += 1
    stretches = [stretch.copy() for stretch in np.split(ranked, np.cumsum(widths)[:-1])]
    labels = np.full(n, -1, dtype=np.int64)
    free = np.arange(n)
    seed = 0
    for group in range(count):
        target = points[free].mean(axis=0) if group % 2 == 0 else points[seed]
        seed = int(free[((points[free] - target) ** 2).sum(axis=1).argmax()])
        over = next((place for place, stretch in enumerate(stretches) if stretch.size > count - group), -1)
        for place, stretch in enumerate(stretches):
            # One stretch that has more records than there are groups left gives two.
            take = 2 if place == over else 1
            nearest = np.argsort(((points[stretch] - points[seed]) ** 2).sum(axis=1), kind="stable")[:take]
            labels[stretch[nearest]] = group
            stretches[place] = np.delete(stretch, nearest)
        free = free[labels[free] < 0]
        report("grouping", n - free.size, n)
    return labels
