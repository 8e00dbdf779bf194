"""Mondrian: multidimensional recoding to k-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masking, MaskingJob
from discreet.data.scales import Categorical, Nominal
from discreet.data.schema import Attribute
from discreet.errors import ParameterError
from discreet.kernels.groups.mondrian_split import split_table
from discreet.masking.microaggregation.records.group_operators import is_missing
from discreet.masking.microaggregation.records.record_groups import IMPORTANCE, OperatorMicroaggregation, Records
from discreet.operators.operator import Operator
from discreet.parameters import Choice
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.typing import IntArray, Json

__all__ = ["Mondrian"]


@register("mondrian")
class Mondrian(OperatorMicroaggregation):
    """The table cut along its widest attribute while both parts hold `k` records; each part released as one.

    Keeps much where records are dense; destroys much where they are sparse, because parts are boxes. Every released
    combination of the masked attributes is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest part.
    release : {"prototype", "range"}
        A part's values as prototypes by operators, on the original scales; or as the range that the part spans, such
        as ``"20–39"`` or ``"gas|oil"``, on new unordered scales.
    importance : dict of str to float, optional
        The weight of an attribute's width; 1 where none is given.
    operators, prototype, alpha, convex, beta, semantics, missing, weighted, decimals, strata, random_state
        As for `KModes`; for prototypes.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    The width of numbers and ordered levels is their extent over that of the whole table, of unordered levels the
    number of different ones over that of the scale. The cut lies at the median, as near to halves as equal values
    allow; where an attribute cannot be cut, the next widest is. Unordered levels are cut in the order in which they are
    declared. A missing value is cut as the lowest. Ties go to the first attribute. O(n log² n) for each attribute.

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> Mondrian(k=3).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0]
    >>> Mondrian(k=3, release="range").fit_transform(wages)["wage"].to_list()
    ['10–12', '10–12', '10–12', '50–54', '50–54', '50–54']
    """

    instead: ClassVar[str] = 'use release="prototype"'
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    release: Literal["prototype", "range"] = parameter(Choice(("prototype", "range")), default="prototype")
    importance: Mapping[str, float] | None = parameter(IMPORTANCE, default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(5, prototype="mode", importance={"fuel": 2.0})]

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Ranges are levels of the release, which all parts would have to know."""
        return Need.KEY if self.release == "prototype" else Need.ALL

    def _partition(
        self,
        records: Records,  # noqa: ARG002 - cuts need no distances
        operators: Mapping[str, Operator],  # noqa: ARG002
        job: MaskingJob,
        names: tuple[str, ...],
    ) -> tuple[IntArray, Json]:
        n = len(job.microdata)
        columns, ordered, levels = np.empty((len(names), n)), np.ones(len(names), dtype=np.bool_), np.ones(len(names))
        for a, name in enumerate(names):
            encoded, scale = job.microdata.encoded(name), job.schema[name].scale
            ordered[a] = scale.ordered
            levels[a] = len(scale) if isinstance(scale, Categorical) else 1
            absent = is_missing(encoded)
            present = encoded[~absent].astype(np.float64)
            low = present.min(initial=np.inf)
            extent = present.max(initial=-np.inf) - low if present.size else 0.0
            columns[a, ~absent] = (present - low) / extent if extent > 0 else 0.0
            columns[a, absent] = -1.0
        weights = np.array([(self.importance or {}).get(name, 1.0) for name in names], dtype=np.float64)
        labels = np.empty(n, dtype=np.int64)
        split_table(columns, ordered, levels.astype(np.int64), weights, self.k, labels)
        return labels, {}

    def _mask_part(self, job: MaskingJob) -> Masking:
        if self.release == "prototype":
            return super()._mask_part(job)
        if self.strata is not None:
            raise ParameterError('Mondrian: strata must be None where release is "range".')
        labels, _ = self._partition(None, {}, job, job.names)  # type: ignore[arg-type]
        values: dict[str, Any] = {}
        declared = []
        for name in job.names:
            ranges = _ranges(job.schema[name], job.microdata.encoded(name), labels)
            levels, places = np.unique(ranges, return_inverse=True)
            scale = Nominal(tuple(levels.tolist()))
            declared.append(replace(job.schema[name], scale=scale, missing=()))
            values[name] = places.astype(np.int32)[labels]
        details: Json = {"joint": True, "blocks": [{"attributes": list(job.names), "groups": int(labels.max()) + 1}]}
        return Masking(values, labels=labels, attributes=tuple(declared), details=details)


def _ranges(attribute: Attribute, encoded: Any, labels: IntArray) -> list[str]:
    """Return what every part spans, as text; a missing value in it is named last."""
    absent = is_missing(encoded)
    result = []
    order = np.argsort(labels, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(labels))[:-1]):
        values = np.unique(encoded[rows[~absent[rows]]])
        names: list[str] = []
        if isinstance(attribute.scale, Categorical):
            names = [str(attribute.scale.levels[code]) for code in values]
        elif values.size:
            names = [f"{values[0]:g}"] if values[0] == values[-1] else [f"{values[0]:g}", f"{values[-1]:g}"]
        if attribute.scale.ordered and len(names) > 1:
            names = [f"{names[0]}–{names[-1]}"]
        result.append("|".join([*names, "missing"] if absent[rows].any() else names))
    return result
