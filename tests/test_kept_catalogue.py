"""What a list of methods shows is that of the sources as they are, whether it was kept or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stand_ins import instead

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


def test_what_is_half_written_is_removed_and_what_nobody_has_read_for_long_too(tmp_path, monkeypatch):
    path = tmp_path / "methods-new.json"
    now = 1_800_000_000
    day = 86400
    monkeypatch.setattr(kept_catalogue, "time", instead(kept_catalogue.time, time=lambda: now))
    for name, age in [("methods-old.json", 60 * day + 1), ("methods-recent.json", 60 * day), ("loops.json", 90 * day)]:
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (now - age, now - age))
    kept_catalogue._keep(path, {"maskers": {"mdav": [3]}})
    assert sorted(one.name for one in tmp_path.iterdir()) == ["loops.json", "methods-new.json", "methods-recent.json"]
    assert json.loads(path.read_text()) == {"maskers": {"mdav": [3]}}
    assert path.stat().st_mode & 0o777 == 0o644

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    kept_catalogue._keep(tmp_path / "methods-later.json", {"maskers": {}})
    assert sorted(one.name for one in tmp_path.iterdir()) == ["loops.json", "methods-new.json", "methods-recent.json"]


@pytest.mark.parametrize("described", [{"k": (3, 5)}, {3: "k"}, {"k": {3}}, {"k": float("nan")}])
def test_what_would_not_come_back_as_it_went_in_is_not_kept(tmp_path, described):
    kept_catalogue._keep(tmp_path / "methods-new.json", described)
    assert list(tmp_path.iterdir()) == []


def test_who_reads_and_every_folder_of_sources_count_and_nothing_else(tmp_path, monkeypatch):
    package = tmp_path / "package"
    for name in ("a.py", "b/c.py", "notes.txt", "__pycache__/a.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text("k = 3\n")
    monkeypatch.setattr(kept_catalogue, "__file__", str(package / "kept_catalogue.py"))
    first = kept_catalogue._digest()
    assert len(first) == 16
    (package / "notes.txt").write_text("longer than it was")
    (package / "__pycache__" / "a.py").write_text("longer than it was")
    assert kept_catalogue._digest() == first
    times = (package / "b" / "c.py").stat()
    (package / "b" / "c.py").write_text("k = 35\n")
    os.utime(package / "b" / "c.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    second = kept_catalogue._digest()
    monkeypatch.setattr(sys, "version", "4.0")
    assert len({first, second, kept_catalogue._digest()}) == 3


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
