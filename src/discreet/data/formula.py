"""A small language of columns, numbers and comparisons, read without ever running what it says as Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.errors import DiscreetError, ParameterError
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["Formula", "LevelColumn", "columns_of"]

_LONGEST = 1000
_SLACK = 1e-9
"""Of the larger of two numbers: what they may differ by and still be equal, since sums of decimals are not exact."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]+`")
_SINGLE = re.compile(r"(?<![<>=!])=(?!=)")


@dataclass(frozen=True, repr=False)
class LevelColumn:
    """A categorical column: codes, −1 where missing, and what the levels are called."""

    codes: IntArray
    levels: tuple[str, ...]
    ordered: bool

    @property
    def numbers(self) -> FloatArray | None:
        """The levels as numbers, where all of them are."""
        try:
            values = np.array([*map(float, self.levels), np.nan])
        except ValueError:
            return None
        return np.asarray(values[self.codes], dtype=np.float64)

    def places(self, other: tuple[str, ...]) -> IntArray:
        """Return the codes as positions in other levels; −2 where these lack one, and −1 where the cell is missing."""
        found = {level: place for place, level in enumerate(other)}
        table = np.array([*(found.get(level, -2) for level in self.levels), -1], dtype=np.int64)
        return np.asarray(table[self.codes])


def columns_of(table: Microdata, names: tuple[str, ...]) -> dict[str, FloatArray | LevelColumn]:
    """Return columns as a formula reads them."""
    result: dict[str, FloatArray | LevelColumn] = {}
    for name in names:
        scale = table.schema[name].scale
        if isinstance(scale, Categorical):
            codes = np.asarray(table.encoded(name), dtype=np.int64)
            result[name] = LevelColumn(codes, tuple(str(level) for level in scale.levels), scale.ordered)
        else:
            result[name] = np.asarray(table.encoded(name), dtype=np.float64)
    return result


_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "abs": (1, np.abs),
    "sqrt": (1, np.sqrt),
    "log": (1, np.log),
    "exp": (1, np.exp),
    "floor": (1, np.floor),
    "ceil": (1, np.ceil),
    "round": (1, np.round),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
}


@dataclass(frozen=True)
class Formula:
    """A formula of columns: numbers, texts in quotes, ``+ - * / % **``, comparisons, ``in (…)``, ``and or not``.

    Functions are abs, sqrt, log, exp, floor, ceil, round, min and max; ``missing(column)`` says whether a cell is. One
    equals sign is as good as two. A name that is no word stands in backticks.

    Parameters
    ----------
    text : str
    owner : str
        Who asks, for messages.

    Examples
    --------
    >>> formula = Formula("total = wage + `other pay`", "Relations")
    >>> formula.names
    ('total', 'wage', 'other pay')
    >>> formula.value({"total": np.array([3.0, 4.0]), "wage": np.array([1.0, 2.0]), "other pay": np.array([2.0, 1.0])})
    array([ True, False])
    """

    text: str
    owner: str
    tree: ast.expr = field(init=False, repr=False, compare=False)
    written: Mapping[str, str] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    needed: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The columns without which a record has no value: all but those that are only asked whether they are missing."""

    def __post_init__(self) -> None:
        written: dict[str, str] = {}

        def replaced(match: re.Match[str]) -> str:
            quoted = match.group()
            if quoted[0] != "`":
                return quoted
            return next((k for k, v in written.items() if v == quoted[1:-1]), None) or _named(written, quoted[1:-1])

        parts, end = [], 0
        for match in _QUOTED.finditer(self.text):
            parts += [_SINGLE.sub("==", self.text[end : match.start()]), replaced(match)]
            end = match.end()
        parts.append(_SINGLE.sub("==", self.text[end:]))
        try:
            # What is too long is no formula either: an empty text is none.
            tree = ast.parse("".join(parts).strip() if len(self.text) <= _LONGEST else "", mode="eval").body
            nodes = list(ast.walk(tree))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ParameterError(
                f"{self.owner}: {_short(self.text)!r} is no formula.",
                hint='Such as "total = wage + other" or "age >= 15 or married == \'no\'".',
            ) from None
        object.__setattr__(self, "tree", tree)
        object.__setattr__(self, "written", written)
        functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        asked = {
            id(argument)
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "missing"
            for argument in node.args
        }
        found = sorted(
            (node for node in nodes if isinstance(node, ast.Name) and id(node) not in functions),
            key=lambda node: (node.lineno, node.col_offset),
        )
        every = [(written.get(node.id, node.id), id(node) in asked) for node in found]
        object.__setattr__(self, "names", tuple(dict.fromkeys(name for name, _ in every)))
        object.__setattr__(self, "needed", tuple(dict.fromkeys(name for name, only in every if not only)))
        self._check(tree)

    # ------------------------------------------------------------------------------------------------------ reading

    def _refuse(self, what: str) -> NoReturn:
        raise ParameterError(f"{self.owner}: {what} in the formula {_short(self.text)!r}.", hint=_HINT)

    def _check(self, node: ast.AST) -> None:
        """Refuse whatever the language does not have, before any record is seen."""
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name == "missing":
                if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Name):
                    self._refuse("missing takes a column")
                return
            if name not in _FUNCTIONS or node.keywords or len(node.args) != _FUNCTIONS[name][0]:
                self._refuse("there is a function that is not known, or has other arguments than it takes")
            for argument in node.args:
                self._check(argument)
            return
        if isinstance(node, ast.Constant):
            if not isinstance(node.value, (bool, int, float, str)):
                self._refuse("there is something that is neither a number nor a text")
            return
        if isinstance(node, ast.BinOp) and type(node.op) not in _ARITHMETIC:
            self._refuse("there is an operator that is not known")
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, (ast.USub, ast.UAdd, ast.Not)):
            self._refuse("there is an operator that is not known")
        if isinstance(node, ast.Compare):
            for operator, right in zip(node.ops, node.comparators, strict=True):
                listed = isinstance(right, (ast.Tuple, ast.List))
                if listed != isinstance(operator, (ast.In, ast.NotIn)) or isinstance(operator, (ast.Is, ast.IsNot)):
                    self._refuse("there is a comparison that is not known")
                for part in right.elts if isinstance(right, (ast.Tuple, ast.List)) else (right,):
                    self._check(part)
            self._check(node.left)
            return
        if not isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Name)):
            self._refuse("there is something that is not known")
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._check(child)

    # ---------------------------------------------------------------------------------------------------- computing

    def known(self, columns: Mapping[str, FloatArray | LevelColumn], n: int) -> BoolArray:
        """Return which records have all that the formula needs."""
        result: BoolArray = np.ones(n, dtype=np.bool_)
        for name in self.needed:
            result &= ~_absent(columns[name])
        return result

    def value(self, columns: Mapping[str, FloatArray | LevelColumn], slack: float = 0.0) -> Any:
        """Return the value for every record; equal numbers may differ by `slack`, and by rounding."""
        try:
            with np.errstate(all="ignore"):
                return self._of(self.tree, columns, slack)
        except DiscreetError:
            raise
        except (TypeError, ValueError, IndexError, RecursionError):
            raise ParameterError(
                f"{self.owner}: the formula {_short(self.text)!r} has numbers where texts belong, or the other way "
                "round.",
                hint=_HINT,
            ) from None

    def _of(self, node: ast.AST, columns: Mapping[str, Any], slack: float) -> Any:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (str, bool)) else np.float64(cast("float", node.value))
        if isinstance(node, ast.Name):
            return columns[self.written.get(node.id, node.id)]
        if isinstance(node, ast.UnaryOp):
            inner = self._of(node.operand, columns, slack)
            return (
                ~_truth(inner)
                if isinstance(node.op, ast.Not)
                else (-1.0 if isinstance(node.op, ast.USub) else 1.0) * _number(inner)
            )
        if isinstance(node, ast.BinOp):
            two = (_number(self._of(side, columns, slack)) for side in (node.left, node.right))
            return _ARITHMETIC[type(node.op)](*two)
        if isinstance(node, ast.BoolOp):
            parts = [_truth(self._of(part, columns, slack)) for part in node.values]
            return (np.logical_and if isinstance(node.op, ast.And) else np.logical_or).reduce(
                np.broadcast_arrays(*parts)
            )
        if isinstance(node, ast.Call):
            name = cast("ast.Name", node.func).id
            arguments = [self._of(part, columns, slack) for part in node.args]
            return _absent(arguments[0]) if name == "missing" else _FUNCTIONS[name][1](*map(_number, arguments))
        compared = cast("ast.Compare", node)
        left = self._of(compared.left, columns, slack)
        result: Any = np.bool_(True)
        for operator, right_node in zip(compared.ops, compared.comparators, strict=True):
            if isinstance(right_node, (ast.Tuple, ast.List)):
                held: Any = np.bool_(False)
                for part in right_node.elts:
                    held = held | _compared(ast.Eq(), left, self._of(part, columns, slack), slack)
                result = result & (held if isinstance(operator, ast.In) else ~held)
                continue
            right = self._of(right_node, columns, slack)
            result = result & _compared(operator, left, right, slack)
            left = right
        return result


_HINT = "Columns, numbers, texts in quotes, + - * / % **, comparisons, in (…), and, or, not, abs, min, max, missing."


def _named(written: dict[str, str], name: str) -> str:
    key = f"_column_{len(written)}_"
    written[key] = name
    return key


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _absent(column: Any) -> Any:
    return column.codes < 0 if isinstance(column, LevelColumn) else np.isnan(column)


def _number(value: Any) -> Any:
    if isinstance(value, LevelColumn):
        value = value.numbers
    if value is None or isinstance(value, str):
        raise TypeError
    return value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype == np.bool_ else value


def _truth(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return np.bool_(value)
    if not isinstance(value, np.ndarray) or value.dtype != np.bool_:
        raise TypeError
    return value


def _compared(operator: ast.cmpop, left: Any, right: Any, slack: float) -> Any:
    """Return where a comparison holds; levels are compared by what they are called or, ordered, by their places."""
    if isinstance(right, LevelColumn) and not isinstance(left, LevelColumn):
        return _compared(_TURNED[type(operator)](), right, left, slack)
    if isinstance(left, LevelColumn) and isinstance(right, (str, bool, LevelColumn)):
        codes: Any
        if isinstance(right, LevelColumn):
            codes = right.places(left.levels)
        else:
            codes = left.levels.index(str(right)) if str(right) in left.levels else -2
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return (left.codes == codes) == isinstance(operator, ast.Eq)
        if not left.ordered:
            raise TypeError
        return _ORDERS[type(operator)](left.codes, codes) & (codes >= 0)
    first, second = _number(left), _number(right)
    apart = np.abs(first - second)
    near = (apart <= slack + _SLACK * np.maximum(np.abs(first), np.abs(second))) & np.isfinite(apart)
    near = near | (first == second)  # also two infinite ones
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return near if isinstance(operator, ast.Eq) else ~near
    plain = _ORDERS[type(operator)](first, second)
    return plain | near if isinstance(operator, (ast.LtE, ast.GtE)) else plain & ~near


_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
