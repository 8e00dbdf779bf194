"""What maskers, linkers and measures share: parameters in scikit-learn's manner, and the registry of names."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, Self, TypeVar

from discreet.parameters import check_parameters, describe
from discreet.parameters.declaration import Parameterised
from discreet.registry import Registry, unknown_parameter

__all__ = ["Estimator", "find", "one_of", "register", "registered"]

_REGISTRIES: dict[str, Registry[Any]] = {kind: Registry(kind) for kind in ("masker", "linker", "measure")}


E = TypeVar("E", bound="type[Estimator]")


def register(name: str) -> Callable[[E], E]:
    """Enter a masker, linker or measure under the name that users type."""

    def enter(cls: E) -> E:
        return _REGISTRIES[cls.contract].register(name)(cls)

    return enter


def registered(contract: str) -> dict[str, type[Any]]:
    """Return the classes entered so far under a contract, by name, in alphabetical order."""
    return _REGISTRIES[contract].classes()


class Estimator(Parameterised):
    """Parameters in scikit-learn's manner: fields, stored as they are given, checked at the door."""

    contract: ClassVar[str]
    name: ClassVar[str] = ""

    @classmethod
    @cache  # a class does not change, and a study asks thousands of times
    def signature(cls) -> Mapping[str, inspect.Parameter]:
        """Return the parameters of ``__init__`` by name."""
        return inspect.signature(cls).parameters

    @classmethod
    def examples(cls) -> list[Self]:
        """Return a few instances with typical parameters, for the battery of checks that every method must pass."""
        return [cls()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` adds those of nested methods as ``outer__inner``."""
        result: dict[str, Any] = {}
        for name in self.parameter_names():
            value = getattr(self, name)
            result[name] = value
            if deep and isinstance(value, Estimator):
                result.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return result

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name and return self."""
        names = self.parameter_names()
        for key, value in params.items():
            outer, _, inner = key.partition("__")
            if outer not in names:
                raise unknown_parameter(type(self).__name__, outer, names)
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def clone(self) -> Self:
        """Return a fresh, unfitted copy with the same parameters."""
        copies = {n: v.clone() if isinstance(v, Estimator) else v for n, v in self.get_params(deep=False).items()}
        return type(self)(**copies)

    def check_parameters(self) -> None:
        check_parameters(type(self).__name__, self.get_params(deep=False), self.parameters)

    def _changed_parameters(self) -> dict[str, Any]:
        defaults = self.signature()
        params = self.get_params(deep=False)
        return {n: v for n, v in params.items() if not _same(v, defaults[n].default)}

    def label(self) -> str:
        """Return the registered name with what was chosen: how tables and charts call a candidate."""
        parameters = {
            n: v for n, v in self.get_params(deep=False).items() if n in {"k", "p"}
        } | self._changed_parameters()
        parameters.pop("random_state", None)
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in parameters.items())})"

    def as_call(self) -> str:
        """Return the call that makes this method again, with what differs from the defaults alone: for scripts.

        Examples
        --------
        >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
        >>> MDAV(k=5).as_call()
        'MDAV(k=5)'
        """
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._changed_parameters().items())
        return f"{type(self).__name__}({arguments})"

    def __repr__(self) -> str:
        changed = self._changed_parameters()
        shown = {n: v for n, v in self.get_params(deep=False).items() if n in changed or not (v is None or v is False)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{html.escape(repr(value))}</td>"
            f"<td>{html.escape(self.parameters[name].describe() if name in self.parameters else '')}</td></tr>"
            for name, value in self.get_params(deep=False).items()
        )
        first = html.escape(describe(type(self)).summary)
        return (
            f"<p><b>{type(self).__name__}</b> {first}</p>"
            f"<table><tr><th>parameter</th><th>value</th><th>may be</th></tr>{rows}</table>"
        )


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def one_of(words: Iterable[str]) -> str:
    """Return words in alphabetical order, as a sentence lists what may be."""
    return " or ".join(sorted(words))


def find(contract: str, name: str, *, where: str = "") -> type[Any]:
    """Return the class registered under a name, or say which names there are; `where` begins what is said."""
    return _REGISTRIES[contract].named(name, where=where)
