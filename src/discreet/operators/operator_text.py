"""Operators, quantifiers and distances as users type them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np

from discreet.data.scales import Scale, Sequence
from discreet.data.scales.dissimilarities import OSSOWA, Dissimilarity, dissimilarity_named, dissimilarity_names
from discreet.errors import DiscreetError, ParameterError
from discreet.operators.item_prototypes import FrequentItems
from discreet.operators.numbers.quantifiers import (
    Interpolated,
    Linear,
    PiecewiseLinear,
    Power,
    Quantifier,
    Sigmoid,
    Threshold,
)
from discreet.operators.path_prototypes import MeanPath
from discreet.operators.prototypes import Medoid, SequenceOperator, sequence_operator_named, sequence_operator_names
from discreet.operators.query_prototypes import SharedTerms
from discreet.operators.series_prototypes import PointwiseMean
from discreet.parameters import AnyOf, Choice, Constraint, Control, Instance, Number, Optional, Text, check_parameters
from discreet.registry import unknown_name, unknown_parameter
from discreet.typing import FloatArray

__all__ = [
    "DISTANCE",
    "NAMED_QUANTIFIERS",
    "PROTOTYPE",
    "QUANTIFIER",
    "FunctionQuantifier",
    "as_dissimilarity",
    "as_quantifier",
    "as_sequence_operator",
    "check_quantifier",
    "parse_quantifier",
    "quantifier_with_orness",
]

_EVENTS: Scale = Sequence(("",))

OPERATORS_OF_OTHERS = (FrequentItems, PointwiseMean, MeanPath, SharedTerms)
"""Prototypes of what is no sequence of events, one of each file; entered in the registry by being loaded."""

NAMED_QUANTIFIERS: dict[str, Quantifier] = {
    "all": PiecewiseLinear([(1, 0)]),
    "at least one": Threshold(0.0),
    "about half": Linear(0.25, 0.75),
    "at least half": Linear(0.0, 0.5),
    "most": Linear(0.3, 0.8),
    "as many as possible": Linear(0.5, 1.0),
}
"""Quantifiers with a name in natural language (Yager 1988, 1996)."""


def check_quantifier(function: Callable[[Any], Any], *, points: int = 1001) -> None:
    """Raise unless a function is a quantifier as far as a grid of `points` can tell.

    Raises
    ------
    ParameterError
        Naming the axiom and where it fails: the ends, the range, or monotonicity.

    Examples
    --------
    >>> check_quantifier(lambda x: x**2)
    >>> check_quantifier(lambda x: 4 * x * (1 - x))
    Traceback (most recent call last):
    discreet.errors.ParameterError: Quantifier: Q(1) must be 1; got 0.
    """
    x = np.linspace(0.0, 1.0, points)
    y = np.array([float(function(float(value))) for value in x])
    if not np.isfinite(y).all():
        raise ParameterError(f"Quantifier: Q must be finite; it is not at {int((~np.isfinite(y)).sum())} of {points}.")
    for end, bound in ((0, 0.0), (-1, 1.0)):
        if abs(y[end] - bound) > 1e-9:
            raise ParameterError(f"Quantifier: Q({bound:g}) must be {bound:g}; got {y[end]:g}.")
    falls = np.flatnonzero(np.diff(y) < -1e-12)
    if falls.size:
        low, high = x[falls[0]], x[falls[0] + 1]
        raise ParameterError(f"Quantifier: Q must not decrease; it does between x = {low:g} and x = {high:g}.")


@dataclass(frozen=True)
class FunctionQuantifier(Quantifier):
    """A user's function, checked to be a quantifier. Made by `as_quantifier`."""

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        check_quantifier(self.function)

    def evaluate(self, x: FloatArray) -> FloatArray:
        return np.array([float(self.function(float(value))) for value in x.ravel()]).reshape(x.shape)

    def __repr__(self) -> str:
        return f"FunctionQuantifier({getattr(self.function, '__name__', 'function')})"


def as_quantifier(source: Any) -> Quantifier:
    """Turn text, a function or a weight vector into a quantifier; a quantifier is returned as it is.

    Examples
    --------
    >>> as_quantifier("power:2"), as_quantifier([0.5, 0.5])
    (Power(alpha=2.0), Interpolated(vector=(0.5, 0.5), smooth=False))
    """
    if isinstance(source, Quantifier):
        return source
    if isinstance(source, str):
        return parse_quantifier(source)
    if callable(source):
        return FunctionQuantifier(source)
    if isinstance(source, Iterable):
        return Interpolated(tuple(source))
    raise ParameterError(
        f"Quantifier: it must be a Quantifier, text, a function or a weight vector; got {type(source).__name__}."
    )


def _numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def _sigmoid(ends: Literal["pinned", "plain"], alpha: float, slope: float = 10.0) -> Quantifier:
    return Sigmoid(alpha, slope, ends)


_READERS: dict[str, Callable[[str], Quantifier]] = {
    "power": lambda text: Power(*_numbers(text)),
    "sigmoid": lambda text: _sigmoid("pinned", *_numbers(text)),
    "plain-sigmoid": lambda text: _sigmoid("plain", *_numbers(text)),
    "threshold": lambda text: Threshold(*_numbers(text)),
    "linear": lambda text: Linear(*_numbers(text)),
    "points": lambda text: PiecewiseLinear([(x, y) for x, y in map(_numbers, text.split(";"))]),
    "weights": lambda text: Interpolated(_numbers(text)),
    "smooth-weights": lambda text: Interpolated(_numbers(text), smooth=True),
}


def parse_quantifier(text: str) -> Quantifier:
    """Read a quantifier such as ``"power:2"``, ``"linear:0.3,0.8"`` or ``"about half"``.

    Numbers follow the family after a colon, separated by commas, in the order of its parameters; the pairs of
    ``points:`` are separated by semicolons.

    Examples
    --------
    >>> parse_quantifier("linear:0.3,0.8")
    Linear(low=0.3, high=0.8)
    >>> parse_quantifier("at least one")
    Threshold(alpha=0.0)
    """
    word, _, rest = text.strip().partition(":")
    named = NAMED_QUANTIFIERS.get(" ".join(word.replace("-", " ").replace("_", " ").lower().split()))
    if named is not None and not rest:
        return named
    reader = _READERS.get(word.strip().lower())
    if reader is None:
        raise unknown_name("quantifier", word, [*NAMED_QUANTIFIERS, *(f"{family}:…" for family in _READERS)])
    try:
        return reader(rest)
    except DiscreetError:
        raise
    except (TypeError, ValueError):
        raise ParameterError(
            f"Quantifier: {text!r} cannot be read.", hint="Write the family, a colon and numbers: power:2"
        ) from None


def quantifier_with_orness(orness: float, *, family: str = "power", m: int | None = None) -> Quantifier:
    """Return the member of a family whose OWA has a wanted orness.

    Parameters
    ----------
    orness : float
        Strictly between 0 (minimum) and 1 (maximum).
    family : {"power", "sigmoid", "threshold"}
        A threshold reaches any orness only in the limit, for `m` None.
    m : int, optional
        For how many values; None is the limit for many.

    Raises
    ------
    ParameterError
        Also where the family cannot reach the orness, such as a sigmoid near 0 or 1.

    Examples
    --------
    >>> quantifier_with_orness(0.25)
    Power(alpha=3.0)
    """
    owner = "quantifier_with_orness"
    check_parameters(owner, {"orness": orness}, {"orness": Number(0, 1, open_low=True, open_high=True)})
    check_parameters(owner, {"family": family}, {"family": Choice(("power", "sigmoid", "threshold"))})
    if family == "threshold":
        if m is not None:
            raise ParameterError(f"{owner}: m must be None for a threshold, whose orness moves in steps; got {m}.")
        return Threshold(1.0 - orness)
    if family == "power" and m is None:
        return Power(1.0 / orness - 1.0)
    from scipy.optimize import brentq

    # Orness falls as the parameter grows, in both families; the power is searched for in its logarithm.
    low, high = (-20.0, 20.0) if family == "power" else (0.0, 1.0)

    def member(parameter: float) -> Quantifier:
        return Power(float(np.exp(parameter))) if family == "power" else Sigmoid(parameter)

    def excess(parameter: float) -> float:
        return member(parameter).orness(m) - orness

    if not excess(low) >= 0 >= excess(high):
        raise ParameterError(f"{owner}: the {family} family cannot reach orness {orness:g}.", hint="Use power.")
    return member(float(brentq(excess, low, high, xtol=1e-14)))


OWN = "own"
"""What says that the scale decides: its own distance, its own prototype."""


class _DistanceText(Constraint):
    """A dissimilarity as it is typed: its name, and after a colon its one parameter that is a number."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and ":" in value and not self.reason(value)

    def describe(self) -> str:
        return 'one with its parameter such as "dtw:0.2"'

    def reason(self, value: Any) -> str:
        try:
            _distance_of(value)
        except DiscreetError as error:
            return str(error)
        return ""

    def parse(self, text: str) -> str:
        return text.strip()

    def control(self) -> Control:
        return Control("text")


DISTANCE: Constraint = AnyOf(
    Choice((OWN, *dissimilarity_names())), _DistanceText(), Instance(Dissimilarity, "a Dissimilarity")
)
"""What `distance` may be, wherever a method has one."""


QUANTIFIER: Constraint = Optional(AnyOf(Text('text such as "power:2"'), Instance(Quantifier, "a Quantifier")))
"""What `quantifier` may be."""


class _SequenceText(Constraint):
    """An operator on sequences as it is typed: its name, and after a colon its one parameter."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and ":" in value and not self.reason(value)

    def describe(self) -> str:
        return 'one with its parameter such as "medoid:lcs" or "oesp:5"'

    def reason(self, value: Any) -> str:
        try:
            _operator_of(value, OSSOWA())
        except DiscreetError as error:
            return str(error)
        return ""

    def parse(self, text: str) -> str:
        return text.strip()

    def control(self) -> Control:
        return Control("text")


PROTOTYPE: Constraint = AnyOf(
    Choice((OWN, *sequence_operator_names())), _SequenceText(), Instance(SequenceOperator, "an operator on sequences")
)
"""What `prototype` may be."""


def as_dissimilarity(owner: str, distance: Any, quantifier: Any = None, scale: Scale = _EVENTS) -> Dissimilarity:
    """Return a dissimilarity from itself or its text; a quantifier is the policy of ``"oss-owa"`` and of no other.

    Parameters
    ----------
    scale : Scale
        That of what is compared: ``"own"`` is its own distance, and one that cannot compare it is refused. The result
        knows the scale, where it has to.

    Examples
    --------
    >>> from discreet.data.scales import ItemSet, TimeSeries
    >>> as_dissimilarity("KSHC", "own", scale=ItemSet(["bread", "milk"]))
    Jaccard()
    >>> as_dissimilarity("KSHC", "dtw:0.2", scale=TimeSeries(step=0.1, span=2.0))
    DynamicTimeWarping(span=20.0, window=0.2)
    >>> as_dissimilarity("KSHC", "oss-owa", "power:2")
    OSSOWA(quantifier=Power(alpha=2.0))
    >>> as_dissimilarity("KSHC", "lcs", "power:2")
    Traceback (most recent call last):
    discreet.errors.ParameterError: KSHC: quantifier must be None for the distance 'lcs', which has no policy.
    """
    if distance == OWN:
        distance = scale.own_distance
    if quantifier is None:
        compared = distance if isinstance(distance, Dissimilarity) else _distance_of(distance)
        return compared.comparing(owner, scale)
    if isinstance(distance, Dissimilarity):
        raise ParameterError(
            f"{owner}: quantifier must be None where distance is an object; got both.",
            hint="Give the quantifier to the object: OSSOWA(quantifier).",
        )
    if distance != OSSOWA.name:
        raise ParameterError(f"{owner}: quantifier must be None for the distance {distance!r}, which has no policy.")
    return OSSOWA(as_quantifier(quantifier)).comparing(owner, scale)


def _distance_of(text: Any) -> Dissimilarity:
    """Return a dissimilarity from its name and, after a colon, its one parameter that is a number."""
    word, _, rest = text.partition(":") if isinstance(text, str) else (text, "", "")
    cls = dissimilarity_named(word)
    if not rest:
        return cls()
    own = cls.typed_parameter
    key, equals, value = rest.partition("=")
    if not own or (equals and key.strip() != own):
        raise unknown_parameter(cls.__name__, key.strip(), [own] if own else [])
    try:
        number = float(value if equals else rest)
    except ValueError:
        raise ParameterError(f"{cls.__name__}: {own} must be a number.") from None
    return cls(**{own: number})


def as_sequence_operator(prototype: Any, distance: Dissimilarity, scale: Scale = _EVENTS) -> SequenceOperator:
    """Return an operator from itself or its text; the medoid is taken by `distance` where the text names none.

    Examples
    --------
    >>> as_sequence_operator("medoid", OSSOWA())
    Medoid(distance=OSSOWA(quantifier=None))
    >>> as_sequence_operator("medoid:oss-owa:power:2", OSSOWA()), as_sequence_operator("oesp:longest=5", OSSOWA())
    (Medoid(distance=OSSOWA(quantifier=Power(alpha=2.0))), OrderedElementScoring(longest=5))
    """
    operator = _operator_of(scale.own_prototype if prototype == OWN else prototype, distance)
    if not operator.contents & scale.answers:
        raise ParameterError(
            f"prototype: {operator!r} does not join what the scale {scale.name!r} holds.",
            hint=f"Its own is {scale.own_prototype!r}; the medoid joins anything.",
        )
    return operator.bound_to(scale)


def _operator_of(prototype: Any, distance: Dissimilarity) -> SequenceOperator:
    if isinstance(prototype, SequenceOperator):
        return prototype
    word, _, rest = prototype.partition(":") if isinstance(prototype, str) else (prototype, "", "")
    cls = sequence_operator_named(word)
    names: list[str] = [field.name for field in fields(cls)] if is_dataclass(cls) else []
    key, equals, value = rest.partition("=")
    text = value.strip() if equals else rest.strip()
    if (equals and key.strip() not in names) or (text and not names):
        raise unknown_parameter(cls.__name__, key.strip(), names)
    if cls is Medoid:
        distance_word, _, quantifier = text.partition(":")
        if not text:
            return Medoid(distance)
        if dissimilarity_named(distance_word) is OSSOWA:
            return Medoid(as_dissimilarity("Medoid", distance_word, quantifier or None))
        return Medoid(_distance_of(text))
    if not text:
        return cls()
    if text.isdigit():
        return cls(**{names[0]: int(text)})
    try:
        return cls(**{names[0]: float(text)})
    except ValueError:
        raise ParameterError(f"{cls.__name__}: {names[0]} must be a number; got {text!r}.") from None
