"""Record suppression: whole records are left out where they stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.robust_ellipsoid import robust_ellipsoid
from discreet.masking.running.units import unit_labels
from discreet.masking.withholding.risk_suppression import smallest_class
from discreet.parameters import Choice, Flag, Integer, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.key_frequencies import Frequencies, benedetti_franconi, key_frequencies
from discreet.typing import BoolArray, IntArray

__all__ = ["RecordSuppression"]

# Room for sums of weights that are added up in another order.
_ROUNDING = 1e-12
# Of fewer left out, a total that was published before gives their values away to one of them.
_AMONG = 3


@register("record-suppression")
class RecordSuppression(Masker):
    """Whole records left out where they stand out: too few share their keys, too high a risk, too far from all others.

    Keeps every released record as it is, true in every cell; destroys the tails: what is left out is not left out at
    random, so that rare groups are fewer than they are, and totals are of those released.

    Parameters
    ----------
    k : int, optional
        How many released records must share each combination of keys; None where that does not matter.
    threshold : float, optional
        The highest individual risk that a released record may have, above 0 and below 1.
    outliers : float, optional
        Beyond this quantile of the robust Mahalanobis distance of the numbers a record leaves, 0.5 to 1. Numbers then
        count for the distance alone, and not for the combinations.
    limit : float
        The largest share of the records, and of each stratum, that may be left out; more are refused.
    household : str, optional
        Whoever shares this leaves together: of a household in which one is missing, everybody knows that somebody is.
    weighted : bool
        Risk with the survey weights, where the schema has them; without them it is 1 over the records with equal keys.
    missing : {"category", "wildcard"}
        Two records share their keys where they are equal, missing like any value and codes as they are written; or a
        missing value agrees with everything, as sdcMicro counts.
    strata : list of str, optional
        Count within these.
    attributes : list of str, optional
        The keys; by default every key that is no sequence. Numbers count as equal only where they are: put them into
        bands before, or leave them out.

    Notes
    -----
    Whoever leaves takes a record from the others' counts, so that it is counted again until nobody else has to leave.
    What is missing tells as well. Somebody known to have been in the file whose combination is not in the release is
    among those left out; and a total published before, less that of the release, is the total of those left out. So
    nobody leaves alone: at least `k` do (3 without it), filled up from the largest class, its last records first.
    Outliers are found once, before anybody leaves. Survey weights stay as they are. The number left out is
    given in the details, and not for which reason. O(n) a turn; all records are brought together.

    References
    ----------
    Sweeney (2002), Achieving k-anonymity privacy protection using generalization and suppression; Prasser, Kohlmayer
    and Kuhn (2014), ARX: a comprehensive tool for anonymizing biomedical data (suppression limit); Templ, Meindl and
    Kowarik (2013), Introduction to statistical disclosure control (outliers).

    Examples
    --------
    Two stand out, and the last of the nine keeps them company:

    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("job", Nominal(["clerk", "bishop", "judge"]), "key")])
    >>> jobs = pl.DataFrame({"job": ["clerk"] * 4 + ["bishop", "judge"] + ["clerk"] * 5})
    >>> masked = RecordSuppression(k=3, limit=0.3).mask(jobs, schema)
    >>> masked.to_native()["job"].value_counts().rows()
    [('clerk', 8)]
    """

    instead: ClassVar[str] = "use local-suppression, which takes values and not records"
    iso_20889: ClassVar[str] = "suppression: record suppression"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    reorders: ClassVar[bool] = True
    k: int | None = parameter(Optional(Integer(2)), default=3, kw_only=False)
    threshold: float | None = parameter(Optional(Number(0, 1, open_low=True, open_high=True)), default=None)
    outliers: float | None = parameter(Optional(Number(0.5, 1, open_low=True, open_high=True)), default=None)
    limit: float = parameter(Number(0, 1, open_low=True), default=0.05)
    household: str | None = parameter(Optional(Text("the name of an attribute")), default=None)
    weighted: bool = parameter(Flag(), default=True)
    missing: Literal["category", "wildcard"] = parameter(Choice(("category", "wildcard")), default="category")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(None, outliers=0.9, limit=0.5), cls(2, outliers=0.999, limit=0.9)]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if self.k is None and self.threshold is None and self.outliers is None:
            raise ParameterError("RecordSuppression: k must be given, or threshold, or outliers; else nobody leaves.")
        if self.household is not None:
            if self.household not in schema:
                raise ParameterError(f"RecordSuppression: household {self.household!r} is not in the table.")
            if self.strata is not None:
                raise ParameterError(
                    "RecordSuppression: household must be None with strata, which may cut through a household."
                )
        if self.outliers is not None and not schema.of_scale("numeric", among=names):
            raise ParameterError(
                f"RecordSuppression: outliers must be None where none of {len(names)} keys is numeric."
            )
        if (self.k is not None or self.threshold is not None) and not self._counted(schema, names):
            raise ParameterError(
                "RecordSuppression: k must be None, and threshold, where no key but numbers is left to be shared; "
                "with outliers, numbers count for the distance alone."
            )
        return names

    def _counted(self, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys whose combinations are counted."""
        return names if self.outliers is None else schema.of_scale("ordinal", "nominal", among=names)

    def guarantees(
        self,
        schema: Schema,
        names: tuple[str, ...],
        shared: tuple[tuple[str, ...], ...] = (),  # noqa: ARG002 - all keys together
    ) -> tuple[Guarantee, ...]:
        counted = self._counted(schema, names)
        weight = schema.weight if self.weighted else None
        sizes = [self.k or 1]
        if self.threshold is not None and weight is None:
            sizes.append(smallest_class(self.threshold))
        common = {
            "method": self.name,
            "attributes": counted,
            "strata": tuple(self.strata or ()),
            "wildcard": self.missing == "wildcard",
            "missing": {name: schema[name].missing for name in counted if schema[name].missing},
        }
        promises = []
        if max(sizes) > 1:
            promises.append(Guarantee(k=max(sizes), **common))  # type: ignore[arg-type]
        if self.threshold is not None and weight is not None:
            promises.append(Guarantee(k=1, risk=self.threshold, weight=weight, **common))  # type: ignore[arg-type]
        return tuple(promises)

    def _mask_part(self, job: MaskingJob) -> Masking:
        n = len(job.microdata)
        keep: BoolArray = np.ones(n, dtype=np.bool_)
        notes: list[str] = []
        homes = None if self.household is None else unit_labels(job.microdata, self.household)
        if self.outliers is not None:
            keep, notes = self._inside(job)
        keep = self._settled(job, keep, homes)
        fewest = _AMONG if self.k is None else self.k
        while 0 < n - int(keep.sum()) < fewest and keep.any():
            rows = np.flatnonzero(keep)
            labels = (
                self._frequencies(job, rows).labels if self._counted(job.schema, job.names) else np.zeros_like(rows)
            )
            largest = rows[labels == np.argmax(np.bincount(labels))]
            keep[largest[-(fewest - n + rows.size) :]] = False
            keep = self._settled(job, keep, homes)
        left_out = n - int(keep.sum())
        if left_out > self.limit * n or not keep.any():
            raise DataError(
                f"RecordSuppression: {left_out} of {n} records would have to leave, more than the limit of "
                f"{self.limit:g} allows, {int(self.limit * n)}."
                if keep.any()
                else f"RecordSuppression: every one of {n} records would have to leave.",
                hint="Recode the keys first (bands, generalisation, rare-levels), name fewer of them in attributes, or "
                "raise limit.",
            )
        if left_out and job.schema.weight is not None:
            notes.append("Survey weights are as they were: totals are of the records released, and not of all.")
        details = {"records_dropped": left_out, "share_dropped": left_out / n}
        return Masking({}, rows=np.flatnonzero(keep).astype(np.int64), details=details, notes=tuple(notes))

    def _inside(self, job: MaskingJob) -> tuple[BoolArray, list[str]]:
        """Say of every record whether it lies where most do, and what a reader should know of that."""
        assert self.outliers is not None  # noqa: S101 - asked before
        rows = job.microdata.numeric(job.numeric)
        where = "the table" if self.strata is None else "a stratum"
        ellipsoid = robust_ellipsoid("RecordSuppression", job.numeric, rows, self.outliers, where)
        return np.asarray(ellipsoid.factors(rows) >= 1), list(ellipsoid.notes)

    def _settled(self, job: MaskingJob, keep: BoolArray, homes: IntArray | None) -> BoolArray:
        """Return who stays when everybody has left who stands out among those that stay."""
        keep, turn = keep.copy(), 0
        while True:
            if homes is not None:
                keep &= np.bincount(homes, weights=~keep)[homes] == 0
            rows = np.flatnonzero(keep)
            if not rows.size:
                return keep
            unsafe = rows[~self._safe(job, rows)]
            if not unsafe.size:
                return keep
            keep[unsafe] = False
            turn += 1
            report("leaving records out", turn, turn + 1)

    def _safe(self, job: MaskingJob, rows: IntArray) -> BoolArray:
        """Say of each of these records whether it keeps what is promised among them."""
        safe = np.ones(rows.size, dtype=np.bool_)
        if self.k is None and self.threshold is None:
            return safe
        alike = self._frequencies(job, rows)
        if self.k is not None:
            safe &= alike.sizes >= self.k
        if self.threshold is not None and self.weighted and job.schema.weight is not None:
            safe &= benedetti_franconi(alike.sizes, alike.totals) <= self.threshold * (1 + _ROUNDING)
        elif self.threshold is not None:
            safe &= alike.sizes >= smallest_class(self.threshold)
        return safe

    def _frequencies(self, job: MaskingJob, rows: IntArray) -> Frequencies:
        names = self._counted(job.schema, job.names)
        table: Microdata = job.microdata.take(rows)
        reading = "category" if self.missing == "category" else "any"
        return key_frequencies(table, names, table.weights() if self.weighted else None, missing=reading)
