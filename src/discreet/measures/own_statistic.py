"""Figures as somebody publishes them, "mean(income) by region where age >= 18", read and taken from sums that merge."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.data.formula import Formula, columns_of
from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray, IntArray

__all__ = ["AGGREGATES", "GroupSums", "PublishedFigure", "SumsOfGroups"]

AGGREGATES = ("count", "sum", "mean", "share", "var", "sd")
_CLAUSE = re.compile(r"\s+(by|where)\s+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]+`")
_SINGLE = re.compile(r"(?<![<>=!])=(?!=)")
_MOST_GROUPS = 100_000


@dataclass(frozen=True)
class PublishedFigure:
    """A figure in words.

    Parameters
    ----------
    text : str
        An expression of count(), sum(…), mean(…), share(condition), var(…) and sd(…), then ``by`` columns and
        ``where`` a condition, either or both.
    owner : str

    Examples
    --------
    >>> figure = PublishedFigure("sum(wage) / count() by region where age >= 18", "OwnStatistics")
    >>> figure.groups, figure.names
    (('region',), ('wage', 'age'))
    """

    text: str
    owner: str
    whole: Any = field(init=False, repr=False, compare=False)
    inner: Any = field(init=False, repr=False, compare=False)
    groups: tuple[str, ...] = field(init=False, repr=False, compare=False)
    where: Any = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        head, groups, condition = self._clauses()
        inner: list[tuple[str, Formula | None]] = []
        try:
            tree = ast.parse(head.strip(), mode="eval").body
            outer = _Outer(head.strip(), self.owner, inner)
            outer_text = ast.unparse(ast.fix_missing_locations(outer.visit(tree)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._wrong() from None
        if not inner:
            raise self._wrong()
        whole = Formula(outer_text, self.owner)
        if not set(whole.names) <= {f"figure_{place}" for place in range(len(inner))}:
            raise self._wrong()
        where = None if condition is None else Formula(condition, self.owner)
        formulas = [one for _, one in inner if one is not None] + ([where] if where is not None else [])
        names = tuple(dict.fromkeys(name for formula in formulas for name in formula.names))
        for name, part in (
            ("whole", whole),
            ("inner", tuple(inner)),
            ("groups", groups),
            ("where", where),
            ("names", names),
        ):
            object.__setattr__(self, name, part)

    def _wrong(self) -> ParameterError:
        shown = self.text if len(self.text) <= 80 else self.text[:77] + "..."
        return ParameterError(
            f"{self.owner}: {shown!r} is no statistic.",
            hint='Such as "mean(income) by region" or "sum(rent) / sum(income) where age >= 18".',
        )

    def _clauses(self) -> tuple[str, tuple[str, ...], str | None]:
        """Return the expression, the columns after ``by`` and the condition after ``where``."""
        kept: list[str] = []

        def held(match: re.Match[str]) -> str:
            kept.append(match.group())
            return f"\x00{len(kept) - 1}\x00"

        def back(part: str) -> str:
            return re.sub("\x00(\\d+)\x00", lambda m: kept[int(m.group(1))], part)

        parts = _CLAUSE.split(_QUOTED.sub(held, self.text))
        clauses = dict(zip(parts[1::2], parts[2::2], strict=True))
        if len(parts) > 1 + 2 * len(clauses):
            raise self._wrong()
        groups = tuple(back(name.strip()).strip("`") for name in clauses["by"].split(",")) if "by" in clauses else ()
        # Names in backticks within a function's brackets are kept for the formula that reads them.
        condition = clauses.get("where")
        return _quoted_names(back(_SINGLE.sub("==", parts[0]))), groups, None if condition is None else back(condition)

    def figures(self, sums: FloatArray) -> FloatArray:
        """Return the figure of every group from its sums, (aggregates, 3, groups): weight, mean, squares; or NaN."""
        columns = {}
        for place, ((kind, _), (weight, mean, squares)) in enumerate(zip(self.inner, sums, strict=True)):
            some = np.where(weight > 0, weight, np.nan)
            columns[f"figure_{place}"] = {
                "count": weight,
                "sum": weight * mean,
                "mean": mean + 0.0 * some,
                "share": mean + 0.0 * some,
                "var": squares / some,
                "sd": np.sqrt(squares / some),
            }[kind]
        return np.asarray(self.whole.value(columns), dtype=np.float64)


def _quoted_names(text: str) -> str:
    """Return an expression that Python can read: names in backticks as calls that are taken back later."""
    return re.sub(r"`([^`]+)`", lambda match: f"__named__({match.group(1)!r})", text)


class _Outer(ast.NodeTransformer):
    """Takes the aggregates out of an expression, and puts names in their place."""

    def __init__(self, text: str, owner: str, inner: list[tuple[str, Formula | None]]) -> None:
        self.text, self.owner, self.inner = text, owner, inner

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in AGGREGATES:
            return self.generic_visit(node)
        if node.keywords or len(node.args) != (0 if name == "count" else 1):
            raise ValueError
        written = [re.sub(r"__named__\('([^']+)'\)", r"`\1`", ast.unparse(argument)) for argument in node.args]
        self.inner.append((name, Formula(written[0], self.owner) if written else None))
        return ast.copy_location(ast.Name(f"figure_{len(self.inner) - 1}", ast.Load()), node)


@dataclass(frozen=True, repr=False)
class GroupSums:
    """Of both files, by aggregate and group: weight, mean and squares about it; and the records of every group.

    Attributes
    ----------
    sums : (2, aggregates, 3, groups) float64
    records : (2, groups) int64
    """

    sums: FloatArray
    records: IntArray

    def merge(self, later: GroupSums, /) -> GroupSums:
        (w, mean, squares), (v, other, more) = (np.moveaxis(one.sums, 2, 0) for one in (self, later))
        total = w + v
        share = np.divide(v, total, out=np.zeros_like(total), where=total > 0)
        step = other - mean
        merged = np.stack([total, mean + step * share, squares + more + step**2 * w * share], axis=2)
        return GroupSums(merged, self.records + later.records)


@dataclass(frozen=True)
class SumsOfGroups(OfBothFiles):
    """Ask for the sums that a figure is made of, in both files."""

    figure: PublishedFigure
    levels: tuple[JoinedLevels, ...]
    weight: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.figure.names, *self.figure.groups)))

    def summarise(self, block: Block, /) -> GroupSums:
        held: Any = None if self.weight is None else block.original.weights()
        weights = np.ones(len(block)) if held is None else held
        sizes = tuple(one.size for one in self.levels)
        groups = int(np.prod(sizes, dtype=float)) if sizes else 1
        if groups > _MOST_GROUPS:
            raise ParameterError(
                f"{self.figure.owner}: {len(sizes)} columns after by make {groups:,} groups, and up to "
                f"{_MOST_GROUPS:,} are compared."
            )
        codes = [block.levels(name, one) for name, one in zip(self.figure.groups, self.levels, strict=True)]
        sums, records = [], []
        for side, table in enumerate((block.original, block.release)):
            place = (
                np.ravel_multi_index([two[side] for two in codes], sizes)
                if codes
                else np.zeros(len(block), dtype=np.int64)
            )
            one, count = self._side(table, place, groups, weights)
            sums.append(one)
            records.append(count)
        return GroupSums(np.stack(sums), np.stack(records))

    def _side(self, table: Microdata, place: IntArray, groups: int, weights: FloatArray) -> tuple[FloatArray, IntArray]:
        n, columns = len(table), columns_of(table, self.figure.names)
        chosen = np.ones(n, dtype=np.bool_)
        if self.figure.where is not None:
            held = np.broadcast_to(self.figure.where.value(columns), (n,))
            if held.dtype != np.bool_:
                raise ParameterError(f"{self.figure.owner}: what follows where must be a condition.")
            chosen = self.figure.where.known(columns, n) & held
        sums = np.zeros((len(self.figure.inner), 3, groups))
        for row, (_, formula) in enumerate(self.figure.inner):
            numbers = np.ones(n)
            counted = chosen.copy()
            if formula is not None:
                value = formula.value(columns)
                value = value.numbers if hasattr(value, "numbers") else value
                if value is None or isinstance(value, str):
                    raise ParameterError(f"{self.figure.owner}: {formula.text!r} has no number.")
                numbers = np.broadcast_to(np.asarray(value, dtype=np.float64), (n,))
                counted &= formula.known(columns, n) & np.isfinite(numbers)
            where, x, w = place[counted], numbers[counted], weights[counted]
            total = np.bincount(where, weights=w, minlength=groups)
            mean = np.bincount(where, weights=w * x, minlength=groups) / np.where(total > 0, total, 1.0)
            sums[row] = total, mean, np.bincount(where, weights=w * (x - mean[where]) ** 2, minlength=groups)
        return sums, np.bincount(place[chosen], minlength=groups)
