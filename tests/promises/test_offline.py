"""Offline: no connection is made, and a report asks for nothing from elsewhere."""

from __future__ import annotations

import re
import socket

import pytest
from tests.promises import releases, tables


@pytest.fixture
def no_network(monkeypatch):
    """Refuse every connection, and remember that one was tried."""
    tried = []

    def refuse(*arguments, **_):
        tried.append(arguments)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    return tried


def test_a_whole_release_connects_to_nothing(no_network, tmp_path):
    path = tables.write(tables.survey(120, seed=61), tmp_path / "survey.csv")
    assert releases.discreet("init", path, "-o", tmp_path / "protocol.toml", "--quiet") == 0
    assert releases.discreet("run", tmp_path / "protocol.toml", "-o", tmp_path / "release", "--quiet") in {0, 1}
    options = [
        "--report",
        tmp_path / "in.html",
        "--external",
        tmp_path / "ex.html",
        "-o",
        tmp_path / "o.csv",
        "--quiet",
    ]
    assert releases.discreet("protect", path, "-s", path.with_suffix(".toml"), *options) == 0
    assert no_network == []
    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) >= 2
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(
            r"""(?:src|href)\s*=\s*["'](?:https?:)?//[^"']+|url\(\s*["']?(?:https?:)?//|@import""", text
        )
        assert fetched == [], page.name
