"""``studio``: what is handed to the server, what is said, and what is refused."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import pytest

from discreet.cli.studio_command import _is_local, studio
from discreet.errors import FileError, MissingExtraError, ParameterError

LINK = "http://127.0.0.1:8766/enter/abc"


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("0.0.0.0", False),  # noqa: S104
     ("192.168.1.5", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_what_only_this_machine_reaches(host, local):
    assert _is_local(host) is local


def served(monkeypatch, error=None):
    app = pytest.importorskip("discreet.studio.app")
    calls = []

    def serve(host, port, **options):
        calls.append((host, port, options))
        if error is not None:
            raise error
        options["opened"](LINK)
        options["announce"](LINK + "2")

    monkeypatch.setattr(app, "serve", serve)
    monkeypatch.setattr(webbrowser, "open", calls.append)
    return calls


@pytest.mark.parametrize(
    ("options", "host", "browser", "warned"),
    [
        ({}, "127.0.0.1", True, False),
        ({"browser": False}, "127.0.0.1", False, False),
        ({"expose": True, "browser": False}, "127.0.0.1", False, False),
        ({"host": "192.168.1.5", "expose": True}, "192.168.1.5", True, True),
    ],
)
def test_the_link_is_said_and_opened(monkeypatch, capsys, options, host, browser, warned):
    calls = served(monkeypatch)
    studio(port=9000, limit=3, projects=Path("mine"), **options)
    (begin, *opened) = calls
    assert begin[:2] == (host, 9000)
    assert {name: begin[2][name] for name in ("limit", "projects")} == {"limit": 3 * 1048576, "projects": Path("mine")}
    assert opened == ([LINK] if browser else [])
    shown = capsys.readouterr()
    assert " ".join(shown.out.split()) == (
        f"Discreet Studio: {LINK} The link works once, for one browser. Stop with Ctrl+C; projects are saved and go on "
        f"from there. For another browser: {LINK}2"
    )
    assert shown.err == ("Other machines can reach this page, and what they send is not encrypted.\n" if warned else "")


def test_without_options_it_listens_here_and_takes_a_gigabyte(monkeypatch):
    calls = served(monkeypatch)
    studio(browser=False)
    (host, port, options) = calls[0]
    assert (host, port, options["limit"], options["projects"]) == ("127.0.0.1", 8766, 1024 * 1048576, None)


def test_a_port_that_is_taken_is_said_and_a_folder_that_cannot_be_used_too(monkeypatch):
    served(monkeypatch, OSError(98, "Address already in use"))
    with pytest.raises(ParameterError) as told:
        studio(port=80)
    assert str(told.value) == (
        "Port 80 of 127.0.0.1 cannot be used (Address already in use). Hint: Another studio may run; try --port 0."
    )
    error = FileError("The folder is not yours.")
    served(monkeypatch, error)
    with pytest.raises(FileError) as kept:
        studio()
    assert kept.value is error


def test_the_extra_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "discreet.studio.app", None)
    with pytest.raises(MissingExtraError) as told:
        studio()
    assert str(told.value) == "The studio needs an extra. Hint: pip install 'discreet[studio]'"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.org"])  # noqa: S104 - it is refused
def test_other_machines_are_let_in_only_where_that_is_said(monkeypatch, host):
    calls = served(monkeypatch)
    with pytest.raises(ParameterError, match=f"--host {host} lets other machines reach the data"):
        studio(host=host)
    assert calls == []
