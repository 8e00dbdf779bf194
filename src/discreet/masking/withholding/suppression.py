"""Local suppression: single values go missing until nobody stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations as subsets
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Scope
from discreet.data.block import Block
from discreet.data.guarantees import Guarantee
from discreet.data.schema import Schema
from discreet.errors import DataError, ParameterError
from discreet.kernels.distinct import split_classes
from discreet.masking.running.condensed import Lookup, LookupPlan, copies, different
from discreet.masking.withholding.key_classes import KeyCoder, classes_of, distinct_values, wildcard_counts
from discreet.parameters import AnyOf, ByName, Choice, Integer, ListOf, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.different import COUNT, comparable
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["LocalSuppression"]

# Sets of keys to hide that are tried one by one; beyond, only the cheapest keys, one more at a time.
_TRIED = 4096


class _ClassDemand(NamedTuple):
    """What every class must reach."""

    k: int
    l: int  # noqa: E741 - the letter of l-diversity
    sensitive: IntArray | None

    def met(self, labels: IntArray, sizes: IntArray, rows: IntArray) -> BoolArray:
        """Say of every class of these rows whether it is large and diverse enough."""
        enough = sizes >= self.k
        if self.sensitive is not None:
            enough &= distinct_values(labels, sizes.size, self.sensitive[rows]) >= self.l
        return np.asarray(enough)


@register("local-suppression")
class LocalSuppression(Masker):
    """Values made missing, as few and as unimportant as possible, until every record shares its keys with k − 1 others.

    Keeps every value that is released true; destroys values of records that stand out, so that what is missing is not
    missing at random.

    Parameters
    ----------
    k : int
        How many records must share each combination of keys.
    importance : list of str or dict of str to float, optional
        Keys from the most to the least important: no value of a key goes while values of less important ones will do;
        keys that are not listed come after those that are. Or the cost of a missing value of each key (1 where none is
        given). By default every missing value costs the same, and on ties the key with the most levels goes first.
    combinations : int or list of list of str, optional
        What must be shared: every combination of so many keys, or the combinations listed; by default all keys
        together.
    l : int, optional
        How many different values of `sensitive` every class must hold as well.
    sensitive : str, optional
        The attribute for `l`; by default the only confidential attribute.
    missing : {"category", "wildcard"}
        Two records share their keys where they are equal, missing like any value: what is released then holds every
        combination at least `k` times. Or a missing value matches everything, as sdcMicro and μ-Argus count: far fewer
        values go, but a record's own combination may be rarer than `k`.
    strata : list of str, optional
        Count and suppress within these only.
    attributes : list of str, optional
        The keys; by default every key that is no sequence. Numbers count as equal only where they are.

    Notes
    -----
    Sets of keys are tried from the cheapest to the dearest (all of them up to 12 keys); the records that stand out and
    agree on the other keys with enough records lose the values in the set. With wildcards, of the records that a set
    would bring together only so many lose values as the others need to match. Linear in the records for every set
    tried; sets after the one that protects the last record are not tried. Ties go to the lowest position. Where a few
    records are left that agree with nobody, some protected ones join them (category only).

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control; Samarati (2001), Protecting respondents'
    identities; Machanavajjhala et al. (2007), l-diversity.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["a", "b", "c"]), "key") for name in ("x", "y")])
    >>> data = pl.DataFrame({"x": list("aaabb"), "y": list("aaabc")})
    >>> LocalSuppression(k=2).mask(data, schema).to_native().rows()
    [('a', 'a'), ('a', 'a'), ('a', 'a'), ('b', None), ('b', None)]
    >>> LocalSuppression(k=2, missing="wildcard").mask(data, schema).to_native().rows()
    [('a', 'a'), ('a', 'a'), ('a', 'a'), ('b', None), ('b', 'c')]
    """

    need: ClassVar[Need] = Need.DISTINCT
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    groups: ClassVar[bool] = True
    k: int = parameter(Integer(2), default=3, kw_only=False)
    importance: Sequence[str] | Mapping[str, float] | None = parameter(
        Optional(AnyOf(Names(), ByName(Number(0, open_low=True)))), default=None
    )
    combinations: int | Sequence[Sequence[str]] | None = parameter(
        Optional(AnyOf(Integer(1), ListOf(Names()))), default=None
    )
    l: int | None = parameter(Optional(Integer(2)), default=None)  # noqa: E741 - the letter of l-diversity
    sensitive: str | None = parameter(Optional(Text("the name of an attribute")), default=None)
    missing: Literal["category", "wildcard"] = parameter(Choice(("category", "wildcard")), default="category")
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(2, importance=["owner", "fuel"])]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        listed = [name for subset in self._listed() for name in subset]
        for option, mentioned in (("importance", self.importance or ()), ("combinations", listed)):
            strangers = [name for name in mentioned if name not in names]
            if strangers:
                raise ParameterError(f"LocalSuppression: {option} names {strangers[0]!r}, which is not masked.")
        if isinstance(self.combinations, int) and self.combinations > len(names):
            raise ParameterError(
                f"LocalSuppression: combinations must be at most the number of keys, {len(names)}; "
                f"got {self.combinations}."
            )
        return names

    def _listed(self) -> Sequence[Sequence[str]]:
        return () if self.combinations is None or isinstance(self.combinations, int) else self.combinations

    def inquire(self, scope: Scope) -> Inquiry[LookupPlan]:
        names = scope.names
        sensitive: tuple[str, ...] = ()
        if self.l is not None:
            sensitive = (self.sensitive,) if self.sensitive else scope.schema.of_role("confidential")[:1]
        counted = yield from different(self, (*names, *sensitive), None)
        keys = {name: counted[name] for name in names}
        now = {name: column.copy() for name, column in keys.items()}
        rows = np.stack([comparable(column) for column in keys.values()], axis=1)
        combination = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
        inner = self.clone().set_params(attributes=list(names), strata=None)
        changed = True
        while changed:
            table, owner = copies(scope, {**counted, **now}, (*names, *sensitive), 2 * self.k)
            masked = inner.mask(table).microdata
            changed = False
            for name in names:
                hidden_now = _is_missing(masked.encoded(name)) & ~_is_missing(now[name][owner])
                if hidden_now.any():
                    # Records with the same keys are treated alike: what one of them loses, all lose.
                    lost = np.isin(combination, combination[owner[hidden_now]])
                    now[name][lost] = -1 if now[name].dtype.kind == "i" else np.nan
                    changed = True
        first = np.unique(combination, return_index=True)[1]
        suppressed = {n: int(counted[COUNT][_is_missing(now[n]) & ~_is_missing(keys[n])].sum()) for n in names}
        return LookupPlan(
            lookups=(Lookup.of({n: c[first] for n, c in keys.items()}, {n: c[first] for n, c in now.items()}),),
            details={"suppressed": suppressed, "different_records": int(first.size)},
            shared=self.combined(names),
        )

    def apply(self, plan: LookupPlan, block: Block) -> dict[str, Any]:
        return plan.changed(block)

    def _mask_part(self, job: MaskingJob) -> Masking:
        keys = np.stack([_as_keys(job.microdata.encoded(name)) for name in job.names], axis=1)
        target = self._target(job)
        costs = self._costs(job.names, keys.max(axis=0))
        combinations = self._combinations(job.names)
        before = keys.copy()
        self._protect(keys, combinations, costs, target)
        hidden = (keys == 0) & (before > 0)
        values: dict[str, Any] = {}
        transitions = {}
        for j, name in enumerate(job.names):
            encoded = job.microdata.encoded(name)
            values[name] = np.where(
                hidden[:, j], encoded.dtype.type(-1 if encoded.dtype.kind == "i" else np.nan), encoded
            )
            if encoded.dtype.kind == "i":
                possible = np.eye(len(job.schema[name].scale) + 1, dtype=np.bool_)  # type: ignore[arg-type]
                possible[:, -1] = True
                transitions[name] = possible
        joint = len(combinations) == 1 and bool(combinations[0].all())
        partition = joint and self.missing == "category"
        details: Json = {
            "joint": partition,
            "suppressed": {name: int(hidden[:, j].sum()) for j, name in enumerate(job.names)},
            "records_touched": int(hidden.any(axis=1).sum()),
        }
        labels = classes_of(KeyCoder(keys).numbers(slice(None), ~combinations[0]))[0] if partition else None
        return Masking(values, labels=labels, transitions=transitions, details=details, shared=self.combined(job.names))

    def combined(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Return the combinations of keys that must be shared, by name."""
        return tuple(
            tuple(n for n, inside in zip(names, subset, strict=True) if inside) for subset in self._combinations(names)
        )

    def _guarantee(self, schema: Schema, combination: tuple[str, ...]) -> Guarantee:
        plain = super()._guarantee(schema, combination)
        if self.l is None:
            return plain
        return replace(plain, l=self.l, sensitive=self.sensitive or schema.of_role("confidential")[0])

    def _combinations(self, names: tuple[str, ...]) -> list[BoolArray]:
        """Return the combinations of keys that must be shared."""
        if self.combinations is None:
            return [np.ones(len(names), dtype=np.bool_)]
        listed = subsets(names, self.combinations) if isinstance(self.combinations, int) else self.combinations
        return [np.isin(names, list(subset)) for subset in listed]

    def _target(self, job: MaskingJob) -> _ClassDemand:
        if self.l is None:
            if self.sensitive is not None:
                raise ParameterError("LocalSuppression: l must be given with sensitive.")
            return _ClassDemand(self.k, 1, None)
        confidential = job.schema.of_role("confidential")
        name = self.sensitive or (confidential[0] if len(confidential) == 1 else None)
        if name is None or name in job.names:
            raise ParameterError(
                "LocalSuppression: sensitive must name an attribute that is not masked; "
                f"the schema has {len(confidential)} confidential ones."
            )
        values = _as_keys(job.microdata.encoded(name))
        distinct = np.unique(values).size
        if distinct < self.l:
            raise ParameterError(
                f"LocalSuppression: l must be at most the number of different values of {name!r}, {distinct}; "
                f"got {self.l}."
            )
        return _ClassDemand(self.k, self.l, values)

    def _costs(self, names: tuple[str, ...], levels: IntArray) -> FloatArray:
        """Return what a missing value of each key costs."""
        # Large enough to order equal costs by the number of levels, too small to change the order of others.
        nudge = np.argsort(np.argsort(-levels, kind="stable"), kind="stable") * 1e-9
        if isinstance(self.importance, Mapping):
            return np.asarray(np.array([self.importance.get(name, 1.0) for name in names]) + nudge, dtype=np.float64)
        if self.importance is None:
            return np.asarray(1.0 + nudge, dtype=np.float64)
        rank = {name: len(self.importance) - place for place, name in enumerate(self.importance)}
        # Doubled from one key to the next, with room for all those that are not listed together.
        costs = np.array([float(len(names)) * 2.0 ** rank[n] if n in rank else 1.0 for n in names])
        return np.asarray(costs * (1.0 + nudge), dtype=np.float64)

    def _protect(self, keys: IntArray, combinations: list[BoolArray], costs: FloatArray, target: _ClassDemand) -> None:
        """Hide keys, in place, until every chosen combination meets the target."""
        method = _hide_category if self.missing == "category" else _hide_wildcard
        while True:
            changed = False
            for subset in track(combinations, self.name, len(combinations)):
                inner = np.ascontiguousarray(keys[:, subset])
                hidden = method(inner, costs[subset], target)
                if hidden.any():
                    inner[hidden] = 0
                    keys[:, subset] = inner
                    changed = True
            # A wildcard only ever adds matches; a category can take a record out of another combination's class.
            if not changed or len(combinations) == 1 or self.missing == "wildcard":
                return


def _is_missing(column: Any) -> BoolArray:
    return np.asarray(column < 0 if column.dtype.kind == "i" else np.isnan(column))


def _as_keys(encoded: Any) -> IntArray:
    """Return an attribute as positive integers, 0 where it is missing."""
    if encoded.dtype.kind == "i":
        return np.asarray(encoded, dtype=np.int64) + 1
    places = np.unique(encoded, return_inverse=True)[1]
    return np.where(np.isnan(encoded), 0, places.ravel() + 1).astype(np.int64)


def _sets(costs: FloatArray) -> list[BoolArray]:
    """Return sets of keys to hide, the cheapest first, ending with all keys."""
    d = costs.size
    masks: list[tuple[float, tuple[int, ...]]] = []
    for size in range(1, d + 1):
        for keys in subsets(range(d), size):
            masks.append((float(costs[list(keys)].sum()), keys))
            if len(masks) >= _TRIED:
                break
        if len(masks) >= _TRIED:
            cheapest = np.argsort(costs, kind="stable")
            masks += [(float(costs[cheapest[:m]].sum()), tuple(cheapest[:m].tolist())) for m in range(1, d + 1)]
            break
    result = []
    for _, keys in sorted(set(masks)):
        mask = np.zeros(d, dtype=np.bool_)
        mask[list(keys)] = True
        result.append(mask)
    return result


def _hide_category(keys: IntArray, costs: FloatArray, target: _ClassDemand) -> BoolArray:
    """Return which keys to hide so that every combination, missing like any value, meets the target."""
    n, d = keys.shape
    hidden, nothing = np.zeros((n, d), dtype=np.bool_), np.zeros(d, dtype=np.bool_)
    coder, everyone = KeyCoder(keys), np.arange(n)
    released = coder.numbers(slice(None), nothing)
    labels, sizes = classes_of(released)
    standing_out = ~target.met(labels, sizes, everyone)[labels]
    unprotected = np.flatnonzero(standing_out)
    # Protected records can only be met where they have missing values themselves.
    settled = np.flatnonzero((keys == 0).any(axis=1) & ~standing_out)
    for mask in _sets(costs):
        if not unprotected.size:
            break
        rows = np.concatenate([unprotected, settled])
        if coder.comparable:
            numbers = np.concatenate([coder.numbers(unprotected, mask), released[settled]])
        else:
            trial = np.where(hidden[rows], 0, keys[rows])
            trial[: unprotected.size, mask] = 0
            numbers = KeyCoder(trial).numbers(slice(None), nothing)
        labels, sizes = classes_of(numbers)
        sufficient = target.met(labels, sizes, rows)[labels[: unprotected.size]]
        joined = unprotected[sufficient]
        hidden[np.ix_(joined, mask)] = True
        released[joined] = numbers[: unprotected.size][sufficient]
        settled, unprotected = np.concatenate([settled, joined]), unprotected[~sufficient]
    if unprotected.size:
        _join_the_rest(keys, hidden, unprotected, costs, target)
    return np.asarray(hidden & (keys > 0))


def _join_the_rest(
    keys: IntArray, hidden: BoolArray, unprotected: IntArray, costs: FloatArray, target: _ClassDemand
) -> None:
    """Hide all keys of those who are left, and of as many others as they need to form a class."""
    hidden[unprotected] = True
    released = np.where(hidden, 0, keys)
    labels, sizes = classes_of(KeyCoder(released).numbers(slice(None), np.zeros(keys.shape[1], dtype=np.bool_)))
    nobody = labels[unprotected[0]]
    lacking = target.k - int(sizes[nobody])
    spare = int(np.argmax(np.where(np.arange(sizes.size) == nobody, -1, sizes)))
    if target.sensitive is None and lacking > 0 and sizes[spare] - lacking >= target.k:
        hidden[np.flatnonzero(labels == spare)[-lacking:]] = True
        return
    first = np.unique(labels, return_index=True)[1]
    price = sizes * ((released[first] > 0) @ costs)
    for other in np.argsort(price, kind="stable"):
        if other == nobody:
            continue
        rows = np.flatnonzero(hidden.all(axis=1))
        together = np.zeros(rows.size, dtype=np.int64)
        if target.met(together, np.array([rows.size]), rows)[0]:
            return
        hidden[labels == other] = True


def _hide_wildcard(keys: IntArray, costs: FloatArray, target: _ClassDemand) -> BoolArray:
    """Return which keys to hide so that every record, missing matching everything, meets the target.

    A record that agrees with another on the keys it still shows goes on matching it whatever that one hides. So what
    is counted on the file as it came never becomes too much, and records can be treated set by set.
    """
    hidden = np.zeros(keys.shape, dtype=np.bool_)
    coder, everyone = KeyCoder(keys), np.arange(len(keys))
    nothing = np.zeros(keys.shape[1], dtype=np.bool_)
    classes, sizes = classes_of(coder.numbers(slice(None), nothing))
    counts = wildcard_counts(keys) if (keys == 0).any() else sizes[classes]
    if target.sensitive is None:
        unprotected = everyone[counts < target.k]
    else:
        unprotected = everyone[~target.met(classes, sizes, everyone)[classes]]
    absent = keys == 0
    for mask in [nothing, *_sets(costs)]:
        if not unprotected.size:
            break
        patterns, of_left = np.unique(absent[unprotected], axis=0, return_inverse=True)
        protected = np.zeros(unprotected.size, dtype=np.bool_)
        for p, pattern in enumerate(patterns):
            members = np.flatnonzero(of_left.ravel() == p)
            groups, sizes = classes_of(coder.numbers(slice(None), mask | pattern))
            sufficient = target.met(groups, sizes, everyone)[groups[unprotected[members]]]
            inside = unprotected[members[sufficient]]
            protected[members[sufficient]] = True
            if target.sensitive is None:
                order = inside[np.lexsort((inside, classes[inside], counts[inside], groups[inside]))]
                hide = np.empty(order.size, dtype=np.int64)
                split_classes(order, groups, classes, counts, target.k, hide)
                inside = order[hide == 1]
            hidden[np.ix_(inside, mask)] = True
        unprotected = unprotected[~protected]
    if unprotected.size:
        raise DataError(
            f"LocalSuppression: {unprotected.size} records match too few others even with every key hidden."
        )
    return np.asarray(hidden & ~absent)
