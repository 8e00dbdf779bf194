"""The contract of a privacy model: what it demands of every class of records with equal keys."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.parameters import Names, Optional, check_parameters
from discreet.parameters.declaration import Parameterised, parameter
from discreet.registry import Registry
from discreet.typing import Json

__all__ = ["MODELS", "Demand", "PrivacyModel", "SensitiveModel", "register_model"]

MODELS: Registry[PrivacyModel] = Registry("privacy model")
"""Every model by the name that users type."""

register_model = MODELS.register


@dataclass(frozen=True)
class Demand:
    """One rule on the classes of some keys: a figure between two thresholds.

    Attributes
    ----------
    kind : int
        Which figure, see :mod:`discreet.kernels.generalising.class_rules`.
    columns : tuple of str
        Whose combinations are the classes.
    low, high : float
        What the figure must reach and must not exceed.
    first, second : float
        Further numbers of the figure.
    sensitive : str, optional
        The confidential attribute that it looks at.
    """

    kind: int
    columns: tuple[str, ...]
    low: float = -np.inf
    high: float = np.inf
    first: float = 0.0
    second: float = 0.0
    sensitive: str | None = None


class PrivacyModel(Parameterised, ABC):
    """A predicate on classes of equal keys.

    Two statements are made about generalising, on which the search relies and which the tests try to refute.
    `monotone`: where all classes keep the model, all classes of every coarser table do. `steadfast`: a record
    whose class keeps the model is in such a class in every coarser table too, whatever its new neighbours are; the
    records to suppress then only become fewer. Suppressing whole classes leaves the others as they are, unless
    `of_file` says that the model is one of all classes together.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """What it demands, in a few words."""
    reference: ClassVar[str]
    monotone: ClassVar[bool] = True
    steadfast: ClassVar[bool] = False
    of_file: ClassVar[bool] = False

    keys: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @abstractmethod
    def demands(self, names: tuple[str, ...]) -> list[Demand]:
        """Return the rules, on the keys `names` or those among them that the model is about."""

    @property
    def confidential(self) -> str | None:
        """The attribute that the model protects besides identity."""
        return None

    @property
    def people(self) -> Microdata | None:
        """The population that classes are compared with."""
        return None

    @property
    def smallest(self) -> int:
        """How many records a class must hold for this model, on all keys together; 1 where it does not say."""
        return 1

    def columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the keys that the model is about."""
        if self.keys is None:
            return tuple(name for name in names if name != self.confidential)
        strangers = [name for name in self.keys if name not in names]
        if strangers:
            raise ParameterError(
                f"{type(self).__name__}: keys names {strangers[0]!r}, which is not among the {len(names)} keys."
            )
        return tuple(name for name in names if name in self.keys)

    def check(self) -> None:
        """Refuse parameters outside of what they may be."""
        values = {name: getattr(self, name) for name in self.parameter_names()}
        check_parameters(type(self).__name__, values, self.parameters)

    @classmethod
    def examples(cls) -> list[PrivacyModel]:
        """Return a few instances with typical parameters."""
        return [cls()]

    def __repr__(self) -> str:
        changed = {
            name: getattr(self, name)
            for name, one in inspect.signature(type(self)).parameters.items()
            if one.default is one.empty or getattr(self, name) != one.default
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def to_dict(self) -> Json:
        """Return the model as plain values."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.parameter_names()}
        return {"model": self.name} | {n: repr(v) if isinstance(v, Microdata) else v for n, v in values.items()}


class SensitiveModel(PrivacyModel):
    """A model of what a class tells about a confidential attribute."""

    @property
    def confidential(self) -> str | None:
        return self.sensitive  # type: ignore[attr-defined, no-any-return]
