"""Models as people write them: ``k=5; l-diversity=2 salary``."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Sequence
from typing import Any

from discreet.errors import ParameterError
from discreet.models import cost_benefit, disclosure, identity  # noqa: F401 - entered in the registry
from discreet.models.privacy_model import MODELS, PrivacyModel
from discreet.parameters import Constraint, Control, Names
from discreet.registry import unknown_parameter

__all__ = ["ModelList", "read_model"]


def read_model(text: str) -> PrivacyModel:
    """Return the model that a text stands for.

    The name, ``=`` and the parameters: first those that go by position, separated by spaces, then others as
    ``name=value``; several names of attributes are joined by ``+``, and one with spaces is put in quotes.

    Examples
    --------
    >>> read_model("l-diversity=2 salary kind_of=entropy keys=age+sex")
    LDiversity(l=2.0, sensitive='salary', kind_of='entropy', keys=['age', 'sex'])
    >>> read_model("k=1:20+2:10")
    K(k={1: 20, 2: 10})
    """
    name, equals, rest = text.strip().partition("=")
    cls = MODELS.named(name.strip())
    try:
        words = shlex.split(rest) if equals else []
    except ValueError:
        raise ParameterError(f"{cls.__name__}: a quotation mark is not closed.") from None
    by_position = [n for n, p in inspect.signature(cls).parameters.items() if p.kind is not p.KEYWORD_ONLY]
    values: dict[str, Any] = {}
    for word in words:
        option, equal, value = word.partition("=")
        named = bool(equal) and option in cls.parameters
        if equal and not named and re.fullmatch(r"[a-z_]+", option):
            raise unknown_parameter(cls.__name__, option, cls.parameter_names())
        free = [n for n in by_position if n not in values]
        if not named and not free:
            raise ParameterError(
                f"{cls.__name__}: there are more parameters than it has ({', '.join(cls.parameters)})."
            )
        parameter = option if named else free[0]
        values[parameter] = _read(cls, parameter, value if named else word)
    model = cls(**values)
    model.check()
    return model


def _read(cls: type[PrivacyModel], name: str, text: str) -> Any:
    constraint = cls.parameters[name]
    try:
        value = constraint.parse(text)
    except ValueError:
        raise ParameterError(f"{cls.__name__}: {name} must be {constraint.describe()}; got {text!r}.") from None
    names = isinstance(constraint, Names) or isinstance(getattr(constraint, "inner", None), Names)
    return [one for part in value for one in part.split("+")] if names and value is not None else value


class ModelList(Constraint):
    """Some privacy models: as objects, or as text with semicolons or commas between them.

    Examples
    --------
    >>> ModelList().parse("k=5, t-closeness=0.2 salary")
    [K(), TCloseClasses(t=0.2, sensitive='salary')]
    """

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            return False
        return all(isinstance(model, PrivacyModel) for model in value)

    def describe(self) -> str:
        return f"a list of privacy models ({', '.join(MODELS.names())}), such as 'k=5; l-diversity=2 NAME'"

    def parse(self, text: str) -> list[PrivacyModel]:
        parts = [part for part in re.split(r"[;,]", text) if part.strip()]
        if not parts:
            raise ValueError(text)
        return [read_model(part) for part in parts]

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:  # noqa: ARG002 - no paths in it
        if isinstance(value, str):
            return self.parse(value)
        if isinstance(value, Sequence) and all(isinstance(part, str) for part in value):
            return [read_model(part) for part in value]
        return value

    def control(self) -> Control:
        return Control("text")
