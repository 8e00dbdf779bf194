"""How commands end: what is said, and with which code."""

from __future__ import annotations

import errno
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from tests.stand_ins import instead

from discreet import workflow
from discreet.cli import main
from discreet.errors import BrokenGuaranteeError, DataError, FileError, LibraryError, ParameterError

SECRET = "31 High Street"  # noqa: S105 - a value that must never be shown
DEFECT = "A defect in Discreet:"


def raising(error):
    def app(arguments, *, standalone_mode):
        assert arguments == ["inspect", "a.csv"]
        assert standalone_mode is False
        raise error

    return app


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (LibraryError("read failed in a library.", hint="Not shown."), 3, f"{DEFECT} read failed in a library.\n"),
        (DataError("One value is no [bold]number."), 2, "Error: One value is no [bold]number.\n"),
        (ParameterError("k is 1.", hint="Use [3]."), 2, "Error: k is 1.\nHint: Use [3].\n"),
        (FileError("a.csv does not exist."), 2, "Error: a.csv does not exist.\n"),
        (BrokenGuaranteeError("A group is too small.", hint="Tell us."), 3,
         "Error: A group is too small.\nHint: Tell us.\n"),
        (typer.Abort(), 130, "Interrupted; nothing was written.\n"),
        (KeyboardInterrupt(), 130, "Interrupted; nothing was written.\n"),
        (main._Interrupted(), 130, "Interrupted; nothing was written.\n"),
        (OSError(errno.ENOSPC, SECRET), 2, "Error: There is no room left on the disk.\n"),
        (OSError(errno.ENAMETOOLONG, SECRET), 2, "Error: A path is longer than the system allows.\n"),
    ],
)  # fmt: skip
def test_every_end_has_its_words_and_its_code(monkeypatch, capsys, error, code, said):
    monkeypatch.setattr(main, "app", raising(error))
    assert main._code(["inspect", "a.csv"]) == code
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("error", [ZeroDivisionError(SECRET), OSError(errno.EIO, SECRET)])
def test_a_defect_names_the_last_six_places_and_no_message(monkeypatch, capsys, error):
    def fall(steps):
        if steps:
            fall(steps - 1)
        else:
            raise error

    monkeypatch.setattr(main, "app", lambda *_, **__: fall(5))
    assert main._code(["inspect", "a.csv"]) == 3
    first, *places = capsys.readouterr().err.splitlines()
    assert first == f"{DEFECT} {type(error).__name__}. Please report it with these lines:"
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    again = 1 + lines.index("            fall(steps - 1)")
    here = 1 + lines.index("            raise error")
    assert places == [f"  test_main.py:{again} in fall"] * 5 + [f"  test_main.py:{here} in fall"]


def test_a_wrong_option_is_told_as_the_parser_tells_it(capsys):
    assert main._code(["inspect", "a.csv", "--colour"]) == 2
    shown = capsys.readouterr()
    assert "No such option" in shown.err
    assert DEFECT not in shown.err


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (1, 1), (2, 2), ("text", 0)])
def test_what_a_command_returns_is_its_code(monkeypatch, result, code):
    monkeypatch.setattr(main, "app", lambda *_, **__: result)
    assert main._code([]) == code


def test_a_reader_who_has_gone_ends_it_in_silence(monkeypatch, capsys):
    moved = []
    monkeypatch.setattr(main, "app", raising(BrokenPipeError(SECRET)))
    monkeypatch.setattr(main, "os", instead(main.os, open=lambda path, how: (path, how)))
    monkeypatch.setattr(main, "os", instead(main.os, dup2=lambda source, target: moved.append((source, target))))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(fileno=lambda: 7))
    assert main._code(["inspect", "a.csv"]) == 0
    assert moved == [((main.os.devnull, main.os.O_WRONLY), 7)]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("ended", [0, 1, 2, 3, 130, KeyboardInterrupt])
def test_a_process_ends_with_the_code_and_at_once_where_it_was_interrupted(monkeypatch, ended):
    done = []

    def code(arguments):
        done.append(arguments)
        if ended is KeyboardInterrupt:
            raise KeyboardInterrupt
        return ended

    monkeypatch.setattr(main, "clear_stale", lambda: done.append("cleared"))
    monkeypatch.setattr(main, "_code", code)
    monkeypatch.setattr(main, "end_now", lambda number: done.append(("at once", number)))
    monkeypatch.setattr(sys, "argv", ["discreet", "inspect", "a.csv"])
    with pytest.raises(SystemExit) as told:
        main.run()
    number = 130 if ended is KeyboardInterrupt else ended
    assert told.value.code == number
    assert done == ["cleared", ["inspect", "a.csv"], *([("at once", 130)] if number == 130 else [])]


def test_what_is_said_of_every_signal():
    assert main._ENDED == {
        signal.SIGINT: "Interrupted; nothing was written.",
        signal.SIGTERM: "Ended; nothing was written.",
        signal.SIGHUP: "Ended; nothing was written.",
    }


def test_the_version_is_shown_when_asked_for(capsys):
    main._version(value=False)
    with pytest.raises(typer.Exit):
        main._version(value=True)
    assert capsys.readouterr().out == f"discreet {main.__version__}\n"


@pytest.mark.parametrize(
    ("started", "own"),
    [
        (None, False),
        ("/usr/bin/discreet", True),
        ("/home/analyst/discreet.py", False),
        (str(Path(main.__file__).parents[1] / "__main__.py"), True),
        ("/home/analyst/__main__.py", False),
    ],
)
def test_only_the_command_has_its_process_to_itself(monkeypatch, started, own):
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(**({} if started is None else {"__file__": started})))
    assert main._is_own_process() is own


@pytest.mark.parametrize("own", [True, False])
def test_pandas_is_spared_by_commands_that_look_at_tables_in_their_own_process(monkeypatch, own):
    assert [one.__name__ for one in main._WITHOUT_TABLES] == ["methods", "key", "studio", "warm"]
    done = []

    def command(*arguments, **options):
        done.append((arguments, options))

    monkeypatch.setattr(main, "_is_own_process", lambda: own)
    monkeypatch.setattr(workflow, "spare_pandas", lambda: done.append("spared"))
    main._telling(command)("a.csv", quiet=True)
    assert done == [*(["spared"] if own else []), (("a.csv",), {"quiet": True})]
    monkeypatch.setattr(main, "_WITHOUT_TABLES", (command,))
    main._telling(command)()
    assert done[-1] == ((), {})
    assert done.count("spared") == int(own)


def test_an_interrupt_is_taken_in_and_told_under_its_own_name(monkeypatch):
    taken = []

    def command():
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "absorb_interrupt", lambda: taken.append(True))
    with pytest.raises(main._Interrupted) as told:
        main._telling(command)()
    assert taken == [True]
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__
