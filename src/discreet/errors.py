"""What can go wrong, in one tree.

::

    DiscreetError
    ├── ParameterError        (ValueError)    a method was given a parameter it cannot use
    │   └── SignatureError    (TypeError)     a parameter that does not exist, or none where one is needed
    ├── SchemaError           (ValueError)    the declaration contradicts itself or the table
    ├── DataError             (ValueError)    the records do not fit the declaration or the method
    │   ├── MissingValueError                 missing values where a method has no rule for them
    │   └── LibraryError                      a library failed on a table; its message is kept back
    ├── FileError             (OSError)       a file cannot be read, or must not be written
    ├── UnknownNameError      (LookupError)   no such method, measure, attribute or data set
    ├── MissingExtraError     (ImportError)   an optional dependency is not installed
    ├── NotFittedError        (ValueError, AttributeError)   a result was asked for before the work was done
    └── BrokenGuaranteeError  (RuntimeError)  a written file does not keep what was promised of it: a defect

    DiscreetWarning           (UserWarning)   the result stands, but a choice is weak

Every message is one sentence; a hint says what to do. A message names columns and counts and never shows the
value of a record, because logs travel further than data.
"""

from __future__ import annotations

import difflib
import inspect
import re
import traceback
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "BrokenGuaranteeError",
    "DataError",
    "DiscreetError",
    "DiscreetWarning",
    "FileError",
    "LibraryError",
    "MissingExtraError",
    "MissingValueError",
    "NotFittedError",
    "ParameterError",
    "SchemaError",
    "SignatureError",
    "UnknownNameError",
    "door",
    "in_own_words",
    "unquoted",
    "wrong_type",
]

P = ParamSpec("P")
T = TypeVar("T")


class DiscreetError(Exception):
    """Base of every error that Discreet raises on purpose.

    Parameters
    ----------
    message : str
        One sentence saying what is wrong: columns and counts, never a record's value.
    hint : str, optional
        What the reader can do about it.

    Examples
    --------
    >>> str(DiscreetError("MDAV: k must be at least 2; got 1.", hint="Use k=3 or more."))
    'MDAV: k must be at least 2; got 1. Hint: Use k=3 or more.'
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} Hint: {self.hint}" if self.hint else self.message


class ParameterError(DiscreetError, ValueError):
    """A method was given a parameter it cannot use."""


class SignatureError(ParameterError, TypeError):
    """A parameter that does not exist, one given twice, or none where one is needed."""


class SchemaError(DiscreetError, ValueError):
    """The declaration contradicts itself or does not fit the table."""


class DataError(DiscreetError, ValueError):
    """The records do not fit the declaration or the method."""


class MissingValueError(DataError):
    """Missing values where a method has no rule for them."""


class LibraryError(DataError):
    """A library failed on a table, and its message, which may quote a record, was kept back."""


class FileError(DiscreetError, OSError):
    """A file cannot be read, or must not be written."""


class UnknownNameError(DiscreetError, LookupError):
    """No such method, measure, attribute or data set."""


class MissingExtraError(DiscreetError, ImportError):
    """An optional dependency is not installed."""


class NotFittedError(DiscreetError, ValueError, AttributeError):
    """A result was asked for before the work was done."""


class BrokenGuaranteeError(DiscreetError, RuntimeError):
    """A release does not keep what was promised of it. It is not put in place; a defect, whoever caused it."""


class DiscreetWarning(UserWarning):
    """The result stands, but a choice is weak."""


# ----------------------------------------------------------------------------------------- no other message passes

_OUR_OWN = (DiscreetError, Warning, MemoryError, OSError, AssertionError)
"""What may leave as it is: our own words, what says nothing of a table, and what an operating system says of a file."""


def in_own_words(work: Callable[[], T], error: Callable[[], DiscreetError]) -> T:
    """Return what `work` gives; where a library fails in it, raise `error()` instead, with no trace of the library's.

    An exception that is raised while another one is handled remembers it, and so do logs. Here the new one is raised
    after the handling has ended.

    Examples
    --------
    >>> in_own_words(lambda: float("31 High Street"), lambda: DataError("One value is not a number."))
    Traceback (most recent call last):
    discreet.errors.DataError: One value is not a number.
    """
    try:
        return work()
    except (*_OUR_OWN, ImportError):
        raise
    except BaseException as failure:
        if not _is_foreign(failure):
            raise
    raise error()


def door(function: Callable[P, T]) -> Callable[P, T]:
    """Let no library's message out of a public function: it may quote a value, and logs travel further than data.

    Our own errors pass, without what they were raised in place of. The errors of a user's own classes pass as well,
    such as those that a callback raises to stop the work.

    Examples
    --------
    >>> @door
    ... def number(text):
    ...     return float(text)
    >>> number("31 High Street")
    Traceback (most recent call last):
    discreet.errors.LibraryError: number failed inside a library (ValueError at <doctest ...
    """

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except DiscreetError as error:
            error.__cause__ = error.__context__ = None
            raise
        except BaseException as error:
            misfit = _misfit(function, args, kwargs) if type(error) is TypeError and _CALL.search(str(error)) else None
            if misfit is not None:
                raise misfit from None
            if isinstance(error, _OUR_OWN) or not _is_foreign(error):
                raise
            failure = _kept_back(function.__qualname__, error)
        raise failure

    return guarded


def _misfit(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> SignatureError | None:
    """Return the error of a call that does not fit its function; None where it fits, and another call below did not."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        names = [name for name in signature.parameters if name != "self"]
        usage = f"{function.__name__}({', '.join(names)})"
        for name in kwargs:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                meant = f" Did you mean {near[0]!r}?" if near else ""
                message = f"{function.__name__}: there is no parameter {name!r}.{meant}"
                return SignatureError(message, hint=f"It is {usage}.")
        return SignatureError(f"{function.__name__}: the call does not fit its parameters.", hint=f"It is {usage}.")
    return None


def wrong_type(owner: str, expected: str, value: object, hint: str = "") -> SignatureError:
    """Return the error for an argument of another kind; it names the kind and never shows the value.

    Examples
    --------
    >>> raise wrong_type("read", "path must be the path of a file", 3)
    Traceback (most recent call last):
    discreet.errors.SignatureError: read: path must be the path of a file; got int.
    """
    return SignatureError(f"{owner}: {expected}; got {type(value).__name__}.", hint=hint)


def unquoted(error: BaseException) -> str:
    """Return what a parser says is wrong and where, without what it quotes of the text.

    Examples
    --------
    >>> unquoted(ValueError("Cannot declare ('Smith',) twice (at line 3, column 7)"))
    'Cannot declare (…,) twice (at line 3, column 7)'
    """
    return re.sub(r"""(['"]).*\1""", "…", str(error))


_LIBRARIES = {
    "builtins", "pyarrow", "polars", "pandas", "narwhals", "numpy", "pyreadstat", "fastexcel", "xlsxwriter", "scipy",
    "sklearn", "tomllib", "_csv", "csv", "json", "zipfile", "struct", "re", "decimal",
}  # fmt: skip


_CALL = re.compile(r"unexpected keyword argument|required (positional|keyword-only) argument|positional arguments? but")
"""What Python says of a call that does not fit its function: names of parameters, no values."""


def _is_foreign(error: BaseException) -> bool:
    if not isinstance(error, Exception):
        return type(error).__name__ == "PanicException"  # Polars' last word, which is no Exception
    if type(error) is TypeError and _CALL.search(str(error)):
        return False
    return type(error).__module__.split(".")[0] in _LIBRARIES


def _kept_back(name: str, error: BaseException) -> LibraryError:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return LibraryError(
        f"{name} failed inside a library ({type(error).__name__} at {where}).",
        hint="Its message may quote a record and is not shown. Check that every column holds one kind of value.",
    )
