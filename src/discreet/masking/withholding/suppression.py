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
from discreet.masking.microaggregation.numbers.refinement import BUDGET, check_budget
from discreet.masking.running.condensed import Lookup, LookupPlan, copies, different
from discreet.masking.withholding.key_classes import KeyCoder, classes_of, distinct_values, wildcard_counts
from discreet.parameters import AnyOf, ByName, Choice, CountsBySize, Integer, ListOf, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.statistics.different import COUNT, comparable
from discreet.statistics.question import Inquiry, Need
from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["LocalSuppression", "entropy_cost"]

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
    importance : list of str, dict of str to float, or "entropy", optional
        Keys from the most to the least important: no value of a key goes while values of less important ones will do;
        keys that are not listed come after those that are. Or the cost of a missing value of each key (1 where none is
        given). Or "entropy", as in μ-Argus: a missing value costs the entropy of its key in bits, to two decimals, so
        that the key goes that tells least. By default every missing value costs the same, and on ties the key with the
        most levels goes first.
    combinations : int, list of list of str, or dict of int to int, optional
        What must be shared: every combination of so many keys, or the combinations listed; by default all keys
        together. Or by number of keys how many records must share every combination of so many, instead of `k`:
        ``{1: 10, 2: 20, 3: 40}``.
    levels : dict of str to int, optional
        Identification levels as in μ-Argus, 1 for the most identifying: then only those combinations are shared that
        hold one key of level 1, another of level 2 or below, and so on, up to the highest level or to the number of
        keys that `combinations` says. Keys without a level are in none.
    l : int, optional
        How many different values of `sensitive` every class must hold as well.
    sensitive : str, optional
        The attribute for `l`; by default the only confidential attribute.
    missing : {"category", "wildcard"}
        Two records share their keys where they are equal, missing like any value: what is released then holds every
        combination at least `k` times. Or a missing value matches everything, as sdcMicro and μ-Argus count: far fewer
        values go, but a record's own combination may be rarer than `k`.
    polish : int or str, optional
        Integer programmes to solve, or a time such as ``"30s"``, to find a release with fewer missing values: the
        fewest, if there is enough of it. With a number the release is the same every time. For `k` on all keys.
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
    Polishing needs all records; `certify` proves what it leaves, and an interrupt ends it without a release. With
    wildcards no record loses more than it would need by itself: read literally, k − 1 records that show nothing would
    match everybody and be enough, and protect nobody.

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

    instead: ClassVar[str] = "leave polish out"
    iso_20889: ClassVar[str] = "suppression: local suppression"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    groups: ClassVar[bool] = True
    k: int = parameter(Integer(2), default=3, kw_only=False)
    importance: Sequence[str] | Mapping[str, float] | Literal["entropy"] | None = parameter(
        Optional(AnyOf(Choice(("entropy",)), ByName(Number(0, open_low=True)), Names())), default=None
    )
    combinations: int | Sequence[Sequence[str]] | Mapping[int | str, int] | None = parameter(
        Optional(AnyOf(Integer(1), CountsBySize(Integer(2)), ListOf(Names()))), default=None
    )
    levels: Mapping[str, int] | None = parameter(Optional(ByName(Integer(1))), default=None)
    l: int | None = parameter(Optional(Integer(2)), default=None)  # noqa: E741 - the letter of l-diversity
    sensitive: str | None = parameter(Optional(Text("the name of an attribute")), default=None)
    missing: Literal["category", "wildcard"] = parameter(Choice(("category", "wildcard")), default="category")
    polish: int | str | None = parameter(Optional(BUDGET), default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    strata: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(2, importance=["owner", "fuel"])]

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Polishing treats equal records differently, which only all of them together allow."""
        return Need.DISTINCT if self.polish is None else Need.ALL

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if self.polish is not None:
            check_budget("LocalSuppression", self.polish)
            if self.l is not None or self.combinations is not None or self.levels is not None:
                raise ParameterError(
                    "LocalSuppression: polish must be None with l, combinations or levels; programmes are of k on all "
                    "keys."
                )
        listed = [name for subset in self._listed() for name in subset]
        for option, mentioned in (
            ("importance", self._ranked()),
            ("combinations", listed),
            ("levels", self.levels or ()),
        ):
            strangers = [name for name in mentioned if name not in names]
            if strangers:
                raise ParameterError(f"LocalSuppression: {option} names {strangers[0]!r}, which is not masked.")
        largest = max(self._sizes(), default=0)
        if largest > len(names):
            raise ParameterError(
                f"LocalSuppression: combinations must be at most the number of keys, {len(names)}; got {largest}."
            )
        if self.levels is not None and self._listed():
            raise ParameterError("LocalSuppression: levels must be None where combinations are listed.")
        if self.levels is not None and not self._combinations(names):
            raise ParameterError(
                "LocalSuppression: levels must make a combination: one key of level 1, another of level 2 or below, "
                "and so on.",
                hint="Give a key level 1, and skip no level that combinations asks for.",
            )
        return names

    def _listed(self) -> Sequence[Sequence[str]]:
        if self.combinations is None or isinstance(self.combinations, int | Mapping):
            return ()
        return self.combinations

    def _ranked(self) -> Sequence[str] | Mapping[str, float]:
        """Return the keys that the user put in order, or priced."""
        return () if self.importance is None or isinstance(self.importance, str) else self.importance

    def _sizes(self) -> dict[int, int]:
        """Return by number of keys how many records must share combinations of so many, where numbers are given."""
        if isinstance(self.combinations, Mapping):
            return {int(size): k for size, k in self.combinations.items()}
        return {self.combinations: self.k} if isinstance(self.combinations, int) else {}

    def _largest_k(self) -> int:
        """Return how many records at most must share a combination."""
        return max(self._sizes().values(), default=self.k)

    def _check_table(self, schema: Schema, n: int) -> None:
        super()._check_table(schema, n)
        if n < self._largest_k():
            raise ParameterError(
                f"LocalSuppression: combinations must ask for at most the number of records, {n}; got "
                f"{self._largest_k()}.",
                hint="Use a smaller k.",
            )

    def _check_strata(self, sizes: Sequence[int]) -> None:
        super()._check_strata(sizes)
        small = sum(size < self._largest_k() for size in sizes)
        if small:
            raise ParameterError(
                f"LocalSuppression: combinations must ask for at most the number of records of every stratum; {small} "
                f"of {len(sizes)} strata have fewer than {self._largest_k()}.",
                hint="Merge strata, or use a smaller k.",
            )

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
        entropies = {}
        if self.importance == "entropy":
            # Of all records, as copies of the different ones do not tell it.
            entropies = {name: entropy_cost(_as_keys(column), counted[COUNT]) for name, column in keys.items()}
            inner.set_params(importance=entropies)
        changed = True
        while changed:
            table, owner = copies(scope, {**counted, **now}, (*names, *sensitive), 2 * self._largest_k())
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
            details={
                "suppressed": suppressed,
                "different_records": int(first.size),
                **({"costs": entropies} if entropies else {}),
            },
            shared=self.combined(names),
        )

    def apply(self, plan: LookupPlan, block: Block) -> dict[str, Any]:
        return plan.changed(block)

    def _mask_part(self, job: MaskingJob) -> Masking:
        keys = np.stack([_as_keys(job.microdata.encoded(name)) for name in job.names], axis=1)
        target = self._target(job)
        entropies = {}
        if self.importance == "entropy":
            entropies = {name: entropy_cost(keys[:, j], None) for j, name in enumerate(job.names)}
        costs = self._costs(job.names, keys.max(axis=0), entropies)
        combinations = self._combinations(job.names)
        before = keys.copy()
        self._protect(keys, combinations, costs, target)
        if self.polish is not None:
            keys = self._polished(before, keys, self.prices(job.names, entropies))
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
            **({"costs": entropies} if entropies else {}),
        }
        labels = classes_of(KeyCoder(keys).numbers(slice(None), ~combinations[0]))[0] if partition else None
        return Masking(values, labels=labels, transitions=transitions, details=details, shared=self.combined(job.names))

    def combined(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Return the combinations of keys that must be shared, by name."""
        return tuple(
            tuple(n for n, inside in zip(names, subset, strict=True) if inside) for subset in self._combinations(names)
        )

    def _guarantee(self, schema: Schema, combination: tuple[str, ...]) -> Guarantee:
        plain = replace(super()._guarantee(schema, combination), k=self._k_of(len(combination)))
        if self.l is None:
            return plain
        return replace(plain, l=self.l, sensitive=self.sensitive or schema.of_role("confidential")[0])

    def _combinations(self, names: tuple[str, ...]) -> list[BoolArray]:
        """Return the combinations of keys that must be shared."""
        listed: Sequence[Sequence[str]]
        if self.levels is not None:
            listed = self._by_levels(names)
        elif self.combinations is None:
            listed = [names]
        else:
            listed = self._listed() or [chosen for size in self._sizes() for chosen in subsets(names, size)]
        return [np.isin(names, list(subset)) for subset in listed]

    def _by_levels(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return every set of keys, one of level 1, another of level 2 or below, and so on."""
        assert self.levels is not None  # noqa: S101 - asked before
        levels = self.levels
        sizes = self._sizes() or [max(levels.values())]
        # Sorted, the j-th must be of level j or below: then each place has a key of its own.
        return [
            chosen
            for size in sizes
            for chosen in subsets([name for name in names if name in levels], size)
            if all(level <= place for place, level in enumerate(sorted(levels[name] for name in chosen), 1))
        ]

    def _k_of(self, size: int) -> int:
        """Return how many records must share a combination of so many keys."""
        return self._sizes().get(size, self.k)

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

    def _polished(self, before: IntArray, keys: IntArray, prices: FloatArray) -> IntArray:
        from discreet.masking.withholding.suppression_polish import polished_hiding

        assert self.polish is not None  # noqa: S101 - asked before
        seconds = check_budget("LocalSuppression", self.polish)
        return polished_hiding(
            before,
            keys,
            self.k,
            prices,
            wildcard=self.missing == "wildcard",
            programmes=int(self.polish) if seconds is None else None,
            seconds=seconds,
        )

    def _costs(self, names: tuple[str, ...], levels: IntArray, entropies: Mapping[str, float]) -> FloatArray:
        """Return what a missing value of each key costs, and a little that orders those that cost the same."""
        # Large enough to order equal costs by the number of levels, too small to change the order of others.
        nudge = np.argsort(np.argsort(-levels, kind="stable"), kind="stable") * 1e-9
        listed = self.importance is not None and not isinstance(self.importance, Mapping | str)
        prices = self.prices(names, entropies)
        return np.asarray(prices * (1.0 + nudge) if listed else prices + nudge, dtype=np.float64)

    def prices(self, names: tuple[str, ...], entropies: Mapping[str, float] | None = None) -> FloatArray:
        """Return what a missing value of each key costs; by entropy, what the data say it does."""
        if isinstance(self.importance, str):
            if not entropies:
                raise ParameterError("LocalSuppression: importance by entropy has one cost a key only without strata.")
            return np.array([entropies[name] for name in names], dtype=np.float64)
        if isinstance(self.importance, Mapping):
            return np.array([self.importance.get(name, 1.0) for name in names], dtype=np.float64)
        if self.importance is None:
            return np.ones(len(names))
        rank = {name: len(self.importance) - place for place, name in enumerate(self.importance)}
        # Doubled from one key to the next, with room for all those that are not listed together.
        return np.array([float(len(names)) * 2.0 ** rank[n] if n in rank else 1.0 for n in names])

    def _protect(self, keys: IntArray, combinations: list[BoolArray], costs: FloatArray, target: _ClassDemand) -> None:
        """Hide keys, in place, until every chosen combination meets the target."""
        method = _hide_category if self.missing == "category" else _hide_wildcard
        while True:
            changed = False
            for subset in track(combinations, self.name, len(combinations)):
                inner = np.ascontiguousarray(keys[:, subset])
                hidden = method(inner, costs[subset], target._replace(k=self._k_of(int(subset.sum()))))
                if hidden.any():
                    inner[hidden] = 0
                    keys[:, subset] = inner
                    changed = True
            # A wildcard only ever adds matches; a category can take a record out of another combination's class.
            if not changed or len(combinations) == 1 or self.missing == "wildcard":
                return


def entropy_cost(keys: IntArray, counts: IntArray | None) -> float:
    """Return the entropy of a key in bits, to two decimals and at least 0.01; 0 stands for a missing value.

    Coarse, because it is told with the release: to the last digit it would tell how often rare values were there.

    Examples
    --------
    >>> entropy_cost(np.array([1, 1, 2, 2, 0]), None), entropy_cost(np.array([1, 2, 3]), np.array([2, 1, 1]))
    (1.0, 1.5)
    """
    totals = np.bincount(keys, weights=counts).astype(np.float64)[1:]
    shares = totals[totals > 0] / max(float(totals.sum()), 1.0)
    return max(round(float(-(shares * np.log2(shares)).sum()), 2), 0.01)


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
