"""Who may come in: a cookie is known until nobody used it for long, also by a server that was started again."""

from __future__ import annotations

import json

import pytest
from tests.stand_ins import instead

from discreet.studio import browsers as module
from discreet.studio.browsers import Browsers


@pytest.fixture
def clock(monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr(module, "time", instead(module.time, time=lambda: now[0]))
    return now


def test_a_cookie_is_known_until_it_is_dismissed():
    doors = Browsers(None, lasting=100)
    one, other = doors.admit(), doors.admit()
    assert doors.knows(one)
    assert doors.knows(other)
    assert not doors.knows(one + "x")
    assert not doors.knows("")
    doors.dismiss(one)
    doors.dismiss("nobody's")
    assert (doors.knows(one), doors.knows(other)) == (False, True)


def test_use_prolongs_and_idleness_ends(clock):
    doors = Browsers(None, lasting=100)
    key = doors.admit()
    clock[0] += 99
    assert doors.knows(key)
    clock[0] += 99
    assert doors.knows(key)
    clock[0] += 100
    assert not doors.knows(key)


def test_a_restarted_server_knows_its_browsers_and_its_address(tmp_path, clock):
    file = tmp_path / "browsers.json"
    doors = Browsers(file, lasting=1000)
    key = doors.admit()
    again = Browsers(file, lasting=1000)
    assert (again.root, again.secret) == (doors.root, doors.secret)
    assert again.knows(key)
    # What is kept is a fingerprint, and no cookie.
    assert key not in file.read_text()
    again.dismiss(key)
    assert not Browsers(file, lasting=1000).knows(key)
    clock[0] += 1  # nobody is left: another address
    assert Browsers(file, lasting=1000).root != doors.root


def test_use_is_written_down_once_a_minute(tmp_path, clock):
    file = tmp_path / "browsers.json"
    doors = Browsers(file, lasting=1000)
    key = doors.admit()
    for wait, written in ((30, 0.0), (30, 0.0), (61, 121.0)):
        clock[0] += wait
        assert doors.knows(key)
        (last_use,) = json.loads(file.read_text())["browsers"].values()
        assert last_use == 1_000_000.0 + written


def test_an_address_that_nobody_uses_any_more_is_not_used_again(tmp_path, clock):
    file = tmp_path / "browsers.json"
    doors = Browsers(file, lasting=1000)
    key = doors.admit()
    clock[0] += 1000
    later = Browsers(file, lasting=1000)
    assert later.root != doors.root
    assert later.secret != doors.secret
    assert not later.knows(key)


@pytest.mark.parametrize(
    "change",
    [{"root": "/short"}, {"secret": "00"}, {"secret": "no hex"}, {"browsers": []}, {"browsers": {"a": "soon"}}, None],
)
def test_a_broken_file_is_a_new_beginning(tmp_path, change):
    file = tmp_path / "browsers.json"
    doors = Browsers(file, lasting=1000)
    doors.admit()
    state = json.loads(file.read_text())
    file.write_text("{" if change is None else json.dumps(state | change))
    fresh = Browsers(file, lasting=1000)
    assert fresh.root != doors.root
    assert len(fresh.secret) == 32
    assert fresh.root.startswith("/")


def test_addresses_are_long_and_no_two_alike(tmp_path):
    roots = {Browsers(None, lasting=1).root for _ in range(5)}
    assert len(roots) == 5
    assert all(len(root) > 24 for root in roots)
    Browsers(tmp_path / "absent" / "file.json", lasting=1).admit()  # no place to keep them is no error
    assert list(tmp_path.iterdir()) == []
