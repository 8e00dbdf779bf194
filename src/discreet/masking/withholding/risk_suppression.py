"""Suppression by risk: values go missing where a record's individual risk is above a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations as subsets
from math import ceil
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Scope
from discreet.data.block import Block
from discreet.data.guarantees import Guarantee
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.running.condensed import Lookup, LookupPlan, different
from discreet.masking.withholding.key_classes import KeyCoder, classes_of
from discreet.parameters import Choice, Flag, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.different import COUNT, TOTAL, Different, comparable
from discreet.statistics.key_frequencies import benedetti_franconi
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["RiskSuppression"]

# Sets of keys to hide that are tried one by one; beyond, only the first keys, one more at a time.
_TRIED = 2048
# Room for sums of weights that are added up in another order.
_ROUNDING = 1e-12


class _Weighed(NamedTuple):
    """Different records: their keys (0: missing), how many records each stands for, and what these weigh."""

    keys: IntArray
    counts: IntArray
    totals: FloatArray
    weighted: bool
    threshold: float

    def safe(self, sizes: Any, totals: Any) -> BoolArray:
        """Say whether so many records that weigh so much have a low enough risk."""
        whole = np.rint(sizes).astype(np.int64)
        if not self.weighted:
            return np.asarray(whole >= smallest_class(self.threshold))
        return np.asarray(benedetti_franconi(whole, totals) <= self.threshold * (1 + _ROUNDING))

    def safe_classes(self, numbers: IntArray, rows: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the class of each of these rows, and whether each class is safe, missing like any value."""
        labels, sizes = classes_of(numbers)
        alike = np.bincount(labels, weights=self.counts[rows], minlength=sizes.size)
        return labels, self.safe(alike, np.bincount(labels, weights=self.totals[rows], minlength=sizes.size))

    def safe_seekers(self, seekers: IntArray, keys: IntArray) -> BoolArray:
        """Say of every row of keys whether it is safe among all records, a missing value agreeing with everything."""
        kinds, of_seeker = np.unique(seekers == 0, axis=0, return_inverse=True)
        patterns, of_record = np.unique(keys == 0, axis=0, return_inverse=True)
        alike, heavy = np.zeros(len(seekers)), np.zeros(len(seekers))
        coder = KeyCoder(np.concatenate([seekers, keys]))
        for a, absent in enumerate(kinds):
            mine = np.flatnonzero(of_seeker.ravel() == a)
            for b, lacking in enumerate(patterns):
                theirs = np.flatnonzero(of_record.ravel() == b)
                both = np.concatenate([mine, len(seekers) + theirs])
                labels, sizes = classes_of(coder.numbers(both, absent | lacking))
                own, others = labels[: mine.size], labels[mine.size :]
                alike[mine] += np.bincount(others, weights=self.counts[theirs], minlength=sizes.size)[own]
                heavy[mine] += np.bincount(others, weights=self.totals[theirs], minlength=sizes.size)[own]
        return self.safe(alike, heavy)


def smallest_class(threshold: float) -> int:
    """Return how many records must be alike for a risk of at most this, where each is as likely as the others.

    Examples
    --------
    >>> smallest_class(0.2), smallest_class(0.3)
    (5, 4)
    """
    return ceil(1 / threshold - 1e-9)


@register("risk-suppression")
class RiskSuppression(Masker):
    """Values of keys made missing in records whose individual risk is above a threshold, until none is.

    Keeps every value that is released true, and records of low risk as they are; destroys values of those that stand
    out in the population, so that what is missing is not missing at random.

    Parameters
    ----------
    threshold : float
        The highest individual risk that a released record may have, above 0 and below 1: the chance to find a person by
        the keys, by the survey weights 1 over the people that are expected to share them.
    suppress : list of str, optional
        The keys whose values may go, those that go first before the others; by default any, those with the most
        different values first. Keys that are not listed stay as they are.
    weighted : bool
        Risk with the survey weights, where the schema has them; without them it is 1 over the records with equal keys.
    missing : {"category", "wildcard"}
        Two records share their keys where they are equal, missing like any value: so the file is read by somebody who
        does not trust a gap. Or a missing value agrees with everything, as sdcMicro counts: far fewer values go.
    strata : list of str, optional
        Count and suppress within these only.
    attributes : list of str, optional
        The keys; by default every key that is no sequence. Numbers count as equal only where they are.

    Notes
    -----
    Sets of keys are tried by size, in the order of `suppress`; records above the threshold lose the values in the first
    set without which they are no longer above it. The risk is counted again after every set. Where a few are left that
    agree with nobody, the smallest classes that agree on the other keys lose their values as well (category only).
    Equal records are treated alike. A threshold that cannot be reached is refused with the number of records above it.
    Linear in the different records for every set tried (all sets up to 11 keys).

    References
    ----------
    Benedetti and Franconi (1998), Statistical and technological solutions for controlled data dissemination; Templ
    (2008), Statistical disclosure control for microdata using the R-package sdcMicro (localSupp).

    Examples
    --------
    Each of the first three stands for 50 people, the last one for 4, so that a guess is right with 0.46:

    >>> import polars as pl
    >>> from discreet.data.scales import Nominal, Numeric
    >>> from discreet.data.schema import Attribute, Schema
    >>> keys = [Attribute(name, Nominal(["a", "b", "c"]), "key") for name in ("x", "y")]
    >>> schema = Schema([*keys, Attribute("w", Numeric(), "weight")])
    >>> data = pl.DataFrame({"x": list("aaaa"), "y": list("bbac"), "w": [50.0, 50, 50, 4]})
    >>> RiskSuppression(0.3, missing="wildcard").mask(data, schema).to_native().rows()
    [('a', 'b', 50.0), ('a', 'b', 50.0), ('a', 'a', 50.0), ('a', None, 4.0)]
    """

    iso_20889: ClassVar[str] = "suppression: local suppression"
    need: ClassVar[Need] = Need.DISTINCT
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    counts_keys: ClassVar[bool] = True
    threshold: float = parameter(Number(0, 1, open_low=True, open_high=True), default=0.1, kw_only=False)
    suppress: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=True)
    missing: Literal["category", "wildcard"] = parameter(Choice(("category", "wildcard")), default="category")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(0.2), cls(0.1, missing="wildcard")]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        for name in self.suppress or ():
            if name not in names:
                raise ParameterError(f"RiskSuppression: suppress names {name!r}, which is not among the keys.")
        return names

    def guarantees(
        self,
        schema: Schema,
        names: tuple[str, ...],
        shared: tuple[tuple[str, ...], ...] = (),  # noqa: ARG002 - all keys together
    ) -> tuple[Guarantee, ...]:
        weight = schema.weight if self.weighted else None
        return (
            Guarantee(
                method=self.name,
                attributes=names,
                k=smallest_class(self.threshold) if weight is None else 1,
                strata=tuple(self.strata or ()),
                wildcard=self.missing == "wildcard",
                risk=None if weight is None else self.threshold,
                weight=weight,
                missing={name: schema[name].missing for name in names if schema[name].missing},
            ),
        )

    def inquire(self, scope: Scope) -> Inquiry[LookupPlan]:
        counted = yield from different(self, scope.names, scope.weight)
        return self._plan(scope.schema, scope.names, scope.weight is not None, counted)

    def apply(self, plan: LookupPlan, block: Block) -> dict[str, Any]:
        return plan.changed(block)

    def _mask_part(self, job: MaskingJob) -> Masking:
        weight = job.schema.weight if self.weighted else None
        block = Block(np.arange(len(job.microdata)), job.microdata)
        counted = Different(job.names, weight).summarise(block).ordered()
        plan = self._plan(job.schema, job.names, weight is not None, counted)
        return Masking(plan.changed(block), transitions=plan.transitions, details=plan.details)

    def _plan(self, schema: Schema, names: tuple[str, ...], weighted: bool, counted: Mapping[str, Any]) -> LookupPlan:
        keys = np.stack([_as_keys(counted[name]) for name in names], axis=1)
        records = _Weighed(keys, counted[COUNT], counted[TOTAL], weighted, self.threshold)
        hide = _hide_category if self.missing == "category" else _hide_wildcard
        order = self._order(names, keys)
        above, hidden = hide(records, order)
        values: dict[str, Any] = {}
        for j, name in enumerate(names):
            column = counted[name]
            values[name] = np.where(hidden[:, j], column.dtype.type(-1 if column.dtype.kind == "i" else np.nan), column)
        transitions = {}
        for name in schema.of_scale("ordinal", "nominal", among=names):
            possible = np.eye(len(schema[name].scale) + 1, dtype=np.bool_)  # type: ignore[arg-type]
            possible[:, -1] = True
            transitions[name] = possible
        return LookupPlan(
            lookups=(Lookup.of({name: counted[name] for name in names}, values),),
            transitions=transitions,
            details={
                "records_above": int(records.counts[above].sum()),
                "suppressed": {name: int(records.counts[hidden[:, j]].sum()) for j, name in enumerate(names)},
                "records_touched": int(records.counts[hidden.any(axis=1)].sum()),
            },
        )

    def _order(self, names: tuple[str, ...], keys: IntArray) -> list[int]:
        """Return the keys that may go, by place, the first to go first."""
        if self.suppress is not None:
            return [names.index(name) for name in self.suppress]
        levels = [int(np.unique(keys[:, j]).size) for j in range(len(names))]
        return sorted(range(len(names)), key=lambda j: -levels[j])


def _as_keys(column: Any) -> IntArray:
    """Return an attribute of different records as positive integers, 0 where it is missing."""
    values = comparable(column)
    absent = column < 0 if column.dtype.kind == "i" else np.isnan(column)
    return np.where(absent, 0, np.unique(values, return_inverse=True)[1].ravel() + 1).astype(np.int64)


def _sets(order: list[int], d: int) -> list[BoolArray]:
    """Return sets of keys to hide: by size, in order, all keys that may go at the end."""
    listed: list[tuple[int, ...]] = []
    for size in range(1, len(order) + 1):
        for members in subsets(order, size):
            listed.append(members)
            if len(listed) >= _TRIED:
                break
        if len(listed) >= _TRIED:
            listed += [tuple(order[:m]) for m in range(1, len(order) + 1)]
            break
    result = []
    for members in dict.fromkeys(listed):
        mask = np.zeros(d, dtype=np.bool_)
        mask[list(members)] = True
        result.append(mask)
    return result


def _hide_category(records: _Weighed, order: list[int]) -> tuple[IntArray, BoolArray]:
    """Return who is above the threshold, and which keys to hide so that nobody is, missing like any value."""
    keys, nothing = records.keys, np.zeros(records.keys.shape[1], dtype=np.bool_)
    released = keys.copy()
    everyone = np.arange(len(keys))
    labels, safe = records.safe_classes(KeyCoder(keys).numbers(slice(None), nothing), everyone)
    above = everyone[~safe[labels]]
    risky = above
    sets = _sets(order, nothing.size)
    for mask in track(sets, "risk-suppression", len(sets)):
        if not risky.size:
            break
        # Whoever hides a key can only meet records that lack one. Those of a class are all risky or all safe and move
        # together, so that a class which is safe with all who would join it stays so.
        gaps = (released == 0).any(axis=1)
        gaps[risky] = False
        rows = np.concatenate([risky, np.flatnonzero(gaps)])
        trial = released[rows]
        trial[: risky.size, mask] = 0
        labels, safe = records.safe_classes(KeyCoder(trial).numbers(slice(None), nothing), rows)
        joined = safe[labels[: risky.size]]
        released[risky[joined]] = trial[: risky.size][joined]
        risky = risky[~joined]
    if risky.size:
        _join(records, released, risky, order)
    return above, np.asarray((released == 0) & (keys > 0))


def _join(records: _Weighed, released: IntArray, risky: IntArray, order: list[int]) -> None:
    """Hide every key that may go of those who are left, and of as many who agree on the others as they need."""
    may_go = np.isin(np.arange(released.shape[1]), order)
    released[np.ix_(risky, may_go)] = 0
    nothing = np.zeros_like(may_go)
    kept = classes_of(KeyCoder(released).numbers(slice(None), may_go))[0]
    short = 0
    for group in np.unique(kept[risky]):
        members = np.flatnonzero(kept == group)
        labels, _ = classes_of(KeyCoder(released[members]).numbers(slice(None), nothing))
        alike = np.bincount(labels, weights=records.counts[members])
        heavy = np.bincount(labels, weights=records.totals[members])
        home = labels[np.searchsorted(members, risky[kept[risky] == group][0])]
        size, total = alike[home], heavy[home]
        for other in np.argsort(alike, kind="stable"):
            if records.safe(np.array([size]), np.array([total]))[0]:
                break
            if other != home:
                size, total = size + alike[other], total + heavy[other]
                released[np.ix_(members[labels == other], may_go)] = 0
        if not records.safe(np.array([size]), np.array([total]))[0]:
            short += int(size)
    if short:
        raise _out_of_reach(short, records.threshold)


def _hide_wildcard(records: _Weighed, order: list[int]) -> tuple[IntArray, BoolArray]:
    """Return the same, a missing value agreeing with everything; what others hide only adds to whom one agrees with."""
    released = records.keys.copy()
    above = np.flatnonzero(~records.safe_seekers(released, released))
    risky = above
    sets = _sets(order, released.shape[1])
    for mask in track(sets, "risk-suppression", len(sets)):
        if not risky.size:
            break
        trial = released[risky]
        trial[:, mask] = 0
        safe = records.safe_seekers(trial, released)
        released[risky[safe]] = trial[safe]
        risky = risky[~safe]
    if risky.size:
        hidden_all = released[risky]
        hidden_all[:, sets[-1]] = 0
        released[risky] = hidden_all
    short = np.flatnonzero(~records.safe_seekers(released, released))
    if short.size:
        raise _out_of_reach(int(records.counts[short].sum()), records.threshold)
    return above, np.asarray((released == 0) & (records.keys > 0))


def _out_of_reach(count: int, threshold: float) -> DataError:
    return DataError(
        f"RiskSuppression: {count} records have an individual risk above {threshold:g} even without the keys that may "
        "go.",
        hint="Let further keys go (suppress), recode them first, or use a higher threshold.",
    )
