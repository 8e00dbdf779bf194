"""What leaves the package: our own words, and no library's message, which may quote a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.errors import (
    DataError,
    DiscreetError,
    DiscreetWarning,
    LibraryError,
    ParameterError,
    SignatureError,
    door,
    in_own_words,
    unquoted,
    wrong_type,
)

SECRET = "31 High Street"  # noqa: S105 - the value of a record, which no message may show
FOREIGN = [ValueError, KeyError, TypeError, RuntimeError, ZeroDivisionError]
NAMELESS = [MemoryError, OSError, AssertionError, UserWarning, DiscreetWarning, KeyboardInterrupt, SystemExit]


class PanicException(BaseException):
    """What a library raises that has no Exception left."""


class Stop(Exception):  # noqa: N818 - a user's own
    """What a callback raises to stop the work."""


class Panic(BaseException):
    """A user's own that is no Exception."""


def raising(error: BaseException):
    def work(first=1, *, second=2):
        raise error

    return work


def test_a_message_and_its_hint_are_one_text():
    error = DiscreetError("k must be at least 2.", hint="Use 3.")
    assert (error.message, error.hint, str(error), error.args) == (
        "k must be at least 2.",
        "Use 3.",
        "k must be at least 2. Hint: Use 3.",
        ("k must be at least 2.",),
    )
    assert str(DiscreetError("k must be at least 2.")) == "k must be at least 2."


@pytest.mark.parametrize("kind", [*FOREIGN, PanicException])
def test_no_message_of_a_library_passes(kind):
    with pytest.raises(LibraryError) as told:
        door(raising(kind(SECRET)))()
    error = told.value
    assert error.message.startswith(
        f"raising.<locals>.work failed inside a library ({kind.__name__} at test_errors.py:"
    )
    line = int(error.message.rsplit(":", 1)[1].removesuffix(")."))
    assert "raise error" in Path(__file__).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert error.hint == (
        "Its message may quote a record and is not shown. Check that every column holds one kind of value."
    )
    assert error.__cause__ is error.__context__ is None
    with pytest.raises(DataError, match=r"^A value is no number\.$") as own:
        in_own_words(raising(kind(SECRET)), lambda: DataError("A value is no number."))
    assert own.value.__cause__ is own.value.__context__ is None


def test_the_innermost_line_is_named_where_a_library_failed_within_others():
    def outermost():
        return middle()

    def middle():
        return innermost()

    def innermost():
        return float(SECRET)  # here

    with pytest.raises(LibraryError) as told:
        door(outermost)()
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    here = next(number for number, line in enumerate(lines, start=1) if line.endswith("# here"))
    name = "test_the_innermost_line_is_named_where_a_library_failed_within_others.<locals>.outermost"
    assert told.value.message == f"{name} failed inside a library (ValueError at test_errors.py:{here})."


@pytest.mark.parametrize("kind", [*NAMELESS, Stop, Panic, DataError])
def test_what_quotes_no_record_and_what_is_the_users_own_passes_as_it_is(kind):
    error = kind("stop")
    with pytest.raises(kind) as told:
        door(raising(error))()
    assert told.value is error
    with pytest.raises(kind) as told:
        in_own_words(raising(error), lambda: DataError("never"))
    assert told.value is error


def test_a_missing_library_is_said_by_its_own_error_only_where_it_is_asked_for():
    missing = ImportError("no module")
    with pytest.raises(ImportError) as told:
        in_own_words(raising(missing), lambda: DataError("never"))
    assert told.value is missing
    with pytest.raises(LibraryError, match=r"ImportError at test_errors\.py"):
        door(raising(missing))()


def test_what_an_error_was_raised_in_place_of_is_forgotten():
    @door
    def read():
        try:
            float(SECRET)
        except ValueError as error:
            raise DataError("One value is not a number.") from error

    with pytest.raises(DataError) as told:
        read()
    assert told.value.__cause__ is told.value.__context__ is None


def test_a_door_hands_on_what_goes_in_and_what_comes_out():
    @door
    def read(path, *, sheet=1):
        """Read it."""
        return path, sheet

    assert read("a", sheet=3) == ("a", 3)
    assert (read.__name__, read.__doc__) == ("read", "Read it.")
    assert in_own_words(lambda: 7, lambda: DataError("never")) == 7


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {"secnd": 3}, "work: there is no parameter 'secnd'. Did you mean 'second'?"),
        ((), {"zzz": 3}, "work: there is no parameter 'zzz'."),
        ((), {"second": 3, "zzz": 3}, "work: there is no parameter 'zzz'."),
        ((), {"self": 3}, "work: there is no parameter 'self'."),
        ((1, 2), {}, "work: the call does not fit its parameters."),
    ],
)
def test_a_call_that_does_not_fit_is_told_what_does(args, kwargs, message):
    with pytest.raises(SignatureError) as told:
        door(raising(Stop()))(*args, **kwargs)
    assert (told.value.message, told.value.hint) == (message, "It is work(first, second).")
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__


def test_parameters_of_a_method_are_named_without_itself():
    class Reader:
        @door
        def read(self, path):
            return path

    with pytest.raises(SignatureError) as told:
        Reader().read("a", ecoding="b")
    assert str(told.value) == "read: there is no parameter 'ecoding'. Hint: It is read(path)."
    assert Reader().read("a") == "a"


def test_a_call_further_below_that_does_not_fit_is_python_s_own_sentence():
    # It names parameters and no values, and the call from outside was right.
    @door
    def outer(path):
        return inner(path, nothing=3)

    def inner(path):
        return path

    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'") as told:
        outer("a")
    assert type(told.value) is TypeError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Cannot declare ('Smith',) twice (at line 3)", "Cannot declare (…,) twice (at line 3)"),
        ('Invalid "Smith" and "Jones" here', "Invalid … here"),
        ("Nothing quoted (at line 3)", "Nothing quoted (at line 3)"),
    ],
)
def test_what_is_quoted_is_left_out(text, shown):
    assert unquoted(ValueError(text)) == shown


def test_an_argument_of_another_kind_is_called_by_its_kind():
    error = wrong_type("read", "path must be the path of a file", 3, "Give a path.")
    assert isinstance(error, ParameterError)
    assert (error.message, error.hint) == ("read: path must be the path of a file; got int.", "Give a path.")
    assert wrong_type("read", "path must be a path", None).hint == ""
