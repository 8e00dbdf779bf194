"""What a parameter may be, said once.

A constraint checks a value, reads one from text (the command line), and describes itself (help, error messages and
the controls of the web page). A method lists its constraints in a class attribute; nobody writes a second check.
"""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbstractSequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from discreet.errors import ParameterError

__all__ = [
    "AnyOf",
    "ByName",
    "Choice",
    "Constraint",
    "Control",
    "CountsBySize",
    "Flag",
    "Instance",
    "Integer",
    "ListOf",
    "Names",
    "Number",
    "Optional",
    "Seed",
    "Text",
    "check_parameters",
]


@dataclass(frozen=True)
class Control:
    """How a person is asked for a value: what a form draws, from the same constraint that checks the answer.

    Attributes
    ----------
    kind : {"integer", "number", "choice", "flag", "names", "text", "object"}
        An ``"object"`` (an operator, a matrix, a path) cannot be asked for in a form; it is given in Python.
    low, high : float, optional
        The ends of a number; `above` and `below` say that an end does not belong to it.
    choices : tuple of str
        The words to choose from; for ``"text"``, words that are also understood.
    optional : bool
        Whether an empty answer means None.
    """

    kind: str
    low: float | None = None
    high: float | None = None
    above: bool = False
    below: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False


class Constraint(ABC):
    """A set of allowed values."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Say whether `value` belongs to the set."""

    @abstractmethod
    def describe(self) -> str:
        """Finish the sentence "the parameter must be …"."""

    def parse(self, text: str) -> Any:
        """Turn what a user typed into a value; raise ValueError where that is impossible."""
        raise ValueError(text)

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:  # noqa: ARG002 - paths are in it
        """Turn what a file in `folder` holds into a value: text outside the set is read as if somebody had typed it."""
        return value if self.accepts(value) or not isinstance(value, str) else self.parse(value)

    def reason(self, value: Any) -> str:  # noqa: ARG002 - most have no more to say
        """Say why a value is outside the set, where there is more to say than what the set is."""
        return ""

    def control(self) -> Control:
        """Say how a form asks for a value."""
        return Control("object")


@dataclass(frozen=True)
class Integer(Constraint):
    """A whole number between `low` and `high`, both included.

    Examples
    --------
    >>> Integer(2).describe()
    'an integer of at least 2'
    >>> Integer(2).accepts(3), Integer(2).accepts(1), Integer(2).accepts(3.0), Integer(2).accepts(True)
    (True, False, False, False)
    """

    low: int | None = None
    high: int | None = None

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
            return False
        number = int(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def describe(self) -> str:
        if self.low is not None and self.high is not None:
            return f"an integer between {self.low} and {self.high}"
        if self.low is not None:
            return f"an integer of at least {self.low}"
        if self.high is not None:
            return f"an integer of at most {self.high}"
        return "an integer"

    def parse(self, text: str) -> int:
        return int(text)

    def control(self) -> Control:
        return Control("integer", self.low, self.high)


@dataclass(frozen=True)
class Number(Constraint):
    """A finite number between `low` and `high`; `open_low` and `open_high` exclude the ends.

    Examples
    --------
    >>> Number(0, 1, open_low=True).describe()
    'a number above 0 and at most 1'
    >>> Number(0).accepts(float("nan"))
    False
    """

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False

    def accepts(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not math.isfinite(value):
            return False
        number = float(value)
        above = self.low is None or (number > self.low if self.open_low else number >= self.low)
        below = self.high is None or (number < self.high if self.open_high else number <= self.high)
        return above and below

    def describe(self) -> str:
        parts = []
        if self.low is not None:
            parts.append(f"above {self.low:g}" if self.open_low else f"at least {self.low:g}")
        if self.high is not None:
            parts.append(f"below {self.high:g}" if self.open_high else f"at most {self.high:g}")
        if len(parts) == 1 and parts[0].startswith("at "):
            return f"a number of {parts[0]}"
        return " ".join(["a number", " and ".join(parts)]).strip()

    def parse(self, text: str) -> float:
        return float(text)

    def control(self) -> Control:
        return Control("number", self.low, self.high, self.open_low, self.open_high)


@dataclass(frozen=True)
class Choice(Constraint):
    """One of a few words."""

    options: tuple[str, ...]

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def describe(self) -> str:
        return "one of " + ", ".join(repr(option) for option in self.options)

    def parse(self, text: str) -> str:
        return text

    def control(self) -> Control:
        return Control("choice", choices=self.options)


@dataclass(frozen=True)
class Flag(Constraint):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, (bool, np.bool_))

    def describe(self) -> str:
        return "True or False"

    def parse(self, text: str) -> bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.strip().lower() not in words:
            raise ValueError(text)
        return words[text.strip().lower()]

    def control(self) -> Control:
        return Control("flag")


@dataclass(frozen=True)
class Text(Constraint):
    """Any text, such as a budget of "10s"."""

    meaning: str = "text"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def describe(self) -> str:
        return self.meaning

    def parse(self, text: str) -> str:
        return text

    def control(self) -> Control:
        return Control("text")


@dataclass(frozen=True)
class Names(Constraint):
    """A list of attribute names, none twice."""

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str) or not isinstance(value, AbstractSequence) or not value:
            return False
        return all(isinstance(name, str) for name in value) and len(set(value)) == len(value)

    def describe(self) -> str:
        return "a list of different attribute names"

    def parse(self, text: str) -> list[str]:
        return [name.strip() for name in text.split(",") if name.strip()]

    def control(self) -> Control:
        return Control("names")


@dataclass(frozen=True)
class ListOf(Constraint):
    """A list of what another constraint allows; typed with semicolons between the items, or with brackets.

    Examples
    --------
    >>> ListOf(Names()).parse("age, sex; age, region")
    [['age', 'sex'], ['age', 'region']]
    >>> ListOf(ListOf(Integer(0))).parse("0, 3; 1, 4") == ListOf(ListOf(Integer(0))).parse("[[0, 3], [1, 4]]")
    True
    """

    inner: Constraint

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str) or not isinstance(value, AbstractSequence) or not value:
            return False
        return all(self.inner.accepts(item) for item in value)

    def describe(self) -> str:
        return f"a list, each item {self.inner.describe()}"

    def reason(self, value: Any) -> str:
        items = value if isinstance(value, (list, tuple)) else ()
        return next((why for item in items if (why := self.inner.reason(item))), "")

    def parse(self, text: str) -> list[Any]:
        with suppress(ValueError):  # also a column may be called "[old]": what no bracketed list is, is read as others
            if text.lstrip().startswith("[") and self.accepts(items := json.loads(text)):
                return list(items)
        return [self._item(item) for item in text.split(";") if item.strip()]

    def _item(self, text: str) -> Any:
        # A semicolon ends an item of the outer list, so that those of an inner one have commas between them.
        return self.inner.parse(text.replace(",", ";") if isinstance(self.inner, ListOf) else text)

    def control(self) -> Control:
        return _typed(self.inner)


@dataclass(frozen=True)
class ByName(Constraint):
    """A value for each of some names; typed as ``age=5; income=100``.

    Examples
    --------
    >>> ByName(Integer(1)).parse("age=5; income=100")
    {'age': 5, 'income': 100}
    >>> ByName(Integer(1)).describe()
    'a mapping of names to values, each an integer of at least 1'
    """

    inner: Constraint

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not value:
            return False
        return all(isinstance(name, str) and self.inner.accepts(item) for name, item in value.items())

    def describe(self) -> str:
        return f"a mapping of names to values, each {self.inner.describe()}"

    def reason(self, value: Any) -> str:
        items = value.values() if isinstance(value, Mapping) else ()
        return next((why for item in items if (why := self.inner.reason(item))), "")

    def parse(self, text: str) -> dict[str, Any]:
        result = {}
        for item in text.split(";"):
            name, equals, value = item.partition("=")
            if not equals:
                raise ValueError(text)
            result[name.strip()] = self.inner.parse(value.strip())
        return result

    def control(self) -> Control:
        return _typed(self.inner)


@dataclass(frozen=True)
class CountsBySize(ByName):
    """A value for each of some sizes, whole numbers that a text file writes as names; typed as ``1=10; 2=20``.

    Examples
    --------
    >>> CountsBySize(Integer(2)).parse("1=10; 2=20")
    {1: 10, 2: 20}
    >>> (
    ...     CountsBySize(Integer(2)).accepts({"1": 10}),
    ...     CountsBySize(Integer(2)).accepts({0: 10}),
    ...     CountsBySize(Integer(2)).accepts({"x": 2}),
    ... )
    (True, False, False)
    """

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Mapping) or not value:
            return False
        sizes = [_as_size(name) for name in value]
        return all(sizes) and len(set(sizes)) == len(sizes) and all(map(self.inner.accepts, value.values()))

    def describe(self) -> str:
        return f"a mapping of sizes of at least 1 to values, each {self.inner.describe()}"

    def parse(self, text: str) -> dict[Any, Any]:
        return {int(name): value for name, value in super().parse(text).items()}


def _as_size(name: Any) -> int:
    """Return a size that is written as a number or a name; 0 where it is none."""
    if isinstance(name, str):
        return int(name) if name.isascii() and name.isdigit() else 0
    return name if isinstance(name, int) and not isinstance(name, bool) and name > 0 else 0


@dataclass(frozen=True)
class Seed(Constraint):
    """None, a non-negative integer, or a NumPy generator or seed sequence."""

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, (np.random.Generator, np.random.SeedSequence)):
            return True
        return Integer(0).accepts(value)

    def describe(self) -> str:
        return "None, an integer of at least 0, or a numpy.random.Generator"

    def parse(self, text: str) -> int:
        return int(text)

    def control(self) -> Control:
        return Control("integer", 0, optional=True)


@dataclass(frozen=True)
class Instance(Constraint):
    """An object of a class, such as an operator."""

    kind: type
    meaning: str = ""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.kind)

    def describe(self) -> str:
        return self.meaning or f"a {self.kind.__name__}"


@dataclass(frozen=True)
class Optional(Constraint):
    """None, or what another constraint allows."""

    inner: Constraint

    def accepts(self, value: Any) -> bool:
        return value is None or self.inner.accepts(value)

    def describe(self) -> str:
        return f"None or {self.inner.describe()}"

    def reason(self, value: Any) -> str:
        return self.inner.reason(value)

    def parse(self, text: str) -> Any:
        return None if text.strip().lower() == "none" else self.inner.parse(text)

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        if isinstance(value, str) and value.strip().lower() == "none" and not self.inner.accepts(value):
            return None
        return None if value is None else self.inner.read(value, folder)

    def control(self) -> Control:
        return replace(self.inner.control(), optional=True)


class AnyOf(Constraint):
    """What any of several constraints allows; text is read by the first that can."""

    def __init__(self, *inner: Constraint) -> None:
        self.inner = inner

    def accepts(self, value: Any) -> bool:
        return any(constraint.accepts(value) for constraint in self.inner)

    def describe(self) -> str:
        return " or ".join(constraint.describe() for constraint in self.inner)

    def reason(self, value: Any) -> str:
        return next((why for constraint in self.inner if (why := constraint.reason(value))), "")

    def parse(self, text: str) -> Any:
        for constraint in self.inner:
            try:
                value = constraint.parse(text)
            except ValueError:
                continue
            if constraint.accepts(value):
                return value
        raise ValueError(text)

    def control(self) -> Control:
        """Ask for a word where there are words only, for text otherwise; never for what may also be a path.

        Examples
        --------
        >>> AnyOf(Integer(1), Text("a time such as '10s'")).control().kind
        'text'
        >>> AnyOf(Choice(("mean", "median")), ListOf(Instance(object))).control().choices
        ('mean', 'median')
        """
        if any(isinstance(c, Instance) and c.kind is os.PathLike for c in self.inner):
            return Control("object")
        controls = [control for control in (c.control() for c in self.inner) if control.kind != "object"]
        if len(controls) == 1:
            return controls[0]
        words = tuple(word for control in controls for word in control.choices)
        return Control("text", choices=words) if controls else Control("object")


def _typed(inner: Constraint) -> Control:
    """Return the control of several values of one kind: text, unless a value cannot be typed between semicolons."""
    deeper = isinstance(inner, ListOf) and isinstance(inner.inner, (ListOf, ByName, Names))
    nested = deeper or isinstance(inner, ByName)
    return Control("object") if nested or inner.control().kind == "object" else Control("text")


def check_parameters(
    owner: str,
    values: Mapping[str, Any],
    constraints: Mapping[str, Constraint],
    *,
    hint: str | Callable[[str], str] = "",
) -> None:
    """Raise the one shape of parameter error for the first value outside its constraint.

    Parameters
    ----------
    owner : str
        The method's name, as the user wrote it.
    values, constraints : mapping
        By parameter name. A value without a constraint is not checked.
    hint : str or callable
        The hint, or a function from the parameter's name to it.

    Raises
    ------
    ParameterError
        ``MDAV: k must be an integer of at least 2; got 1.``

    Examples
    --------
    >>> check_parameters("MDAV", {"k": 1}, {"k": Integer(2)})
    Traceback (most recent call last):
    discreet.errors.ParameterError: MDAV: k must be an integer of at least 2; got 1.
    """
    for name, value in values.items():
        constraint = constraints.get(name)
        if constraint is not None and not constraint.accepts(value):
            text = repr(value) if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__
            raise ParameterError(
                f"{owner}: {name} must be {constraint.describe()}; got {text}.",
                hint=(hint(name) if callable(hint) else hint) or constraint.reason(value),
            )
