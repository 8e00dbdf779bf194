"""A parameter is declared once, as a typed field.

::

    class MDAV(NumericMicroaggregation):
        search: Literal["exact", "blocks"] = parameter(Choice(("exact", "blocks")), default="exact")

From that line come ``__init__`` with its signature, the check at the door, the help, the form, and what a type checker
and an editor see: to them a class with fields is a dataclass (:func:`typing.dataclass_transform`). Hence two rules. An
annotation without :func:`parameter` would be a field to a checker and none to us, so that it is refused: what is no
parameter is a ``ClassVar`` or a property. And nothing is looked at in ``__init__``, which stores what it is handed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin, overload

from discreet.errors import SignatureError
from discreet.parameters import Constraint
from discreet.registry import unknown_parameter

__all__ = ["Field", "Parameterised", "parameter"]

T = TypeVar("T")

_REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Field:
    """What is said of a parameter: what it may be, what it is by default, and whether it goes without its name."""

    constraint: Constraint
    default: Any = _REQUIRED
    kw_only: bool = True

    @property
    def required(self) -> bool:
        """Whether the parameter must be given."""
        return self.default is _REQUIRED


@overload
def parameter(constraint: Constraint, *, default: T, kw_only: bool = True) -> T: ...
@overload
def parameter(constraint: Constraint, *, kw_only: bool = True) -> Any: ...
def parameter(constraint: Constraint, *, default: Any = _REQUIRED, kw_only: bool = True) -> Any:
    """Declare a parameter, in the body of a class that is :class:`Parameterised`.

    Parameters
    ----------
    constraint : Constraint
        What it may be; also how it is read from text, described and asked for in a form.
    default : optional
        What it is where it is not given; without it, it must be given. All instances share it, so it must be a value
        that cannot change: a tuple, not a list.
    kw_only : bool
        Whether it is given by its name alone. Parameters that go by position come first, those of a base before those
        of its subclass.

    Examples
    --------
    >>> from discreet.parameters import Integer
    >>> class Rounded(Parameterised):
    ...     digits: int = parameter(Integer(0), default=2, kw_only=False)
    >>> Rounded(3).digits, Rounded().digits
    (3, 2)
    >>> Rounded(digit=3)
    Traceback (most recent call last):
    discreet.errors.SignatureError: Rounded: there is no parameter 'digit'. Did you mean 'digits'?
    """
    if type(default).__hash__ is None:
        raise TypeError(f"A {type(default).__name__} cannot be a default, because all instances would share it.")
    return Field(constraint, default, kw_only)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
class Parameterised:
    """A class whose parameters are fields, those of its bases included.

    A class that writes its own ``__init__`` keeps it: an operator may store something else than it is handed, such as
    the quantifier that a text stands for.
    """

    parameters: ClassVar[Mapping[str, Constraint]] = MappingProxyType({})
    """What each parameter may be, by name, in the order of the signature."""

    _fields: ClassVar[Mapping[str, Field]] = MappingProxyType({})
    _own_fields: ClassVar[Mapping[str, Field]] = MappingProxyType({})

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._own_fields = MappingProxyType(_declared_in(cls))
        cls._fields = MappingProxyType(_in_order(cls))
        cls.parameters = MappingProxyType({name: field.constraint for name, field in cls._fields.items()})
        for name, field in cls._own_fields.items():
            if field.required:
                delattr(cls, name)
            else:
                setattr(cls, name, field.default)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", _guarded(vars(cls)["__init__"]))  # noqa: B010 - nothing a checker should see
        elif cls._own_fields or _is_generated(cls.__init__):
            setattr(cls, "__init__", _initialiser(cls))  # noqa: B010

    def __post_init__(self) -> None:
        """Do what has to be done once the parameters are stored; nothing, for most."""

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the parameters, in the order of ``__init__``."""
        return tuple(cls._fields)


def _declared_in(cls: type[Parameterised]) -> dict[str, Field]:
    """Return the fields in the body of a class; refuse what a type checker would see in another way."""
    annotations, body = inspect.get_annotations(cls), vars(cls)
    bare = [n for n, a in annotations.items() if not isinstance(body.get(n), Field) and not _is_class_variable(a)]
    if bare:
        raise TypeError(f"{cls.__name__}.{bare[0]} must be a parameter(…), a ClassVar or a property.")
    untyped = [name for name, value in body.items() if isinstance(value, Field) and name not in annotations]
    if untyped:
        raise TypeError(f"{cls.__name__}.{untyped[0]} is a parameter and needs a type.")
    return {name: body[name] for name in annotations if isinstance(body.get(name), Field)}


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").startswith("ClassVar")
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _in_order(cls: type[Parameterised]) -> dict[str, Field]:
    """Return all fields: those by position as a dataclass has them, bases first; then the class's own, then bases'."""
    owners = [owner for owner in cls.__mro__ if issubclass(owner, Parameterised)]
    fields: dict[str, Field] = {}
    for owner in owners:
        fields = {**fields, **{n: field for n, field in owner._own_fields.items() if n not in fields}}  # noqa: SLF001
    by_place = dict.fromkeys(n for owner in reversed(owners) for n in owner._own_fields if not fields[n].kw_only)  # noqa: SLF001
    return {name: fields[name] for name in [*by_place, *fields]}


def _is_generated(function: Any) -> bool:
    return function is object.__init__ or hasattr(function, "__signature__")


def _initialiser(cls: type[Parameterised]) -> Callable[..., None]:
    """Return an ``__init__`` that stores what it is handed, and names what it cannot take."""
    fields = cls._fields
    by_place = [name for name, field in fields.items() if not field.kw_only]

    def initialise(self: Parameterised, /, *values: Any, **named: Any) -> None:
        owner = type(self).__name__
        if len(values) > len(by_place):
            raise SignatureError(
                f"{owner}: {_counted(len(by_place))} by position; got {len(values)}.",
                hint=f"Give the others by name: {', '.join(n for n in fields if n not in by_place)}.",
            )
        parameters = dict(zip(by_place, values, strict=False))
        for name in named:
            if name not in fields:
                raise unknown_parameter(owner, name, fields)
            if name in parameters:
                raise SignatureError(f"{owner}: {name} is given twice, by position and by name.")
        parameters.update(named)
        absent = [name for name, field in fields.items() if field.required and name not in parameters]
        if absent:
            raise SignatureError(f"{owner}: {', '.join(absent)} must be given.")
        for name, field in fields.items():
            setattr(self, name, parameters.get(name, field.default))
        self.__post_init__()

    kinds = {True: inspect.Parameter.KEYWORD_ONLY, False: inspect.Parameter.POSITIONAL_OR_KEYWORD}
    types = {n: a for owner in reversed(cls.__mro__) for n, a in inspect.get_annotations(owner).items() if n in fields}
    signature = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    signature += [
        inspect.Parameter(n, kinds[f.kw_only], default=f.default, annotation=types[n]) for n, f in fields.items()
    ]
    setattr(initialise, "__signature__", inspect.Signature(signature, return_annotation="None"))  # noqa: B010 - not typed
    initialise.__name__, initialise.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    initialise.__module__ = cls.__module__
    return initialise


def _guarded(function: Callable[..., None]) -> Callable[..., None]:
    """Return a class's own ``__init__`` that knows wrong names as well."""
    names = [name for name in inspect.signature(function).parameters if name != "self"]

    @wraps(function)
    def initialise(self: Parameterised, /, *values: Any, **named: Any) -> None:
        for name in named:
            if name not in names:
                raise unknown_parameter(type(self).__name__, name, names)
        function(self, *values, **named)

    return initialise


def _counted(n: int) -> str:
    return "no parameter goes" if n == 0 else "1 parameter goes" if n == 1 else f"{n} parameters go"
