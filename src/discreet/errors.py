"""What can go wrong, in one tree.

::

    DiscreetError
    ├── ParameterError        (ValueError)    a method was given a parameter it cannot use
    ├── SchemaError           (ValueError)    the declaration contradicts itself or the table
    ├── DataError             (ValueError)    the records do not fit the declaration or the method
    │   └── MissingValueError                 missing values where a method has no rule for them
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

__all__ = [
    "BrokenGuaranteeError",
    "DataError",
    "DiscreetError",
    "DiscreetWarning",
    "FileError",
    "MissingExtraError",
    "MissingValueError",
    "NotFittedError",
    "ParameterError",
    "SchemaError",
    "UnknownNameError",
]


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


class SchemaError(DiscreetError, ValueError):
    """The declaration contradicts itself or does not fit the table."""


class DataError(DiscreetError, ValueError):
    """The records do not fit the declaration or the method."""


class MissingValueError(DataError):
    """Missing values where a method has no rule for them."""


class FileError(DiscreetError, OSError):
    """A file cannot be read, or must not be written."""


class UnknownNameError(DiscreetError, LookupError):
    """No such method, measure, attribute or data set."""


class MissingExtraError(DiscreetError, ImportError):
    """An optional dependency is not installed."""


class NotFittedError(DiscreetError, ValueError, AttributeError):
    """A result was asked for before the work was done."""


class BrokenGuaranteeError(DiscreetError, RuntimeError):
    """A written file does not keep what was promised of it. It is not put in place; a defect, whoever caused it."""


class DiscreetWarning(UserWarning):
    """The result stands, but a choice is weak."""
