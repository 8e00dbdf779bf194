"""Rules of privacy models as promises about a file: what is promised of its classes, counted on its plain values.

Nothing here knows of the search that made the release: classes are groups of equal cells, and every figure is taken
from its definition.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.typing import BoolArray, FloatArray, IntArray, Level

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PromisedRule", "RuleCount", "plain_text"]

RuleKind = Literal[
    "entropy", "recursive", "equal", "ordered", "hierarchical", "beta", "beta-enhanced", "delta", "alpha",
    "k-map", "presence", "items", "combinations", "average", "uniques", "profit",
]  # fmt: skip

_ROUNDING = 1e-11
_CELLS = 1 << 22
"""Of classes by values, held at once."""
_COUNT = "#records"
_BY_ITSELF = frozenset({"entropy", "recursive", "alpha"})
"""What a class keeps whatever the whole table is."""


@dataclass(frozen=True)
class PromisedRule:
    """What every class of equal keys keeps, besides its size.

    Attributes
    ----------
    kind : str
        Which figure.
    low, high : float
        What it must reach, and must not exceed.
    first : float
        Of a recursive rule l, of enhanced likeness β, of items the most that are combined, of uniques the population,
        of profit what a record that is found costs, over what one brings.
    second : float
        Of profit, how many must share the keys so that nobody attacks.
    lost : dict of str to dict of str to float
        By key, the share of a record's information that each released text loses.
    sizes : dict of int to int
        Of combinations, how many records must share one of so many keys.
    records : int
        How many records the original had.
    values : tuple of str
        The confidential values in their order, as plain text; a missing one is the empty text.
    tree : dict of str to tuple of int
        The branch of each at every step.
    left_out : dict of str to int
        How many records of each value are not released: with the file they make the original's distribution.
    people : dict of tuple of str to int
        How many of the population share a combination of keys, as plain text.
    numbers : frozenset of str
        The columns that hold numbers, whose text may differ from format to format.
    """

    kind: RuleKind
    low: float = -np.inf
    high: float = np.inf
    first: float = 0.0
    second: float = 0.0
    sizes: Mapping[int, int] = field(default_factory=dict)
    records: int = 0
    values: tuple[str, ...] = field(default=(), repr=False, compare=False)
    tree: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)
    left_out: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    people: Mapping[tuple[str, ...], int] = field(default_factory=dict, repr=False, compare=False)
    numbers: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    lost: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)

    def sentence(self, shared: str, sensitive: str | None) -> str:
        """Return what is promised of classes of equal `shared`, in words."""
        inside, value = f"Among records with equal {shared}", f"{self.high:g}"
        whole, there = "of the original table", "in the original table"
        return {
            "entropy": f"{inside}, the values of {sensitive} are as diverse as {self.low:g} equally frequent ones.",
            "recursive": f"{inside}, the most frequent value of {sensitive} is rarer than {value} times all "
            f"values from the {self.first:g}. most frequent one on.",
            "equal": f"{inside}, {sensitive} is within {value} of its distribution {there} (equal distance).",
            "ordered": f"{inside}, {sensitive} is within {value} of its distribution {there} (ordered distance).",
            "hierarchical": f"{inside}, {sensitive} is within {value} of its distribution {there} (hierarchical "
            "distance).",
            "beta": f"{inside}, no value of {sensitive} is more than {1 + self.high:g} times as frequent as in all "
            f"records {whole}.",
            "beta-enhanced": f"{inside}, no value of {sensitive} of share p {whole} gains more than "
            f"min({self.first:g}, −ln p) of it.",
            "delta": f"{inside}, the share of every value of {sensitive} is within a factor of e^{value} of that "
            f"{whole}.",
            "alpha": f"{inside}, no value of {sensitive} has more than {100 * self.high:g} % of them.",
            "k-map": f"At least {self.low:g} people of the population share every released combination of {shared}.",
            "presence": f"Of the people of the population who share a released combination of {shared}, between "
            f"{100 * self.low:g} and {100 * self.high:g} % are in the file.",
            "items": f"Any {self.first:g} cells of {shared} that a record has are shared by at least {self.low:g} "
            "records.",
            "combinations": f"Of {shared}, "
            + ", ".join(f"any {size} are shared by at least {k} records" for size, k in sorted(self.sizes.items()))
            + ".",
            "average": f"Whoever looks for records by their {shared} is right for at most {100 * self.high:g} % "
            "of them on average.",
            "profit": f"Every record is expected to bring more than it costs where finding it costs {self.first:g} "
            f"times what it brings untouched, and nobody attacks who has to guess among {self.second:g} with equal "
            f"{shared}.",
            "uniques": f"At most {100 * self.high:g} % of the records are expected to be alone with their {shared} "
            f"in a population of {self.first:g}.",
        }[self.kind]


def plain_text(value: Any, *, number: bool = False, missing: Sequence[Level] = ()) -> str:
    """Return a cell as a text that is the same in every format; a missing one is empty.

    Examples
    --------
    >>> plain_text(3.0, number=True), plain_text("3", number=True), plain_text("2,50", number=True), plain_text("007")
    ('3', '3', '2.5', '007')
    >>> plain_text(-9, number=True, missing=(-9,)), plain_text(None)
    ('', '')
    """
    if value is None or value == "" or (isinstance(value, float) and np.isnan(value)):
        return ""
    text = str(value)
    if number:
        text = _number_text(text)
    return "" if any(text == (_number_text(str(code)) if number else str(code)) for code in missing) else text


def _number_text(text: str) -> str:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else repr(number)


class RuleCount:
    """A rule counted on tables that are handed over one after the other: combinations of cells, and how often each is.

    Memory is O(different combinations of the columns it speaks of).
    """

    def __init__(
        self,
        rule: PromisedRule,
        keys: Sequence[str],
        sensitive: str | None,
        missing: Mapping[str, tuple[Level, ...]],
    ) -> None:
        self.rule, self.keys, self.sensitive, self.missing = rule, tuple(keys), sensitive, missing
        self._table: pl.DataFrame | None = None
        self._quoted = False

    def add(self, frame: pl.DataFrame, *, quoted: bool = False) -> None:
        """Count a table; `quoted` says that its cells are the text of JSON values."""
        import polars as pl

        self._quoted = quoted
        names = [n for n in (*self.keys, *((self.sensitive,) if self.sensitive else ())) if n in frame.columns]
        if not names or not frame.height:
            return
        part = frame.select(names).group_by(names).agg(pl.len().cast(pl.Int64).alias(_COUNT))
        if self._table is not None:
            both = pl.concat([self._table, part.select(self._table.columns)], how="vertical_relaxed")
            part = both.group_by(names).agg(pl.col(_COUNT).sum())
        self._table = part

    def short(self) -> tuple[int, int] | None:
        """Return the size of the smallest class and how many records break the rule; None where nothing was counted."""
        if self._table is None:
            return None
        table, rule = self._table, self.rule
        keys = [name for name in self.keys if name in table.columns]
        counts = table[_COUNT].to_numpy().astype(np.int64)
        if not keys:
            return int(counts.sum()), 0  # no key was released: nobody is told apart
        codes = np.stack([_numbered(table[name]) for name in keys], axis=1)
        if rule.kind in ("items", "combinations"):
            broken = self._combined(table, keys, codes, counts)
            return int(counts.min()), int(counts[broken].sum())
        classes = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        sizes = np.bincount(classes, weights=counts).astype(np.int64)
        if rule.kind in ("average", "uniques"):
            broken_classes = np.full(sizes.size, not self._of_file(sizes))
        elif rule.kind in ("k-map", "presence"):
            broken_classes = ~self._of_people(table, keys, classes, sizes)
        elif rule.kind == "profit":
            broken_classes = ~self._of_profit(table, keys, classes, sizes)
        else:
            broken_classes = ~self._of_values(table, classes, sizes, counts)
        return int(sizes.min()), int(sizes[broken_classes].sum())

    # ------------------------------------------------------------------------------------------------ by the kind

    def _texts(self, table: pl.DataFrame, name: str) -> list[str]:
        cells = table[name].to_list()
        if self._quoted:
            cells = [json.loads(cell) if isinstance(cell, str) else cell for cell in cells]
        number, missing = name in self.rule.numbers, self.missing.get(name, ())
        return [plain_text(cell, number=number, missing=missing) for cell in cells]

    def _combined(self, table: pl.DataFrame, keys: list[str], codes: IntArray, counts: IntArray) -> BoolArray:
        """Say which rows have a combination of some cells that too few records have."""
        rule = self.rule
        exempt = np.zeros(codes.shape, dtype=np.bool_)
        sizes = dict(rule.sizes)
        if rule.kind == "items":
            sizes = {size: int(np.ceil(rule.low - _ROUNDING)) for size in range(1, int(rule.first) + 1)}
            exempt = np.stack([[not text for text in self._texts(table, name)] for name in keys], axis=1)
        broken = np.zeros(counts.size, dtype=np.bool_)
        for size, k in sizes.items():
            for chosen in combinations(range(len(keys)), size):
                columns = list(chosen)
                place = np.unique(codes[:, columns], axis=0, return_inverse=True)[1].ravel()
                shared = np.bincount(place, weights=counts)[place]
                broken |= (shared < k) & ~exempt[:, columns].any(axis=1)
        return broken

    def _of_file(self, sizes: IntArray) -> bool:
        rule, records = self.rule, int(sizes.sum())
        if rule.kind == "average":
            return bool(sizes.size / records <= rule.high + _ROUNDING)
        alone = int((sizes == 1).sum()) * rule.records / rule.first
        return bool(alone / records <= rule.high + _ROUNDING)

    def _of_people(self, table: pl.DataFrame, keys: list[str], classes: IntArray, sizes: IntArray) -> BoolArray:
        rule = self.rule
        if len(keys) < len(self.keys):
            return np.zeros(sizes.size, dtype=np.bool_)  # the population is not known by fewer keys
        first = np.unique(classes, return_index=True)[1]
        shown = zip(*(self._texts(table[first], name) for name in keys), strict=True)
        people = np.array([rule.people.get(key, 0) for key in shown], dtype=np.float64)
        if rule.kind == "k-map":
            return np.asarray(people >= rule.low - _ROUNDING)
        with np.errstate(divide="ignore"):
            share = sizes / people
        return np.asarray((share >= rule.low - _ROUNDING) & (share <= rule.high + _ROUNDING))

    def _of_profit(self, table: pl.DataFrame, keys: list[str], classes: IntArray, sizes: IntArray) -> BoolArray:
        rule = self.rule
        if len(keys) < len(self.keys):
            return np.zeros(sizes.size, dtype=np.bool_)  # what the other keys told is not known any more
        first = np.unique(classes, return_index=True)[1]
        columns = [self._texts(table[first], name) for name in keys]
        lost = np.zeros(sizes.size)
        for name, texts in zip(keys, columns, strict=True):
            lost += [rule.lost[name].get(text, np.inf) for text in texts]
        people = [rule.people.get(key, 0) for key in zip(*columns, strict=True)] if rule.people else sizes
        among = np.maximum(np.asarray(people, dtype=np.float64), 1.0)
        attacked = among < rule.second * (1 - _ROUNDING)
        return np.asarray(1.0 - lost - np.where(attacked, rule.first / among, 0.0) > 0)

    def _of_values(self, table: pl.DataFrame, classes: IntArray, sizes: IntArray, counts: IntArray) -> BoolArray:
        rule = self.rule
        if self.sensitive not in table.columns:
            return np.ones(sizes.size, dtype=np.bool_)  # what is not released tells nothing
        texts = self._texts(table, str(self.sensitive))
        place = {text: number for number, text in enumerate(rule.values)}
        strangers = any(text not in place for text in texts)
        if strangers and (rule.left_out or rule.kind in ("ordered", "hierarchical")) and rule.kind not in _BY_ITSELF:
            return np.zeros(sizes.size, dtype=np.bool_)  # another column than the one that was looked at
        if strangers:
            place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        values = np.array([place[text] for text in texts], dtype=np.int64)
        whole = np.bincount(values, weights=counts, minlength=len(place))
        whole += np.array([rule.left_out.get(text, 0) for text in place])
        if int(whole.sum()) != rule.records and rule.kind not in _BY_ITSELF:
            return np.zeros(sizes.size, dtype=np.bool_)  # other records than those that were looked at
        p = whole / rule.records
        keeps = _KEEPS[rule.kind]
        kept = np.empty(sizes.size, dtype=np.bool_)
        for some, q in _dense(classes, values, counts, sizes, len(place)):
            kept[some] = keeps(q, p, sizes[some], rule)
        return kept


def _numbered(column: pl.Series) -> IntArray:
    """Return a number for every cell; whatever the file tells apart has numbers of its own."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(cell, len(numbers)) for cell in column.to_list()], dtype=np.int64)


def _dense(
    classes: IntArray, values: IntArray, counts: IntArray, sizes: IntArray, width: int
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the shares of all values in some classes at a time."""
    order = np.argsort(classes, kind="stable")
    step = max(_CELLS // max(width, 1), 1)
    for begin in range(0, sizes.size, step):
        end = min(begin + step, sizes.size)
        rows = order[np.searchsorted(classes[order], begin) : np.searchsorted(classes[order], end)]
        table = np.zeros((end - begin, width))
        np.add.at(table, (classes[rows] - begin, values[rows]), counts[rows])
        yield slice(begin, end), table / sizes[begin:end, None]


# Each says which classes keep the rule: q are the shares of values within them, p those of the original table.


def _entropy(q: FloatArray, _: FloatArray, __: IntArray, rule: PromisedRule) -> BoolArray:
    bits = -(q * np.log2(np.where(q > 0, q, 1.0))).sum(axis=1)
    return np.asarray(bits >= np.log2(rule.low) - _ROUNDING)


def _recursive(q: FloatArray, _: FloatArray, sizes: IntArray, rule: PromisedRule) -> BoolArray:
    ranked = -np.sort(-np.rint(q * sizes[:, None]), axis=1)
    tail = ranked[:, int(np.ceil(rule.first)) - 1 :].sum(axis=1)
    return np.asarray(ranked[:, 0] < rule.high * tail)


def _equal(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    return np.asarray(np.abs(q - p).sum(axis=1) / 2 <= rule.high + _ROUNDING)


def _ordered(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    moved = np.abs(np.cumsum(q - p, axis=1)[:, :-1]).sum(axis=1)
    return np.asarray(moved / max(p.size - 1, 1) <= rule.high + _ROUNDING)


def _hierarchical(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    paths = np.array([rule.tree[value] for value in rule.values], dtype=np.int64)
    total = np.zeros(len(q))
    for branch in paths.T:
        join = (branch[:, None] == np.unique(branch)[None, :]).astype(np.float64)
        total += np.abs((q - p) @ join).sum(axis=1)
    return np.asarray(total / (2 * paths.shape[1]) <= rule.high + _ROUNDING)


def _gain(q: FloatArray, p: FloatArray) -> FloatArray:
    there = p > 0
    return np.asarray((q[:, there] - p[there]) / p[there])


def _beta(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    return np.asarray((_gain(q, p) <= rule.high * (1 + _ROUNDING) + _ROUNDING).all(axis=1))


def _beta_enhanced(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    most = np.minimum(rule.first, -np.log(p[p > 0]))
    return np.asarray((_gain(q, p) <= most * (1 + _ROUNDING) + _ROUNDING).all(axis=1))


def _delta(q: FloatArray, p: FloatArray, _: IntArray, rule: PromisedRule) -> BoolArray:
    there = p > 0
    with np.errstate(divide="ignore"):
        change = np.abs(np.log(q[:, there] / p[there]))
    return np.asarray((change < rule.high).all(axis=1))


def _alpha(q: FloatArray, _: FloatArray, __: IntArray, rule: PromisedRule) -> BoolArray:
    return np.asarray(q.max(axis=1) <= rule.high + _ROUNDING)


_KEEPS: dict[str, Callable[[FloatArray, FloatArray, IntArray, PromisedRule], BoolArray]] = {
    "entropy": _entropy,
    "recursive": _recursive,
    "equal": _equal,
    "ordered": _ordered,
    "hierarchical": _hierarchical,
    "beta": _beta,
    "beta-enhanced": _beta_enhanced,
    "delta": _delta,
    "alpha": _alpha,
}
