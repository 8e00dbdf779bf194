"""What a list of methods shows is that of the sources as they are, whether it was kept or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet import catalogue, kept_catalogue
from discreet.errors import UnknownNameError
from discreet.kept_catalogue import kept_methods, kept_operators


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own, and nothing remembered."""
    monkeypatch.setattr(kept_catalogue, "cache_folder", lambda: tmp_path)
    kept_catalogue._described.cache_clear()
    yield tmp_path
    kept_catalogue._described.cache_clear()


def again():
    kept_catalogue._described.cache_clear()


def test_kept_as_described(folder):
    first = kept_methods()
    assert first == catalogue.describe_methods()
    assert [path.name.startswith("methods-") for path in folder.iterdir()] == [True]
    again()
    assert kept_methods() == first
    assert kept_operators() == catalogue.describe_operators()


def test_read_instead_of_described(folder, monkeypatch):
    kept_methods()
    again()
    monkeypatch.setattr(catalogue, "describe_methods", None)
    assert "mdav" in kept_methods()["maskers"]
    assert "owa" in kept_operators()


@pytest.mark.parametrize("name", ["mdav", "distance", "owa", "uniques"])
def test_one_of_them(folder, name):
    assert kept_methods(name) == catalogue.describe_methods(name)


def test_a_name_that_is_none_is_answered_as_ever(folder):
    with pytest.raises(UnknownNameError) as kept:
        kept_methods("mdavv")
    with pytest.raises(UnknownNameError) as described:
        catalogue.describe_methods("mdavv")
    assert str(kept.value) == str(described.value)


def test_sources_that_changed_make_another_digest(tmp_path, monkeypatch):
    package = tmp_path / "package"
    (package / "room").mkdir(parents=True)
    source = package / "room" / "method.py"
    source.write_text("k = 3\n")
    monkeypatch.setattr(kept_catalogue, "__file__", str(package / "kept_catalogue.py"))
    first = kept_catalogue._digest()
    assert kept_catalogue._digest() == first
    times = source.stat()
    source.write_text("k = 5\n")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    second = kept_catalogue._digest()
    (package / "room" / "another.py").write_text("")
    assert len({first, second, kept_catalogue._digest()}) == 3


@pytest.mark.parametrize("content", ["", "{", "[]", '{"maskers": {}}'])
def test_what_is_no_list_is_described_anew(folder, content):
    kept_methods()
    (path,) = folder.iterdir()
    path.write_text(content)
    again()
    assert kept_methods() == catalogue.describe_methods()
    assert json.loads(path.read_text())["maskers"]


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_stop(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_catalogue, "cache_folder", lambda: tmp_path / "absent")
    again()
    assert kept_methods() == catalogue.describe_methods()
    monkeypatch.setattr(kept_catalogue, "cache_folder", lambda: None)
    again()
    assert kept_methods() == catalogue.describe_methods()
    again()


def test_listing_once_more_imports_no_method(tmp_path):
    tmp_path.chmod(0o755)
    environment = {**os.environ, "DISCREET_CACHE_DIR": str(tmp_path / "cache")}
    script = "from discreet import workflow; import sys; names = list(workflow.kept_methods()['maskers'])\n"
    script += "print(*names); print(*(m for m in ('numpy', 'pyarrow', 'discreet.catalogue') if m in sys.modules))"
    runs = [
        subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (run.stdout.splitlines() for run in runs)
    assert first[0] == second[0]
    assert "discreet.catalogue" in first[1]
    assert second[1] == ""
    assert len(list((tmp_path / "cache").glob("methods-*.json"))) == 1
    assert Path(tmp_path / "cache").stat().st_mode & 0o022 == 0
