"""Operators as people type them: ``owa:most``, ``power-mean:p=2``, ``cwow-median:alpha=0.5 beta=0.3``.

One road from text to an operator, for the command line, protocols, forms and Python. A text is a name, and after a
colon its parameters: ``name=value`` each, with spaces or commas between them; a value alone is the first parameter, and
on levels a quantifier where the first one is a number; several numbers where a quantifier is meant are weights. What
follows from the scale of an attribute (how many levels there are, the intervals behind them) is not typed: it is taken
from there.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from discreet.data.scales import Ordinal, Scale
from discreet.data.scales.scale import Categorical
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import DiscreetError, ParameterError
from discreet.operators.fuzzy.aggregation_transformations import ChoquetTransformation
from discreet.operators.fuzzy.element_selection import (
    RAGE,
    MeanSelection,
    MedianSelection,
    PluralitySelection,
    RandomSelection,
)
from discreet.operators.fuzzy.fuzzy_measures import FuzzyMeasure
from discreet.operators.fuzzy.fuzzy_transformations import (
    AlphaCut,
    ConvexHull,
    MostPossible,
    Normalisation,
    WOWTransformation,
)
from discreet.operators.levels.ordinal_logic import OrdinalLogic
from discreet.operators.numbers.means import QuasiWeightedMean
from discreet.operators.operator import OPERATORS, Operator
from discreet.operators.operator_text import parse_quantifier
from discreet.parameters import AnyOf, ByName, Constraint, Control, Optional
from discreet.registry import unknown_name, unknown_parameter

__all__ = [
    "OPERATORS_BY_NAME",
    "OPERATOR_TEXT",
    "OperatorText",
    "as_operator",
    "kinds_of",
    "split_operators",
    "typed_names",
]

_STAND_IN = Ordinal(range(64), IntervalSemantics(tuple(range(64)), tuple(range(1, 65))))
"""The scale on which a text is tried while nobody has said which attribute it is for."""

_SHORT: dict[str, dict[str, str]] = {
    "median": {"numeric": "numeric-median", "ordinal": "ordinal-median"},
    "order-statistic": {"numeric": "numeric-order-statistic", "ordinal": "ordinal-order-statistic"},
    "minimum": {"numeric": "numeric-order-statistic:1", "ordinal": "weighted-order-statistic:0"},
    "maximum": {"numeric": "numeric-order-statistic:-1", "ordinal": "weighted-order-statistic:1"},
    "mode": {"ordinal": "plurality", "nominal": "plurality"},
    "choquet": {"numeric": "choquet-integral", "ordinal": "ordinal-choquet"},
    "sugeno": {"numeric": "sugeno-integral", "ordinal": "ordinal-sugeno"},
    "geometric-mean": {"numeric": "quasi-mean:log"},
    "harmonic-mean": {"numeric": "quasi-mean:power:-1"},
    "quadratic-mean": {"numeric": "quasi-mean:power:2"},
    "power-mean": {"numeric": "quasi-mean:power:"},
}
"""Words that mean one operator on each scale; a text that ends in a colon is continued by what was typed."""


def typed_names() -> tuple[str, ...]:
    """Return every name that a text may begin with: those of the operators, and the short ones."""
    return tuple(sorted({*OPERATORS.names(), *_SHORT}))


def stands_for() -> dict[str, dict[str, str]]:
    """Return the short words, and the text that each of them stands for on every kind of scale.

    Examples
    --------
    >>> stands_for()["median"]["ordinal"]
    'ordinal-median'
    """
    return {word: dict(meanings) for word, meanings in _SHORT.items()}


def as_operator(source: Operator | str, scale: Scale | str | None = None) -> Operator:
    """Return an operator from itself or from its text.

    Parameters
    ----------
    source : Operator or str
    scale : Scale or str, optional
        What it aggregates on, or the kind of it: it says which operator a word such as ``"median"`` means, and how many
        levels there are.

    Raises
    ------
    UnknownNameError, ParameterError
        With the nearest name where there is none such, and with what a parameter may be.

    Examples
    --------
    >>> as_operator("owa:most")
    OWA(quantifier=Linear(low=0.3, high=0.8), weights=None)
    >>> as_operator("power-mean:p=2")([1.0, 7.0]), as_operator("owa:0.75,0.25")([1.0, 7.0])
    (5.0, 5.5)
    >>> as_operator("median", "ordinal"), as_operator("cwow-median:alpha=0.5 beta=0.3").beta
    (OrdinalMedian(side='lower'), 0.3)
    >>> as_operator("trimed-mean:0.2")
    Traceback (most recent call last):
    discreet.errors.UnknownNameError: There is no operator named 'trimed-mean'. Did you mean 'trimmed-mean'? Hint: ...
    """
    if isinstance(source, Operator):
        return source
    if not isinstance(source, str):
        raise ParameterError(f"An operator must be an Operator or its text; got a {type(source).__name__}.")
    kind = scale if isinstance(scale, str) or scale is None else scale.kind
    word, _, rest = _whole(source, kind).partition(":")
    if word not in OPERATORS.classes():
        raise unknown_name("operator", word, typed_names(), hint="`discreet methods --operators` lists them all.")
    cls = OPERATORS.named(word)
    levels = scale if isinstance(scale, Categorical) else _STAND_IN
    values = {name: _value(cls, name, text, levels) for name, text in _parts(cls, rest.strip()).items()}
    return _made(cls, values | _from_scale(cls, values, levels))


def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds of scale on which a text means an operator; raise where it means none.

    Examples
    --------
    >>> sorted(kinds_of("median")), sorted(kinds_of("choquet:measure=0,1,1,2 logic=minimum"))
    (['numeric', 'ordinal'], ['ordinal'])
    """
    word = text.partition(":")[0].strip().lower()
    if word not in _SHORT:
        return as_operator(text).scales
    kinds, faults = [], []
    for kind in _SHORT[word]:
        try:
            _try(as_operator(text, kind))
        except DiscreetError as error:  # its parameters are those of another scale
            faults.append(error)
        else:
            kinds.append(kind)
    if not kinds:
        raise faults[0]
    return frozenset(kinds)


def _whole(text: str, kind: str | None) -> str:
    """Return a text whose name is that of an operator, written out for a kind of scale."""
    word, _, rest = text.strip().partition(":")
    word, rest = word.strip().lower(), rest.strip()
    meanings = _SHORT.get(word)
    if meanings is None:
        return f"{word}:{rest}"
    if kind is not None and kind not in meanings:
        raise ParameterError(f"{word} aggregates {' and '.join(meanings)} values; the attribute is {kind}.")
    long = meanings[kind] if kind is not None else next(iter(meanings.values()))
    if long.endswith(":"):
        return long + re.sub(r"^p\s*=\s*", "", rest or "1")
    if rest and ":" in long:
        raise ParameterError(f"{word} has no parameters; got {rest!r}.", hint=f"It stands for {long}.")
    return f"{long}:{rest}" if rest else long


def _parts(cls: type[Operator], text: str) -> dict[str, str]:
    """Return what is typed of every parameter."""
    names = [name for name in inspect.signature(cls).parameters if name != "random_state"]
    if not text:
        return {}
    # Inside brackets stands another operator, whose parameters are its own.
    outside = re.sub(r"\([^()]*\)", lambda match: "_" * len(match[0]), text)
    marks = list(re.finditer(r"(?:^|(?<=[\s,;]))([A-Za-z_]\w*)\s*=", outside))
    parts: dict[str, str] = {}
    first = text[: marks[0].start()] if marks else text
    if first.strip(" ,;"):
        if not names:
            raise ParameterError(f"{cls.__name__} has no parameters; got {first.strip()!r}.")
        parts[_meant(names, first.strip())] = first.strip(" ,;")
    ends = [later.start() for later in marks[1:]] + [len(text)]
    for mark, after in zip(marks, ends, strict=False):
        if mark[1] not in names:
            raise unknown_parameter(cls.__name__, mark[1], names)
        if mark[1] in parts:
            raise ParameterError(f"{cls.__name__}: {mark[1]} is given twice.")
        parts[mark[1]] = text[mark.end() : after].strip(" ,;")
    return parts


def _meant(names: list[str], text: str) -> str:
    """Return the parameter that a value without a name is for."""
    number = re.fullmatch(r"[-+.\deE]+", text) is not None
    if names[0] == "quantifier" and "weights" in names and re.fullmatch(r"[-+.\deE]+(\s*,\s*[-+.\deE]+)+,?", text):
        return "weights"
    return "quantifier" if names[0] == "alpha" and not number and "quantifier" in names else names[0]


def _value(cls: type[Operator], name: str, text: str, levels: Categorical) -> Any:
    text = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
    reader = _READERS.get((cls.name, name)) or _READERS.get(("", name))
    constraint = cls.parameters.get(name)
    try:
        if reader is not None:
            return reader(text, levels)
        return text if constraint is None else constraint.parse(text)
    except DiscreetError:
        raise
    except (TypeError, ValueError):
        meaning = _MEANINGS.get(name) or (constraint.describe() if constraint is not None else "numbers")
        raise ParameterError(f"{cls.__name__}: {name} must be {meaning}; got {text!r}.") from None


def _from_scale(cls: type[Operator], values: Mapping[str, Any], levels: Categorical) -> dict[str, Any]:
    """Return the parameters that the scale tells, where nobody did."""
    names = inspect.signature(cls).parameters
    told: dict[str, Any] = {}
    # A measure ends at the top of its scale: that of a stand-in is not meant.
    if "n_levels" in names and not ("measure" in names and levels is _STAND_IN):
        told["n_levels"] = len(levels)
    if "logic" in names:
        told["logic"] = OrdinalLogic.lukasiewicz(len(levels))
    if "distances" in names:
        told["distances"] = levels.distance_matrix()
    if "semantics" in names:
        told["semantics"] = _semantics(levels)
    return {name: value for name, value in told.items() if name not in values}


def _made(cls: type[Operator], values: dict[str, Any]) -> Operator:
    operator = cls(**values)
    operator.check_parameters()
    if "quantifier" in values and not operator.scales <= {"numeric"} and not values["quantifier"].proper:
        raise ParameterError(f"{cls.__name__}: quantifier must have Q(0) = 0 and Q(1) = 1.")
    return operator


# ---------------------------------------------------------------------------------------------------- what is typed


def _numbers(text: str, levels: Categorical) -> list[float]:  # noqa: ARG001 - numbers have no levels
    return [float(part) for part in text.split(",")]


def _counts(text: str, levels: Categorical) -> list[int]:  # noqa: ARG001
    return [int(part) for part in text.split(",")]


_MEASURES: dict[str, Callable[[list[float]], FuzzyMeasure]] = {
    "additive": FuzzyMeasure.additive,
    "possibility": FuzzyMeasure.possibility,
    "necessity": FuzzyMeasure.necessity,
    "sugeno-lambda": FuzzyMeasure.sugeno_lambda,
    "subsets": FuzzyMeasure,
}


def _measure(text: str, levels: Categorical) -> FuzzyMeasure:
    word, colon, rest = text.partition(":")
    if not colon:
        word, rest = "subsets", text
    if word not in _MEASURES:
        raise unknown_name("measure", word, _MEASURES)
    return _MEASURES[word](_numbers(rest, levels))


def _logic(text: str, levels: Categorical) -> OrdinalLogic:
    word, _, rest = text.partition(":")
    if word == "ordinal-sum":
        return OrdinalLogic.ordinal_sum(len(levels), _counts(rest, levels) if rest else [])
    logics = {
        "lukasiewicz": OrdinalLogic.lukasiewicz,
        "minimum": OrdinalLogic.minimum,
        "nilpotent-minimum": OrdinalLogic.nilpotent_minimum,
    }
    if word not in logics:
        raise unknown_name("logic", word, [*logics, "ordinal-sum"])
    return logics[word](len(levels))


def _semantics(levels: Categorical) -> IntervalSemantics:
    semantics = getattr(levels, "semantics", None)
    if semantics is None:
        raise ParameterError(
            "The attribute's scale has no intervals behind its levels.", hint="Declare semantics in the schema."
        )
    return semantics  # type: ignore[no-any-return] # an Ordinal's


def _median_selection(text: str) -> MedianSelection:
    share, _, side = text.partition(",")
    return MedianSelection(float(share or 0.5), side=side.strip() or "upper")  # type: ignore[arg-type] # checked there


def _wow_step(text: str) -> WOWTransformation:
    number = re.fullmatch(r"[-+.\deE]+", text or "1")
    return WOWTransformation(float(text or 1)) if number else WOWTransformation(quantifier=parse_quantifier(text))


_STEPS: dict[str, Callable[[str, Categorical], Any]] = {
    "normalisation": lambda text, levels: Normalisation(),  # noqa: ARG005
    "most-possible": lambda text, levels: MostPossible(),  # noqa: ARG005
    "alpha-cut": lambda text, levels: AlphaCut(float(text)),  # noqa: ARG005
    "convex-hull": lambda text, levels: ConvexHull(),  # noqa: ARG005
    "wow": lambda text, levels: _wow_step(text),  # noqa: ARG005
    "choquet": lambda text, levels: ChoquetTransformation(text or "each"),  # type: ignore[arg-type] # noqa: ARG005
    "median": lambda text, levels: _median_selection(text),  # noqa: ARG005
    "mean": lambda text, levels: MeanSelection(_semantics(levels)),  # noqa: ARG005
    "plurality": lambda text, levels: PluralitySelection(),  # noqa: ARG005
    "random": lambda text, levels: RandomSelection(),  # noqa: ARG005
    "rage": lambda text, levels: RAGE(),  # noqa: ARG005
}
"""What a fuzzy set goes through, written with > between the steps; the last one selects."""


def _steps(text: str, levels: Categorical) -> list[Any]:
    steps = []
    for part in text.split(">"):
        word, _, rest = part.strip().partition(":")
        if word not in _STEPS:
            raise unknown_name("step", word, _STEPS)
        steps.append(_STEPS[word](rest.strip(), levels))
    return steps


def _layers(text: str, levels: Categorical) -> list[list[QuasiWeightedMean]]:
    layers = []
    for layer in text.split(">"):
        means = []
        for one in layer.split("&"):
            generator, at, weights = one.strip().partition("@")
            if not at:
                raise ValueError(text)
            means.append(QuasiWeightedMean(generator.strip(), _numbers(weights, levels)))
        layers.append(means)
    return layers


_READERS: dict[tuple[str, str], Callable[[str, Categorical], Any]] = {
    ("", "quantifier"): lambda text, levels: parse_quantifier(text),  # noqa: ARG005
    ("", "weights"): _numbers,
    ("", "vector"): _numbers,
    ("", "logic"): _logic,
    ("choquet-integral", "measure"): _measure,
    ("sugeno-integral", "measure"): _measure,
    ("", "measure"): _counts,
    ("", "steps"): _steps,
    ("", "layers"): _layers,
    ("", "operator"): as_operator,
    ("symmetric-sugeno", "strict"): lambda text, levels: _flag(text),  # noqa: ARG005
}

_MEANINGS = {
    "weights": "numbers with commas between them",
    "vector": "numbers with commas between them",
    "measure": "numbers with commas between them, one for each set of sources",
    "steps": "steps with > between them, such as convex-hull > wow:2 > median",
    "layers": "means such as log@0.5,0.5 & power:2@0.5,0.5 > power:1@0.5,0.5",
}


def _flag(text: str) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    return words[text.lower()] if text.lower() in words else bool(float(text))


# ------------------------------------------------------------------------------------------------------ parameters


class OperatorText(Constraint):
    """An operator, or a text that means one; the text is kept as it is, so that a protocol can hold it.

    Parameters
    ----------
    kinds : str
        The kinds of scale of which it must aggregate one.

    Examples
    --------
    >>> OperatorText("numeric").accepts("owa:most"), OperatorText("numeric").accepts("owa:mosst")
    (True, False)
    >>> OperatorText("numeric").reason("owa:mosst")[:61]
    "There is no quantifier named 'mosst'. Did you mean 'most'? Hi"
    """

    def __init__(self, *kinds: str) -> None:
        self.kinds = frozenset(kinds)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Operator) or (isinstance(value, str) and not self.reason(value))

    def describe(self) -> str:
        on = " on numbers" if self.kinds == {"numeric"} else ""
        return f'an operator{on}, or its text such as "{"owa:most" if on else "cwow-median:2"}"'

    def reason(self, value: Any) -> str:
        return _reason(value, self.kinds) if isinstance(value, str) else ""

    def parse(self, text: str) -> str:
        return text.strip()

    def control(self) -> Control:
        return Control("text", choices=tuple(name for name in typed_names() if _on(name) & self.kinds))


def _on(name: str) -> frozenset[str]:
    return frozenset(_SHORT[name]) if name in _SHORT else OPERATORS.named(name).scales


@cache  # a form and a study ask the same again and again
def _reason(text: str, kinds: frozenset[str]) -> str:
    """Say why a text is no operator on any of these kinds of scale, or nothing."""
    try:
        scales = kinds_of(text)
        for kind in sorted(scales & kinds):
            _try(as_operator(text, kind))
    except DiscreetError as error:
        return str(error)
    if not scales & kinds:
        return f"{text!r} aggregates {' and '.join(sorted(scales))} values."
    return ""


def _try(operator: Operator) -> None:
    """Aggregate a few equal values: what an operator looks at only when it is called is refused at the door as well."""
    low, high = operator.domain
    value = 1.0 if low <= 1.0 <= high else max(low, min(high, 0.0))
    operator([value] * (operator.arity or 3))


class _SeveralTexts(Constraint):
    """Texts of operators with semicolons between them, each for an attribute, or for every scale that it fits."""

    _inner = OperatorText("numeric", "ordinal", "nominal")

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip()) and not self.reason(value)

    def describe(self) -> str:
        return 'texts such as "owa:most; RENT=median"'

    def reason(self, value: Any) -> str:
        if not isinstance(value, str):
            return ""
        try:
            named, general = split_operators(value)
        except DiscreetError as error:
            return str(error)
        return next((why for text in (*named.values(), *general) if (why := self._inner.reason(text))), "")

    def parse(self, text: str) -> str:
        return text.strip()

    def control(self) -> Control:
        return self._inner.control()


def split_operators(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the operators of a text by the attribute or scale they are for, and those for whatever they fit.

    Examples
    --------
    >>> split_operators("owa:points:0,0;1,1; RENT=median; cwow-median:alpha=2")
    ({'RENT': 'median'}, ['owa:points:0,0;1,1', 'cwow-median:alpha=2'])
    """
    named: dict[str, str] = {}
    general: list[str] = []
    # A semicolon before a pair of numbers belongs to the points of a quantifier.
    for item in re.split(r";(?!\s*[-+.\d]+\s*,)", text):
        name, equals, operator = item.partition("=")
        if not item.strip():
            continue
        if equals and ":" not in name:
            if name.strip() in named:
                raise ParameterError(f"{name.strip()!r} has two operators.")
            named[name.strip()] = operator.strip()
        else:
            general.append(item.strip())
    return named, general


OPERATOR_TEXT: Constraint = Optional(OperatorText("numeric"))
"""What the `operator` of a method on numbers may be."""

OPERATORS_BY_NAME: Constraint = Optional(AnyOf(ByName(OperatorText("numeric", "ordinal", "nominal")), _SeveralTexts()))
"""What the `operators` of a method on records may be: by attribute or scale, or one text for all of them."""
