"""Things that have a name: entered once, listed in order, and found, or answered with the nearest name there is.

Whoever looks a name up says the same when there is none: ``There is no masker named 'mdaw'. Did you mean 'mdav'?``
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from discreet.errors import DiscreetError, ParameterError, SignatureError, UnknownNameError

__all__ = ["Registry", "did_you_mean", "unknown_name", "unknown_parameter"]

T = TypeVar("T")
C = TypeVar("C", bound="type[Any]")


class Registry(Generic[T]):
    """Classes by the names that users type.

    Parameters
    ----------
    kind : str
        What is registered, in the singular: how errors call it.

    Examples
    --------
    >>> fruits: Registry[object] = Registry("fruit")
    >>> @fruits.register("apple")
    ... class Apple: ...
    >>> fruits.named("apple") is Apple, Apple.name, fruits.names()
    (True, 'apple', ('apple',))
    >>> fruits.named("aple")
    Traceback (most recent call last):
    discreet.errors.UnknownNameError: There is no fruit named 'aple'. Did you mean 'apple'? Hint: Known: apple.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._classes: dict[str, type[T]] = {}

    def register(self, name: str) -> Callable[[C], C]:
        """Enter a class under a name, which becomes its attribute `name`; another class may not have it."""

        def enter(cls: C) -> C:
            owner = self._classes.get(name)
            # A module that is loaded again enters its classes again.
            if owner is not None and (owner.__module__, owner.__qualname__) != (cls.__module__, cls.__qualname__):
                raise ParameterError(f"The {self.kind} name {name!r} is already taken by {owner.__qualname__}.")
            cls.name = name
            self._classes[name] = cls
            return cls

        return enter

    def named(self, name: str, *, where: str = "") -> type[T]:
        """Return the class under a name; `where` is told in the error, such as the line of a protocol."""
        if not isinstance(name, str) or name not in self._classes:
            raise unknown_name(self.kind, name, self.names(), where=where)
        return self._classes[name]

    def names(self) -> tuple[str, ...]:
        """Return all names, in alphabetical order."""
        return tuple(sorted(self._classes))

    def classes(self) -> dict[str, type[T]]:
        """Return the classes by name, in alphabetical order."""
        return dict(sorted(self._classes.items()))


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """Return " Did you mean …?" for the name that is most like a mistyped one, or nothing where none is like it.

    Examples
    --------
    >>> did_you_mean("metod", ["method", "unit"])
    " Did you mean 'method'?"
    >>> did_you_mean("zzz", ["method", "unit"])
    ''
    """
    lower = {one.lower(): one for one in names}
    close = difflib.get_close_matches(str(name).lower(), list(lower), n=1, cutoff=0.6)
    return f" Did you mean {lower[close[0]]!r}?" if close else ""


def unknown_name(
    kind: str,
    name: Any,
    names: Iterable[str],
    *,
    where: str = "",
    error: type[DiscreetError] = UnknownNameError,
    hint: str | None = None,
) -> DiscreetError:
    """Return the error that says that there is no such name, which one is meant, and which ones there are.

    Parameters
    ----------
    kind : str
        What was looked up, in the singular.
    name : str
    names : iterable of str
        Those that there are.
    where : str
        Where it was asked for: ``"Line 12: Step 2 (mdaw)"``.
    error : class of a DiscreetError
    hint : str, optional
        Another hint than the list of names.

    Examples
    --------
    >>> print(unknown_name("linker", "distanc", ["distance"], where="Scenario 'neighbour'").message)
    Scenario 'neighbour': there is no linker named 'distanc'. Did you mean 'distance'?
    """
    there = tuple(names)
    begins = f"{where}: there" if where else "There"
    listed = f"Known: {', '.join(there)}." if hint is None else hint
    # Whatever else was handed over may hold records, and is not shown.
    shown = repr(name) if isinstance(name, (str, int, float)) else f"by a {type(name).__name__}"
    like = did_you_mean(name, there) if isinstance(name, str) else ""
    return error(f"{begins} is no {kind} named {shown}.{like}", hint=listed)


def unknown_parameter(owner: str, name: str, names: Iterable[str], *, where: str = "") -> SignatureError:
    """Return the error that says that a method has no such parameter, with the one that was meant, or those there are.

    Examples
    --------
    >>> print(unknown_parameter("MDAV", "blocs", ["k", "blocks"]))
    MDAV: there is no parameter 'blocs'. Did you mean 'blocks'?
    >>> print(unknown_parameter("PRAM", "matrices", ["k"]))
    PRAM: there is no parameter 'matrices'. Hint: PRAM has k.
    """
    there = tuple(names)
    # A protocol calls its own seed so; the one of a method has scikit-learn's name.
    seed = name == "seed" and "random_state" in there
    like = " Did you mean 'random_state'?" if seed else did_you_mean(name, there)
    offered = f"{owner} has {', '.join(there)}." if there else f"{owner} has none."
    return SignatureError(f"{where or owner}: there is no parameter {name!r}.{like}", hint="" if like else offered)
